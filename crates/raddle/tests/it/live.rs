//! What do the verbs of live programs say, without an OpenCL device?
#![cfg(all(target_os = "linux", feature = "live"))]
#![allow(
    clippy::unwrap_used,
    clippy::disallowed_methods,
    reason = "test code, and a daemon needs a moment"
)]

use std::io::{BufRead, BufReader};
use std::process::{Child, Command, Stdio};
use std::time::Duration;

use crate::common::{Place, Ran};

/// Daemon that a test runs, with its socket in a folder of the test's own.
struct Served {
    place: Place,
    daemon: Child,
}

impl Served {
    fn new(more: &[&str]) -> Self {
        let place = Place::new();
        let mut daemon = Command::new(env!("CARGO_BIN_EXE_raddle"))
            .args(["live", "serve", "--socket", "socket", "--log", "daemon.jsonl"])
            .args(more)
            .current_dir(place.path())
            .stderr(Stdio::piped())
            .spawn()
            .unwrap();
        let mut said = String::new();
        BufReader::new(daemon.stderr.take().unwrap()).read_line(&mut said).unwrap();
        assert!(said.contains("highest-level and reset at socket"), "{said}");
        Self { place, daemon }
    }

    fn live(&self, args: &[&str]) -> Ran {
        let (verb, rest) = args.split_first().unwrap();
        let args: Vec<&str> =
            ["live", verb, "--socket", "socket"].iter().chain(rest).copied().collect();
        self.place.raddle(&args)
    }

    fn stop(mut self) -> Place {
        let pid = self.daemon.id().to_string();
        assert!(Command::new("kill").args(["-TERM", &pid]).status().unwrap().success());
        assert_eq!(self.daemon.wait().unwrap().code(), Some(0));
        self.place
    }
}

/// Checks that a daemon which closes the connection is asked once more, and that the cause is
/// printed.
#[test]
fn a_connection_that_is_closed_is_tried_again() {
    let place = Place::new();
    std::fs::write(place.path().join("layer.so"), "").unwrap();
    let listener = std::os::unix::net::UnixListener::bind(place.path().join("socket")).unwrap();
    let (closed, closes) = std::sync::mpsc::channel();
    std::thread::spawn(move || while listener.accept().is_ok_and(|_| closed.send(()).is_ok()) {});
    let program = ["--socket", "socket", "--level", "3", "--", "sh", "-c", LOADS];
    let run = [&["live", "run", "--layer", "layer.so"], &program[..]].concat();
    let ran = place.raddle(&run);
    assert!(
        ran.code == 0 && ran.err.contains("the daemon has closed the connection"),
        "{}",
        ran.err
    );
    let told = place.raddle(&["live", "status", "--socket", "socket"]);
    assert!(told.err.contains("it has as many as it takes"), "{}", told.err);
    assert_eq!(closes.try_iter().count(), 3);
}

/// Checks that a log that cannot be written is an error, and that one that breaks off does not
/// count as equal.
#[test]
fn a_log_that_is_lost_is_said() {
    let place = Place::new();
    std::fs::write(place.path().join("layer.so"), "").unwrap();
    let run = |log: &str, script: &str| {
        let program = ["--layer", "layer.so", "--socket", "socket", "--log", log, "--", "sh", "-c"];
        place.raddle(&[&["live", "run"], &program[..], &[script]].concat())
    };
    let ran = run("nowhere/log", LOADS);
    assert_eq!(ran.code, 1, "{}", ran.err);
    let lost = format!("{LOADS} echo 'log file: disk full' >> \"$RADDLE_LIVE_LOADED\"");
    let ran = run("log", &lost);
    assert!(
        ran.code == 1 && ran.err.contains("its log is not whole: file: disk full"),
        "{}",
        ran.err
    );
    assert_eq!(run("log", &format!("{lost}; exit 7")).code, 7);
    let place = Served::new(&[]).stop();
    let whole = std::fs::read_to_string(place.path().join("daemon.jsonl")).unwrap();
    let cut = whole.lines().next().unwrap().to_owned() + "\n";
    std::fs::write(place.path().join("cut.jsonl"), cut).unwrap();
    let told = place.raddle(&["live", "log", "cut.jsonl"]);
    assert!(!told.out.contains("agree") && told.out.contains("it breaks off"), "{}", told.out);
}

