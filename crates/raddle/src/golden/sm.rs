//! Which block goes to which SM, and when does each warp start and end (seed 003)?
//!
//! `{"sms":2,"sm":{"registers":64,"warps":8,"shared":16},"kernels":[{"name":"A",..},..]}` is
//! answered with the log of the run, when each kernel ended, which were refused and which are
//! stuck. Times are ticks; larger priorities are more important here.

use raddle_golden::sm::run::{Job, Outcome, Step, run};
use raddle_policy::{LaunchId, Refusal, Resource, Tick};
use raddle_sm::{Choose, Error, Kernel, Options, Resources};
use serde::Serialize;
use serde_json::{Map, Value};

use super::fault::{Fault, Kind};
use super::json;
use super::read::{Fields, integer, list, wrong_type};

/// One question, read.
#[derive(Debug)]
pub(crate) struct Question {
    pub(crate) sms: u16,
    pub(crate) each: Resources,
    pub(crate) options: Options,
    pub(crate) names: Vec<String>,
    pub(crate) jobs: Vec<Job>,
    /// Where each kernel is in the line.
    at: Vec<String>,
}

#[derive(Serialize)]
struct Answer<'q> {
    log: Vec<Entry<'q>>,
    ends: Map<String, Value>,
    refused: Vec<Refused<'q>>,
    stuck: Vec<&'q str>,
}

#[derive(Serialize)]
#[serde(untagged)]
enum Entry<'q> {
    Route { t: u64, route: &'static str, kernel: &'q str, sm: u16, blocks: Vec<u64> },
    Start { t: u64, start: String, sm: u16 },
    End { t: u64, end: String, sm: u16 },
}

#[derive(Serialize)]
struct Refused<'q> {
    kernel: &'q str,
    resource: &'static str,
    wanted: u64,
    has: u64,
}

/// Answers one question.
pub(crate) fn answer(fields: &Fields<'_>) -> Result<String, Fault> {
    answer_of(&question(fields)?)
}

/// The answer as JSON.
pub(crate) fn answer_of(question: &Question) -> Result<String, Fault> {
    let mut log = Vec::new();
    let outcome = play(question, &mut |Tick(t), step, _| question.note(t, step, &mut log))?;
    let ended = question.names.iter().zip(&outcome.ends);
    let ended = ended.filter_map(|(name, end)| Some((name.clone(), Value::from((*end)?.0))));
    Ok(json(&Answer {
        log,
        ends: ended.collect(),
        refused: outcome.refused.iter().map(|refusal| question.refused(refusal)).collect(),
        stuck: outcome.stuck.iter().map(|&kernel| question.name(kernel)).collect(),
    }))
}

/// Runs the question; `watch` sees every step and the tables after it.
pub(crate) fn play(
    question: &Question,
    watch: &mut dyn FnMut(Tick, &Step, &raddle_sm::Controllers),
) -> Result<Outcome, Fault> {
    let Question { sms, each, options, jobs, .. } = question;
    run(*sms, *each, *options, jobs, watch).map_err(|error| {
        let at = |kernel: LaunchId| question.at.get(kernel.index()).map_or("", String::as_str);
        let beyond = |kernel, what: &str| Fault::new(Kind::Overflow, at(kernel), what);
        match error {
            Error::Registers { kernel } => {
                beyond(kernel, "the registers of a block are beyond 64 bits")
            }
            Error::Time { kernel } => beyond(kernel, "a warp ends at a tick beyond 64 bits"),
            other => Fault::new(Kind::Inconsistent, "", other.to_string()),
        }
    })
}

impl Question {
    /// The name of a kernel.
    pub(crate) fn name(&self, kernel: LaunchId) -> &str {
        self.names.get(kernel.index()).map_or("", String::as_str)
    }

    fn note<'q>(&'q self, t: u64, step: &Step, log: &mut Vec<Entry<'q>>) {
        match step {
            Step::Decided(it) => log.push(Entry::Route {
                t,
                route: it.route.name(),
                kernel: self.name(it.kernel),
                sm: it.sm.0,
                blocks: (it.first..it.first + it.count).collect(),
            }),
            Step::Started(it) => {
                for warp in it.first..it.first + it.count {
                    let start = self.warp(it.kernel, it.block, warp);
                    log.push(Entry::Start { t, start, sm: it.sm.0 });
                }
            }
            Step::WarpEnded { kernel, block, warp, ended } => {
                let end = self.warp(*kernel, *block, *warp);
                log.push(Entry::End { t, end, sm: ended.sm.0 });
            }
            _ => {}
        }
    }

    /// The name of a warp: kernel, block, warp.
    pub(crate) fn warp(&self, kernel: LaunchId, block: u64, warp: u64) -> String {
        format!("{}{block}.w{warp}", self.name(kernel))
    }

    fn refused(&self, refusal: &Refusal) -> Refused<'_> {
        let kernel = self.name(refusal.launch);
        let resource = resource(refusal.resource);
        Refused { kernel, resource, wanted: refusal.wanted, has: refusal.available }
    }
}

