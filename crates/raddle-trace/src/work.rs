//! How many bytes must a launch move, and which resource does it need most by that?
//!
//! Some profiles give the shapes of the tensors of the PyTorch op that made a launch. Each tensor
//! is counted once, so the bytes are the least that the launch moves; caches and repeated reads are
//! not counted. All amounts are whole numbers.

use crate::KernelNeed;

/// Memory bandwidth, in thousandths of the device's peak: a launch that moves bytes at this rate or
/// faster counts as limited by memory.
const HALF: u64 = 500;
/// Number of arithmetic operations per byte: a launch that does fewer counts as limited by memory.
/// The matrix units of every known device do more than this in the time in which the memory moves a
/// byte.
const FEW: u64 = 16;

/// Work of one launch, derived from the shapes of the tensors of the PyTorch op that launched it.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct LaunchWork {
    /// Least number of bytes that the launch must read and write.
    pub bytes: u64,
    /// Number of multiplications and additions in matrix products, convolutions and attention; 0
    /// for other work, which does few per byte.
    pub flops: u64,
}

impl LaunchWork {
    /// Returns (resource that a launch with this work needs most, its memory bandwidth in
    /// thousandths of the peak). The launch lasts `duration_ns`, and the memory of its device moves
    /// at most `peak` bytes per microsecond. `None` where the bytes, the duration or the peak are
    /// 0.
    ///
    /// ```
    /// use raddle_trace::{KernelNeed, LaunchWork};
    /// // 4 MB in 2 us on an H200 (4,800 bytes/ns), by work on each element and by a large product.
    /// let of = |flops| LaunchWork { bytes: 4_000_000, flops }.need(2_000, 4_800_000);
    /// assert_eq!(of(0), Some((KernelNeed::Memory, 416)));
    /// assert_eq!(of(1 << 30), Some((KernelNeed::Compute, 416)));
    /// ```
    #[must_use]
    pub fn need(&self, duration_ns: u64, peak: u64) -> Option<(KernelNeed, u64)> {
        let most = u128::from(duration_ns) * u128::from(peak);
        if most == 0 || self.bytes == 0 {
            return None;
        }
        // Bytes a microsecond are thousandths of bytes a nanosecond.
        let permille = u128::from(self.bytes) * 1_000_000 / most;
        // More than the peak came from caches.
        let permille = u64::try_from(permille).unwrap_or(u64::MAX).min(1000);
        let reads = permille >= HALF || self.flops / FEW < self.bytes;
        Some((if reads { KernelNeed::Memory } else { KernelNeed::Compute }, permille))
    }
}

/// Work (bytes moved and arithmetic) of one op of a profile.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct OpWork {
    /// The op, as an index in [`Profile::ops`](crate::Profile::ops).
    pub op: u32,
    /// Least number of bytes that the op moves, and of operations that it does.
    pub work: LaunchWork,
}

/// Works (bytes moved and arithmetic) of the ops of an import that may still sort its ops and leave
/// some out.
#[derive(Debug, Default)]
pub(crate) struct DraftWorks {
    /// For each op the index of its work in `all` plus 1, or 0 where the work is unknown; empty
    /// where no op has known work.
    of: Vec<u32>,
    all: Vec<LaunchWork>,
}

impl DraftWorks {
    /// Builds the works of an import's ops; `of` has for each op the index of its work in `all`
    /// plus 1, or 0 where the work is unknown.
    pub(crate) fn new(of: Vec<u32>, all: Vec<LaunchWork>) -> Self {
        Self { of, all }
    }

    /// Removes the works of those ops for which `keep` is false; `keep` is called once for each op,
    /// in order.
    pub(crate) fn retain(&mut self, mut keep: impl FnMut() -> bool) {
        self.of.retain(|_| keep());
    }

    /// Reorders the works as the ops are sorted: by `key`, called with an op's index; ops with
    /// equal keys keep their order.
    pub(crate) fn sort_by_key(&mut self, key: impl Fn(usize) -> u64) {
        let mut order: Vec<usize> = (0..self.of.len()).collect();
        order.sort_by_key(|&at| key(at));
        self.of = order.into_iter().map(|at| self.of[at]).collect();
    }

    /// Returns the ops whose work is known, with that work.
    pub(crate) fn known(&self) -> Vec<OpWork> {
        let of = |(op, &work): (u32, &u32)| {
            let work = *self.all.get((work as usize).checked_sub(1)?)?;
            Some(OpWork { op, work })
        };
        (0..).zip(&self.of).filter_map(of).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_launch_needs_what_it_moves_and_computes() {
        use KernelNeed::{Compute, Memory};
        // 900 bytes/ns for 10 us are 9 MB.
        let of = |bytes, flops| LaunchWork { bytes, flops }.need(10_000, 900_000);
        assert_eq!(of(4_500_000, u64::MAX), Some((Memory, 500)), "half of the peak");
        assert_eq!(of(4_499_999, u64::MAX), Some((Compute, 499)));
        assert_eq!(of(900_000, 16 * 900_000), Some((Compute, 100)));
        assert_eq!(of(900_000, 16 * 900_000 - 1), Some((Memory, 100)), "few rows");
        assert_eq!(of(90_000_000, 0), Some((Memory, 1000)), "ten times the peak: from caches");
        assert_eq!(of(u64::MAX, 0), Some((Memory, 1000)));
        assert_eq!(of(0, 7), None);
        assert_eq!(LaunchWork { bytes: 1, flops: 0 }.need(0, 900_000), None);
    }
}
