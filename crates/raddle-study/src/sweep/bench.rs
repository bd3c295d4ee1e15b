//! How does a case of a sweep (one combination of the varied values) become a row of figures?

use std::fmt::Write as _;
use std::sync::Arc;

use raddle_device::Device;
use raddle_dispatch::Registry;
use raddle_sim::{Summary, Workload};
use raddle_trace::Profile;
use raddle_trace::arrivals::ArrivalConfig;

use super::cases::{Case, Cases, Shard, Sweep};
use super::figures::{Alone, CaseBounds, CaseRun, figures};
use super::memo::Memo;
use super::print::Print;
use super::remembered::Remembered;
use super::search::search_cost;
use crate::answer::{JudgedBy, JudgedProcess, ORDINARY};
use crate::devices::{self, Chosen};
use crate::error::StudyError;
use crate::files::{Files, base_name};
use crate::open_load::OpenLoad;
use crate::profiles::{self, Loaded};
use crate::recipes::{self, NamedRecipe};
use crate::replay::{OwnDevice, Surroundings};
use crate::result::{
    LostLaunches, LostWork, ReplayedProfile, lost_in, lost_shares, never_ran, of_profiles,
};
use crate::runs::{Runner, RunsPlan};
use crate::shapes::ShapeRules;
use crate::study::Study;
use crate::sweep::SweepRow;
use crate::watcher::{Quiet, Watcher};
use crate::{energy, memory, parallel};

/// Names of the options of a study that decide how its profiles are read and fitted. Cases of a
/// sweep that agree in them share that work.
const LEARNT: [&str; 8] = [
    "partial",
    "shapes-from",
    "barriers",
    "comm",
    "idempotent",
    "idempotent-from",
    "waits",
    "launch-latency",
];

/// Names of the options of a study that decide by which figure, such as p99, a process is judged.
const JUDGED: [&str; 3] = ["once", "requests", "arrivals"];

/// Names of the options of a study that decide whether the processes fit into memory.
const FITTING: [&str; 2] = ["device", "memory"];

/// Runner of the cases of a sweep; keeps work that cases have in common, such as fits.
#[expect(missing_debug_implementations, reason = "it holds traits")]
pub struct Bench<'b> {
    cases: Cases,
    registry: &'b Registry,
    files: Remembered<'b>,
    watcher: &'b dyn Watcher,
    jobs: Option<u16>,
    /// Profiles as they were read, each with the fingerprint of its content. They are stored by the
    /// options on which reading depends.
    imports: Memo<(Arc<Profile>, String)>,
    /// Fitted profiles, with everything about them that does not depend on requests, device or
    /// recipe. They are stored by the options on which they depend.
    learnt: Memo<Arc<Vec<Loaded>>>,
    /// Figure by which each process is judged (p99, step or end) when it runs alone on the device,
    /// in ns. It is stored by the settings on which it depends.
    alone: Memo<Alone>,
}

impl<'b> Bench<'b> {
    /// Makes the runner of a sweep, and reads and fits the profiles of its first case.
    ///
    /// # Errors
    /// When the first case names a profile, recipe or option that does not exist, or its profiles
    /// cannot be used.
    pub fn new(sweep: &Sweep, around: Surroundings<'b>) -> Result<Self, StudyError> {
        let Surroundings { registry, files, watcher, jobs } = around;
        let cases = Cases::new(sweep, files)?;
        cases.check_values(registry, files)?;
        let bench = Self {
            cases,
            registry,
            files: Remembered::new(files),
            watcher,
            jobs,
            imports: Memo::default(),
            learnt: Memo::default(),
            alone: Memo::default(),
        };
        let first = bench.cases.get(0)?.study;
        let learnt = bench.learnt(&first);
        // If options of reading or fitting are varied, an error concerns single cases only.
        if !bench.cases.axes().any(|(key, _)| LEARNT.contains(&key)) {
            learnt?;
        }
        bench.check(&first)?;
        Ok(bench)
    }

    /// Returns the cases of the sweep.
    #[must_use]
    pub const fn cases(&self) -> &Cases {
        &self.cases
    }

    /// Returns the names of the processes in the first case of the sweep.
    ///
    /// # Errors
    /// When the profiles of the first case cannot be used.
    pub fn processes(&self) -> Result<Vec<String>, StudyError> {
        let learnt = self.learnt(&self.cases.get(0)?.study)?;
        Ok(learnt.iter().map(|loaded| loaded.name.clone()).collect())
    }

