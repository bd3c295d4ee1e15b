//! Which of two kernels started first?

use serde::Serialize;

use super::both::Both;
use super::share;

/// Comparison of the order in which kernels started. It counts the pairs of kernels that started
/// one right after the other in the recording, and those of them that started in reverse order in
/// the simulation.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[serde(rename_all = "kebab-case")]
pub struct StartOrder {
    /// Number of pairs of kernels that started one right after the other in the recording, at
    /// different times. Kernels that did not run in the simulation are left out.
    pub pairs: u64,
    /// Number of the counted pairs whose order is reversed: the kernel that started later in the
    /// recording started earlier in the simulation. Equal simulated starts do not count.
    pub inverted: u64,
    /// Fraction of the pairs of neighbouring kernels whose order in the simulation is reversed, 0
    /// to 1.
    pub share: f64,
    /// Number of pairs of neighbouring kernels of the same stream whose order is reversed; such
    /// kernels overlap in the recording.
    pub inverted_in_stream: u64,
}

impl StartOrder {
    /// Counts the pairs of kernels with neighbouring recorded starts, and those pairs whose order
    /// is reversed in the simulation. `ops` must be in the order of their recorded starts, as in a
    /// profile.
    pub(super) fn of(ops: &[Both]) -> Self {
        let ran = |op: &Both| op.simulated.filter(|_| op.kernel && !op.refused);
        let starts = ops.iter().filter_map(|op| Some((op, ran(op)?.start)));
        let (mut pairs, mut inverted, mut inverted_in_stream) = (0, 0, 0);
        let mut last: Option<(&Both, i64)> = None;
        for (op, start) in starts {
            if let Some((before, earlier)) = last
                && before.recorded.start < op.recorded.start
            {
                pairs += 1;
                if start < earlier {
                    inverted += 1;
                    inverted_in_stream += u64::from(before.stream == op.stream);
                }
            }
            last = Some((op, start));
        }
        let share = share(i128::from(inverted), i128::from(pairs));
        Self { pairs, inverted, share, inverted_in_stream }
    }
}
