//! How do blocks come to SMs and warps to their slots, step by step (seed 003)?
//!
//! A step is a decision of the global controller, or a tick in which warps end, and shows the three
//! tables after it. The steps have the labels of the project's digest of the seed, G1 to G6 and L1
//! to L5, as the claims have none.

use crate::Explained;
use raddle_policy::{CuId, Tick};
use raddle_sm::{Controllers, Decision, Route};
use serde_json::Value;

use super::run::WarpStep;
use super::{WarpRun, answer_of, question, resource};
use crate::explanation::{ExplainedStep, counted, few, step};
use crate::fault::Fault;

/// The most steps that are shown.
const MOST_STEPS: usize = 40;
/// The most blocks of an SM that are shown.
const MOST_BLOCKS: usize = 8;

pub(super) fn explain(value: &Value) -> Result<Explained, Fault> {
    let question = question(value)?;
    let mut steps: Vec<OpenStep> = Vec::new();
    let mut hidden = 0;
    let outcome = question.play(&mut |Tick(now), it, controllers| {
        if let Some(new) = OpenStep::of(&question, now, it, controllers, steps.last()) {
            if steps.len() > MOST_STEPS {
                steps.pop();
                hidden += 1;
            }
            steps.push(new);
        }
        if let Some(open) = steps.last_mut() {
            open.add(&question, it, controllers);
        }
    })?;
    hidden += usize::from(steps.len() > MOST_STEPS);
    let mut steps: Vec<ExplainedStep> =
        steps.into_iter().take(MOST_STEPS).map(OpenStep::close).collect();
    if hidden > 0 {
        steps.push(step(format!("and {hidden} more steps"), Vec::new()));
    }
    let ended = question.names.iter().zip(&outcome.ends);
    let mut lines: Vec<String> =
        ended.filter_map(|(name, end)| Some(format!("{name} at {}", (*end)?))).collect();
    let refused = outcome.refused.iter().map(|it| question.name(it.launch));
    lines.extend(refused.map(|name| format!("{name} never: refused")));
    let stuck = outcome.stuck.iter().map(|&it| question.name(it));
    lines.extend(stuck.map(|name| format!("{name} never: it waits, and no event is left")));
    steps.push(step("the ends", few(lines)));
    Ok((steps, answer_of(&question)?))
}

/// A step whose lines and tables may still change.
struct OpenStep {
    now: u64,
    title: String,
    /// The warps that end, where it is a tick in which some do.
    ending: Vec<String>,
    lines: Vec<String>,
    tables: Vec<String>,
}

impl OpenStep {
    /// The step that an event begins, if it begins one.
    fn of(
        question: &WarpRun,
        now: u64,
        it: &WarpStep,
        controllers: &Controllers,
        open: Option<&Self>,
    ) -> Option<Self> {
        let (title, lines) = match it {
            WarpStep::Refused(it) => {
                let name = question.name(it.launch);
                let line = format!(
                    "one block wants {} {}, an SM has {}: {} too many",
                    it.wanted,
                    resource(it.resource),
                    it.available,
                    it.missing()
                );
                (format!("t={now}: {name} arrives and is refused"), vec![line])
            }
            WarpStep::Decided(it) => decided(question, now, it, controllers),
            WarpStep::WarpEnded { .. } => {
                let same = open.is_some_and(|open| open.now == now && !open.ending.is_empty());
                if same {
                    return None;
                }
                (String::new(), Vec::new())
            }
            _ => return None,
        };
        Some(Self { now, title, ending: Vec::new(), lines, tables: Vec::new() })
    }

