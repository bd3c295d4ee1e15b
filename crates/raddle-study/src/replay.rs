//! Which steps lead from the profiles of a study to its result: reading, planning, simulating,
//! judging?

mod beyond;
mod candidates;
mod drawn;
mod fitting;
mod own_device;
mod queued;
mod simulated;

use raddle_device::Device;
use raddle_dispatch::Registry;
use raddle_dispatch::log::Detail;
use raddle_policy::Ticks;
use raddle_sim::{
    EnergyModel, Outcome, PlanConfig, Scaling, TimeScale, Workload, host_pauses, plan,
};
use raddle_trace::PriorityRule;

use crate::answer::{Goal, Offered, RecordedOn, WayToSetUp, today};
use crate::arrivals::{self, Load, SeedDraw};
use crate::devices::{self, Chosen};
use crate::driver;
use crate::energy;
use crate::error::StudyError;
use crate::files::{Files, Leavings};
use crate::memory;
use crate::no_op;
use crate::open_load::OpenLoad;
use crate::profiles::{self, Loaded};
use crate::recipes::{self, NamedRecipe};
use crate::result::{
    DeviceFound, ProfileFacts, RecipeRun, Replay, ReplayResult, ReplayedProfile, Rules, SUMMARY,
};
use crate::runs::{AllRuns, Charges, Runner, RunsPlan};
use crate::share::{self, ShareCandidate};
use crate::study::{FileNames, Study, Ways};
use crate::sweep::FailedCase;
use crate::timelines::TimelineWish;
use crate::watcher::Watcher;
pub(crate) use own_device::OwnDevice;

/// Surroundings in which a study runs, such as files and threads; no figure of the result depends
/// on them.
#[derive(Clone, Copy)]
#[expect(missing_debug_implementations, reason = "it is made of traits")]
pub struct Surroundings<'s> {
    /// Registry of the policies that recipes may name.
    pub registry: &'s Registry,
    /// Source of the files that the study names.
    pub files: &'s dyn Files,
    /// Receiver of the progress of the study, which may also end it.
    pub watcher: &'s dyn Watcher,
    /// Number of simulations that run at the same time; `None` means one for each processor core.
    pub jobs: Option<u16>,
}

/// Choice of what simulations write beside their figures: decision logs and timelines.
#[expect(missing_debug_implementations, reason = "it is made of traits")]
pub struct Kept<'k> {
    /// Receiver of the decision logs and timelines that simulations write.
    pub leavings: &'k dyn Leavings,
    /// Detail with which decision logs are written; `None` writes no logs.
    pub detail: Option<Detail>,
    /// Timelines to draw of the simulations; `None` draws none.
    pub timelines: Option<TimelineWish>,
}

/// A study that is ready to run: its profiles are read, have the requests that the user asked for,
/// and are planned on the device.
#[derive(Debug)]
pub struct Prepared {
    profiles: Vec<Loaded>,
    /// Times that contention costs the processes, as two entries: the lower bound, then the upper
    /// bound. Empty where contention is not charged.
    bounds: Vec<Charges>,
    /// Alternative workload for profiles whose file does not say when work was issued: the host
    /// issues that work early, without the recorded gaps. `None` where every file says it, or where
    /// ways of sharing the device are compared and not recipes.
    queued: Option<Workload>,
    /// Random requests of the processes, one entry for every random seed after the first.
    draws: Vec<SeedDraw>,
    /// Requests whose number the user did not limit; each simulation draws as many as its
    /// percentiles need.
    open: OpenLoad,
    load: Load,
    recipes: Vec<NamedRecipe>,
    /// Ways of sharing the device (such as MPS), with their parameters, that the recipes simulate;
    /// empty where the study compares recipes.
    modes: Vec<ShareCandidate>,
    /// Recipes whose simulation ended with an error, each with that error.
    broken: Vec<FailedCase>,
    target: Chosen,
    workload: Workload,
    facts: Vec<ProfileFacts>,
    rules: Rules,
    priorities: Vec<PriorityRule>,
    goals: Vec<Goal>,
    command: Vec<String>,
    asked: Study,
    energy: EnergyModel,
}

