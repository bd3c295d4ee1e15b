//! Can any SPIR-V make the judge panic or hang?
#![no_main]

use libfuzzer_sys::fuzz_target;
use raddle_kernel::Kernel;

fuzz_target!(|bytes: &[u8]| {
    for kernel in Kernel::from_spirv(bytes).unwrap_or_default() {
        let _ = kernel.verdict();
    }
});
