//! Turn: two-stage weighted time slices (seed 004).
//!
//! One process at a time may issue, for its slice. The pool is the runnable processes (D10): one
//! that runs dry leaves it, its slice ends at once, and it is a candidate again at the next load.
//! Alive time is the time for which a process was runnable, or all since it joined ([`AliveTime`]); run
//! time is what it really had on the device, overruns included.

use alloc::vec::Vec;

use raddle_policy::{CacheLoad, Level, LoadedSlice, ProcessId, ProcessState, Tick, Turn};

use super::{SLICE_US, find, most_urgent, ticks, until, within};
use crate::error::SliceError;
use crate::level::LevelRange;
use crate::order::LoadOrder;
use crate::stage_one::PoolEntry;
use crate::stage_two::SliceRule;
use crate::two_stage::{Reload, Runnable, Shares, SliceConfig, TakeOver, TwoStage};

/// The settings of [`WeightedSlices`]. `rule` has no default.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[cfg_attr(feature = "serde", serde(rename_all = "kebab-case", deny_unknown_fields))]
pub struct WeightedSlicesConfig {
    /// How a slice follows from weights.
    pub rule: SliceRule,
    /// The smallest slice t0 in microseconds; 40 ms if it is left out.
    #[cfg_attr(feature = "serde", serde(default = "slice_us"))]
    pub t0_us: u64,
    /// How many processes the GPU's cache holds; 8 if it is left out.
    #[cfg_attr(feature = "serde", serde(default = "capacity"))]
    pub capacity: u32,
    /// How many levels there are; less urgent ones count as the last. 16 if it is left out.
    #[cfg_attr(feature = "serde", serde(default = "levels"))]
    pub levels: u16,
    /// What a share does to slices.
    #[cfg_attr(feature = "serde", serde(default))]
    pub shares: Shares,
    /// No slice is longer than this, in microseconds.
    #[cfg_attr(feature = "serde", serde(default, skip_serializing_if = "Option::is_none"))]
    pub longest_us: Option<u64>,
    /// Which of the loaded processes goes first.
    #[cfg_attr(feature = "serde", serde(default))]
    pub order: LoadOrder,
    /// When the cache is loaded again.
    #[cfg_attr(feature = "serde", serde(default))]
    pub reload: Reload,
    /// When a more urgent level takes over.
    #[cfg_attr(feature = "serde", serde(default))]
    pub take_over: TakeOver,
    /// Which time of a process counts as alive.
    #[cfg_attr(feature = "serde", serde(default))]
    pub alive: AliveTime,
}

/// Which time of a process counts as alive in its weight.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[cfg_attr(feature = "serde", serde(rename_all = "kebab-case"))]
pub enum AliveTime {
    /// The time for which it was runnable (D10): who has nothing to run gains nothing by waiting.
    #[default]
    Runnable,
    /// All time since it joined, as the seed has it.
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

/// Processes that a GPU holds at once if nothing is said.
const CAPACITY: u32 = 8;
/// LevelRange of the seed.
const LEVELS: u16 = 16;

impl WeightedSlicesConfig {
    /// With a rule, and everything else as if it were left out.
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

/// One process at a time, as both stages say.
#[derive(Clone, Debug)]
pub struct WeightedSlices {
    stages: TwoStage<ProcessId>,
    levels: LevelRange,
    alive: AliveTime,
    /// The last load, and whether it was loaded when the policy was last asked.
    load: CacheLoad,
    has_loaded: bool,
    /// Who has the turn, and until when.
    current: Option<(ProcessId, Option<Tick>)>,
}

impl WeightedSlices {
    /// The policy of this configuration.
    ///
    /// # Errors
    /// [`SliceError::Setting`], [`SliceError::LongestUsBelow`].
    pub fn new(config: WeightedSlicesConfig) -> Result<Self, SliceError> {
        let t0 = ticks("t0-us", config.t0_us)?;
        let longest = config.longest_us.map(|us| ticks("longest-us", us)).transpose()?;
        if let Some(longest_us) = config.longest_us.filter(|&us| us < config.t0_us) {
            return Err(SliceError::LongestUsBelow { longest_us, t0_us: config.t0_us });
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

    /// How many of these processes count as of the last level although they are less urgent.
    #[must_use]
    pub fn folded(&self, processes: &[ProcessState]) -> usize {
        processes.iter().filter(|process| self.levels.fold(process.level) != process.level).count()
    }

    /// Whether who has the turn keeps it.
    fn goes_on(&self, view: &RunnableView<'_>, now: Tick) -> Option<(ProcessId, Option<Tick>)> {
        let (id, until) =
            self.current.filter(|(_, until)| until.is_none_or(|until| now < until))?;
        let level = view.level(id)?;
        (!self.stages.cuts(level, view)).then_some((id, until))
    }
}

/// The runnable processes, with folded levels.
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
}
