//! Does everybody go on when the daemon or a program is killed at any moment?
//!
//! Daemon and programs are processes: this test's own binary, told its part by the environment.

use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::sync::atomic::AtomicBool;
use std::thread;
use std::time::{Duration, Instant};

use raddle_live::{
    Daemon, DaemonConfig, Inquiry, Link, LinkConfig, LiveStatus, ProgramStanding, Storm, Until,
};
use raddle_policy::Level;
use rustix::process::Signal;

use crate::daemon::until;
use crate::fake::{Faults, Random};
use crate::rig::{Rig, capture, host_from, within};

/// Returns how often a process is killed: a hundred times in the soak.
fn kills() -> u64 {
    std::env::var("RADDLE_KILLS").map_or(5, |count| count.parse().unwrap())
}

/// Plays the part (daemon or program) that the variable `RADDLE_TEST_PART` gives this process; does
/// nothing where it is not set.
#[test]
fn part() {
    let socket = std::env::var_os("RADDLE_TEST_SOCKET").map(PathBuf::from);
    match (std::env::var("RADDLE_TEST_PART").as_deref(), socket) {
        (Ok("daemon"), Some(socket)) => {
            let ms = Duration::from_millis;
            let storm = Some(Storm::new(ms(1), ms(5), 3));
            let options = DaemonConfig { storm, ..DaemonConfig::default() };
            let mut daemon = Daemon::bind(&socket, options, None, |_| {}).unwrap();
            daemon.run(&AtomicBool::new(false)).unwrap();
        }
        (Ok("calm daemon"), Some(socket)) => {
            let options = DaemonConfig::default();
            let mut daemon = Daemon::bind(&socket, options, None, |_| {}).unwrap();
            daemon.run(&AtomicBool::new(false)).unwrap();
        }
        (Ok("program"), Some(socket)) => program(&socket),
        _ => {}
    }
}

/// Plays a program: submits launches until the file `enough` is there, and checks that nothing was
/// wrong.
fn program(socket: &Path) {
    let rig = Rig::new(u64::from(std::process::id()));
    let link = Link::start(
        &rig.client,
        LinkConfig { socket: socket.into(), token: None, device: String::new() },
    );
    let stream = rig.client.open().unwrap();
    let mut from = 0;
    while !socket.with_extension("enough").exists() {
        host_from(&rig.client, stream, from, 30);
        from += 30;
    }
    drop(link);
    let card = rig.stop();
    assert_eq!((card.faults, card.count), (Faults::default(), u64::from(from)));
}

struct Scene(tempfile::TempDir);

impl Scene {
    fn socket(&self) -> PathBuf {
        self.0.path().join("socket")
    }

    fn start(&self, part: &str) -> Child {
        Command::new(std::env::current_exe().unwrap())
            .args(["--exact", "dying::part"])
            .env("RADDLE_TEST_PART", part)
            .env("RADDLE_TEST_SOCKET", self.socket())
            .stdout(Stdio::null())
            .spawn()
            .unwrap()
    }

    fn status(&self) -> Option<LiveStatus> {
        Inquiry::connect(&self.socket()).ok()?.status().ok()
    }

    fn joined(&self) -> usize {
        self.status().map_or(0, |status| status.programs.len())
    }

    /// Ends the programs, and checks that none of them found something wrong.
    fn end(&self, programs: Vec<Child>) {
        std::fs::write(self.socket().with_extension("enough"), "").unwrap();
        for mut program in programs {
            let mut ended = None;
            until("it ends", || {
                ended = program.try_wait().unwrap();
                ended.is_some()
            });
            assert!(ended.unwrap().success(), "a program found something wrong");
        }
    }
}

fn kill(mut child: Child) {
    child.kill().unwrap();
    child.wait().unwrap();
}

#[test]
fn programs_go_on_however_often_the_daemon_is_killed() {
    let scene = Scene(tempfile::tempdir().unwrap());
    let mut daemon = scene.start("daemon");
    let programs: Vec<Child> = (0..2).map(|_| scene.start("program")).collect();
    until("both join", || scene.joined() == 2);
    let (mut random, mut slowest) = (Random(1), Duration::ZERO);
    for _ in 0..kills() {
        thread::sleep(Duration::from_millis(random.to(30)));
        kill(daemon);
        thread::sleep(Duration::from_millis(random.to(30)));
        daemon = scene.start("daemon");
        until("it serves", || scene.status().is_some());
        slowest = slowest.max(until("both join again", || scene.joined() == 2));
    }
    println!("the daemon was killed {} times; at most {slowest:?} until all had joined", kills());
    scene.end(programs);
    kill(daemon);
}

