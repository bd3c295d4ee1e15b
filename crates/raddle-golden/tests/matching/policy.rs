//! Does the fast policy decide what the plain model of E1 decides, down to the addresses?
//!
//! Random devices, streams folded into few channels, several levels a channel, launches that come to
//! the view in any order, ends in any order, workgroups that are cut. The model compares every head
//! with every compute unit anew at each decision; which channel a launch belongs to, and what is cut,
//! is counted here in plain lists.

use std::collections::BTreeMap;

use proptest::prelude::*;
use raddle_bitmap::{FreeMap, Full, Grouped, Sampled, Search as _, View};
use raddle_golden::matching::model::{
    self, Cu, Left, MatchHead, MatchModel, MatchTarget, Stock, TakenPiece, Wants,
};
use raddle_policy::{
    Allocate, Answer, Barrier, CuId, CuShape, Cus, Demand, Fact, LaunchId, Piece, ProcessId,
    ReadyLaunch, ReadyView, Round, StreamId, Tick, WaveSpan,
};
use raddle_testkit::{Scenario, scenario};
use raddle_workgroup::balance::{Kind, Pointer, Table};
use raddle_workgroup::order::{Fixed, Lowest, Marks, Windows};
use raddle_workgroup::place::{MostFree, Weights};
use raddle_workgroup::{
    ByResource, Fit, LevelOrder, Matching, MatchingConfig, PlaceRule, SearchRule, SplitRule,
};
use serde::Deserialize;

use crate::draws::{config, even, suited};

/// The policy's settings, as the model reads them from their text.
#[derive(Deserialize)]
struct ReadRules {
    search: SearchRule,
    order: LevelOrder,
    #[serde(default)]
    fit: Fit,
    place: PlaceRule,
    split: Option<SplitRule>,
    channels: Option<u16>,
}

impl ReadRules {
    fn of(config: &MatchingConfig) -> Self {
        let text = serde_json::to_value(config).expect("settings have a text");
        serde_json::from_value(text).expect("it is the text of settings")
    }
}

type Name = &'static str;

/// A workgroup, or some waves of one, that is on the device of the policy and of the model.
struct Resident {
    launch: usize,
    workgroup: u64,
    waves: WaveSpan,
    held: MatchTarget<Name>,
}

/// Head (first workgroup) of a channel, `None` without one, and the tick since which it is the
/// head.
type Since = (Option<(LaunchId, u64)>, Tick);

/// A device that the policy drives, beside the plain model of it.
struct Twins<'s> {
    scenario: &'s Scenario,
    config: ReadRules,
    policy: Matching,
    model: MatchModel<Name>,
    entries: Vec<ReadyLaunch>,
    cursor: usize,
    resident: Vec<Resident>,
    /// Index of the launch that comes first in the view which the policy gets; the others follow,
    /// around the end of the list.
    first: usize,
    /// Streams of the launches, in the order of their first use; each is a channel.
    streams: Vec<(ProcessId, StreamId)>,
    since: Vec<Since>,
    /// Workgroups that were cut into waves, as (launch, number of the workgroup).
    cut: Vec<(LaunchId, u64)>,
    /// Number of decisions (rounds) in a row in which nothing fitted.
    failures: u64,
    /// Tick since which decisions (rounds) follow each other although nothing happens; `None` where
    /// none do.
    waiting: Option<Tick>,
    round: Option<(u64, Tick)>,
    facts: u64,
}

fn stock(blocks: u32) -> Stock {
    FreeMap::new(blocks).map_or(Stock::Count(0), Stock::run)
}

