//! Can any SPIR-V make the judge or the instrumentation panic or hang?
#![no_main]

use libfuzzer_sys::fuzz_target;
use raddle_kernel::instrument::spirv;
use raddle_kernel::{Kernel, Look};

fuzz_target!(|bytes: &[u8]| {
    for kernel in Kernel::from_spirv(bytes).unwrap_or_default() {
        let _ = kernel.verdict();
    }
    let _ = spirv(bytes, |_| Look::Workgroup);
});
