//! How many requests does a run need until its figures are known well enough?
//!
//! A user may give a rate of requests without their number. Each run then draws requests until the
//! 95 % interval of the 99th percentile of every such process is narrower than a tenth of the
//! percentile, and not more than [`MOST_LAUNCHES`] launches. So the number depends on the recipe
//! alone, not on the recipes beside it or on the verb of the command.

use raddle_policy::Ticks;
use raddle_sim::{Outcome, Repetition, Summary, Workload};

use crate::arrivals::{OpenRequests, SeedDraw};
use crate::evidence::{MOST_LAUNCHES, NARROW};
use crate::profiles::Loaded;

/// Number of requests that the first replay draws where the user did not limit their number. It
/// draws fewer only where their launches would not fit into memory.
pub(crate) const FEWEST: u32 = 300;
/// Largest number of launches that the first [`FEWEST`] requests of a replay may make. A replay
/// keeps about 80 bytes for each launch, and several replays run at the same time.
const MOST_KEPT: u64 = 1 << 22;
/// Divisor for the number of requests at the start of a replay (the warm-up) that figures leave
/// out: 10 stands for a tenth. The device was empty before them.
const WARM_UP: u32 = 10;
/// Largest factor by which the number of requests grows from one replay to the next one.
const STEP: u32 = 16;

/// Requests of a study whose number the user did not limit, each as (index of the profile, its rate
/// of requests). Each replay draws as many as its figures need.
#[derive(Clone, Debug, Default)]
pub(crate) struct OpenLoad(Vec<(usize, OpenRequests)>);

impl OpenLoad {
    /// Collects the requests of these profiles whose number the user did not limit.
    pub(crate) fn of(profiles: &[Loaded]) -> Self {
        let open = profiles
            .iter()
            .enumerate()
            .filter_map(|(at, loaded)| Some((at, loaded.requests.as_ref()?.open.clone()?)));
        Self(open.collect())
    }

    /// Returns whether the number of requests is limited for every process of the study.
    pub(crate) const fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// Draws `count` requests of the process with the lowest rate, and of every other process the
    /// requests that arrive in the same time. Yields (index of the process, arrival times in
    /// ticks).
    fn draw(&self, count: u32) -> impl Iterator<Item = (usize, Vec<Ticks>)> {
        let nth = |open: &OpenRequests| {
            open.task.times(open.seed).and_then(|mut times| times.nth(count.max(1) as usize - 1))
        };
        let end = self.0.iter().filter_map(|(_, open)| nth(open)).max().unwrap_or(0);
        self.0.iter().map(move |(process, OpenRequests { task, seed })| {
            let times = task.times(*seed).into_iter().flatten().take_while(|&at| at <= end);
            (*process, times.map(Ticks).collect())
        })
    }

    /// Gives the processes of a workload the requests that [`Self::draw`] draws for `count`.
    pub(crate) fn give(&self, workload: &mut Workload, count: u32) {
        for (process, times) in self.draw(count) {
            let plan = &mut workload.processes[process];
            plan.warm_up = warm_up(&times);
            plan.repetition = Repetition::At(times);
        }
    }

    /// Replaces, in the random requests `draw` of one seed, the requests of processes whose number
    /// the user did not limit by those that [`Self::draw`] draws for `count`.
    pub(crate) fn redraw(&self, draw: &mut SeedDraw, count: u32) {
        for (process, times) in self.draw(count) {
            if let Some(own) = draw.iter_mut().find(|own| own.0 == process) {
                own.2 = warm_up(&times);
                own.1 = Repetition::At(times);
            }
        }
    }

    /// Returns the smallest number of requests that a process had in the earlier replay `came`,
    /// among the processes whose number of requests the user did not limit; `None` where there are
    /// none.
    pub(crate) fn count(&self, came: &Outcome) -> Option<u32> {
        self.0.iter().map(|(process, _)| came.iterations[*process]).min()
    }

    /// Returns the number of requests of the first replay: [`FEWEST`], or fewer where their
    /// launches would not fit into memory.
    pub(crate) fn first(&self, workload: &Workload) -> u32 {
        let launches = self.launches(workload, FEWEST).max(1);
        let fitting = u64::from(FEWEST) * MOST_KEPT / launches;
        FEWEST.min(u32::try_from(fitting).unwrap_or(FEWEST)).max(1)
    }

    /// Gives the processes of a workload as many requests as they had in the earlier replay `came`.
    pub(crate) fn again(&self, workload: &mut Workload, came: &Outcome) {
        for (process, OpenRequests { task, seed }) in &self.0 {
            let count = came.iterations[*process] as usize;
            let times = task.times(*seed).into_iter().flatten().take(count).map(Ticks);
            workload.processes[*process].repetition = Repetition::At(times.collect());
        }
    }

    /// Returns whether the number of requests can grow from `count` to one and a half times that
    /// number with at most [`MOST_LAUNCHES`] launches. A smaller growth would make figures hardly
    /// more exact.
    pub(crate) fn can_grow(&self, workload: &Workload, count: u32) -> bool {
        !self.is_empty() && self.affordable(workload, count) / 3 >= count / 2
    }

    /// Returns the number of requests of the next, longer replay, after a replay of `count`
    /// requests with the result `outcome`; `None` where its figures are exact enough.
    pub(crate) fn more(&self, workload: &Workload, outcome: &Outcome, count: u32) -> Option<u32> {
        let summary = Summary::new(workload, outcome, &[]);
        let needed = self.0.iter().filter_map(|(process, _)| {
            let requests = summary.processes[*process].requests.as_ref()?;
            let width = requests.p99_interval?.width(requests.latency_p99_ns);
            let times = width.map_or(f64::from(STEP), |width| width / NARROW);
            // Intervals become narrower with the root of the number of requests.
            Some((times * times).min(f64::from(STEP)))
        });
        let needed = needed.max_by(f64::total_cmp).filter(|&times| times > 1.0)?;
        // A tenth more, so that the next run is likely the last.
        let next = (f64::from(count) * (needed * 1.1).max(1.5)) as u32;
        Some(next.min(self.affordable(workload, count)))
    }

    /// Returns the largest number of requests that make at most [`MOST_LAUNCHES`] launches,
    /// estimated from the launches of `count` requests.
    fn affordable(&self, workload: &Workload, count: u32) -> u32 {
        let launches = self.launches(workload, count).max(1);
        let affordable = u64::from(count).saturating_mul(MOST_LAUNCHES) / launches;
        u32::try_from(affordable).unwrap_or(u32::MAX)
    }

    /// Returns the number of launches of the requests that [`Self::draw`] draws for `count`.
    fn launches(&self, workload: &Workload, count: u32) -> u64 {
        let launches = self.draw(count).map(|(process, times)| {
            (times.len() as u64).saturating_mul(workload.processes[process].tasks.len() as u64)
        });
        launches.fold(0, u64::saturating_add)
    }
}

/// Returns the number of requests at the start of a replay (the warm-up) that figures leave out: a
/// tenth of all. `times` has the arrival time of each request.
const fn warm_up(times: &[Ticks]) -> u32 {
    times.len() as u32 / WARM_UP
}
