//! How does a replay go, from files to the comparison?

use std::path::{Path, PathBuf};

use raddle_dispatch::log::Detail;
use raddle_policy::Ticks;
use raddle_report::timeline::TimelineNames;
use raddle_sim::{PlanOptions, Workload, plan};
use raddle_trace::{BarrierRule, CommRule, ImportOptions, PriorityRule};

use crate::Console;
use crate::args::{Format, LogDetail, ReplayArgs, Rule, RunArgs, rule};
use crate::arrivals;
use crate::assumptions;
use crate::devices::{self, Chosen, Found};
use crate::error::CliError;
use crate::output::Output;
use crate::profiles::{self, Loaded};
use crate::recipes::{self, NamedRecipe};
use crate::report;
use crate::runs;
use crate::sources::Source;
use crate::summary::{self, RecipeResult, Report};
use crate::table::json;
use crate::text::{Closing, render};
use crate::timelines;
use crate::unique;
use crate::units::quoted;

/// Where results go by default, a folder a replay.
const RESULTS: &str = "raddle-out";

/// Everything that a replay needs to know.
struct Request<'r> {
    profiles: Vec<Loaded>,
    recipes: Vec<NamedRecipe>,
    rules: Vec<Rule>,
    barriers: BarrierRule,
    comm: CommRule,
    /// Whose word it is that launches may be killed.
    verdicts: Vec<String>,
    device: Option<&'r str>,
    repeat: bool,
    run: &'r RunArgs,
    /// The folder's name where none is given.
    name: String,
    /// What to try next, where files are written and where not.
    next: Vec<String>,
}

/// Without a verb: the bundled profile.
pub(crate) fn tour(run: &RunArgs, format: Format, console: &mut Console) -> Result<(), CliError> {
    let rules = profiles::BUNDLED_PRIORITIES.map(rule);
    let wanted = recipes::TOUR.map(str::to_owned);
    let request = Request {
        profiles: profiles::bundled()?,
        recipes: recipes::choose(&wanted)?,
        rules: rules.into_iter().collect::<Result<_, _>>()?,
        barriers: BarrierRule::Assume,
        comm: CommRule::Keep,
        verdicts: Vec::new(),
        device: Some(profiles::BUNDLED_DEVICE),
        repeat: true,
        run,
        name: "bundled".to_owned(),
        next: vec![
            "raddle replay YOUR_PROFILE    your own, of PyTorch, Nsight Systems or rocprof".to_owned(),
            "raddle recipes --show leftover-drain --save mine.toml    then: raddle replay ... --recipe mine.toml".to_owned(),
            "raddle devices    what else it could be replayed on, with --device".to_owned(),
        ],
    };
    replay(&request, format, console)
}

