//! Can any OpenCL C make the instrumentation panic or hang, or lose a part of it?
#![no_main]

use libfuzzer_sys::fuzz_target;
use raddle_kernel::Look;
use raddle_kernel::instrument::opencl;

fuzz_target!(|bytes: &[u8]| {
    let text = String::from_utf8_lossy(bytes);
    let done = opencl(&text, |_| Look::Workgroup);
    assert!(done.source.len() >= text.len());
});
