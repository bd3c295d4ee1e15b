//! Where do `greedy`, `round-robin` and `leftover` place the next workgroup?
//!
//! The rules are those of `docs/policies/baselines.md`: launches go in the order of their arrival.
//! Under `greedy` and `round-robin` later launches are tried where a launch finds no room; under
//! `leftover` the next launch comes when all workgroups of the launch before are placed, and a
//! workgroup goes to the compute unit on which most further ones fit.

use std::collections::BTreeSet;
use std::ops::Range;

use raddle_policy::{CuShape, Fact, Launch, LaunchId, Place, WaveSpan};
use serde_json::Value;

use super::desk::Entry;
use super::placing::{Aspect, PlacingTwin, Starts, View, Wanted};
use super::unit::{Part, Unit, Units};

/// Rule that picks the next launch and its compute unit.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Rule {
    /// The policy `greedy`: takes the lowest compute unit with room.
    Greedy,
    /// The policy `round-robin`: takes the next compute unit with room, from this compute unit's
    /// number on.
    RoundRobin(usize),
    /// The policy `leftover`: takes the compute unit with room for the largest number of
    /// workgroups. Launches are served in the order of submission; if `by_level` is true, the most
    /// urgent first.
    Leftover { by_level: bool },
}

/// Naive model of the policy `greedy`, `round-robin` or `leftover`. The policy's answers in a log
/// are compared with those of the model.
#[derive(Debug)]
pub(super) struct Baseline {
    rule: Rule,
    units: Units,
}

impl Baseline {
    /// Makes the model of the policy that a recipe sets in `settings`, on a device of `count`
    /// compute units. Answers of this model carry no addresses.
    pub(super) fn new(settings: &Value, shape: &CuShape, count: u16) -> Self {
        let rule = match settings["policy"].as_str() {
            Some("greedy") => Rule::Greedy,
            Some("round-robin") => Rule::RoundRobin(0),
            _ => Rule::Leftover { by_level: settings["order"] == "level" },
        };
        Self { rule, units: Units::new(&Unit::empty(shape), count) }
    }

    /// Picks the compute unit for the next workgroup of a launch, except from `closed` (compute
    /// units that are being reset); `None` where no unit has room.
    fn unit(&mut self, entry: &Entry, closed: &BTreeSet<u16>) -> Option<u16> {
        let rooms = self.units.rooms(&entry.launch.demand, closed);
        let cursor = match self.rule {
            Rule::Leftover { .. } => return most(rooms),
            Rule::Greedy => 0,
            Rule::RoundRobin(cursor) => cursor,
        };
        let behind = rooms.iter().find(|room| usize::from(room.0) >= cursor);
        behind.or(rooms.first()).map(|room| room.0)
    }
}

/// Returns the item with the largest room, the number that comes with each item; of equal ones the
/// first. `None` where there are no items.
pub(super) fn most<C>(rooms: impl IntoIterator<Item = (C, u64)>) -> Option<C> {
    rooms.into_iter().reduce(|best, it| if it.1 > best.1 { it } else { best }).map(|best| best.0)
}

/// A search, to be repeated, for the compute unit with the most room, of equal ones the lowest.
/// Between two searches the room of a unit may shrink, but must not grow.
#[derive(Debug, Default)]
pub(super) struct MostRoom {
    /// The compute unit found last, as (its room in workgroups, its index in `rooms`); `None`
    /// before the first search. Units with lower indices have less room.
    last: Option<(u64, usize)>,
}

impl MostRoom {
    /// Picks the compute unit with the most room in the range `of`, which must be equal in every
    /// call, and returns its index in `rooms`; of equal units the lowest. `None` where no unit has
    /// room.
    pub(super) fn pick(&mut self, rooms: &[u64], of: Range<usize>) -> Option<usize> {
        if let Some((most, from)) = self.last
            && let Some(at) = (from..of.end).find(|&cu| rooms[cu] == most)
        {
            self.last = Some((most, at));
            return Some(at);
        }
        let best = most(of.map(|cu| (cu, rooms[cu])).filter(|it| it.1 > 0))?;
        self.last = Some((rooms[best], best));
        Some(best)
    }
}

