//! Does the policy `block-warp` answer what seed 003 says, worked out anew at each question?
//!
//! A twin hears the same facts and sees the same view. It keeps a plain list of blocks, counts the top
//! priority of each unit in it, and asks every unit for every launch. What is free is the dispatcher's
//! book for both.

use proptest::prelude::*;
use raddle_policy::{
    Allocate, Answer, Barrier, CuId, Fact, Launch, LaunchId, Piece, ReadyLaunch, ReadyView, Round,
    Tick, WaveSpan,
};
use raddle_sm::{BlockWarp, BlockWarpConfig, Choose};
use raddle_testkit::{Scenario, World, demand, scenario};

use crate::mixes::options;

/// A block (workgroup) that has not ended; blocks are kept in the order of distribution.
#[derive(Clone, Debug)]
struct Block {
    launch: LaunchId,
    level: u8,
    workgroup: u64,
    cu: CuId,
    waves: u16,
    started: u16,
    ended: u16,
}

/// Blocks still to be given out of a decision that gave a compute unit several whole blocks.
#[derive(Clone, Copy, Debug)]
struct Given {
    launch: LaunchId,
    cu: CuId,
    next: u64,
    left: u64,
}

/// The policy `block-warp` beside its twin, a naive model of its rules.
#[derive(Clone, Debug)]
struct Beside {
    policy: BlockWarp,
    options: BlockWarpConfig,
    blocks: Vec<Block>,
    given: Option<Given>,
    /// Number of times that each route of a block was taken: whole, first, second.
    routes: [u32; 3],
}

/// Expected effect of one question to the policy: the answer, the workgroup and the compute unit;
/// `None` for a wait.
type Expected = Option<(Answer, u64, CuId)>;

fn start(launch: LaunchId, waves: WaveSpan) -> Answer {
    Answer::Start { launch, waves }
}

fn share_fits(ready: &ReadyView<'_>, cu: CuId, launch: &Launch) -> bool {
    let (free, demand) = (ready.cus().free(cu), launch.demand);
    free.workgroups > 0
        && free.barriers >= u64::from(demand.barriers)
        && free.lds >= u64::from(demand.lds)
}

/// Returns the number of waves of a workgroup that can start on a compute unit now.
fn waves(ready: &ReadyView<'_>, cu: CuId, launch: &Launch) -> u64 {
    let room = u64::from(ready.cus().wave_room(cu, &launch.demand));
    match launch.demand.sgpr {
        sgpr if sgpr > 0 && ready.cus().shape().sgpr != u16::MAX => {
            room.min(ready.cus().free(cu).sgpr / u64::from(sgpr))
        }
        _ => room,
    }
}

impl Beside {
    fn new(options: BlockWarpConfig) -> Self {
        let policy = BlockWarp::new(options);
        Self { policy, options, blocks: Vec::new(), given: None, routes: [0; 3] }
    }

    fn whole_only(&self, launch: &Launch) -> bool {
        self.options.whole_blocks_for_barriers && launch.barrier.possible()
    }

    /// Returns the most urgent level of the blocks on a compute unit, `None` without blocks; by
    /// claim 5 it rises and falls with the blocks there.
    fn top(&self, cu: CuId) -> Option<u8> {
        self.blocks.iter().filter(|it| it.cu == cu).map(|it| it.level).min()
    }

    /// Returns the first start of waves that the controllers of the compute units may make, by
    /// ascending unit (rules L1 to L3 of `docs/policies/block-warp.md`); `None` where none can be.
    fn serve(&self, ready: &ReadyView<'_>) -> Expected {
        ready.cus().ids().find_map(|cu| {
            let mut waiting: Vec<&Block> =
                self.blocks.iter().filter(|it| it.cu == cu && it.started < it.waves).collect();
            waiting.sort_by_key(|it| it.level);
            waiting.truncate(if self.options.backfill { usize::MAX } else { 1 });
            waiting.into_iter().find_map(|block| self.serve_block(ready, block))
        })
    }

    fn serve_block(&self, ready: &ReadyView<'_>, block: &Block) -> Expected {
        let entry = ready.launches().iter().find(|it| it.launch().id == block.launch)?;
        let (launch, cu) = (&entry.launch(), block.cu);
        if self.whole_only(launch) {
            let fits = ready.cus().room(cu, &launch.demand) > 0;
            return fits.then_some((start(launch.id, WaveSpan::All), block.workgroup, cu));
        }
        let share = block.started > 0 || share_fits(ready, cu, launch);
        let left = u64::from(block.waves - block.started);
        let count = if share { waves(ready, cu, launch).min(left) as u16 } else { 0 };
        let span = WaveSpan::Range { first: block.started, count };
        (count > 0).then_some((start(launch.id, span), block.workgroup, cu))
    }

