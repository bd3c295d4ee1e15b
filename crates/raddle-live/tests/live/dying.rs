//! Does everybody go on when the daemon or a program is killed at any moment?
//!
//! Daemon and programs are processes: this test's own binary, told its part by the environment.

use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::sync::atomic::AtomicBool;
use std::thread;
use std::time::{Duration, Instant};

use raddle_live::{Daemon, DaemonOptions, Inquiry, Link, LinkOptions, LiveStatus, Storm};

use crate::daemon::{options, until};
use crate::fake::{Faults, Random};
use crate::rig::{Rig, host_from};

/// How often somebody is killed: a hundred times in the soak.
fn kills() -> u64 {
    std::env::var("RADDLE_KILLS").map_or(5, |count| count.parse().unwrap())
}

/// What a process of this binary does where it is told its part; nothing where it is not.
#[test]
fn part() {
    let socket = std::env::var_os("RADDLE_TEST_SOCKET").map(PathBuf::from);
    match (std::env::var("RADDLE_TEST_PART").as_deref(), socket) {
        (Ok("daemon"), Some(socket)) => {
            let ms = Duration::from_millis;
            let storm = Some(Storm::new(ms(1), ms(5), 3));
            let options = DaemonOptions { storm, ..options() };
            let mut daemon = Daemon::bind(&socket, options, None, |_| {}).unwrap();
            daemon.run(&AtomicBool::new(false)).unwrap();
        }
        (Ok("program"), Some(socket)) => program(&socket),
        _ => {}
    }
}

/// Launches until nobody wants more of it, and says whether anything was wrong.
fn program(socket: &Path) {
    let rig = Rig::new(u64::from(std::process::id()));
    let link = Link::start(&rig.client, LinkOptions { socket: socket.into(), token: None });
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

    /// The programs end, and nothing was wrong.
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
    assert!(slowest < Duration::from_millis(500), "{slowest:?}");
    scene.end(vec![stays]);
    kill(daemon);
}

#[test]
fn a_program_that_is_stopped_keeps_nobody_from_going_on() {
    let scene = Scene(tempfile::tempdir().unwrap());
    let daemon = scene.start("daemon");
    let [stopped, stays] = [scene.start("program"), scene.start("program")];
    until("both join", || scene.joined() == 2);
    let signal = |signal| {
        let pid = rustix::process::Pid::from_child(&stopped);
        rustix::process::kill_process(pid, signal).unwrap();
    };
    signal(rustix::process::Signal::STOP);
    let pid = stopped.id().cast_signed();
    let of = |pid| {
        let status = scene.status().unwrap();
        status.programs.into_iter().find(|it| it.pid == pid).unwrap()
    };
    let before = of(stays.id().cast_signed()).summary.finished;
    until("it is overdue", || of(pid).overdue > 0);
    until("the other one goes on", || of(stays.id().cast_signed()).summary.finished > before);
    signal(rustix::process::Signal::CONT);
    scene.end(vec![stopped, stays]);
    kill(daemon);
}
