//! Why does a file hold launches and no kernels, and what can the user do?

use crate::csv_table::CsvTable;
use crate::error::TraceError;
use crate::profile::{Op, OpKind};

/// Usual causes, each with its cure, of a recording on a GPU of NVIDIA that lacks the kernels.
pub(super) const NVIDIA: &str = "the usual causes are WSL2 (record under Linux itself, or with the newest driver of Windows), missing rights (run as root, or load the driver's module with NVreg_RestrictProfilingToAdminUsers=0), a driver newer than the profiler (install the newest profiler), a second profiler at the same time (end it), and a program that was killed before it flushed (let it end, or call cudaDeviceSynchronize before it does)";

/// Returns the usual causes, each with its cure, of a recording on a GPU of AMD that lacks the
/// kernels. `by_torch` is true where PyTorch's profiler wrote the file.
pub(super) fn amd(by_torch: bool) -> String {
    let torch = if by_torch {
        "`torch.profiler.profile(activities=[ProfilerActivity.CPU, ProfilerActivity.CUDA])`, where CUDA stands for AMD's GPUs too, or with "
    } else {
        ""
    };
    format!(
        "the usual causes are that kernels were not traced (record again with {torch}`rocprofv3 --kernel-trace --hip-trace --output-format json -- APPLICATION`), missing rights (join the groups render and video), a second profiler at the same time (end it), and a program that was killed before it flushed (let it end)"
    )
}

/// Advice for a file that has calls or copies, which show that the GPU was recorded, but no launch.
const RECORDED: &str = "the GPU was recorded, and nothing was launched meanwhile. Record the process that launches the kernels (a worker, not its parent), from before the first launch until it has synchronised";

/// Returns whether a call of the CUDA or HIP runtime or driver, given by its name, launches a
/// kernel or a graph.
pub(super) fn is_launch(call: &str) -> bool {
    let makes = ["cuda", "cu", "hip"].iter().any(|maker| call.starts_with(maker));
    let other = ["HostFunc", "Attribute", "Config"].iter().any(|word| call.contains(word));
    makes && call.contains("Launch") && !other
}

/// Builds the error for a file with this many launch calls but no recorded kernels; `why` names the
/// usual causes.
pub(super) fn not_recorded(file: String, launches: u64, why: String) -> TraceError {
    let word = if launches == 1 { "launch was" } else { "launches were" };
    let launches = format!("{} {word}", grouped(launches));
    TraceError::NoDeviceSide { file, launches, why }
}

/// Counts the rows of a table of calls that launch a kernel or a graph; `names` is the position of
/// the column with the names of the calls.
///
/// # Errors
/// The errors of the reader, and more rows than an import takes.
pub(super) fn launches_in(table: &mut CsvTable<'_>, names: usize) -> Result<u64, TraceError> {
    let mut launches = 0;
    table.rows(|row| {
        launches += u64::from(row.cells.get(names).is_some_and(is_launch));
        Ok(true)
    })?;
    Ok(launches)
}

/// Numbers of calls, copies and fills in a file that has neither kernels nor launches.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct OtherWork {
    pub(super) calls: u64,
    /// True if the calls are of HIP, false if of CUDA.
    pub(super) hip: bool,
    pub(super) copies: u64,
    pub(super) fills: u64,
}

impl OtherWork {
    /// Counts the copies and the fills among the ops.
    pub(super) fn of<'o>(ops: impl Iterator<Item = &'o Op>) -> Self {
        let mut found = Self::default();
        for op in ops {
            match op.kind {
                OpKind::Copy => found.copies += 1,
                OpKind::Set => found.fills += 1,
                OpKind::Kernel => {}
            }
        }
        found
    }

    /// Lists the copies, fills and calls with their counts, in words for a message; `None` where
    /// the file has none.
    pub(super) fn told(self) -> Option<String> {
        let Self { calls, hip, copies, fills } = self;
        let maker = if hip { "HIP" } else { "CUDA" };
        let called = match calls {
            0 => None,
            1 => Some(format!("1 {maker} call, which launches nothing")),
            _ => Some(format!("{} {maker} calls, none of them a launch", grouped(calls))),
        };
        let of = |n: u64, one: &str, many: &str| {
            (n > 0).then(|| format!("{} {}", grouped(n), if n == 1 { one } else { many }))
        };
        let all = [called, of(copies, "copy", "copies"), of(fills, "fill", "fills")];
        let all: Vec<String> = all.into_iter().flatten().collect();
        (!all.is_empty()).then(|| all.join(", "))
    }

    /// Builds the error for a file that has copies, fills or calls and no launch, and so cannot be
    /// replayed; `said` has messages of the recording tool. `None` where the file has no copies,
    /// fills or calls.
    pub(super) fn refuse(self, file: &str, said: &[String]) -> Option<TraceError> {
        let said = if said.is_empty() {
            String::new()
        } else {
            format!("nsys says: {}; ", said.join("; "))
        };
        let (file, cure) = (file.to_owned(), format!("{said}{RECORDED}"));
        Some(TraceError::NothingLaunched { file, found: self.told()?, cure })
    }
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
