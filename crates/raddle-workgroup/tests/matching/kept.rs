//! Is each rule that decides between launches, channels and compute units kept?
//!
//! Each test is of a rule whose loss no other test would notice.

use raddle_policy::{
    Activity, Allocate, Answer, Barrier, CuId, Cus, Demand, Fact, Launch, Piece, Preemption,
    ReadyLaunch, ReadyView, Round, Tick, WaveSpan,
};
use raddle_testkit::{SMALL_CU, altered, demand, ready};
use raddle_workgroup::{Matching, MatchingConfig, PlaceRule, PowerWeights, SplitRule};

/// Makes the policy for compute units of two SIMDs, with 4 wave slots and 16 granules of registers
/// each.
fn policy(config: MatchingConfig, cus: u16) -> Matching {
    Matching::new(config, SMALL_CU, cus).expect("the scenario is sound")
}

/// Returns a launch in a stream of its own.
fn launch(id: u32, level: u8, waves: u16, vgpr: u16) -> Launch {
    let launch = raddle_testkit::launch(id).stream(id).level(level).workgroups(9);
    launch.demand(demand(waves, vgpr)).barrier(Barrier::No).build()
}

/// Asks the policy one question about the first workgroups of these launches, at tick `at`. Returns
/// (the launch that starts, its waves, its compute unit); `None` where none starts.
fn ask(
    policy: &mut Matching,
    cus: u16,
    launches: &[Launch],
    at: u64,
) -> Option<(u32, WaveSpan, CuId)> {
    let entries: Vec<ReadyLaunch> = launches.iter().copied().map(ready).collect();
    let (cus, mut round) = (Cus::new(SMALL_CU, cus), Round::default());
    match policy.allocate(&ReadyView::new(&entries, &cus), Tick(at), &mut round) {
        Answer::Start { launch, waves } => Some((launch.0, waves, round.pieces[0].cu)),
        _ => None,
    }
}

/// Returns the id of the launch, of these, that the policy starts first on nine compute units;
/// `None` where it starts none.
fn chosen(policy: &mut Matching, launches: &[Launch]) -> Option<u32> {
    ask(policy, 9, launches, 0).map(|(launch, ..)| launch)
}

fn end(policy: &mut Matching, launch: &Launch, cu: CuId) {
    let fact = Fact::Ended { launch, waves: WaveSpan::All, pieces: &[Piece::one(0, cu)] };
    policy.observe(&fact, Tick::ZERO);
}

#[test]
fn a_level_has_marks_of_its_own() {
    let mut policy = policy(MatchingConfig::default(), 9);
    let of_level = |level, ids: [u32; 2]| {
        ids.map(|id| launch(id, level, 1, 1).with_stream(raddle_policy::StreamId(id % 2)))
    };
    assert_eq!(chosen(&mut policy, &of_level(0, [0, 1])), Some(0), "now channel 0 is marked");
    assert_eq!(chosen(&mut policy, &of_level(1, [2, 3])), Some(2), "for level 1 it is not");
    assert_eq!(chosen(&mut policy, &of_level(0, [4, 5])), Some(5));
    assert_eq!(chosen(&mut policy, &of_level(1, [6, 7])), Some(7));
}

#[test]
fn channels_tie_in_whatever_order_their_launches_come() {
    let mut policy = policy(MatchingConfig::default(), 9);
    let [one, other] = [0, 1].map(|id| launch(id, 0, 1, 1));
    assert_eq!(chosen(&mut policy, &[one]), Some(0));
    assert_eq!(chosen(&mut policy, &[other]), Some(1));
    let again =
        |id: u32| altered([one, other][id as usize], |it| it.id = raddle_policy::LaunchId(8 + id));
    assert_eq!(chosen(&mut policy, &[again(1), again(0)]), Some(8), "the lowest channel");
    assert_eq!(chosen(&mut policy, &[again(1), again(0)]), Some(9), "0 is marked now");
}

#[test]
fn streams_beyond_the_channels_begin_with_the_first_again() {
    let config = MatchingConfig::default().with_channels(Some(2));
    let mut policy = policy(config, 1);
    let first = launch(0, 0, 8, 2);
    let (large, small) = (launch(1, 1, 8, 2), launch(2, 2, 1, 1));
    assert_eq!(ask(&mut policy, 1, &[first, large, small], 0), Some((0, WaveSpan::All, CuId(0))));
    end(&mut policy, &first, CuId(0));
    let filler = launch(3, 0, 4, 2);
    assert_eq!(ask(&mut policy, 1, &[filler], 0), Some((3, WaveSpan::All, CuId(0))));
    // Stream 2 shares channel 0, where nothing is before it: not channel 1, of the large one.
    assert_eq!(ask(&mut policy, 1, &[large, small], 0), Some((2, WaveSpan::All, CuId(0))));
}

#[test]
fn a_compute_unit_that_was_emptied_at_once_has_most_free() {
    for how in [Preemption::Reset, Preemption::Switch] {
        let place = PlaceRule::MostWaves;
        let mut policy = policy(MatchingConfig::default().with_place(place), 2);
        let (gone, next) = (launch(0, 0, 4, 1), launch(1, 0, 1, 1));
        assert_eq!(ask(&mut policy, 2, &[gone], 0), Some((0, WaveSpan::All, CuId(0))));
        policy.observe(&Fact::TakenOff { launch: &gone, how }, Tick::ZERO);
        assert_eq!(ask(&mut policy, 2, &[next], 0), Some((1, WaveSpan::All, CuId(0))), "{how:?}");
        policy.observe(&Fact::Restored { launch: &gone }, Tick::ZERO);
        let mut after = |id| {
            let after = altered(next, |it| it.id = raddle_policy::LaunchId(id));
            ask(&mut policy, 2, &[after], 0).map(|(.., cu)| cu)
        };
        assert_eq!(after(2), Some(CuId(1)));
        // The saved workgroup of four waves is back on unit 0, so unit 1 has most free. The killed
        // one is not back: both units have one wave, and the tie goes to unit 0.
        let cu = if how == Preemption::Reset { CuId(0) } else { CuId(1) };
        assert_eq!(after(3), Some(cu), "{how:?}");
    }
}

