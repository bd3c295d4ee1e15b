//! How does a naive timeline recorder, which handles every workgroup by itself, record a run?

use std::collections::BTreeMap;

use raddle_policy::{LaunchId, Preemption, Tick, WaveSpan};
use raddle_sim::{Seen, Watch};
use raddle_study::timeline::{Ending, Recorder, Slice};

/// The set of waves that ends together with a workgroup: a front, a workgroup that starts in parts,
/// or one part of a cut workgroup (the value is its first wave).
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
enum Key {
    Front(u32),
    Partial,
    Part(u16),
}

/// A workgroup in its slot on a compute unit.
#[derive(Clone, Copy, Debug)]
struct Held {
    launch: LaunchId,
    workgroup: u64,
    key: Key,
    waves_ended: u16,
}

/// The slice of a timeline that is going on in a slot: workgroups of one launch, one after the
/// other.
#[derive(Clone, Copy, Debug)]
struct Run {
    launch: LaunchId,
    since: u64,
    done: u64,
    ended: Option<u64>,
}

/// (compute unit, number of the slot on it).
type Place = (u16, u32);

/// A recorder that handles every workgroup by itself: the oracle of the fast `Recorder`.
#[derive(Debug, Default)]
pub(crate) struct OneByOne {
    held: BTreeMap<Place, Held>,
    runs: BTreeMap<Place, Run>,
    saved: BTreeMap<LaunchId, Vec<(u16, Held)>>,
    /// The number of waves that have ended of each cut workgroup.
    cut: BTreeMap<(LaunchId, u64), u16>,
    slices: Vec<Slice>,
    last: u64,
}

impl OneByOne {
    fn start(&mut self, now: u64, cu: u16, new: Held) {
        let slot = (0..).find(|&slot| !self.held.contains_key(&(cu, slot)));
        let slot = slot.expect("slots without end");
        self.held.insert((cu, slot), new);
        let goes_on = |run: &&mut Run| run.launch == new.launch && run.ended == Some(now);
        if let Some(run) = self.runs.get_mut(&(cu, slot)).filter(goes_on) {
            run.ended = None;
            return;
        }
        self.note((cu, slot), Ending::Ended, now);
        self.runs.insert((cu, slot), Run { launch: new.launch, since: now, done: 0, ended: None });
    }

    fn end(&mut self, now: u64, place: Place, workgroups: u64) {
        self.held.remove(&place);
        let run = self.runs.get_mut(&place).expect("it was started");
        run.done += workgroups;
        run.ended = Some(now);
    }

    /// Ends the slice of the timeline in a slot, for the reason `ending`.
    fn note(&mut self, (cu, slot): Place, ending: Ending, now: u64) {
        let Some(run) = self.runs.remove(&(cu, slot)) else { return };
        let end_ns = run.ended.unwrap_or(now);
        if run.done > 0 || run.since < end_ns {
            self.slices.push(Slice {
                start_ns: run.since,
                end_ns,
                workgroups: run.done,
                launch: run.launch.0,
                slot,
                cu,
                ending,
            });
        }
    }

    fn find(&self, cu: u16, launch: LaunchId, workgroup: u64) -> Option<Place> {
        let is = |held: &Held| (held.launch, held.workgroup) == (launch, workgroup);
        self.held.iter().find(|(place, held)| place.0 == cu && is(held)).map(|(&place, _)| place)
    }

    /// Ends a part of a cut workgroup, and the workgroup if it was the last part.
    fn end_part(&mut self, now: u64, cu: u16, id: (LaunchId, u64), span: (u16, u16), whole: u16) {
        let is = |held: &Held| {
            (held.launch, held.workgroup, held.key) == (id.0, id.1, Key::Part(span.0))
        };
        let place = self.held.iter().find(|(place, held)| place.0 == cu && is(held));
        let place = *place.expect("it was started").0;
        let ended = self.cut.entry(id).or_insert(0);
        *ended += span.1;
        let last = *ended == whole;
        self.end(now, place, u64::from(last));
    }

