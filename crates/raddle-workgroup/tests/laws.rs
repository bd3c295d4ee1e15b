//! Do the baselines keep the laws of `Allocate`, counted and with addresses, in bulk and one by one?

use proptest::prelude::*;
use raddle_policy::{
    Allocate, Answer, CuId, CuShape, Cus, Demand, Fact, LaunchId, ProcessId, ReadyView, Resource,
    Round, Tick,
};
use raddle_testkit::{
    Deed, LARGEST_CU, Scenario, ScenarioRun, World, altered, cases, check_allocate, check_bulk,
    launch, ready, scenario, scenario_with, wide_scenario,
};
use raddle_workgroup::{
    BaselineConfig, Greedy, Leftover, LeftoverConfig, PlacedAddresses, RoundRobin, Spatial,
    SpatialConfig,
};

fn round_robin(addresses: bool) -> RoundRobin {
    RoundRobin::new(BaselineConfig::default().with_addresses(addresses))
}

fn greedy(addresses: bool) -> Greedy {
    Greedy::new(BaselineConfig::default().with_addresses(addresses))
}

fn spatial(shares: &[u32]) -> Spatial {
    let shares = shares.to_vec();
    Spatial::new(SpatialConfig::default().with_shares(shares)).expect("no share is 0")
}

/// Makes the policy spatial with lending: the compute units of a process are guaranteed to it, and
/// others use them while it leaves them idle, up to `limits`.
fn lending(shares: &[u32], limits: &[u32]) -> Spatial {
    let (shares, limits) = (shares.to_vec(), limits.to_vec());
    let config = SpatialConfig::default()
        .with_shares(shares)
        .with_limits(limits)
        .with_lend(true)
        .with_of(None);
    Spatial::new(config).expect("no share is 0")
}

/// A policy that minds fragmentation, as somebody would write it who has only the public parts: the
/// compute unit with the least free run of vector registers that still takes the workgroup.
#[derive(Clone, Debug, Default)]
struct LeastRun(PlacedAddresses);

impl Allocate for LeastRun {
    fn allocate(&mut self, ready: &ReadyView<'_>, _: Tick, round: &mut Round) -> Answer {
        for entry in ready.launches().iter().filter(|entry| entry.undistributed() > 0) {
            let fits = |&cu: &CuId| ready.cus().room(cu, &entry.launch().demand) > 0;
            let mut cus: Vec<CuId> = ready.cus().ids().filter(fits).collect();
            cus.sort_by_key(|&cu| self.0.free_runs(cu).map(|[vgpr, ..]| vgpr.longest));
            let start = cus.into_iter().find_map(|cu| self.0.start(ready, cu, entry, round));
            if let Some(start) = start {
                return start;
            }
            round.refuse(self.0.refusal(ready.cus(), CuId(0), entry.launch()));
        }
        Answer::WAIT
    }

    fn observe(&mut self, fact: &Fact<'_>, _: Tick) {
        self.0.observe(fact);
    }
}

