//! How does a replay go, from files to the comparison?

mod args;

use std::path::{Path, PathBuf};

use raddle_device::Device;
use raddle_dispatch::Registry;
use raddle_policy::Ticks;
use raddle_report::json;
use raddle_report::replay::{
    Closing, DeviceFound, LOG, PAGE, ProfileFacts, Replay, ReplayResult, ReplayedProfile, Rules,
    document,
};
use raddle_report::timeline::TimelineNames;
use raddle_sim::{
    Goal, ModelError, PlanOptions, Scaling, TimeScale, WaitRule, Workload, host_pauses, plan,
};
use raddle_trace::{BarrierRule, CommRule, PriorityRule};
use rayon::prelude::*;

use crate::Console;
use crate::args::{Cli, Format, Verb};
use crate::arrivals::{self, SeedDraw};
use crate::devices::{self, Chosen};
use crate::error::CliError;
use crate::fitted::Fitted;
use crate::inspect::self_replay;
use crate::manual;
use crate::no_op;
use crate::output::Output;
use crate::profiles::{self, Loaded};
use crate::recipes::{self, NamedRecipe};
use crate::runs;
use crate::share::{self, Candidate};
use crate::timelines;
use crate::unique;
use crate::units::quoted;

use args::LogDetail;
pub(crate) use args::{
    Barriers, Comm, IdempotenceClaim, Latency, Named, ReplayArgs, Rule, RunArgs, StreamWaits,
    WhichTimelines,
};

/// Where results go by default, a folder a replay.
const RESULTS: &str = "raddle-out";

/// Columns of a result that goes to no terminal, and the least of one that does.
const COLUMNS: usize = 80;

/// Everything that a replay needs to know.
struct ReplayRequest<'r> {
    /// The policies that recipes may name.
    registry: &'r Registry,
    profiles: Vec<Loaded>,
    /// The requests of further seeds.
    draws: Vec<SeedDraw>,
    recipes: Vec<NamedRecipe>,
    /// The same as ways of sharing, where those are compared.
    modes: Vec<Candidate>,
    rules: Vec<Rule>,
    barriers: BarrierRule,
    comm: CommRule,
    /// Whose word it is that launches may be killed.
    verdicts: Vec<String>,
    device: Option<&'r str>,
    scaling: Scaling,
    waits: WaitRule,
    repeat: bool,
    goals: Vec<Goal>,
    /// The command that was given, without paths.
    command: Vec<String>,
    run: &'r RunArgs,
    /// The folder's name where none is given.
    name: String,
    /// What to try next, where files are written and where not.
    next: Vec<String>,
}

/// Which recipes are replayed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Ways {
    /// Those that the arguments name.
    Asked,
    /// The ways of sharing that the device offers, each with the parameters that suit best.
    Modes,
}

/// What `raddle` without a verb stands for, of the bundled pair.
const TOUR: &str = "raddle replay decode.csv train.csv --device b200 --requests decode=40/s \
                    --until 300 --priority train=5";

/// Without a verb: the bundled pair, under the load of [`TOUR`].
pub(crate) fn tour(
    run: &RunArgs,
    registry: &Registry,
    format: Format,
    console: &mut Console,
) -> Result<(), CliError> {
    let words = TOUR.split_whitespace().chain(["--goal", "decode p99 20ms"]);
    let cli = manual::parse(words.map(Into::into));
    let Ok(Cli { verb: Some(Verb::Replay(args)), .. }) = cli else {
        return Err(CliError::Usage(format!("`{TOUR}` is not understood")));
    };
    let args = ReplayArgs { run: run.clone(), ..*args };
    let next = vec![
        "raddle replay YOUR_PROFILE    your own, of PyTorch, Nsight Systems or rocprof".to_owned(),
        "raddle recipes --show leftover-drain --save mine.toml    then: raddle replay ... --recipe mine.toml".to_owned(),
        "raddle devices    what else it could be replayed on, with --device".to_owned(),
    ];
    let (profiles, named) = (profiles::bundled()?, ("bundled", next));
    of_profiles(&args, (registry, Ways::Asked), profiles, named, format, console)
}

/// The verb `replay`.
pub(crate) fn verb(
    args: &ReplayArgs,
    registry: &Registry,
    format: Format,
    console: &mut Console,
) -> Result<(), CliError> {
    of_files(args, (registry, Ways::Asked), format, console)
}

/// A replay under the ways of sharing that the device offers.
pub(crate) fn shared(
    args: &ReplayArgs,
    registry: &Registry,
    format: Format,
    console: &mut Console,
) -> Result<(), CliError> {
    of_files(args, (registry, Ways::Modes), format, console)
}

