//! May these kernels be stopped and run again, and if not, why?
//!
//! `cargo run -p raddle-kernel --example judge_a_kernel`, or with PTX of your own:
//! `cargo run -p raddle-kernel --example judge_a_kernel kernels.ptx`
#![allow(clippy::print_stdout, reason = "an example prints")]

use std::error::Error;

use raddle_kernel::Kernel;

/// Three kernels: one writes elsewhere than it reads, one adds in place, one counts by an atomic operation.
const PTX: &str = "
.version 8.0
.target sm_80
.address_size 64
.visible .entry copy(.param .u64 from, .param .u64 to) {
    .reg .b64 %rd<3>;
    .reg .b32 %r<2>;
    ld.param.u64 %rd1, [from];
    ld.param.u64 %rd2, [to];
    ld.global.u32 %r1, [%rd1];
    st.global.u32 [%rd2], %r1;
    ret;
}
.visible .entry add_one(.param .u64 values) {
    .reg .b64 %rd<2>;
    .reg .b32 %r<3>;
    ld.param.u64 %rd1, [values];
    ld.global.u32 %r1, [%rd1];
    add.u32 %r2, %r1, 1;
    st.global.u32 [%rd1], %r2;
    ret;
}
.visible .entry count(.param .u64 counter) {
    .reg .b64 %rd<2>;
    .reg .b32 %r<2>;
    ld.param.u64 %rd1, [counter];
    atom.global.add.u32 %r1, [%rd1], 1;
    ret;
}";

fn main() -> Result<(), Box<dyn Error>> {
    let ptx = match std::env::args().nth(1) {
        Some(path) => std::fs::read_to_string(path)?,
        None => PTX.to_owned(),
    };
    for kernel in Kernel::from_ptx(&ptx)? {
        println!("{:<10} {:?}", kernel.name(), kernel.verdict());
    }
    Ok(())
}