    fn lift(&mut self, now: u64, launch: LaunchId, how: Preemption) {
        let ending = if how == Preemption::Switch { Ending::Saved } else { Ending::Killed };
        let of: Vec<(Place, Held)> = self
            .held
            .iter()
            .filter(|(_, held)| held.launch == launch)
            .map(|(&place, &held)| (place, held))
            .collect();
        let mut left = Vec::new();
        for (place, held) in of {
            self.held.remove(&place);
            self.note(place, ending, now);
            left.push((place.0, held));
        }
        // Workgroups of one compute unit come back front by front, then the partial ones, then
        // parts.
        left.sort_by_key(|&(cu, held)| match held.key {
            Key::Front(front) => (cu, 0, u64::from(front), 0),
            Key::Partial => (cu, 1, held.workgroup, 0),
            Key::Part(first) => (cu, 2, held.workgroup, first),
        });
        if how == Preemption::Reset {
            self.cut.retain(|&(id, _), _| id != launch);
        }
        if how == Preemption::Switch {
            self.saved.insert(launch, left);
        }
    }

    /// Returns all slices of the timeline, by compute unit, slot and time.
    pub(crate) fn finish(mut self) -> Vec<Slice> {
        for place in self.runs.keys().copied().collect::<Vec<_>>() {
            let over = self.runs[&place].ended.is_some();
            self.note(place, if over { Ending::Ended } else { Ending::Unfinished }, self.last);
        }
        self.slices.sort_by_key(|s| (s.cu, s.slot, s.start_ns, s.end_ns, s.launch));
        self.slices
    }
}

impl Watch for OneByOne {
    fn see(&mut self, now: Tick, seen: &Seen<'_>) {
        let now = now.0;
        self.last = now;
        match *seen {
            Seen::Started { launch, front, waves, pieces } => {
                for piece in pieces {
                    for workgroup in piece.workgroups() {
                        let whole = waves == WaveSpan::All;
                        if let WaveSpan::Cut { first, .. } = waves {
                            let key = Key::Part(first);
                            let new = Held { launch, workgroup, key, waves_ended: 0 };
                            self.start(now, piece.cu.0, new);
                            continue;
                        }
                        if !whole && self.find(piece.cu.0, launch, workgroup).is_some() {
                            continue;
                        }
                        let key = if whole { Key::Front(front) } else { Key::Partial };
                        let new = Held { launch, workgroup, key, waves_ended: 0 };
                        self.start(now, piece.cu.0, new);
                    }
                }
            }
            Seen::Ended { launch, waves, whole, pieces, .. } => {
                for piece in pieces {
                    for workgroup in piece.workgroups() {
                        if let WaveSpan::Cut { first, count } = waves {
                            let id = (launch, workgroup);
                            self.end_part(now, piece.cu.0, id, (first, count), whole);
                            continue;
                        }
                        let place =
                            self.find(piece.cu.0, launch, workgroup).expect("it was started");
                        let (_, count) = waves.bounds(whole);
                        let held = self.held.get_mut(&place).expect("it was found");
                        held.waves_ended += count;
                        if held.waves_ended >= whole {
                            self.end(now, place, 1);
                        }
                    }
                }
            }
            Seen::TakenOff { launch, how: how @ (Preemption::Switch | Preemption::Reset) } => {
                self.lift(now, launch, how);
            }
            Seen::Restored { launch } => {
                for (cu, held) in self.saved.remove(&launch).unwrap_or_default() {
                    self.start(now, cu, held);
                }
            }
            _ => {}
        }
    }
}

/// The fast and the naive recorder, which observe one run together.
pub(crate) struct Both(pub(crate) Recorder, pub(crate) OneByOne);

impl Watch for Both {
    fn see(&mut self, now: Tick, seen: &Seen<'_>) {
        self.0.see(now, seen);
        self.1.see(now, seen);
    }
}
