//! Which launch and which compute unit does `block-warp` take where several are equally good?

use raddle_policy::{
    Allocate, Answer, CuId, Cus, Fact, LaunchId, Piece, ReadyLaunch, ReadyView, Round, Tick,
    WaveSpan,
};
use raddle_sm::{BlockWarp, BlockWarpConfig, Choose};
use raddle_testkit::{SMALL_CU, demand, launch};

/// Number of wave slots of a compute unit, all of them.
const ALL: u16 = 8;

/// Returns a launch of one workgroup that wants all wave slots of a compute unit.
fn whole(id: u32, level: u8) -> ReadyLaunch {
    launch(id).stream(id).level(level).demand(demand(ALL, 1)).ready()
}

/// Makes a device of two compute units, each filled by a workgroup of one of these levels.
fn full(options: BlockWarpConfig, levels: [u8; 2]) -> (BlockWarp, Cus) {
    let (mut policy, mut cus) = (BlockWarp::new(options), Cus::new(SMALL_CU, 2));
    for (id, level) in (100..).zip(levels) {
        let (launch, cu) = (*whole(id, level).launch(), CuId(id as u16 - 100));
        let mut round = Round::default();
        let launches = [whole(id, level)];
        let view = ReadyView::new(&launches, &cus);
        policy.allocate(&view, Tick::ZERO, &mut round);
        assert_eq!(round.pieces, [Piece::one(0, cu)]);
        cus.take(cu, &launch.demand, 1).expect("it is empty");
        let (waves, pieces, places) = (WaveSpan::All, &round.pieces[..], &[][..]);
        policy.observe(&Fact::Started { launch: &launch, waves, pieces, places }, Tick::ZERO);
    }
    (policy, cus)
}

fn ask(policy: &mut BlockWarp, cus: &Cus, launches: &[ReadyLaunch]) -> (Answer, Round) {
    let mut round = Round::default();
    let answer = policy.allocate(&ReadyView::new(launches, cus), Tick::ZERO, &mut round);
    (answer, round)
}

#[test]
fn of_equal_levels_the_first_submitted_goes_first() {
    for (levels, first) in [([3, 3], 0), ([3, 2], 1), ([2, 3], 0), ([0, 0], 0)] {
        let (mut policy, cus) = (BlockWarp::new(BlockWarpConfig::default()), Cus::new(SMALL_CU, 1));
        let launches = [whole(0, levels[0]), whole(1, levels[1])];
        let (answer, _) = ask(&mut policy, &cus, &launches);
        let waves = WaveSpan::All;
        assert_eq!(answer, Answer::Start { launch: LaunchId(first), waves }, "{levels:?}");
    }
}

#[test]
fn a_second_unit_runs_only_less_urgent_work() {
    for choose in [Choose::Lowest, Choose::MostFree] {
        let options = BlockWarpConfig { choose, ..BlockWarpConfig::default() };
        // Levels that lie there, the level that comes, and where it is assigned.
        for (levels, level, cu) in [
            ([2, 2], 2, None),
            ([2, 2], 3, None),
            ([2, 2], 1, Some(0)),
            ([1, 2], 1, Some(1)),
            ([2, 1], 1, Some(0)),
            ([1, 1], 1, None),
        ] {
            let (mut policy, cus) = full(options, levels);
            let (answer, _) = ask(&mut policy, &cus, &[whole(0, level)]);
            let assigned = |cu| Answer::Assign { launch: LaunchId(0), workgroup: 0, cu: CuId(cu) };
            let wanted = cu.map_or(Answer::WAIT, assigned);
            assert_eq!(answer, wanted, "{choose:?}: {level} where {levels:?} lie");
        }
    }
}

#[test]
fn an_equal_launch_is_not_explained_again() {
    let options = BlockWarpConfig { fall_through: true, ..BlockWarpConfig::default() };
    let (mut policy, cus) = full(options, [0, 0]);
    let other = launch(2).stream(2).level(3).demand(demand(ALL, 2)).ready();
    let (answer, round) = ask(&mut policy, &cus, &[whole(0, 1), whole(1, 2), other]);
    assert_eq!(answer, Answer::WAIT);
    let refused: Vec<u32> = round.refusals.iter().map(|it| it.launch.0).collect();
    assert_eq!(refused, [0, 2], "the second asks as much as the first");
}