    /// Picks the compute unit with the largest value, ties to the lowest; or, by the setting, the
    /// first of all.
    fn pick<V: Ord>(&self, mut fitting: Vec<(CuId, V)>) -> Option<CuId> {
        if self.options.choose == Choose::MostFree {
            // Stable: the lowest of several stays before the others.
            fitting.sort_by(|one, other| other.1.cmp(&one.1));
        }
        fitting.first().map(|&(cu, _)| cu)
    }

    /// Chooses which workgroup is handed to which compute unit, as the global controller does
    /// (rules G1 to G6 of `docs/policies/block-warp.md`); `None` where none can be.
    fn decide(&mut self, ready: &ReadyView<'_>) -> Expected {
        let mut targets: Vec<&ReadyLaunch> =
            ready.launches().iter().filter(|entry| entry.undistributed() > 0).collect();
        // Stable: of equals the first submitted goes first.
        targets.sort_by_key(|entry| entry.launch().level.0);
        targets.truncate(if self.options.fall_through { usize::MAX } else { 1 });
        targets.into_iter().find_map(|entry| self.place(ready, entry))
    }

    fn place(&mut self, ready: &ReadyView<'_>, entry: &ReadyLaunch) -> Expected {
        let launch = &entry.launch();
        let room = |cu: CuId| ready.cus().room(cu, &launch.demand);
        let whole = ready.cus().ids().map(|cu| (cu, room(cu))).filter(|&(_, n)| n > 0);
        if let Some(cu) = self.pick(whole.collect()) {
            self.routes[0] += 1;
            let left = u64::from(room(cu)).min(entry.undistributed()) - 1;
            self.given = Some(Given { launch: launch.id, cu, next: entry.next() + 1, left });
            return Some((start(launch.id, WaveSpan::All), entry.next(), cu));
        }
        let assign = |cu| {
            (Answer::Assign { launch: launch.id, workgroup: entry.next(), cu }, entry.next(), cu)
        };
        let more = |cu: CuId| {
            let (free, demand) = (ready.cus().free(cu), launch.demand);
            !self.options.strict
                || free.waves > 1
                    && free.vgpr > u64::from(demand.vgpr)
                    && free.lds > u64::from(demand.lds)
        };
        let can =
            |cu: CuId| if share_fits(ready, cu, launch) { waves(ready, cu, launch) } else { 0 };
        let first = ready.cus().ids().filter(|&cu| can(cu) > 0 && more(cu));
        if !self.whole_only(launch)
            && let Some(cu) = self.pick(first.map(|cu| (cu, can(cu))).collect())
        {
            self.routes[1] += 1;
            return Some(assign(cu));
        }
        let lower = |&cu: &CuId| self.top(cu).is_none_or(|top| top > launch.level.0);
        let second = ready.cus().ids().filter(lower);
        // The lowest top is the largest level, and none at all is lower still.
        let low = |cu| self.top(cu).map_or(256, u16::from);
        let cu = self.pick(second.map(|cu| (cu, low(cu))).collect())?;
        self.routes[2] += 1;
        Some(assign(cu))
    }

    fn expected(&mut self, ready: &ReadyView<'_>) -> Expected {
        if let Some(served) = self.serve(ready) {
            return Some(served);
        }
        if let Some(Given { launch, cu, next, left }) = self.given.take()
            && left > 0
            && let Some(entry) = ready.launches().iter().find(|it| it.launch().id == launch)
            && entry.next() == next
            && entry.undistributed() > 0
            && ready.cus().room(cu, &entry.launch().demand) > 0
        {
            self.given = Some(Given { launch, cu, next: next + 1, left: left - 1 });
            return Some((start(launch, WaveSpan::All), next, cu));
        }
        self.decide(ready)
    }

    fn started(&mut self, launch: &Launch, workgroup: u64, cu: CuId, started: u16) {
        let is_it = |it: &&mut Block| (it.launch, it.workgroup) == (launch.id, workgroup);
        match self.blocks.iter_mut().find(is_it) {
            Some(block) => block.started = started,
            None => {
                let (level, waves) = (launch.level.0, launch.demand.waves);
                let launch = launch.id;
                let block = Block { launch, level, workgroup, cu, waves, started, ended: 0 };
                self.blocks.push(block);
            }
        }
    }

