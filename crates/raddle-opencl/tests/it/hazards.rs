//! Does every client end as natively, undisturbed and in storms of preemptions?

use raddle_policy::Preemption;

use crate::clients::HAZARDS;
use crate::run::{Driver, device, drivers, natively, told_under_layer, under_layer};
use crate::storm::Served;

/// Names of the clients that are tried with every runtime, even where `RADDLE_TEST_STORMS` is not
/// set.
const EVERYWHERE: [&str; 13] = [
    "gate",
    "failing gate",
    "bad calls",
    "profile",
    "callbacks",
    "shared memory",
    "program variables",
    "chains",
    "places",
    "exit while launches wait",
    "exit while launches run",
    "exit with all in hand",
    "read when all ends",
];

/// Returns the storms (random preemptions by one method each) for a runtime; `None` is a run
/// without preemptions. Where `RADDLE_TEST_STORMS` is not set, only the method that stops launches
/// part-way is used, and only the system's runtime also runs without preemptions.
fn storms(driver: &Driver) -> &'static [Option<Preemption>] {
    let all = &[None, Some(Preemption::Reset), Some(Preemption::Wait), Some(Preemption::Flag)];
    match std::env::var_os("RADDLE_TEST_STORMS") {
        Some(_) => all,
        None if driver.is_of_system() => &all[..2],
        None => &all[1..2],
    }
}

/// Returns the answer that a client has to give: that without the layer. Only Intel's runtime runs
/// commands that wait for a failed event; there it is the answer that the specification asks for.
pub(crate) fn expected(driver: &Driver, name: &str) -> String {
    let native = driver.natively(name);
    let native = native.unwrap_or_else(|how| panic!("{name} by {} natively: {how}", driver.name));
    if driver.is_intel() && name == "failing gate" {
        return native
            .replace("(-14, -14, 0) (false, false, false)", "(-14, -14, -14) (true, true, true)")
            .replace("false", "true");
    }
    native
}

/// Compares the answers of a client in storms (random preemptions) with those without the layer.
/// The pauses between preemptions leave time to run.
fn compare(name: &str) {
    let every = EVERYWHERE.contains(&name) || std::env::var_os("RADDLE_TEST_STORMS").is_some();
    // PoCL 3.1 gives each kernel variables of its own, and not for the whole run.
    let shares = |driver: &&Driver| name != "program variables" || driver.is_intel();
    let wanted = |driver: &&Driver| every || driver.is_of_system();
    for driver in drivers().iter().filter(wanted).filter(shares) {
        let expected = expected(driver, name);
        for storm in storms(driver) {
            let served = storm.map(|way| Served::storm(way, 300, 3000, 7));
            let socket = served.as_ref().map(Served::environment);
            let environment: Vec<_> =
                socket.iter().map(|(name, it)| (*name, it.as_str())).collect();
            let told = driver.under_layer(name, &environment).map(|told| told.answer);
            let how = format!("{name} by {}, storm {storm:?}", driver.name);
            assert_eq!(told.as_ref(), Ok(&expected), "{how}");
        }
    }
}

macro_rules! hazards {
    ($($test:ident: $name:literal;)*) => {
        $(#[test]
        fn $test() {
            compare($name);
        })*

        #[test]
        fn every_hazard_is_a_test() {
            let named = [$($name),*];
            let known: Vec<&str> = HAZARDS.iter().map(|(name, _)| *name).collect();
            assert_eq!(known, named);
            assert!(EVERYWHERE.iter().all(|name| known.contains(name)));
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
    places: "places";
    program_variables: "program variables";
    other_bodies: "other bodies";
    zero_factors: "zero factors";
    parts_of_one: "parts of one";
    of_spirv: "of spirv";
    exit_while_launches_wait: "exit while launches wait";
    exit_while_launches_run: "exit while launches run";
    exit_with_all_in_hand: "exit with all in hand";
    read_when_all_ends: "read when all ends";
    fork_while_launches_run: "fork while launches run";
}

/// Checks that launches on a device that does not see the stores of the host wait for the turn, and
/// then run to their end.
#[test]
fn launches_that_cannot_leave_are_held() {
    if !device() {
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

/// Checks the codes for wrong wait lists of launches: those of the specification, though PoCL 3.1
/// without the layer accepts the lists.
#[test]
fn wait_lists_of_launches_are_checked() {
    if !device() {
        return;
    }
    let told = under_layer("wait lists", &[]).expect("it ends");
    // An entry that is no event is left to the runtime, as a wrong list or a wrong event.
    let known = ["[-57, -34, -57, -57, 0]", "[-58, -34, -57, -57, 0]"];
    assert!(known.iter().any(|codes| told.starts_with(codes)), "{told}");
}

/// Checks that the profile of a launch that has not begun is refused, as the specification says;
/// NVIDIA's runtime answers with a time of 0.
#[test]
fn a_profile_is_not_available_early() {
    if !device() {
        return;
    }
    assert_eq!(under_layer("early profile", &[]).as_deref(), Ok("-7"));
}
