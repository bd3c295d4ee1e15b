//! How do both stages take turns: which process gets the next slice (seed 004, S10 to S23)?
//!
//! A load is a batch of slices, each run once (D4; or over and over until every process of it has
//! completed). Slices and weights are those of the moment of the load (D5). When the slices are
//! used up, the pool is loaded from again. A process that left the pool is passed over.

use alloc::vec::Vec;

use raddle_policy::{Level, Ticks};

use crate::error::SliceError;
use crate::order::{Arranger, LoadOrder};
use crate::stage_one::{LoadedProcess, PoolEntry, StageOne};
use crate::stage_two::{SliceRule, StageTwo};
use crate::weight::Weight;

/// The condition for loading the cache again.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[cfg_attr(feature = "serde", serde(rename_all = "kebab-case"))]
pub enum Reload {
    /// The cache is loaded again when each loaded process has had its slice.
    #[default]
    OnePass,
    /// The cache is loaded again when all loaded processes have completed; until then their slices
    /// come round again.
    Completion,
}

/// The moment at which a process of a more urgent level takes over.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[cfg_attr(feature = "serde", serde(rename_all = "kebab-case"))]
pub enum TakeOver {
    /// The process takes over when the running slice has ended.
    #[default]
    SliceEnd,
    /// The process takes over now: the running slice is cut short.
    AtOnce,
    /// The process takes over when the slices of the load are used up.
    BatchEnd,
}

/// The effect of a share on slices.
///
/// A share multiplies the weight, so where not all processes fit, selection gives run times in
/// proportion to shares. Where all fit, a slice in proportion to the weight makes run time times
/// its growth proportional to the share: run times end up as the square roots of shares, 63 to 37
/// for 3 and 1.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[cfg_attr(feature = "serde", serde(rename_all = "kebab-case"))]
pub enum Shares {
    /// A share multiplies the weight, and nothing else.
    #[default]
    Weight,
    /// A share multiplies the weight, and slices are computed as if it did so once more: under the
    /// rules in proportion to the weight, run times are as shares, 75 to 25.
    Time,
}

/// The settings of both stages. A setting without a default in the seed has none here.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct SliceConfig {
    /// The smallest slice.
    pub t0: Ticks,
    /// The number of processes that are loaded at most.
    pub capacity: usize,
    /// The rule by which a slice follows from weights.
    pub rule: SliceRule,
    /// The effect of a share on slices.
    pub shares: Shares,
    /// The longest slice; `None` if there is no limit.
    pub longest: Option<Ticks>,
    /// The order in which loaded processes run.
    pub order: LoadOrder,
    /// The condition for loading the cache again.
    pub reload: Reload,
    /// The moment at which a more urgent level takes over.
    pub take_over: TakeOver,
}

impl SliceConfig {
    /// Builds settings with defaults beside the three given: no longest slice, FIFO, one pass a
    /// load, a more urgent level takes over when the slice ends.
    #[must_use]
    pub fn new(t0: Ticks, capacity: usize, rule: SliceRule) -> Self {
        Self {
            t0,
            capacity,
            rule,
            shares: Shares::default(),
            longest: None,
            order: LoadOrder::default(),
            reload: Reload::default(),
            take_over: TakeOver::default(),
        }
    }
}

/// The pool that both stages look at: runnable processes, in pool order.
pub trait Runnable {
    /// The identifier of a process.
    type Id: Copy + Eq;

    /// Returns the most urgent level present; `None` for an empty pool.
    fn most_urgent(&self) -> Option<Level>;

    /// Returns the level of one process; `None` if it is not in the pool.
    fn level(&self, id: Self::Id) -> Option<Level>;

    /// Returns all processes, in pool order.
    fn entries(&self) -> impl Iterator<Item = PoolEntry>;

    /// Returns the process at a position of `entries`.
    fn at(&self, index: usize) -> Option<Self::Id>;
}

/// A slice to be run.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ProcessSlice<Id> {
    /// The process that the slice is for.
    pub id: Id,
    /// The length of the slice, at least a tick.
    pub length: Ticks,
    /// The weight that the length follows from; under [`Shares::Time`] times the share once more.
    pub(crate) weight: Weight,
}

