//! For which batch size does a host capture, or launch, a graph?
//!
//! A named range of the host's time around the call holds the batch size: `capture_32_FULL` and
//! `execute_32_context_...` of vLLM, or `step[DECODE bs=32 ...]`. The size is the first number of
//! the name that is a word of its own. In `execute_context_0(0)_generation_32(32)` the numbers of
//! tokens stand in parentheses and are added up.

use std::cmp::Reverse;

use super::event::{KinetoEvent, times};
use crate::import::document::string;

/// Ranges of the host's time whose names hold a batch size, as (begin, end, batch size); times in
/// nanoseconds.
#[derive(Debug, Default)]
pub(super) struct BatchRanges(Vec<(i64, i64, u64)>);

impl BatchRanges {
    /// Adds the range of the host's time that this event describes, if its name holds a batch size.
    pub(super) fn take(&mut self, event: &KinetoEvent<'_>) {
        let named = event.name.and_then(string).and_then(|name| batch_of(&name));
        if let (Some(size), Some((start, lasts))) = (named, times(event)) {
            self.0.push((start.nanos, start.nanos.saturating_add(lasts.nanos), size));
        }
    }

    pub(super) fn len(&self) -> usize {
        self.0.len()
    }

    /// Sorts the ranges by begin, the longest first among those with equal begins; the look-up by
    /// time, [`Self::at`], needs this order.
    pub(super) fn sort(&mut self) {
        self.0.sort_unstable_by_key(|&(begin, end, size)| (begin, Reverse(end), size));
    }

    /// Returns the batch size that the innermost range around this time (nanoseconds) names; `None`
    /// where no range contains the time.
    pub(super) fn at(&self, time: i64) -> Option<u64> {
        let behind = self.0.partition_point(|&(begin, ..)| begin <= time);
        self.0[..behind].iter().rev().find(|&&(_, end, _)| end >= time).map(|&(.., size)| size)
    }
}

fn batch_of(name: &str) -> Option<u64> {
    if name.starts_with("ProfilerStep") {
        return None;
    }
    if let Some(counts) = name.strip_prefix("execute_context_") {
        // The first number stands before the parentheses.
        let tokens = counts.split(['(', ')']).filter_map(|word| word.parse::<u64>().ok()).skip(1);
        return Some(tokens.fold(0, u64::saturating_add));
    }
    name.split(|c: char| !c.is_ascii_alphanumeric()).find_map(|word| word.parse().ok())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_tell_sizes() {
        for (name, size) in [
            ("capture_32_FULL", Some(32)),
            ("execute_32_context_0(sq0sk0sqsq0sqsk0)_generation_32(sq32sk5)", Some(32)),
            ("execute_context_1(70)_generation_32(32)", Some(102)),
            ("step[DECODE bs=8 toks=16]", Some(8)),
            ("## Call CompiledFxGraph f4ii27ddivzklxr54hd45 ##", None),
            ("ProfilerStep#5", None),
            ("", None),
        ] {
            assert_eq!(batch_of(name), size, "{name}");
        }
    }

    #[test]
    fn the_innermost_range_counts() {
        let mut ranges = BatchRanges(vec![(50, 60, 4), (0, 100, 1), (10, 20, 2), (10, 40, 3)]);
        ranges.sort();
        let at = [-1, 0, 15, 20, 30, 45, 55, 100, 101].map(|time| ranges.at(time));
        let of = |n| Some(n);
        assert_eq!(at, [None, of(1), of(2), of(2), of(3), of(1), of(4), of(1), None]);
    }
}
