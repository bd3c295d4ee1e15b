//! Does the fast policy decide what the plain model of E1 decides, down to the addresses?
//!
//! Random devices, several channels, several workgroups a channel, ends in any order. The model
//! compares every head with every compute unit anew at each decision.

use std::collections::BTreeMap;

use proptest::prelude::*;
use raddle_bitmap::{FreeMap, Full, Grouped, Sampled, Search as _, View};
use raddle_golden::matching::model::{
    self, Cu, Left, MatchHead, MatchModel, MatchTarget, Stock, TakenPiece, Wants,
};
use raddle_policy::{
    Allocate, Answer, CuId, CuShape, Cus, Fact, LaunchId, Piece, ReadyLaunch, ReadyView, Round,
    Tick, WaveSpan,
};
use raddle_testkit::{Scenario, scenario};
use raddle_workgroup::balance::{Kind, Pointer, Table};
use raddle_workgroup::order::{Fixed, Lowest, Marks, Windows};
use raddle_workgroup::place::{MostFree, Weights};
use raddle_workgroup::{LevelOrder, Matching, MatchingConfig, PlaceRule, SearchRule};

type Name = &'static str;

/// What lies on the device, on both sides.
struct Resident {
    launch: usize,
    workgroup: u64,
    held: MatchTarget<Name>,
}

/// A device beside its model.
struct Twins<'s> {
    scenario: &'s Scenario,
    config: MatchingConfig,
    policy: Matching,
    model: MatchModel<Name>,
    entries: Vec<ReadyLaunch>,
    cursor: usize,
    resident: Vec<Resident>,
}

fn stock(blocks: u32) -> Stock {
    FreeMap::new(blocks).map_or(Stock::Count(0), Stock::Run)
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
        SearchRule::Grouped { groups } => Grouped::new(map.blocks(), *groups)?.longest(map),
        // Shared in turn, the full search finds what it finds alone.
        _ => Full.longest(map),
    }
}

impl<'s> Twins<'s> {
    fn new(scenario: &'s Scenario, config: MatchingConfig) -> Self {
        let Scenario { shape, cus, .. } = scenario;
        let units = vec![unit(shape); usize::from(*cus)];
        let entry = |(channel, launch): (u32, &raddle_policy::Launch)| {
            // A channel of its own for each, in this order.
            let mut launch = *launch;
            (launch.process, launch.stream) =
                (raddle_policy::ProcessId(0), raddle_policy::StreamId(channel));
            ReadyLaunch { launch, next: 0, assigned: 0, cut: 0, submitted: Tick::ZERO }
        };
        Self {
            policy: Matching::new(config.clone(), *shape, *cus).expect("the scenario is sound"),
            model: MatchModel {
                cus: units,
                marks: Marks::new(256, scenario.launches.len()).expect("the scenario is sound"),
            },
            entries: (0..).zip(&scenario.launches).map(entry).collect(),
            cursor: 0,
            resident: vec![],
            scenario,
            config,
        }
    }

    fn head(&self, entry: &ReadyLaunch) -> Option<MatchHead<Name>> {
        let (demand, waves) = (entry.launch.demand, u64::from(entry.launch.demand.waves));
        let shared = BTreeMap::from([
            ("lds", demand.lds.into()),
            ("sgpr", waves * u64::from(demand.sgpr)),
            ("barriers", demand.barriers.into()),
            ("workgroups", 1),
        ]);
        let each = BTreeMap::from([("vgpr", demand.vgpr.into()), ("waves", 1)]);
        let level = match &self.config.order {
            LevelOrder::Static => usize::from(entry.launch.level.0),
            LevelOrder::Windows { windows_us } => {
                usize::from(entry.launch.level.0).min(windows_us.len() - 1)
            }
        };
        let wants = Wants::Waves { shared, waves, each };
        (entry.undistributed() > 0).then_some(MatchHead { level, wants })
    }