#[test]
fn a_program_that_is_killed_is_forgotten_and_the_others_go_on() {
    let scene = Scene(tempfile::tempdir().unwrap());
    let daemon = scene.start("daemon");
    let stays = scene.start("program");
    until("it joins", || scene.joined() == 1);
    let (mut random, mut slowest) = (Random(2), Duration::ZERO);
    for _ in 0..kills() {
        let goes = scene.start("program");
        until("it joins", || scene.joined() == 2);
        thread::sleep(Duration::from_millis(random.to(30)));
        kill(goes);
        let since = Instant::now();
        until("it is forgotten", || scene.joined() == 1);
        slowest = slowest.max(since.elapsed());
    }
    println!("programs were killed {} times; at most {slowest:?} until forgotten", kills());
    within(slowest, Duration::from_millis(500));
    scene.end(vec![stays]);
    kill(daemon);
}

fn signal(child: &Child, signal: rustix::process::Signal) {
    rustix::process::kill_process(rustix::process::Pid::from_child(child), signal).unwrap();
}

/// Process that is killed when this value is dropped, however the test ends.
struct Ends(Child);

impl Drop for Ends {
    fn drop(&mut self) {
        let _ = self.0.kill();
        let _ = self.0.wait();
    }
}

/// Checks that programs go on when the daemon is stopped while one has the turn and the other
/// waits, and that they join again.
#[test]
fn programs_go_on_when_the_daemon_is_stopped_and_join_again() {
    let scene = Scene(tempfile::tempdir().unwrap());
    let daemon = Ends(scene.start("calm daemon"));
    until("it serves", || scene.status().is_some());
    let mut grants = Inquiry::connect(&scene.socket()).unwrap();
    let (token, _) = grants.grant(Level(1)).unwrap();
    let linked = |seed, token| {
        let rig = Rig::new(seed);
        let options = LinkConfig { socket: scene.socket(), token, device: String::new() };
        let link = Link::start(&rig.client, options).unwrap();
        let stream = rig.client.open().unwrap();
        (rig, link, stream)
    };
    let (urgent, _urgent_link, its_stream) = linked(8, Some(token));
    let (batch, _batch_link, stream) = linked(9, None);
    let standing = |level: u8| {
        let status = scene.status().unwrap();
        let found: Vec<_> = status.programs.iter().filter(|it| it.level == Level(level)).collect();
        if let [one] = found[..] { Some(one.standing) } else { None }
    };
    let (mut slowest, mut stops, mut round) = (Duration::ZERO, 0, 0);
    while stops < kills() {
        assert!(
            u64::from(round) < 10 * kills(),
            "it runs without the turn, whatever the daemon says"
        );
        let idle = Some(ProgramStanding::Paused);
        until("both have joined and are idle", || [1, 128].map(standing) == [idle; 2]);
        // The urgent program has the turn for as long as its card does nothing.
        let card = urgent.card.lock().unwrap();
        let last = thread::scope(|scope| {
            let job = scope.spawn(|| capture(&urgent.client, its_stream, round));
            until("it has the turn", || standing(1) == Some(ProgramStanding::Turn));
            let waits = capture(&batch.client, stream, round);
            thread::sleep(Duration::from_millis(20));
            let until = Until::Stream(stream, waits);
            // On a busy machine it may not have heard yet that it is scheduled again: another round.
            if !batch.client.reached(until) {
                signal(&daemon.0, Signal::STOP);
                let since = Instant::now();
                assert!(batch.client.wait_for(until, Duration::from_secs(10)), "it goes on");
                slowest = slowest.max(since.elapsed());
                signal(&daemon.0, Signal::CONT);
                stops += 1;
            }
            drop(card);
            job.join().unwrap()
        });
        let until = Until::Stream(its_stream, last);
        assert!(urgent.client.wait_for(until, Duration::from_secs(10)));
        round += 1;
    }
    println!("the daemon was stopped {} times; at most {slowest:?} until the other ran", kills());
    within(slowest, Duration::from_millis(100));
    for rig in [urgent, batch] {
        let card = rig.stop();
        assert_eq!((card.faults, card.count), (Faults::default(), u64::from(round)));
    }
}

#[test]
fn a_program_that_is_stopped_keeps_nobody_from_going_on() {
    let scene = Scene(tempfile::tempdir().unwrap());
    let daemon = scene.start("daemon");
    let [stopped, stays] = [scene.start("program"), scene.start("program")];
    until("both join", || scene.joined() == 2);
    signal(&stopped, Signal::STOP);
    let pid = stopped.id().cast_signed();
    let of = |pid| {
        let status = scene.status().unwrap();
        status.programs.into_iter().find(|it| it.pid == pid).unwrap()
    };
    let before = of(stays.id().cast_signed()).summary.finished;
    until("it is overdue", || of(pid).overdue > 0);
    until("the other one goes on", || of(stays.id().cast_signed()).summary.finished > before);
    signal(&stopped, Signal::CONT);
    scene.end(vec![stopped, stays]);
    kill(daemon);
}