/// A study that was run, with its result.
#[derive(Debug)]
pub struct Studied {
    pub(crate) prepared: Prepared,
    alone: Vec<Outcome>,
    /// Runs of which timelines may still be drawn; empty where none are wanted.
    runs: Vec<RecipeRun>,
    /// Result of the study, with the figures of all recipes (sets of policies) and the verdict
    /// (recommendation).
    pub result: ReplayResult,
}

impl Study {
    /// Reads the profiles of the study.
    ///
    /// # Errors
    /// When a profile cannot be read, or too little of it is known.
    pub fn profiles(&self, files: &dyn Files) -> Result<Vec<Loaded>, StudyError> {
        let options = self.shapes.options(self.barriers, files)?;
        let profiles = profiles::open(&self.profiles, &options, files)?;
        self.shapes.check(&profiles::given(&profiles))?;
        Ok(profiles)
    }

    /// Runs the study; keeps no decision log and no timeline.
    ///
    /// # Errors
    /// When a file of the study cannot be read or used, or a simulation fails.
    pub fn run(&self, around: &Surroundings<'_>) -> Result<Studied, StudyError> {
        self.prepare(self.profiles(around.files)?, around)?.run(around, None)
    }

    /// Adds the requests of the study to profiles that were read, and plans their processes on the
    /// device.
    ///
    /// # Errors
    /// When a file of the study cannot be read or used, or the profiles cannot run on the device.
    pub fn prepare(
        &self,
        mut profiles: Vec<Loaded>,
        around: &Surroundings<'_>,
    ) -> Result<Prepared, StudyError> {
        let Surroundings { files, watcher, .. } = *around;
        let claims = self.judge(&mut profiles, files)?;
        let draws = self.give(&mut profiles, files)?;
        let target = devices::target(self.device.as_deref(), &profiles, files)?;
        let today = today(&target.device, profiles.len());
        let mut recipes = self.recipes((&target.device, profiles.len()), around)?;
        let device = &target.device;
        let is_offered = |it: &NamedRecipe| driver::offered(&it.recipe, device) == Offered::Here;
        let by_driver = recipes.iter().any(is_offered);
        let reference = recipes::reference(&self.goals, &recipes, today, (around.registry, files))?;
        let reference = reference.map(|named| named.in_turns_of(&target.device)).transpose()?;
        recipes.extend(reference.iter().cloned());
        self.fit(&mut profiles, files, watcher)?;
        let (mut workload, own) = self.workload(&profiles, &target)?;
        let overload = beyond::overload(&workload);
        let told = overload.iter().flat_map(|of| &of.warnings);
        told.for_each(|text| watcher.warn(text));
        let facts = self.facts(&profiles, &own, &target);
        let (bounds, contention) = self.charge(&profiles, &target, &mut workload).unzip();
        let queued = self.queued(&profiles, &target, &workload)?;
        let rules = Rules {
            memory: memory::told(&profiles, &target.device)?,
            scaling: self.scale,
            contention,
            energy: energy::weights(self),
            barriers: self.barriers,
            communication: self.comm,
            queued: self.load.queued,
            claims,
            warnings: Vec::new(),
            overturning: overload.into_iter().collect(),
            not_tried: Vec::new(),
            by_name: !self.recipes.is_empty(),
            by_driver,
        };
        let mut prepared = Prepared {
            open: OpenLoad::of(&profiles),
            profiles,
            bounds: bounds.unwrap_or_default(),
            queued,
            draws,
            load: self.load.clone(),
            recipes: Vec::new(),
            modes: Vec::new(),
            broken: Vec::new(),
            target,
            workload,
            facts,
            rules,
            priorities: self.priorities.iter().map(|rule| rule.rule.clone()).collect(),
            goals: self.goals.clone(),
            command: self.command("replay", &FileNames::Bare(files)),
            asked: self.clone(),
            energy: energy::model(self, files)?,
        };
        if self.ways == Ways::Modes {
            recipes = prepared.choose_modes(reference, around)?;
        }
        prepared.recipes = recipes;
        Ok(prepared)
    }