    /// Checks that the options of the first case name only parts that its profiles have, that
    /// arrivals are random if there are several seeds, and that the processes fit into memory.
    fn check(&self, first: &Study) -> Result<(), StudyError> {
        let several = self.cases.axes().any(|(key, values)| key == "seed" && values.len() > 1);
        let mut drawn = first.clone();
        drawn.load.seeds = several.then_some(2);
        let Ok(learnt) = self.learnt(first) else { return Ok(()) };
        let mut loaded = learnt.to_vec();
        let given = drawn.give(&mut loaded, &self.files);
        let varied = |keys: &[&str]| self.cases.axes().any(|(key, _)| keys.contains(&key));
        let asked = given.and_then(|_| match varied(&JUDGED) {
            true => Ok(()),
            false => self.planned(first, &loaded).map(|_| ()),
        });
        if !varied(&FITTING) {
            let target = devices::target(first.device.as_deref(), &loaded, &self.files);
            target.map_or(Ok(()), |target| memory::told(&loaded, &target.device).map(|_| ()))?;
        }
        match asked {
            Err(error) if error.is_usage() => Err(error),
            // Any other error concerns single cases only.
            _ => Ok(()),
        }
    }

    /// Plans a study. Returns (workload, device on which each profile was recorded, device replayed
    /// on).
    fn planned(
        &self,
        study: &Study,
        loaded: &[Loaded],
    ) -> Result<(Workload, Vec<OwnDevice>, Chosen), StudyError> {
        let target = devices::target(study.device.as_deref(), loaded, &self.files)?;
        let (workload, owns) = study.workload(loaded, &target)?;
        Ok((workload, owns, target))
    }

    /// Runs the case with the index `position` and returns its row; where the case fails, the row
    /// holds the error.
    ///
    /// # Errors
    /// When the watcher cancels the sweep.
    pub fn row(&self, position: usize) -> Result<SweepRow, StudyError> {
        let case = self.cases.get(position)?;
        let result = self.figures(&case.study);
        if self.watcher.is_cancelled() {
            return Err(StudyError::Cancelled);
        }
        let result = match result {
            Err(StudyError::Cancelled) => return Err(StudyError::Cancelled),
            result => result.map_err(|error| error.to_string()),
        };
        let of = self.print(&case)?;
        Ok(SweepRow { case: case.id, of, values: case.values, result })
    }

    /// Runs the cases with these indices, several at the same time, and passes each row to `take`
    /// as soon as the case has ended.
    ///
    /// # Errors
    ///
    /// When the watcher cancels the sweep, or `take` returns an error.
    pub fn run(
        &self,
        positions: &[usize],
        take: impl Fn(SweepRow) -> Result<(), StudyError> + Sync,
    ) -> Result<(), StudyError> {
        parallel::each(self.jobs, positions.len(), |at| take(self.row(positions[at])?))
    }

    /// Returns the fingerprint of a case: of its study, the content of its files, and the version
    /// of raddle. It differs from that of a case with the same id in another sweep.
    ///
    /// # Errors
    ///
    /// When there is no such case.
    pub fn print_of(&self, position: usize) -> Result<String, StudyError> {
        self.print(&self.cases.get(position)?)
    }

    fn print(&self, case: &Case) -> Result<String, StudyError> {
        let bare = |names: &[String]| names.iter().map(|name| base_name(name)).collect();
        let Study { profiles, recipes, device, energy_weights, .. } = &case.study;
        let (load, arrivals) = case.study.load.bare(&self.files);
        let asked = Study {
            load,
            shapes: ShapeRules {
                shapes_from: bare(&case.study.shapes.shapes_from),
                ..case.study.shapes.clone()
            },
            idempotent_from: bare(&case.study.idempotent_from),
            profiles: bare(profiles),
            given: bare(&case.study.given),
            recipes: bare(recipes),
            device: device.as_deref().map(base_name),
            energy_weights: energy_weights.as_deref().map(base_name),
            ..case.study.clone()
        };
        let mut print = Print::default();
        print.text(env!("CARGO_PKG_VERSION"));
        // A study is strings, numbers and lists of them, so that writing it as JSON cannot fail.
        print.text(&serde_json::to_string(&asked).unwrap_or_default());
        for loaded in self.learnt(&case.study).iter().flat_map(|all| all.iter()) {
            print.text(&self.import(&case.study, &loaded.given)?.1);
        }
        let texts = recipes.iter().filter_map(|name| recipes::text_as_given(name, &self.files));
        texts.for_each(|text| print.text(&text));
        let small = device.iter().chain(energy_weights).chain(&case.study.idempotent_from);
        let small = small.filter(|name| self.files.has(name));
        small.filter_map(|name| self.files.text(name).ok()).for_each(|text| print.text(&text));
        let options = ArrivalConfig { time_unit: case.study.load.time_unit };
        for file in &arrivals {
            if let Ok(file) = self.files.arrivals(file, &options) {
                let _ = write!(print, "{file:?}");
            }
        }
        Ok(print.to_string())
    }

