//! How is the library linked? Under the name by which programs look for the driver, and so that it is
//! never unmapped: its threads may be inside when a program closes it.

fn main() {
    println!("cargo::rustc-cdylib-link-arg=-Wl,-z,nodelete,-soname,libcuda.so.1");
    println!("cargo::rerun-if-changed=build.rs");
}
