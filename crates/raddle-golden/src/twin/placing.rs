//! Does each answer of an allocate policy start the workgroups that its twin (naive model) starts,
//! at the same places?
//!
//! A twin is asked once for every workgroup, in the order in which the policy would answer one by
//! one. After a difference the twin goes on from what the log says.

use std::collections::{BTreeMap, BTreeSet};

use raddle_policy::{
    Fact, Launch, LaunchId, Piece, Place, Preemption, ProcessId, Refusal, WaveSpan,
};

use super::desk::{Desk, Entry, Job};
use super::line::Start;
use super::report::Place as At;
use super::report::Slot;
use super::unit::Part;

/// The view of the device and its launches that an allocate policy gets when it is asked.
pub(super) struct View<'v> {
    /// Launches with workgroups to be placed, in the order of submission.
    pub(super) entries: &'v [Entry],
    /// Compute units on which nothing may start, because they are being reset.
    pub(super) closed: &'v BTreeSet<u16>,
    pub(super) now: u64,
}

/// The start of a workgroup of a launch, or of some waves of it, on a compute unit.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Starts {
    pub(super) launch: LaunchId,
    pub(super) part: Part,
}

/// Answer that the rules want from the allocate policy.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Wanted {
    /// Start of one of these workgroups; there are several where the patent chooses "at
    /// random".
    Start(Vec<Starts>),
    /// A workgroup of a launch is assigned to a compute unit: (launch, workgroup, compute unit).
    Assign(LaunchId, u64, u16),
    /// A refusal of a launch that does not fit even an empty device.
    Refuse(LaunchId),
    /// A wait, because no workgroup can start, with the tick at which the policy wants to be asked
    /// again; `None` where it names no tick.
    Wait(Option<u64>),
}

/// Aspect in which the policy's answer in the decision log differs from the answer by the rules.
#[derive(Clone, Copy, Debug)]
pub(super) enum Aspect {
    /// The answer in the decision log starts another launch, workgroup or wave than the answer by
    /// the rules.
    Which,
    /// The answer in the decision log starts the workgroup on another compute unit than the answer
    /// by the rules.
    Unit,
    /// The answer in the decision log gives the waves other addresses of resources than the answer
    /// by the rules.
    Address,
    /// Only one of the two answers (in the decision log, and by the rules) starts a workgroup or a
    /// wave.
    Whether,
    /// The answer in the decision log names another tick at which to be asked again than the answer
    /// by the rules.
    When,
}