fn of_files(
    args: &ReplayArgs,
    ways: (&Registry, Ways),
    format: Format,
    console: &mut Console,
) -> Result<(), CliError> {
    let options = args.shapes.options(args.barriers.into())?;
    let files = args.ranks.files(&args.profiles)?;
    let profiles = profiles::open(&files, &options, console.progress)?;
    args.shapes.check(&profiles::given(&profiles))?;
    let names: Vec<&str> = profiles.iter().map(|profile| &*profile.name).collect();
    let (name, next) = (unique::joined(&names), next(args, &profiles));
    of_profiles(args, ways, profiles, (&name, next), format, console)
}

/// Replays profiles that were read, as the arguments say.
fn of_profiles(
    args: &ReplayArgs,
    (registry, ways): (&Registry, Ways),
    mut profiles: Vec<Loaded>,
    (name, next): (&str, Vec<String>),
    format: Format,
    console: &mut Console,
) -> Result<(), CliError> {
    let recipes = match ways {
        Ways::Modes => Vec::new(),
        Ways::Asked if args.all => recipes::all(registry)?,
        Ways::Asked => recipes::choose(&args.recipes, registry)?,
    };
    profiles::communicate(&mut profiles, args.comm.into())?;
    let mut verdicts = profiles::judge_from(&mut profiles, &args.idempotent_from)?;
    verdicts.extend(profiles::judge(&mut profiles, &args.verdicts));
    profiles::place(&mut profiles, &args.starts, &args.shares)?;
    let draws = arrivals::give(&mut profiles, &args.load)?;
    if !args.open_loop {
        profiles::close(&mut profiles);
    }
    check_goals(&args.goals, &profiles)?;
    let waits = args.waits.into();
    self_replay_each(&mut profiles, waits, args.fits_latency(recipes.len()));
    let mut request = ReplayRequest {
        registry,
        next,
        profiles,
        draws,
        recipes,
        modes: Vec::new(),
        rules: args.priorities.clone(),
        barriers: args.barriers.into(),
        comm: args.comm.into(),
        verdicts,
        device: args.device.as_deref(),
        scaling: args.scale.into(),
        waits,
        repeat: !args.once,
        goals: args.goals.clone(),
        command: args.command(),
        run: &args.run,
        name: name.to_owned(),
    };
    if ways == Ways::Modes {
        "share".clone_into(&mut request.command[1]);
        request.modes = modes(&request, console)?;
        request.recipes = request.modes.iter().map(|mode| mode.recipe.clone()).collect();
    }
    replay(&request, format, console)
}

/// The ways of sharing that the device offers, each with its best parameters, by one run of each.
fn modes(request: &ReplayRequest<'_>, console: &Console) -> Result<Vec<Candidate>, CliError> {
    let target = devices::target(request.device, &request.profiles)?;
    let by_level = !request.rules.is_empty()
        || request.profiles.iter().any(|loaded| loaded.requests.is_some());
    let tenants = request.profiles.len();
    let candidates = share::candidates(&target.device, tenants, by_level, request.registry)?;
    let recipes: Vec<NamedRecipe> = candidates.iter().map(|one| one.recipe.clone()).collect();
    let (workload, facts) = workload(request, &target)?;
    let runner = runs::Runner::new(runs::RunPlan {
        workload: &workload,
        recipes: &recipes,
        draws: &[],
        target: &target.device,
        detail: None,
        folder: None,
        timeline: None,
        jobs: request.run.jobs,
        progress: console.progress && !request.run.quiet,
    })?;
    let runs::AllRuns { recipes: runs, alone } = runner.all()?;
    let profiles: Vec<_> = request.profiles.iter().map(Loaded::replayed).collect();
    let replay = Replay {
        target: &target.device,
        device: target.facts(),
        profiles: &profiles,
        workload: &workload,
        rules: &rules(request, Vec::new()),
        alone: &alone,
        goals: &request.goals,
        command: &request.command,
    };
    let result = ReplayResult::new(&replay, facts, &runs);
    Ok(share::best(&candidates, &result.answer().ranking))
}

/// Goals are of profiles that there are.
fn check_goals(goals: &[Goal], profiles: &[Loaded]) -> Result<(), CliError> {
    let known = |goal: &&Goal| !profiles.iter().any(|profile| profile.name == goal.process);
    let Some(goal) = goals.iter().find(known) else { return Ok(()) };
    let names: Vec<&str> = profiles.iter().map(|profile| &*profile.name).collect();
    Err(CliError::Usage(format!(
        "--goal '{goal}': none of the profiles is called {}; they are {}",
        goal.process,
        names.join(", ")
    )))
}

