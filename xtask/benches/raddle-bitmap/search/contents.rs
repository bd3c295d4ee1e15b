//! What do the maps hold that everything is measured on?
//!
//! Maps of `64 * W` blocks as plain words, 1 = free, the same in every run. `Churn` is what first
//! fit leaves behind: requests of 4 to 32 blocks, and releases that hold the use at 50 to 95
//! percent. The other kinds free each block by itself, with one chance in two, one in four, or
//! three in four.

use crate::contender::{Pool, longest_of};
use crate::yardsticks::linux::Linux;

/// The shortest and the longest request, in blocks.
pub(crate) const WANT: (u32, u32) = (4, 32);
/// Between which levels churn holds the use, in percent of the blocks.
const USED_PERCENT: (u32, u32) = (50, 95);

/// A kind of contents.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Kind {
    Churn,
    Rand50,
    Free25,
    Free75,
}

impl Kind {
    pub(crate) const ALL: [Self; 4] = [Self::Churn, Self::Rand50, Self::Free25, Self::Free75];

    pub(crate) const fn name(self) -> &'static str {
        match self {
            Self::Churn => "churn",
            Self::Rand50 => "rand50",
            Self::Free25 => "free25",
            Self::Free75 => "free75",
        }
    }

    /// `count` maps of this kind, and whether they are what they are meant to be.
    pub(crate) fn maps<const W: usize>(self, count: usize) -> Vec<[u64; W]> {
        let mut random = Random(0x5eed ^ W as u64);
        if self == Self::Churn {
            return churned(count, &mut random);
        }
        let mut word = || match (self, random.next(), random.next()) {
            (Self::Free25, one, two) => one & two,
            (Self::Free75, one, two) => one | two,
            (_, one, _) => one,
        };
        (0..count).map(|_| core::array::from_fn(|_| word())).collect()
    }

    /// Between which the mean longest run of such maps lies, in blocks: other contents would be
    /// another benchmark.
    fn mean_longest(self, blocks: usize) -> (f64, f64) {
        match (self, blocks) {
            (Self::Churn, 64) => (15.0, 18.0),
            (Self::Churn, 128) => (24.0, 28.0),
            (Self::Churn, _) => (220.0, 280.0),
            // Of n blocks that are free with a chance of p: about the logarithm of n (1 - p) to
            // the base 1 / p, and a little.
            (Self::Rand50, 64) => (4.8, 5.7),
            (Self::Rand50, 128) => (5.8, 6.7),
            (Self::Rand50, _) => (9.7, 10.9),
            (Self::Free25, 64) => (2.4, 3.0),
            (Self::Free25, 128) => (2.9, 3.5),
            (Self::Free25, _) => (4.8, 5.6),
            (Self::Free75, 64) => (9.5, 12.0),
            (Self::Free75, 128) => (11.5, 14.5),
            (Self::Free75, _) => (20.5, 24.5),
        }
    }

    /// Stops the benchmark where the contents are not what they are meant to be.
    pub(crate) fn check<const W: usize>(self, maps: &[[u64; W]]) {
        let sum: u64 = maps.iter().map(|map| u64::from(longest_of(map))).sum();
        let mean = sum as f64 / maps.len() as f64;
        let (least, most) = self.mean_longest(64 * W);
        let name = self.name();
        assert!(
            (least..most).contains(&mean),
            "{name}, {} blocks: the mean longest run is {mean}, not {least} to {most}",
            64 * W
        );
    }
}

/// How many maps of this size a pass visits: too many for the branch predictor to learn them. Up to
/// 128 blocks they fit the second-level cache; wide ones, 4 MB in all, are read from behind it.
pub(crate) const fn maps_a_pass(blocks: usize) -> usize {
    match blocks {
        64 => 32_768,
        _ => 16_384,
    }
}

/// What first fit leaves in one pool, seen at the end of one level after the other.
fn churned<const W: usize>(count: usize, random: &mut Random) -> Vec<[u64; W]> {
    let mut pool = Churning::<W>::new(0);
    let mut trace = Trace::default();
    let mut next = || {
        for _ in 0..Churning::<W>::HOLD {
            pool.step(random, &mut trace);
        }
        trace.ops.clear();
        pool.taken.free_words()
    };
    // The first is of a pool that was free before.
    next();
    (0..count).map(|_| next()).collect()
}