proptest! {
    #[test]
    fn a_policy_from_outside_with_addresses_keeps_them(s in scenario()) {
        check_allocate(LeastRun::default, &s);
    }

    #[test]
    fn round_robin_keeps_them(s in scenario()) {
        for addresses in [false, true] {
            check_allocate(|| round_robin(addresses), &s);
            check_bulk(|| round_robin(addresses), &s);
        }
    }

    #[test]
    fn greedy_keeps_them(s in scenario()) {
        for addresses in [false, true] {
            check_allocate(|| greedy(addresses), &s);
            check_bulk(|| greedy(addresses), &s);
        }
    }

    #[test]
    fn leftover_keeps_them(s in scenario()) {
        check_allocate(Leftover::default, &s);
        check_bulk(Leftover::default, &s);
        check_allocate(by_level, &s);
        check_bulk(by_level, &s);
    }

    #[test]
    fn spatial_keeps_them(s in scenario(), shares in prop::collection::vec(1u32..9, 0..3)) {
        check_allocate(|| spatial(&shares), &s);
        check_bulk(|| spatial(&shares), &s);
    }

    #[test]
    fn spatial_that_lends_keeps_them(
        s in scenario(),
        shares in prop::collection::vec(1u32..9, 0..3),
        limits in prop::collection::vec(0u32..9, 0..3),
    ) {
        check_allocate(|| lending(&shares, &limits), &s);
        check_bulk(|| lending(&shares, &limits), &s);
    }

    #[test]
    fn launches_that_can_never_fit_change_nothing(s in scenario_with(true)) {
        check_bulk(|| round_robin(true), &s);
        check_bulk(|| greedy(false), &s);
        check_bulk(Leftover::default, &s);
        check_bulk(|| spatial(&[]), &s);
    }

    /// Checks that addresses change no choice of a compute unit where all workgroups are equal:
    /// they leave no gap that is too small, so every workgroup that fits by number also fits by
    /// address.
    #[test]
    fn addresses_change_no_compute_unit_for_a_single_launch(mut s in scenario()) {
        s.launches.truncate(1);
        let counted = places(&s, &mut round_robin(false));
        let placed = places(&s, &mut round_robin(true));
        prop_assert_eq!(placed, counted);
        let counted = places(&s, &mut greedy(false));
        prop_assert_eq!(places(&s, &mut greedy(true)), counted);
    }
}

proptest! {
    #![proptest_config(cases(80))]

    #[test]
    fn in_bulk_as_one_by_one_on_every_device(
        s in wide_scenario(),
        shares in prop::collection::vec(1u32..9, 0..4),
        limits in prop::collection::vec(0u32..9, 0..4),
        of in prop::option::of(1u32..30),
        lend: bool,
    ) {
        for addresses in [false, true] {
            check_bulk(|| round_robin(addresses), &s);
            check_bulk(|| greedy(addresses), &s);
        }
        check_bulk(Leftover::default, &s);
        check_bulk(by_level, &s);
        let config = SpatialConfig::default().with_shares(shares).with_limits(limits).with_of(of).with_lend(lend);
        check_bulk(|| Spatial::new(config.clone()).expect("no share is 0"), &s);
    }
}

proptest! {
    #![proptest_config(cases(16))]

    #[test]
    fn they_are_kept_on_every_device(s in wide_scenario()) {
        for addresses in [false, true] {
            check_allocate(|| round_robin(addresses), &s);
            check_allocate(|| greedy(addresses), &s);
        }
        check_allocate(by_level, &s);
        check_allocate(|| lending(&[2, 1], &[0, 3]), &s);
    }
}

/// Lists (tick of the start, number, compute unit) of each workgroup of a scenario.
fn places(scenario: &Scenario, policy: &mut dyn Allocate) -> Vec<(Tick, u64, CuId)> {
    let run: ScenarioRun = World::play(scenario, policy).expect("the laws hold");
    let mut placed = Vec::new();
    for line in &run.lines {
        if let Deed::Started { pieces, .. } = &line.deed {
            let each = pieces.iter().flat_map(|piece| piece.workgroups().map(|it| (it, piece.cu)));
            placed.extend(each.map(|(workgroup, cu)| (line.at, workgroup, cu)));
        }
    }
    placed.sort_unstable();
    placed
}

fn by_level() -> Leftover {
    Leftover::new(LeftoverConfig::by_level())
}

fn policies() -> Vec<(&'static str, Box<dyn Allocate>)> {
    vec![
        ("round-robin", Box::new(round_robin(false))),
        ("round-robin with addresses", Box::new(round_robin(true))),
        ("greedy", Box::new(greedy(false))),
        ("greedy with addresses", Box::new(greedy(true))),
        ("leftover", Box::new(Leftover::default())),
        ("leftover by level", Box::new(by_level())),
        ("spatial", Box::new(spatial(&[]))),
    ]
}