fn split(threshold: u64) -> Option<SplitRule> {
    Some(SplitRule::default().with_threshold(threshold).with_retry_us(Some(1)))
}

#[test]
fn a_piece_draws_the_power_of_one_wave() {
    let power = PowerWeights::new([1; 6]).with_history_ticks(Some(1 << 40));
    let place = PlaceRule::LeastPower(power);
    let config = MatchingConfig::default().with_place(place).with_split(split(0));
    let mut policy = policy(config, 2);
    let active = |launch| altered(launch, |it| it.activity = Activity([1_000; 6]));
    // Nine waves fit nowhere whole.
    let cut = active(launch(0, 0, 9, 1));
    let piece = WaveSpan::Cut { first: 0, count: 1 };
    assert_eq!(ask(&mut policy, 2, &[cut], 0), Some((0, piece, CuId(0))));
    let two = active(launch(1, 0, 2, 1));
    assert_eq!(ask(&mut policy, 2, &[two], 1_000), Some((1, WaveSpan::All, CuId(1))));
    // One wave for 3,000 ticks, two for 2,000.
    let last = active(launch(2, 0, 1, 1));
    assert_eq!(ask(&mut policy, 2, &[last], 3_000), Some((2, WaveSpan::All, CuId(0))));
}

/// Makes a policy that has decided to cut the first workgroup of a launch, of which no wave has
/// started yet.
fn cut() -> (Matching, Launch) {
    let config = MatchingConfig::default().with_split(split(0));
    let mut policy = policy(config, 1);
    let (filler, cut) = (launch(0, 0, 8, 1), launch(1, 1, 2, 1));
    assert_eq!(ask(&mut policy, 1, &[filler], 0), Some((0, WaveSpan::All, CuId(0))));
    assert_eq!(ask(&mut policy, 1, &[cut], 0), None, "cut, and there is no room for a wave");
    end(&mut policy, &filler, CuId(0));
    (policy, cut)
}

#[test]
fn what_was_cut_goes_in_pieces_unless_it_begins_again() {
    let (mut policy, launch) = cut();
    let piece = WaveSpan::Cut { first: 0, count: 1 };
    assert_eq!(ask(&mut policy, 1, &[launch], 1), Some((1, piece, CuId(0))));
    let (mut policy, launch) = cut();
    policy.observe(&Fact::TakenOff { launch: &launch, how: Preemption::Reset }, Tick(1));
    assert_eq!(ask(&mut policy, 1, &[launch], 1), Some((1, WaveSpan::All, CuId(0))), "killed");
    let (mut policy, launch) = cut();
    policy.observe(&Fact::LaunchEnded { launch: launch.id }, Tick(1));
    assert_eq!(ask(&mut policy, 1, &[launch], 1), Some((1, WaveSpan::All, CuId(0))), "ended");
    let (mut policy, launch) = cut();
    policy.observe(&Fact::TakenOff { launch: &launch, how: Preemption::Switch }, Tick(1));
    assert_eq!(ask(&mut policy, 1, &[launch], 1), Some((1, piece, CuId(0))), "saved: still cut");
}

#[test]
fn the_age_of_a_head_begins_when_it_becomes_the_head() {
    let config = MatchingConfig::default().with_split(split(2));
    let mut policy = policy(config, 2);
    let filler = altered(launch(0, 0, 7, 1), |it| it.workgroups = 2);
    let wide = |waves, lds| Demand { lds, ..demand(waves, 1) };
    // Of the first launch one workgroup lies on a compute unit at most.
    let early = altered(launch(1, 1, 2, 1), |it| it.demand = wide(2, SMALL_CU.lds));
    let late = altered(launch(2, 2, 2, 1), |it| it.demand = wide(2, 1));
    let next = |launch, next| ready(launch).with_next(next);
    let mut at = |entries: &[ReadyLaunch], tick, ends: bool| {
        if ends {
            let pieces = &[Piece::one(1, CuId(1))];
            let fact = Fact::Ended { launch: &filler, waves: WaveSpan::All, pieces };
            policy.observe(&fact, Tick(tick));
        }
        let (cus, mut round) = (Cus::new(SMALL_CU, 2), Round::default());
        let view = ReadyView::new(entries, &cus);
        match policy.allocate(&view, Tick(tick), &mut round) {
            Answer::Start { launch, waves } => Some((launch.0, waves)),
            _ => None,
        }
    };
    for workgroup in 0..2 {
        assert_eq!(at(&[next(filler, workgroup)], 0, false), Some((0, WaveSpan::All)));
    }
    assert_eq!(at(&[next(early, 0)], 0, false), None, "its first head waits since 0");
    assert_eq!(at(&[next(early, 0), next(late, 0)], 1, false), None);
    let both = [next(early, 0), next(late, 0)];
    assert_eq!(at(&both, 2, true), Some((1, WaveSpan::All)), "a filler has ended");
    let both = [next(early, 1), next(late, 0)];
    assert!([2, 3].iter().all(|&tick| at(&both, tick, false).is_none()), "failures 1 and 2");
    let piece = WaveSpan::Cut { first: 0, count: 1 };
    assert_eq!(at(&both, 4, false), Some((2, piece)), "its head waits since 1, the other since 2");
}
