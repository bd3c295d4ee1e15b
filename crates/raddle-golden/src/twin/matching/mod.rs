//! Which head (first workgroup) of a channel goes to which compute unit, by steps E1 to E10 of seed
//! 000?
//!
//! Every head is compared with every compute unit, every map is a list of granules. It keeps only
//! marks of channels, pointers to SIMDs, the count of failures in a row, and what is free.
//!
//! Units: granules, ticks.

mod held;
mod maps;
mod rules;
mod shared;
mod split;

use std::collections::{BTreeMap, BTreeSet};

use raddle_policy::{
    Barrier, CuShape, Demand, Fact, Launch, LaunchId, Place, ProcessId, StreamId, WaveSpan,
};
use serde_json::Value;

use self::maps::Finder;
pub(super) use self::maps::{Fit, Map, is_too_large};
use self::rules::PlaceRule;
use self::shared::Turns;
use self::split::{Pace, Split};
use super::desk::Entry;
use super::placing::{Aspect, PlacingTwin, Starts, View, Wanted};
use super::unit::Part;

/// Identity of a whole workgroup or one of its waves, as (launch, workgroup, wave or `None`).
type Name = (LaunchId, u64, Option<u16>);

/// One compute unit, with its free granules and slots.
#[derive(Clone, Debug)]
pub(super) struct Cu {
    /// For each SIMD (free wave slots, map of free vector registers).
    simds: Vec<(u64, Map)>,
    /// Map of free scalar registers; `None` where they never limit.
    sgpr: Option<Map>,
    lds: Map,
    workgroups: u64,
    barriers: u64,
    /// SIMD that gets the next surplus wave, which the SIMDs cannot share equally.
    pointer: usize,
    /// Number of workgroups that found their addresses taken after a preemption; until they end,
    /// nothing new starts on this compute unit.
    displaced: u64,
    /// Lengths of the free runs that searches report, in granules, as (vector registers of each
    /// SIMD, scalar registers, LDS).
    record: (Vec<u64>, u64, u64),
}

impl Cu {
    /// Returns what is free on the unit: wave slots, granules of vector and scalar registers, LDS.
    fn free(&self) -> [u64; 4] {
        let vgpr = self.simds.iter().map(|it| it.1.free()).sum();
        [self.slots(), vgpr, self.sgpr.as_ref().map_or(0, Map::free), self.lds.free()]
    }

    fn reported(&self) -> [u64; 4] {
        let (vgpr, sgpr, lds) = &self.record;
        let sgpr = if self.sgpr.is_some() { *sgpr } else { 0 };
        [self.slots(), vgpr.iter().sum(), sgpr, *lds]
    }

    fn slots(&self) -> u64 {
        self.simds.iter().map(|it| it.0).sum()
    }
}

/// Addresses of a workgroup on its compute unit, kept also while a preemption has saved it.
#[derive(Clone, Debug)]
struct Held {
    cu: usize,
    demand: Demand,
    /// For each SIMD (number of waves, first granule of their registers).
    simds: Vec<(u64, u64)>,
    sgpr: u64,
    lds: u64,
}

/// Naive model of the policy `matching`: its answers are compared with those in a log.
#[derive(Debug)]
pub(super) struct Matching {
    cus: Vec<Cu>,
    empty: Cu,
    finders: [Finder; 3],
    fit: Fit,
    /// True if surplus waves, which the SIMDs cannot share equally, go to the SIMDs in turn.
    turns: bool,
    /// Ticks for which each level in turn is the most urgent; empty where the order is fixed.
    windows: Vec<u64>,
    /// True if one of several tied channels is picked at random; false if the lowest is picked.
    random: bool,
    fold: Option<u64>,
    rule: PlaceRule,
    /// Streams in order of first use; each is a channel, unless a number of channels is set.
    streams: Vec<(ProcessId, StreamId)>,
    /// Marked channels (chosen lately among tied ones; they go last), as (level, channel).
    marks: BTreeSet<(u64, usize)>,
    split: Option<Split>,
    pace: Option<Pace>,
    /// Circuit that all resources share in turn for their searches; `None` without one.
    turns_of_finder: Option<Turns>,
    held: BTreeMap<Name, Held>,
    parked: BTreeMap<LaunchId, Vec<(Name, Held)>>,
    displaced: BTreeMap<Name, Held>,
    /// Fit of a workgroup on each compute unit, by its demand (five numbers): true if it fits,
    /// false if not, `None` if that was not tested since the unit last changed.
    fits: BTreeMap<[u32; 5], Vec<Option<bool>>>,
    /// Heads (first workgroups of channels) that were compared in the last decision.
    last: Vec<Head>,
}

