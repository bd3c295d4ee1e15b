//! How are maps measured that do not lie side by side?

use super::kernel::Measurer;
use super::longest::bytes;
use crate::runs;

/// Maps measured at a time: as many as the widest kernel lays side by side.
pub(crate) const PART: usize = 64;

/// Fewer maps than this are measured one by one: a batch costs as much for one map as for all.
const FEW: usize = 6;

/// Words of the largest map that is worth copying; a larger one is a batch by itself.
const SMALL: usize = 4;

/// The longest runs of `count` maps, at most [`PART`]; 0 behind them.
pub(crate) fn gathered<'a, const W: usize>(
    count: usize,
    map: impl Fn(usize) -> &'a [u64; W],
) -> [u32; PART] {
    let mut longest = [0; PART];
    if W > SMALL || count < FEW {
        for (at, longest) in longest.iter_mut().enumerate().take(count) {
            *longest = runs::longest(map(at));
        }
        return longest;
    }
    // Always all of them, so that none is left over for a slower way.
    let (mut maps, mut answers) = ([[0; W]; PART], [0; PART]);
    for (at, words) in maps.iter_mut().enumerate().take(count) {
        *words = *map(at);
    }
    bytes(Measurer::best(), &maps, &mut answers);
    for ((longest, &byte), map) in longest.iter_mut().zip(&answers).zip(&maps) {
        let exact = byte < u8::MAX;
        *longest = if exact { u32::from(byte) } else { runs::longest(map) };
    }
    longest
}
