//! Which process gets the next slice, by the two stages of time slicing (seed 004, S10 to S23)?
//!
//! A load is a batch of slices, each run once (reading D4; or over and over until all its processes
//! have completed). Slices and weights are those of the moment of the load (reading D5). When all
//! slices of the load were used, processes are chosen anew. A process that is no longer runnable is
//! skipped.

use alloc::vec::Vec;

use raddle_policy::{Level, Ticks};

use crate::error::SliceError;
use crate::order::{Arranger, LoadOrder};
use crate::stage_one::{LoadedProcess, PoolEntry, StageOne};
use crate::stage_two::{SliceRule, StageTwo};
use crate::weight::Weight;

/// Condition on which the processes to run next are chosen anew.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[cfg_attr(feature = "serde", serde(rename_all = "kebab-case"))]
pub enum Reload {
    /// Processes are chosen anew when each chosen process has had one slice.
    #[default]
    OnePass,
    /// Processes are chosen anew when all chosen processes have no more work; until then each gets
    /// further slices.
    Completion,
}

/// Moment at which a process of a more urgent level takes over from the running one.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[cfg_attr(feature = "serde", serde(rename_all = "kebab-case"))]
pub enum TakeOver {
    /// The more urgent process starts when the running slice has ended.
    #[default]
    SliceEnd,
    /// The more urgent process starts immediately, and the rest of the running slice is lost.
    AtOnce,
    /// The more urgent process starts when all processes that were chosen to run together have had
    /// their slices.
    BatchEnd,
}

/// Choice of how a process's share (its claim to run time) affects the lengths of its slices.
///
/// If not all processes can be chosen at once, run times come out in proportion to shares either
/// way, since a process with a larger share is chosen more often. The choice matters where all are
/// chosen. The figures at the variants hold for slices in proportion to the weight.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[cfg_attr(feature = "serde", serde(rename_all = "kebab-case"))]
pub enum Shares {
    /// The share affects a slice only as a factor of the weight. Two processes with shares 3 and 1
    /// then run for 63 % and 37 % of the time, in proportion to the square roots of the shares.
    #[default]
    Weight,
    /// The length of a slice is computed from the weight times the share, so the share counts
    /// twice. Two processes with shares 3 and 1 then run for 75 % and 25 % of the time.
    Time,
}

/// Settings of the two stages of time slicing. Settings for which the patent (seed 004) gives no
/// default have none.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct SliceConfig {
    /// Length of the smallest slice, from which all slices are computed, in ticks.
    pub(crate) t0: Ticks,
    pub(crate) capacity: usize,
    pub(crate) rule: SliceRule,
    pub(crate) shares: Shares,
    /// Length of the longest slice, in ticks; `None` if there is no limit.
    pub(crate) longest: Option<Ticks>,
    pub(crate) order: LoadOrder,
    pub(crate) reload: Reload,
    pub(crate) take_over: TakeOver,
}

impl SliceConfig {
    /// Returns these settings with another largest number of processes that are chosen to run
    /// together.
    #[must_use]
    pub const fn with_capacity(self, capacity: usize) -> Self {
        Self { capacity, ..self }
    }

    /// Returns these settings with the effect of a process's share on the length of its slices.
    #[must_use]
    pub const fn with_shares(self, shares: Shares) -> Self {
        Self { shares, ..self }
    }

    /// Returns these settings with the length of the longest slice, in ticks.
    #[must_use]
    pub const fn with_longest(self, longest: Option<Ticks>) -> Self {
        Self { longest, ..self }
    }

    /// Returns these settings with another order in which processes that were chosen to run
    /// together get their slices.
    #[must_use]
    pub const fn with_order(self, order: LoadOrder) -> Self {
        Self { order, ..self }
    }

    /// Returns these settings with another condition on which the processes to run next are chosen
    /// anew.
    #[must_use]
    pub const fn with_reload(self, reload: Reload) -> Self {
        Self { reload, ..self }
    }

    /// Returns these settings with another moment at which a process of a more urgent level takes
    /// over.
    #[must_use]
    pub const fn with_take_over(self, take_over: TakeOver) -> Self {
        Self { take_over, ..self }
    }
}

