//! Is the layer loaded, and what does it hide?

use crate::run::{client, device, drivers, layer, told_under_layer, under_layer};
use std::path::Path;
use std::time::Duration;

use raddle_kernel::Compiler;

#[test]
fn the_loader_loads_it_and_a_program_can_tell() {
    for driver in drivers() {
        let name = driver.name;
        let told = |client| driver.under_layer(client, &[]).map(|told| told.answer);
        assert_eq!(driver.natively("version").as_deref(), Ok("no layer"), "{name}");
        assert_eq!(told("version").as_deref(), Ok(env!("CARGO_PKG_VERSION")), "{name}");
        assert_eq!(driver.natively("devices"), told("devices"), "{name}");
    }
}

#[test]
fn a_wrong_path_is_ignored_by_the_loader() {
    if !device() {
        return;
    }
    let wrong = [("OPENCL_LAYERS", "/nowhere/libraddle_opencl.so")];
    assert_eq!(client("version", &wrong, Duration::from_secs(60)).as_deref(), Ok("no layer"));
}

/// Checks that without a compiler no launch is stopped part-way, that the layer counts each such
/// launch, and that it warns once.
#[test]
fn launches_that_nobody_judged_are_counted() {
    if !device() {
        return;
    }
    // PoCL needs a linker of the system, and no clang.
    let folder = tempfile::tempdir().expect("a folder");
    for name in ["ld", "ld.bfd", "cc", "gcc"] {
        let program = Path::new("/usr/bin").join(name);
        if program.exists() {
            std::os::unix::fs::symlink(program, folder.path().join(name)).expect("it is ours");
        }
    }
    let path = folder.path().to_str().expect("its path is text");
    let told = told_under_layer("gate", &[("PATH", path)]).expect("it ends");
    assert!(told.count("launches") > 0, "{told:?}");
    assert_eq!(told.count("unjudged-no-compiler"), told.count("launches"), "{told:?}");
    assert!(told.complaints.contains("apt-get install clang-15 llvm-spirv-15"), "{told:?}");
    if Compiler::find().is_some() {
        let told = told_under_layer("gate", &[]).expect("it ends");
        assert_eq!(told.count("unjudged-no-compiler"), 0, "{told:?}");
        let told = told_under_layer("macro in code", &[]).expect("it ends");
        assert_eq!(told.count("unjudged-macro"), told.count("launches"), "{told:?}");
    }
}

#[test]
fn command_buffers_are_hidden() {
    if !device() {
        return;
    }
    assert_eq!(under_layer("buffers", &[]).as_deref(), Ok("function false, named false"));
}

/// Checks that the layer links no OpenCL library: with a loader of its own it would not be called
/// by the loader of the program.
#[test]
fn it_links_no_opencl_library() {
    let bytes = std::fs::read(layer()).expect("the layer can be read");
    let has = |name: &[u8]| bytes.windows(name.len()).any(|window| window == name);
    assert!(!has(b"libOpenCL"));
    assert!(has(b"clInitLayer") && has(b"clGetLayerInfo"));
}