    /// Returns the recipes (sets of scheduling policies) that the study asks for, on a device with
    /// this number of processes; empty if the study compares the ways of sharing that drivers
    /// offer.
    pub(crate) fn recipes(
        &self,
        (device, processes): (&Device, usize),
        around: &Surroundings<'_>,
    ) -> Result<Vec<NamedRecipe>, StudyError> {
        if self.ways == Ways::Modes {
            let text = "--set is for recipes: ways of sharing have the settings that suit best";
            return match self.settings.as_slice() {
                [] => Ok(Vec::new()),
                _ => Err(StudyError::Usage(text.to_owned())),
            };
        }
        let names = recipes::names(self.ways == Ways::All, &self.recipes);
        let from = (around.registry, around.files);
        let chosen = share::choose(&names, (device, processes), &self.settings, from)?;
        chosen.into_iter().map(|named| named.in_turns_of(device)).collect()
    }

    /// Applies the rules of the user on communication kernels (which move data between devices),
    /// and on which kernels may be killed and run again. Returns one sentence for each rule, on its
    /// effect.
    pub(crate) fn judge(
        &self,
        profiles: &mut [Loaded],
        files: &dyn Files,
    ) -> Result<Vec<String>, StudyError> {
        profiles::communicate(profiles, self.comm)?;
        let mut claims = profiles::judge_from(profiles, &self.idempotent_from, files)?;
        claims.extend(profiles::judge(profiles, &self.idempotent)?);
        Ok(claims)
    }

    /// Gives the profiles the start times, shares, hints and requests that the user set. Returns
    /// the random requests for every seed after the first.
    pub(crate) fn give(
        &self,
        profiles: &mut [Loaded],
        files: &dyn Files,
    ) -> Result<Vec<SeedDraw>, StudyError> {
        profiles::place(profiles, &self.starts, &self.shares, &self.hints, &self.memory)?;
        profiles::think(profiles, &self.thinks)?;
        let draws = arrivals::give(profiles, &self.load, files)?;
        if !self.open_loop {
            profiles::close(profiles);
        }
        profiles::check_goals(&self.goals, profiles)?;
        profiles::check_priorities(&self.priorities, profiles)?;
        profiles::check_needs(profiles, &self.needs)?;
        Ok(draws)
    }

