//! Which blocks does each compute unit hold, and does each event of the table agree with that?
//!
//! After a difference the model goes on with what the table says.

use std::collections::{BTreeMap, BTreeSet, VecDeque};

use super::event::{AllocationDevice, AllocationEvent, AllocationEventKind, TableFault};
use super::picture::picture;
use super::starts::{Held, StartRule, predicted, runs};
use super::{AllocationFinding, AllocationOptions, AllocationReport, AllocationRule};

/// A workgroup's request for room that has not been answered yet: the line of the request, the
/// number of waves, and the blocks that the workgroup asks for.
#[derive(Clone, Debug)]
struct Asked {
    line: u64,
    waves: Option<u64>,
    sizes: Vec<u64>,
}

/// A workgroup that is placed on a compute unit.
#[derive(Clone, Debug)]
pub(super) struct Placed {
    pub(super) workgroup: u64,
    pub(super) waves: Option<u64>,
    /// Neighbouring blocks that the workgroup holds of each resource, as (first block, number of
    /// blocks).
    pub(super) parts: Vec<(u64, u64)>,
    /// Numbers of the waves that have started; the field `ended` has the numbers of those that have
    /// ended.
    pub(super) started: BTreeSet<u64>,
    pub(super) ended: BTreeSet<u64>,
    /// True if an event of the checked table recorded the end of the whole workgroup at once,
    /// without naming a wave.
    pub(super) over: bool,
}

impl Placed {
    /// Returns the number of the workgroup's waves that have not ended.
    pub(super) fn running(&self) -> u64 {
        if self.over {
            return 0;
        }
        let waves = self.waves.unwrap_or(self.started.len() as u64);
        waves.saturating_sub(self.ended.len() as u64)
    }
}

/// Neighbouring blocks that a workgroup gave back, as (first block, end), and the clock cycle in
/// which they were given back.
#[derive(Clone, Copy, Debug)]
struct Freed {
    clock: u64,
    part: (u64, u64),
}

/// Blocks of a resource that is handed out as a ring, as (first block, end), with the workgroup
/// that got them.
#[derive(Clone, Copy, Debug)]
pub(super) struct RingPart {
    pub(super) workgroup: u64,
    part: (u64, u64),
    pub(super) freed: bool,
}

/// State of one resource of a compute unit from which the first blocks of placements are predicted.
/// The blocks that are held now are listed with the workgroups that hold them.
#[derive(Clone, Debug, Default)]
pub(super) struct Stock {
    /// Number of the block behind the latest placement, from which the start rules `Next` and
    /// `Ring` search on.
    after: u64,
    /// Blocks that were given back lately, the latest last. For some clock cycles, the lag, the
    /// dispatcher may still see them as taken.
    recent: VecDeque<Freed>,
    /// Blocks that are not reclaimed yet, of a resource that is handed out as a ring; the oldest
    /// placement first.
    pub(super) ring: VecDeque<RingPart>,
}

/// A compute unit: its workgroups, and the state of each of its resources.
#[derive(Clone, Debug, Default)]
pub(super) struct Unit {
    pub(super) placed: Vec<Placed>,
    pub(super) stocks: Vec<Stock>,
    /// For each tag (number that stands for a running wave in the compute unit) its wave, as
    /// (workgroup, wave).
    pub(super) tags: BTreeMap<u64, (u64, u64)>,
}

/// The naive model of a device with which the events of a table are compared: all compute units,
/// and all requests for room without an answer.
#[derive(Debug)]
pub(super) struct Model {
    pub(super) device: AllocationDevice,
    pub(super) rules: Vec<Option<StartRule>>,
    pub(super) lag: u64,
    /// All compute units. One more entry, at the end, holds the workgroups that the checked table
    /// of events places on a unit that does not exist.
    pub(super) units: Vec<Unit>,
    requests: BTreeMap<u64, Asked>,
    /// Compute unit of each workgroup that is placed, as the index of the unit in the list `units`.
    pub(super) live: BTreeMap<u64, usize>,
    /// Workgroups that have given their blocks back, and for which no new request came since.
    pub(super) freed: BTreeSet<u64>,
    asks: bool,
    pub(super) starts: bool,
    pub(super) ends: bool,
    last: (u64, u64),
    pub(super) report: AllocationReport,
}

