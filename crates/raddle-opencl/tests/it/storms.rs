//! Is a chain of launches that may not be run again right in a storm, and does the storm do anything?

use std::fs::{File, Permissions};
use std::io::BufReader;
use std::os::unix::fs::PermissionsExt;
use std::path::Path;

use raddle_live::{Inquiry, env};
use raddle_policy::Preemption;

use crate::clients::SOURCE;
use crate::run::{Driver, device, drivers, natively, told_under_layer, under_layer};
use crate::storm::Served;

/// Starts a daemon that preempts programs at random by the method `way`; the seed decides the
/// times.
fn storm(way: Preemption, seed: u32) -> Served {
    Served::storm(way, 300, 2500, seed.into())
}

/// Returns how many storms (daemons that preempt at random) a test tries with a runtime: 3, or as
/// many as `RADDLE_TEST_STORMS` says; a tenth of them with runtimes other than the system's.
fn storms(driver: &Driver) -> u32 {
    let more = std::env::var("RADDLE_TEST_STORMS").ok();
    let storms = more.and_then(|text| text.parse().ok()).unwrap_or(3);
    if driver.is_of_system() { storms } else { storms.div_ceil(10) }
}

/// Name of the count of launches on a device that does not see the stores of the host.
const NO_FLAG: &str = "opaque-no-flag";

#[test]
fn chains_are_right_in_storms() {
    if !device() {
        return;
    }
    drivers().iter().for_each(chains_are_right);
}

fn chains_are_right(driver: &Driver) {
    let native = driver.natively("chains").expect("it ends");
    let (mut left, mut killed, mut blind) = (0, 0, 0);
    let storms = storms(driver);
    for seed in 0..storms {
        for way in [Preemption::Flag, Preemption::Reset] {
            let storm = storm(way, seed);
            let (name, socket) = storm.environment();
            let told = driver.under_layer("chains", &[(name, &socket)]);
            let how = format!("{}, {way:?}, seed {seed}", driver.name);
            let told = told.unwrap_or_else(|end| panic!("{how}: {end}"));
            assert_eq!(told.answer, native, "{how}");
            left += told.count("left");
            killed += told.count("killed");
            blind += told.count(NO_FLAG);
        }
    }
    println!(
        "{} storms by {}: {left} launches left, {killed} were stopped part-way",
        2 * storms,
        driver.name
    );
    if blind > 0 {
        println!("the device sees no flag: {blind} launches could only be waited for");
        return;
    }
    assert!(left > 0, "launches left");
    assert!(killed > 0, "launches were stopped part-way");
}

/// The compiler of the device says which branches it takes, so that kernels are judged as it builds them: in
/// place, or not. Only where a macro stands in code nobody knows what it says.
#[test]
fn the_compiler_of_the_device_is_asked_for_macros() {
    if !device() {
        return;
    }
    for driver in drivers() {
        for (name, is_judged, is_killed) in [
            ("asked macros", true, true),
            // Only Intel's compiler takes the body that overwrites what it does not read.
            ("other bodies", true, driver.is_intel()),
            ("bodies of the device", true, true),
            ("macro in code", false, false),
        ] {
            let served = storm(Preemption::Reset, 1);
            let (socket, place) = served.environment();
            let told = driver.under_layer(name, &[(socket, &place)]);
            let told = told.unwrap_or_else(|how| panic!("{name} by {}: {how}", driver.name));
            assert_eq!(Ok(&told.answer), driver.natively(name).as_ref(), "{name}");
            let [unjudged, killed] = ["unjudged-macro", "killed"].map(|it| told.count(it) > 0);
            assert_eq!(
                (unjudged, killed),
                (!is_judged, is_killed),
                "{name} by {}: {told:?}",
                driver.name
            );
        }
    }
}

/// Launches of programs in SPIR-V leave and are killed, where the runtime takes SPIR-V.
#[test]
fn launches_of_spirv_leave_and_are_killed() {
    if !device() {
        return;
    }
    for driver in drivers() {
        let native = driver.natively("of spirv").expect("it ends");
        let (mut left, mut killed) = (0, 0);
        for seed in 1..4 {
            let served = storm(Preemption::Reset, seed);
            let (socket, place) = served.environment();
            let told = driver.under_layer("of spirv", &[(socket, &place)]);
            let told = told.unwrap_or_else(|how| panic!("by {}: {how}", driver.name));
            assert_eq!(told.answer, native, "{}: {told:?}", driver.name);
            left += told.count("left");
            killed += told.count("killed");
        }
        println!("{}: {left} launches left, {killed} were stopped part-way", driver.name);
        assert_eq!(
            (left > 0, killed > 0),
            [(false, false), (true, true)][usize::from(driver.is_intel())]
        );
    }
}

