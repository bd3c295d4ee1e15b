//! Do programs of somebody else work in a storm? CLBlast's tests (`apt-get install clblast-tests`), and arrays of
//! pyopencl by the Python that `RADDLE_PYTHON` names.

use std::path::Path;
use std::process::{Command, Stdio};

use raddle_policy::Preemption;

use crate::hazards::there_is_a_device;
use crate::run::layer;
use crate::storm::Served;

/// How many tests of a program passed, were skipped and failed, natively or in a storm; `None` where it is not
/// there.
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
    if !there_is_a_device() {
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
    if !there_is_a_device() {
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
