//! Did a dispatcher hand out its resources as it must? A checker for tables of events of any RTL or
//! simulator.
//!
//! A table (docs/rtl.md has the schema) holds a line for each request, placement, wave, end and free.
//! [`check`] and [`AllocationCheck`] follow it with a naive model, a list of what each unit holds, and
//! report what breaks a rule ([`AllocationRule`]). With a [`StartRule`] it also predicts each start (seed 000 leaves the
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

impl AllocationOptions {
    /// Checks that a lag is given with a rule alone. Every check does so before it begins.
    ///
    /// # Errors
    /// With a lag and no rule: the text for the user.
    pub fn check(&self) -> Result<(), &'static str> {
        if self.lag > 0 && self.starts.is_none() && self.starts_of.is_empty() {
            return Err("a lag is for predicted starts: give the rule that predicts them (`fit`)");
        }
        Ok(())
    }
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

impl fmt::Display for AllocationFinding {
    /// Writes the finding in one line, without its map.
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

/// A check that is told event by event, as by a running simulator.
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
    /// Begins a check of empty units. The lines of its findings count events, from 1.
    ///
    /// # Errors
    /// Without a resource, with a rule for a resource that the device does not have, or with options
    /// that [`AllocationOptions::check`] refuses.
    pub fn new(device: AllocationDevice, options: &AllocationOptions) -> Result<Self, TableFault> {
        if device.resources.is_empty() {
            return Err(TableFault::new(0, "the device has no resource: add one"));
        }
        Ok(Self { model: Model::new(device, options)?, taken: 0 })
    }

    /// Takes the next event, and returns how many findings it adds.
    ///
    /// # Errors
    /// As [`check`] with the line of the event; nothing has changed then.
    pub fn take(&mut self, mut event: AllocationEvent) -> Result<u64, TableFault> {
        event.line = self.taken + 1;
        event.check(&self.model.device)?;
        let before = self.model.report.total();
        self.model.take(&event)?;
        self.taken += 1;
        Ok(self.model.report.total() - before)
    }

    /// Returns the report so far.
    #[must_use]
    pub const fn report(&self) -> &AllocationReport {
        &self.model.report
    }

    /// Ends the check: requests that are open then may be a stop.
    #[must_use]
    pub fn finish(self) -> AllocationReport {
        self.model.finish()
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