/// Launches with a factor of zero, and those whose numbers keep two parts of a buffer apart, are stopped
/// part-way; the others, which work in place, are not.
#[test]
fn launches_are_killed_as_their_numbers_allow() {
    if !device() {
        return;
    }
    for driver in drivers() {
        for client in ["zero factors", "parts of one"] {
            let native = driver.natively(client).expect("it ends");
            let mut killed = 0;
            // A storm may stop none of the few launches; one that does is enough.
            for seed in 1..5 {
                let served = storm(Preemption::Reset, seed);
                let (socket, place) = served.environment();
                let told = driver.under_layer(client, &[(socket, &place)]);
                let told = told.unwrap_or_else(|how| panic!("{client} by {}: {how}", driver.name));
                assert_eq!(told.answer, native, "{client} by {}", driver.name);
                killed += told.count("killed");
                if killed > 0 && seed >= storms(driver) {
                    break;
                }
            }
            assert!(killed > 0, "{client} by {}", driver.name);
        }
    }
}

/// Checks that the daemon hears which device a program uses, and that all runtimes of a processor
/// name the same one.
#[test]
fn a_program_names_its_device() {
    if !device() {
        return;
    }
    for driver in drivers() {
        let served = storm(Preemption::Reset, 1);
        let (name, socket) = served.environment();
        let mut told = None;
        std::thread::scope(|scope| {
            let client = scope.spawn(|| driver.under_layer("chains", &[(name, &socket)]));
            while told.is_none() && !client.is_finished() {
                let mut daemon = Inquiry::connect(Path::new(&socket)).expect("it serves");
                let status = daemon.status().expect("it is there");
                told = status.programs.into_iter().map(|it| it.device).next();
            }
        });
        let told = told.unwrap_or_else(|| panic!("{} has not joined", driver.name));
        assert!(!told.is_empty() && (told == "CPU" || !driver.is_intel()), "{told}");
    }
}

/// Checks that a program that ends leaves a log with its last line, though nobody stops the layer.
#[test]
fn the_log_of_a_program_that_ends_is_whole() {
    if !device() {
        return;
    }
    for client in ["chains", "exit while launches wait", "exit while launches run"] {
        let storm = storm(Preemption::Reset, 1);
        let log = storm.folder().join("log");
        let (name, socket) = storm.environment();
        let environment = [(name, socket.as_str()), (env::LOG, log.to_str().expect("it is text"))];
        under_layer(client, &environment).expect("it ends");
        let open = || BufReader::new(File::open(&log).expect("a log"));
        let found = raddle_live::replay(open()).expect("it can be read");
        assert_eq!(found.difference, None, "{client}");
        let rules = raddle_live::check(open()).expect("it can be read");
        assert!(
            rules.broken().is_empty() && rules.answers() == found.answers,
            "{client}: {rules:?}"
        );
        assert!(found.is_whole && found.answers > 0, "{client}: {found:?}");
    }
}

/// Makes a folder with compilers for verdicts that lie: in the place of each source they read one
/// whose kernels only have a barrier, so that each may be stopped and run again. A client has the
/// folder in its `PATH`, before the honest compilers.
fn liars() -> tempfile::TempDir {
    let folder = tempfile::tempdir().expect("a folder");
    let lie = folder.path().join("lie.cl");
    std::fs::write(&lie, emptied(SOURCE)).expect("it can be written");
    for compiler in (10..40).map(|version| Path::new("/usr/bin").join(format!("clang-{version}"))) {
        let (lie, honest) = (lie.display(), compiler.display());
        let script = format!(
            "#!/bin/sh\nfor word; do case $word in *.cl) cp {lie} $word;; esac; done\nexec {honest} \"$@\"\n"
        );
        let name = compiler.file_name().expect("it has a name");
        let liar = folder.path().join(name);
        if compiler.is_file() {
            std::fs::write(&liar, script).expect("it can be written");
            std::fs::set_permissions(&liar, Permissions::from_mode(0o755)).expect("it is ours");
        }
    }
    folder
}

/// Returns a source in which the body of each kernel is a barrier.
fn emptied(source: &str) -> String {
    let mut depth = 0_u32;
    let mut kept = String::new();
    for letter in source.chars() {
        match letter {
            '{' => {
                if depth == 0 {
                    kept.push_str("{ barrier(CLK_LOCAL_MEM_FENCE); }");
                }
                depth += 1;
            }
            '}' => depth -= 1,
            _ if depth == 0 => kept.push(letter),
            _ => {}
        }
    }
    kept
}

/// Checks that answers are wrong where every kernel is falsely judged to be one that may be run
/// again: so the other tests would see such a fault.
#[test]
fn with_verdicts_claimed_falsely_they_are_wrong() {
    if !device() {
        return;
    }
    let native = natively("chains").expect("it ends");
    if told_under_layer("chains", &[]).expect("it ends").count(NO_FLAG) > 0 {
        println!("skipped: the device sees no flag, so nothing is killed");
        return;
    }
    let liars = liars();
    let path = std::env::var_os("PATH").unwrap_or_default();
    let folders = [liars.path().to_owned()].into_iter().chain(std::env::split_paths(&path));
    let path = std::env::join_paths(folders).expect("paths were split");
    let path = path.to_str().expect("its path is text");
    let wrong = |seed| {
        let storm = storm(Preemption::Reset, seed);
        let (name, socket) = storm.environment();
        under_layer("chains", &[(name, &socket), ("PATH", path)]).is_ok_and(|told| told != native)
    };
    // On a machine whose cores are busy, not every storm stops a launch at a time that shows.
    assert!((0..20).any(wrong), "a launch in place that was killed shows");
}
