//! Which block goes to which SM, and when does each warp start and end (seed 003)?
//!
//! `{"sms":2,"sm":{"registers":64,"warps":8,"shared":16},"kernels":[{"name":"A",..},..]}` is
//! answered with the log of the run, when each kernel ended, which were refused and which are
//! stuck. Times are ticks; larger priorities are more important here.

mod explain;
pub mod run;

use std::collections::BTreeMap;

use raddle_policy::{LaunchId, Refusal, Resource, Tick};
use raddle_read::FaultKind;
use raddle_sm::{BlockWarpConfig, ErrorKind, Kernel, Resources};
use serde::{Deserialize, Serialize};
use serde_json::Value;

use self::explain::WarpTeller;
use self::run::{Job, WarpStep};
use crate::explanation::Story;
use crate::fault::{Fault, check_all, positive, read_at, within};
use crate::{ModelError, Topic, json};

pub(crate) const TOPIC: Topic = Topic {
    name: "sm",
    example: r#"{"sms":2,"sm":{"registers":64,"warps":8,"shared":16},"kernels":[{"name":"A","arrive":0,"priority":1,"blocks":3,"warps_per_block":4,"registers_per_warp":4,"shared_per_block":2,"barrier":false,"warp_ticks":[[10,11,12,13],[14,15,16,17],[10,11,12,13]]},{"name":"B","arrive":2,"priority":2,"blocks":2,"warps_per_block":6,"registers_per_warp":4,"shared_per_block":2,"barrier":false,"warp_ticks":[[20,20,20,20,20,20],[20,20,20,20,20,20]]},{"name":"C","arrive":4,"priority":3,"blocks":1,"warps_per_block":2,"registers_per_warp":4,"shared_per_block":2,"barrier":false,"warp_ticks":[[5,5]]}]}"#,
    solve,
};

#[derive(Deserialize)]
struct SmQuestion {
    // The limit is the most compute units that a device can have.
    #[serde(deserialize_with = "within::<_, _, 1, 0xffff>")]
    sms: u16,
    sm: Resources,
    #[serde(default)]
    options: BlockWarpConfig,
    kernels: Vec<SmKernel>,
}

#[derive(Deserialize)]
struct SmKernel {
    name: String,
    arrive: u64,
    priority: u64,
    #[serde(deserialize_with = "positive")]
    blocks: u64,
    #[serde(deserialize_with = "positive")]
    warps_per_block: u64,
    registers_per_warp: u64,
    shared_per_block: u64,
    barrier: bool,
    warp_ticks: Vec<Vec<u64>>,
}

/// A run of kernels on SMs (compute units) that a question asks for: the SMs, the options, and the
/// kernels with their arrival times.
#[derive(Debug)]
struct WarpRun {
    sms: u16,
    each: Resources,
    options: BlockWarpConfig,
    /// Highest priority in the question; there, a larger priority is more urgent. A kernel's rank
    /// is this number minus its priority, 0 for the most urgent.
    highest: u64,
    names: Vec<String>,
    jobs: Vec<Job>,
}

#[derive(Serialize)]
struct SmAnswer<'q> {
    log: Vec<SmEntry<'q>>,
    ends: BTreeMap<&'q str, u64>,
    refused: Vec<SmRefusal<'q>>,
    stuck: Vec<&'q str>,
}

#[derive(Serialize)]
#[serde(untagged)]
enum SmEntry<'q> {
    Route { t: u64, route: &'static str, kernel: &'q str, sm: u16, blocks: Vec<u64> },
    Start { t: u64, start: String, sm: u16 },
    End { t: u64, end: String, sm: u16 },
}

#[derive(Serialize)]
struct SmRefusal<'q> {
    kernel: &'q str,
    resource: &'static str,
    wanted: u64,
    has: u64,
}

fn question(value: &Value) -> Result<WarpRun, Fault> {
    let SmQuestion { sms, sm, options, kernels } = read_at(value, "")?;
    let highest = kernels.iter().map(|it| it.priority).max().unwrap_or(0);
    let (mut names, mut jobs) = (Vec::new(), Vec::new());
    let mut known = std::collections::BTreeSet::new();
    for (n, kernel) in kernels.into_iter().enumerate() {
        let at = format!("/kernels/{n}");
        if !known.insert(kernel.name.clone()) {
            let message = format!("duplicate kernel `{}`: names must differ", kernel.name);
            return Err(Fault::new(FaultKind::Inconsistent, &format!("{at}/name"), message));
        }
        jobs.push(kernel.job(&at, highest)?);
        names.push(kernel.name);
    }
    Ok(WarpRun { sms, each: sm, options, highest, names, jobs })
}

