//! Does any sequence of taking and giving back leave a map as plain booleans would be?
//!
//! A script is bytes: three say how large and whether it grows, then four a step. Shared by the test of the corpus
//! and by the fuzz target `bitmap`.

use raddle_bitmap::{FreeMap, RunPlan};

use crate::naive::{Naive, best_fit, worst_fit};

/// Most steps of a script that are run; the rest of the bytes is ignored.
const STEPS: usize = 400;

/// Most blocks to which a script lets a map grow, or the slow oracle (a map of plain booleans)
/// would take all the time.
const GROWN: u32 = 5_000;

/// Runs a script of takings and releases on a map and on the oracle (a map of plain booleans);
/// panics when an answer is wrong.
pub(crate) fn run(bytes: &[u8]) {
    let [form, low, high, steps @ ..] = bytes else { return };
    let size = u32::from(u16::from_le_bytes([*low, *high]));
    // Sizes of one word, of two, of a few, and of many.
    let most = [64, 128, 192, 576, 2_048, 2_500][usize::from(form % 6)];
    Pair::of(size % most, most == 2_500).run(steps);
}

/// A map under test and the oracle, a map of plain booleans.
struct Pair {
    map: FreeMap,
    grows: bool,
    naive: Naive,
    held: Vec<(u32, u32)>,
    /// A plan that waits, while others are taken, to be taken late; `None` where none waits.
    late: Option<RunPlan>,
}

impl Pair {
    /// Makes a map and its oracle (a map of plain booleans) of `size` + 1 blocks, all free.
    fn of(size: u32, grows: bool) -> Self {
        let map = FreeMap::new(size + 1).expect("a block");
        Self {
            map,
            grows,
            naive: Naive(vec![true; size as usize + 1]),
            held: Vec::new(),
            late: None,
        }
    }

    fn run(mut self, steps: &[u8]) {
        let (steps, _) = steps.as_chunks::<4>();
        for &[what, len, low, high] in steps.iter().take(STEPS) {
            let at = u32::from(u16::from_le_bytes([low, high]));
            // Now and then a run is longer than a word, or than the map.
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

    /// Takes the blocks of a plan from the map and its oracle; the plan may be late, and must then
    /// be refused.
    fn commit(&mut self, plan: RunPlan) {
        let (start, len) = (plan.start(), plan.len());
        let possible = self.naive.all(start as usize, len as usize, true);
        assert_eq!(self.map.commit(plan).ok(), possible.then_some(start));
        if possible {
            self.naive.set(start as usize, len as usize, false);
        }
    }

    /// Adds blocks to the map, or so many that it refuses: then nothing changes.
    fn grow(&mut self, len: u32, at: u32) {
        if at == 0 {
            assert!(self.map.grow(u32::MAX).is_err());
        } else if self.map.blocks() < GROWN && self.grows {
            self.map.grow(len).expect("not so many");
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
