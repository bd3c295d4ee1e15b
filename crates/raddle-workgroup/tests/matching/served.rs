//! With windows, is each level that always fits served in each turn (seed 000, E2)?

use proptest::prelude::*;
use raddle_policy::{
    Allocate, Answer, CuId, CuShape, Cus, Demand, Fact, Piece, ReadyLaunch, ReadyView, Round, Tick,
    WaveSpan,
};
use raddle_testkit::{SMALL_CU, demand, launch};
use raddle_workgroup::{LevelOrder, LevelWindows, Matching, MatchingConfig};

/// The shape of a compute unit that holds one workgroup of [`DEMAND`].
const SHAPE: CuShape =
    CuShape { waves_per_simd: 1, vgpr_per_simd: 4, lds: 0, workgroups: 1, barriers: 0, ..SMALL_CU };
const DEMAND: Demand = demand(2, 4);

/// Returns an endless launch for each of these levels, each in a stream of its own.
fn endless(levels: &[u8]) -> Vec<ReadyLaunch> {
    let entry = |(id, &level)| {
        launch(id).stream(id).level(level).workgroups(u64::MAX).demand(DEMAND).ready()
    };
    (0..).zip(levels).map(entry).collect()
}

/// Dispatches one workgroup in each microsecond, for `turns` turns of all windows. Returns how
/// often each launch went, one list for each turn.
fn served(windows_us: &[u64], levels: &[u8], turns: u64) -> Vec<Vec<u64>> {
    let order = LevelOrder::Windows(LevelWindows::us(windows_us.to_vec()));
    let config = MatchingConfig::default().with_order(order);
    let mut policy = Matching::new(config, SHAPE, 1).expect("windows of a microsecond or more");
    let mut entries = endless(levels);
    let cus = Cus::new(SHAPE, 1);
    let turn: u64 = windows_us.iter().sum();
    let mut counts = vec![vec![0; levels.len()]; turns as usize];
    for us in 0..turn * turns {
        let (now, mut round) = (Tick(us * 1_000), Round::default());
        let view = ReadyView::new(&entries, &cus);
        let Answer::Start { launch, .. } = policy.allocate(&view, now, &mut round) else {
            panic!("the device is empty");
        };
        let entry = &mut entries[launch.0 as usize];
        let pieces = &[Piece::one(entry.next(), CuId(0))];
        *entry = entry.with_next(entry.next() + 1);
        counts[(us / turn) as usize][launch.0 as usize] += 1;
        let ended = Fact::Ended { launch: entry.launch(), waves: WaveSpan::All, pieces };
        policy.observe(&ended, Tick(us * 1_000 + 999));
    }
    counts
}

proptest! {
    /// Checks that a level is served in its own window, and in those of levels without work if it
    /// is the best there is; and that channels of one level share what the level gets.
    #[test]
    fn each_level_with_work_is_served_in_each_turn(
        windows_us in prop::collection::vec(1u64..7, 1..6),
        channels in prop::collection::vec(0u8..8, 1..6),
        turns in 1u64..5,
    ) {
        let last = windows_us.len() as u8 - 1;
        let level = |at: usize| channels[at].min(last);
        let best = (0..channels.len()).map(level).min().expect("there is one");
        let counts = served(&windows_us, &channels, turns);
        for count in &counts {
            for wanted in 0..=last {
                let got: u64 =
                    (0..channels.len()).filter(|&at| level(at) == wanted).map(|at| count[at]).sum();
                let has_work = (0..channels.len()).any(|at| level(at) == wanted);
                let idle = |&other: &u8| (0..channels.len()).all(|at| level(at) != other);
                let others = (0..=last).filter(idle).map(|it| windows_us[usize::from(it)]);
                let more: u64 = if wanted == best { others.sum() } else { 0 };
                let own = if has_work { windows_us[usize::from(wanted)] + more } else { 0 };
                prop_assert_eq!(got, own, "level {} in {:?}", wanted, count);
            }
        }
        // Marks share a level between its channels, over all turns.
        let total = |at: usize| counts.iter().map(|count| count[at]).sum::<u64>();
        for one in 0..channels.len() {
            for other in (0..channels.len()).filter(|&other| level(other) == level(one)) {
                prop_assert!(total(one).abs_diff(total(other)) <= 1, "{one} and {other}");
            }
        }
    }
}
