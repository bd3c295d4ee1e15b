//! Is a launch that is cut into ranges of workgroups the same launch, and how fast does it leave?

use std::time::Duration;

use raddle_dispatch::Recipe;
use raddle_live::{DaemonConfig, Storm, env};
use raddle_policy::Preemption;

use crate::figures::preemptions;
use crate::run::{device, drivers, natively, told_under_layer};
use crate::storm::Served;

/// A recipe under which a preemption takes this many microseconds at most, and a storm of preemptions by
/// this way.
fn served(bound_us: u32, way: Preemption, (from, to): (u64, u64)) -> Served {
    let text = format!(
        "raddle = 1\n[turn]\npolicy = 'highest-level'\n[preempt]\npolicy = 'cheapest'\nbound-us = {bound_us}\n\
         [preempt.costs]\nreset-ns = 1000\nbytes-per-us = 0\nvgpr-bytes = 0\nsgpr-bytes = 0\nlds-bytes = 0\n"
    );
    let recipe = Recipe::parse("ranges", &text).expect("a recipe");
    let us = Duration::from_micros;
    let storm = Some(Storm::new(us(from), us(to), 7).by(way));
    Served::of(DaemonConfig { storm, ..DaemonConfig::new(recipe) }, None)
}

/// Clients whose launches are long enough to be cut, the first two above all, and those that look closely
/// at what launches do. Where nobody asks for more, the first six.
const CLIENTS: [&str; 14] = [
    "chains",
    "places",
    "failing gate",
    "profile",
    "callbacks",
    "arguments at the launch",
    "other bodies",
    "gate",
    "across queues",
    "window full of gated",
    "bad calls",
    "shared memory",
    "exit while launches run",
    "read when all ends",
];

#[test]
fn launches_that_are_cut_end_as_whole_ones() {
    if !device() {
        return;
    }
    let all = std::env::var_os("RADDLE_TEST_STORMS").is_some();
    for driver in drivers().iter().filter(|driver| all || driver.is_of_system()) {
        let (mut cut, mut left, mut killed) = (0, 0, 0);
        for name in CLIENTS.into_iter().take(if all { CLIENTS.len() } else { 6 }) {
            let expected = crate::hazards::expected(driver, name);
            for way in [Preemption::Flag, Preemption::Reset] {
                let served = served(100, way, (300, 3000));
                let (socket, place) = served.environment();
                let told = driver.under_layer(name, &[(socket, &place)]);
                let told = told.unwrap_or_else(|how| panic!("{name}, {way:?}: {how}"));
                assert_eq!(told.answer, expected, "{name} by {}, {way:?}", driver.name);
                assert!(told.count("cut") > 5 || !CLIENTS[..2].contains(&name), "{name}: {told:?}");
                cut += told.count("cut");
                left += told.count("left");
                killed += told.count("killed");
            }
        }
        println!(
            "{}: {cut} launches were cut; {left} ranges left, {killed} were stopped",
            driver.name
        );
        assert!(cut > 100 && left > 0 && killed > 0, "{cut} {left} {killed}");
    }
}

/// As on a device that does not see what the host stores: a range is waited for, and nobody tells a kernel
/// where it is.
#[test]
fn launches_that_cannot_leave_are_cut() {
    if !device() {
        return;
    }
    let served = served(100, Preemption::Wait, (300, 3000));
    let (socket, place) = served.environment();
    for (name, is_cut) in [("chains", true), ("places", false)] {
        let told = told_under_layer(name, &[(socket, &place), ("RADDLE_OPENCL_NO_FLAG", "1")]);
        let told = told.unwrap_or_else(|how| panic!("{name}: {how}"));
        assert_eq!(Ok(&told.answer), natively(name).as_ref(), "{name}");
        assert_eq!((told.count("cut") > 5, told.count("left")), (is_cut, 0), "{name}: {told:?}");
    }
}

/// A launch that may not be run again is waited for; cut into ranges it is off the device after one.
#[test]
fn a_preemption_takes_one_range_without_a_verdict() {
    if !device() {
        return;
    }
    let middle = |bound_us: u32| {
        let served = served(bound_us, Preemption::Flag, (15_000, 30_000));
        let (socket, place) = served.environment();
        let log = served.folder().join("log");
        let log_path = log.to_str().expect("its path is text");
        let told = told_under_layer("long in place", &[(socket, &place), (env::LOG, log_path)]);
        let told = told.expect("it ends");
        assert_eq!(Ok(told.answer), natively("long in place"));
        let all = preemptions(&std::fs::read_to_string(&log).expect("a log"));
        assert!(all.len() > 3, "{all:?}");
        all[all.len() / 2]
    };
    // A bound of a second cuts nothing.
    let (whole, cut) = (middle(1_000_000), middle(500));
    println!("{{\"preemption-p50-us\": {{\"whole\": {}, \"cut\": {}}}}}", whole / 1000, cut / 1000);
    assert!(cut * 3 < whole, "whole {whole} ns, cut {cut} ns");
}