/// Head (first workgroup) of a channel, with its channel and its level.
#[derive(Debug)]
struct Head {
    entry: Entry,
    channel: usize,
    level: u64,
    demand: Demand,
    cut: bool,
}

impl Matching {
    /// Makes the model for a recipe's settings; the error says why it cannot check such a log.
    pub(super) fn new(settings: &Value, shape: &CuShape, count: u16) -> Result<Self, String> {
        let search = &settings["search"];
        let sgpr = (shape.sgpr != u16::MAX).then(|| Map::new(shape.sgpr.into()));
        let finder = |name, granules: u64| Finder::of(search, name, granules);
        let finders = [
            finder("vgpr", shape.vgpr_per_simd.into()),
            finder("sgpr", shape.sgpr.into()),
            finder("lds", shape.lds.into()),
        ];
        let turns = settings["balance"] != "fixed";
        let simd = (shape.waves_per_simd.into(), Map::new(shape.vgpr_per_simd.into()));
        let mut empty = Cu {
            simds: vec![simd; shape.simds.into()],
            sgpr,
            lds: Map::new(shape.lds.into()),
            workgroups: shape.workgroups.into(),
            barriers: shape.barriers.into(),
            // The pointer names SIMD 0 as the one that got the last surplus wave.
            pointer: usize::from(turns && shape.simds > 1),
            displaced: 0,
            record: (Vec::new(), 0, 0),
        };
        read(&mut empty, &finders);
        let us = |value: &Value| value.as_u64().map(|us| us.saturating_mul(1000));
        let windows = &settings["order"]["windows"];
        let lengths = |key: &str, of: &dyn Fn(&Value) -> Option<u64>| -> Vec<u64> {
            windows[key].as_array().into_iter().flatten().filter_map(of).collect()
        };
        let mut lengths_ns = lengths("windows-ns", &Value::as_u64);
        lengths_ns.extend(lengths("windows-us", &us));
        let fit = match settings["fit"].as_str() {
            Some("best") => Fit::Best,
            Some("worst") => Fit::Worst,
            Some("next") => Fit::Next,
            _ => Fit::First,
        };
        if is_too_large(shape, count) {
            return Err("its device has more granules than the model looks at".to_owned());
        }
        let rule = PlaceRule::of(&settings["place"], count.into());
        let pace = Pace::of(&settings["decision"], search, shape)?;
        Ok(Self {
            cus: vec![empty.clone(); count.into()],
            empty,
            finders,
            fit,
            turns,
            windows: lengths_ns,
            random: settings["pick"].get("seeded").is_some(),
            fold: settings["channels"].as_u64().filter(|&fold| fold > 0),
            rule: rule.ok_or_else(|| format!("`place = {}` has no twin", settings["place"]))?,
            streams: Vec::new(),
            marks: BTreeSet::new(),
            split: Split::of(&settings["split"]),
            turns_of_finder: pace.as_ref().and_then(|pace| pace.turns(search)),
            pace,
            held: BTreeMap::new(),
            parked: BTreeMap::new(),
            displaced: BTreeMap::new(),
            fits: BTreeMap::new(),
            last: Vec::new(),
        })
    }

    /// Lists every channel's head (first workgroup), in the order of their launches in the view.
    fn heads(&mut self, view: &View<'_>) -> Vec<Head> {
        let mut heads: Vec<Head> = Vec::new();
        let last = if self.windows.is_empty() { 255 } else { self.windows.len() as u64 - 1 };
        for &entry in view.entries.iter().filter(|entry| entry.next < entry.end) {
            let launch = &entry.launch;
            let stream = (launch.process, launch.stream);
            let known = self.streams.iter().position(|it| *it == stream);
            let at = known.unwrap_or_else(|| {
                self.streams.push(stream);
                self.streams.len() - 1
            });
            let channel = self.fold.map_or(at, |fold| (at as u64 % fold) as usize);
            if heads.iter().any(|head| head.channel == channel) {
                continue;
            }
            let cut = entry.cut > 0
                || self.split.as_ref().is_some_and(|it| it.is_cut(launch.id, entry.next));
            let level = if cut { last } else { u64::from(launch.level.0).min(last) };
            let demand = if cut { wave_of(launch.demand) } else { launch.demand };
            heads.push(Head { entry, channel, level, demand, cut });
        }
        heads
    }