    fn ended(&mut self, launch: &Launch, workgroup: u64, count: u16) {
        let is_it = |it: &Block| (it.launch, it.workgroup) == (launch.id, workgroup);
        let at = self.blocks.iter().position(is_it).expect("what ends has started");
        self.blocks[at].ended += count;
        if self.blocks[at].ended == launch.demand.waves {
            self.blocks.remove(at);
        }
    }
}

impl Allocate for Beside {
    fn allocate(&mut self, ready: &ReadyView<'_>, now: Tick, round: &mut Round) -> Answer {
        let answer = self.policy.allocate(ready, now, round);
        let expected = if ready.launches().is_empty() { None } else { self.expected(ready) };
        let Some((wanted, workgroup, cu)) = expected else {
            assert_eq!(answer, Answer::WAIT);
            return answer;
        };
        assert_eq!(answer, wanted);
        let assigned = matches!(answer, Answer::Assign { .. });
        assert!(assigned || round.pieces == [Piece::one(workgroup, cu)], "{:?}", round.pieces);
        answer
    }

    fn allocate_round(&mut self, ready: &ReadyView<'_>, now: Tick, round: &mut Round) -> Answer {
        self.allocate(ready, now, round)
    }

    fn may_stop(&self) -> Option<&'static str> {
        self.policy.may_stop()
    }

    fn observe(&mut self, fact: &Fact<'_>, now: Tick) {
        self.policy.observe(fact, now);
        let each = |pieces: &[Piece]| -> Vec<(u64, CuId)> {
            let named = |piece: &Piece| piece.workgroups().map(|it| (it, piece.cu)).collect();
            pieces.iter().flat_map(|piece| -> Vec<_> { named(piece) }).collect()
        };
        match *fact {
            Fact::Started { launch, waves, pieces, .. } => {
                for (workgroup, cu) in each(pieces) {
                    let started = match waves {
                        WaveSpan::Range { first, count } => first + count,
                        _ => launch.demand.waves,
                    };
                    self.started(launch, workgroup, cu, started);
                }
            }
            Fact::Assigned { launch, workgroup, cu } => self.started(launch, workgroup, cu, 0),
            Fact::Ended { launch, waves, pieces } => {
                for (workgroup, _) in each(pieces) {
                    let count = match waves {
                        WaveSpan::Range { count, .. } => count,
                        _ => launch.demand.waves,
                    };
                    self.ended(launch, workgroup, count);
                }
            }
            _ => {}
        }
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(400))]

    #[test]
    fn the_policy_answers_as_its_twin(s in scenario(), options in options()) {
        let mut twins = Beside::new(options);
        World::play(&s, &mut twins).expect("the laws are kept");
    }
}

/// Checks all routes of a block on two compute units of 8 wave slots: a less urgent launch fills
/// them; then comes an urgent one that starts whole or not at all, and one that starts wave by
/// wave.
#[test]
fn every_route_is_taken() {
    let launch = |id: u32, level: u8, workgroups: u64, waves: u16, barrier: Barrier| {
        let launch = raddle_testkit::launch(id).stream(id).level(level).workgroups(workgroups);
        launch.demand(demand(waves, 2)).barrier(barrier).build()
    };
    let launches = vec![
        launch(0, 5, 6, 4, Barrier::No),
        launch(1, 0, 1, 8, Barrier::Yes),
        launch(2, 1, 4, 3, Barrier::No),
    ];
    let mut beside = Beside::new(BlockWarpConfig::default());
    let ends = vec![1, 64, 2];
    let scenario = Scenario { batch: 1, ends, launches, ..Scenario::example() };
    World::play(&scenario, &mut beside).expect("the laws are kept");
    assert!(beside.routes.iter().all(|&count| count > 0), "{:?}", beside.routes);
}

/// Checks two launches with equal demands, of which one starts whole or not at all and finds no
/// room; the other one starts wave by wave.
#[test]
fn an_equal_demand_without_a_barrier_is_asked_by_itself() {
    let launch = |id: u32, level: u8, workgroups: u64, waves: u16, barrier: Barrier| {
        let launch = raddle_testkit::launch(id).stream(id).level(level).workgroups(workgroups);
        launch.demand(demand(waves, 2)).barrier(barrier).build()
    };
    let launches = vec![
        launch(0, 0, 2, 5, Barrier::No),
        launch(1, 1, 1, 4, Barrier::Yes),
        launch(2, 1, 1, 4, Barrier::No),
    ];
    let mut beside =
        Beside::new(BlockWarpConfig { fall_through: true, ..BlockWarpConfig::default() });
    let scenario = Scenario { batch: 3, ends: vec![1], launches, ..Scenario::example() };
    World::play(&scenario, &mut beside).expect("the laws are kept");
    assert!(beside.routes[1] > 0, "{:?}", beside.routes);
}