/// Returns the answer of an allocate policy that starts the next workgroup of a launch, as a whole,
/// on this compute unit.
pub(super) fn next_of(entry: &Entry, cu: u16) -> Wanted {
    let part = Part { workgroup: entry.next, waves: WaveSpan::All, cu };
    Wanted::Start(vec![Starts { launch: entry.launch.id, part }])
}

/// Updates the counts of free resources of compute units by a fact of the decision log: work has
/// ended, left the device or come back.
pub(super) fn hear(units: &mut Units, fact: &Fact<'_>) {
    match fact {
        Fact::Ended { launch, waves, pieces } => {
            for piece in *pieces {
                units.end(launch.id, *waves, piece);
            }
        }
        Fact::TakenOff { launch, how } if how.frees_places() => units.lift(launch.id, how.saves()),
        Fact::Returning { launch } => units.lower(launch.id),
        _ => {}
    }
}

impl PlacingTwin for Baseline {
    fn ask(&mut self, view: &View<'_>) -> Wanted {
        let mut waiting: Vec<&Entry> = view.entries.iter().filter(|it| it.next < it.end).collect();
        if let Rule::Leftover { by_level } = self.rule {
            if by_level {
                waiting.sort_by_key(|entry| entry.launch.level.0);
            }
            waiting.truncate(1);
        }
        let mut placed = waiting
            .into_iter()
            .filter_map(|entry| Some(next_of(entry, self.unit(entry, view.closed)?)));
        placed.next().unwrap_or(Wanted::Wait(None))
    }

    fn start_many(&mut self, launch: &Launch, found: &[u16], view: &View<'_>) -> bool {
        let (units, rule) = (self.units.count(), &mut self.rule);
        let mut cursor = if let Rule::RoundRobin(cursor) = rule { *cursor } else { 0 };
        let mut most_room = MostRoom::default();
        let pick = |rooms: &[u64]| {
            if matches!(rule, Rule::Leftover { .. }) {
                return most_room.pick(rooms, 0..units);
            }
            let behind = (cursor..units).find(|&cu| rooms[cu] > 0);
            let cu = behind.or_else(|| (0..cursor).find(|&cu| rooms[cu] > 0))?;
            if matches!(rule, Rule::RoundRobin(_)) {
                cursor = (cu + 1) % units;
            }
            Some(cu)
        };
        let filling = self.units.filling(&launch.demand, view.closed, found.len() as u64, pick);
        let Some(filling) = filling.filter(|filling| filling.order == found) else { return false };
        self.units.fill(launch.id, &launch.demand, filling);
        if let Rule::RoundRobin(at) = &mut self.rule {
            *at = cursor;
        }
        true
    }

    fn start(&mut self, launch: &Launch, part: Part, _: &[Place], _: u64) -> Vec<Place> {
        self.units.start(launch.id, &launch.demand, part);
        if let Rule::RoundRobin(cursor) = &mut self.rule {
            *cursor = (usize::from(part.cu) + 1) % self.units.count().max(1);
        }
        Vec::new()
    }

    fn hear(&mut self, fact: &Fact<'_>, _: u64) {
        hear(&mut self.units, fact);
    }

    fn units(&self, launch: LaunchId) -> Vec<u16> {
        self.units.of(launch)
    }

    fn reads_the_view(&self) -> bool {
        true
    }

    fn rule(&self, _: Aspect) -> &'static str {
        match self.rule {
            Rule::Greedy => "baselines.md: the lowest compute unit with room",
            Rule::RoundRobin(_) => "baselines.md: the next compute unit with room",
            Rule::Leftover { .. } => "baselines.md: the compute unit with room for most",
        }
    }
}