#[test]
fn a_launch_of_which_only_assigned_work_is_left_is_skipped() {
    let scenario = Scenario::example();
    let [first, second, ..] = scenario.launches[..] else { panic!("the example has four") };
    let cus = Cus::new(scenario.shape, scenario.cus);
    let launches = [ready(first).with_next(first.workgroups).with_assigned(2), ready(second)];
    for (name, mut policy) in policies() {
        let mut round = Round::default();
        let view = ReadyView::new(&launches, &cus);
        let answer = policy.allocate_round(&view, Tick::ZERO, &mut round);
        let Answer::Start { launch, .. } = answer else { panic!("{name} answers {answer:?}") };
        assert_eq!(launch, second.id, "{name}");
        let mut round = Round::default();
        let view = ReadyView::new(&launches[..1], &cus);
        let answer = policy.allocate_round(&view, Tick::ZERO, &mut round);
        assert_eq!((answer, round), (Answer::WAIT, Round::default()), "{name}");
    }
}

/// Checks that devices without compute units or SIMDs, demands without waves, and the largest
/// numbers that there are lead to no panic.
#[test]
fn absurd_devices_and_demands_are_refused_without_panic() {
    let base = Scenario::example();
    let no_simd = CuShape { simds: 0, ..base.shape };
    let many_simds = CuShape { simds: u8::MAX, ..base.shape };
    let wide = CuShape { lds: 1 << 16, ..LARGEST_CU };
    let (waves, vgpr, sgpr) = (u16::MAX, u16::MAX, u16::MAX);
    let greatest = Demand { waves, vgpr, sgpr, lds: u32::MAX, barriers: u16::MAX };
    let demands = [Demand::default(), greatest, Demand { waves: 1, ..Demand::default() }];
    for (shape, count) in [(base.shape, 0), (no_simd, 2), (many_simds, 2), (wide, 2)] {
        let cus = Cus::new(shape, count);
        for demand in demands {
            let launch = altered(base.launches[0], |it| {
                (it.demand, it.workgroups) = (demand, u64::MAX);
                (it.process, it.id) = (ProcessId(u16::MAX), LaunchId(u32::MAX));
            });
            let launches = [ready(launch).with_next(u64::MAX - 3)];
            let view = ReadyView::new(&launches, &cus);
            for (name, mut policy) in policies() {
                let mut round = Round::default();
                let answer = policy.allocate_round(&view, Tick::MAX, &mut round);
                let fits = cus.room(CuId(0), &demand) > 0;
                let started = matches!(answer, Answer::Start { .. });
                assert_eq!(started, fits, "{name} on {count} of {shape:?} for {demand:?}");
                let short = |it: &raddle_policy::Refusal| it.wanted > it.available;
                assert!(round.refusals.iter().all(short), "{name}: {:?}", round.refusals);
            }
        }
    }
}

#[test]
fn a_process_without_compute_units_is_told_so() {
    let scenario = Scenario { processes: vec![1, 9], cus: 1, ..Scenario::example() };
    let run = World::play(&scenario, &mut spatial(&[])).expect("the laws hold");
    let mut refused = run.lines.iter().flat_map(|line| &line.refusals);
    assert!(refused.any(|it| it.resource == Resource::Cus && it.launch == LaunchId(0)));
    assert_eq!(run.unstarted, [LaunchId(0), LaunchId(2)], "all of process 0, none of process 1");
}

/// Checks that room is found for a launch that waited and was then taken off while its first
/// workgroup ended, and comes back: nothing is freed after that, and still there is room.
#[test]
fn room_that_is_freed_while_nothing_waits_is_found_later() {
    let shape = CuShape { workgroups: 1, ..LARGEST_CU };
    let held = Scenario {
        shape,
        cus: 1,
        processes: vec![1],
        launches: vec![launch(0).workgroups(2).build()],
        batch: 1,
        ends: vec![0],
        leaves: vec![1],
    };
    check_allocate(Leftover::default, &held);
    check_allocate(by_level, &held);
}
