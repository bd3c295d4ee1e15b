//! Which of two kernels started first?

use serde::Serialize;

use super::both::Both;
use super::share;

/// Kernels next to each other by recorded start, compared with their simulated starts.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[serde(rename_all = "kebab-case")]
pub struct StartOrder {
    /// Neighbours among the kernels that ran, by recorded start, whose recorded starts differ.
    pub pairs: u64,
    /// Pairs of which the later kernel started earlier in the simulation. Pairs with equal starts
    /// there do not count.
    pub inverted: u64,
    /// The share of the pairs that are inverted.
    pub share: f64,
    /// Inverted pairs of which both kernels are in one stream: they overlap in the recording.
    pub inverted_in_stream: u64,
}

impl StartOrder {
    /// Counts the inversions; the ops are in the order of their recorded starts, as in a profile.
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
