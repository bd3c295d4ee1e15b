//! Does every client end as natively, undisturbed and in storms of preemptions?

use std::sync::OnceLock;

use raddle_policy::Preemption;

use crate::clients::HAZARDS;
use crate::run::{device, natively, told_under_layer, under_layer};
use crate::storm::Served;

pub(crate) fn there_is_a_device() -> bool {
    static DEVICE: OnceLock<bool> = OnceLock::new();
    *DEVICE.get_or_init(device)
}

/// Storms: by each way. Where nobody asks for more, only the one that stops part-way, which has the others
/// in it.
fn storms() -> &'static [Option<Preemption>] {
    let all = &[None, Some(Preemption::Reset), Some(Preemption::Wait), Some(Preemption::Flag)];
    if std::env::var_os("RADDLE_TEST_STORMS").is_some() { all } else { &all[..2] }
}

/// Compares a client in these storms with what it answers natively. Their pauses leave room to run and to be
/// stopped.
fn compare(name: &str, storms: &[Option<Preemption>]) {
    if !there_is_a_device() {
        return;
    }
    let native = natively(name);
    assert!(native.is_ok(), "{name} natively: {native:?}");
    for storm in storms {
        let served = storm.map(|way| Served::storm(way, 300, 3000, 7));
        let socket = served.as_ref().map(Served::environment);
        let environment: Vec<_> = socket.iter().map(|(name, it)| (*name, it.as_str())).collect();
        let told = under_layer(name, &environment);
        assert_eq!(told, native, "{name}, storm {storm:?}");
    }
}

macro_rules! hazards {
    ($($test:ident: $name:literal;)*) => {
        $(#[test]
        fn $test() {
            compare($name, storms());
        })*

        #[test]
        fn every_hazard_is_a_test() {
            let named = [$($name),*];
            let known: Vec<&str> = HAZARDS.iter().map(|(name, _)| *name).collect();
            assert_eq!(known, named);
        }
    };
}

hazards! {
    gate: "gate";
    across_queues: "across queues";
    finish_of_one_queue: "finish of one queue";
    window_full_of_gated: "window full of gated";
    nonblocking_behind_gated: "nonblocking behind gated";
    marker_behind_gated: "marker behind gated";
    failing_gate: "failing gate";
    gates_that_are_over: "gates that are over";
    out_of_order: "out of order";
    bad_calls: "bad calls";
    profile: "profile";
    callbacks: "callbacks";
    reflection: "reflection";
    release_early: "release early";
    handles_come_again: "handles come again";
    arguments_at_the_launch: "arguments at the launch";
    null_buffers: "null buffers";
    without_source: "without source";
    copies_in_order: "copies in order";
    images: "images";
    shared_memory: "shared memory";
    chains: "chains";
    exit_while_launches_wait: "exit while launches wait";
    exit_while_launches_run: "exit while launches run";
    fork_while_launches_run: "fork while launches run";
}

/// As on a device that does not see what the host stores: launches are held, and run to their end.
#[test]
fn launches_that_cannot_leave_are_held() {
    if !there_is_a_device() {
        return;
    }
    for name in ["gate", "across queues", "failing gate", "bad calls", "copies in order", "chains"]
    {
        let native = natively(name);
        let storm = Served::storm(Preemption::Wait, 300, 3000, 7);
        let (socket, place) = storm.environment();
        let told = told_under_layer(name, &[(socket, &place), ("RADDLE_OPENCL_NO_FLAG", "1")]);
        let told = told.unwrap_or_else(|how| panic!("{name}: {how}"));
        assert_eq!(Ok(&told.answer), native.as_ref(), "{name}");
        let counts = ["launches", "opaque-no-flag"].map(|count| told.count(count));
        assert!(counts[0] > 0 && counts[0] == counts[1] && told.count("left") == 0, "{counts:?}");
    }
}

/// Natively PoCL 3.1 takes all of these; the codes are those that the interface names.
#[test]
fn wait_lists_of_launches_are_checked() {
    if !there_is_a_device() {
        return;
    }
    let told = under_layer("wait lists", &[]).expect("it ends");
    // An entry that is no event is left to the runtime, as a wrong list or a wrong event.
    let known = ["[-57, -34, -57, -57, 0]", "[-58, -34, -57, -57, 0]"];
    assert!(known.iter().any(|codes| told.starts_with(codes)), "{told}");
}

/// As the interface says. NVIDIA's runtime answers with a time of 0.
#[test]
fn a_profile_is_not_available_early() {
    if !there_is_a_device() {
        return;
    }
    assert_eq!(under_layer("early profile", &[]).as_deref(), Ok("-7"));
}