    /// Returns the number of a workgroup's waves for each SIMD of a compute unit; `None` where the
    /// workgroup does not fit by the free runs that the searches report.
    fn waves(&self, cu: &Cu, demand: &Demand) -> Option<Vec<u64>> {
        let (waves, simds) = (u64::from(demand.waves), cu.simds.len() as u64);
        let surplus = waves % simds.max(1);
        let of = |simd: u64| {
            let behind = (simd + simds - cu.pointer as u64) % simds;
            waves / simds + u64::from(behind < surplus)
        };
        let spread: Vec<u64> = (0..simds).map(of).collect();
        let (vgpr, sgpr, lds) = &cu.record;
        let by_simd = spread.iter().zip(&cu.simds).zip(vgpr);
        let fits = cu.displaced == 0
            && waves > 0
            && cu.workgroups > 0
            && cu.barriers >= demand.barriers.into()
            && *lds >= u64::from(demand.lds)
            && (cu.sgpr.is_none() || *sgpr >= waves * u64::from(demand.sgpr))
            && by_simd.into_iter().all(|((&waves, (slots, _)), &run)| {
                *slots >= waves && run >= waves * u64::from(demand.vgpr)
            });
        fits.then_some(spread)
    }

    /// Returns the compute units on which a workgroup with this demand fits, ascending.
    fn fitting(&mut self, demand: &Demand) -> Vec<usize> {
        let Demand { waves, vgpr, sgpr, lds, barriers } = *demand;
        let key = [waves.into(), vgpr.into(), sgpr.into(), lds, barriers.into()];
        if self.fits.len() > 256 {
            self.fits.clear();
        }
        let mut known = self.fits.remove(&key).unwrap_or_else(|| vec![None; self.cus.len()]);
        for (cu, known) in known.iter_mut().enumerate() {
            if known.is_none() {
                *known = Some(self.waves(&self.cus[cu], demand).is_some());
            }
        }
        let fits = (0..known.len()).filter(|&cu| known[cu] == Some(true)).collect();
        self.fits.insert(key, known);
        fits
    }

    /// Ranks a level at tick `now`: 0 for that whose window of time it is, the others ascending.
    fn rank(&self, level: u64, now: u64) -> u64 {
        let total = self.windows.iter().fold(0u128, |sum, &it| sum + u128::from(it));
        if total == 0 {
            return level;
        }
        let (mut at, mut best) = (u128::from(now) % total, 0);
        while at >= u128::from(self.windows[best]) {
            at -= u128::from(self.windows[best]);
            best += 1;
        }
        let best = best as u64;
        if level == best { 0 } else { level + u64::from(level < best) }
    }

    /// Matches a channel's first workgroup with a compute unit. Returns the possible starts,
    /// several where one is picked at random; `None` where nothing fits.
    fn choose(&mut self, heads: &[Head], now: u64) -> Option<Vec<Starts>> {
        let fits: Vec<Vec<usize>> = heads.iter().map(|head| self.fitting(&head.demand)).collect();
        let candidates = || heads.iter().zip(&fits).filter(|(_, fits)| !fits.is_empty());
        let best = candidates().map(|(head, _)| self.rank(head.level, now)).min()?;
        let tied = || candidates().filter(|(head, _)| self.rank(head.level, now) == best);
        // a42: channels without a mark go first.
        let unmarked =
            |(head, _): &(&Head, &Vec<usize>)| !self.marks.contains(&(head.level, head.channel));
        let only_unmarked = tied().count() > 1 && tied().any(|it| unmarked(&it));
        let allowed = tied().filter(|it| !only_unmarked || unmarked(it));
        let mut allowed: Vec<_> = allowed.collect();
        allowed.sort_by_key(|(head, _)| head.channel);
        if !self.random {
            allowed.truncate(1);
        }
        let starts = allowed.into_iter().filter_map(|(head, fits)| {
            let cu = self.rule.pick(fits, &self.cus, now)? as u16;
            let waves = match head.cut {
                true => WaveSpan::Cut { first: head.entry.cut, count: 1 },
                false => WaveSpan::All,
            };
            let part = Part { workgroup: head.entry.next, waves, cu };
            Some(Starts { launch: head.entry.launch.id, part })
        });
        Some(starts.collect())
    }