fn unit(shape: &CuShape) -> Cu<Name> {
    let simd = BTreeMap::from([
        ("vgpr", stock(shape.vgpr_per_simd.into())),
        ("waves", Stock::Count(shape.waves_per_simd.into())),
    ]);
    let sgpr =
        if shape.sgpr == u16::MAX { Stock::Count(u64::MAX / 2) } else { stock(shape.sgpr.into()) };
    let shared = BTreeMap::from([
        ("lds", stock(shape.lds)),
        ("sgpr", sgpr),
        ("barriers", Stock::Count(shape.barriers.into())),
        ("workgroups", Stock::Count(shape.workgroups.into())),
    ]);
    let table = Table::new(shape.simds.into(), u64::MAX).expect("the scenario is sound");
    let pointer = Some(Pointer::new(table, Kind::Tail, 0).expect("the scenario is sound"));
    Cu { shared, simds: vec![simd; shape.simds.into()], pointer }
}

fn longest(search: &SearchRule, map: View<'_>) -> Result<u32, raddle_bitmap::Error> {
    match search {
        SearchRule::Sampled { .. } => Sampled::steps(map.blocks())?.longest(map),
        SearchRule::Grouped { groups: Some(ByResource::All(groups)), .. } => {
            Grouped::new(map.blocks(), *groups)?.longest(map)
        }
        // Shared in turn, the full search finds what it finds alone.
        _ => Full.longest(map),
    }
}

impl<'s> Twins<'s> {
    fn new(scenario: &'s Scenario, config: MatchingConfig) -> Self {
        let Scenario { shape, cus, .. } = scenario;
        let units = vec![unit(shape); usize::from(*cus)];
        Self {
            policy: Matching::new(config.clone(), *shape, *cus).expect("the scenario is sound"),
            model: MatchModel {
                fit: ReadRules::of(&config).fit,
                cus: units,
                marks: Marks::new(256, scenario.launches.len()).expect("the scenario is sound"),
            },
            entries: scenario.launches.iter().copied().map(raddle_testkit::ready).collect(),
            cursor: 0,
            resident: vec![],
            first: 0,
            streams: vec![],
            since: vec![(None, Tick::ZERO); scenario.launches.len()],
            cut: vec![],
            failures: 0,
            waiting: None,
            round: None,
            facts: 0,
            scenario,
            config: ReadRules::of(&config),
        }
    }

    /// Returns the launches that the policy gets to see: all of them, from the index `first` on
    /// around the end of the list.
    fn view(&self) -> Vec<ReadyLaunch> {
        let (behind, front) = self.entries.split_at(self.first % self.entries.len());
        [front, behind].concat()
    }

    fn is_cut(&self, entry: &ReadyLaunch) -> bool {
        entry.cut() > 0 || self.cut.contains(&(entry.launch().id, entry.next()))
    }

    fn may_cut(&self, entry: &ReadyLaunch) -> bool {
        let independent = entry.launch().barrier == Barrier::No && entry.launch().demand.waves > 1;
        self.config.split.is_some() && independent && !self.is_cut(entry)
    }

    /// Returns for each channel its first launch that has workgroups left; `None` without one.
    fn heads(&mut self, now: Tick) -> Vec<Option<ReadyLaunch>> {
        let mut heads = vec![None; self.scenario.launches.len()];
        for entry in self.view().into_iter().filter(|entry| entry.undistributed() > 0) {
            let stream = (entry.launch().process, entry.launch().stream);
            let known = self.streams.iter().position(|&it| it == stream);
            let at = known.unwrap_or_else(|| {
                self.streams.push(stream);
                self.streams.len() - 1
            });
            let channel = self.config.channels.map_or(at, |fold| at % usize::from(fold));
            if heads[channel].is_none() {
                heads[channel] = Some(entry);
                let head = Some((entry.launch().id, entry.next()));
                if self.since[channel].0 != head {
                    self.since[channel] = (head, now);
                }
            }
        }
        heads
    }

