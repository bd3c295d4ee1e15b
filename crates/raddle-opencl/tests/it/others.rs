//! Do programs of somebody else work in a storm? CLBlast's tests (`apt-get install clblast-tests`), arrays of
//! pyopencl by the Python that `RADDLE_PYTHON` names, and its own tests in the folder `RADDLE_PYOPENCL_TESTS`.

use std::ffi::OsStr;
use std::path::Path;
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

use raddle_live::Storm;
use raddle_policy::Preemption;

use crate::run::{device, layer};
use crate::storm::Served;

/// Runs a test program of CLBlast, natively or in a storm (random preemptions), and returns its
/// lines with the numbers of tests that passed, were skipped and failed; `None` where it is not
/// installed.
fn outcome(program: &str, storm: Option<&Served>) -> Option<Vec<String>> {
    let path = Path::new("/usr/bin").join(program);
    if !path.is_file() {
        println!("skipped: {program} is not installed (clblast-tests)");
        return None;
    }
    let mut command = Command::new(path);
    command.env_remove("OPENCL_LAYERS").stderr(Stdio::null());
    if let Some(storm) = storm {
        command.env("OPENCL_LAYERS", layer()).envs([storm.environment()]);
    }
    let told = command.output().expect("it runs");
    assert!(told.status.success(), "{program}: {}", told.status);
    let text = String::from_utf8_lossy(&told.stdout).into_owned();
    let sums = text.lines().filter(|line| line.contains("test(s)"));
    Some(sums.map(|line| line.trim().to_owned()).collect())
}

#[test]
fn tests_of_clblast_pass_in_a_storm() {
    if !device() {
        return;
    }
    let more =
        ["clblast_test_xdot", "clblast_test_xgemv", "clblast_test_xger", "clblast_test_xgemm"];
    let all = std::env::var_os("RADDLE_TEST_STORMS").map_or(&[][..], |_| &more[..]);
    for program in ["clblast_test_xaxpy"].iter().chain(all) {
        let storm = Served::storm(Preemption::Reset, 300, 3000, 7);
        let Some(told) = outcome(program, Some(&storm)) else { return };
        let native = outcome(program, None).expect("it is there");
        assert!(native.iter().any(|line| line.contains("passed")), "{native:?}");
        assert_eq!(told, native, "{program}");
    }
}

#[test]
fn arrays_of_pyopencl_are_right_in_storms() {
    let Some(python) = std::env::var_os("RADDLE_PYTHON") else {
        println!("skipped: RADDLE_PYTHON names no Python with pyopencl");
        return;
    };
    if !device() {
        return;
    }
    let script = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/arrays.py");
    for way in [Preemption::Flag, Preemption::Reset] {
        let storm = Served::storm(way, 500, 3000, 7);
        let mut command = Command::new(&python);
        command.arg(script).env("OPENCL_LAYERS", layer()).envs([storm.environment()]);
        let told = command.output().expect("it runs");
        let said = String::from_utf8_lossy(&told.stdout).into_owned();
        let complaints = String::from_utf8_lossy(&told.stderr).into_owned();
        assert_eq!(said.trim(), "wrong: []", "{way:?}: {complaints}");
    }
}

/// Arguments of pytest that choose some of pyopencl's own tests, for a run without
/// `RADDLE_TEST_STORMS`.
const SOME: [&str; 4] = [
    "test_wrapper.py",
    "test_enqueue_copy.py",
    "-k",
    "image or copy or event or marker or map or svm or offset or sub_buffers or vector_args",
];

/// Runs pyopencl's own tests, natively or in a storm (random preemptions), and returns (outcome of
/// each test, time of all).
fn suite(python: &OsStr, tests: &OsStr, storm: Option<&Served>) -> (Vec<String>, Duration) {
    const OUTCOMES: [&str; 6] = [" PASSED", " FAILED", " SKIPPED", " XFAIL", " XPASS", " ERROR"];
    let mut command = Command::new(python);
    command.args(["-m", "pytest", "-v", "-p", "no:cacheprovider"]).current_dir(tests);
    // Programs that pyopencl has cached have no source, and could not leave.
    command.env_remove("OPENCL_LAYERS").env("PYOPENCL_NO_CACHE", "1").stderr(Stdio::null());
    if std::env::var_os("RADDLE_TEST_STORMS").is_none() {
        command.args(SOME);
    }
    if let Some(storm) = storm {
        command.env("OPENCL_LAYERS", layer()).envs([storm.environment()]);
    }
    #[expect(clippy::disallowed_methods, reason = "it is said how long they take")]
    let begun = Instant::now();
    let told = command.output().expect("it runs");
    let text = String::from_utf8_lossy(&told.stdout).into_owned();
    let outcome = |line: &str| {
        let ends = OUTCOMES.iter().filter_map(|word| Some(line.find(word)? + word.len()));
        line.starts_with("test_").then(|| line.get(..ends.min()?).map(str::to_owned))?
    };
    (text.lines().filter_map(outcome).collect(), begun.elapsed())
}

#[test]
fn tests_of_pyopencl_end_as_natively() {
    let named = (std::env::var_os("RADDLE_PYTHON"), std::env::var_os("RADDLE_PYOPENCL_TESTS"));
    let (Some(python), Some(tests)) = named else {
        println!("skipped: RADDLE_PYTHON and RADDLE_PYOPENCL_TESTS name no pyopencl and its tests");
        return;
    };
    if !device() {
        return;
    }
    let (native, took) = suite(&python, &tests, None);
    let (calm, its) = suite(&python, &tests, Some(&Served::new(None)));
    let ms = Duration::from_millis;
    let storm = Served::new(Some(Storm::new(ms(1), ms(8), 7)));
    let (stormy, longest) = suite(&python, &tests, Some(&storm));
    println!(
        "{{\"pyopencl-tests\": {}, \"native-s\": {}, \"layer-s\": {}, \"storm-s\": {}}}",
        native.len(),
        took.as_secs(),
        its.as_secs(),
        longest.as_secs()
    );
    assert!(native.iter().filter(|line| line.ends_with(" PASSED")).count() >= 20, "{native:?}");
    assert_eq!(calm, native, "without a storm");
    assert_eq!(stormy, native, "in a storm");
}