/// A pool under churn, with what is held of it.
struct Churning<const W: usize> {
    pool: u16,
    taken: Linux<W>,
    used: u32,
    /// Where each run starts, and how it is given back.
    held: Vec<(u32, Op)>,
    /// How many blocks may be used, and for how many requests more.
    level: u32,
    left: usize,
}

impl<const W: usize> Churning<W> {
    /// For so many requests a level holds: enough to get from the lowest to the highest.
    const HOLD: usize = 8 + 4 * W;

    fn new(pool: u16) -> Self {
        Self { pool, taken: Linux::empty(), used: 0, held: Vec::new(), level: 0, left: 0 }
    }

    /// A request, and the releases that keep to the level. Where requests are refused there is no
    /// room up to the level, and the next one comes sooner.
    fn step(&mut self, random: &mut Random, trace: &mut Trace) {
        if self.left == 0 {
            self.level = random.between(USED_PERCENT.0, USED_PERCENT.1) * 64 * W as u32 / 100;
            self.left = Self::HOLD;
        }
        self.left -= 1;
        let len = random.between(WANT.0, WANT.1);
        let op = trace.take(self.pool, len);
        match self.taken.take(len) {
            Some(start) => {
                self.held.push((start, op));
                self.used += len;
            }
            None => {
                trace.refuse();
                self.left = self.left.saturating_sub(1);
            }
        }
        while self.used > self.level && !self.held.is_empty() {
            self.release(random.below(self.held.len()), trace);
        }
    }

    fn release(&mut self, leaves: usize, trace: &mut Trace) {
        let (start, op) = self.held.swap_remove(leaves);
        let len = u32::from(op.len);
        self.taken.give(start, len);
        self.used -= len;
        trace.ops.push(Op { step: Step::Give, ..op });
        trace.unused.push(op.slot);
    }
}

/// What is done with a run.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Step {
    Take,
    Give,
    /// First fit has to refuse it: what another method finds is given back at once.
    Try,
}

/// One step of a trace.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Op {
    /// In which of the pools.
    pub(crate) pool: u16,
    /// Blocks.
    pub(crate) len: u16,
    /// Where what was taken is noted.
    pub(crate) slot: u32,
    pub(crate) step: Step,
}

/// Requests and releases on several pools; after the last of them all pools are free again.
#[derive(Debug, Default)]
pub(crate) struct Trace {
    pub(crate) ops: Vec<Op>,
    /// How many slots the steps use.
    pub(crate) slots: u32,
    unused: Vec<u32>,
}

impl Trace {
    /// So many requests to `pools` pools of `64 * W` blocks, each to a pool drawn at random. A
    /// request that first fit has to refuse stays in the trace.
    pub(crate) fn new<const W: usize>(pools: u16, requests: usize) -> Self {
        let mut random = Random(0x7ace ^ u64::from(pools));
        let mut state: Vec<_> = (0..pools).map(Churning::<W>::new).collect();
        let mut trace = Self::default();
        for _ in 0..requests {
            let pool = random.below(state.len());
            state[pool].step(&mut random, &mut trace);
        }
        for pool in &mut state {
            while !pool.held.is_empty() {
                pool.release(0, &mut trace);
            }
        }
        trace
    }

    fn take(&mut self, pool: u16, len: u32) -> Op {
        let slot = self.unused.pop().unwrap_or_else(|| {
            self.slots += 1;
            self.slots - 1
        });
        // At most 32 blocks.
        let op = Op { pool, len: len as u16, slot, step: Step::Take };
        self.ops.push(op);
        op
    }

    /// The step before was refused.
    fn refuse(&mut self) {
        if let Some(op) = self.ops.last_mut() {
            op.step = Step::Try;
            self.unused.push(op.slot);
        }
    }
}

/// A counter of odd step, each value mixed until its bits look random.
#[derive(Clone, Debug)]
pub(crate) struct Random(pub(crate) u64);

impl Random {
    pub(crate) fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mixed = (self.0 ^ (self.0 >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        let mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        mixed ^ (mixed >> 31)
    }

    /// Below `n`, which is not 0.
    pub(crate) fn below(&mut self, n: usize) -> usize {
        ((u128::from(self.next()) * n as u128) >> 64) as usize
    }

    /// From `least` to `most`, both included.
    pub(crate) fn between(&mut self, least: u32, most: u32) -> u32 {
        least + self.below((most - least) as usize + 1) as u32
    }
}