/// Shell commands by which a program pretends to have loaded the layer.
const LOADS: &str = "echo $$ >> \"$RADDLE_LIVE_LOADED\"; ";

#[test]
fn a_daemon_says_how_it_stands_and_its_log_replays() {
    let served = Served::new(&["--most-urgent", "5"]);
    let text = served.live(&["status"]);
    assert_eq!(text.code, 0, "{}", text.err);
    assert!(text.out.contains("highest-level and reset"), "{}", text.out);
    let status = served.live(&["status", "--format", "json"]);
    let status: serde_json::Value = serde_json::from_str(&status.out).unwrap();
    assert_eq!((&status["most-urgent"], &status["programs"]), (&5.into(), &serde_json::json!([])));
    let mut watch = Command::new(env!("CARGO_BIN_EXE_raddle"))
        .args(["live", "status", "--watch=10ms", "--format=json", "--socket"])
        .arg(served.place.path().join("socket"))
        .stdout(Stdio::piped())
        .stderr(Stdio::null())
        .spawn()
        .unwrap();
    let mut prints = BufReader::new(watch.stdout.take().unwrap()).lines().map_while(Result::ok);
    assert_eq!(prints.by_ref().filter(|line| line.contains("\"uptime-ms\"")).take(3).count(), 3);
    let nobody = served.live(&["preempt", "1"]);
    assert_eq!(nobody.code, 1);
    assert!(nobody.err.contains("process 1 has not joined"), "{}", nobody.err);
    let second = served.live(&["serve"]);
    assert_eq!(second.code, 1);
    assert!(second.err.contains("serves it already"), "{}", second.err);
    let place = served.stop();
    // A watch ends with the daemon.
    prints.for_each(drop);
    assert_eq!(watch.wait().unwrap().code(), Some(1));
    assert!(!place.path().join("socket").exists(), "it takes its socket along");
    for args in [["log", "daemon.jsonl", "--replay"], ["live", "log", "daemon.jsonl"]] {
        let replayed = place.raddle(&args);
        assert_eq!(replayed.code, 0, "{}", replayed.err);
        assert!(replayed.out.contains("agree byte for byte\n"), "{}", replayed.out);
    }
    let replayed = place.raddle(&["live", "log", "daemon.jsonl", "--format", "json"]);
    assert!(replayed.out.contains("\"agree\": true"), "{}", replayed.out);
    let absent = place.raddle(&["live", "status", "--socket", "socket"]);
    assert_eq!(absent.code, 1);
    assert!(absent.err.contains("start `raddle live serve`"), "{}", absent.err);
}

#[test]
fn another_recipe_decides_and_hints_are_read() {
    let served = Served::new(&[]);
    let turns = "raddle = 1\n[turn]\npolicy = 'round-robin'\nslice-us = 500\n";
    served.place.file("turns.toml", turns);
    let set = served.live(&["set", "turns.toml"]);
    assert_eq!((set.code, set.out.as_str()), (0, "round-robin and never decide for 0 programs\n"));
    let status = served.live(&["status"]);
    assert!(status.out.contains("round-robin and never"), "{}", status.out);
    let set = served.live(&["set", "turns.toml", "--format", "json"]);
    assert!(set.out.contains("\"turn\": \"round-robin\""), "{}", set.out);
    served.place.file("places.toml", "raddle = 1\n[allocate]\npolicy = 'matching'\n");
    let refused = served.live(&["set", "places.toml"]);
    assert_eq!(refused.code, 1);
    assert!(refused.err.contains("its allocate policy `matching`"), "{}", refused.err);
    let nobody = served.live(&["hint", "1", "deadline:20ms", "share:2", "level:3"]);
    assert_eq!(nobody.code, 1);
    assert!(nobody.err.contains("process 1 has not joined"), "{}", nobody.err);
    let slice = served.live(&["hint", "1", "slice:4ms"]);
    assert_eq!(slice.code, 2);
    assert!(slice.err.contains("slices are settings of a recipe"), "{}", slice.err);
    let place = served.stop();
    let replayed = place.raddle(&["live", "log", "daemon.jsonl"]);
    assert!(replayed.out.contains("agree byte for byte\n"), "{}", replayed.out);
}