    /// Returns the demand of a workgroup, or of the next wave of one that was cut.
    fn wants(&self, entry: &ReadyLaunch) -> MatchHead<Name> {
        let demand = self.demand(entry);
        let waves = u64::from(demand.waves);
        let shared = BTreeMap::from([
            ("lds", demand.lds.into()),
            ("sgpr", waves * u64::from(demand.sgpr)),
            ("barriers", demand.barriers.into()),
            ("workgroups", 1),
        ]);
        let each = BTreeMap::from([("vgpr", demand.vgpr.into()), ("waves", 1)]);
        let last = match &self.config.order {
            LevelOrder::Static => 255,
            LevelOrder::Windows(windows) => windows.windows_us.len() - 1,
        };
        let level = usize::from(entry.launch().level.0).min(last);
        let level = if self.is_cut(entry) { last } else { level };
        MatchHead { level, wants: Wants::Waves { shared, waves, each } }
    }

    fn demand(&self, entry: &ReadyLaunch) -> Demand {
        let demand = entry.launch().demand;
        if self.is_cut(entry) { Demand { waves: 1, barriers: 0, ..demand } } else { demand }
    }

    /// Counts a decision (round) in which nothing fits, and cuts a workgroup into waves when there
    /// were too many (steps c2 and c3 of the patent). Returns whether a workgroup has been
    /// cut.
    fn cut_one(&mut self, now: Tick) -> bool {
        let Some(split) = self.config.split else { return false };
        let (heads, round) = (self.heads(now), Some((self.facts, now)));
        if heads.iter().all(Option::is_none) || self.round == round {
            return false;
        }
        // A round each time the time between two has passed, all of them in vain.
        if let Some(since) = self.waiting.take() {
            let passed = (now.0 - since.0).saturating_sub(1) / split.retry().expect("a time");
            self.failures += passed;
        }
        (self.round, self.failures) = (round, self.failures + 1);
        if self.failures <= split.threshold() {
            return false;
        }
        self.failures = 0;
        let channels = heads.iter().zip(&self.since);
        let cut = channels.filter_map(|(head, &(_, since))| Some((head.as_ref()?, since)));
        let cut = cut.filter(|(head, _)| self.may_cut(head)).min_by_key(|&(_, since)| since);
        let cut = cut.map(|(head, _)| (head.launch().id, head.next()));
        self.cut.extend(cut);
        cut.is_some()
    }

    /// Returns the decision of the model: launch, compute unit, and the blocks that are held then;
    /// `None` where nothing fits.
    fn expected(&mut self, now: Tick) -> Option<MatchTarget<Name>> {
        let heads = self.heads(now);
        let heads: Vec<_> =
            heads.iter().map(|head| head.as_ref().map(|head| self.wants(head))).collect();
        let (cursor, config) = (self.cursor, &self.config);
        let place = |fit: &[usize], cus: &[Cu<Name>]| match &config.place {
            PlaceRule::RoundRobin => Ok(Some(fit.iter().position(|&cu| cu >= cursor).unwrap_or(0))),
            PlaceRule::MostWaves => {
                let rows = fit.iter().map(|&cu| [waves_free(&cus[cu])]);
                MostFree::new(Weights::new(&[1])?).pick(rows)
            }
            _ => Ok(Some(0)),
        };
        let search = |_: &Name, map: View<'_>| longest(&config.search, map);
        let model = &self.model;
        let decision = match &config.order {
            LevelOrder::Static => model.decide(
                &heads,
                search,
                (&Fixed::new(256).expect("the scenario is sound"), 0),
                &mut Lowest,
                place,
            ),
            LevelOrder::Windows(windows) => {
                let ticks = windows.ticks().expect("one unit");
                let order = Windows::new(&ticks).expect("the scenario is sound");
                model.decide(&heads, search, (&order, now.0), &mut Lowest, place)
            }
        };
        let decision = decision.expect("the scenario is sound");
        let mut held = decision.target?;
        self.model.marks = decision.marks;
        self.hand_over(&held, true);
        if let Some(balanced) = held.balanced.take() {
            let pointer = self.model.cus[held.cu].pointer.as_mut().expect("all have one");
            pointer.dispatch(balanced).expect("it is of this pointer");
        }
        self.cursor = (held.cu + 1) % self.model.cus.len();
        Some(held)
    }

