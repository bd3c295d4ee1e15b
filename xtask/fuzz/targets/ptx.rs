//! Can any PTX make the judge or the instrumentation panic or hang?
#![no_main]

use libfuzzer_sys::fuzz_target;
use raddle_kernel::instrument::ptx;
use raddle_kernel::{Kernel, Look};

fuzz_target!(|bytes: &[u8]| {
    let text = String::from_utf8_lossy(bytes);
    for kernel in Kernel::from_ptx(&text).unwrap_or_default() {
        let _ = kernel.verdict();
    }
    let _ = ptx(&text, |_| Look::Workgroup);
});