    /// Marks the channel of the launch `id` if it was tied with others; the others then come first.
    fn mark(&mut self, heads: &[Head], id: LaunchId, now: u64) {
        let Some(level) = heads.iter().find(|it| it.entry.launch.id == id).map(|it| it.level)
        else {
            return;
        };
        let rank = self.rank(level, now);
        let tied = heads.iter().filter(|head| self.rank(head.level, now) == rank);
        let tied: Vec<&Head> = tied.collect();
        let fits = tied.into_iter().filter(|head| !self.fitting(&head.demand).is_empty());
        let tied: Vec<_> = fits.map(|head| (head.channel, head.entry.launch.id)).collect();
        // a41: a channel that is alone sets no mark.
        let Some(&(channel, _)) = tied.iter().find(|it| it.1 == id).filter(|_| tied.len() > 1)
        else {
            return;
        };
        if tied.iter().all(|it| self.marks.contains(&(level, it.0))) {
            self.marks.retain(|mark| mark.0 != level || !tied.iter().any(|it| it.0 == mark.1));
        }
        self.marks.insert((level, channel));
    }

    /// Returns whether a channel's first workgroup fits not even an empty compute unit.
    fn never(&self, head: &Head) -> bool {
        let fits = |demand: &Demand| self.waves(&self.empty, demand).is_some();
        let piece = !head.cut && self.split.is_some() && may_be_cut(&head.entry.launch);
        !(fits(&head.demand) || piece && fits(&wave_of(head.entry.launch.demand)))
    }

    fn question(&mut self, view: &View<'_>) -> Wanted {
        if let Some(at) = self.pace.as_ref().and_then(|pace| pace.not_before(view.now)) {
            return Wanted::Wait(Some(at));
        }
        self.see(view.now);
        let unseen = self.turns_of_finder.as_ref().and_then(Turns::next);
        let heads = self.heads(view);
        if let Some(head) = heads.iter().find(|head| self.never(head)) {
            return Wanted::Refuse(head.entry.launch.id);
        }
        if let Some(split) = &mut self.split {
            let heads = heads.iter().map(|it| (it.channel, it.entry.launch.id, it.entry.next));
            split.seen(heads, view.now);
        }
        if let Some(starts) = self.choose(&heads, view.now) {
            return Wanted::Start(starts);
        }
        let Some(split) = self.split.as_mut().filter(|_| !heads.is_empty()) else {
            return Wanted::Wait(unseen);
        };
        let whole = |head: &&Head| !head.cut && may_be_cut(&head.entry.launch);
        let whole = heads.iter().filter(whole);
        let whole = whole.map(|it| (it.channel, it.entry.launch.id, it.entry.next));
        if split.failed(whole.clone(), view.now) {
            return self.question(view);
        }
        let retry_at = split.retry_at(whole.count() > 0, view.now);
        Wanted::Wait(unseen.into_iter().chain(retry_at).min())
    }
}

/// Stores in a compute unit the lengths of free runs that the searches report for it.
fn read(cu: &mut Cu, finders: &[Finder; 3]) {
    let [vgpr, sgpr, lds] = finders;
    let of_simds = cu.simds.iter().map(|it| vgpr.report(&it.1)).collect();
    let scalar = cu.sgpr.as_ref().map_or(u64::MAX, |map| sgpr.report(map));
    cu.record = (of_simds, scalar, lds.report(&cu.lds));
}

/// Returns the demand of one wave of a cut workgroup, with the workgroup's LDS but no barrier.
const fn wave_of(demand: Demand) -> Demand {
    Demand { waves: 1, barriers: 0, ..demand }
}

/// Returns whether the launch's workgroups may be cut into waves: several waves, no barrier.
fn may_be_cut(launch: &Launch) -> bool {
    launch.barrier == Barrier::No && launch.demand.waves > 1
}

const fn name_of(launch: LaunchId, part: Part) -> Name {
    let wave = match part.waves {
        WaveSpan::Cut { first, .. } => Some(first),
        _ => None,
    };
    (launch, part.workgroup, wave)
}

impl PlacingTwin for Matching {
    fn ask(&mut self, view: &View<'_>) -> Wanted {
        let wanted = self.question(view);
        if let (Some(pace), Wanted::Wait(at)) = (&mut self.pace, &wanted) {
            pace.waits(*at, view.now);
        }
        if let Wanted::Start(_) = wanted {
            // Whichever of them starts, the marks are those of this match.
            self.last = self.heads(view);
        }
        wanted
    }

