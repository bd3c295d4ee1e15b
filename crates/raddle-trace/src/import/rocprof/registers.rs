//! How many vector registers does a wave take of the register file on AMD?
//!
//! A wave takes the arch and the accumulation registers together: from gfx90a on both lie in one
//! file of 512 a work-item, and on gfx908 a wave takes equally many of either kind.
//!
//! rocprofiler-sdk counts them from the kernel's descriptor by rules for gfx90a and gfx94x, whose
//! granule is 8. For gfx95x it had none until May 2026 (ROCm/rocm-systems, pull request 5862) and
//! counted granules of 4 and no accumulation registers: half of what a wave takes. Such counts are
//! recognised by a number that is no multiple of 8, without a single accumulation register in the
//! file.

/// Vector registers of a kernel, as the profiler counts them.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct Registers {
    /// Vector registers of a work-item, without accumulation registers.
    pub(super) arch: u32,
    /// Accumulation registers of a work-item.
    pub(super) accum: u32,
}

impl Registers {
    /// Returns the number of registers that a work-item takes in the vector register file; `None`
    /// where the profiler counted none. `halved` is true where it counted only half of them.
    pub(super) fn budget(self, halved: bool) -> Option<u32> {
        let sum = self.arch.saturating_add(self.accum);
        let sum = if halved { sum.saturating_mul(2) } else { sum };
        (sum > 0).then_some(sum)
    }
}

/// Returns whether devices of the instruction set `arch` have a single register file, with granules
/// of 8, for vector and accumulation registers.
pub(super) fn is_unified(arch: &str) -> bool {
    arch.starts_with("gfx90a") || arch.starts_with("gfx94") || arch.starts_with("gfx95")
}

/// Returns whether the profiler counted only half of the registers because it took the device's
/// granules of 8 registers for granules of 4. The signs are that no kernel has accumulation
/// registers, and that some count is no multiple of 8.
pub(super) fn are_halved(mut counts: impl Iterator<Item = Registers>) -> bool {
    let mut odd = false;
    counts.all(|count| {
        odd |= count.arch % 8 != 0;
        count.accum == 0
    }) && odd
}

#[cfg(test)]
mod tests {
    use super::*;

    fn counts(counts: &[(u32, u32)]) -> impl Iterator<Item = Registers> {
        counts.iter().map(|&(arch, accum)| Registers { arch, accum })
    }

    #[test]
    fn counts_in_granules_of_4_are_told_from_those_of_8() {
        assert!(are_halved(counts(&[(0, 0), (128, 0), (12, 0)])));
        // An MI300X: the sum is a multiple of 8.
        assert!(!are_halved(counts(&[(12, 4), (8, 0), (128, 128)])));
        // Without an odd count there is no telling.
        assert!(!are_halved(counts(&[(128, 0), (8, 0)])));
        assert!(!are_halved(counts(&[])));
    }

    #[test]
    fn the_budget_is_the_sum_and_0_is_unknown() {
        assert_eq!(Registers { arch: 12, accum: 4 }.budget(false), Some(16));
        assert_eq!(Registers { arch: 128, accum: 0 }.budget(true), Some(256));
        assert_eq!(Registers::default().budget(true), None);
        assert_eq!(Registers { arch: u32::MAX, accum: 9 }.budget(true), Some(u32::MAX));
    }

    #[test]
    fn unified_register_files() {
        assert!(["gfx90a", "gfx942", "gfx950"].iter().all(|arch| is_unified(arch)));
        assert!(["gfx908", "gfx906", "gfx1100", ""].iter().all(|arch| !is_unified(arch)));
    }
}
