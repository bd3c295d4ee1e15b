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

/// Returns whether an instruction exchanges values among work-items of a workgroup.
pub(super) fn exchanges(op: Op) -> bool {
    // Of a group; of those in it that are active; shuffles.
    matches!(op as u32, 261..=271 | 333..=366 | 5571..=5574)
}

/// Returns whether a SPIR-V instruction reads, writes or reserves space in a pipe.
pub(super) fn is_pipe(op: Op) -> bool {
    matches!(op as u32, 274..=288)
}

/// Returns whether a SPIR-V instruction is an atomic operation on memory.
pub(super) fn is_atomic(op: Op) -> bool {
    // Of integers, of flags, of floating-point numbers.
    matches!(op as u32, 227..=242 | 318 | 319 | 5614 | 5615 | 6035)
}

/// Returns whether an atomic operation on integers leaves the same number in any order: sums,
/// minima, maxima, bits.
pub(super) fn commutes(op: Op) -> bool {
    matches!(op as u32, 232..=242)
}

/// Functions of OpenCL C that translators leave as calls, and whose results depend on their arguments
/// alone: beginnings of their names.
const PURE: [&str; 7] = [
    "dot_4x8packed_",
    "dot_acc_sat_4x8packed_",
    "dot_acc_sat",
    "bit_reverse",
    "bitfield_insert",
    "bitfield_extract_",
    "arm_dot",
];

/// Returns whether a function without code, by its name in the module, is one of OpenCL C whose result
/// depends on its arguments alone.
pub(super) fn is_pure_call(name: &str) -> bool {
    // `_Z` and the length of the name stand before it.
    let digits = name.strip_prefix("_Z").map(|rest| rest.trim_start_matches(char::is_numeric));
    digits.is_some_and(|name| PURE.iter().any(|known| name.starts_with(known)))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn functions_of_opencl_are_known_by_their_names() {
        assert!(is_pure_call("_Z28dot_acc_sat_4x8packed_ss_intjji"));
        assert!(is_pure_call("_Z11bit_reversej"));
        for other in ["_Z9elsewherei", "dot_acc_sat", "_Z20sub_group_reduce_addi", "_Z3dotPij"] {
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
