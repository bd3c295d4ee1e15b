//! What happens on a GPU that runs one task at a time, for exactly its slice (seed 004, S23)?
//!
//! No switch costs anything and no slice ends late here: the model of the digest's studies, of
//! `raddle golden slices`, and of tests. Every task charged, and the time that passed, are whole
//! ticks: run time adds up to busy time exactly.

use alloc::collections::BTreeMap;

use raddle_policy::{Tick, Ticks};

use crate::{Error, Levels, Pool, Runnable, Settings, Task, TaskId, TwoStage};

/// A stretch of time that one task had.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Stretch {
    /// Whose.
    pub id: TaskId,
    /// Where it begins.
    pub from: Tick,
    /// Where it ends.
    pub to: Tick,
    /// Whether the task has completed with it.
    pub completed: bool,
}

/// The GPU and its pool.
#[derive(Clone, Debug)]
pub struct Exclusive {
    pool: Pool,
    stages: TwoStage<TaskId>,
    /// What is left of the tasks that have an end.
    left: BTreeMap<TaskId, Ticks>,
    /// Who runs, and until when.
    current: Option<(TaskId, Tick)>,
    busy: Ticks,
}

impl Exclusive {
    /// With an empty pool at time 0.
    ///
    /// # Errors
    /// Those of [`TwoStage::new`].
    pub fn new(settings: &Settings, levels: Levels) -> Result<Self, Error> {
        Ok(Self {
            pool: Pool::new(levels),
            stages: TwoStage::new(settings)?,
            left: BTreeMap::new(),
            current: None,
            busy: Ticks::ZERO,
        })
    }

    /// The tasks that have not completed.
    #[must_use]
    pub const fn pool(&self) -> &Pool {
        &self.pool
    }

    /// Loads begun so far.
    #[must_use]
    pub const fn loads(&self) -> u64 {
        self.stages.loads()
    }

    /// Loads of which a slice was beyond 128 bits, so as long as can be.
    #[must_use]
    pub const fn overflows(&self) -> u64 {
        self.stages.overflows()
    }

    /// For how long any task ran.
    #[must_use]
    pub const fn busy(&self) -> Ticks {
        self.busy
    }

    /// A task comes in, with so much work left; `None` = endless.
    ///
    /// # Errors
    /// Those of [`Pool::add`]; a task without work has completed before, so it is unknown.
    pub fn add(&mut self, task: Task, work: Option<Ticks>, now: Tick) -> Result<(), Error> {
        if work == Some(Ticks::ZERO) {
            return Err(Error::UnknownTask { task: task.id });
        }
        self.pool.add(task, now)?;
        if let Some(work) = work {
            self.left.insert(task.id, work);
        }
        Ok(())
    }

    /// Runs until a time, or until nothing is left to run, and tells every stretch.
    ///
    /// # Errors
    /// [`Error::TimeBackwards`].
    pub fn advance(&mut self, until: Tick, each: &mut dyn FnMut(Stretch)) -> Result<(), Error> {
        let mut now = self.pool.now();
        if until < now {
            return Err(Error::TimeBackwards { now: until, latest: now });
        }
        while now < until {
            let Some((id, ends)) = self.running(now) else {
                return self.pool.advance(until);
            };
            let left = self.left.get(&id).copied();
            let stop = left.map_or(ends, |left| ends.min(now + left));
            let to = stop.min(until);
            let ran = to.since(now);
            self.pool.charge(id, ran, to)?;
            self.busy += ran;
            let completed = left == Some(ran);
            self.current = (to < stop).then_some((id, ends));
            if completed {
                self.pool.complete(id, to)?;
                self.left.remove(&id);
            } else if let Some(left) = self.left.get_mut(&id) {
                *left = *left - ran;
            }
            each(Stretch { id, from: now, to, completed });
            now = to;
        }
        Ok(())
    }

    /// Who runs now, and until when.
    #[inline]
    fn running(&mut self, now: Tick) -> Option<(TaskId, Tick)> {
        let goes_on = self.current.filter(|&(id, _)| {
            let level = self.pool.level(id);
            level.is_some_and(|level| !self.stages.cuts(level, &self.pool))
        });
        if goes_on.is_some() {
            return goes_on;
        }
        let slice = self.stages.next(&self.pool)?;
        Some((slice.id, now + slice.length))
    }
}
