//! What happens on a GPU that runs one task at a time, for exactly its slice (seed 004, S23)?
//!
//! A switch takes no time, and no slice ends late. Run times and the time that passes are whole
//! ticks, so run times add up to busy time exactly.

use raddle_policy::{Level, Tick, Ticks};
use raddle_timeslice::{PoolEntry, Runnable, SliceConfig, SliceError, TwoStage};

/// Number that names a task.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct TaskId(pub u32);

/// A task (process) of a GPU that has not completed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct GpuTask {
    /// Number that names the task.
    pub id: TaskId,
    /// Level of urgency of the task, 0 the most urgent.
    pub level: Level,
    /// Share of the task, 1 or more: a factor of the task's weight.
    pub share: u64,
    /// Tick at which the task was created; not later than the present tick.
    pub created: Tick,
    /// Ticks for which the task has run; at most the time since it was created.
    pub ran: Ticks,
}

/// A stretch of time in which one task ran on the GPU without a break.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct GpuStretch {
    /// Task that ran during the stretch of time.
    pub id: TaskId,
    /// Tick at which the stretch of time begins.
    pub from: Tick,
    /// Tick at which the stretch of time ends.
    pub to: Tick,
    /// True if the task completed at the end of the stretch of time.
    pub completed: bool,
}

/// Tasks that have not completed, in the order of their ids.
#[derive(Clone, Debug, Default)]
struct TaskPool {
    tasks: Vec<GpuTask>,
    /// Ticks of work left of each task; `None` for a task without an end.
    left: Vec<Option<Ticks>>,
    most_urgent: Option<Level>,
    now: Tick,
}

impl TaskPool {
    fn position(&self, id: TaskId) -> Option<usize> {
        self.tasks.binary_search_by_key(&id, |task| task.id).ok()
    }

    fn remove(&mut self, position: usize) {
        self.tasks.remove(position);
        self.left.remove(position);
        self.count(self.now);
    }

    /// Sets the time to `now`, unless it is later already, and finds the most urgent level among
    /// the tasks.
    fn count(&mut self, now: Tick) {
        self.now = self.now.max(now);
        self.most_urgent = self.tasks.iter().map(|task| task.level).min_by_key(|level| level.0);
    }
}

impl Runnable for TaskPool {
    type Id = TaskId;

    fn most_urgent(&self) -> Option<Level> {
        self.most_urgent
    }

    fn level(&self, id: TaskId) -> Option<Level> {
        self.position(id).map(|position| self.tasks[position].level)
    }

    fn entries(&self) -> impl Iterator<Item = PoolEntry> {
        self.tasks.iter().map(|task| PoolEntry {
            level: task.level,
            share: task.share,
            alive: self.now.since(task.created),
            ran: task.ran,
        })
    }

    fn at(&self, index: usize) -> Option<TaskId> {
        self.tasks.get(index).map(|task| task.id)
    }
}

/// Model of a GPU that runs one task at a time, each for exactly its slice, with the tasks of the
/// GPU.
#[derive(Clone, Debug)]
pub struct Exclusive {
    pool: TaskPool,
    stages: TwoStage<TaskId>,
    /// (task that runs, tick until which it runs); `None` while none runs.
    current: Option<(TaskId, Tick)>,
    busy: Ticks,
}

impl Exclusive {
    /// Makes a GPU without tasks at tick 0.
    ///
    /// # Errors
    /// The errors of [`TwoStage::new`].
    pub fn new(settings: &SliceConfig) -> Result<Self, SliceError> {
        let stages = TwoStage::new(settings)?;
        Ok(Self { pool: TaskPool::default(), stages, current: None, busy: Ticks::ZERO })
    }

    /// Returns the tasks that have not completed, by ascending id.
    #[must_use]
    pub fn tasks(&self) -> &[GpuTask] {
        &self.pool.tasks
    }

    /// Returns the tick up to which the model has run.
    #[must_use]
    pub const fn now(&self) -> Tick {
        self.pool.now
    }

    /// Returns how many times a new set of tasks was chosen to run next (a load) and has begun to
    /// run.
    #[must_use]
    pub const fn loads(&self) -> u64 {
        self.stages.loads()
    }

    /// Returns the number of times that tasks were chosen to run and a slice of theirs could not be
    /// computed in 128 bits. Such a slice gets the longest possible length.
    #[must_use]
    pub const fn overflows(&self) -> u64 {
        self.stages.overflows()
    }

    /// Returns the number of ticks in which any task has run.
    #[must_use]
    pub const fn busy(&self) -> Ticks {
        self.busy
    }

    /// Adds a task with this many ticks of work left, `None` for endless, at the tick `now`; a task
    /// with the same id is replaced.
    pub fn add(&mut self, task: GpuTask, work: Option<Ticks>, now: Tick) {
        let TaskPool { tasks, left, .. } = &mut self.pool;
        let position = tasks.partition_point(|other| other.id < task.id);
        if tasks.get(position).is_some_and(|other| other.id == task.id) {
            (tasks[position], left[position]) = (task, work);
        } else {
            tasks.insert(position, task);
            left.insert(position, work);
        }
        self.pool.count(now);
    }

    /// Runs the GPU until the tick `until`, and calls `each` with every stretch in which a task
    /// ran.
    pub fn advance(&mut self, until: Tick, each: &mut dyn FnMut(GpuStretch)) {
        while self.pool.now < until {
            let now = self.pool.now;
            let running = self.running();
            let found = running.and_then(|(id, ends)| Some((self.pool.position(id)?, ends)));
            let Some((position, ends)) = found else {
                self.pool.now = until;
                return;
            };
            let (task, left) = (&mut self.pool.tasks[position], &mut self.pool.left[position]);
            let stop = left.map_or(ends, |left| ends.min(now + left));
            let to = stop.min(until);
            let ran = to.since(now);
            let completed = *left == Some(ran);
            task.ran += ran;
            *left = left.map(|left| left - ran);
            let id = task.id;
            if completed {
                self.pool.remove(position);
            }
            self.pool.now = to;
            self.busy += ran;
            self.current = (to < stop).then_some((id, ends));
            each(GpuStretch { id, from: now, to, completed });
        }
    }

    /// Returns (task that runs now, tick until which it runs). If no slice is under way, begins the
    /// next one. `None` where there is no task.
    fn running(&mut self) -> Option<(TaskId, Tick)> {
        let goes_on = self.current.filter(|&(id, _)| {
            let level = self.pool.level(id);
            level.is_some_and(|level| !self.stages.cuts(level, &self.pool))
        });
        if goes_on.is_some() {
            return goes_on;
        }
        let slice = self.stages.next(&self.pool)?;
        Some((slice.id(), self.pool.now + slice.length()))
    }
}
