//! Did a dispatcher place workgroups as it must? The check takes tables of events of any RTL or
//! simulator.
//!
//! A table (docs/rtl.md has the schema) holds a line for each request, placement, wave, end and free.
//! [`check`] and [`AllocationCheck`] follow it with a naive model, a list of what each unit holds, and report
//! what breaks a rule ([`AllocationRule`]). With a [`StartRule`] it also predicts each start (seed 000 leaves
//! the place open; `raddle golden bitmap` has the same rules).
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

mod event;
mod model;
mod picture;
mod running;
mod starts;
mod table;

use std::collections::BTreeMap;
use std::fmt;

use serde::Serialize;

pub use event::{AllocationDevice, AllocationEvent, AllocationEventKind, TableFault};
pub use starts::StartRule;

use model::Model;
use table::Table;

/// Most findings (events that break a rule) that a report stores, beside the first one of each
/// rule; further findings are only counted.
const MOST_KEPT: usize = 20;

/// Rules that a dispatcher must keep when it allocates resources.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize)]
#[serde(rename_all = "kebab-case")]
#[non_exhaustive]
pub enum AllocationRule {
    /// Rule that two workgroups of one compute unit never hold one block at the same time.
    Overlap,
    /// Rule that a workgroup gets only blocks that exist, on a compute unit that exists.
    Bounds,
    /// Rule that a compute unit does not run more waves than it has wave slots.
    WaveSlots,
    /// Rule that a workgroup or a wave does not end twice.
    FreedOnce,
    /// Rule that the size of a placement, and its number of waves, are as requested.
    Size,
    /// Rule that the first block of each wave is right: the blocks of a workgroup are divided
    /// equally among its waves, in the order of their numbers.
    WaveBase,
    /// Rule that a tag does not name two running waves of a compute unit, and that the end of a
    /// wave names its own tag.
    Tag,
    /// Rule that the events of a workgroup come in this order: request, placement, starts of waves,
    /// ends of waves, release of its blocks.
    Order,
    /// Rule that a workgroup is not placed where too few free blocks lie in a row.
    Fit,
    /// Rule that no request for room stays unanswered when no workgroup is left that could end and
    /// make room.
    Stop,
    /// Rule that a workgroup's blocks start where the start rule of the check (first, best or worst
    /// fit) predicts.
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

/// Finding of a check of a dispatcher's placements: an event that breaks a rule.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct AllocationFinding {
    /// Rule that the event breaks.
    pub rule: AllocationRule,
    /// Line of the event in the placement table, or number of the event where there is no table;
    /// from 1.
    pub line: u64,
    /// Clock cycle of the event that breaks the rule.
    pub clock: u64,
    /// Sentence that tells a person which rule is broken, and how.
    pub what: String,
    /// Picture of the compute unit's free and held blocks at the moment of the finding. Drawn only
    /// where a placement starts at another block than predicted, or does not fit; else empty.
    #[serde(skip_serializing_if = "String::is_empty")]
    pub map: String,
}

/// Settings of a check of a dispatcher's placements: by which rules the first block of each
/// placement is predicted.
#[derive(Clone, Debug, Default)]
pub struct AllocationOptions {
    /// Rule that predicts at which block a placement starts, for each resource that the field
    /// `starts_of` does not name; `None` where the starts of these resources are not predicted.
    pub starts: Option<StartRule>,
    /// Rules that predict at which block a placement starts, by the name of the resource that is
    /// placed.
    pub starts_of: BTreeMap<String, StartRule>,
    /// Most clock cycles that may pass between the moment at which the dispatcher chooses the first
    /// block of a placement and the event that records the placement. The choice counts as right if
    /// the rule predicts it for the free blocks at any moment of that time.
    pub lag: u64,
}

impl AllocationOptions {
    /// Checks that the lag (most clock cycles between a choice and its record) is 0 where no rule
    /// predicts the first blocks of placements. Every check of a table calls this before it begins.
    ///
    /// # Errors
    /// A text for the user where the options have a lag and no rule that predicts starts.
    pub fn check(&self) -> Result<(), &'static str> {
        if self.lag > 0 && self.starts.is_none() && self.starts_of.is_empty() {
            return Err("a lag is for predicted starts: give the rule that predicts them (`fit`)");
        }
        Ok(())
    }
}

/// Result of a check of a dispatcher's placements: counts of checked events, and the findings
/// (events that break a rule).
#[derive(Clone, Debug, Default, Serialize)]
#[serde(rename_all = "kebab-case")]
pub struct AllocationReport {
    /// Number of events (requests, placements, starts, ends) that were checked.
    pub events: u64,
    /// Number of workgroups that were placed.
    pub placed: u64,
    /// Number of requests for room that had no answer at the last event, where workgroups still run
    /// that could make room.
    pub open: u64,
    /// Number of starts (first blocks of placements) that were predicted.
    pub predicted: u64,
    /// Number of starts (first blocks of placements) that were recorded as the start rule had
    /// predicted.
    pub agreeing: u64,
    /// Number of findings for each rule. Of the starts (first blocks of placements) that were
    /// predicted wrongly, only the first one is a finding.
    pub counts: BTreeMap<AllocationRule, u64>,
    /// Findings that are stored: the first 20, and the first one of each rule.
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

