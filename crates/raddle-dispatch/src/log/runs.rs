//! How are the pieces of a round written shortly?

use raddle_policy::{CuId, Piece};

/// Equal pieces on neighbouring compute units: `first + i` is the first workgroup on `cu + i`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Run {
    /// The piece on the lowest compute unit.
    pub piece: Piece,
    /// How many compute units.
    pub cus: u16,
}

/// Joins neighbouring pieces into runs, in order.
pub fn runs(pieces: &[Piece]) -> impl Iterator<Item = Run> {
    let continues = |a: &Piece, b: &Piece| {
        a.first.checked_add(1) == Some(b.first)
            && a.cu.0.checked_add(1) == Some(b.cu.0)
            && (a.stride, a.count) == (b.stride, b.count)
    };
    pieces.chunk_by(continues).map(|run| Run {
        piece: run[0],
        // Compute units rise by one along a run and are u16.
        cus: run.len() as u16,
    })
}

/// The pieces of a run, lowest compute unit first.
pub fn expand(run: Run) -> impl Iterator<Item = Piece> {
    (0..run.cus).map(move |i| Piece {
        first: run.piece.first.saturating_add(u64::from(i)),
        cu: CuId(run.piece.cu.0.saturating_add(i)),
        ..run.piece
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_uniform_round_is_one_run_and_comes_back() {
        let piece = |i: u16| Piece { first: 7 + u64::from(i), stride: 80, count: 4, cu: CuId(i) };
        let round: Vec<Piece> = (0..80).map(piece).collect();
        let written: Vec<Run> = runs(&round).collect();
        assert_eq!(written.len(), 1);
        assert_eq!(expand(written[0]).collect::<Vec<_>>(), round);
    }

    #[test]
    fn a_change_of_count_or_a_gap_starts_a_new_run() {
        let piece = |first, count, cu| Piece { first, stride: 3, count, cu: CuId(cu) };
        let round = [piece(0, 2, 0), piece(1, 2, 1), piece(2, 1, 2), piece(9, 1, 3)];
        assert_eq!(runs(&round).map(|run| run.cus).collect::<Vec<_>>(), [2, 1, 1]);
        assert_eq!(runs(&round).flat_map(expand).collect::<Vec<_>>(), round);
    }
}
