//! Does the policy `block-warp` do what the controllers of seed 003 do, step by step?
//!
//! Compute units with one SIMD, slots and barriers for all: there the dispatcher's book and the tables
//! of the controllers count the same. Each answer is one step of [`Controllers`]; what ends there is told
//! to both. Without `backfill` the two differ: the controllers let a whole block start behind one that
//! waits, and the policy starts it at once.

use std::collections::{BTreeMap, BTreeSet, VecDeque};

use proptest::prelude::*;
use proptest::strategy::ValueTree as _;
use proptest::test_runner::TestRunner;
use raddle_policy::{
    Allocate, Answer, CuId, CuShape, Demand, Fact, Launch, LaunchId, Level, Piece, ReadyView,
    Round, Tick, WaveSpan,
};
use raddle_sm::{
    BlockWarp, BlockWarpConfig, Controllers, Handle, Kernel, Resources, Route, Started,
};
use raddle_testkit::{Scenario, World, altered, any_launch};

use crate::mixes::options;

/// Effect of a question to the policy: its answer, the workgroup and the compute unit.
type Step = (Answer, u64, CuId);

/// The policy `block-warp` beside the controllers that it must follow.
struct Beside {
    policy: BlockWarp,
    controllers: Controllers,
    launches: BTreeMap<LaunchId, Launch>,
    blocks: BTreeMap<(LaunchId, u64), Handle>,
    /// SMs whose controllers have still to be asked, the lowest first.
    due: BTreeSet<CuId>,
    /// Steps that the controllers took and the policy has not answered yet.
    steps: VecDeque<Step>,
    routes: BTreeSet<Route>,
}

impl Beside {
    fn new(scenario: &Scenario, options: BlockWarpConfig) -> Self {
        let CuShape { waves_per_simd, vgpr_per_simd, lds, .. } = scenario.shape;
        let each = Resources {
            registers: vgpr_per_simd.into(),
            warps: waves_per_simd.into(),
            shared: lds.into(),
        };
        Self {
            policy: BlockWarp::new(options),
            controllers: Controllers::new(scenario.cus, each, options).unwrap(),
            launches: BTreeMap::new(),
            blocks: BTreeMap::new(),
            due: BTreeSet::new(),
            steps: VecDeque::new(),
            routes: BTreeSet::new(),
        }
    }

    fn arrive(&mut self, launch: &Launch) {
        let Demand { waves, vgpr, lds, .. } = launch.demand;
        let kernel = Kernel {
            id: launch.id,
            rank: launch.level.rank(),
            blocks: launch.workgroups,
            warps: waves.into(),
            registers: vgpr.into(),
            shared: lds.into(),
            barrier: launch.barrier.possible(),
        };
        assert_eq!(
            self.controllers.arrive(&kernel),
            Ok(None),
            "the world leaves out what never fits"
        );
        self.launches.insert(launch.id, *launch);
    }

    /// Returns the next step of the controllers; `None` where nothing can happen.
    fn next(&mut self) -> Option<Step> {
        while self.steps.is_empty()
            && let Some(&sm) = self.due.first()
        {
            match self.controllers.serve(sm).unwrap() {
                Some(started) => self.started(started, false),
                None => _ = self.due.pop_first(),
            }
        }
        if self.steps.is_empty() {
            let decision = self.controllers.decide()?;
            self.routes.insert(decision.route());
            if decision.route() == Route::Whole {
                while let Some(started) = self.controllers.serve(decision.sm()).unwrap() {
                    self.started(started, true);
                }
            } else {
                let (launch, workgroup, cu) = (decision.kernel(), decision.first(), decision.sm());
                self.steps.push_back((Answer::Assign { launch, workgroup, cu }, workgroup, cu));
                self.due.insert(cu);
            }
        }
        self.steps.pop_front()
    }

