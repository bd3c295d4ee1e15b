//! How do blocks come to SMs and warps to their slots, step by step (seed 003)?
//!
//! A step is a decision of the global controller, or a tick in which warps end, and shows the three
//! tables after it. The steps have the labels of the project's digest of the seed, G1 to G6 and L1
//! to L5, as the claims have none.

use raddle_golden::sm::run::Step as Deed;
use raddle_policy::{CuId, LaunchId, Tick};
use raddle_sm::{Controllers, Decision, Ended, Route, Started};
use serde_json::value::RawValue;

use super::{Step, Told, few, step};
use crate::golden::fault::Fault;
use crate::golden::read::Fields;
use crate::golden::sm::{Question, answer_of, play, question, resource};
use crate::units::{count, counted};

/// The worked example of the spec.
pub(super) const EXAMPLE: &str = r#"{"sms":2,"sm":{"registers":64,"warps":8,"shared":16},"kernels":[{"name":"A","arrive":0,"priority":1,"blocks":3,"warps_per_block":4,"registers_per_warp":4,"shared_per_block":2,"barrier":false,"warp_ticks":[[10,11,12,13],[14,15,16,17],[10,11,12,13]]},{"name":"B","arrive":2,"priority":2,"blocks":2,"warps_per_block":6,"registers_per_warp":4,"shared_per_block":2,"barrier":false,"warp_ticks":[[20,20,20,20,20,20],[20,20,20,20,20,20]]},{"name":"C","arrive":4,"priority":3,"blocks":1,"warps_per_block":2,"registers_per_warp":4,"shared_per_block":2,"barrier":false,"warp_ticks":[[5,5]]}]}"#;

/// So many steps are shown.
const MOST_STEPS: usize = 40;

/// Explains one question.
pub(super) fn explain(fields: &Fields<'_>) -> Result<Told, Fault> {
    let question = question(fields)?;
    let mut story = Story { question: &question, steps: Vec::new(), more: 0, open: None };
    let outcome = play(&question, &mut |Tick(now), deed, tables| story.hear(now, deed, tables))?;
    story.close();
    let Story { mut steps, more, .. } = story;
    if more > 0 {
        steps.push(step(format!("and {} more steps", count(more)), Vec::new()));
    }
    let ended = question.names.iter().zip(&outcome.ends);
    let ended = ended.filter_map(|(name, end)| Some(format!("{name} at {}", (*end)?)));
    let mut lines: Vec<String> = ended.collect();
    lines.extend(
        outcome.refused.iter().map(|it| format!("{} never: refused", question.name(it.launch))),
    );
    lines.extend(outcome.stuck.iter().map(|&it| {
        format!("{} never: it waits, and nothing is left that could happen", question.name(it))
    }));
    steps.push(step("the ends", few(lines)));
    // An object of strings and integers: always JSON.
    let answer = RawValue::from_string(answer_of(&question)?).unwrap_or_default();
    Ok(Told { steps, answer })
}

/// The steps told so far, and the one that is being told.
struct Story<'q> {
    question: &'q Question,
    steps: Vec<Step>,
    /// Steps that are not shown.
    more: u64,
    open: Option<Open>,
}

/// A step whose tables may still change.
struct Open {
    now: u64,
    /// Warps that end, if it is a tick in which some do.
    ending: Vec<String>,
    title: String,
    lines: Vec<String>,
    tables: Vec<String>,
}

impl Open {
    fn new(now: u64, title: String, lines: Vec<String>) -> Self {
        Self { now, ending: Vec::new(), title, lines, tables: Vec::new() }
    }
}