impl Model {
    pub(super) fn new(
        device: AllocationDevice,
        options: &AllocationOptions,
    ) -> Result<Self, TableFault> {
        options.check().map_err(|text| TableFault::new(1, text))?;
        for name in options.starts_of.keys() {
            if !device.resources.iter().any(|it| it.name == *name) {
                let known: Vec<&str> = device.resources.iter().map(|it| &*it.name).collect();
                let text = format!(
                    "a rule is given for `{name}`, which the table does not declare (it has {})",
                    known.join(", ")
                );
                return Err(TableFault::new(1, text));
            }
        }
        let rule = |name: &str| options.starts_of.get(name).copied().or(options.starts);
        let rules = device.resources.iter().map(|it| rule(&it.name)).collect();
        let unit =
            Unit { stocks: vec![Stock::default(); device.resources.len()], ..Unit::default() };
        Ok(Self {
            units: vec![unit; device.units as usize + 1],
            device,
            rules,
            lag: options.lag,
            requests: BTreeMap::new(),
            live: BTreeMap::new(),
            freed: BTreeSet::new(),
            asks: false,
            starts: false,
            ends: false,
            last: (0, 0),
            report: AllocationReport::default(),
        })
    }

    /// Checks the next event against the rules, adds each broken rule to the findings, and updates
    /// the model by the event. The error is a fault of the table that ends the check.
    pub(super) fn take(&mut self, event: &AllocationEvent) -> Result<(), TableFault> {
        if event.clock < self.last.1 {
            let text = format!(
                "clock {} is before clock {} of the event above: record events in the order of their clocks",
                event.clock, self.last.1
            );
            return Err(TableFault::new(event.line, text));
        }
        match event.kind {
            AllocationEventKind::Request => self.request(event),
            AllocationEventKind::Place => self.place(event)?,
            _ => self.of_placed(event)?,
        }
        self.report.events += 1;
        self.last = (event.line, event.clock);
        Ok(())
    }

    /// Returns whether the workgroup has a request for room that is not answered yet.
    pub(super) fn asked(&self, workgroup: u64) -> bool {
        self.requests.contains_key(&workgroup)
    }

    pub(super) fn found(&mut self, event: &AllocationEvent, rule: AllocationRule, what: String) {
        let (line, clock) = (event.line, event.clock);
        self.report.add(AllocationFinding { rule, line, clock, what, map: String::new() });
    }

    fn request(&mut self, event: &AllocationEvent) {
        self.asks = true;
        let workgroup = event.workgroup;
        if let Some(asked) = self.requests.get(&workgroup) {
            let line = asked.line;
            let what = format!(
                "workgroup {workgroup} is requested again; its request of line {line} is open"
            );
            self.found(event, AllocationRule::Order, what);
        } else if self.live.contains_key(&workgroup) {
            let what = format!("workgroup {workgroup} is requested while it is placed");
            self.found(event, AllocationRule::Order, what);
        }
        self.freed.remove(&workgroup);
        let sizes = event.parts.iter().map(|(_, size)| size.unwrap_or(0)).collect();
        self.requests.insert(workgroup, Asked { line: event.line, waves: event.waves, sizes });
    }

    fn place(&mut self, event: &AllocationEvent) -> Result<(), TableFault> {
        let workgroup = event.workgroup;
        let unit = event.unit.ok_or_else(|| {
            TableFault::new(event.line, "`unit` is empty: name the unit of the placement")
        })?;
        let mut parts = Vec::with_capacity(event.parts.len());
        for (&(start, size), resource) in event.parts.iter().zip(&self.device.resources) {
            let name = &resource.name;
            let lacks = match (start, size) {
                (Some(_), None) => format!("`{name}_size` is empty: give the size of what starts"),
                (None, Some(1..)) => {
                    format!("`{name}_start` is empty: what has a size starts somewhere")
                }
                _ => {
                    let size = size.unwrap_or(0);
                    parts.push((start.filter(|_| size > 0).unwrap_or(0), size));
                    continue;
                }
            };
            return Err(TableFault::new(event.line, lacks));
        }
        if self.live.contains_key(&workgroup) {
            let what = format!("workgroup {workgroup} is placed a second time");
            self.found(event, AllocationRule::Order, what);
            return Ok(());
        }
        self.report.placed += 1;
        let waves = self.as_asked(event, &parts);
        let index = usize::try_from(unit).unwrap_or(usize::MAX).min(self.device.units as usize);
        if index == self.device.units as usize {
            let what = format!("workgroup {workgroup} is placed on unit {unit}, of {index} units");
            self.found(event, AllocationRule::Bounds, what);
        } else {
            self.on_unit(event, index, waves, &parts);
        }
        for (stock, &(start, size)) in self.units[index].stocks.iter_mut().zip(&parts) {
            if size > 0 {
                stock.after = start + size;
                let part = (start, start + size);
                stock.ring.push_back(RingPart { workgroup, part, freed: false });
            }
        }
        let (started, ended, over) = (BTreeSet::new(), BTreeSet::new(), false);
        self.units[index].placed.push(Placed { workgroup, waves, parts, started, ended, over });
        self.live.insert(workgroup, index);
        self.freed.remove(&workgroup);
        Ok(())
    }