    fn started(&mut self, started: Started, reserved: bool) {
        let (launch, block, sm) = (started.kernel(), started.block(), started.sm());
        let (first, count) = (started.first(), started.count());
        self.blocks.insert((launch, block), started.handle());
        let barrier = self.launches[&launch].barrier.possible();
        let whole = reserved || barrier && self.policy.options().whole_blocks_for_barriers;
        let span = WaveSpan::Range { first: first as u16, count: count as u16 };
        let waves = if whole { WaveSpan::All } else { span };
        self.steps.push_back((Answer::Start { launch, waves }, block, sm));
    }
}

impl Allocate for Beside {
    fn allocate(&mut self, ready: &ReadyView<'_>, now: Tick, round: &mut Round) -> Answer {
        let answer = self.policy.allocate(ready, now, round);
        let step = self.next();
        assert_eq!(answer, step.map_or(Answer::WAIT, |(answer, ..)| answer));
        if let (Answer::Start { .. }, Some((_, workgroup, cu))) = (answer, step) {
            assert_eq!(round.pieces, [Piece::one(workgroup, cu)]);
        }
        answer
    }

    fn observe(&mut self, fact: &Fact<'_>, now: Tick) {
        self.policy.observe(fact, now);
        match *fact {
            Fact::Submitted { launch } => self.arrive(launch),
            Fact::Ended { launch, waves, pieces } => {
                let (_, count) = waves.bounds(launch.demand.waves);
                for piece in pieces {
                    for workgroup in piece.workgroups() {
                        let handle = self.blocks[&(launch.id, workgroup)];
                        for _ in 0..count {
                            self.controllers.ended(handle).unwrap();
                        }
                    }
                    self.due.insert(piece.cu);
                }
            }
            _ => {}
        }
    }
}

/// Draws devices whose compute units limit as the seed's: by registers, warps and shared memory
/// alone.
fn scenario() -> impl Strategy<Value = Scenario> {
    let shape = (1u16..12, 0u16..=24, 0u32..=12).prop_map(|(waves, vgpr, lds)| CuShape {
        simds: 1,
        waves_per_simd: waves,
        vgpr_per_simd: vgpr,
        sgpr: u16::MAX,
        lds,
        workgroups: u16::MAX,
        barriers: 0,
    });
    let ends = prop::collection::vec(0u32..=4096, 1..=6);
    (shape, 1u16..6, 1u16..8, ends).prop_flat_map(|(shape, cus, batch, ends)| {
        let launches = prop::collection::vec((any_launch(shape, 1, false), 0u8..4), 1..=8);
        launches.prop_map(move |launches| {
            let named = (0..).zip(launches).map(|(id, (launch, level))| {
                altered(launch, |it| (it.id, it.level) = (LaunchId(id), Level(level)))
            });
            let (launches, ends) = (named.collect(), ends.clone());
            Scenario { shape, cus, processes: vec![1], launches, batch, ends, leaves: Vec::new() }
        })
    })
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(400))]

    #[test]
    fn the_policy_takes_the_steps_of_the_controllers(s in scenario(), options in options()) {
        let mut beside = Beside::new(&s, BlockWarpConfig { backfill: true, ..options });
        World::play(&s, &mut beside).expect("the laws are kept");
        prop_assert_eq!(beside.controllers.kernels(), [], "everything has ended in both");
    }
}

/// Checks that every route of a block to an SM is compared, also of an urgent launch that finds its
/// units busy with others.
#[test]
fn every_route_is_compared() {
    let mut routes = BTreeSet::new();
    let mut runner = TestRunner::deterministic();
    for _ in 0..200 {
        let scenario = scenario().new_tree(&mut runner).unwrap().current();
        let mut beside = Beside::new(&scenario, BlockWarpConfig::default());
        World::play(&scenario, &mut beside).expect("the laws are kept");
        routes.append(&mut beside.routes);
    }
    assert_eq!(routes, BTreeSet::from([Route::Whole, Route::First, Route::Second]));
}
