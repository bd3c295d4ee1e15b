//! Which timelines of simulations are drawn, and what do results say of them?
//!
//! Each recipe that is compared in detail (the baseline and the recommended one) has one timeline
//! of the whole simulation, and one of its slowest request on every compute unit, from the
//! request's arrival on as far as that does not take too many slices (bars).

use raddle_policy::Tick;
use raddle_sim::{Outcome, Seen, Watch, Workload};

use crate::error::StudyError;
use crate::files::Leavings;
use crate::result::{DrawnTimeline, PERFETTO, ReplayResult, SLOWEST};
use crate::timeline::{Recorder, TimelineNames};

/// Largest number of slices (bars) on compute units in a timeline, unless the user asks for another
/// number; a timeline that needs more is drawn more coarsely.
const MOST: u32 = 500_000;
/// Largest number of slices (bars) in the timeline of the slowest request; where more are needed,
/// the timeline ends earlier.
const MOST_OF_SLOWEST: usize = 40_000;

/// Timelines that a user wants: for which recipes (sets of policies), of which time, and in how
/// much detail.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct TimelineWish {
    /// True if a timeline is drawn for every recipe (set of policies); false if only for the
    /// recipes that are compared in detail.
    pub all: bool,
    /// Largest number of slices (bars) of a timeline; one that needs more shows less detail. `None`
    /// means 500,000.
    pub slices: Option<u32>,
    /// Simulated time to draw, (begin, end) in nanoseconds; `None` means all of it.
    pub window: Option<(u64, u64)>,
}

/// Timelines to draw in a study: for which recipes (sets of policies), of which time and with which
/// names.
#[derive(Debug)]
pub(crate) struct Wanted {
    /// True if a timeline is drawn for every recipe (set of policies), not only for those that are
    /// compared in detail.
    all: bool,
    /// Name of the baseline, the recipe (set of policies) that others are compared with; its
    /// timeline is always drawn.
    baseline: String,
    most: usize,
    /// Simulated time to draw, (begin, end) in nanoseconds; `None` means all of it.
    window: Option<(u64, u64)>,
    names: TimelineNames,
    /// Number of compute units of the device whose timelines are drawn.
    cus: u16,
}

/// Timelines of one recipe (set of policies) that are still to be drawn: one of the whole
/// simulation (`whole`), and one of the slowest request (`part`).
#[derive(Clone, Copy, Debug)]
pub(crate) struct Missing {
    whole: bool,
    /// Time in ns, (begin, end), in which the slowest request was served; `None` if no timeline of
    /// this request is to be drawn.
    part: Option<(u64, u64)>,
}

impl Missing {
    /// Request to draw only the timeline of the whole simulation, not that of the slowest request.
    pub(crate) const WHOLE: Self = Self { whole: true, part: None };
}

/// Watcher of a simulation that records one timeline of it, or two.
pub(crate) struct Recorders {
    whole: Option<Recorder>,
    slowest: Option<Recorder>,
    /// Simulated time after which nothing in the timelines can change; the simulation may stop
    /// then. `None` where it has to run to its end.
    until: Option<Tick>,
}

impl Watch for Recorders {
    fn sees_from(&self) -> Option<Tick> {
        self.whole.iter().chain(&self.slowest).filter_map(Watch::sees_from).min()
    }

    fn see(&mut self, now: Tick, seen: &Seen<'_>) {
        self.whole.iter_mut().chain(&mut self.slowest).for_each(|recorder| recorder.see(now, seen));
    }

    fn ends_run(&self, now: Tick) -> bool {
        self.until.is_some_and(|until| until < now)
    }
}

impl Wanted {
    /// Determines the timelines to draw from the wish of the user and the names of all recipes;
    /// `None` if there are no recipes.
    pub(crate) fn of<'r>(
        wish: &TimelineWish,
        (today, recipes): (&str, impl Iterator<Item = &'r str> + Clone),
        (cus, names): (u16, TimelineNames),
    ) -> Option<Self> {
        let baseline = recipes.clone().find(|name| *name == today);
        let baseline = baseline.or(recipes.clone().next())?;
        Some(Self {
            all: wish.all,
            baseline: baseline.to_owned(),
            most: wish.slices.unwrap_or(MOST) as usize,
            window: wish.window,
            names,
            cus,
        })
    }

