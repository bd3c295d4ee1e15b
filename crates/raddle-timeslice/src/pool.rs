//! What is in the task pool (seed 004, driver side)?
//!
//! For use without a dispatcher: tasks with ids of the caller, in the order in which they were
//! added. Time is the wall clock of the pool; it never runs backwards. Whatever is refused changes
//! nothing.

use alloc::collections::BTreeMap;
use alloc::vec::Vec;
use core::fmt;

use raddle_policy::{Level, Tick, Ticks};

use crate::coarse::Coarse;
use crate::error::level_within;
use crate::scan::Scanned;
use crate::{Candidates, Entry, Error, Levels, Loaded, Runnable, StageOne};

/// A task of a pool.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct TaskId(pub u32);

impl fmt::Display for TaskId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "t{}", self.0)
    }
}

/// A task.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Task {
    /// Its name.
    pub id: TaskId,
    /// How urgent it is.
    pub level: Level,
    /// Its share, 1 or more.
    pub share: u64,
    /// When it was created.
    pub created: Tick,
    /// For how long it has run, processed time only.
    pub ran: Ticks,
}

/// Tasks that have not completed.
#[derive(Clone, Debug)]
pub struct Pool {
    levels: Levels,
    tasks: Vec<Task>,
    positions: BTreeMap<TaskId, usize>,
    /// Tasks of each level that has any.
    present: BTreeMap<u8, usize>,
    /// What stage one can pass over.
    columns: Coarse,
    now: Tick,
}

impl Pool {
    /// Empty, at time 0.
    #[must_use]
    pub const fn new(levels: Levels) -> Self {
        Self {
            levels,
            tasks: Vec::new(),
            positions: BTreeMap::new(),
            present: BTreeMap::new(),
            columns: Coarse::new(),
            now: Tick::ZERO,
        }
    }

    /// The latest time that was seen.
    #[must_use]
    pub const fn now(&self) -> Tick {
        self.now
    }

    /// All tasks, in the order in which they were added.
    #[must_use]
    pub fn tasks(&self) -> &[Task] {
        &self.tasks
    }

    /// One task.
    #[must_use]
    pub fn task(&self, id: TaskId) -> Option<&Task> {
        self.tasks.get(*self.positions.get(&id)?)
    }

    fn not_before(&self, now: Tick) -> Result<(), Error> {
        if now < self.now {
            return Err(Error::TimeBackwards { now, latest: self.now });
        }
        Ok(())
    }

    /// Time goes by.
    ///
    /// # Errors
    /// [`Error::TimeBackwards`].
    pub fn advance(&mut self, now: Tick) -> Result<(), Error> {
        self.not_before(now)?;
        self.pass(now);
        Ok(())
    }

    fn pass(&mut self, now: Tick) {
        self.now = now;
        self.columns.advance(&self.tasks, now.0);
    }

    /// A task comes in.
    ///
    /// # Errors
    /// [`Error::TimeBackwards`], [`Error::LevelOutside`], [`Error::ZeroShare`],
    /// [`Error::CreatedLater`], [`Error::RanBeyond`], [`Error::DuplicateTask`].
    pub fn add(&mut self, task: Task, now: Tick) -> Result<(), Error> {
        self.not_before(now)?;
        level_within(task.level, self.levels.count())?;
        let id = task.id;
        if task.share == 0 {
            return Err(Error::ZeroShare { task: id });
        }
        if task.created > now {
            return Err(Error::CreatedLater { task: id, created: task.created, now });
        }
        let alive = now.since(task.created);
        if task.ran > alive {
            return Err(Error::RanBeyond { task: id, ran: task.ran, alive });
        }
        if self.positions.contains_key(&id) {
            return Err(Error::DuplicateTask { task: id });
        }
        self.now = now;
        self.positions.insert(id, self.tasks.len());
        *self.present.entry(task.level.0).or_insert(0) += 1;
        self.tasks.push(task);
        self.columns.push(&self.tasks, now.0);
        Ok(())
    }

    /// A task ran until now, for that long.
    ///
    /// # Errors
    /// [`Error::TimeBackwards`], [`Error::UnknownTask`], and [`Error::RanBeyond`] if that is more
    /// than there was time for.
    pub fn charge(&mut self, id: TaskId, ran: Ticks, now: Tick) -> Result<(), Error> {
        self.not_before(now)?;
        let position = self.positions.get(&id).ok_or(Error::UnknownTask { task: id })?;
        // The map names positions of the list only.
        let task = self.tasks.get_mut(*position).ok_or(Error::UnknownTask { task: id })?;
        let (ran, alive) = (task.ran + ran, now.since(task.created));
        if ran > alive {
            return Err(Error::RanBeyond { task: id, ran, alive });
        }
        self.now = now;
        task.ran = ran;
        self.columns.charge(&self.tasks, *position, now.0);
        Ok(())
    }

    /// A task has completed and leaves the pool.
    ///
    /// # Errors
    /// [`Error::TimeBackwards`], [`Error::UnknownTask`].
    pub fn complete(&mut self, id: TaskId, now: Tick) -> Result<Task, Error> {
        self.not_before(now)?;
        let position = self.positions.remove(&id).ok_or(Error::UnknownTask { task: id })?;
        let task = self.tasks.remove(position);
        self.columns.remove(&self.tasks, position);
        self.pass(now);
        for later in self.positions.values_mut().filter(|later| **later > position) {
            *later -= 1;
        }
        if let Some(count) = self.present.get_mut(&task.level.0) {
            *count -= 1;
            if *count == 0 {
                self.present.remove(&task.level.0);
            }
        }
        Ok(task)
    }
}

impl Runnable for Pool {
    type Id = TaskId;

    #[inline]
    fn most_urgent(&self) -> Option<Level> {
        self.present.keys().next().map(|&level| Level(level))
    }

    #[inline]
    fn level(&self, id: TaskId) -> Option<Level> {
        self.task(id).map(|task| task.level)
    }

    #[inline]
    fn level_near(&self, id: TaskId, index: usize) -> Option<Level> {
        match self.tasks.get(index) {
            Some(task) if task.id == id => Some(task.level),
            _ => self.level(id),
        }
    }

    #[inline]
    fn entries(&self) -> impl Iterator<Item = Entry> {
        let now = self.now;
        self.tasks.iter().map(move |task| task.entry(now))
    }

    fn load(&self, stage: &mut StageOne, loaded: &mut Vec<Loaded>) -> Option<Candidates> {
        let Some((&level, &count)) = self.present.first_key_value() else {
            loaded.clear();
            return None;
        };
        let candidates = Candidates { level: Level(level), count };
        let pool =
            Scanned { tasks: &self.tasks, columns: &self.columns, now: self.now, candidates };
        stage.scan(&pool, loaded);
        Some(candidates)
    }

    #[inline]
    fn at(&self, index: usize) -> Option<TaskId> {
        self.tasks.get(index).map(|task| task.id)
    }
}
