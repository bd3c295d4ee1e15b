//! How is the layer linked? So that it is never unmapped: its threads may be inside when a loader
//! closes it.

fn main() {
    println!("cargo::rustc-cdylib-link-arg=-Wl,-z,nodelete");
    println!("cargo::rerun-if-changed=build.rs");
}