    /// Plans the processes on the device. Returns (workload, for each profile the device on which
    /// it was recorded).
    ///
    /// # Errors
    ///
    /// When too large a part of the work cannot run on the device, or a goal limits a figure that
    /// its process does not have.
    pub(crate) fn workload(
        &self,
        profiles: &[Loaded],
        target: &Chosen,
    ) -> Result<(Workload, Vec<OwnDevice>), StudyError> {
        let rules: Vec<PriorityRule> =
            self.priorities.iter().map(|rule| rule.rule.clone()).collect();
        let mut processes = Vec::new();
        let mut owns = Vec::new();
        for loaded in profiles {
            // A device that the user names is a better stand-in than a guess.
            let own = match self.device {
                Some(_) => devices::own(&loaded.profile),
                None => devices::own_or_guess(&loaded.profile),
            };
            let own = own.unwrap_or_else(|why| {
                let found = if why.is_some() { DeviceFound::Strange } else { DeviceFound::StandIn };
                Chosen { found, ..target.clone() }
            });
            let scale = TimeScale::of(self.scale, &own.device, &target.device)?;
            let options = PlanConfig {
                start: Ticks(loaded.start_ns),
                share: loaded.share,
                scale,
                queues: self.queues,
                queued: self.load.queued,
                ..loaded.fitted.options((&own.device, &target.device), self.waits)
            };
            let mut process = plan(&loaded.profile, &options, loaded.levels(&rules));
            process.name.clone_from(&loaded.name);
            let between = loaded.think_ns.or(loaded.profile.between_ns);
            process.think = Ticks(between.unwrap_or(0));
            process.hints = loaded.hints.iter().map(|&hint| (Ticks::ZERO, None, hint)).collect();
            if let Some(requests) = &loaded.requests {
                process.repetition = requests.repetition.clone();
            }
            if loaded.closed {
                process = process.closed(host_pauses(&loaded.profile));
            }
            processes.push(process);
            owns.push(OwnDevice { own, scale });
        }
        if !self.ranks.is_empty() {
            profiles::let_ranks_meet(profiles, &self.given, &mut processes);
        }
        let repeat = !self.once && processes.len() > 1;
        let mut workload = Workload { processes, repeat };
        let open = OpenLoad::of(profiles);
        let first = open.first(&workload);
        open.give(&mut workload, first);
        workload.check(&target.device)?;
        self.shapes.check_runs(profiles, &workload, &target.device)?;
        profiles::check_figures(&self.goals, &workload)?;
        Ok((workload, owns))
    }

    pub(crate) fn facts(
        &self,
        profiles: &[Loaded],
        owns: &[OwnDevice],
        target: &Chosen,
    ) -> Vec<ProfileFacts> {
        let facts = profiles.iter().zip(owns).map(|(loaded, it)| {
            let (OwnDevice { own, scale }, recorded_on) = (it, it.recorded_on(target));
            let elsewhere = recorded_on != RecordedOn::ThisDevice;
            let scaled = self.scale != Scaling::None && elsewhere;
            let replayed = ReplayedProfile {
                scaled: scaled.then_some((self.scale, *scale)),
                waits: self.waits,
                ..loaded.replayed()
            };
            ProfileFacts::new(&replayed, own.facts(), recorded_on)
        });
        facts.collect()
    }
}

impl Prepared {
    /// Returns the profiles, in the order of the processes.
    #[must_use]
    pub fn profiles(&self) -> &[Loaded] {
        &self.profiles
    }

    /// Returns the names of the recipes (sets of policies) that are compared.
    pub fn recipes(&self) -> impl Iterator<Item = &str> + Clone {
        self.recipes.iter().map(|named| &*named.name)
    }