    /// Compares a placement with the workgroup's request, and closes the request; differences are
    /// added to the findings. Returns the number of waves of the workgroup; `None` where neither
    /// the placement nor the request gives it.
    fn as_asked(&mut self, event: &AllocationEvent, parts: &[(u64, u64)]) -> Option<u64> {
        let workgroup = event.workgroup;
        let Some(asked) = self.requests.remove(&workgroup) else {
            if self.asks {
                let what = format!("workgroup {workgroup} is placed without an open request");
                self.found(event, AllocationRule::Order, what);
            }
            return event.waves;
        };
        for (at, (&(_, size), wanted)) in parts.iter().zip(&asked.sizes).enumerate() {
            if size != *wanted {
                let name = &self.device.resources[at].name;
                let what = format!(
                    "workgroup {workgroup} gets {size} blocks of {name}, and asked for {wanted} in line {}",
                    asked.line
                );
                self.found(event, AllocationRule::Size, what);
            }
        }
        if let (Some(waves), Some(wanted)) = (event.waves, asked.waves)
            && waves != wanted
        {
            let what = format!(
                "workgroup {workgroup} gets {waves} waves, and asked for {wanted} in line {}",
                asked.line
            );
            self.found(event, AllocationRule::Size, what);
        }
        event.waves.or(asked.waves)
    }

    /// Checks a placement on the compute unit with the index `index` against the work that is
    /// already there, and adds broken rules to the findings. The workgroup has `waves` waves
    /// (`None` if unknown), and gets the blocks `parts` of the resources, each as (start, size).
    fn on_unit(
        &mut self,
        event: &AllocationEvent,
        index: usize,
        waves: Option<u64>,
        parts: &[(u64, u64)],
    ) {
        let used: u64 = self.units[index].placed.iter().map(Placed::running).sum();
        let (slots, wanted) = (self.device.wave_slots, waves.unwrap_or(0));
        if slots > 0 && used.saturating_add(wanted) > slots {
            let what = format!(
                "unit {index} runs {used} waves and gets {wanted} more, with {slots} wave slots"
            );
            self.found(event, AllocationRule::WaveSlots, what);
        }
        for (at, &(start, size)) in parts.iter().enumerate() {
            if size > 0 {
                self.part(event, (index, at), (start, size));
            }
        }
    }

    /// Checks the blocks `start..start + size` that a workgroup gets of one resource on a compute
    /// unit; broken rules are added to the findings. `index` is the compute unit's index in the
    /// list of units, `at` the resource's in the device's list.
    fn part(
        &mut self,
        event: &AllocationEvent,
        (index, at): (usize, usize),
        (start, size): (u64, u64),
    ) {
        let blocks = self.device.resources[at].blocks;
        let name = self.device.resources[at].name.clone();
        let (workgroup, end) = (event.workgroup, start + size);
        if end > blocks {
            let what = format!(
                "workgroup {workgroup} has {name} {start}..{end} of unit {index}, which has {blocks} blocks"
            );
            self.found(event, AllocationRule::Bounds, what);
        }
        let mut held = self.held(index, at);
        let free = runs(&mut held, blocks);
        let longest = free.iter().map(|&(_, len)| len).max().unwrap_or(0);
        let label = format!("{name} of unit {index} before clock {}", event.clock);
        if size > longest {
            let what = format!(
                "workgroup {workgroup} starts with {size} blocks of {name} on unit {index}, where at most {longest} in a row are free"
            );
            let map = picture(&mut held, blocks, &label, &[('^', Some(start))]);
            let (line, clock, rule) = (event.line, event.clock, AllocationRule::Fit);
            self.report.add(AllocationFinding { rule, line, clock, what, map });
        } else {
            let other = self.units[index].placed.iter().find(|other| {
                let (from, len) = other.parts[at];
                len > 0 && from < end && start < from + len
            });
            if let Some(other) = other {
                let (from, len) = other.parts[at];
                let what = format!(
                    "workgroup {workgroup} gets {name} {start}..{end} of unit {index}; workgroup {} holds {from}..{}",
                    other.workgroup,
                    from + len
                );
                self.found(event, AllocationRule::Overlap, what);
            }
        }
        let Some(rule) = self.rules[at] else { return };
        if rule == StartRule::Ring {
            self.reclaimed(event, (index, at), (start, end));
        }
        self.start(event, (index, at), (start, size), (rule, free, held));
    }

    fn held(&self, index: usize, at: usize) -> Held {
        let parts = self.units[index].placed.iter().map(|placed| placed.parts[at]);
        parts.filter(|&(_, size)| size > 0).map(|(start, size)| (start, start + size)).collect()
    }