    /// Returns (profile, fingerprint of its content) for a study; reads each profile only once.
    fn import(&self, study: &Study, name: &str) -> Result<(Arc<Profile>, String), StudyError> {
        let Study { shapes, barriers, .. } = study;
        self.imports.get(&key(&(name, shapes, barriers)), || {
            let options = shapes.options(*barriers, &self.files)?;
            let profile = self.files.profile(name, &options)?;
            let mut print = Print::default();
            // Writing to a fingerprint cannot fail.
            let _ = write!(print, "{profile:?}");
            Ok((Arc::new(profile), print.to_string()))
        })
    }

    /// Returns the profiles of a study, read and fitted, with everything about them that does not
    /// depend on requests, device or recipe.
    fn learnt(&self, study: &Study) -> Result<Arc<Vec<Loaded>>, StudyError> {
        let common = Study {
            profiles: study.profiles.clone(),
            shapes: study.shapes.clone(),
            barriers: study.barriers,
            comm: study.comm,
            idempotent: study.idempotent.clone(),
            idempotent_from: study.idempotent_from.clone(),
            waits: study.waits,
            launch_latency: study.launch_latency,
            ..Study::default()
        };
        self.learnt.get(&key(&common), || {
            let read = |name: &str| Ok(self.import(study, name)?.0);
            let mut loaded = profiles::open_by(&study.profiles, &self.files, read)?;
            study.shapes.check(&profiles::given(&loaded))?;
            study.judge(&mut loaded, &self.files)?;
            study.fit(&mut loaded, &self.files, &Quiet(self.watcher))?;
            Ok(Arc::new(loaded))
        })
    }

    /// Returns (device that a study replays on, number of its processes).
    pub(super) fn target(&self, study: &Study) -> Result<(Device, usize), StudyError> {
        let mut loaded = self.learnt(study)?.to_vec();
        study.give(&mut loaded, &self.files)?;
        let (_, _, target) = self.planned(study, &loaded)?;
        Ok((target.device, loaded.len()))
    }

    /// Returns the number of cases that run at the same time; `None` means one for each processor
    /// core.
    pub(crate) const fn jobs(&self) -> Option<u16> {
        self.jobs
    }

