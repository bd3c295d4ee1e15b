//! What does the layer cost, and how fast does a program leave? Only where `RADDLE_MEASURE` is set, on an idle
//! machine and with an optimised layer (`RADDLE_TEST_LAYER`), are the figures worth something.

use std::path::Path;

use raddle_live::Inquiry;
use raddle_policy::{Level, Preemption};

use crate::run::{device, natively, under_layer};
use crate::storm::Served;

fn wanted() -> bool {
    std::env::var_os("RADDLE_MEASURE").is_some() && device()
}

fn numbers(told: Result<String, String>) -> Vec<u64> {
    let told = told.expect("it ends");
    told.split(' ').map(|word| word.parse().expect("a number")).collect()
}

/// Checks that queues, kernels and events that come and go leave no memory behind.
#[test]
fn memory_stays_flat() {
    if !device() {
        return;
    }
    let (native, told) = (natively("many objects"), under_layer("many objects", &[]));
    let (native, told) = (numbers(native)[0], numbers(told)[0]);
    println!("many objects: natively {native} KiB more, under the layer {told} KiB");
    assert!(told <= native + 1024, "{told} KiB, natively {native}");
}

#[test]
fn cost_of_a_launch() {
    if !wanted() {
        return;
    }
    let native = numbers(natively("empty"));
    let rounds = native[3].to_string();
    let told = numbers(under_layer("empty", &[("RADDLE_TEST_ROUNDS", &rounds)]));
    println!(
        "{{\"enqueue-ns\": [{}, {}], \"end-to-end-ns\": [{}, {}], \"two-ms-us\": [{}, {}]}}",
        native[0], told[0], native[1], told[1], native[2], told[2]
    );
}

/// Measures what the check of a launch's arguments adds, by turns in one run.
#[test]
fn cost_of_conditions() {
    if !wanted() {
        return;
    }
    let (native, told) = (natively("conditions"), under_layer("conditions", &[]));
    let (native, told) = (numbers(native), numbers(told));
    println!("{{\"always-pair-zero-parts-ns\": [{native:?}, {told:?}]}}");
}

/// Returns how long each preemption in a client's log took, in ns, sorted.
pub(crate) fn preemptions(log: &str) -> Vec<u64> {
    let (mut all, mut since) = (Vec::new(), None);
    for line in log.lines() {
        let at = line.strip_prefix("{\"t\":").and_then(|rest| rest.split(',').next()?.parse().ok());
        let Some(at): Option<u64> = at else { continue };
        if line.contains("\"event\":\"preempt\"") {
            since = since.or(Some(at));
        } else if line.contains("\"answer\":\"drained\"") {
            all.extend(since.take().map(|since| at - since));
        }
    }
    all.sort_unstable();
    all
}

/// Measures an urgent program beside a busy one and alone, by turns, as the machine is not equally
/// fast at all times.
#[test]
fn urgent_beside_busy() {
    if !wanted() {
        return;
    }
    let rounds = numbers(natively("busy"))[1].to_string();
    let served = Served::new(None);
    let (socket, place) = served.environment();
    let mut daemon = Inquiry::connect(Path::new(&place)).expect("it serves");
    let (token, _) = daemon.grant(Level(1)).expect("it is there");
    let length = ("RADDLE_TEST_ROUNDS", rounds.as_str());
    let urgent = || {
        let level = (raddle_live::env::TOKEN, token.as_str());
        numbers(under_layer("requests", &[(socket, &place), level, length]))
    };
    let (mut alone, mut beside, mut preempted) = ([0; 3], [0; 3], Vec::new());
    for turn in 0..3 {
        alone[turn] = urgent()[1];
        let log = served.folder().join(format!("log-{turn}"));
        let log_path = log.to_str().expect("its path is text");
        beside[turn] = std::thread::scope(|scope| {
            let log = (raddle_live::env::LOG, log_path);
            let all = [(socket, place.as_str()), log, length, ("RADDLE_TEST_SECONDS", "12")];
            let busy = scope.spawn(move || under_layer("busy", &all));
            let told = urgent()[1];
            busy.join().expect("it does not panic").expect("it ends");
            told
        });
        preempted.extend(preemptions(&std::fs::read_to_string(&log).expect("a log")));
    }
    [&mut alone, &mut beside].into_iter().for_each(|all| all.sort_unstable());
    preempted.sort_unstable();
    let one = preempted.get(preempted.len() * 99 / 100).map_or(0, |ns| ns / 1000);
    println!(
        "{{\"urgent-p99-us\": {{\"alone\": {alone:?}, \"beside-busy\": {beside:?}}}, \"preemptions\": {}, \"preemption-p99-us\": {one}}}",
        preempted.len()
    );
    assert!(preempted.len() > 20, "it is preempted for requests");
    assert!(beside[1] * 2 <= alone[1] * 3 + one * 2, "1.5 times alone, and a preemption");
}

#[test]
fn latency_by_way() {
    if !wanted() {
        return;
    }
    let alone = numbers(natively("busy"));
    let rounds = alone[1].to_string();
    for way in [Preemption::Wait, Preemption::Flag, Preemption::Reset] {
        let storm = Served::storm(way, 10_000, 60_000, 3);
        let log = storm.folder().join("log");
        let (name, socket) = storm.environment();
        let environment = [
            (name, socket.as_str()),
            (raddle_live::env::LOG, log.to_str().expect("its path is text")),
            ("RADDLE_TEST_ROUNDS", rounds.as_str()),
            ("RADDLE_TEST_SECONDS", "12"),
        ];
        under_layer("busy", &environment).expect("it ends");
        let all = preemptions(&std::fs::read_to_string(&log).expect("a log"));
        let way = way.name();
        let at = |part: usize| all.get(all.len() * part / 100).map_or(0, |ns| ns / 1000);
        println!(
            "{{\"way\": \"{way}\", \"launch-us\": {}, \"preemptions\": {}, \"p50-us\": {}, \"p90-us\": {}, \"p99-us\": {}}}",
            alone[0],
            all.len(),
            at(50),
            at(90),
            at(99)
        );
    }
}
