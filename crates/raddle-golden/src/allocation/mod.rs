//! Did a dispatcher hand out its resources as it must? A checker for tables of events of any RTL or
//! simulator.
//!
//! A table (docs/rtl.md has the schema) holds a line for each request, placement, wave, end and free.
//! [`check`] follows it with a naive model, a list of what each unit holds, and reports what breaks a
//! rule ([`AllocationRule`]). With a [`StartRule`] it also predicts each start (seed 000 leaves the
//! place open; `raddle golden bitmap` has the same rules).
//!
//! ```
//! use raddle_golden::allocation::{AllocationOptions, AllocationRule, check};
//!
//! let table = "\
//! ## raddle placement table 1
//! ## units = 1
//! ## wave-slots = 4
//! ## resource vgpr = 16 per-wave
//! clock,event,unit,workgroup,waves,wave,tag,vgpr_start,vgpr_size
//! 1,request,,7,1,,,,8
//! 2,place,0,7,1,,,0,8
//! 3,request,,8,1,,,,8
//! 4,place,0,8,1,,,4,8
//! ";
//! let report = check(table.replace("##", "#").as_bytes(), &AllocationOptions::default())?;
//! assert_eq!(report.findings[0].rule, AllocationRule::Overlap);
//! assert_eq!(report.findings[0].line, 9);
//! # Ok::<(), raddle_golden::allocation::TableFault>(())
//! ```

mod model;
mod picture;
mod running;
mod starts;
mod table;

use std::collections::BTreeMap;
use std::fmt;

use serde::Serialize;

pub use starts::StartRule;
pub use table::TableFault;

use model::Model;
use table::Table;

/// The most findings that are kept one by one; all are counted.
const MOST_KEPT: usize = 20;

/// The rules of an allocation.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize)]
#[serde(rename_all = "kebab-case")]
#[non_exhaustive]
pub enum AllocationRule {
    /// Two workgroups of a unit hold a block at once.
    Overlap,
    /// A part lies beyond the last block of its unit, or the unit is not there.
    Bounds,
    /// The waves of a unit are more than its wave slots.
    WaveSlots,
    /// A workgroup or a wave ends a second time.
    FreedOnce,
    /// The size or the waves of a placement are not those that were asked for.
    Size,
    /// A wave does not begin where its workgroup has it.
    WaveBase,
    /// A tag names two running waves of a unit, or an end names the wrong one.
    Tag,
    /// An event of a workgroup does not follow from the events before.
    Order,
    /// A workgroup starts where no free run is long enough.
    Fit,
    /// Requests are open, and nothing is left that could end.
    Stop,
    /// A start is another one than predicted.
    Start,
}

impl fmt::Display for AllocationRule {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Overlap => "overlap",
            Self::Bounds => "bounds",
            Self::WaveSlots => "wave-slots",
            Self::FreedOnce => "freed-once",
            Self::Size => "size",
            Self::WaveBase => "wave-base",
            Self::Tag => "tag",
            Self::Order => "order",
            Self::Fit => "fit",
            Self::Stop => "stop",
            Self::Start => "start",
        })
    }
}

/// Something in a table that breaks a rule.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct AllocationFinding {
    /// The rule that is broken.
    pub rule: AllocationRule,
    /// The line of the table, from 1.
    pub line: u64,
    /// The clock of the line.
    pub clock: u64,
    /// A sentence for a person.
    pub what: String,
    /// The map at that moment, for a start that differs or does not fit; else empty.
    #[serde(skip_serializing_if = "String::is_empty")]
    pub map: String,
}

/// The rules by which starts are predicted.
#[derive(Clone, Debug, Default)]
pub struct AllocationOptions {
    /// The rule for resources that are not named below; without one, their starts are not
    /// predicted.
    pub starts: Option<StartRule>,
    /// Rules by the names of resources.
    pub starts_of: BTreeMap<String, StartRule>,
    /// Clocks between the choice of a start and its record: a start is right if the rule gives it on
    /// the map of any moment in between.
    pub lag: u64,
}

/// The result of a check.
#[derive(Clone, Debug, Default, Serialize)]
#[serde(rename_all = "kebab-case")]
pub struct AllocationReport {
    /// Lines with an event.
    pub events: u64,
    /// Workgroups that were placed.
    pub placed: u64,
    /// Requests that are open at the end, while workgroups still run.
    pub open: u64,
    /// Starts that were predicted, and those among them that were recorded so.
    pub predicted: u64,
    /// Starts that are as predicted.
    pub agreeing: u64,
    /// Findings by rule; of starts that differ only the first is a finding.
    pub counts: BTreeMap<AllocationRule, u64>,
    /// The first findings.
    pub findings: Vec<AllocationFinding>,
}

impl AllocationReport {
    fn add(&mut self, finding: AllocationFinding) {
        *self.counts.entry(finding.rule).or_default() += 1;
        // The first of each rule is always kept.
        if self.findings.len() < MOST_KEPT || self.counts[&finding.rule] == 1 {
            self.findings.push(finding);
        }
    }

    /// Returns the number of all findings.
    #[must_use]
    pub fn total(&self) -> u64 {
        self.counts.values().sum()
    }
}

/// Checks a table of events.
///
/// # Errors
/// With the line, where the table cannot be read: a column or a declaration lacks, a number is none,
/// a clock runs back, or a workgroup ends that never started.
pub fn check(bytes: &[u8], options: &AllocationOptions) -> Result<AllocationReport, TableFault> {
    let mut table = Table::open(bytes)?;
    let mut model = Model::new(table.device().clone(), options)?;
    while let Some(event) = table.next_event()? {
        model.take(event)?;
    }
    Ok(model.finish())
}
