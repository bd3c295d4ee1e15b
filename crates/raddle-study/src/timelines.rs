//! Which timelines are drawn, and what do results say of them?
//!
//! Of each recipe that is compared one of the whole run, and one of its slowest request on every
//! compute unit, from its arrival on as far as that does not take too many slices.

use raddle_policy::Tick;
use raddle_report::answer::BASELINE;
use raddle_report::replay::{DrawnTimeline, PERFETTO, ReplayResult, SLOWEST};
use raddle_report::timeline::{Recorder, TimelineNames, write_perfetto};
use raddle_sim::{Outcome, Seen, Watch, Workload};

use crate::error::StudyError;
use crate::files::Leavings;

/// The most slices on compute units where nobody says otherwise, and of the slowest request.
const MOST: u32 = 500_000;
const MOST_OF_SLOWEST: usize = 40_000;

/// Which timelines are wanted of a run, and how fine.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct TimelineWish {
    /// Those of every recipe, not only of the compared ones.
    pub all: bool,
    /// The most slices of a timeline; `None`: 500,000.
    pub slices: Option<u32>,
    /// Only from this time to that one, in nanoseconds.
    pub window: Option<(u64, u64)>,
}

/// What is drawn.
#[derive(Debug)]
pub(crate) struct Wanted {
    /// Of every recipe.
    all: bool,
    /// The recipe that others are compared with.
    baseline: String,
    most: usize,
    /// From when to when, where not all of a run.
    window: Option<(u64, u64)>,
    names: TimelineNames,
    /// Of the device.
    cus: u16,
}

/// What of a run has not been drawn.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Missing {
    whole: bool,
    /// From when to when its slowest request was served.
    part: Option<(u64, u64)>,
}

impl Missing {
    /// All of it, and no part apart.
    pub(crate) const WHOLE: Self = Self { whole: true, part: None };
}

/// Looks on for several timelines of one run.
pub(crate) struct Recorders {
    whole: Option<Recorder>,
    slowest: Option<Recorder>,
    /// When nothing more of them can change; `None`: with the run.
    until: Option<Tick>,
}

impl Watch for Recorders {
    fn see(&mut self, now: Tick, seen: &Seen<'_>) {
        self.whole.iter_mut().chain(&mut self.slowest).for_each(|recorder| recorder.see(now, seen));
    }

    fn ends_run(&self, now: Tick) -> bool {
        self.until.is_some_and(|until| until < now)
    }
}

impl Wanted {
    /// What is asked for; `None`: nothing.
    pub(crate) fn of<'r>(
        wish: &TimelineWish,
        recipes: impl Iterator<Item = &'r str> + Clone,
        (cus, names): (u16, TimelineNames),
    ) -> Option<Self> {
        let baseline = recipes.clone().find(|name| *name == BASELINE);
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

    /// Whether it is known before any run that this recipe is drawn.
    pub(crate) fn at_once(&self, recipe: &str) -> bool {
        self.all || recipe == self.baseline
    }

    /// What of a recipe that is compared has not been drawn.
    pub(crate) fn missing(&self, result: &ReplayResult, recipe: usize) -> Option<Missing> {
        let whole = !result.is_drawn(recipe);
        // Whoever names a window wants that one.
        let part = result.slowest_request(recipe).filter(|_| self.window.is_none());
        (whole || part.is_some()).then_some(Missing { whole, part })
    }

    /// What looks on while a run goes, of which this came when it went before.
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
            slowest: part.map(|part| new(Some(part), most).at_full_grain()),
        }
    }

    /// Writes what was recorded into the folder of recipe `name`.
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
            let to = leavings.timeline(&file);
            let written = to.and_then(|to| write_perfetto(&timeline, to, &mut |_, _| ()));
            written.map_err(StudyError::writing(&file))?;
            drawn.push(DrawnTimeline::new(file, window, &timeline));
        }
        Ok(drawn)
    }
}

/// When the last of the launches has ended that are ready within a part of a run; `None` where one
/// never ends.
fn last_of(came: &Outcome, (_, to): (u64, u64)) -> Option<Tick> {
    let within = came.records.iter().filter(|it| it.ready.is_some_and(|ready| ready.0 <= to));
    within.map(|it| it.ended).try_fold(Tick(to), |last, ended| Some(last.max(ended?)))
}
