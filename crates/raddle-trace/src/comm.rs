//! Which kernels move data between devices, and what does a replay do with them?
//!
//! The duration of such a kernel is mostly waiting for its peers, which a replay on one device does
//! not have: as recorded, the duration says more of the recorded run than of the device.

mod rule;

pub use rule::{CommRule, Communication};

/// Known communication kernels, as (beginning of their names in lower case, library that has them).
/// A beginning counts only at the start of a word, so that `rccl` is not found in
/// `__amd_rocclr_copyBuffer`.
const CLASSES: &[(&str, &str)] = &[
    ("nccl", "NCCL, and RCCL, which keeps NCCL's names"),
    ("rccl", "RCCL"),
    ("msccl", "MSCCL and MSCCL++"),
    ("deep_ep", "DeepEP"),
    ("nvshmem", "NVSHMEM"),
    ("rocshmem", "rocSHMEM"),
    ("roc_shmem", "rocSHMEM, earlier"),
    ("oneccl", "oneCCL"),
    ("symmetric_memory", "PyTorch, symmetric memory"),
    ("multimem_all_", "PyTorch, symmetric memory over multicast"),
    ("multimem_one_shot_all_", "PyTorch, symmetric memory over multicast"),
    ("one_shot_all_", "PyTorch, symmetric memory"),
    ("two_shot_all_", "PyTorch, symmetric memory"),
    ("cross_device_reduce", "vLLM, SGLang and AITER, custom all-reduce"),
    ("allreduce_", "fused all-reduce of FlashInfer, AITER and others"),
    ("oneshotallreduce", "TensorRT-LLM"),
    ("twoshotallreduce", "TensorRT-LLM"),
    ("userbuffers_", "Transformer Engine"),
    ("hccl", "HCCL"),
];

/// Beginnings of names, plain or mangled, of kernels of communication libraries that do not wait
/// for a peer; they count as computation.
const NOT: &[&str] = &["deep_ep::layout", "deep_ep6layout"];

/// Returns whether a kernel of this name, plain or mangled, moves data between devices.
///
/// The libraries in use are recognised by how their kernels' names begin; a kernel with any other
/// name counts as computation.
///
/// ```
/// use raddle_trace::is_communication;
/// assert!(is_communication("ncclDevKernel_AllReduce_Sum_f32_RING_LL(ncclDevKernelArgsStorage)"));
/// assert!(is_communication("void deep_ep::internode::dispatch<false, 8>(int4*, float*)"));
/// assert!(!is_communication("__amd_rocclr_copyBuffer"));
/// ```
#[must_use]
pub fn is_communication(kernel_name: &str) -> bool {
    let name = kernel_name.as_bytes();
    // A mangled name has a number in front of each word; a digit there ends no word.
    let starts = |at: usize| {
        at.checked_sub(1).is_none_or(|before| {
            let byte = name[before];
            !byte.is_ascii_alphabetic() && byte != b'_'
        })
    };
    (0..name.len()).filter(|&at| starts(at)).any(|at| {
        let rest = &name[at..];
        CLASSES.iter().any(|(class, _)| begins(rest, class))
            && !NOT.iter().any(|other| begins(rest, other))
    })
}

fn begins(text: &[u8], class: &str) -> bool {
    text.get(..class.len()).is_some_and(|start| start.eq_ignore_ascii_case(class.as_bytes()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_of_the_libraries() {
        for name in [
            "ncclKernel_SendRecv_RING_SIMPLE_Sum_int8_t(ncclWorkElem)",
            "ncclDevKernel_Generic_1(ncclDevKernelArgsStorage<4096ul>)",
            "_Z23ncclDevKernel_Generic_124ncclDevKernelArgsStorageILm4096EE.kd",
            "_Z29mscclKernel_Sum_half_LL_falseP11ncclDevCommP9mscclAlgoP9mscclWork.kd",
            "void deep_ep::intranode::combine<__nv_bfloat16, 8, 768>(int)",
            "_ZN7deep_ep9internode8dispatchILb0EEEvv",
            "nvshmemi_transfer_rma",
            "void (anonymous namespace)::multimem_all_reduce_kernel<c10::BFloat16, 16>(int)",
            "void vllm::cross_device_reduce_1stage<__half, 2>(vllm::RankData*)",
            "NCCL_AllGather",
        ] {
            assert!(is_communication(name), "{name}");
        }
    }

    #[test]
    fn names_that_only_sound_so() {
        for name in [
            "",
            "__amd_rocclr_fillBufferAligned",
            "void cub::DeviceReduceByKeyKernel<cub::DispatchReduceByKey<long*>>(int)",
            "void softmax_warpAllReduce<float>(float*)",
            "void blockAllreduce_kernel()",
            "my_nccl_like_gemm",
            "void deep_ep::layout::get_dispatch_layout<256, 32, 8>(long const*)",
            "_ZN7deep_ep6layout19get_dispatch_layoutEv",
            "größe_kernel",
        ] {
            assert!(!is_communication(name), "{name}");
        }
    }

    #[test]
    fn classes_are_lower_case_and_distinct() {
        let mut classes: Vec<_> = CLASSES.iter().map(|(class, _)| *class).collect();
        assert!(classes.iter().all(|class| !class.bytes().any(|b| b.is_ascii_uppercase())));
        classes.sort_unstable();
        classes.dedup();
        assert_eq!(classes.len(), CLASSES.len());
    }
}
