//! Can any OpenCL C make the instrumentation panic or hang, or lose a part of it?
#![no_main]

use libfuzzer_sys::fuzz_target;
use raddle_kernel::instrument::opencl;
use raddle_kernel::{Branches, Look};

fuzz_target!(|bytes: &[u8]| {
    let text = String::from_utf8_lossy(bytes);
    let done = opencl(&text, |_| Look::Workgroup);
    assert!(done.source.len() >= text.len());
    if let Some(branches) = Branches::of(&text) {
        let asked = branches.question();
        let words = asked.split([' ', '(']).filter(|word| word.starts_with("raddle_takes_"));
        let _ = branches.taken(&words.map(str::to_owned).collect());
    }
});