/// Fits each profile by replays alone on its own device; one file once, however many processes it is.
fn self_replay_each(profiles: &mut [Loaded], waits: WaitRule, latency: bool) {
    let like = |at: usize| profiles.iter().position(|other| other.given == profiles[at].given);
    let firsts: Vec<usize> = (0..profiles.len()).map(|at| like(at).unwrap_or(at)).collect();
    let found: Vec<_> = (profiles.par_iter().zip(&firsts).enumerate())
        .map(|(at, (loaded, &first))| (at == first).then(|| self_replayed(loaded, waits, latency)))
        .collect();
    for (loaded, first) in profiles.iter_mut().zip(firsts) {
        if let Some((fitted, error)) = &found[first] {
            (loaded.fitted, loaded.self_replay) = (fitted.clone(), *error);
        }
    }
}

/// What a profile alone on its own device says of the model, and how far that may be trusted.
fn self_replayed(loaded: &Loaded, waits: WaitRule, latency: bool) -> (Fitted, Option<ModelError>) {
    let fitted = || {
        let own = devices::own(&loaded.profile).ok()?;
        // What cannot be replayed at home says nothing of the model.
        let (fitted, found) = self_replay::fit(loaded, &own.device, waits, latency).ok()?;
        let error = self_replay::error(loaded, &own.device, (&fitted, found), waits).ok()?;
        Some((fitted, Some(error)))
    };
    fitted().unwrap_or_default()
}

fn next(args: &ReplayArgs, profiles: &[Loaded]) -> Vec<String> {
    let mut next = Vec::new();
    if let [only] = profiles {
        let device = args.device.as_ref().map(|name| format!(" --device {}", quoted(name)));
        next.push(format!(
            "raddle replay {0} {0}{1} --recipe leftover --recipe spatial    the same twice, side by side",
            quoted(&only.given),
            device.unwrap_or_default()
        ));
    } else if args.priorities.is_empty() && args.load.requests.is_empty() {
        next.push(format!(
            "--priority '{}=5'    makes it less urgent; then compare leftover with leftover-drain",
            profiles[0].name
        ));
    }
    next.push(
        "raddle recipes --show leftover-drain --save mine.toml    then: --recipe mine.toml"
            .to_owned(),
    );
    next
}

fn replay(
    request: &ReplayRequest<'_>,
    format: Format,
    console: &mut Console,
) -> Result<(), CliError> {
    let target = devices::target(request.device, &request.profiles)?;
    let (workload, facts) = workload(request, &target)?;
    let folder = (!request.run.no_files).then(|| {
        let default = || Path::new(RESULTS).join(&request.name);
        request.run.out.clone().unwrap_or_else(default)
    });
    let output = folder.as_deref().map(Output::begin).transpose()?;
    let path: Option<PathBuf> = output.as_ref().map(Output::path);
    let profiles = request.profiles.iter().map(|loaded| &loaded.profile);
    let names = TimelineNames::of(&target.facts().to_string(), profiles);
    let recipes = request.recipes.iter().map(|named| &*named.name);
    let timeline = timelines::Wanted::of(request.run, recipes, (target.device.cus, names));
    let runner = runs::Runner::new(runs::RunPlan {
        workload: &workload,
        recipes: &request.recipes,
        draws: &request.draws,
        target: &target.device,
        detail: request.run.log.and_then(LogDetail::detail),
        folder: path.as_deref(),
        timeline: timeline.as_ref(),
        jobs: request.run.jobs,
        progress: console.progress && !request.run.quiet,
    })?;
    let runs::AllRuns { recipes: runs, alone } = runner.all()?;
    let rules = rules(request, warnings(request, &target.device, &workload, &runs));
    let profiles: Vec<_> = request.profiles.iter().map(Loaded::replayed).collect();
    let replay = Replay {
        target: &target.device,
        device: target.facts(),
        profiles: &profiles,
        workload: &workload,
        rules: &rules,
        alone: &alone,
        goals: &request.goals,
        command: &request.command,
    };
    let mut result = ReplayResult::new(&replay, facts, &runs);
    runner.draw(&mut result)?;
    if let Some(chosen) = chosen(request, &result) {
        let rules: Vec<_> = request.rules.iter().map(|rule| rule.rule.clone()).collect();
        result.set_up(share::setup(chosen, &request.profiles, &rules));
    }
    let summary = json(&result);
    let columns = console.columns.unwrap_or(COLUMNS).max(COLUMNS);
    let closing = closing(request, folder.as_deref(), columns);
    let document = document(&result, &replay, closing);
    if let Some(output) = output {
        output.finish(&summary, &document.html())?;
    }
    if let Some(folder) = folder.as_deref().filter(|_| request.run.open) {
        open(&folder.join(PAGE))?;
    }
    let text = match format {
        Format::Json => summary,
        Format::Text if request.run.quiet => format!("{}\n", result.answer().verdict.text),
        Format::Text => document.text(console.stdout_colour),
    };
    console.stdout.write_all(text.as_bytes()).map_err(CliError::printing)?;
    judged(&result)
}

