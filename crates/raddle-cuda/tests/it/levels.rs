//! Do two programs take turns, and what if the daemon dies?

use std::io::Write;
use std::path::Path;
use std::process::{Command, Stdio};
use std::time::Duration;

use raddle_live::{Inquiry, LiveStatus, ProgramStanding, ProgramStatus};
use raddle_policy::Level;

use crate::run::{end, native, natively, scheduled};
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

/// Asks the daemon for the state of its programs until `is_wanted` returns true, and returns that
/// state.
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

/// Waits until the count of kernels that have begun stays equal for 50 ms, and returns it.
fn settled(count: impl Fn() -> usize) -> usize {
    let mut before = count();
    loop {
        std::thread::sleep(Duration::from_millis(50));
        let now = count();
        if now == before {
            return now;
        }
        before = now;
    }
}

/// Checks that the less urgent program leaves while the urgent one has work, and comes back, and
/// that both print what they print alone.
#[test]
fn a_program_leaves_for_a_more_urgent_one_and_comes_back() {
    const LAUNCHES: usize = 2000;
    let served = Served::new(None);
    let log = served.folder().join("kernels");
    let begun = |name: &str| {
        let text = std::fs::read_to_string(&log).unwrap_or_default();
        text.lines().filter(|line| line.starts_with(name)).count()
    };
    let mut daemon = inquiry(&served);
    let (token, _) = daemon.grant(Level(1)).expect("it serves");
    let rounds = ("CLIENT_ROUNDS", "1000");
    let mut busy = noting("busy", &served, &log);
    let busy = busy.envs([rounds]).spawn().expect("it starts");
    until(&served, |status| status.programs.iter().any(|it| it.summary.submitted > 10));
    let mut urgent = noting("urgent", &served, &log);
    urgent.env(raddle_live::env::TOKEN, token).stdin(Stdio::piped());
    let mut urgent = urgent.spawn().expect("it starts");
    let mut lines = urgent.stdin.take().expect("it is piped");
    let mut line = || lines.write_all(b"\n").expect("it reads");
    let mut status = None;
    for request in 0..2 {
        until(&served, |_| begun("urgent") == 2 * request + 1);
        let away = settled(|| begun("busy"));
        assert!(away < LAUNCHES, "the lower program is off the device");
        status = Some(inquiry(&served).status().expect("it serves"));
        line();
        until(&served, |_| begun("busy") > away + 10);
        if request == 0 {
            line();
        }
    }
    let (urgent, busy) = (end(urgent), end(busy));
    assert_eq!(urgent.said, natively_with_lines());
    assert_eq!(busy.said, natively("busy", &[rounds]).said);
    assert!(
        busy.how == "exit status: 0" && busy.complaints.contains("made 2000 seen 2000"),
        "{busy:?}"
    );
    let program = status.expect("it was asked").programs.into_iter().next();
    let program = program.expect("the busy program is there");
    assert!(program.device.contains("Fake 0 at 0000:0ab:00.0"), "{program:?}");
    assert!(
        program.standing != ProgramStanding::Turn && program.level == Level(128),
        "{program:?}"
    );
    for count in ["launches", "copies", "waited-for-turn"] {
        assert!(program.summary.counted[count] > 0, "{count}: {program:?}");
    }
}

/// Returns what the urgent client prints without the library.
fn natively_with_lines() -> String {
    let mut command = native("client");
    let mut client = command.arg("urgent").stdin(Stdio::piped()).spawn().expect("it starts");
    client.stdin.take().expect("it is piped").write_all(b"\n\n\n").expect("it reads");
    end(client).said
}

/// Checks that a program that has no turn launches nothing.
#[test]
fn a_program_without_the_turn_launches_nothing() {
    let served = Served::new(None);
    let folder = tempfile::tempdir().expect("a folder");
    let log = folder.path().join("kernels");
    let mut command = noting("on demand", &served, &log);
    let mut client = command.stdin(Stdio::piped()).spawn().expect("it starts");
    let count = || std::fs::read_to_string(&log).map_or(0, |log| log.lines().count());
    until(&served, |status| count() == 1 && status.programs.iter().any(|it| !it.runnable));
    let pid = i32::try_from(client.id()).expect("a process id");
    assert_eq!(inquiry(&served).preempt(pid).expect("it serves"), 1);
    // The program hears of it later than the daemon that was asked, and reports nothing of it.
    std::thread::sleep(Duration::from_millis(100));
    client.stdin.take().expect("it is piped").write_all(b"\n").expect("it reads");
    until(&served, |status| {
        let is_kept = |it: &ProgramStatus| it.standing == ProgramStanding::Held && it.runnable;
        status.programs.iter().any(is_kept)
    });
    std::thread::sleep(Duration::from_millis(10));
    assert_eq!(count(), 1);
    assert_eq!(inquiry(&served).resume(pid).expect("it serves"), 1);
    assert_eq!(end(client).said, natively("on demand", &[]).said);
    assert_eq!(count(), 5);
}

/// Checks that a program that is kept off the device goes on when the daemon dies.
#[test]
fn a_program_goes_on_without_its_daemon() {
    let served = Served::new(None);
    let folder = tempfile::tempdir().expect("a folder");
    let log = folder.path().join("kernels");
    let busy =
        noting("busy", &served, &log).env("CLIENT_ROUNDS", "1000").spawn().expect("it starts");
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
    assert_eq!((busy.how.as_str(), busy.count("made")), ("exit status: 0", 2000));
}