impl SmKernel {
    fn job(&self, at: &str, highest: u64) -> Result<Job, Fault> {
        let at = format!("{at}/warp-ticks");
        let count = |given: usize, wanted: u64, what: &str, at: &str| {
            let message = format!("{given} entries for {wanted} {what}: give one each");
            let fits = given as u64 == wanted;
            if fits { Ok(()) } else { Err(Fault::new(FaultKind::Inconsistent, at, message)) }
        };
        count(self.warp_ticks.len(), self.blocks, "blocks", &at)?;
        for (block, row) in self.warp_ticks.iter().enumerate() {
            let at = format!("{at}/{block}");
            count(row.len(), self.warps_per_block, "warps", &at)?;
            check_all(row, &(1..=u64::MAX), &at)?;
        }
        let kernel = Kernel {
            id: LaunchId(0),
            rank: highest - self.priority,
            blocks: self.blocks,
            warps: self.warps_per_block,
            registers: self.registers_per_warp,
            shared: self.shared_per_block,
            barrier: self.barrier,
        };
        Ok(Job { kernel, arrive: Tick(self.arrive), ticks: self.warp_ticks.concat() })
    }
}

fn solve(value: &Value, story: &mut Story) -> Result<String, Fault> {
    let question = question(value)?;
    let WarpRun { sms, each, options, names, jobs, .. } = &question;
    let (mut log, mut teller) = (Vec::new(), WarpTeller::new(&question, story));
    let outcome = run::run(*sms, *each, *options, jobs, &mut |Tick(t), step, controllers| {
        question.note(t, step, &mut log);
        teller.add(t, step, controllers);
    });
    let outcome = outcome.map_err(located)?;
    teller.end(&outcome);
    let ended = names.iter().zip(&outcome.ends);
    let ended = ended.filter_map(|(name, end)| Some((name.as_str(), (*end)?.0)));
    Ok(json(&SmAnswer {
        log,
        ends: ended.collect(),
        refused: outcome.refused.iter().map(|refusal| question.refused(refusal)).collect(),
        stuck: outcome.stuck.iter().map(|&kernel| question.name(kernel)).collect(),
    }))
}

/// Converts the error for a number beyond 64 bits in a run of kernels to a fault of the question.
fn located(error: ModelError) -> Fault {
    let (kernel, what) = match error {
        ModelError::Controllers(error) if error.kind() == ErrorKind::Overflow => {
            let kernel = error.kernel().unwrap_or_default();
            (kernel, "the registers of a block are beyond 64 bits")
        }
        ModelError::WarpTime { kernel } => (kernel, "a warp ends at a tick beyond 64 bits"),
        other => return Fault::new(FaultKind::Inconsistent, "", other.to_string()),
    };
    Fault::new(FaultKind::Overflow, &format!("/kernels/{}", kernel.index()), what)
}

impl WarpRun {
    /// Returns the name that the question gives a kernel; empty where there is no such kernel.
    fn name(&self, kernel: LaunchId) -> &str {
        self.names.get(kernel.index()).map_or("", String::as_str)
    }

    /// Returns the name of a warp: its kernel's name, the block and the warp, as `A0.w3`.
    fn warp(&self, kernel: LaunchId, block: u64, warp: u64) -> String {
        format!("{}{block}.w{warp}", self.name(kernel))
    }

    fn note<'q>(&'q self, t: u64, step: &WarpStep, log: &mut Vec<SmEntry<'q>>) {
        match step {
            WarpStep::Decided(it) => log.push(SmEntry::Route {
                t,
                route: it.route().name(),
                kernel: self.name(it.kernel()),
                sm: it.sm().0,
                blocks: (it.first()..it.first() + it.count()).collect(),
            }),
            WarpStep::Started(it) => {
                for warp in it.first()..it.first() + it.count() {
                    let start = self.warp(it.kernel(), it.block(), warp);
                    log.push(SmEntry::Start { t, start, sm: it.sm().0 });
                }
            }
            WarpStep::WarpEnded { kernel, block, warp, ended } => {
                let end = self.warp(*kernel, *block, *warp);
                log.push(SmEntry::End { t, end, sm: ended.sm().0 });
            }
            _ => {}
        }
    }

    fn refused(&self, refusal: &Refusal) -> SmRefusal<'_> {
        let kernel = self.name(refusal.launch);
        let resource = resource(refusal.resource);
        SmRefusal { kernel, resource, wanted: refusal.wanted, has: refusal.available }
    }
}

/// Returns the word that the patent has for a resource, such as `warps`.
const fn resource(resource: Resource) -> &'static str {
    match resource {
        Resource::Waves => "warps",
        Resource::Vgpr => "registers",
        _ => "shared",
    }
}
