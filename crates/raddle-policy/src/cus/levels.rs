//! Which SIMDs do waves go to, one after the other to the one with most room?

use super::Split;
use crate::MAX_SIMDS;

/// Distributes `n` waves over SIMDs, each to the SIMD with the most room, or the lowest of these.
/// `levels` has the room of each SIMD, and is reduced. Returns the number of waves for each SIMD;
/// `None`, with nothing taken, if all SIMDs together have room for fewer than `n`.
#[must_use]
#[doc(hidden)]
pub fn take_highest(levels: &mut [u16], n: u32) -> Option<Split> {
    let mut taken = [0u16; MAX_SIMDS];
    let (mut sum, mut low, mut high) = (0u32, u16::MAX, 0u16);
    for &level in levels.iter() {
        sum += u32::from(level);
        low = low.min(level);
        high = high.max(level);
    }
    if n > sum {
        return None;
    }
    if n == sum || low == high {
        // Everything is taken, or all levels are equal: the two cases that uniform rounds meet.
        let count = levels.len() as u32;
        for (position, level) in (0u32..).zip(levels.iter_mut()) {
            let even = n / count + u32::from(position < n % count);
            let n = if n == sum { *level } else { even as u16 };
            *level -= n;
            taken[position as usize] = n;
        }
        return Some(taken);
    }
    take_in_layers(levels, n, &mut taken);
    Some(taken)
}

fn take_in_layers(levels: &mut [u16], n: u32, taken: &mut Split) {
    let mut left = n;
    while left > 0 {
        let top = levels.iter().copied().max().unwrap_or(0);
        let next = levels.iter().copied().filter(|&level| level < top).max().unwrap_or(0);
        let tops = levels.iter().filter(|&&level| level == top).count() as u32;
        // Whole layers are taken off all the highest levels at once, then one each off the lowest
        // positions.
        let layers = (u32::from(top - next)).min(left / tops);
        let mut extra = if layers == 0 { left } else { 0 };
        for (position, level) in levels.iter_mut().enumerate().filter(|(_, level)| **level == top) {
            let n = if layers > 0 { layers as u16 } else { u16::from(extra > 0) };
            extra = extra.saturating_sub(1);
            *level -= n;
            taken[position] += n;
            left -= u32::from(n);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn take_one_by_one(levels: &mut [u16], n: u32) -> Option<Split> {
        let mut taken = [0u16; MAX_SIMDS];
        for _ in 0..n {
            let top = *levels.iter().max()?;
            let position = levels.iter().position(|&level| level == top && top > 0)?;
            levels[position] -= 1;
            taken[position] += 1;
        }
        Some(taken)
    }

    #[test]
    fn taking_at_once_equals_taking_one_by_one() {
        for code in 0..5u32.pow(4) {
            let levels = [code % 5, code / 5 % 5, code / 25 % 5, code / 125].map(|n| n as u16);
            for n in 0..=levels.iter().sum::<u16>() + 1 {
                let (mut bulk, mut single) = (levels, levels);
                let expected = take_one_by_one(&mut single, u32::from(n));
                assert_eq!(take_highest(&mut bulk, u32::from(n)), expected, "{levels:?} minus {n}");
            }
        }
    }
}