impl Story<'_> {
    fn hear(&mut self, now: u64, deed: &Deed, tables: &Controllers) {
        match deed {
            Deed::Refused(it) => {
                let name = self.question.name(it.launch);
                let (what, excess) = (resource(it.resource), it.missing());
                let has = format!("an SM has {}: {} too many", count(it.available), count(excess));
                let title = format!("t={now}: {name} arrives and is refused");
                let line = format!("one block wants {} {what}, {has}", count(it.wanted));
                self.open(Open::new(now, title, vec![line]));
                self.close();
            }
            Deed::Decided(it) => {
                let (title, lines) = self.decided(now, it, tables);
                self.open(Open::new(now, title, lines));
            }
            Deed::Started(it) => self.started(it),
            Deed::WarpEnded { kernel, block, warp, ended } => {
                self.ended(now, (*kernel, *block, *warp), ended);
            }
            Deed::Served(_) => {
                let rows = if self.full() { Vec::new() } else { self.tables(tables) };
                if let Some(open) = &mut self.open {
                    open.tables = rows;
                }
            }
            Deed::Arrived(_) => {}
        }
    }

    /// Whether as many steps are told as are shown.
    const fn full(&self) -> bool {
        self.steps.len() >= MOST_STEPS
    }

    fn open(&mut self, open: Open) {
        self.close();
        self.open = Some(open);
    }

    /// The step is over.
    fn close(&mut self) {
        let Some(mut open) = self.open.take() else { return };
        if self.full() {
            self.more += 1;
            return;
        }
        if !open.ending.is_empty() {
            open.title = format!("t={}, L4: {} over", open.now, few(open.ending).join(", "));
        }
        let mut lines = few(open.lines);
        lines.extend(few(open.tables));
        self.steps.push(step(open.title, lines));
    }

    fn decided(&self, now: u64, it: &Decision, tables: &Controllers) -> (String, Vec<String>) {
        let name = self.question.name(it.kernel);
        let rows = tables.kernels();
        let row = rows.iter().find(|row| row.kernel == it.kernel);
        let priority = row.map_or(0, |row| row.priority);
        let left = row.map_or(0, |row| row.undistributed);
        let had = counted(left + it.count, "block", "blocks");
        let mut lines = vec![format!("G1: {name} (priority {priority}) has {had} to distribute")];
        let sm = it.sm.0;
        let (label, what) = match it.route {
            Route::Whole => {
                lines.push(format!("G2: SM{sm} takes whole blocks, N1 = {}", count(it.n1)));
                ("G3", "whole")
            }
            Route::First => {
                lines.push(format!("G2: no SM takes a whole one; G4: SM{sm} can start a warp"));
                ("G5", "first SM")
            }
            Route::Second => {
                lines.push("G2, G4: no SM takes a whole one, none can start a warp".to_owned());
                lines.push(format!("G6: all work of SM{sm} was of lower priority"));
                ("G6", "second SM")
            }
        };
        let last = it.first + it.count - 1;
        let blocks = match it.count {
            1 => format!("block {last}"),
            _ => format!("blocks {} to {last}", it.first),
        };
        (format!("t={now}, {label} ({what}): {blocks} of {name} to SM{sm}"), lines)
    }

    fn started(&mut self, it: &Started) {
        let Some(open) = &mut self.open else { return };
        let (first, sm) = (self.question.warp(it.kernel, it.block, it.first), it.sm.0);
        open.lines.push(match it.count {
            1 => format!("L1, L2, L3 on SM{sm}: {first} starts"),
            n => format!("L1, L2, L3 on SM{sm}: {first} to w{} start", it.first + n - 1),
        });
    }

    fn ended(&mut self, now: u64, (kernel, block, warp): (LaunchId, u64, u64), ended: &Ended) {
        let same = |open: &Open| open.now == now && !open.ending.is_empty();
        if !self.open.as_ref().is_some_and(same) {
            self.open(Open::new(now, String::new(), Vec::new()));
        }
        let (name, warp) = (self.question.name(kernel), self.question.warp(kernel, block, warp));
        let Some(open) = &mut self.open else { return };
        open.ending.push(warp);
        if ended.block_done {
            let sm = ended.sm.0;
            open.lines
                .push(format!("L5: block {block} of {name} is done, SM{sm} looks for its top"));
        }
        if ended.kernel_done {
            open.lines.push(format!("{name} is done and leaves the kernel table"));
        }
    }

    /// The three tables.
    fn tables(&self, tables: &Controllers) -> Vec<String> {
        let kernels: Vec<String> = tables
            .kernels()
            .iter()
            .map(|row| format!("{} {}", self.question.name(row.kernel), row.undistributed))
            .collect();
        let none = || "none".to_owned();
        let kernels = if kernels.is_empty() { none() } else { kernels.join(", ") };
        let mut lines = vec![format!("undistributed: {kernels}")];
        for row in tables.sms() {
            let (left, top) =
                (row.remaining, row.top.map_or("-".to_owned(), |top| top.to_string()));
            let blocks = self.blocks(tables, row.sm);
            lines.push(format!(
                "SM{}: {} registers, {} warps, {} shared left, top {top}; {blocks}",
                row.sm.0, left.registers, left.warps, left.shared
            ));
        }
        lines
    }

    /// The blocks of an SM: waiting, running, finished warps.
    fn blocks(&self, tables: &Controllers, sm: CuId) -> String {
        let rows = tables.blocks(sm);
        let rows = rows.iter().map(|row| {
            let (name, counts) = (self.question.name(row.kernel), (row.waiting, row.running));
            format!("{name}{} {}/{}/{}", row.block, counts.0, counts.1, row.finished)
        });
        let rows: Vec<String> = rows.take(MOST_BLOCKS + 1).collect();
        match rows.len() {
            0 => "no blocks".to_owned(),
            n if n > MOST_BLOCKS => format!("{} ..", rows[..MOST_BLOCKS].join(", ")),
            _ => format!("waiting/running/finished: {}", rows.join(", ")),
        }
    }
}

/// So many blocks of an SM are shown.
const MOST_BLOCKS: usize = 8;