    /// Returns whether the timeline of a recipe (set of policies) is drawn in its first simulation,
    /// as it is wanted whatever the result is.
    pub(crate) fn at_once(&self, recipe: &str) -> bool {
        self.all || recipe == self.baseline
    }

    /// Returns the timelines of the recipe with the index `recipe` that are still to be drawn;
    /// `None` if there are none. The slowest request is drawn only for the baseline and the
    /// recommended recipe.
    pub(crate) fn missing(&self, result: &ReplayResult, recipe: usize) -> Option<Missing> {
        let is_compared = result.compared().contains(&recipe);
        let whole = (self.all || is_compared) && !result.is_drawn(recipe);
        // A user who names a part of the run wants only that part.
        let wants_part = is_compared && self.window.is_none();
        let part = result.slowest_request(recipe).filter(|_| wants_part);
        (whole || part.is_some()).then_some(Missing { whole, part })
    }

    /// Returns the recorders for the timelines that a simulation has to draw; `came` is the outcome
    /// of an earlier simulation of the same work, if there was one.
    pub(crate) fn recorders(
        &self,
        workload: &Workload,
        Missing { whole, part }: Missing,
        came: Option<&Outcome>,
    ) -> Recorders {
        let new = |window: Option<(u64, u64)>, most| {
            let recorder = Recorder::new(self.cus, workload.processes.len(), most);
            match window {
                Some((from, to)) => recorder.window(from, to),
                None => recorder,
            }
        };
        let most = self.most.min(MOST_OF_SLOWEST);
        let part_ends = || came.zip(part).and_then(|(came, part)| last_of(came, part));
        Recorders {
            until: if whole { None } else { part_ends() },
            whole: whole.then(|| new(self.window, self.most)),
            slowest: part.map(|part| {
                let from = came.map_or(0, |came| first_of(came, part));
                new(Some(part), most).at_full_grain().from(from)
            }),
        }
    }

    /// Writes the recorded timelines into the folder of the recipe `name`, and returns the facts
    /// about them that results report.
    pub(crate) fn write(
        &self,
        recorders: Recorders,
        workload: &Workload,
        outcome: &Outcome,
        (leavings, name): (&dyn Leavings, &str),
    ) -> Result<Vec<DrawnTimeline>, StudyError> {
        let Recorders { whole, slowest, .. } = recorders;
        let whole = whole.map(|recorder| (PERFETTO, self.window, recorder));
        let slowest = slowest.map(|recorder| (SLOWEST, Some(recorder.drawn()), recorder));
        let mut drawn = Vec::new();
        for (file, window, recorder) in whole.into_iter().chain(slowest) {
            let timeline = recorder.finish(workload, outcome, &self.names);
            let file = format!("{name}/{file}");
            leavings.timeline(&file, &timeline).map_err(StudyError::writing(&file))?;
            drawn.push(DrawnTimeline::new(file, window, &timeline));
        }
        Ok(drawn)
    }
}

/// Returns the time in ns from which on a simulation has to be recorded for a drawing that begins
/// at `from`: the earliest start of a launch that was still on the device at `from`, or `from`
/// itself. `came` is an earlier simulation of the same work.
fn first_of(came: &Outcome, (from, _): (u64, u64)) -> u64 {
    let lasts = |ended: Option<Tick>| ended.is_none_or(|ended| ended.0 >= from);
    let there = came.records.iter().filter(|it| lasts(it.ended)).filter_map(|it| it.started);
    there.map(|started| started.0).min().map_or(from, |first| first.min(from))
}

/// Returns the time until which a simulation has to run for a drawing that ends at `to`: the end of
/// the last launch that was ready by `to`, or `to` itself. `None` where such a launch never ended
/// in `came`, an earlier simulation of the same work.
fn last_of(came: &Outcome, (_, to): (u64, u64)) -> Option<Tick> {
    let within = came.records.iter().filter(|it| it.ready.is_some_and(|ready| ready.0 <= to));
    within.map(|it| it.ended).try_fold(Tick(to), |last, ended| Some(last.max(ended?)))
}
