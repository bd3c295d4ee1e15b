//! What does the layer cost, and how fast does a program leave? Only where `RADDLE_MEASURE` is set, on an idle
//! machine and with an optimised layer (`RADDLE_TEST_LAYER`), are the figures worth something.

use raddle_policy::Preemption;

use crate::hazards::there_is_a_device;
use crate::run::{natively, under_layer};
use crate::storm::Served;

fn wanted() -> bool {
    std::env::var_os("RADDLE_MEASURE").is_some() && there_is_a_device()
}

fn numbers(told: Result<String, String>) -> Vec<u64> {
    let told = told.expect("it ends");
    told.split(' ').map(|word| word.parse().expect("a number")).collect()
}

/// Queues, kernels and events that come and go leave nothing behind.
#[test]
fn memory_stays_flat() {
    if !there_is_a_device() {
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

/// Nanoseconds of each preemption of a client's log, sorted.
fn preemptions(log: &str) -> Vec<u64> {
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