    /// Returns the name of the recipe (set of policies) by which the device shares itself where
    /// nobody sets anything up.
    pub(crate) fn today(&self) -> &'static str {
        today(&self.target.device, self.profiles.len())
    }

    pub(crate) const fn asked(&self) -> &Study {
        &self.asked
    }

    /// Returns the requests whose number the user did not limit; each simulation draws as many as
    /// its percentiles need.
    pub(crate) const fn open(&self) -> &OpenLoad {
        &self.open
    }

    /// Returns what is replayed: (requests that the user asked for, workload, recipes).
    pub(crate) fn replayed(&self) -> (&Load, &Workload, &[NamedRecipe]) {
        (&self.load, &self.workload, &self.recipes)
    }

    pub(crate) fn plan<'p>(&'p self, around: &Surroundings<'p>) -> RunsPlan<'p> {
        RunsPlan {
            workload: &self.workload,
            recipes: &self.recipes,
            bounds: &self.bounds,
            priced: true,
            queued: self.queued.as_ref(),
            draws: &self.draws,
            open: &self.open,
            goals: &[],
            target: &self.target.device,
            energy: self.energy,
            detail: None,
            leavings: None,
            timeline: None,
            jobs: around.jobs,
            watcher: around.watcher,
        }
    }

    fn replay<'p>(&'p self, alone: &'p [Outcome]) -> Replay<'p> {
        Replay {
            target: &self.target.device,
            device: self.target.facts(),
            profiles: self.profiles.iter().map(Loaded::replayed).collect(),
            workload: &self.workload,
            rules: &self.rules,
            alone,
            goals: &self.goals,
            command: &self.command,
        }
    }

    /// Simulates every recipe and judges the results; decision logs, and timelines that are drawn in
    /// the same pass, are written to `kept`, if that is given. [`Studied::draw`] draws the others.
    ///
    /// # Errors
    ///
    /// When a recipe cannot be used, or a simulation breaks off, is cancelled, or its files cannot
    /// be written.
    pub fn run(
        mut self,
        around: &Surroundings<'_>,
        kept: Option<&Kept<'_>>,
    ) -> Result<Studied, StudyError> {
        let (leavings, timeline) = (kept.map(|kept| kept.leavings), self.wanted(kept));
        let (detail, timeline) = (kept.and_then(|kept| kept.detail), timeline.as_ref());
        let timeline_wanted = timeline.is_some();
        let plan = RunsPlan { detail, leavings, timeline, ..self.plan(around) };
        let AllRuns { recipes: runs, alone, broken } = self.simulated(&Runner::new(plan)?)?;
        self.leave_out(broken);
        let (target, workload) = (&self.target.device, &self.workload);
        let warnings = no_op::warnings(target, workload, &runs);
        let rules = Rules {
            warnings: [&*self.rules.warnings, &*warnings].concat(),
            overturning: self
                .rules
                .overturning
                .iter()
                .cloned()
                .chain(no_op::replaced(&runs))
                .collect(),
            ..self.rules.clone()
        };
        let mut result = self.result(&rules, &runs, &alone);
        if self.profiles.len() > 1 {
            let device = &self.target.device;
            result.rest_on(self.recipes.iter().filter_map(|named| named.assumed_price(device)));
        }
        result.fail(&self.broken);
        self.load_limit(&mut result, &runs, around)?;
        if let Some((chosen, of)) = self.chosen(&result) {
            result.set_up(of, share::setup(chosen, &self.profiles, &self.priorities));
        }
        self.rules = rules;
        let names = FileNames::Bare(around.files);
        result.answer.verdict.next_command = self.next(&result, Some(SUMMARY), &names).command();
        let runs = if timeline_wanted { runs } else { Vec::new() };
        Ok(Studied { prepared: self, alone, runs, result })
    }

    /// Removes the recipes (sets of policies) of which a simulation ended with an error, and stores
    /// the errors.
    fn leave_out(&mut self, broken: Vec<FailedCase>) {
        let ran = |name: &String| broken.iter().all(|of| of.case != *name);
        self.recipes.retain(|named| ran(&named.name));
        self.modes.retain(|mode| ran(&mode.recipe.name));
        self.broken.extend(broken);
    }

    fn result(&self, rules: &Rules, runs: &[RecipeRun], alone: &[Outcome]) -> ReplayResult {
        let replay = Replay { rules, ..self.replay(alone) };
        ReplayResult::new(&replay, self.facts.clone(), runs)
    }

    /// Returns the way of sharing the device that the verdict of a result tells a user to set up,
    /// and why it is that way. `None` where recipes are compared and not the ways that drivers
    /// offer.
    fn chosen(&self, result: &ReplayResult) -> Option<(&ShareCandidate, WayToSetUp)> {
        let answer = result.answer();
        let of = answer.to_set_up()?;
        let named = self.modes.iter().find(|mode| mode.recipe.name == of.recipe);
        let Some(mode) = named else {
            let mode = self.modes.get(answer.baseline)?;
            return Some((mode, WayToSetUp { recipe: mode.recipe.name.clone(), ..of }));
        };
        Some((mode, of))
    }
}

impl Studied {
    /// Returns the profiles, rules and simulations from which the result was made.
    #[must_use]
    pub fn replay(&self) -> Replay<'_> {
        self.prepared.replay(&self.alone)
    }
}
