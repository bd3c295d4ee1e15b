//! Are pieces grouped by compute units as a naive list groups them?

use raddle_policy::{CuId, Piece};

#[test]
fn neighbours_of_any_number_are_one_group_until_a_count_or_a_unit_differs() {
    let naive = |pieces: &[Piece]| {
        let next = |a: &Piece, b: &Piece| a.count == b.count && a.cu.index() + 1 == b.cu.index();
        let group = |run: &[Piece]| {
            let first = run[0].cu.index();
            (first..first + run.len(), run[0].count)
        };
        pieces.chunk_by(next).map(group).collect::<Vec<_>>()
    };
    for len in 0..40u16 {
        for odd in 0..=len {
            for more in [0, 1] {
                // From piece number `odd` on, each piece has one more workgroup, or its compute
                // unit is one higher.
                let piece = |at: u16| Piece {
                    first: at.into(),
                    stride: 1,
                    count: 3 + if at >= odd { more } else { 0 },
                    cu: CuId(7 + at + u16::from(at >= odd && more == 0)),
                };
                let pieces: Vec<Piece> = (0..len).map(piece).collect();
                let found: Vec<_> = Piece::by_units(&pieces).collect();
                assert_eq!(found, naive(&pieces), "{len} {odd} {more}");
            }
        }
    }
    // A compute unit beyond the last one is not mistaken for the first unit with one workgroup
    // more.
    let ends = [(u32::MAX, u16::MAX), (u32::MAX, 0), (1, u16::MAX), (2, 0)];
    let ends = ends.map(|(count, cu)| Piece { first: 0, stride: 1, count, cu: CuId(cu) });
    assert_eq!(Piece::by_units(&ends).count(), 4);
}
