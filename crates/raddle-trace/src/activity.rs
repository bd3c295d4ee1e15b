//! How many instructions of each kind do the waves of a kernel issue, where nobody counted them?
//!
//! All figures here are assumed: our own rough idea of each class, fit for telling a matrix product
//! from a copy, not for computing a power. They are marked as assumed wherever they are used
//! ([`Field::Activity`](crate::Field::Activity)); a launch table can hold counted ones.
//!
//! Unit: instructions of one wave in a microsecond, as in [`Activity`].

use raddle_policy::Activity;

use crate::is_communication;

/// Class of kernels, such as matrix products: the words by which it is recognised in a kernel's
/// name, and the activity (instructions of one wave per microsecond) that is assumed for it. A
/// kernel belongs to the first class of which a word occurs in the kernel's name in lower case.
struct KernelClass {
    name: &'static str,
    words: &'static [&'static str],
    /// Assumed number of instructions that one wave issues per microsecond, by kind: moves, loads,
    /// stores, matrix products, comparisons, jumps.
    activity: Activity,
}

const fn class(name: &'static str, words: &'static [&'static str], rates: [u32; 6]) -> KernelClass {
    KernelClass { name, words, activity: Activity(rates) }
}

/// Classes of kernels, in the order in which they are tried: a kernel belongs to the first class of
/// which a word occurs in its name, so narrow classes come before broad ones.
const CLASSES: [KernelClass; 8] = [
    class("attention", &["attention", "flash", "fmha", "softmax"], [90, 24, 6, 18, 6, 6]),
    class(
        "matrix",
        &[
            "gemm", "gemv", "matmul", "conv", "cutlass", "wgrad", "dgrad", "mma", "winograd",
            "cijk_",
        ],
        [50, 20, 4, 32, 2, 4],
    ),
    class("sort", &["sort", "topk", "scan", "unique", "argmax", "argmin"], [70, 24, 14, 0, 30, 18]),
    class("gather", &["gather", "scatter", "index", "embedding", "lookup"], [40, 34, 18, 0, 8, 8]),
    class("reduce", &["reduce", "norm", "sum", "mean", "loss"], [80, 30, 4, 0, 8, 12]),
    class(
        "copy",
        &["copy", "transpose", "permute", "cat", "fill", "memset", "memcpy", "pad", "cast"],
        [24, 30, 30, 0, 4, 6],
    ),
    class("pool", &["pool", "interpolate", "upsample", "resize"], [60, 30, 8, 0, 16, 8]),
    class(
        "elementwise",
        &["elementwise", "vectorized", "add", "mul", "relu", "gelu", "activation", "dropout"],
        [70, 22, 12, 0, 6, 6],
    ),
];

/// Assumed activity (instructions of one wave per microsecond) of kernels that move data between
/// devices; such kernels mostly wait in loops.
const COMMUNICATION: Activity = Activity([30, 20, 16, 0, 20, 24]);

/// Assumed activity (instructions of one wave per microsecond) of kernels whose names fit no class
/// and that do not communicate.
const OTHER: Activity = Activity([60, 24, 10, 0, 8, 8]);

/// Returns the class of kernels that a kernel belongs to by its name, and the activity that is
/// assumed for that class, as (name of the class, instructions of one wave per microsecond). For
/// profiles without counts of instructions.
///
/// ```
/// let (class, activity) = raddle_trace::assumed_activity("ampere_sgemm_128x64_tn");
/// assert_eq!(class, "matrix");
/// assert!(activity.of(raddle_policy::InstructionKind::Matrix) > 0);
/// ```
#[must_use]
pub fn assumed_activity(kernel: &str) -> (&'static str, Activity) {
    if is_communication(kernel) {
        return ("communication", COMMUNICATION);
    }
    let name = kernel.to_ascii_lowercase();
    let is = |class: &&KernelClass| class.words.iter().any(|word| name.contains(word));
    CLASSES.iter().find(is).map_or(("other", OTHER), |class| (class.name, class.activity))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_fall_into_classes() {
        for (kernel, class) in [
            ("ampere_sgemm_128x64_tn", "matrix"),
            ("Cijk_Ailk_Bljk_HB_MT128x128x16", "matrix"),
            ("void flash_fwd_kernel<GemmTraits>", "attention"),
            ("ncclDevKernel_AllReduce_Sum_f32_RING_LL", "communication"),
            ("at::native::vectorized_elementwise_kernel<4, add>", "elementwise"),
            ("void cub::DeviceRadixSortOnesweepKernel", "sort"),
            ("indexSelectLargeIndex", "gather"),
            ("layer_norm_backward", "reduce"),
            ("CatArrayBatchedCopy", "copy"),
            ("max_pool_forward_nchw", "pool"),
            ("k", "other"),
            ("", "other"),
        ] {
            assert_eq!(assumed_activity(kernel).0, class, "{kernel}");
        }
    }

    #[test]
    fn every_class_is_known_and_only_matrix_kernels_multiply_matrices() {
        for KernelClass { name, words, activity } in &CLASSES {
            assert!(
                !activity.is_unknown() && words.iter().all(|word| *word == word.to_lowercase())
            );
            assert_eq!(activity.0[3] > 0, ["attention", "matrix"].contains(name), "{name}");
        }
        assert!(!OTHER.is_unknown() && !COMMUNICATION.is_unknown());
    }
}
