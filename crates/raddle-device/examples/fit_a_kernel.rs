//! How many workgroups of a kernel does each device hold at once, and which resource limits it?
//!
//! `cargo run -p raddle-device --example fit_a_kernel`, or with threads, registers a thread and bytes of shared memory:
//! `cargo run -p raddle-device --example fit_a_kernel 256 128 49152`
#![allow(clippy::print_stdout, reason = "an example prints")]

use raddle_device::raddle_policy::Footprint;
use raddle_device::{find, ids};

fn main() {
    let given: Vec<u32> = std::env::args().skip(1).filter_map(|text| text.parse().ok()).collect();
    let [threads, registers, shared] = given.try_into().unwrap_or([256, 64, 32_768]);
    let kernel = Footprint {
        threads,
        vgprs_per_thread: registers,
        lds_bytes: shared,
        ..Footprint::default()
    };
    println!("{threads} threads, {registers} registers a thread, {shared} bytes of shared memory");
    for device in ids().filter_map(find) {
        let fits = device.residency(&kernel);
        let all = fits.workgroups() * u32::from(device.cus);
        println!(
            "{:<16} {:>3} a unit, {all:>5} in all; limited by {}",
            device.id,
            fits.workgroups(),
            fits.limiter()
        );
    }
}
