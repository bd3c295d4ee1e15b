//! Do two programs take turns, and what if the daemon dies?

use std::io::Write;
use std::path::Path;
use std::process::{Command, Stdio};
use std::time::Duration;

use raddle_live::{Inquiry, LiveStatus, ProgramStanding, ProgramStatus};
use raddle_policy::Level;

use crate::run::{end, natively, scheduled};
use crate::storm::Served;

/// Returns a command for a client whose kernels note the time at which they begin in the file `log`.
fn noting(client: &str, served: &Served, log: &Path) -> Command {
    let mut command = scheduled("client");
    command.arg(client).envs([served.environment()]);
    command.env("FAKE_LOG", log).env("FAKE_NAME", client);
    command
}

fn inquiry(served: &Served) -> Inquiry {
    Inquiry::connect(Path::new(&served.environment().1)).expect("it serves")
}

/// Asks for the state of the programs until it is as wanted.
fn until(served: &Served, is_wanted: impl Fn(&LiveStatus) -> bool) -> LiveStatus {
    for _ in 0..20_000 {
        let status = inquiry(served).status().expect("it serves");
        if is_wanted(&status) {
            return status;
        }
        std::thread::sleep(Duration::from_millis(1));
    }
    panic!("it never is so: {:?}", inquiry(served).status());
}

/// The lower program leaves while the urgent one has work, comes back, and both answer as alone.
#[test]
fn a_program_leaves_for_a_more_urgent_one_and_comes_back() {
    let served = Served::new(None);
    let log = served.folder().join("kernels");
    let mut daemon = inquiry(&served);
    let (token, _) = daemon.grant(Level(1)).expect("it serves");
    let busy =
        noting("busy", &served, &log).env("CLIENT_ROUNDS", "400").spawn().expect("it starts");
    until(&served, |status| status.programs.iter().any(|it| it.summary.submitted > 10));
    let mut urgent = noting("requests", &served, &log);
    let urgent = end(urgent.env(raddle_live::env::TOKEN, token).spawn().expect("it starts"));
    let status = until(&served, |_| true);
    let busy = end(busy);
    assert_eq!(urgent.said, natively("requests", &[]).said);
    assert!(busy.how == "exit status: 0" && busy.count("most") <= 8, "{busy:?}");
    let program = status.programs.first().expect("the busy program is there");
    assert!(program.device.contains("Fake 0 at 0000:0ab:00.0"), "{program:?}");
    for count in ["launches", "copies", "waited-for-turn"] {
        assert!(program.summary.counted[count] > 0, "{count}: {program:?}");
    }
    assert!(program.summary.preempted > 0, "{program:?}");
    assert_eq!((busy.count("made"), busy.count("seen")), (800, 800));
    let text = std::fs::read_to_string(&log).expect("a log");
    let names: Vec<&str> = text.lines().filter_map(|line| line.split(' ').next()).collect();
    assert_eq!(names.iter().filter(|name| **name == "busy").count(), 800);
    // Each request has 120 kernels one behind the other; in the second half of them nobody else begins one.
    let ends = names.iter().enumerate().filter(|(_, name)| **name == "requests");
    let ends: Vec<usize> = ends.map(|(at, _)| at).collect();
    for request in ends.chunks(120) {
        let (half, last) = (request[60], request[119]);
        assert_eq!(last - half, 59, "a kernel of the lower program began within a request");
    }
}

/// A program that has no turn launches nothing.
#[test]
fn a_program_without_the_turn_launches_nothing() {
    let served = Served::new(None);
    let folder = tempfile::tempdir().expect("a folder");
    let log = folder.path().join("kernels");
    let mut command = noting("on demand", &served, &log);
    let mut client = command.stdin(Stdio::piped()).spawn().expect("it starts");
    until(&served, |status| status.programs.iter().any(|it| !it.runnable));
    let pid = i32::try_from(client.id()).expect("a process id");
    assert_eq!(inquiry(&served).preempt(pid).expect("it serves"), 1);
    client.stdin.take().expect("it is piped").write_all(b"\n").expect("it reads");
    until(&served, |status| {
        let is_kept = |it: &ProgramStatus| it.standing == ProgramStanding::Held && it.runnable;
        status.programs.iter().any(is_kept)
    });
    std::thread::sleep(Duration::from_millis(10));
    assert_eq!(std::fs::read_to_string(&log).expect("a log").lines().count(), 1);
    assert_eq!(inquiry(&served).resume(pid).expect("it serves"), 1);
    assert_eq!(end(client).said, natively("on demand", &[]).said);
    assert_eq!(std::fs::read_to_string(&log).expect("a log").lines().count(), 5);
}

/// A program that is kept off the device goes on when the daemon dies.
#[test]
fn a_program_goes_on_without_its_daemon() {
    let served = Served::new(None);
    let folder = tempfile::tempdir().expect("a folder");
    let log = folder.path().join("kernels");
    let busy =
        noting("busy", &served, &log).env("CLIENT_ROUNDS", "500").spawn().expect("it starts");
    let pid = i32::try_from(busy.id()).expect("a process id");
    until(&served, |status| status.programs.iter().any(|it| it.summary.submitted > 10));
    assert_eq!(inquiry(&served).preempt(pid).expect("it serves"), 1);
    let held = until(&served, |status| {
        status.programs.iter().any(|it| it.summary.preempted > 0 && it.summary.in_flight == 0)
    });
    assert_eq!(held.programs.len(), 1);
    let count = |log: &Path| std::fs::read_to_string(log).expect("a log").lines().count();
    let before = count(&log);
    std::thread::sleep(Duration::from_millis(20));
    assert_eq!(count(&log), before, "it is off the device");
    drop(served);
    let busy = end(busy);
    assert_eq!((busy.how.as_str(), busy.count("made")), ("exit status: 0", 1000));
}
