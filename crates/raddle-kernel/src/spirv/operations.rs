//! What does a SPIR-V instruction need beside its operands?
//!
//! The specification numbers instructions by what they do, so most answers are ranges of numbers.

use rspirv::spirv::Op;

/// Returns whether the result of a SPIR-V instruction depends on its operands alone: not on memory,
/// not on other work-items.
pub(super) fn is_pure(op: Op) -> bool {
    matches!(
        op as u32,
        // Parts of vectors and structures; images and their sizes.
        77..=82 | 86 | 100..=107
        // Conversions, but for a number to a pointer (120).
        | 109..=119
        // Arithmetic; questions and comparisons; selection; shifts and bits.
        | 126..=152 | 154..=191 | 194..=205
        // Sizes; comparison of pointers; dot products of integers; expectations.
        | 321 | 401..=403 | 4450..=4455 | 5631
    )
}

/// Returns whether a SPIR-V instruction exchanges values among the work-items of a workgroup.
pub(super) fn exchanges(op: Op) -> bool {
    // Of a group; of those in it that are active; rotations; shuffles.
    matches!(op as u32, 261..=271 | 333..=366 | 4431 | 5571..=5574)
}

/// Returns whether a SPIR-V instruction reads, writes or reserves space in a pipe.
pub(super) fn is_pipe(op: Op) -> bool {
    matches!(op as u32, 274..=288)
}

pub(super) fn is_atomic(op: Op) -> bool {
    // Of integers, of flags, of floating-point numbers.
    matches!(op as u32, 227..=242 | 318 | 319 | 5614 | 5615 | 6035)
}

/// Returns whether an atomic operation on integers gives the same final value in any order:
/// additions, minima, maxima, bit operations.
pub(super) fn commutes(op: Op) -> bool {
    matches!(op as u32, 232..=242)
}

/// Functions of OpenCL C and its extensions that compute with their arguments alone, and that
/// compilers may leave as calls in SPIR-V. They are the functions that clang 15 declares `const` in
/// `opencl-c.h`, except those with an instruction in SPIR-V, and functions that an extension
/// defines by a formula.
const PURE: [&str; 38] = [
    // cl_khr_integer_dot_product: OpenCL Extension Specification, chapter 36.
    "dot",
    "dot_acc_sat",
    "dot_4x8packed_uu_uint",
    "dot_4x8packed_ss_int",
    "dot_4x8packed_us_int",
    "dot_4x8packed_su_int",
    "dot_acc_sat_4x8packed_uu_uint",
    "dot_acc_sat_4x8packed_ss_int",
    "dot_acc_sat_4x8packed_us_int",
    "dot_acc_sat_4x8packed_su_int",
    // cl_khr_extended_bit_ops.
    "bit_reverse",
    "bitfield_insert",
    "bitfield_extract_signed",
    "bitfield_extract_unsigned",
    // cl_arm_integer_dot_product_int8, _accumulate_int8, _accumulate_saturate_int8.
    "arm_dot",
    "arm_dot_acc",
    "arm_dot_acc_sat",
    // cl_amd_media_ops and cl_amd_media_ops2.
    "amd_bitalign",
    "amd_bytealign",
    "amd_lerp",
    "amd_pack",
    "amd_sad",
    "amd_sad4",
    "amd_sadhi",
    "amd_unpack0",
    "amd_unpack1",
    "amd_unpack2",
    "amd_unpack3",
    "amd_bfe",
    "amd_bfm",
    "amd_max3",
    "amd_median3",
    "amd_min3",
    "amd_mqsad",
    "amd_msad",
    "amd_qsad",
    "amd_sadd",
    "amd_sadw",
];

/// Returns whether a function without code, given by its mangled name, is one of OpenCL C whose
/// result depends on its arguments alone.
pub(super) fn is_pure_call(name: &str) -> bool {
    called(name).is_some_and(|(name, types)| PURE.contains(&name) && !types.contains('P'))
}

/// Returns (name of a function in the source, types of its parameters) from its mangled name
/// `_Z...`; `None` for another name.
fn called(name: &str) -> Option<(&str, &str)> {
    let rest = name.strip_prefix("_Z")?;
    let digits = rest.find(|c: char| !c.is_ascii_digit())?;
    rest[digits..].split_at_checked(rest[..digits].parse().ok()?)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn functions_of_opencl_are_known_by_their_names() {
        assert!(is_pure_call("_Z28dot_acc_sat_4x8packed_ss_intjji"));
        assert!(is_pure_call("_Z11bit_reversej"));
        assert!(is_pure_call("_Z7arm_dotDv4_hS_"));
        for other in [
            "_Z9elsewherei",
            "dot_acc_sat",
            "_Z20sub_group_reduce_addi",
            "_Z3dotPij",
            "_Z99doti",
            "_Z",
            "_Z7dot_newi",
            "_Z12arm_dot_morei",
        ] {
            assert!(!is_pure_call(other), "{other}");
        }
    }

    #[test]
    fn the_ends_of_each_range_are_what_they_are_taken_for() {
        for op in [
            Op::VectorExtractDynamic,
            Op::CompositeInsert,
            Op::SampledImage,
            Op::Image,
            Op::ImageQuerySamples,
            Op::ConvertFToU,
            Op::SatConvertUToS,
            Op::SNegate,
            Op::SMulExtended,
            Op::Any,
            Op::FUnordGreaterThanEqual,
            Op::ShiftRightLogical,
            Op::BitCount,
            Op::SizeOf,
            Op::PtrEqual,
            Op::PtrDiff,
            Op::SDot,
            Op::SUDotAccSat,
            Op::ExpectKHR,
        ] {
            assert!(is_pure(op), "{op:?}");
        }
        for op in [
            Op::CopyMemory,
            Op::ImageRead,
            Op::ImageWrite,
            Op::ImageSampleExplicitLod,
            Op::ConvertUToPtr,
            Op::PtrCastToGeneric,
            Op::AtomicLoad,
            Op::GroupAsyncCopy,
            Op::Load,
            Op::FunctionCall,
            Op::ReadPipe,
        ] {
            assert!(!is_pure(op) && !exchanges(op), "{op:?}");
        }
        for op in [
            Op::GroupAll,
            Op::GroupSMax,
            Op::GroupNonUniformElect,
            Op::GroupNonUniformQuadSwap,
            Op::GroupNonUniformRotateKHR,
            Op::SubgroupShuffleINTEL,
            Op::SubgroupShuffleXorINTEL,
        ] {
            assert!(exchanges(op), "{op:?}");
        }
        for op in [
            Op::AtomicLoad,
            Op::AtomicCompareExchangeWeak,
            Op::AtomicFlagTestAndSet,
            Op::AtomicFlagClear,
            Op::AtomicFMinEXT,
            Op::AtomicFMaxEXT,
            Op::AtomicFAddEXT,
        ] {
            assert!(is_atomic(op) && !commutes(op), "{op:?}");
        }
        for op in [Op::AtomicIIncrement, Op::AtomicXor] {
            assert!(is_atomic(op) && commutes(op), "{op:?}");
        }
        for op in [Op::ReadPipe, Op::GroupCommitWritePipe] {
            assert!(is_pipe(op), "{op:?}");
        }
    }
}