/// The seed's word.
pub(crate) const fn resource(resource: Resource) -> &'static str {
    match resource {
        Resource::Waves => "warps",
        Resource::Vgpr => "registers",
        _ => "shared",
    }
}

/// What a question asks for.
pub(crate) fn question(fields: &Fields<'_>) -> Result<Question, Fault> {
    fields.only(&["sms", "sm", "options", "kernels"])?;
    // As many as a device can have compute units.
    let sms = u16::try_from(fields.integer("sms", 1..=u64::from(u16::MAX))?).unwrap_or(u16::MAX);
    let each = fields.object("sm")?;
    each.only(&["registers", "warps", "shared"])?;
    let amount = |key| each.integer(key, 0..=u64::MAX);
    let each = Resources {
        registers: amount("registers")?,
        warps: amount("warps")?,
        shared: amount("shared")?,
    };
    let options = options(fields)?;
    let (value, at) = fields.get("kernels")?;
    let (mut names, mut jobs, mut places) = (Vec::new(), Vec::new(), Vec::new());
    let mut known = std::collections::BTreeSet::new();
    for (value, at) in list(value, &at)? {
        let fields = Fields::of(value, &at)?;
        let (name, job) = kernel(&fields)?;
        if !known.insert(name.clone()) {
            let message = format!("there is a kernel `{name}` already: names must differ");
            return Err(Fault::new(Kind::Inconsistent, &fields.pointer("name"), message));
        }
        names.push(name);
        jobs.push(job);
        places.push(at);
    }
    Ok(Question { sms, each, options, names, jobs, at: places })
}

fn options(fields: &Fields<'_>) -> Result<Options, Fault> {
    let mut options = Options::default();
    if fields.get("options").is_err() {
        return Ok(options);
    }
    let given = fields.object("options")?;
    given.only(&["strict", "choose", "fall-through", "backfill", "whole-blocks-for-barriers"])?;
    if given.get("choose").is_ok() {
        let words = [("lowest", Choose::Lowest), ("most-free", Choose::MostFree)];
        options.choose = given.word("choose", &words)?;
    }
    for (key, option) in [
        ("strict", &mut options.strict),
        ("fall-through", &mut options.fall_through),
        ("backfill", &mut options.backfill),
        ("whole-blocks-for-barriers", &mut options.whole_blocks_for_barriers),
    ] {
        if given.get(key).is_ok() {
            *option = truth(&given, key)?;
        }
    }
    Ok(options)
}

fn truth(fields: &Fields<'_>, key: &str) -> Result<bool, Fault> {
    let (value, at) = fields.get(key)?;
    value.as_bool().ok_or_else(|| wrong_type(&at, "true or false", value))
}

fn kernel(fields: &Fields<'_>) -> Result<(String, Job), Fault> {
    fields.only(&[
        "name",
        "arrive",
        "priority",
        "blocks",
        "warps-per-block",
        "registers-per-warp",
        "shared-per-block",
        "barrier",
        "warp-ticks",
    ])?;
    let (value, at) = fields.get("name")?;
    let Value::String(name) = value else {
        return Err(wrong_type(&at, "the name of a kernel", value));
    };
    let kernel = Kernel {
        id: LaunchId(0),
        priority: fields.integer("priority", 0..=u64::MAX)?,
        blocks: fields.integer("blocks", 1..=u64::MAX)?,
        warps: fields.integer("warps-per-block", 1..=u64::MAX)?,
        registers: fields.integer("registers-per-warp", 0..=u64::MAX)?,
        shared: fields.integer("shared-per-block", 0..=u64::MAX)?,
        barrier: truth(fields, "barrier")?,
    };
    let arrive = Tick(fields.integer("arrive", 0..=u64::MAX)?);
    Ok((name.clone(), Job { kernel, arrive, ticks: ticks(fields, &kernel)? }))
}

/// The ticks of each warp: a list of warps for each block.
fn ticks(fields: &Fields<'_>, kernel: &Kernel) -> Result<Vec<u64>, Fault> {
    let (value, at) = fields.get("warp-ticks")?;
    let count = |given: usize, wanted: u64, what: &str, at: &str| {
        let message = format!("{given} entries for {wanted} {what}: give one each");
        let fits = given as u64 == wanted;
        if fits { Ok(()) } else { Err(Fault::new(Kind::Inconsistent, at, message)) }
    };
    let rows = list(value, &at)?;
    count(rows.len(), kernel.blocks, "blocks", &at)?;
    let mut ticks = Vec::new();
    for (row, at) in rows {
        let row = list(row, &at)?;
        count(row.len(), kernel.warps, "warps", &at)?;
        for (value, at) in row {
            ticks.push(integer(value, &at, "warp_ticks", 1..=u64::MAX)?);
        }
    }
    Ok(ticks)
}
