//! Which of two kernels started first?

use serde::Serialize;

use super::both::Both;
use super::share;

/// Comparison of the order in which kernels started: of kernels that started one right after the
/// other in the recording, how many started in the other order in the simulation.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[serde(rename_all = "kebab-case")]
pub struct StartOrder {
    /// Number of pairs of kernels that started one right after the other in the recording, at
    /// different times. Only kernels that ran in the simulation count.
    pub pairs: u64,
    /// Number of pairs of neighbouring kernels whose order is reversed: the one that started later
    /// in the recording started earlier in the simulation. Pairs with equal simulated starts do not
    /// count.
    pub inverted: u64,
    /// Fraction of the pairs of neighbouring kernels whose order in the simulation is the reverse
    /// of that in the recording.
    pub share: f64,
    /// Number of pairs of neighbouring kernels whose order is reversed and which are in one stream;
    /// such kernels overlap in the recording.
    pub inverted_in_stream: u64,
}

impl StartOrder {
    /// Counts the pairs of neighbouring kernels and those with reversed order; `ops` are in the
    /// order of their recorded starts, as in a profile.
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
