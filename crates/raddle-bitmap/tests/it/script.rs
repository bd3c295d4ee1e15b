//! Does any sequence of taking and giving back leave a map as plain booleans would be?
//!
//! A script is bytes: three say form and size, then four a step. The growable form grows, too. Shared by the test of the corpus
//! and by the fuzz target `bitmap`.

use raddle_bitmap::{Error, FixedMap, FreeMap, Map, Map64, Map128, Map2048, RunPlan, WordStore};

use crate::naive::{Naive, best_fit, worst_fit};

/// Steps of a script; the rest of the bytes is left.
const STEPS: usize = 400;

/// A growable map grows no further than to so many blocks, or the oracle would be all that runs.
const GROWN: u32 = 5_000;

/// Runs a script; panics when an answer is wrong.
pub(crate) fn run(bytes: &[u8]) {
    let [form, low, high, steps @ ..] = bytes else { return };
    let size = u32::from(u16::from_le_bytes([*low, *high]));
    match form % 6 {
        0 => Pair::<[u64; 1]>::of(size % Map64::MOST).run(steps),
        1 => Pair::<[u64; 2]>::of(size % Map128::MOST).run(steps),
        2 => Pair::<[u64; 3]>::of(size % FixedMap::<3>::MOST).run(steps),
        3 => Pair::<[u64; 9]>::of(size % FixedMap::<9>::MOST).run(steps),
        4 => Pair::<[u64; 32]>::of(size % Map2048::MOST).run(steps),
        _ => Pair::<Vec<u64>>::of(size % 2_500).run(steps),
    }
}

/// The most blocks of a form.
trait Most {
    const MOST: u32;
}

impl<S: WordStore> Most for Map<S> {
    const MOST: u32 = S::MOST;
}

/// A form that may be able to grow.
trait Grow {
    /// Adds so many blocks, or returns `None` where it cannot grow.
    fn grow(&mut self, by: u32) -> Option<Result<(), Error>>;
}

impl<const W: usize> Grow for FixedMap<W> {
    fn grow(&mut self, _: u32) -> Option<Result<(), Error>> {
        None
    }
}

impl Grow for FreeMap {
    fn grow(&mut self, by: u32) -> Option<Result<(), Error>> {
        Some(Self::grow(self, by))
    }
}

/// A map and the oracle.
struct Pair<S> {
    map: Map<S>,
    naive: Naive,
    held: Vec<(u32, u32)>,
    /// A plan that waits while others are taken.
    late: Option<RunPlan>,
}

impl<S: WordStore> Pair<S>
where
    Map<S>: Grow,
{
    /// One block more than said, so that there is one.
    fn of(size: u32) -> Self {
        let map = Map::new(size + 1).expect("1 to MOST blocks");
        Self { map, naive: Naive(vec![true; size as usize + 1]), held: Vec::new(), late: None }
    }

    fn run(mut self, steps: &[u8]) {
        let (steps, _) = steps.as_chunks::<4>();
        for &[what, len, low, high] in steps.iter().take(STEPS) {
            let at = u32::from(u16::from_le_bytes([low, high]));
            // Now and then longer than a word, or than the map.
            let len = if what >= 128 { u32::from(len) * 9 } else { u32::from(len) % 80 };
            self.step(what % 9, len, at);
            assert_eq!(self.map.free_blocks() as usize, self.count());
        }
        assert_eq!(self.map.longest() as usize, self.naive.longest());
        let free = (0..self.map.blocks()).map(|block| self.map.is_free(block));
        assert!(free.eq(self.naive.0.iter().copied()));
    }

    fn count(&self) -> usize {
        self.naive.0.iter().filter(|&&free| free).count()
    }

    fn step(&mut self, what: u8, len: u32, at: u32) {
        match what {
            0 | 1 => {
                let from = if what == 0 { 0 } else { at };
                let found = self.naive.first_fit_from(from as usize, len as usize);
                self.take(self.map.first_fit_from(from, len), found, len);
            }
            2 => self.take(self.map.best_fit(len), best_fit(&self.naive.runs(), len as usize), len),
            3 => {
                self.take(
                    self.map.worst_fit(len),
                    worst_fit(&self.naive.runs(), len as usize),
                    len,
                );
            }
            4 if !self.held.is_empty() => {
                let (start, len) = self.held.swap_remove(at as usize % self.held.len());
                self.release(start, len);
            }
            4 | 5 => self.release(at, len),
            6 => self.late = self.map.fit_at(at, len),
            7 => self.grow(len, at),
            _ => {
                if let Some(late) = self.late.take() {
                    self.commit(late);
                }
                assert_eq!(self.map.longest() as usize, self.naive.longest());
            }
        }
    }

    fn take(&mut self, plan: Option<RunPlan>, found: Option<usize>, len: u32) {
        assert_eq!(plan.as_ref().map(|plan| plan.start() as usize), found, "{len}: {:?}", self.map);
        if let Some(plan) = plan {
            self.held.push((plan.start(), plan.len()));
            self.commit(plan);
        }
    }

    /// Takes a plan, which may be late.
    fn commit(&mut self, plan: RunPlan) {
        let (start, len) = (plan.start(), plan.len());
        let possible = self.naive.all(start as usize, len as usize, true);
        assert_eq!(self.map.commit(plan).ok(), possible.then_some(start));
        if possible {
            self.naive.set(start as usize, len as usize, false);
        }
    }

    /// Adds blocks, or so many that there cannot be: then nothing changes.
    fn grow(&mut self, len: u32, at: u32) {
        if at == 0 {
            let refused = self.map.grow(u32::MAX);
            assert!(refused.is_none_or(|refused| refused.is_err()));
        } else if self.map.blocks() < GROWN && self.map.grow(len).is_some() {
            self.naive.0.resize(self.naive.0.len() + len as usize, true);
            assert_eq!(self.map.blocks() as usize, self.naive.0.len());
        }
    }

    fn release(&mut self, start: u32, len: u32) {
        let possible = self.naive.all(start as usize, len as usize, false);
        assert_eq!(self.map.release(start, len).is_ok(), possible, "{len} from {start}");
        if possible {
            self.naive.set(start as usize, len as usize, true);
        }
    }
}