    /// Checks the blocks `start..end` that a workgroup gets of a resource handed out as a ring:
    /// they must have been reclaimed, in the order in which they were taken. A broken rule is added
    /// to the findings. `index` is the index of the compute unit, `at` that of the resource.
    fn reclaimed(
        &mut self,
        event: &AllocationEvent,
        (index, at): (usize, usize),
        (start, end): (u64, u64),
    ) {
        let ring = &self.units[index].stocks[at].ring;
        let overlapping = |it: &&RingPart| it.freed && it.part.0 < end && start < it.part.1;
        let Some(part) = ring.iter().find(overlapping) else { return };
        let first = ring.front().map_or(0, |first| first.workgroup);
        let name = &self.device.resources[at].name;
        let what = format!(
            "workgroup {} gets {name} {start}..{end} of unit {index}; {}..{} of workgroup {} come back only after those of workgroup {first}",
            event.workgroup, part.part.0, part.part.1, part.workgroup
        );
        self.found(event, AllocationRule::Fit, what);
    }

    /// Compares the first block of a placement, `start`, with the prediction of `rule`, and adds a
    /// difference to the findings. The choice may be older than its record by up to the lag, so it
    /// is right if the rule predicts it for the free blocks at any moment of that time.
    ///
    /// `index` is the index of the compute unit, `at` that of the resource, and `size` the number
    /// of placed blocks. `free` has the free runs of blocks, `held` those that workgroups hold.
    fn start(
        &mut self,
        event: &AllocationEvent,
        (index, at): (usize, usize),
        (start, size): (u64, u64),
        (rule, free, mut held): (StartRule, Vec<(u64, u64)>, Held),
    ) {
        let blocks = self.device.resources[at].blocks;
        let after = self.units[index].stocks[at].after;
        let wanted = predicted(rule, &free, size, after, blocks);
        self.report.predicted += 1;
        let mut agrees = wanted == Some(start);
        let recent = &self.units[index].stocks[at].recent;
        let mut earlier = held.clone();
        for freed in recent.iter().rev() {
            if agrees || self.lag == 0 || freed.clock < event.clock.saturating_sub(self.lag) {
                break;
            }
            earlier.push(freed.part);
            let free = runs(&mut earlier, blocks);
            agrees = predicted(rule, &free, size, after, blocks) == Some(start);
        }
        if agrees {
            self.report.agreeing += 1;
        } else if !self.report.counts.contains_key(&AllocationRule::Start) {
            let name = &self.device.resources[at].name;
            let shown = wanted.map_or_else(|| "nowhere".to_owned(), |start| format!("at {start}"));
            let what = format!(
                "workgroup {} starts at {start} in {name} of unit {index}; by the rule its {size} blocks start {shown}",
                event.workgroup
            );
            let label = format!(
                "{name} of unit {index} before clock {} (^ recorded, v predicted)",
                event.clock
            );
            let map = picture(&mut held, blocks, &label, &[('^', Some(start)), ('v', wanted)]);
            let (line, clock, rule) = (event.line, event.clock, AllocationRule::Start);
            self.report.add(AllocationFinding { rule, line, clock, what, map });
        }
    }

    /// Records that the blocks of the workgroup `placed` are free again, as it leaves the compute
    /// unit with the index `index` in the clock cycle `clock`.
    pub(super) fn give_back(&mut self, clock: u64, index: usize, placed: &Placed) {
        let lag = self.lag;
        for (stock, &(start, size)) in self.units[index].stocks.iter_mut().zip(&placed.parts) {
            if size == 0 {
                continue;
            }
            for part in stock.ring.iter_mut().filter(|it| it.workgroup == placed.workgroup) {
                part.freed = true;
            }
            while stock.ring.front().is_some_and(|first| first.freed) {
                stock.ring.pop_front();
            }
            if lag > 0 {
                stock.recent.push_back(Freed { clock, part: (start, start + size) });
                while stock.recent.front().is_some_and(|it| it.clock < clock.saturating_sub(lag)) {
                    stock.recent.pop_front();
                }
            }
        }
        self.units[index].tags.retain(|_, wave| wave.0 != placed.workgroup);
    }

    /// Ends the check and returns its report. Requests that are open while no workgroup runs are a
    /// finding of the rule `Stop`.
    pub(super) fn finish(mut self) -> AllocationReport {
        let open = self.requests.len() as u64;
        let runs = self
            .units
            .iter()
            .flat_map(|unit| &unit.placed)
            .any(|placed| placed.running() > 0 || (placed.waves.is_none() && !self.ends));
        if open > 0 && !runs {
            let (line, clock) = self.last;
            // The map of requests is not empty.
            let first = self.requests.iter().next();
            let first = first.map_or_else(String::new, |(workgroup, asked)| {
                format!("the first is workgroup {workgroup}, line {}", asked.line)
            });
            let what =
                format!("{open} requests are open and no wave is left that could end; {first}");
            let rule = AllocationRule::Stop;
            self.report.add(AllocationFinding { rule, line, clock, what, map: String::new() });
        } else {
            self.report.open = open;
        }
        self.report
    }
}