impl SliceConfig {
    /// Returns settings with the smallest slice `t0` in ticks, a capacity and a rule. The others
    /// have their defaults: no longest slice; chosen processes run in the order in which they were
    /// chosen, with one slice each; a more urgent level takes over when the running slice ends.
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

/// Pool of the processes that can run, as the two stages of time slicing read it.
pub trait Runnable {
    /// Type of the ids by which the pool tells processes apart.
    type Id: Copy + Eq;

    /// Returns the most urgent level in the pool; `None` for an empty pool.
    fn most_urgent(&self) -> Option<Level>;

    /// Returns the level of the process `id`; `None` if the process is not in the pool.
    fn level(&self, id: Self::Id) -> Option<Level>;

    /// Returns all processes of the pool; the index of a process is its position among them, from
    /// 0.
    fn entries(&self) -> impl Iterator<Item = PoolEntry>;

    /// Returns the id of the process with the index `index` in `entries`; `None` where there are
    /// fewer processes.
    fn at(&self, index: usize) -> Option<Self::Id>;
}

/// Slice of time in which one process runs.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ProcessSlice<Id> {
    pub(crate) id: Id,
    pub(crate) length: Ticks,
    /// Weight from which the length of the slice follows. Under [`Shares::Time`] it is the weight
    /// of the process multiplied once more by the share.
    pub(crate) weight: Weight,
}

impl<Id: Copy> ProcessSlice<Id> {
    /// Returns the id of the process that runs during the slice.
    #[must_use]
    pub const fn id(&self) -> Id {
        self.id
    }

    /// Returns the length of the slice in ticks, at least 1.
    #[must_use]
    pub const fn length(&self) -> Ticks {
        self.length
    }
}

/// Both stages of time slicing together: stage one chooses the processes that run next, stage two
/// computes the lengths of their slices.
#[derive(Clone, Debug)]
pub struct TwoStage<Id> {
    one: StageOne,
    two: StageTwo,
    arranger: Arranger,
    settings: SliceConfig,
    /// Slices of the processes that were chosen to run together, in the order in which they run.
    batch: Vec<ProcessSlice<Id>>,
    level: Level,
    next: usize,
    loads: u64,
    overflows: u64,
    loaded: Vec<LoadedProcess>,
    lengths: Vec<u128>,
}

impl<Id: Copy + Eq> TwoStage<Id> {
    /// Returns both stages with the settings `settings`, before any process is chosen to run.
    ///
    /// # Errors
    /// [`OutOfRange`](crate::ErrorKind::OutOfRange) where the smallest slice or the capacity is 0,
    /// [`Inconsistent`](crate::ErrorKind::Inconsistent) where the longest slice is below the
    /// smallest.
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

    /// Returns how many times stage one has chosen processes to run so far.
    #[must_use]
    #[doc(hidden)]
    pub const fn loads(&self) -> u64 {
        self.loads
    }

    /// Returns the slices of the processes that were chosen to run last, in the order in which they
    /// run.
    #[must_use]
    pub(crate) fn load(&self) -> &[ProcessSlice<Id>] {
        &self.batch
    }

    /// Returns the urgency level of the processes that were chosen to run last; all of them have
    /// this level.
    #[must_use]
    pub(crate) const fn level(&self) -> Level {
        self.level
    }

    /// Returns how many times stage one chose processes of which a weight or a slice was too large
    /// for 128 bits; the slice then gets the longest possible length.
    #[must_use]
    #[doc(hidden)]
    pub const fn overflows(&self) -> u64 {
        self.overflows
    }

    /// Returns whether a running slice of a process of the level `running` has to end now, since a
    /// more urgent process is in the pool; always false except under [`TakeOver::AtOnce`].
    #[must_use]
    pub fn cuts(&self, running: Level, pool: &impl Runnable<Id = Id>) -> bool {
        let outranked = || pool.most_urgent().is_some_and(|level| level.outranks(running));
        self.settings.take_over == TakeOver::AtOnce && outranked()
    }

    /// Returns the next slice; where no slice is left, processes are chosen anew first. `None` for
    /// an empty pool. A slice that is too large for 128 bits gets the longest possible length.
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

    /// Returns the next slice of the processes that were last chosen to run. Skips processes that
    /// are no longer runnable or have become less urgent. `None` where no slice is left: processes
    /// have to be chosen anew.
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
        let Some(level) = self.one.load(pool.entries(), &mut self.loaded) else {
            return;
        };
        self.level = level;
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
