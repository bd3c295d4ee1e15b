//! How fast is a list of free runs, as gem5's pool of registers keeps one?
//!
//! First fit over the list in the order of the addresses; what is given back is joined with its
//! neighbours at once, so that no pass over the list has to tidy up.

use crate::contender::{Contender, FirstFit, Longest, Pool, runs};

/// A free run.
#[derive(Clone, Copy)]
struct Run {
    start: u32,
    len: u32,
}

pub(crate) struct Gem5<const W: usize>(Vec<Run>);

impl<const W: usize> Contender for Gem5<W> {
    const NAME: &'static str = "gem5";

    fn of(words: &[u64]) -> Self {
        Self(runs(words).into_iter().map(|(start, end)| Run { start, len: end - start }).collect())
    }
}

impl<const W: usize> Longest for Gem5<W> {
    #[inline]
    fn longest(&self) -> u32 {
        self.0.iter().map(|run| run.len).max().unwrap_or(0)
    }
}

impl<const W: usize> FirstFit for Gem5<W> {
    #[inline]
    fn first_fit(&mut self, want: u32) -> Option<u32> {
        self.0.iter().find(|run| run.len >= want).map(|run| run.start)
    }
}

impl<const W: usize> Pool for Gem5<W> {
    type Held = u32;

    fn empty() -> Self {
        Self(vec![Run { start: 0, len: 64 * W as u32 }])
    }

    #[inline]
    fn take(&mut self, len: u32) -> Option<u32> {
        let at = self.0.iter().position(|run| run.len >= len)?;
        let run = &mut self.0[at];
        let start = run.start;
        if run.len == len {
            self.0.remove(at);
        } else {
            *run = Run { start: start + len, len: run.len - len };
        }
        Some(start)
    }

    #[inline]
    fn give(&mut self, start: u32, len: u32) {
        let list = &mut self.0;
        let at = list.iter().position(|run| run.start > start).unwrap_or(list.len());
        let joins_above = list.get(at).is_some_and(|above| above.start == start + len);
        let below = at.checked_sub(1).filter(|&below| list[below].start + list[below].len == start);
        match (below, joins_above) {
            (Some(below), true) => {
                list[below].len += len + list[at].len;
                list.remove(at);
            }
            (Some(below), false) => list[below].len += len,
            (None, true) => list[at] = Run { start, len: len + list[at].len },
            (None, false) => list.insert(at, Run { start, len }),
        }
    }

    fn start(held: u32) -> u32 {
        held
    }
}
