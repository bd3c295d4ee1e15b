//! Is the layer loaded, and what does it hide?

use crate::run::{client, device, drivers, layer, under_layer};
use std::time::Duration;

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

#[test]
fn command_buffers_are_hidden() {
    if !device() {
        return;
    }
    assert_eq!(under_layer("buffers", &[]).as_deref(), Ok("function false, named false"));
}

/// The loader is the program's: a layer that brought its own would be called past itself.
#[test]
fn it_links_no_opencl_library() {
    let bytes = std::fs::read(layer()).expect("the layer can be read");
    let has = |name: &[u8]| bytes.windows(name.len()).any(|window| window == name);
    assert!(!has(b"libOpenCL"));
    assert!(has(b"clInitLayer") && has(b"clGetLayerInfo"));
}
