//! Turn policy: two-stage weighted time slices (seed 004).
//!
//! One process at a time may issue, for its slice. The pool is the runnable processes (reading
//! D10): one that has no more work leaves the pool, its slice ends at once, and it can be chosen
//! again at the next load. Alive time is the time for which a process was runnable, or all time
//! since it joined; run time is all time for which it had work on the device, also beyond the ends
//! of its slices.

use alloc::vec::Vec;

use raddle_policy::{CacheLoad, Level, LoadedSlice, ProcessId, ProcessState, Tick, Turn};

use super::{SLICE_US, find, most_urgent, ticks, until, within};
use crate::error::Reason;
use crate::error::SliceError;
use crate::level::LevelRange;
use crate::order::LoadOrder;
use crate::stage_one::PoolEntry;
use crate::stage_two::SliceRule;
use crate::two_stage::{Reload, Runnable, Shares, SliceConfig, TakeOver, TwoStage};

/// Settings of the turn policy [`WeightedSlices`]. The setting `rule` has no default.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[cfg_attr(feature = "serde", serde(rename_all = "kebab-case", deny_unknown_fields))]
pub struct WeightedSlicesConfig {
    pub(crate) rule: SliceRule,
    /// Length of the smallest slice t0, from which all slices are computed, in microseconds; 40 ms
    /// if it is left out.
    #[cfg_attr(feature = "serde", serde(default = "slice_us"))]
    pub(crate) t0_us: u64,
    /// Largest number of processes that are chosen to run together; 8 if it is left out. In the
    /// patent (seed 004) the GPU's cache has room for no more.
    #[cfg_attr(feature = "serde", serde(default = "capacity"))]
    pub(crate) capacity: u32,
    /// Number of urgency levels in use; a level beyond the last one counts as the last one. 16 if
    /// it is left out.
    #[cfg_attr(feature = "serde", serde(default = "levels"))]
    pub(crate) levels: u16,
    #[cfg_attr(feature = "serde", serde(default))]
    pub(crate) shares: Shares,
    /// Length of the longest slice in microseconds; `None` where slices have no upper limit.
    #[cfg_attr(feature = "serde", serde(default, skip_serializing_if = "Option::is_none"))]
    pub(crate) longest_us: Option<u64>,
    #[cfg_attr(feature = "serde", serde(default))]
    pub(crate) order: LoadOrder,
    #[cfg_attr(feature = "serde", serde(default))]
    pub(crate) reload: Reload,
    #[cfg_attr(feature = "serde", serde(default))]
    pub(crate) take_over: TakeOver,
    #[cfg_attr(feature = "serde", serde(default))]
    pub(crate) alive: AliveTime,
}

impl WeightedSlicesConfig {
    /// Returns these settings with the length of the smallest slice t0, from which all slices are
    /// computed, in microseconds.
    #[must_use]
    pub const fn with_t0_us(self, t0_us: u64) -> Self {
        Self { t0_us, ..self }
    }

    /// Returns these settings with another largest number of processes that are chosen to run
    /// together.
    #[must_use]
    pub const fn with_capacity(self, capacity: u32) -> Self {
        Self { capacity, ..self }
    }

    /// Returns these settings with another number of urgency levels in use.
    #[must_use]
    pub const fn with_levels(self, levels: u16) -> Self {
        Self { levels, ..self }
    }

    /// Returns these settings with the effect of a process's share on the length of its slices.
    #[must_use]
    pub const fn with_shares(self, shares: Shares) -> Self {
        Self { shares, ..self }
    }

