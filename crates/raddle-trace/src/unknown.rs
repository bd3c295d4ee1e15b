//! How much of the kernel time of a profile belongs to kernels of unknown grid, workgroup or time?

use crate::profile::{Op, OpKind, Profile};

/// Numbers and durations of the kernels of a profile that are opaque or were left out of the
/// import.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct UnknownTime {
    /// Sum of the durations of all kernels of the file, including an estimate for those left out,
    /// in nanoseconds.
    pub kernel_ns: u64,
    /// Number of opaque kernels ([`Op::is_opaque`]).
    pub opaque: u64,
    /// Sum of the durations of the opaque kernels, in nanoseconds.
    pub opaque_ns: u64,
    /// Number of kernels that were left out because their records are malformed or have no possible
    /// time.
    pub left_out: u64,
    /// Number of kernels among [`left_out`](Self::left_out) whose times are impossible.
    pub timeless: u64,
    /// Estimated duration of the kernels that were left out, in nanoseconds: their number times the
    /// mean duration of the others.
    pub left_out_ns: u64,
}

impl UnknownTime {
    fn ns(&self) -> u64 {
        self.opaque_ns.saturating_add(self.left_out_ns)
    }

    /// Returns the fraction, 0 to 1, of the kernel time that belongs to opaque or left-out kernels.
    #[must_use]
    pub fn share(&self) -> f64 {
        self.ns() as f64 / self.kernel_ns.max(1) as f64
    }

    /// Returns whether opaque and left-out kernels make up more than a tenth of the kernel time, so
    /// that the other kernels say little about the recorded run.
    #[must_use]
    pub fn is_much(&self) -> bool {
        u128::from(self.ns()) * 10 > u128::from(self.kernel_ns)
    }
}

impl Profile {
    /// Returns how much of the profile's kernel time belongs to opaque and to left-out kernels.
    #[must_use]
    pub fn unknown_time(&self) -> UnknownTime {
        let kernels = || self.ops.iter().filter(|op| op.kind == OpKind::Kernel);
        let opaque = || kernels().filter(|op| op.is_opaque());
        let kept_ns = kernels().fold(0, sum);
        let left_out = self.report.left_out;
        let mean = u128::from(kept_ns) * u128::from(left_out) / (kernels().count().max(1) as u128);
        let left_out_ns = u64::try_from(mean).unwrap_or(u64::MAX);
        UnknownTime {
            kernel_ns: kept_ns.saturating_add(left_out_ns),
            opaque: opaque().count() as u64,
            opaque_ns: opaque().fold(0, sum),
            left_out,
            timeless: self.report.timeless,
            left_out_ns,
        }
    }
}

fn sum(ns: u64, op: &Op) -> u64 {
    ns.saturating_add(op.duration_ns)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_tenth_is_not_much() {
        let of = |opaque_ns, left_out_ns| UnknownTime {
            kernel_ns: 1000,
            opaque_ns,
            left_out_ns,
            ..UnknownTime::default()
        };
        assert!(!of(0, 0).is_much() && !of(100, 0).is_much() && !of(60, 40).is_much());
        assert!(of(101, 0).is_much() && of(0, 101).is_much() && of(51, 50).is_much());
        assert!((of(200, 50).share() - 0.25).abs() < 1e-9);
        assert!(!UnknownTime::default().is_much());
        assert!((UnknownTime::default().share()).abs() < 1e-9);
    }
}