    fn add(&mut self, question: &WarpRun, it: &WarpStep, controllers: &Controllers) {
        match it {
            WarpStep::Started(it) => {
                let (first, sm) = (question.warp(it.kernel, it.block, it.first), it.sm.0);
                self.lines.push(match it.count {
                    1 => format!("L1, L2, L3 on SM{sm}: {first} starts"),
                    n => format!("L1, L2, L3 on SM{sm}: {first} to w{} start", it.first + n - 1),
                });
            }
            WarpStep::WarpEnded { kernel, block, warp, ended } => {
                let name = question.name(*kernel);
                self.ending.push(question.warp(*kernel, *block, *warp));
                if ended.block_done {
                    let sm = ended.sm.0;
                    self.lines.push(format!(
                        "L5: block {block} of {name} is done, SM{sm} looks for its top priority"
                    ));
                }
                if ended.kernel_done {
                    self.lines.push(format!("{name} is done and leaves the kernel table"));
                }
            }
            WarpStep::Served(_) => self.tables = tables(question, controllers),
            _ => {}
        }
    }

    fn close(self) -> ExplainedStep {
        let title = match &self.ending[..] {
            [] => self.title,
            _ => format!("t={}, L4: {} over", self.now, few(self.ending).join(", ")),
        };
        let mut lines = few(self.lines);
        lines.extend(few(self.tables));
        step(title, lines)
    }
}

fn decided(
    question: &WarpRun,
    now: u64,
    it: &Decision,
    controllers: &Controllers,
) -> (String, Vec<String>) {
    let (name, sm) = (question.name(it.kernel), it.sm.0);
    let rows = controllers.kernels();
    let row = rows.iter().find(|row| row.kernel == it.kernel);
    let (priority, left) = row.map_or((0, 0), |row| (row.priority, row.undistributed));
    let had = counted(left + it.count, "block", "blocks");
    let (label, why) = match it.route {
        Route::Whole => ("G3", format!("G2: SM{sm} takes whole blocks, N1 = {}", it.n1)),
        Route::First => ("G5", format!("G2: no SM takes a whole one; G4: SM{sm} can start a warp")),
        Route::Second => (
            "G6",
            format!(
                "G2, G4: no SM takes a whole one, none can start a warp; G6: all work of SM{sm} was of lower priority"
            ),
        ),
    };
    let last = it.first + it.count - 1;
    let blocks = match it.count {
        1 => format!("block {last}"),
        _ => format!("blocks {} to {last}", it.first),
    };
    let title = format!("t={now}, {label} ({}): {blocks} of {name} to SM{sm}", it.route.name());
    (title, vec![format!("G1: {name} (priority {priority}) has {had} to distribute"), why])
}

/// The three tables.
fn tables(question: &WarpRun, controllers: &Controllers) -> Vec<String> {
    let kernels = controllers.kernels();
    let kernels: Vec<String> = kernels
        .iter()
        .map(|row| format!("{} {}", question.name(row.kernel), row.undistributed))
        .collect();
    let kernels = if kernels.is_empty() { "none".to_owned() } else { kernels.join(", ") };
    let mut lines = vec![format!("undistributed: {kernels}")];
    for row in controllers.sms() {
        let (left, top) = (row.remaining, row.top.map_or("-".to_owned(), |top| top.to_string()));
        lines.push(format!(
            "SM{}: {} registers, {} warps, {} shared left, top {top}; {}",
            row.sm.0,
            left.registers,
            left.warps,
            left.shared,
            blocks(question, controllers, row.sm)
        ));
    }
    lines
}

/// The blocks of an SM: waiting, running, finished warps.
fn blocks(question: &WarpRun, controllers: &Controllers, sm: CuId) -> String {
    let rows = controllers.blocks(sm);
    let row = |row: &raddle_sm::BlockRow| {
        let name = question.name(row.kernel);
        format!("{name}{} {}/{}/{}", row.block, row.waiting, row.running, row.finished)
    };
    let shown: Vec<String> = rows.iter().take(MOST_BLOCKS).map(row).collect();
    match rows.len() {
        0 => "no blocks".to_owned(),
        n if n > MOST_BLOCKS => format!("{} ..", shown.join(", ")),
        _ => format!("waiting/running/finished: {}", shown.join(", ")),
    }
}