    /// Returns these settings with another length of the longest slice, in microseconds; `None`
    /// sets no limit.
    #[must_use]
    pub const fn with_longest_us(self, longest_us: Option<u64>) -> Self {
        Self { longest_us, ..self }
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

    /// Returns these settings with another choice of what counts as the alive time of a process, a
    /// factor of its weight: with `true`, all the time since it joined, as in the patent (seed 004);
    /// with `false`, the default, only the time for which it was runnable.
    #[must_use]
    pub const fn with_wall_time(self, wall: bool) -> Self {
        Self { alive: if wall { AliveTime::Wall } else { AliveTime::Runnable }, ..self }
    }
}

/// Choice of what counts as the alive time of a process, a factor of its weight (share x alive time
/// / run time).
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[cfg_attr(feature = "serde", serde(rename_all = "kebab-case"))]
pub(crate) enum AliveTime {
    /// Counts only the time for which the process was runnable: a process without work does not
    /// gain weight by waiting. This departs from the words of the patent (seed 004).
    #[default]
    Runnable,
    /// Counts all the time since the process joined, as the patent (seed 004) does.
    Wall,
}

#[cfg(feature = "serde")]
const fn slice_us() -> u64 {
    SLICE_US
}

#[cfg(feature = "serde")]
const fn capacity() -> u32 {
    CAPACITY
}

#[cfg(feature = "serde")]
const fn levels() -> u16 {
    LEVELS
}

/// Largest number of processes that are chosen to run together, where a configuration leaves it
/// out.
const CAPACITY: u32 = 8;
/// Number of urgency levels where a configuration leaves it out, as in the patent (seed 004).
const LEVELS: u16 = 16;

impl WeightedSlicesConfig {
    /// Returns a configuration with the rule `rule` and the default of every other setting.
    #[must_use]
    pub fn new(rule: SliceRule) -> Self {
        Self {
            rule,
            t0_us: SLICE_US,
            capacity: CAPACITY,
            levels: LEVELS,
            shares: Shares::default(),
            longest_us: None,
            order: LoadOrder::default(),
            reload: Reload::default(),
            take_over: TakeOver::default(),
            alive: AliveTime::default(),
        }
    }
}

/// Turn policy that lets one process at a time issue launches, in two stages: stage one chooses the
/// processes that run next, stage two gives each of them a slice of time (as in the patent, seed
/// 004).
#[derive(Clone, Debug)]
pub struct WeightedSlices {
    stages: TwoStage<ProcessId>,
    levels: LevelRange,
    alive: AliveTime,
    /// Processes among which the policy last chose, and those that it chose. They are new if
    /// `has_loaded` is true: the last call of `turn` made the choice.
    load: CacheLoad,
    has_loaded: bool,
    /// (process that has the turn, tick at which that turn ends, or `None` if it has no end);
    /// `None` where no process has the turn.
    current: Option<(ProcessId, Option<Tick>)>,
}

impl WeightedSlices {
    /// Returns the policy with these settings, before any turn.
    ///
    /// # Errors
    /// [`OutOfRange`](crate::ErrorKind::OutOfRange) for a setting outside its range, such as a slice or a capacity of 0,
    /// [`Inconsistent`](crate::ErrorKind::Inconsistent) where the longest slice is below the smallest.
    pub fn new(config: WeightedSlicesConfig) -> Result<Self, SliceError> {
        let t0 = ticks("t0-us", config.t0_us)?;
        let longest = config.longest_us.map(|us| ticks("longest-us", us)).transpose()?;
        if let Some(longest_us) = config.longest_us.filter(|&us| us < config.t0_us) {
            return Err(SliceError(Reason::LongestUsBelow { longest_us, t0_us: config.t0_us }));
        }
        within("levels", config.levels.into(), 1, 256)?;
        let settings = SliceConfig {
            t0,
            capacity: super::capacity(config.capacity)?,
            rule: config.rule,
            shares: config.shares,
            longest,
            order: config.order,
            reload: config.reload,
            take_over: config.take_over,
        };
        let (stages, levels) = (TwoStage::new(&settings)?, LevelRange::new(config.levels)?);
        Ok(Self {
            stages,
            levels,
            alive: config.alive,
            load: CacheLoad::default(),
            has_loaded: false,
            current: None,
        })
    }

    /// Returns the number of processes whose level is beyond the last level in use, so that it
    /// counts as the last one.
    #[must_use]
    #[doc(hidden)]
    pub fn folded(&self, processes: &[ProcessState]) -> usize {
        processes.iter().filter(|process| self.levels.fold(process.level) != process.level).count()
    }

    /// Returns (process that has the turn, tick at which its turn ends) if it keeps the turn at
    /// `now`; else `None`.
    fn goes_on(&self, view: &RunnableView<'_>, now: Tick) -> Option<(ProcessId, Option<Tick>)> {
        let (id, until) =
            self.current.filter(|(_, until)| until.is_none_or(|until| now < until))?;
        let level = view.level(id)?;
        (!self.stages.cuts(level, view)).then_some((id, until))
    }
}

/// Runnable processes as the two stages of time slicing see them; a level beyond the last one in
/// use counts as the last one.
struct RunnableView<'v> {
    processes: &'v [ProcessState],
    levels: LevelRange,
    alive: AliveTime,
    now: Tick,
}

impl Runnable for RunnableView<'_> {
    type Id = ProcessId;

    fn most_urgent(&self) -> Option<Level> {
        most_urgent(self.processes).map(|level| self.levels.fold(level))
    }

    fn level(&self, id: ProcessId) -> Option<Level> {
        find(self.processes, id).map(|process| self.levels.fold(process.level))
    }

    fn entries(&self) -> impl Iterator<Item = PoolEntry> {
        self.processes.iter().map(|process| PoolEntry {
            level: self.levels.fold(process.level),
            share: process.share.into(),
            alive: match self.alive {
                AliveTime::Runnable => process.alive,
                AliveTime::Wall => self.now.since(process.joined),
            },
            ran: process.ran,
        })
    }

    fn at(&self, index: usize) -> Option<ProcessId> {
        self.processes.get(index).map(|process| process.id)
    }
}

impl Turn for WeightedSlices {
    fn turn(
        &mut self,
        processes: &[ProcessState],
        now: Tick,
        may_issue: &mut Vec<ProcessId>,
    ) -> Option<Tick> {
        let view = RunnableView { processes, levels: self.levels, alive: self.alive, now };
        let loads = self.stages.loads();
        self.current = self.goes_on(&view, now).or_else(|| {
            let slice = self.stages.next(&view)?;
            Some((slice.id, until(now, slice.length)))
        });
        self.has_loaded = self.stages.loads() > loads;
        if self.has_loaded {
            let CacheLoad { candidates, loaded } = &mut self.load;
            let level = self.stages.level();
            let of_level = |process: &&ProcessState| self.levels.fold(process.level) == level;
            candidates.clear();
            candidates.extend(processes.iter().filter(of_level).map(|process| process.id));
            loaded.clear();
            loaded.extend(self.stages.load().iter().map(|slice| LoadedSlice {
                process: slice.id,
                weight: (slice.weight.over(), slice.weight.under()),
                slice: slice.length,
            }));
        }
        let (id, until) = self.current?;
        may_issue.push(id);
        until
    }

    fn load(&self) -> Option<&CacheLoad> {
        self.has_loaded.then_some(&self.load)
    }

    fn minds_refills(&self) -> bool {
        false
    }
}