/// Under which rules a request is replayed.
fn rules(request: &ReplayRequest<'_>, warnings: Vec<String>) -> Rules {
    Rules {
        scaling: request.scaling,
        barriers: request.barriers,
        communication: request.comm,
        claims: request.verdicts.clone(),
        warnings,
    }
}

/// The way of sharing that a result recommends, else the one that others are compared with.
fn chosen<'r>(request: &'r ReplayRequest<'_>, result: &ReplayResult) -> Option<&'r Candidate> {
    let answer = result.answer();
    let named = answer.verdict.recipe.as_ref();
    let at = named.and_then(|name| request.modes.iter().position(|of| of.recipe.name == *name));
    request.modes.get(at.unwrap_or(answer.baseline))
}

/// What the exit code tells of a result.
fn judged(result: &ReplayResult) -> Result<(), CliError> {
    match (result.stuck_launches(), result.missed_goals()) {
        (Some(stuck), _) => Err(CliError::Stuck(stuck)),
        (None, Some(missed)) => Err(CliError::Goals(missed)),
        (None, None) => Ok(()),
    }
}

/// What is said beside a result, and how.
fn closing<'c>(
    request: &ReplayRequest<'_>,
    folder: Option<&'c Path>,
    columns: usize,
) -> Closing<'c> {
    let logged = request.run.log.and_then(LogDetail::detail).is_some();
    Closing {
        folder,
        next: next_commands(request, folder, logged),
        columns: Some(columns),
        verbose: request.run.verbose,
    }
}

/// Shows a page in the browser that the system prefers.
fn open(page: &Path) -> Result<(), CliError> {
    let program = match std::env::consts::OS {
        "macos" => "open",
        "windows" => "explorer",
        _ => "xdg-open",
    };
    let started = std::process::Command::new(program).arg(page).spawn();
    started.map(drop).map_err(|error| {
        let page = page.display();
        CliError::Refused(format!("{program} does not start ({error}): open {page} in a browser"))
    })
}

/// What of the command line and of the recipes has changed nothing.
fn warnings(
    request: &ReplayRequest<'_>,
    device: &Device,
    workload: &Workload,
    runs: &[raddle_report::replay::RecipeRun],
) -> Vec<String> {
    let mut warnings = profiles::idle_rules(&request.profiles, &request.rules);
    warnings.extend(no_op::warnings(device, workload, runs));
    warnings
}

/// What to try next, with what was written into a folder.
fn next_commands(request: &ReplayRequest<'_>, folder: Option<&Path>, logged: bool) -> Vec<String> {
    let mut next = request.next.clone();
    let (Some(folder), Some(first)) = (folder, request.recipes.first()) else { return next };
    let file = |path: PathBuf| quoted(&path.display().to_string());
    let page = file(folder.join(PAGE));
    next.insert(0, format!("open {page} in a browser    the same with pictures"));
    if logged {
        let log = file(folder.join(&first.name).join(LOG));
        next.push(format!("raddle log {log} --check    holds a decision log against the rules"));
    }
    next
}

/// The processes, and the facts about their profiles.
fn workload(
    request: &ReplayRequest<'_>,
    target: &Chosen,
) -> Result<(Workload, Vec<ProfileFacts>), CliError> {
    let rules: Vec<PriorityRule> = request.rules.iter().map(|rule| rule.rule.clone()).collect();
    let mut processes = Vec::new();
    let mut facts = Vec::new();
    for loaded in &request.profiles {
        // Whoever names a device knows better than a guess.
        let own = match request.device {
            Some(_) => devices::own(&loaded.profile),
            None => devices::own_or_guess(&loaded.profile),
        };
        let own = own.unwrap_or_else(|why| {
            let found = if why.is_some() { DeviceFound::Strange } else { DeviceFound::StandIn };
            Chosen { found, ..target.clone() }
        });
        let options = PlanOptions {
            start: Ticks(loaded.start_ns),
            share: loaded.share,
            scale: TimeScale::of(request.scaling, &own.device, &target.device)?,
            ..loaded.fitted.options((&own.device, &target.device), request.waits)
        };
        let mut process = plan(&loaded.profile, &options, loaded.levels(&rules));
        process.name.clone_from(&loaded.name);
        if let Some(requests) = &loaded.requests {
            process.repetition = requests.repetition.clone();
        }
        if loaded.closed {
            process = process.closed(host_pauses(&loaded.profile));
        }
        processes.push(process);
        let at_home = own.device == target.device;
        let scaled = request.scaling != Scaling::None && !at_home;
        let replayed = ReplayedProfile {
            scaled: scaled.then_some((request.scaling, options.scale)),
            waits: request.waits,
            ..loaded.replayed()
        };
        facts.push(ProfileFacts::new(&replayed, own.facts(), at_home));
    }
    let repeat = request.repeat && processes.len() > 1;
    let workload = Workload { processes, repeat };
    workload.check(&target.device)?;
    Ok((workload, facts))
}
