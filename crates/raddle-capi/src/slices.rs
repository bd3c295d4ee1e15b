//! Which process runs next, and for how long (seed 004)?

use raddle_policy::{Level, Ticks};
use raddle_timeslice::{
    LoadOrder, PoolEntry, Reload, Runnable, Shares, SliceConfig, SliceRule, TakeOver, TwoStage,
};

use crate::handle::{enter, with};
use crate::launch::unknown;
use crate::memory::{Out, Plain, list, read};
use crate::status::{Failure, RaddleStatus, guarded};

/// Two stages of time slicing: the first chooses the processes that run next, the second computes
/// the length of the slice of each.
#[derive(Debug)]
pub struct RaddleSlices(TwoStage<u64>);

/// Rule by which the length of a slice follows from the weights of the processes that were chosen
/// to run.
#[repr(C)]
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum RaddleSliceRule {
    /// Gives slices as claim 7 of seed 004 (a patent) has them: a larger weight has a shorter
    /// slice.
    Claim = 0,
    /// Gives every process the smallest slice, `t0`.
    Equal = 1,
    /// Gives slices in proportion to the weight; the average of the slices is the smallest slice,
    /// `t0`.
    Mean = 2,
    /// Gives slices in proportion to the weight; the slices of all processes together are as long
    /// as under `Claim`.
    Inverse = 3,
    /// Gives slices in proportion to the weight; the shortest of the slices is the smallest slice,
    /// `t0`.
    MinOne = 4,
}

/// Moment at which a process of a more urgent level takes over.
#[repr(C)]
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum RaddleTakeOver {
    /// The more urgent process starts when the running slice has ended.
    SliceEnd = 0,
    /// The more urgent process starts immediately, and the rest of the running slice is lost.
    AtOnce = 1,
    /// The more urgent process starts when all slices of the present load (the processes chosen to
    /// run next) are used up.
    BatchEnd = 2,
}

/// Settings of the two stages of time slicing: the first chooses the processes that run next, the
/// second their slices.
#[repr(C)]
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct RaddleSliceConfig {
    /// Length of the smallest slice, from which all slices are computed, in ticks, 1 or more.
    pub t0: u64,
    /// Length of the longest slice, in ticks; 0 for no limit.
    pub longest: u64,
    /// Most processes that are chosen to run next, each with a slice of its own, 1 or more.
    pub capacity: usize,
    /// Rule for the length of slices, one of `RaddleSliceRule`.
    pub rule: u32,
    /// 1 if a share counts twice in the weight from which the length of slices is computed: under
    /// rules in proportion to the weight, run times are then in proportion to the shares. 0 if a
    /// share counts once.
    pub shares_as_time: u32,
    /// 1 if the processes that were chosen to run get their slices again and again until all have
    /// completed; 0 if each gets one slice.
    pub until_completion: u32,
    /// Moment at which a more urgent process takes over, one of `RaddleTakeOver`.
    pub take_over: u32,
    /// 1 if the processes that were chosen to run get their slices in a random order drawn with
    /// `seed`; 0 if in the order in which they were chosen.
    pub random: u32,
    /// Seed of the random order; not used where `random` is 0.
    pub seed: u64,
}

/// Process that can run now, as the host lists it.
#[repr(C)]
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct RaddlePoolEntry {
    /// Number by which the host names the process; each process is in the pool once.
    pub id: u64,
    /// Share of the process, 1 or more: the factor of its weight.
    pub share: u64,
    /// Time for which the process has had work (its alive time), in ticks.
    pub alive: u64,
    /// Time for which the process has had waves on the device, in ticks.
    pub ran: u64,
    /// Urgency of the process: 0 is the most urgent.
    pub level: u8,
}

/// Slice of time that the host gives to a process next.
#[repr(C)]
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct RaddleSlice {
    /// Process that the slice is for, by the host's number.
    pub id: u64,
    /// Length of the slice in ticks, 1 or more.
    pub length: u64,
}

// SAFETY: integers.
unsafe impl Plain for RaddleSliceConfig {}
// SAFETY: integers.
unsafe impl Plain for RaddlePoolEntry {}

/// Processes that can run at the time of a call.
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
        Ok(SliceConfig::new(t0, self.capacity, rule)
            .with_shares(if self.shares_as_time == 0 { Shares::Weight } else { Shares::Time })
            .with_longest(longest)
            .with_order(if self.random == 0 { LoadOrder::Fifo } else { LoadOrder::Random { seed } })
            .with_reload(if self.until_completion == 0 {
                Reload::OnePass
            } else {
                Reload::Completion
            })
            .with_take_over(take_over))
    }
}

/// Makes both stages of time slicing, while no process is chosen to run yet. Writes the handle to
/// `slices`.
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

/// Writes the next slice to `slice`. `pool` lists the processes that can run now. Answers `Empty`
/// for an empty pool.
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
        out.put(RaddleSlice { id: next.id(), length: next.length().0 });
        Ok(RaddleStatus::Ok)
    })
}

/// Writes 1 to `cuts` if a process of the pool ends the running slice now, because its level is
/// more urgent than `running`, the level of that slice; else 0.
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