/// The verb `replay`.
pub(crate) fn verb(
    args: &ReplayArgs,
    format: Format,
    console: &mut Console,
) -> Result<(), CliError> {
    let recipes = recipes::choose(&args.recipes)?;
    let barriers = args.barriers.into();
    let options = ImportOptions { barriers, ..ImportOptions::default() };
    let mut profiles = profiles::open(&args.profiles, &options, console.progress)?;
    profiles::communicate(&mut profiles, args.comm.into())?;
    let verdicts = profiles::judge(&mut profiles, &args.verdicts);
    profiles::place(&mut profiles, &args.starts, &args.shares)?;
    arrivals::give(&mut profiles, &args.requests)?;
    let names: Vec<&str> = profiles.iter().map(|profile| &*profile.name).collect();
    let name = unique::joined(&names);
    let request = Request {
        next: next(args, &profiles),
        profiles,
        recipes,
        rules: args.priorities.clone(),
        barriers,
        comm: args.comm.into(),
        verdicts,
        device: args.device.as_deref(),
        repeat: !args.once,
        run: &args.run,
        name,
    };
    replay(&request, format, console)
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
    } else if args.priorities.is_empty() {
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

fn replay(request: &Request<'_>, format: Format, console: &mut Console) -> Result<(), CliError> {
    let target = devices::target(request.device, &request.profiles)?;
    let (workload, sources) = workload(request, &target)?;
    let folder = (!request.run.no_files).then(|| {
        let default = || Path::new(RESULTS).join(&request.name);
        request.run.out.clone().unwrap_or_else(default)
    });
    let output = folder.as_deref().map(Output::begin).transpose()?;
    let path: Option<PathBuf> = output.as_ref().map(Output::path);
    let profiles = request.profiles.iter().map(|loaded| &loaded.profile);
    let names = TimelineNames::of(&target.told().to_string(), profiles);
    let timeline = timelines::Wanted::of(request.run, names);
    let plan = runs::Plan {
        workload: &workload,
        recipes: &request.recipes,
        target: &target.device,
        detail: request.run.log.map_or(Some(Detail::Answers), LogDetail::detail),
        folder: path.as_deref(),
        timeline: timeline.as_ref(),
        jobs: request.run.jobs,
        progress: console.progress,
    };
    let runs = runs::all(&plan)?;
    let report = result(request, &target, sources, &workload, (&runs, path.as_deref()));
    let stuck = summary::stuck_under(&report.recipes);
    let document = json(&report);
    if let Some(output) = output {
        let source = report::Source { report: &report, runs: &runs, workload: &workload };
        let page = report::page(&source);
        output.finish(&document, &page)?;
    }
    let text = match format {
        Format::Json => document,
        Format::Text => {
            let mut next = request.next.clone();
            if let (Some(folder), Some(first)) = (&folder, request.recipes.first()) {
                let page = folder.join(report::PAGE).display().to_string();
                let open = format!("open {} in a browser    the same with pictures", quoted(&page));
                next.insert(0, open);
                let log = folder.join(&first.name).join(runs::LOG);
                if plan.detail.is_some() {
                    next.push(format!(
                        "raddle replay --events {}    checks a decision log",
                        quoted(&log.display().to_string())
                    ));
                }
            }
            let closing = Closing { folder: folder.as_deref(), next: &next, run: request.run };
            render(&report, &closing, console.stdout_colour)
        }
    };
    console.stdout.write_all(text.as_bytes()).map_err(CliError::printing)?;
    stuck.map_or(Ok(()), |stuck| Err(CliError::Stuck(stuck)))
}

/// The processes, and what is to be told of their profiles.
fn workload(request: &Request<'_>, target: &Chosen) -> Result<(Workload, Vec<Source>), CliError> {
    let rules: Vec<PriorityRule> = request.rules.iter().map(|rule| rule.rule.clone()).collect();
    let mut processes = Vec::new();
    let mut sources = Vec::new();
    for loaded in &request.profiles {
        let own = devices::own(&loaded.profile).unwrap_or_else(|why| {
            let found = if why.is_some() { Found::Strange } else { Found::StandIn };
            Chosen { found, ..target.clone() }
        });
        let options = PlanOptions {
            own: &own.device,
            target: &target.device,
            start: Ticks(loaded.start_ns),
            share: loaded.share,
        };
        let mut process = plan(&loaded.profile, &options, loaded.levels(&rules));
        process.name.clone_from(&loaded.name);
        if let Some(requests) = &loaded.requests {
            process.repetition = requests.repetition.clone();
        }
        processes.push(process);
        let at_home = own.device == target.device;
        sources.push(Source::new(loaded, own.told(), at_home));
    }
    let repeat = request.repeat && processes.len() > 1;
    let workload = Workload { processes, repeat };
    workload.check(&target.device)?;
    Ok((workload, sources))
}

fn result(
    request: &Request<'_>,
    target: &Chosen,
    profiles: Vec<Source>,
    workload: &Workload,
    (runs, folder): (&[runs::Runs], Option<&Path>),
) -> Report {
    let result = |(named, runs)| {
        RecipeResult::new(named, workload, runs, &request.profiles, &target.device, folder)
    };
    let recipes: Vec<RecipeResult> = request.recipes.iter().zip(runs).map(result).collect();
    let device = target.told();
    let mut warnings = assumptions::warnings(&profiles, &device);
    warnings.extend(summary::refused_shares(&request.profiles, runs));
    warnings.extend(summary::stuck_under(&recipes));
    warnings.extend(profiles::idle_rules(&request.profiles, &request.rules));
    let repeat = workload.repeat;
    let mut said = assumptions::of(&profiles, request.barriers, request.comm, repeat);
    said.extend(request.verdicts.iter().cloned());
    Report {
        raddle: env!("CARGO_PKG_VERSION"),
        device,
        assumptions: said,
        warnings,
        stuck: summary::stuck_names(&recipes),
        recipes,
        profiles,
    }
}
