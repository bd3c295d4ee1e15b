//! Which process runs next, and for how long (seed 004)?

use raddle_policy::{Level, Ticks};
use raddle_timeslice::{
    LoadOrder, PoolEntry, Reload, Runnable, Shares, SliceConfig, SliceRule, TakeOver, TwoStage,
};

use crate::handle::{enter, with};
use crate::launch::unknown;
use crate::memory::{Out, Plain, list, read};
use crate::status::{Failure, RaddleStatus, guarded};

/// The two stages: which processes are loaded, and the slices of each load.
#[derive(Debug)]
pub struct RaddleSlices(TwoStage<u64>);

/// The rule by which a slice follows from weights.
#[repr(C)]
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum RaddleSliceRule {
    /// As claim 7 of the seed: a larger weight has a shorter slice.
    Claim = 0,
    /// The smallest slice for each.
    Equal = 1,
    /// In proportion to the weight, on average the smallest slice.
    Mean = 2,
    /// In proportion to the weight, in a round as long as that of `Claim`.
    Inverse = 3,
    /// In proportion to the weight; the shortest is the smallest slice.
    MinOne = 4,
}

/// The moment at which a process of a more urgent level takes over.
#[repr(C)]
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum RaddleTakeOver {
    /// When the running slice has ended.
    SliceEnd = 0,
    /// Now.
    AtOnce = 1,
    /// When the slices of the load are used up.
    BatchEnd = 2,
}

/// The settings of both stages.
#[repr(C)]
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct RaddleSliceConfig {
    /// The smallest slice, in ticks, 1 or more.
    pub t0: u64,
    /// The longest slice; 0 for none.
    pub longest: u64,
    /// Processes that are loaded at most, 1 or more.
    pub capacity: usize,
    /// One of `RaddleSliceRule`.
    pub rule: u32,
    /// 1: run times are as shares; 0: a share multiplies the weight, and nothing else.
    pub shares_as_time: u32,
    /// 1: the slices of a load come round until all its processes have completed; 0: each comes once.
    pub until_completion: u32,
    /// One of `RaddleTakeOver`.
    pub take_over: u32,
    /// 1: a load runs in a random order that begins with `seed`; 0: in its own order.
    pub random: u32,
    /// The seed of a random order.
    pub seed: u64,
}

/// A process that can run.
#[repr(C)]
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct RaddlePoolEntry {
    /// The process, under a number of the host; each is in the pool once.
    pub id: u64,
    /// The share, 1 or more.
    pub share: u64,
    /// Ticks for which it is alive.
    pub alive: u64,
    /// Ticks for which it has run.
    pub ran: u64,
    /// The urgency: 0 is the most urgent.
    pub level: u8,
}

/// A slice to be run.
#[repr(C)]
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct RaddleSlice {
    /// The process.
    pub id: u64,
    /// The length in ticks, 1 or more.
    pub length: u64,
}

// SAFETY: integers.
unsafe impl Plain for RaddleSliceConfig {}
// SAFETY: integers.
unsafe impl Plain for RaddlePoolEntry {}

/// The pool of a call.
struct Pool<'a>(&'a [RaddlePoolEntry]);

impl Runnable for Pool<'_> {
    type Id = u64;

    fn most_urgent(&self) -> Option<Level> {
        self.0.iter().map(|it| it.level).min().map(Level)
    }

    fn level(&self, id: u64) -> Option<Level> {
        self.0.iter().find(|it| it.id == id).map(|it| Level(it.level))
    }

    fn entries(&self) -> impl Iterator<Item = PoolEntry> {
        self.0.iter().map(|it| PoolEntry {
            level: Level(it.level),
            share: it.share,
            alive: Ticks(it.alive),
            ran: Ticks(it.ran),
        })
    }

    fn at(&self, index: usize) -> Option<u64> {
        self.0.get(index).map(|it| it.id)
    }
}

impl RaddleSliceConfig {
    fn checked(&self) -> Result<SliceConfig, Failure> {
        let rule = *SliceRule::ALL
            .get(self.rule as usize)
            .ok_or_else(|| unknown("config.rule", self.rule, "RaddleSliceRule"))?;
        let take_over = match self.take_over {
            0 => TakeOver::SliceEnd,
            1 => TakeOver::AtOnce,
            2 => TakeOver::BatchEnd,
            other => return Err(unknown("config.take_over", other, "RaddleTakeOver")),
        };
        let (t0, longest) = (Ticks(self.t0), (self.longest > 0).then_some(Ticks(self.longest)));
        let seed = self.seed;
        Ok(SliceConfig {
            shares: if self.shares_as_time == 0 { Shares::Weight } else { Shares::Time },
            longest,
            order: if self.random == 0 { LoadOrder::Fifo } else { LoadOrder::Random { seed } },
            reload: if self.until_completion == 0 { Reload::OnePass } else { Reload::Completion },
            take_over,
            ..SliceConfig::new(t0, self.capacity, rule)
        })
    }
}

/// Makes both stages, with nothing loaded.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn raddle_slices_new(
    config: *const RaddleSliceConfig,
    slices: *mut *mut RaddleSlices,
) -> RaddleStatus {
    guarded(|| {
        // SAFETY: the caller keeps the promises of the crate.
        let (config, out) = unsafe { (read("config", config)?, Out::new("slices", slices)?) };
        let stages = TwoStage::new(&config.checked()?).map_err(Failure::invalid)?;
        enter(RaddleSlices(stages), &out)
    })
}

/// Tells the next slice, where the processes of the pool can run now. `Empty` for an empty pool.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn raddle_slices_next(
    slices: *mut RaddleSlices,
    pool: *const RaddlePoolEntry,
    count: usize,
    slice: *mut RaddleSlice,
) -> RaddleStatus {
    with(slices, |it| {
        // SAFETY: the caller keeps the promises of the crate.
        let (pool, out) = unsafe { (list("pool", pool, count)?, Out::new("slice", slice)?) };
        let Some(next) = it.0.next(&Pool(pool)) else { return Ok(RaddleStatus::Empty) };
        out.put(RaddleSlice { id: next.id, length: next.length.0 });
        Ok(RaddleStatus::Ok)
    })
}

/// Writes 1 if a process of the pool ends the running slice now, which is of this level; else 0.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn raddle_slices_cuts(
    slices: *const RaddleSlices,
    running: u8,
    pool: *const RaddlePoolEntry,
    count: usize,
    cuts: *mut u32,
) -> RaddleStatus {
    with(slices, |it| {
        // SAFETY: the caller keeps the promises of the crate.
        let (pool, cuts) = unsafe { (list("pool", pool, count)?, Out::new("cuts", cuts)?) };
        cuts.put(it.0.cuts(Level(running), &Pool(pool)).into());
        Ok(RaddleStatus::Ok)
    })
}
