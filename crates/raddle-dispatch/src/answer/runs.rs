//! How does a decision log join pieces (equal workgroups on one compute unit) to short runs?

use raddle_policy::{CuId, Piece};
use serde::{Deserialize, Serialize};

/// A run of equal pieces (workgroups on one compute unit) on neighbouring compute units. The run
/// begins with `piece`; on each further compute unit, the number of the first workgroup is higher
/// by `step`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(from = "WrittenRun", into = "WrittenRun")]
pub(crate) struct PieceRun {
    /// The piece (equal workgroups) on the first compute unit of the run.
    pub(crate) piece: Piece,
    /// The number of neighbouring compute units that have a piece of the run.
    pub(crate) cus: u16,
    /// The difference between the numbers of the first workgroups on neighbouring compute units; 1
    /// for a single compute unit.
    step: u64,
}

/// A run of equal pieces as a log spells it: (first workgroup, distance between the workgroups of
/// one compute unit, workgroups on each unit, first compute unit, number of compute units). A sixth
/// number, if it is not 1, is the distance between the first workgroups of neighbouring units.
#[derive(Serialize, Deserialize)]
#[serde(untagged, expecting = "a run is [first, stride, count, cu, cus], or the same and the step")]
enum WrittenRun {
    Even(u64, u32, u32, CuId, u16),
    Stepped(u64, u32, u32, CuId, u16, u64),
}

impl From<PieceRun> for WrittenRun {
    fn from(PieceRun { piece: Piece { first, stride, count, cu }, cus, step }: PieceRun) -> Self {
        match step {
            1 => Self::Even(first, stride, count, cu, cus),
            _ => Self::Stepped(first, stride, count, cu, cus, step),
        }
    }
}

impl From<WrittenRun> for PieceRun {
    fn from(written: WrittenRun) -> Self {
        let (first, stride, count, cu, cus, step) = match written {
            WrittenRun::Even(first, stride, count, cu, cus) => (first, stride, count, cu, cus, 1),
            WrittenRun::Stepped(first, stride, count, cu, cus, step) => {
                (first, stride, count, cu, cus, step)
            }
        };
        Self { piece: Piece { first, stride, count, cu }, cus, step }
    }
}

impl PieceRun {
    /// Returns this run of pieces with `from` subtracted from the number of its first workgroup;
    /// `from` must not be greater than that number.
    pub(crate) const fn counted_from(self, from: u64) -> Self {
        let first = self.piece.first.saturating_sub(from);
        Self { piece: Piece { first, ..self.piece }, ..self }
    }

    /// Returns the pieces (equal workgroups on one compute unit) of the run, the lowest compute
    /// unit first.
    #[cfg(feature = "recipes")]
    pub(crate) fn expand(self) -> impl Iterator<Item = Piece> {
        (0..self.cus).map(move |i| Piece {
            first: self.piece.first.saturating_add(self.step.saturating_mul(u64::from(i))),
            cu: CuId(self.piece.cu.0.saturating_add(i)),
            ..self.piece
        })
    }
}

/// Joins equal pieces (workgroups on one compute unit) on neighbouring compute units into runs, in
/// their order.
pub(crate) fn runs(pieces: &[Piece]) -> impl Iterator<Item = PieceRun> {
    let mut rest = pieces;
    core::iter::from_fn(move || {
        let piece = *rest.first()?;
        let step = rest.get(1).and_then(|next| next.first.checked_sub(piece.first)).unwrap_or(1);
        let continues = |pair: &[Piece]| {
            pair[0].first.checked_add(step) == Some(pair[1].first)
                && pair[0].cu.0.checked_add(1) == Some(pair[1].cu.0)
                && (pair[0].stride, pair[0].count) == (pair[1].stride, pair[1].count)
        };
        let len = 1 + rest.windows(2).take_while(|pair| continues(pair)).count();
        rest = &rest[len..];
        // Compute units rise by one along a run, so its length is a u16.
        Some(PieceRun { piece, cus: len as u16, step: if len == 1 { 1 } else { step } })
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_uniform_round_is_one_run_and_comes_back() {
        let piece = |i: u16| Piece { first: 7 + u64::from(i), stride: 80, count: 4, cu: CuId(i) };
        let round: Vec<Piece> = (0..80).map(piece).collect();
        let written: Vec<PieceRun> = runs(&round).collect();
        assert_eq!(written.len(), 1);
        assert_eq!(written[0].expand().collect::<Vec<_>>(), round);
    }

    #[test]
    fn compute_units_filled_one_after_the_other_are_one_run() {
        let piece = |i: u16| Piece { first: 8 * u64::from(i), stride: 1, count: 8, cu: CuId(i) };
        let round: Vec<Piece> = (0..80).map(piece).collect();
        let written: Vec<PieceRun> = runs(&round).collect();
        assert_eq!((written.len(), written[0].step), (1, 8));
        assert_eq!(written[0].expand().collect::<Vec<_>>(), round);
    }

    #[test]
    fn a_change_of_count_or_a_gap_starts_a_new_run() {
        let piece = |first, count, cu| Piece { first, stride: 3, count, cu: CuId(cu) };
        let round =
            [piece(0, 2, 0), piece(1, 2, 1), piece(2, 1, 2), piece(9, 1, 3), piece(10, 1, 5)];
        assert_eq!(runs(&round).map(|run| run.cus).collect::<Vec<_>>(), [2, 2, 1]);
        assert_eq!(runs(&round).flat_map(PieceRun::expand).collect::<Vec<_>>(), round);
    }
}
