//! How do blocks get to SMs and warps to their slots, step by step (seed 003)?
//!
//! A step is a decision of the global controller, or a tick in which warps end, and shows the
//! tables of kernels, SMs and blocks after it. The labels G1 to G6 and L1 to L5 are the project's
//! own, since the seed's claims have none.

use raddle_policy::CuId;
use raddle_sm::{Controllers, Decision, Route};

use super::run::{WarpOutcome, WarpStep};
use super::{WarpRun, resource};
use crate::explanation::{Story, counted, few};

/// Most blocks (workgroups) of an SM (compute unit) that a step of the explanation shows.
const MOST_BLOCKS: usize = 8;

/// Explains a run of blocks (workgroups) and warps on SMs (compute units) while the run happens.
pub(super) struct WarpTeller<'q> {
    question: &'q WarpRun,
    story: &'q mut Story,
    /// (tick, names of the warps that end in the current step of the explanation); the list is
    /// empty in steps of other kinds.
    ending: (u64, Vec<String>),
    /// Lines that show the three tables (kernels, SMs, blocks of each SM) after the current step.
    tables: Vec<String>,
}

impl<'q> WarpTeller<'q> {
    pub(super) const fn new(question: &'q WarpRun, story: &'q mut Story) -> Self {
        Self { question, story, ending: (0, Vec::new()), tables: Vec::new() }
    }

    fn step(&mut self, title: String) {
        self.close();
        self.story.step(title);
    }

    /// Ends the current step of the explanation, and adds the lines that show the controllers'
    /// tables after it.
    fn close(&mut self) {
        let (now, ending) = std::mem::take(&mut self.ending);
        if !ending.is_empty() {
            self.story.retitle(format!("t={now}, L4: {} over", few(ending)));
        }
        self.story.end_list();
        std::mem::take(&mut self.tables).into_iter().for_each(|line| self.story.line(line));
    }

    pub(super) fn add(&mut self, now: u64, step: &WarpStep, controllers: &Controllers) {
        let question = self.question;
        if !self.story.is_told() {
            return;
        }
        match step {
            WarpStep::Refused(it) => {
                let name = question.name(it.launch);
                self.step(format!("t={now}: {name} arrives and is refused"));
                self.story.line(format!(
                    "one block wants {} {}, an SM has {}: {} too many",
                    it.wanted,
                    resource(it.resource),
                    it.available,
                    it.missing()
                ));
            }
            WarpStep::Decided(it) => self.decided(now, it, controllers),
            WarpStep::Started(it) if self.story.shows() => {
                let (first, sm) = (question.warp(it.kernel(), it.block(), it.first()), it.sm().0);
                self.story.line(match it.count() {
                    1 => format!("L1, L2, L3 on SM{sm}: {first} starts"),
                    n => format!("L1, L2, L3 on SM{sm}: {first} to w{} start", it.first() + n - 1),
                });
            }
            WarpStep::WarpEnded { kernel, block, warp, ended } => {
                if self.ending.1.is_empty() || self.ending.0 != now {
                    self.step(String::new());
                    self.ending.0 = now;
                }
                self.ending.1.push(question.warp(*kernel, *block, *warp));
                let name = question.name(*kernel);
                if ended.block_done() {
                    let sm = ended.sm().0;
                    self.story.line(format!(
                        "L5: block {block} of {name} is done, SM{sm} looks for its top priority"
                    ));
                }
                if ended.kernel_done() {
                    self.story.line(format!("{name} is done and leaves the kernel table"));
                }
            }
            WarpStep::Served(_) if self.story.shows() => {
                self.tables = tables(question, controllers);
            }
            _ => {}
        }
    }

    fn decided(&mut self, now: u64, it: &Decision, controllers: &Controllers) {
        let (name, sm) = (self.question.name(it.kernel()), it.sm().0);
        let (label, why) = match it.route() {
            Route::Whole => ("G3", format!("G2: SM{sm} takes whole blocks, N1 = {}", it.n1())),
            Route::First => {
                ("G5", format!("G2: no SM takes a whole one; G4: SM{sm} can start a warp"))
            }
            Route::Second => (
                "G6",
                format!(
                    "G2, G4: no SM takes a whole one, none can start a warp; G6: all work of SM{sm} was of lower priority"
                ),
            ),
        };
        let last = it.first() + it.count() - 1;
        let blocks = match it.count() {
            1 => format!("block {last}"),
            _ => format!("blocks {} to {last}", it.first()),
        };
        self.step(format!(
            "t={now}, {label} ({}): {blocks} of {name} to SM{sm}",
            it.route().name()
        ));
        let rows = controllers.kernels();
        let row = rows.iter().find(|row| row.kernel() == it.kernel());
        let (priority, left) =
            row.map_or((0, 0), |row| (self.question.highest - row.rank(), row.undistributed()));
        let had = counted(left + it.count(), "block", "blocks");
        self.story.line(format!("G1: {name} (priority {priority}) has {had} to distribute"));
        self.story.line(why);
    }

    pub(super) fn end(mut self, outcome: &WarpOutcome) {
        self.close();
        self.story.end("the ends");
        for (name, end) in self.question.names.iter().zip(&outcome.ends) {
            if let Some(end) = end {
                self.story.line(format!("{name} at {end}"));
            }
        }
        for name in outcome.refused.iter().map(|it| self.question.name(it.launch)) {
            self.story.line(format!("{name} never: refused"));
        }
        for name in outcome.stuck.iter().map(|&it| self.question.name(it)) {
            self.story.line(format!("{name} never: it waits, and no event is left"));
        }
    }
}

/// Formats the three tables of the controllers: kernels, SMs, and blocks (workgroups) of each SM.
fn tables(question: &WarpRun, controllers: &Controllers) -> Vec<String> {
    let kernels = controllers.kernels();
    let kernels: Vec<String> = kernels
        .iter()
        .map(|row| format!("{} {}", question.name(row.kernel()), row.undistributed()))
        .collect();
    let kernels = if kernels.is_empty() { "none".to_owned() } else { kernels.join(", ") };
    let sms = controllers.sms().into_iter().map(|row| {
        let (left, top) = (
            row.remaining(),
            row.top().map_or("-".to_owned(), |top| (question.highest - top).to_string()),
        );
        format!(
            "SM{}: {}, {}, {} shared left, top {top}; {}",
            row.sm().0,
            counted(left.registers, "register", "registers"),
            counted(left.warps, "warp", "warps"),
            left.shared,
            blocks(question, controllers, row.sm())
        )
    });
    std::iter::once(format!("undistributed: {kernels}")).chain(sms).collect()
}

/// Formats the blocks (workgroups) of an SM, each with its numbers of waiting, running and finished
/// warps.
fn blocks(question: &WarpRun, controllers: &Controllers, sm: CuId) -> String {
    let rows = controllers.blocks(sm);
    let row = |row: &raddle_sm::BlockRow| {
        let name = question.name(row.kernel());
        format!("{name}{} {}/{}/{}", row.block(), row.waiting(), row.running(), row.finished())
    };
    let shown: Vec<String> = rows.iter().take(MOST_BLOCKS).map(row).collect();
    match rows.len() {
        0 => "no blocks".to_owned(),
        n if n > MOST_BLOCKS => format!("{} ..", shown.join(", ")),
        _ => format!("waiting/running/finished: {}", shown.join(", ")),
    }
}