    /// What the model decides: launch, compute unit, and what it holds then.
    fn expected(&mut self, now: Tick) -> Option<MatchTarget<Name>> {
        let heads: Vec<_> = self.entries.iter().map(|entry| self.head(entry)).collect();
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
            LevelOrder::Windows { windows_us } => {
                let ticks: Vec<u64> = windows_us.iter().map(|us| us * 1_000).collect();
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

    /// The model's compute unit hands out what a target takes, or gets it back.
    fn hand_over(&mut self, held: &MatchTarget<Name>, out: bool) {
        let cu = &mut self.model.cus[held.cu];
        let simds = cu.simds.iter_mut().zip(&held.simds);
        for (stocks, pieces) in std::iter::once((&mut cu.shared, &held.shared)).chain(simds) {
            for (name, piece) in pieces {
                let stock = stocks.get_mut(name).expect("it is there");
                match (stock, *piece) {
                    (Stock::Run(map), TakenPiece::Run { start, len }) => {
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

    /// One decision of both; whether something was placed.
    fn decide(&mut self, now: Tick) -> bool {
        let cus = Cus::new(self.scenario.shape, self.scenario.cus);
        let view = ReadyView { launches: &self.entries, cus: &cus };
        let mut round = Round::default();
        let answer = self.policy.allocate(&view, now, &mut round);
        let Some(held) = self.expected(now) else {
            assert!(matches!(answer, Answer::Wait { .. }), "{answer:?}: nothing fits");
            self.check_refusals(&round, now);
            return false;
        };
        let entry = &mut self.entries[held.channel];
        let cu = CuId(held.cu as u16);
        let workgroup = entry.next;
        let launch = entry.launch.id;
        assert_eq!(answer, Answer::Start { launch, waves: WaveSpan::All });
        assert_eq!(round.pieces, [Piece::one(workgroup, cu)]);
        entry.next += 1;
        let demand = entry.launch.demand;
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
            }
        }
        for (pieces, waves) in held.simds.iter().zip(behind) {
            let count = pieces.get("waves").map_or(0, |piece| match piece {
                TakenPiece::Count(count) => *count,
                TakenPiece::Run { .. } => unreachable!("slots are counted"),
            });
            assert_eq!(count, u64::from(waves), "as the split table has it");
        }
        self.resident.push(Resident { launch: held.channel, workgroup, held });
        true
    }

    /// Every refusal names something that the model finds lacking on that compute unit.
    fn check_refusals(&self, round: &Round, _now: Tick) {
        let heads: Vec<_> = self.entries.iter().map(|entry| self.head(entry)).collect();
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
            let channel = self
                .entries
                .iter()
                .position(|it| it.launch.id == refusal.launch)
                .expect("the scenario is sound");
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
        let Resident { launch, workgroup, held } = self.resident.swap_remove(at);
        let cu = CuId(held.cu as u16);
        self.hand_over(&held, false);
        let launch = &self.entries[launch].launch;
        let pieces = &[Piece::one(workgroup, cu)];
        self.policy.observe(&Fact::Ended { launch, waves: WaveSpan::All, pieces }, now);
    }
}

fn waves_free(cu: &Cu<Name>) -> u64 {
    let free = |stocks: &BTreeMap<Name, Stock>| match stocks["waves"] {
        Stock::Count(free) => free,
        Stock::Run(_) => unreachable!("slots are counted"),
    };
    cu.simds.iter().map(free).sum()
}

fn config() -> impl Strategy<Value = MatchingConfig> {
    let order = prop_oneof![
        Just(LevelOrder::Static),
        prop::collection::vec(1u64..4, 1..5)
            .prop_map(|windows_us| LevelOrder::Windows { windows_us }),
    ];
    let place = prop_oneof![
        Just(PlaceRule::LowestIndex),
        Just(PlaceRule::RoundRobin),
        Just(PlaceRule::MostWaves)
    ];
    let search = prop_oneof![
        Just(SearchRule::Full),
        Just(SearchRule::Sampled { amounts: vec![] }),
        (1u32..9).prop_map(|groups| SearchRule::Grouped { groups }),
        Just(SearchRule::Shared { width: 0 }),
    ];
    (order, place, search).prop_map(|(order, place, search)| MatchingConfig {
        order,
        place,
        search,
        ..MatchingConfig::default()
    })
}

/// A search of this kind that can be used on this shape: as many groups, at most, as divide every
/// resource; as wide as the widest.
fn suited(search: SearchRule, shape: &CuShape) -> SearchRule {
    let sgpr = if shape.sgpr == u16::MAX { 0 } else { shape.sgpr.into() };
    let blocks = [shape.vgpr_per_simd.into(), sgpr, shape.lds];
    let divides = |groups: u32| {
        blocks.iter().all(|&blocks| blocks == 0 || groups < blocks && blocks % groups == 0)
    };
    match search {
        SearchRule::Grouped { groups } => {
            let groups = (1..=groups).rev().find(|&groups| divides(groups));
            groups.map_or(SearchRule::Full, |groups| SearchRule::Grouped { groups })
        }
        SearchRule::Shared { .. } => {
            SearchRule::Shared { width: blocks.into_iter().max().unwrap_or_default().max(1) }
        }
        other => other,
    }
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
        let search = suited(config.search, &s.shape);
        let config = MatchingConfig { search, ..config };
        let sampled = matches!(config.search, SearchRule::Sampled { .. });
        let mut twins = Twins::new(&s, config);
        // Some amounts are never reported: such launches are refused for ever, which the model,
        // that only waits, does not know.
        let odd = |launch: &raddle_policy::Launch| sampled && !even(&s.shape, launch);
        if s.launches.iter().any(odd) {
            return Ok(());
        }
        let mut now = 0;
        for (choice, skip) in steps {
            while twins.decide(Tick(now)) {}
            now += skip;
            let ends = 1 + usize::from(choice) % 3;
            for _ in 0..ends.min(twins.resident.len()) {
                let at = usize::from(choice) % twins.resident.len();
                twins.end(at, Tick(now));
            }
        }
    }
}

/// Whether an empty compute unit reports enough for the launch, sampled.
fn even(shape: &CuShape, launch: &raddle_policy::Launch) -> bool {
    let demand = launch.demand;
    let reported = |blocks: u32| Sampled::steps(blocks).map_or(0, |it| it.round_down(blocks));
    let most = u32::from(demand.waves).div_ceil(shape.simds.into());
    let scalar = u32::from(demand.sgpr) * u32::from(demand.waves);
    most * u32::from(demand.vgpr) <= reported(shape.vgpr_per_simd.into())
        && demand.lds <= reported(shape.lds)
        && (shape.sgpr == u16::MAX || scalar <= reported(shape.sgpr.into()))
}