    /// Takes what a target holds from the model's compute unit if `out` is true, else gives it
    /// back.
    fn hand_over(&mut self, held: &MatchTarget<Name>, out: bool) {
        let cu = &mut self.model.cus[held.cu];
        let simds = cu.simds.iter_mut().zip(&held.simds);
        for (stocks, pieces) in std::iter::once((&mut cu.shared, &held.shared)).chain(simds) {
            for (name, piece) in pieces {
                let stock = stocks.get_mut(name).expect("it is there");
                match (stock, *piece) {
                    (Stock::Run { map, after }, TakenPiece::Run { start, len }) => {
                        if out {
                            *after = start + len;
                        }
                        let done = if out { map.take(start, len) } else { map.release(start, len) };
                        done.expect("it was free, and is given back once");
                    }
                    (Stock::Count(free), TakenPiece::Count(count)) if out => *free -= count,
                    (Stock::Count(free), TakenPiece::Count(count)) => *free += count,
                    other => unreachable!("not of one kind: {other:?}"),
                }
            }
        }
    }

    /// Makes one decision of the policy and of the model, and compares them; returns whether
    /// something was placed.
    fn decide(&mut self, now: Tick) -> bool {
        let cus = Cus::new(self.scenario.shape, self.scenario.cus);
        let view = self.view();
        let view = ReadyView::new(&view, &cus);
        let mut round = Round::default();
        let answer = self.policy.allocate(&view, now, &mut round);
        let mut held = self.expected(now);
        if held.is_none() && self.cut_one(now) {
            held = self.expected(now);
        }
        let heads = self.heads(now);
        let Some(held) = held else {
            let retries = heads.iter().flatten().any(|head| self.may_cut(head));
            let retry_at = self.config.split.filter(|_| retries).map(|split| {
                let left = split.threshold() + 1 - self.failures;
                Tick(now.0 + split.retry().expect("a time") * left)
            });
            self.waiting = retry_at.map(|_| now);
            assert_eq!(answer, Answer::Wait { retry_at }, "nothing fits");
            self.check_refusals(&round, now);
            return false;
        };
        (self.failures, self.waiting) = (0, None);
        let head = heads[held.channel].expect("the model chose a head");
        let (demand, workgroup, launch) = (self.demand(&head), head.next(), head.launch().id);
        let at = self.entries.iter().position(|it| it.launch().id == launch).expect("it is there");
        let mut waves = WaveSpan::All;
        let whole = head.launch().demand.waves;
        if self.is_cut(&head) {
            waves = WaveSpan::Cut { first: head.cut(), count: 1 };
        }
        let entry = &mut self.entries[at];
        if waves == WaveSpan::All || entry.cut() + 1 == whole {
            *entry = entry.with_next(workgroup + 1).with_cut(0);
            self.cut.retain(|&it| it != (launch, workgroup));
        } else {
            *entry = entry.with_cut(entry.cut() + 1);
        }
        let cu = CuId(held.cu as u16);
        assert_eq!(answer, Answer::Start { launch, waves });
        assert_eq!(round.pieces, [Piece::one(workgroup, cu)]);
        let start = |piece: Option<&TakenPiece>| match piece {
            Some(TakenPiece::Run { start, .. }) => *start,
            _ => 0,
        };
        assert_eq!(round.places.len(), usize::from(demand.waves));
        let mut behind = vec![0; held.simds.len()];
        for (wave, place) in (0u32..).zip(&round.places) {
            let simd = usize::from(place.simd);
            let run = start(held.simds[simd].get("vgpr"));
            assert_eq!(u32::from(place.vgpr), run + behind[simd] * u32::from(demand.vgpr));
            behind[simd] += 1;
            assert_eq!(place.lds, start(held.shared.get("lds")));
            if self.scenario.shape.sgpr != u16::MAX {
                let run = start(held.shared.get("sgpr"));
                assert_eq!(u32::from(place.sgpr), run + wave * u32::from(demand.sgpr));
            } else {
                assert_eq!(place.sgpr, 0, "where they never limit they have no address");
            }
        }
        for (pieces, waves) in held.simds.iter().zip(behind) {
            let count = pieces.get("waves").map_or(0, |piece| match piece {
                TakenPiece::Count(count) => *count,
                TakenPiece::Run { .. } => unreachable!("slots are counted"),
            });
            assert_eq!(count, u64::from(waves), "as the split table has it");
        }
        self.resident.push(Resident { launch: at, workgroup, waves, held });
        true
    }