    pub(crate) const fn around(&self) -> Surroundings<'_> {
        Surroundings {
            registry: self.registry,
            files: &self.files,
            watcher: self.watcher,
            jobs: Some(1),
        }
    }

    /// Returns the facts about the profiles that can make the study's answer wrong, one line each.
    /// The profiles are of the first and the last case of `shard`, or of all cases for `None`.
    ///
    /// # Errors
    /// When a profile cannot be read or planned.
    pub fn overturning(&self, shard: Option<Shard>) -> Result<Vec<String>, StudyError> {
        self.of_ends(shard, |study| Ok(self.believed(study, Vec::new())?.1))
    }

    /// Returns a sentence on how much memory all processes need and how much the device has, for
    /// the first case; and another one for the last case where it differs.
    ///
    /// # Errors
    /// When a profile cannot be read or planned, or the processes do not fit into memory.
    pub fn memory(&self) -> Result<Vec<String>, StudyError> {
        self.of_ends(None, |study| {
            let mut loaded = self.learnt(study)?.to_vec();
            study.give(&mut loaded, &self.files)?;
            let target = devices::target(study.device.as_deref(), &loaded, &self.files)?;
            Ok(vec![memory::told(&loaded, &target.device)?])
        })
    }

    /// Calls `lines` with the studies of the first and the last case (of a shard, or of all cases
    /// for `None`), and returns the lines of both without duplicates.
    fn of_ends(
        &self,
        shard: Option<Shard>,
        lines: impl Fn(&Study) -> Result<Vec<String>, StudyError>,
    ) -> Result<Vec<String>, StudyError> {
        let mut all: Vec<String> = Vec::new();
        let own = |at: &usize| shard.is_none_or(|shard| shard.holds(*at));
        let first = (0..self.cases().len()).find(own);
        let last = (0..self.cases().len()).rfind(own).filter(|last| Some(*last) != first);
        for at in first.into_iter().chain(last) {
            let own = lines(&self.cases().get(at)?.study)?;
            all.extend(own.into_iter().filter(|line| !all.contains(line)).collect::<Vec<_>>());
        }
        Ok(all)
    }

    /// Describes work that never ran, in words; `runs` has (recipe, its launches that never ran).
    pub(crate) fn lost(&self, runs: &[(&str, LostLaunches)]) -> Result<LostWork, StudyError> {
        Ok(never_ran(&replayed(&self.learnt(&self.cases.get(0)?.study)?), runs))
    }

    /// Returns the processes `judged`, with facts on the reliability of their figures added, and
    /// the facts about the profiles that can make the study's answer wrong, one line each.
    pub(crate) fn believed(
        &self,
        study: &Study,
        judged: Vec<JudgedProcess>,
    ) -> Result<(Vec<JudgedProcess>, Vec<String>), StudyError> {
        let mut loaded = self.learnt(study)?.to_vec();
        study.give(&mut loaded, &self.files)?;
        let (_, owns, target) = self.planned(study, &loaded)?;
        let facts = study.facts(&loaded, &owns, &target);
        let lines =
            of_profiles(&facts, &target.facts(), (study.comm, study.load.queued), study.scale);
        let lines = lines.into_iter().map(|found| found.line).collect();
        let judged = facts.iter().zip(judged).map(|(facts, process)| facts.judge(process));
        Ok((judged.collect(), lines))
    }

    /// Runs the study of a case and returns its figures, each as (name, number).
    fn figures(&self, study: &Study) -> Result<Vec<(String, serde_json::Number)>, StudyError> {
        Ok(figures(&self.run_of(study, CaseBounds::Run)?))
    }

    /// Simulates a study that has one recipe: all processes together, and each process alone.
    pub(super) fn run_of(&self, study: &Study, bounds: CaseBounds) -> Result<CaseRun, StudyError> {
        let mut loaded = self.learnt(study)?.to_vec();
        study.give(&mut loaded, &self.files)?;
        let (mut workload, owns, target) = self.planned(study, &loaded)?;
        memory::told(&loaded, &target.device)?;
        let charges = study.charge(&loaded, &target, &mut workload);
        let charges = charges.map_or_else(Vec::new, |(charges, _)| charges);
        let queued = study.queued(&loaded, &target, &workload)?;
        let recipes = study.recipes((&target.device, workload.processes.len()), &self.around())?;
        let watcher = Quiet(self.watcher);
        let plan = RunsPlan {
            workload: &workload,
            recipes: &recipes,
            bounds: &charges,
            priced: true,
            queued: queued.as_ref(),
            draws: &[],
            open: &OpenLoad::of(&loaded),
            goals: &[],
            target: &target.device,
            energy: energy::model(study, &self.files)?,
            detail: None,
            leavings: None,
            timeline: None,
            jobs: Some(1),
            watcher: &watcher,
        };
        let runner = Runner::new(plan)?;
        let [named] = recipes.as_slice() else {
            return Err(StudyError::Usage("a case has one recipe".to_owned()));
        };
        let together = runner.together(named)?;
        let summary = Summary::new(&workload, &together, &[]);
        let lost = lost_in(&replayed(&loaded), &together);
        let lost_shares = lost_shares(&replayed(&loaded), &lost);
        let alone = self.alone(study, &workload, &runner)?;
        let search = search_cost(named, &target.device);
        let (bounds, queued) = match bounds {
            CaseBounds::Run => runner.bounds()?,
            CaseBounds::Not => (Vec::new(), None),
        };
        let recorded_on = owns.iter().map(|own| own.recorded_on(&target)).collect();
        let (workload, lost_shares) = (workload.clone(), lost_shares);
        Ok(CaseRun {
            summary,
            alone,
            search,
            workload,
            lost,
            lost_shares,
            bounds,
            queued,
            recorded_on,
        })
    }

    /// Returns the figure by which each process is judged (p99, step or end) when it runs alone on
    /// the device, in ns.
    fn alone(
        &self,
        study: &Study,
        workload: &Workload,
        runner: &Runner<'_>,
    ) -> Result<Alone, StudyError> {
        let processes = 0..workload.processes.len();
        let judged: Vec<JudgedBy> =
            processes.clone().map(|at| JudgedBy::of(workload, at)).collect();
        let common = Study {
            recipes: Vec::new(),
            settings: Vec::new(),
            load: Default::default(),
            shares: Vec::new(),
            priorities: Vec::new(),
            goals: Vec::new(),
            ..study.clone()
        };
        self.alone.get(&key(&(common, judged)), || {
            let ordinary = recipes::bundled(ORDINARY, &Registry::bundled())?;
            let one = |at: usize| {
                let found = alone_ns(workload, runner, &ordinary, at)?;
                Ok::<_, StudyError>(found)
            };
            Ok(Arc::new(processes.map(one).collect::<Result<_, _>>()?))
        })
    }
}

fn replayed(loaded: &[Loaded]) -> Vec<ReplayedProfile<'_>> {
    loaded.iter().map(Loaded::replayed).collect()
}

fn alone_ns(
    workload: &Workload,
    runner: &Runner<'_>,
    ordinary: &NamedRecipe,
    process: usize,
) -> Result<Option<u64>, StudyError> {
    let outcome = runner.alone(ordinary, process)?;
    Ok(JudgedProcess::new(workload, process, &outcome).alone_ns)
}

/// Writes a value, with all its parts, as a text by which [`Memo`] stores a result.
fn key(of: &impl serde::Serialize) -> String {
    // Keys are strings, numbers and lists of them, so that writing them as JSON cannot fail.
    serde_json::to_string(of).unwrap_or_default()
}
