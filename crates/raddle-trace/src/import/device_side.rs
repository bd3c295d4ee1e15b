//! Why does a file hold launches and no kernels, and what can be done?

use crate::error::TraceError;

/// The usual causes on NVIDIA, each with its cure.
pub(super) const NVIDIA: &str = "the usual causes are WSL2 (record under Linux itself, or with the newest driver of Windows), missing rights (run as root, or load the driver's module with NVreg_RestrictProfilingToAdminUsers=0), a driver newer than the profiler (install the newest profiler), a second profiler at the same time (end it), and a program that was killed before it flushed (let it end, or call cudaDeviceSynchronize before it does)";

/// The usual causes on AMD, each with its cure.
pub(super) const AMD: &str = "the usual causes are that kernels were not traced (record again with `rocprofv3 --kernel-trace --hip-trace --output-format json -- APPLICATION`), missing rights (join the groups render and video), and a program that was killed before it flushed (let it end)";

/// Returns whether a call of the runtime or the driver launches a kernel or a graph.
pub(super) fn is_launch(call: &str) -> bool {
    let makes = ["cuda", "cu", "hip"].iter().any(|maker| call.starts_with(maker));
    let other = ["HostFunc", "Attribute", "Config"].iter().any(|word| call.contains(word));
    makes && call.contains("Launch") && !other
}

/// Builds the refusal of a file with this many launches of kernels.
pub(super) fn not_recorded(file: String, launches: u64, why: String) -> TraceError {
    let word = if launches == 1 { "launch" } else { "launches" };
    let launches = format!("{} {word}", grouped(launches));
    TraceError::NoDeviceSide { file, launches, why }
}

/// Writes a number with commas between groups of three digits.
fn grouped(number: u64) -> String {
    let digits = number.to_string();
    let mut text = String::new();
    for (at, digit) in digits.chars().enumerate() {
        if at > 0 && (digits.len() - at).is_multiple_of(3) {
            text.push(',');
        }
        text.push(digit);
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn launches_are_told_by_the_names_of_calls() {
        for call in [
            "cudaLaunchKernel_v7000",
            "cuLaunchKernelEx",
            "hipModuleLaunchKernel",
            "cudaGraphLaunch_v10000",
        ] {
            assert!(is_launch(call), "{call}");
        }
        for call in ["cudaLaunchHostFunc", "cudaMalloc", "Launch", "cudaFuncSetAttribute"] {
            assert!(!is_launch(call), "{call}");
        }
    }

    #[test]
    fn numbers_have_groups() {
        assert_eq!(
            [7, 999, 1000, 13_457, 1_000_000].map(grouped),
            ["7", "999", "1,000", "13,457", "1,000,000"]
        );
    }
}
