//! Is the library found, does it find the driver, and does it see every launch?

use std::path::Path;
use std::process::Command;

use crate::run::{bench, library, native, natively, scheduled, told, with_library};

#[test]
fn every_launch_is_seen_however_its_function_was_found() {
    // As a driver does that answers with functions which it does not export.
    for environment in [&[][..], &[("FAKE_PRIVATE", "1")]] {
        let told = with_library("ways", environment);
        assert_eq!(told.said, natively("ways", &[]).said);
        assert_eq!((told.count("made"), told.count("seen")), (9, 9), "{told:?}");
    }
    let told = with_library("chains", &[]);
    assert_eq!((told.count("made"), told.count("seen")), (600, 600));
}

#[test]
fn the_window_bounds_the_launches_in_the_driver() {
    assert!(natively("chains", &[]).count("most") > 8, "the test can fail");
    for (window, most) in [("1", 1), ("3", 3), ("8", 8), ("10", 10)] {
        let told = with_library("chains", &[(raddle_live::env::WINDOW, window)]);
        assert_eq!(told.how, "exit status: 0");
        // A launch counts until its event was seen, so there are never more.
        assert!(told.count("most") <= most, "{told:?}");
    }
    // A launch of a long kernel counts, whatever is launched in the stream of another thread, or in a later stream with
    // the same handle.
    for client in ["apart", "reused"] {
        let told = with_library(client, &[(raddle_live::env::WINDOW, "4")]);
        assert!(told.how == "exit status: 0" && told.count("most") <= 4, "{client}: {told:?}");
    }
}

#[test]
fn a_linked_program_works() {
    let native = told(native("linked"));
    assert!(native.said.starts_with("0: "), "{native:?}");
    assert_eq!(told(scheduled("linked")), native);
}

#[test]
fn it_never_takes_itself_for_the_driver() {
    let itself = bench().path("library/libcuda.so.1");
    let itself = itself.to_str().expect("its path is text");
    for driver in ["/nowhere/libcuda.so.1", itself] {
        let told = with_library("chains", &[("RADDLE_CUDA_DRIVER", driver)]);
        // `CUDA_ERROR_NO_DEVICE`, as without a device.
        assert!(told.said.ends_with(": 100\n"), "{told:?}");
    }
    // The path that the loader searches has the library first, and the driver behind it.
    let mut command = scheduled("client");
    let path =
        format!("{}:{}", bench().path("library").display(), bench().path("driver").display());
    command.arg("ways").env_remove("RADDLE_CUDA_DRIVER").env("LD_LIBRARY_PATH", path);
    assert_eq!(told(command).count("seen"), 9);
}

#[test]
fn streams_get_the_priority_that_was_asked_for() {
    assert_eq!(natively("priorities", &[]).said, "0 -2\n");
    assert_eq!(with_library("priorities", &[]).said, "0 -2\n");
    assert_eq!(with_library("priorities", &[("RADDLE_CUDA_PRIORITY", "-1")]).said, "-1 -1\n");
}

/// Checks that a process which uses the driver adds itself to the file that `raddle live run`
/// names.
#[test]
fn it_tells_that_it_was_loaded() {
    let file = tempfile::NamedTempFile::new().expect("a file");
    let path = file.path().to_str().expect("its path is text");
    let told = with_library("ways", &[(raddle_live::env::LOADED, path)]);
    assert_eq!(told.how, "exit status: 0");
    assert_eq!(std::fs::read_to_string(file.path()).expect("it is there").lines().count(), 1);
    assert!(library().is_file());
}

/// Checks that the script for measurements on a GPU is well-formed, and that it compares the
/// results of two programs.
#[test]
fn the_prepared_session_is_well_formed() {
    let at = |name: &str| Path::new(env!("CARGO_MANIFEST_DIR")).join(name);
    let shell = Command::new("bash").arg("-n").arg(at("session.sh")).status();
    assert!(shell.expect("it starts").success());
    let rows = [("beside, raddle", "abc"), ("beside, native", "abd")].map(|(case, digest)| {
        format!("{{\"case\": \"{case}\", \"program\": \"serve\", \"requests\": [1, 3, 2], \"digest\": \"{digest}\"}}\n")
    });
    let results = tempfile::NamedTempFile::new().expect("a file");
    std::fs::write(results.path(), rows.concat()).expect("it is ours");
    let mut python = Command::new("python3");
    python.arg("-B").arg(at("session.py")).arg("compare").arg(results.path());
    let Ok(told) = python.output() else {
        println!("skipped: there is no python3");
        return;
    };
    let told = String::from_utf8_lossy(&told.stdout).into_owned();
    assert!(
        told.contains("beside, raddle: serve: 3, p50 2.00 ms, p99 3.00 ms, digest abc"),
        "{told}"
    );
    assert!(told.ends_with("serve: outputs DIFFER\n"), "{told}");
}