    /// Returns the number of all findings, including those that the report only counts.
    #[must_use]
    pub fn total(&self) -> u64 {
        self.counts.values().sum()
    }
}

impl fmt::Display for AllocationFinding {
    /// Writes the finding (an event that breaks a rule) in one line, without its picture of the
    /// blocks.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { rule, line, clock, what, .. } = self;
        write!(f, "line {line}, clock {clock}: {rule}: {what}")
    }
}

impl fmt::Display for AllocationReport {
    /// Writes the report as `raddle check-placement` prints it.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        writeln!(f, "{} events, {} workgroups placed", self.events, self.placed)?;
        if self.predicted > 0 {
            writeln!(f, "starts: {} of {} as predicted", self.agreeing, self.predicted)?;
        }
        if self.open > 0 {
            let open = self.open;
            writeln!(f, "{open} requests are open at the end, where workgroups still run")?;
        }
        if self.counts.is_empty() {
            return writeln!(f, "no finding");
        }
        let counts: Vec<String> =
            self.counts.iter().map(|(rule, count)| format!("{rule} {count}")).collect();
        writeln!(f, "findings: {}", counts.join(", "))?;
        for finding in &self.findings {
            writeln!(f, "\n{finding}")?;
            for line in finding.map.lines() {
                writeln!(f, "{}", format!("  {line}").trim_end())?;
            }
        }
        match self.total() - self.findings.len() as u64 {
            0 => Ok(()),
            more => writeln!(f, "\n... and {more} more"),
        }
    }
}

/// A check of a dispatcher's placements that gets one event at a time, as a running simulator gives
/// them.
///
/// ```
/// use raddle_golden::allocation::{
///     AllocationCheck, AllocationDevice, AllocationEvent, AllocationEventKind, AllocationOptions,
/// };
///
/// let mut device = AllocationDevice::new(1, 4)?;
/// device.add("vgpr", 16, true)?;
/// let mut check = AllocationCheck::new(device, &AllocationOptions::default())?;
/// for (workgroup, start) in [(7, 0), (8, 4)] {
///     let mut event = AllocationEvent::new(2, AllocationEventKind::Place, workgroup, 1);
///     event.unit = Some(0);
///     event.parts[0] = (Some(start), Some(8));
///     assert_eq!(check.take(event)?, u64::from(workgroup == 8), "the second one overlaps");
/// }
/// assert_eq!(check.finish().total(), 1);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Debug)]
pub struct AllocationCheck {
    model: Model,
    taken: u64,
}

impl AllocationCheck {
    /// Begins a check in which all compute units are empty. The line of a finding is the number of
    /// its event, from 1.
    ///
    /// # Errors
    /// For a device without a resource, for a rule for a resource that the device does not have,
    /// and for options that [`AllocationOptions::check`] refuses.
    pub fn new(device: AllocationDevice, options: &AllocationOptions) -> Result<Self, TableFault> {
        if device.resources.is_empty() {
            return Err(TableFault::new(0, "the device has no resource: add one"));
        }
        Ok(Self { model: Model::new(device, options)?, taken: 0 })
    }

    /// Checks the next event, and returns the number of findings that it adds.
    ///
    /// # Errors
    /// The errors of [`check`], which name the number of the event as the line. After an error the
    /// check is as it was before the event.
    pub fn take(&mut self, mut event: AllocationEvent) -> Result<u64, TableFault> {
        event.line = self.taken + 1;
        event.check(&self.model.device)?;
        let before = self.model.report.total();
        self.model.take(&event)?;
        self.taken += 1;
        Ok(self.model.report.total() - before)
    }

    /// Returns the report on all events until now.
    #[must_use]
    pub const fn report(&self) -> &AllocationReport {
        &self.model.report
    }

    /// Ends the check, and returns its report. Requests for room that are still open become a
    /// finding (a reported breach of a rule) if no workgroup runs whose end could make room.
    #[must_use]
    pub fn finish(self) -> AllocationReport {
        self.model.finish()
    }
}

/// Checks a table of placement events, given as the bytes of its file.
///
/// # Errors
/// A fault with the line where the table cannot be read: a column or a declaration is missing, a
/// cell is not a number, the clock runs backwards, or a workgroup ends that never started.
pub fn check(bytes: &[u8], options: &AllocationOptions) -> Result<AllocationReport, TableFault> {
    let mut table = Table::open(bytes)?;
    let mut model = Model::new(table.device().clone(), options)?;
    while let Some(event) = table.next_event()? {
        model.take(event)?;
    }
    Ok(model.finish())
}