#[test]
fn a_program_runs_with_its_layer_and_its_exit_code() {
    let served = Served::new(&["--most-urgent", "5"]);
    served.place.file("layer.so", "no layer");
    let run = |more: &[&str], script: &str| {
        let args = [&["run", "--layer", "layer.so"], more, &["--", "sh", "-c", script]].concat();
        served.live(&args)
    };
    served.place.file("cuda.so", "no library");
    let says = "cd \"${LD_LIBRARY_PATH%%:*}\"; cat libcuda.so.1 libcuda.so; \
                echo \" $OPENCL_LAYERS $RADDLE_LIVE_SOCKET\"; exit 7";
    let ran = run(&["--level", "9", "--cuda", "cuda.so"], &format!("{LOADS}{says}"));
    assert_eq!((ran.code, ran.err.as_str()), (7, ""));
    let folder = served.place.path().canonicalize().unwrap();
    let (layer, socket) = (folder.join("layer.so"), folder.join("socket"));
    let twice = "no libraryno library";
    assert_eq!(ran.out, format!("{twice} {} {}\n", layer.display(), socket.display()));
    let ran = run(&["--level", "1"], LOADS);
    assert_eq!((ran.code, ran.out.as_str()), (0, ""));
    assert!(ran.err.contains("level 1 was asked for, the daemon grants 5"), "{}", ran.err);
    let ran = run(&[], "echo it ran");
    assert_eq!((ran.code, ran.out.as_str()), (2, "it ran\n"));
    assert!(ran.err.contains("was never loaded, so nothing was scheduled"), "{}", ran.err);
    let killed = run(&[], &format!("{LOADS}kill -9 $$"));
    assert_eq!(killed.code, 128 + 9);
    let place = served.stop();
    place.file("layer.so", "no layer");
    let run = |more: &[&str]| {
        let head = ["live", "run", "--socket", "socket", "--layer", "layer.so"];
        let tail = ["--", "sh", "-c", "echo $$ >> \"$RADDLE_LIVE_LOADED\"; echo it ran"];
        place.raddle(&[&head[..], more, &tail[..]].concat())
    };
    let ran = run(&[]);
    assert_eq!((ran.code, ran.out.as_str()), (0, "it ran\n"));
    assert!(ran.err.starts_with("warning: ") && ran.err.contains("unscheduled"), "{}", ran.err);
    assert_eq!(ran.err.lines().count(), 1);
    let ran = run(&["--require"]);
    assert_eq!((ran.code, ran.out.as_str()), (2, ""));
    assert!(ran.err.contains("was not started (--require)"), "{}", ran.err);
    let args = ["live", "run", "--layer", "nothing.so", "--", "echo", "it ran"];
    let ran = place.raddle(&args);
    assert_eq!((ran.code, ran.out.as_str()), (2, ""));
    assert!(ran.err.contains("there is no OpenCL layer at nothing.so"), "{}", ran.err);
    let args = ["live", "run", "--cuda", "nothing.so", "--", "echo", "it ran"];
    let ran = place.raddle(&args);
    assert!(ran.code == 2 && ran.err.contains("no CUDA library at nothing.so"), "{}", ran.err);
}

#[test]
fn a_daemon_that_is_killed_leaves_its_place_to_the_next() {
    let mut served = Served::new(&[]);
    served.daemon.kill().unwrap();
    served.daemon.wait().unwrap();
    assert!(served.place.path().join("socket").exists());
    let place = served.place;
    let mut next = Command::new(env!("CARGO_BIN_EXE_raddle"))
        .args(["live", "serve", "--socket", "socket"])
        .current_dir(place.path())
        .stderr(Stdio::null())
        .spawn()
        .unwrap();
    let served = (0..200).any(|_| {
        std::thread::sleep(Duration::from_millis(20));
        place.raddle(&["live", "status", "--socket", "socket"]).code == 0
    });
    next.kill().unwrap();
    next.wait().unwrap();
    assert!(served);
}