/// Both stages, with the load that is being run.
#[derive(Clone, Debug)]
pub struct TwoStage<Id> {
    one: StageOne,
    two: StageTwo,
    arranger: Arranger,
    settings: SliceConfig,
    /// The load, in the order of running.
    batch: Vec<ProcessSlice<Id>>,
    level: Level,
    next: usize,
    loads: u64,
    overflows: u64,
    loaded: Vec<LoadedProcess>,
    lengths: Vec<u128>,
}

impl<Id: Copy + Eq> TwoStage<Id> {
    /// Builds both stages with these settings, and nothing loaded.
    ///
    /// # Errors
    /// [`SliceError::ZeroSlice`], [`SliceError::ZeroCapacity`], [`SliceError::LongestBelow`].
    pub fn new(settings: &SliceConfig) -> Result<Self, SliceError> {
        Ok(Self {
            one: StageOne::new(settings.t0, settings.capacity)?,
            two: StageTwo::new(settings.t0, settings.rule, settings.longest)?,
            arranger: Arranger::new(settings.order),
            settings: *settings,
            batch: Vec::new(),
            level: Level::BEST_EFFORT,
            next: 0,
            loads: 0,
            overflows: 0,
            loaded: Vec::new(),
            lengths: Vec::new(),
        })
    }

    /// Counts the loads begun until now.
    #[must_use]
    pub const fn loads(&self) -> u64 {
        self.loads
    }

    /// Returns the last load, in the order of running.
    #[must_use]
    pub fn load(&self) -> &[ProcessSlice<Id>] {
        &self.batch
    }

    /// Returns the level of the last load.
    #[must_use]
    pub(crate) const fn level(&self) -> Level {
        self.level
    }

    /// Counts the loads with a slice beyond 128 bits, which is then the longest possible.
    #[must_use]
    pub const fn overflows(&self) -> u64 {
        self.overflows
    }

    /// Returns whether a process of a more urgent level than `running` ends the running slice now.
    #[must_use]
    pub fn cuts(&self, running: Level, pool: &impl Runnable<Id = Id>) -> bool {
        let outranked = || pool.most_urgent().is_some_and(|level| level.outranks(running));
        self.settings.take_over == TakeOver::AtOnce && outranked()
    }

    /// Returns the next slice; `None` for an empty pool. A slice beyond 128 bits is the longest
    /// possible.
    #[inline]
    pub fn next(&mut self, pool: &impl Runnable<Id = Id>) -> Option<ProcessSlice<Id>> {
        let most_urgent = pool.most_urgent()?;
        let waits =
            self.settings.take_over == TakeOver::BatchEnd || !most_urgent.outranks(self.level);
        if waits {
            if let Some(slice) = self.rest(pool) {
                return Some(slice);
            }
            if self.settings.reload == Reload::Completion {
                self.next = 0;
                if let Some(slice) = self.rest(pool) {
                    return Some(slice);
                }
            }
        }
        self.load_from(pool);
        self.rest(pool)
    }

    /// Returns the next slice of this load whose process can still run.
    #[inline]
    fn rest(&mut self, pool: &impl Runnable<Id = Id>) -> Option<ProcessSlice<Id>> {
        while let Some(&slice) = self.batch.get(self.next) {
            self.next += 1;
            // A process whose level has become less urgent is no candidate of this load any more.
            let level = pool.level(slice.id);
            if level.is_some_and(|level| !self.level.outranks(level)) {
                return Some(slice);
            }
        }
        None
    }

    fn load_from(&mut self, pool: &impl Runnable<Id = Id>) {
        self.batch.clear();
        self.next = 0;
        self.loads += 1;
        let Some(candidates) = self.one.load(pool.entries(), &mut self.loaded) else {
            return;
        };
        self.level = candidates.level;
        if self.settings.shares == Shares::Time {
            for loaded in &mut self.loaded {
                loaded.weight = loaded.weight.times_share(loaded.share);
            }
        }
        if self.two.slices(&self.loaded, &mut self.lengths).is_err() {
            self.overflows += 1;
            self.two.slices_or_longest(&self.loaded, &mut self.lengths);
        }
        for (loaded, &length) in self.loaded.iter().zip(&self.lengths) {
            if let Some(id) = pool.at(loaded.index) {
                let length = Ticks(u64::try_from(length).unwrap_or(u64::MAX));
                self.batch.push(ProcessSlice { id, length, weight: loaded.weight });
            }
        }
        self.arranger.arrange(&mut self.batch);
    }
}
