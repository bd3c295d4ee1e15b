//! Can any SPIR-V, PTX or OpenCL C make the judge or the instrumentation panic or hang?
#![no_main]

use libfuzzer_sys::fuzz_target;
use raddle_kernel::instrument::{opencl, ptx};
use raddle_kernel::{Kernel, Look};

fuzz_target!(|bytes: &[u8]| {
    let Some((&kind, rest)) = bytes.split_first() else { return };
    if kind == b's' {
        judge(Kernel::from_spirv(rest));
    } else if let Ok(text) = std::str::from_utf8(rest) {
        if kind == b'p' {
            judge(Kernel::from_ptx(text));
            let _ = ptx(text, |_| Look::Workgroup);
        } else {
            let done = opencl(text, |_| Look::Workgroup);
            assert!(done.source.len() >= text.len());
        }
    }
});

fn judge(kernels: Result<Vec<Kernel>, raddle_kernel::Error>) {
    for kernel in kernels.unwrap_or_default() {
        let _ = kernel.verdict();
    }
}