    /// Checks that every refusal of the policy names a resource that the model finds lacking on
    /// that compute unit.
    fn check_refusals(&mut self, round: &Round, now: Tick) {
        let entries = self.heads(now);
        let heads: Vec<_> =
            entries.iter().map(|head| head.as_ref().map(|head| self.wants(head))).collect();
        let search = |_: &Name, map: View<'_>| longest(&self.config.search, map);
        let decision = self.model.decide(
            &heads,
            search,
            (&Fixed::new(256).expect("the scenario is sound"), 0),
            &mut Lowest,
            model::lowest,
        );
        let lacking = decision.expect("the scenario is sound").refusals;
        let waiting = heads.iter().flatten().count();
        assert_eq!(round.refusals.is_empty(), waiting == 0);
        for refusal in &round.refusals {
            let is_it = |head: &Option<ReadyLaunch>| {
                head.is_some_and(|head| head.launch().id == refusal.launch)
            };
            let channel = entries.iter().position(is_it).expect("a head is refused");
            let found = lacking.iter().any(|it| {
                let left = match it.left {
                    Left::Longest(left) | Left::Free(left) => left,
                };
                it.channel == channel
                    && Some(CuId(it.cu as u16)) == refusal.cu
                    && it.resource == refusal.resource.name()
                    && (it.wanted, left) == (refusal.wanted, refusal.available)
            });
            assert!(found, "{refusal:?} is not among {lacking:?}");
        }
    }

    fn end(&mut self, at: usize, now: Tick) {
        let Resident { launch, workgroup, waves, held } = self.resident.swap_remove(at);
        let cu = CuId(held.cu as u16);
        self.hand_over(&held, false);
        let launch = &self.entries[launch].launch();
        let pieces = &[Piece::one(workgroup, cu)];
        self.policy.observe(&Fact::Ended { launch, waves, pieces }, now);
        self.facts += 1;
    }
}

fn waves_free(cu: &Cu<Name>) -> u64 {
    let free = |stocks: &BTreeMap<Name, Stock>| match stocks["waves"] {
        Stock::Count(free) => free,
        Stock::Run { .. } => unreachable!("slots are counted"),
    };
    cu.simds.iter().map(free).sum()
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(400))]

    #[test]
    fn the_policy_decides_as_the_model(
        s in scenario(),
        config in config(),
        steps in prop::collection::vec((any::<u16>(), 0u64..3_000), 1..60),
    ) {
        prop_assume!(s.launches.iter().all(|it| it.id != LaunchId(u32::MAX)));
        let search = suited(config.search().clone(), &s.shape);
        let config = config.with_search(search);
        let sampled = matches!(config.search(), SearchRule::Sampled { .. });
        let mut twins = Twins::new(&s, config);
        // Some amounts are never reported: such launches are refused for ever, which the model,
        // that only waits, does not know.
        let odd = |launch: &raddle_policy::Launch| sampled && !even(&s.shape, launch);
        if s.launches.iter().any(odd) {
            return Ok(());
        }
        let mut now = 0;
        for (choice, skip) in steps {
            while twins.decide(Tick(now)) {
                twins.first += usize::from(choice >> 8);
            }
            now += skip;
            let ends = 1 + usize::from(choice) % 3;
            for _ in 0..ends.min(twins.resident.len()) {
                let at = usize::from(choice) % twins.resident.len();
                twins.end(at, Tick(now));
            }
        }
    }
}