/// A naive model (twin) of an allocate policy, with which the policy's answers in a log are
/// compared.
pub(super) trait PlacingTwin {
    /// Returns the next answer by the rules; a second call returns an equal answer if nothing has
    /// changed in between.
    fn ask(&mut self, view: &View<'_>) -> Wanted;
    /// Returns the answer that [`ask`](Self::ask) would return, and leaves the state of the model
    /// as it was.
    fn peek(&mut self, view: &View<'_>) -> Wanted {
        self.ask(view)
    }
    /// Starts the next workgroups of `launch`, as whole workgroups on these compute units, in this
    /// order, if the rules demand exactly that. Otherwise returns `false` and changes nothing. A
    /// model that has to be asked for each workgroup always returns `false`.
    fn start_many(&mut self, _: &Launch, _: &[u16], _: &View<'_>) -> bool {
        false
    }
    /// Starts a workgroup of a launch, or waves of it, at the addresses `places` if the decision
    /// log has them; returns the addresses that the rules give.
    fn start(&mut self, launch: &Launch, part: Part, places: &[Place], now: u64) -> Vec<Place>;
    /// Updates the model by a fact of the log that is not a start of workgroups, such as an end.
    fn hear(&mut self, fact: &Fact<'_>, now: u64);
    /// Returns the compute units that run waves of a launch.
    fn units(&self, launch: LaunchId) -> Vec<u16>;
    /// Returns whether the policy places workgroups by the free resources that it is shown when it
    /// is asked; false if it keeps its own account of free resources.
    fn reads_the_view(&self) -> bool;
    /// Returns the label of the rule that decides this aspect (launch, unit, address, time) of an
    /// answer.
    fn rule(&self, aspect: Aspect) -> &'static str;
}

/// Most workgroups of one start for which the twin (naive model) is asked about each workgroup. A
/// larger start is first checked as a whole.
const FEW: u64 = 4;

/// Lists the compute units of the workgroups that `lines` of the decision log name, in the order of
/// the workgroups' numbers. `None` unless these workgroups have the numbers from `next` on, without
/// a gap.
fn in_order(lines: &[(At, Start)], next: u64) -> Option<Vec<u16>> {
    let all = || lines.iter().flat_map(|(_, it)| it.pieces.iter().flat_map(|run| run.workgroups()));
    let total = lines.iter().fold(0u64, |sum, (_, it)| sum.saturating_add(it.workgroups()));
    let mut units = vec![None; usize::try_from(total).ok()?];
    for (workgroup, cu) in all() {
        let at = usize::try_from(workgroup.checked_sub(next)?).ok()?;
        *units.get_mut(at)? = Some(cu);
    }
    units.into_iter().collect()
}

/// Twin (naive model of the rules) of an allocate policy, with the state that the check of its
/// answers needs.
pub(super) struct Placing {
    twin: Box<dyn PlacingTwin>,
    cus: u16,
    /// Most workgroups that the device can hold at the same time, but at most 2^22.
    most: u64,
    closed: Vec<(ProcessId, u16)>,
    resets: BTreeSet<ProcessId>,
    /// True if something has changed since the allocate policy was last asked, so that it has to be
    /// asked again.
    pub(super) stale: bool,
    asked: bool,
    waited: bool,
}

impl Placing {
    pub(super) fn new(twin: Box<dyn PlacingTwin>, cus: u16, most: u64) -> Self {
        let (closed, resets) = (Vec::new(), BTreeSet::new());
        Self { twin, cus, most, closed, resets, stale: false, asked: false, waited: false }
    }

    fn ask(&mut self, desk: &Desk) -> Wanted {
        let closed = self.closed.iter().map(|&(_, cu)| cu).collect();
        self.twin.ask(&View { entries: &desk.view, closed: &closed, now: desk.now })
    }

    /// Checks the start of workgroups of one launch: one line of the decision log, or several where
    /// a log in full detail has a line for each workgroup. Differences are recorded in `slot`, the
    /// report on the allocate policy.
    pub(super) fn start(&mut self, lines: &[(At, Start)], desk: &mut Desk, slot: &mut Slot) {
        (self.asked, self.waited, self.stale) = (true, false, false);
        let Some((at, first)) = lines.first() else { return };
        let (id, waves) = (first.launch, first.span());
        let Some(launch) = desk.jobs.get(&id).map(|job| job.launch) else { return };
        let total = lines.iter().fold(0u64, |sum, (_, it)| sum.saturating_add(it.workgroups()));
        if total > self.most {
            let what = || (format!("at most {} workgroups", self.most), format!("{total}"));
            return slot.differs(*at, self.twin.rule(Aspect::Whether), what);
        }
        if total > FEW && self.start_many(&launch, lines, desk) {
            slot.checked += total;
            return;
        }
        let (_, count) = waves.bounds(launch.demand.waves);
        let mut of: BTreeMap<u64, (u16, Vec<Place>, At)> = BTreeMap::new();
        for (at, line) in lines {
            let places = line.places();
            let mut places = places.chunks(usize::from(count).max(1));
            for (workgroup, cu) in line.named() {
                let places = places.next().unwrap_or_default().to_vec();
                of.insert(workgroup, (cu, places, *at));
            }
        }
        let mut lie = BTreeMap::new();
        for (workgroup, (cu, places, at)) in of {
            let part = Part { workgroup, waves, cu };
            self.compare(id, part, desk, slot, at);
            let by_rule = self.twin.start(&launch, part, &places, desk.now);
            desk.started(id, part);
            if !places.is_empty() && !by_rule.is_empty() && places != by_rule {
                let rule = self.twin.rule(Aspect::Address);
                let shown = |places: &[Place]| {
                    format!("workgroup {workgroup} of {id} on CU {cu} at {:?}", places.first())
                };
                slot.differs(at, rule, || (shown(&by_rule), shown(&places)));
            }
            lie.insert(workgroup, by_rule);
        }
        for (at, line) in lines {
            let Some(hash) = &line.addresses else { continue };
            let all = line.named().into_iter().filter_map(|it| lie.get(&it.0)).flatten().copied();
            let all: Vec<Place> = all.collect();
            let ours = raddle_dispatch::log::hash_of(&all);
            if !all.is_empty() && *hash != ours {
                let what = || (format!("addresses with hash {ours}"), format!("hash {hash}"));
                slot.differs(*at, self.twin.rule(Aspect::Address), what);
            }
        }
    }

    /// Starts the next workgroups of a launch, as whole workgroups, if each of them goes to the
    /// compute unit that the twin (naive model) gives it; otherwise returns false and changes
    /// nothing.
    fn start_many(&mut self, launch: &Launch, lines: &[(At, Start)], desk: &mut Desk) -> bool {
        let plain = |start: &Start| start.span() == WaveSpan::All && start.addresses.is_none();
        if !lines.iter().all(|(_, it)| plain(it) && it.places().is_empty()) {
            return false;
        }
        let Some(next) = desk.jobs.get(&launch.id).and_then(Job::fresh) else { return false };
        let Some(found) = in_order(lines, next) else { return false };
        if found.len() as u64 > launch.workgroups.saturating_sub(next) {
            return false;
        }
        let Wanted::Start(one_of) = self.ask(desk) else { return false };
        let closed = self.closed.iter().map(|&(_, cu)| cu).collect();
        let view = View { entries: &desk.view, closed: &closed, now: desk.now };
        let first = one_of.first().is_some_and(|it| it.launch == launch.id);
        if !first || !self.twin.start_many(launch, &found, &view) {
            return false;
        }
        desk.started_whole(launch.id, found.len() as u64);
        true
    }

    fn compare(&mut self, id: LaunchId, part: Part, desk: &Desk, slot: &mut Slot, at: At) {
        let wanted = self.ask(desk);
        slot.checked += 1;
        let found = Starts { launch: id, part };
        let one_of = match &wanted {
            Wanted::Start(one_of) if one_of.contains(&found) => return,
            Wanted::Start(one_of) => one_of.as_slice(),
            _ => &[],
        };
        let unplaced = |it: &Starts| Starts { part: Part { cu: 0, ..it.part }, ..*it };
        let aspect = if one_of.is_empty() {
            Aspect::Whether
        } else if one_of.iter().any(|it| unplaced(it) == unplaced(&found)) {
            Aspect::Unit
        } else {
            Aspect::Which
        };
        slot.differs(at, self.twin.rule(aspect), || (wanted.to_string(), found.to_string()));
    }

    /// Checks an answer `found` of the log that starts nothing: it must equal the answer of the
    /// twin (naive model). A difference is recorded in `slot`, the report on the allocate policy,
    /// with the line and tick `at`.
    fn other(&mut self, found: &Wanted, desk: &Desk, slot: &mut Slot, at: At) {
        (self.asked, self.stale) = (true, false);
        self.waited = matches!(found, Wanted::Wait(_));
        let wanted = self.ask(desk);
        slot.checked += 1;
        if wanted != *found {
            let aspect = match (&wanted, found) {
                (Wanted::Wait(_), Wanted::Wait(_)) => Aspect::When,
                (Wanted::Assign(..), Wanted::Assign(..)) => Aspect::Unit,
                _ => Aspect::Whether,
            };
            slot.differs(at, self.twin.rule(aspect), || (wanted.to_string(), found.to_string()));
        }
    }

    pub(super) fn assign(
        &mut self,
        (id, workgroup, cu): (LaunchId, u64, u16),
        desk: &mut Desk,
        slot: &mut Slot,
        at: At,
    ) {
        self.other(&Wanted::Assign(id, workgroup, cu), desk, slot, at);
        let Some(launch) = desk.jobs.get(&id).map(|job| job.launch) else { return };
        desk.assigned(id, workgroup, cu);
        let cu = raddle_policy::CuId(cu);
        self.twin.hear(&Fact::Assigned { launch: &launch, workgroup, cu }, desk.now);
    }

    /// Checks the reasons that an answer gives for waiting. Each must name a launch that exists, a
    /// compute unit of the device, and a resource of which less is available than wanted. A false
    /// reason is recorded in `slot`, the report on the allocate policy.
    ///
    /// The available amount itself is not checked, since it depends on how the policy searches.
    pub(super) fn reasons(&self, given: &[Refusal], desk: &Desk, slot: &mut Slot, at: At) {
        let is_true = |why: &&Refusal| {
            let there = why.cu.is_none_or(|cu| cu.0 < self.cus);
            there && desk.jobs.contains_key(&why.launch) && why.available < why.wanted
        };
        if let Some(false_one) = given.iter().find(|why| !is_true(why)) {
            let wanted = "of a launch that is there, a unit of the device, and less than is wanted";
            let rule = "law 6 of allocate policies: a reason for waiting lacks something";
            slot.differs(at, rule, || (wanted.to_owned(), false_one.to_string()));
        }
    }

    pub(super) fn wait(&mut self, retry_at: Option<u64>, desk: &Desk, slot: &mut Slot, at: At) {
        self.other(&Wanted::Wait(retry_at), desk, slot, at);
    }

    pub(super) fn refuse(&mut self, id: LaunchId, desk: &Desk, slot: &mut Slot, at: At) {
        self.other(&Wanted::Refuse(id), desk, slot, at);
    }

    /// Ends a step of the decision log. If by the rules a workgroup could start and none did, that
    /// is recorded in `slot`, the report on the allocate policy.
    pub(super) fn step_ends(&mut self, desk: &Desk, slot: &mut Slot, at: At) {
        let asked = std::mem::take(&mut self.asked);
        let due = if asked { !self.waited } else { self.stale };
        if !due || desk.view.is_empty() || !self.resets.is_empty() {
            return;
        }
        self.stale = false;
        let closed = self.closed.iter().map(|&(_, cu)| cu).collect();
        let view = View { entries: &desk.view, closed: &closed, now: desk.now };
        let wanted = self.twin.peek(&view);
        if !matches!(wanted, Wanted::Wait(_)) {
            let rule = self.twin.rule(Aspect::Whether);
            slot.differs(at, rule, || (wanted.to_string(), "nothing in this step".to_owned()));
        }
    }

    pub(super) fn hear(&mut self, fact: &Fact<'_>, now: u64) {
        self.twin.hear(fact, now);
    }

    /// Records that workgroups of a launch ended, or that the waves `waves` of each of them ended.
    pub(super) fn end(&mut self, launch: &Launch, waves: WaveSpan, pieces: &[Piece], now: u64) {
        self.hear(&Fact::Ended { launch, waves, pieces }, now);
        self.stale = true;
    }

    /// Returns whether the device can hold this number of workgroups at the same time.
    pub(super) const fn can_be(&self, workgroups: u64) -> bool {
        workgroups <= self.most
    }

    /// Begins a reset of a process, in which its launches are killed. Until the reset is over, no
    /// start is expected if the reset stops the whole device (`whole_device`), or if the policy
    /// keeps its own account of free resources.
    pub(super) fn reset(&mut self, process: ProcessId, whole_device: bool) {
        if whole_device || !self.twin.reads_the_view() {
            self.resets.insert(process);
        }
    }

    /// Closes the compute units of a launch that a reset kills: nothing may start on them until the
    /// reset is over.
    pub(super) fn killed(&mut self, launch: &Launch) {
        if self.twin.reads_the_view() {
            let units = self.twin.units(launch.id).into_iter();
            self.closed.extend(units.map(|cu| (launch.process, cu)));
        }
    }

    /// Lets workgroups start again on the compute units that were closed for the reset of a
    /// process.
    pub(super) fn reopen(&mut self, process: ProcessId) {
        let before = self.closed.len();
        self.closed.retain(|&(by, _)| by != process);
        self.stale |= self.resets.remove(&process) || self.closed.len() < before;
    }
}

impl std::fmt::Display for Starts {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let Part { workgroup, waves, cu } = self.part;
        match waves {
            WaveSpan::All => {}
            WaveSpan::Range { first, count } => write!(f, "waves {first}+{count} of ")?,
            WaveSpan::Cut { first, count } => write!(f, "waves {first}+{count}, cut, of ")?,
        }
        write!(f, "workgroup {workgroup} of {} on CU {cu}", self.launch)
    }
}

impl std::fmt::Display for Wanted {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Self::Start(one_of) => {
                let all: Vec<String> = one_of.iter().map(ToString::to_string).collect();
                f.write_str(&all.join(", or "))
            }
            Self::Assign(launch, workgroup, cu) => {
                write!(f, "workgroup {workgroup} of {launch} is assigned to CU {cu}")
            }
            Self::Refuse(launch) => write!(f, "{launch} is refused: it can never fit"),
            Self::Wait(None) => f.write_str("nothing starts"),
            Self::Wait(Some(at)) => write!(f, "nothing starts until tick {at}"),
        }
    }
}

/// Makes the fact (message to the model of an allocate policy) that a preemption took a launch off
/// the device.
pub(super) const fn off(launch: &Launch, how: Preemption) -> Fact<'_> {
    Fact::TakenOff { launch, how }
}