    fn peek(&mut self, view: &View<'_>) -> Wanted {
        let (split, pace) = (self.split.clone(), self.pace.clone());
        let wanted = self.question(view);
        (self.split, self.pace) = (split, pace);
        wanted
    }

    /// Starts a workgroup, or waves of it: takes its resources, marks its channel, moves the
    /// pointer to the next SIMD, and returns the addresses of the waves.
    fn start(&mut self, launch: &Launch, part: Part, places: &[Place], now: u64) -> Vec<Place> {
        let heads = std::mem::take(&mut self.last);
        self.mark(&heads, launch.id, now);
        let cut = matches!(part.waves, WaveSpan::Cut { .. });
        let demand = if cut { wave_of(launch.demand) } else { launch.demand };
        if let Some(split) = &mut self.split {
            let (first, count) = part.waves.bounds(launch.demand.waves);
            let end = first.saturating_add(count);
            split.fitted(launch.id, part.workgroup, end >= launch.demand.waves);
        }
        if let Some(pace) = &mut self.pace {
            pace.placed(now);
        }
        let at = usize::from(part.cu);
        let Some(cu) = self.cus.get(at) else { return Vec::new() };
        let Some(spread) = self.waves(cu, &demand) else { return Vec::new() };
        let fit = self.fit;
        let runs = spread.iter().zip(&cu.simds).map(|(&waves, (_, map))| {
            Some((waves, map.start_of(waves * u64::from(demand.vgpr), fit)?))
        });
        let scalar = u64::from(demand.waves) * u64::from(demand.sgpr);
        let simds: Option<Vec<(u64, u64)>> = runs.collect();
        let sgpr = cu.sgpr.as_ref().map_or(Some(0), |map| map.start_of(scalar, fit));
        let (Some(simds), Some(sgpr), Some(lds)) =
            (simds, sgpr, cu.lds.start_of(demand.lds.into(), fit))
        else {
            return Vec::new();
        };
        let pointer = cu.pointer;
        let mut held = Held { cu: at, demand, simds, sgpr, lds };
        let by_rule = self.places(&held, pointer);
        if places.len() == by_rule.len() {
            held.lies_at(places);
        }
        self.hand(&held, false);
        self.gave(&held);
        self.held.insert(name_of(launch.id, part), held);
        if self.turns {
            let cu = &mut self.cus[at];
            cu.pointer = (pointer + usize::from(demand.waves)) % cu.simds.len().max(1);
            self.changed(at);
        }
        self.rule.placed(at);
        self.rule.starts(at, launch, demand.waves, now);
        by_rule
    }

    fn hear(&mut self, fact: &Fact<'_>, now: u64) {
        if let Some(split) = &mut self.split {
            split.heard(fact);
        }
        if matches!(fact, Fact::TakenOff { .. } | Fact::Returning { .. } | Fact::Restored { .. }) {
            self.see(u64::MAX);
        }
        match fact {
            Fact::Ended { launch, waves, pieces } => self.ended(launch, *waves, pieces, now),
            Fact::TakenOff { launch, how } if how.frees_places() => {
                self.lift(launch, how.saves(), now)
            }
            Fact::Returning { launch } | Fact::Restored { launch } => self.restore(launch, now),
            _ => {}
        }
    }

    fn units(&self, launch: LaunchId) -> Vec<u16> {
        let of = self.held.range((launch, 0, None)..=(launch, u64::MAX, Some(u16::MAX)));
        of.map(|(_, held)| held.cu as u16).collect()
    }

    fn reads_the_view(&self) -> bool {
        false
    }

    fn rule(&self, aspect: Aspect) -> &'static str {
        match aspect {
            Aspect::Which if self.split.is_some() => "seed 000, E1: a3, a4, a41, a42; E3",
            Aspect::Which if !self.windows.is_empty() => "seed 000, E1: a3, a4, a42; E2: b44",
            Aspect::Which => "seed 000, E1: a3, a4, a41, a42",
            Aspect::Unit => match self.rule.label() {
                "E9" => "seed 000, E9: i4",
                "E10" => "seed 000, E10: j4",
                "E9, E10" => "seed 000, E9: i4, E10: j4",
                _ => "seed 000, E1: a4",
            },
            Aspect::Address => "seed 000, E1: a43, a44; E8: h3, h5",
            Aspect::Whether => "seed 000, E1: a3",
            Aspect::When => "seed 000, E3: c2, E4: clocks of a search",
        }
    }
}
