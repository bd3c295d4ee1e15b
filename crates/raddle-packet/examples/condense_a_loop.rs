//! How many packets does a training loop need as plain dispatch packets, and how many as condensed ones?
//!
//! `cargo run -p raddle-packet --example condense_a_loop`, or with another number of kernels in the loop:
//! `cargo run -p raddle-packet --example condense_a_loop 6`
#![allow(clippy::print_stdout, reason = "an example prints")]

use raddle_packet::{
    AqlFormat, Encoder, KernelDispatch, NEAR, PacketError, PacketView, Replacement,
};

const ITERATIONS: u64 = 100;

/// Returns the launch of a kernel in an iteration of the loop, which has its own arguments and
/// signal.
fn launch(kernel: u64, iteration: u64) -> KernelDispatch {
    KernelDispatch {
        workgroup_size_x: 256,
        grid_size_x: 65_536 << (kernel % 3),
        kernel_object: 0x7f00_0000 + 0x400 * kernel,
        kernarg_address: 0x1000_0000 + 0x40 * (kernel + 64 * iteration),
        completion_signal: if kernel == 0 { 0x2000 + 64 * iteration } else { 0 },
        ..KernelDispatch::default()
    }
}

fn main() -> Result<(), PacketError> {
    let kernels = std::env::args().nth(1).and_then(|text| text.parse().ok()).unwrap_or(12);
    let format = AqlFormat::default();
    let plain = kernels * ITERATIONS;
    println!(
        "{kernels} kernels, {ITERATIONS} iterations: {plain} dispatch packets, {} bytes",
        plain * 64
    );
    for replacement in Replacement::ALL {
        let mut encoder = Encoder::new(format, replacement.policy(NEAR));
        let mut packets = Vec::new();
        for (iteration, kernel) in (0..ITERATIONS).flat_map(|i| (0..kernels).map(move |k| (i, k))) {
            let image = launch(kernel, iteration).launch(&format)?;
            encoder.launch(&image, &mut |packet| packets.push(*packet));
        }
        encoder.flush(&mut |packet| packets.push(*packet));
        let bytes = packets.len() * 64;
        println!(
            "  condensed, entries by `{}`: {} packets, {bytes} bytes",
            replacement.name(),
            packets.len()
        );
        if let (Replacement::First, Some(last)) = (replacement, packets.last()) {
            println!("  the last of them:\n{}", PacketView::new(last, &format));
        }
    }
    Ok(())
}
