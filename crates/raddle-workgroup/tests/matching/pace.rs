//! How long does a decision take, and what does a shared finder not see yet (seed 000, E4, E7)?

use raddle_policy::{
    Activity, Allocate, Answer, CuId, Cus, Fact, Launch, Piece, ReadyView, Round, Tick, WaveSpan,
};
use raddle_testkit::{SMALL_CU, altered, demand, ready};
use raddle_workgroup::{
    DecisionTime, Error, Matching, MatchingConfig, PlaceRule, PowerWeights, SearchRule,
    SearchTiming,
};

fn policy(search: SearchRule, timing: SearchTiming, mhz: Option<u32>) -> Result<Matching, Error> {
    let decision = Some(DecisionTime { timing, clock_mhz: mhz });
    let config = MatchingConfig::default().with_search(search).with_decision(decision);
    Matching::new(config, SMALL_CU, 1)
}

fn launch() -> Launch {
    raddle_testkit::launch(0).workgroups(4).demand(demand(1, 1)).build()
}

fn ask(policy: &mut Matching, launch: Launch, next: u64, at: u64) -> Answer {
    let cus = Cus::new(SMALL_CU, 1);
    let (launches, mut round) = ([ready(launch).with_next(next)], Round::default());
    policy.allocate_round(&ReadyView::new(&launches, &cus), Tick(at), &mut round)
}

const fn wait(at: u64) -> Answer {
    Answer::Wait { retry_at: Some(Tick(at)) }
}

#[test]
fn a_workgroup_starts_when_its_round_is_over() {
    let start = Answer::Start { launch: launch().id, waves: WaveSpan::All };
    // Three clocks of 1 ns.
    let mut three = policy(SearchRule::Full, SearchTiming::ThreeClocks, Some(1000)).expect("sound");
    for (next, at, answer) in [
        (0, 10, wait(13)),
        (0, 12, wait(13)),
        (0, 13, start),
        (1, 13, wait(16)),
        (1, 16, start),
        // For a while there was nothing to decide, so a new round begins.
        (2, 90, wait(93)),
        (2, 93, start),
    ] {
        assert_eq!(ask(&mut three, launch(), next, at), answer, "{next} at {at}");
    }
    // One clock of half a nanosecond: two rounds fit into a tick.
    let mut one = policy(SearchRule::Full, SearchTiming::OneClock, Some(2000)).expect("sound");
    for (next, at, answer) in
        [(0, 10, wait(11)), (0, 11, start), (1, 11, start), (2, 11, wait(12)), (2, 12, start)]
    {
        assert_eq!(ask(&mut one, launch(), next, at), answer, "{next} at {at}");
    }
}

#[test]
fn a_shared_finder_takes_a_round_of_periods_and_sees_ends_late() {
    // One finder as wide as the widest resource.
    let widest = [SMALL_CU.vgpr_per_simd.into(), SMALL_CU.lds].into_iter().max().expect("some");
    let search = SearchRule::Shared { width: widest };
    let mut shared = policy(search, SearchTiming::OneClock, Some(100)).expect("sound");
    let whole = altered(launch(), |it| (it.demand.lds, it.workgroups) = (SMALL_CU.lds, 2));
    // Periods of 10 ns: the first answer says how many there are.
    let Answer::Wait { retry_at: Some(first) } = ask(&mut shared, whole, 0, 0) else {
        panic!("a round takes time")
    };
    assert!(first.0 > 10 && first.0.is_multiple_of(10), "{first}: more than one period");
    let start = Answer::Start { launch: whole.id, waves: WaveSpan::All };
    assert_eq!(ask(&mut shared, whole, 0, first.0), start);
    // The workgroup ends at once, but the next round has read its resources as taken.
    let pieces = &[Piece::one(0, CuId(0))];
    let ended = Fact::Ended { launch: &whole, waves: WaveSpan::All, pieces };
    shared.observe(&ended, Tick(first.0 + 1));
    let seen = first.0 * 3;
    assert_eq!(ask(&mut shared, whole, 1, first.0 + 1), wait(first.0 * 2));
    assert_eq!(ask(&mut shared, whole, 1, first.0 * 2), wait(seen), "not seen yet");
    let Answer::Wait { retry_at: Some(at) } = ask(&mut shared, whole, 1, seen) else {
        panic!("a round begins")
    };
    assert_eq!(ask(&mut shared, whole, 1, at.0), start);
}

/// Checks that the instructions of an ended workgroup stop counting as power at its end (E10 in
/// `docs/policies/matching.md`), even while a shared search circuit (finder) has not seen the end.
#[test]
fn work_that_a_shared_finder_still_sees_draws_no_power() {
    let widest = [SMALL_CU.vgpr_per_simd.into(), SMALL_CU.lds].into_iter().max().expect("some");
    let decision = Some(DecisionTime { timing: SearchTiming::OneClock, clock_mhz: Some(100) });
    let power = PowerWeights::new([1, 0, 0, 0, 0, 0]);
    let config = MatchingConfig::default()
        .with_search(SearchRule::Shared { width: widest })
        .with_decision(decision)
        .with_place(PlaceRule::LeastPower(power));
    let mut policy = Matching::new(config, SMALL_CU, 2).expect("sound");
    let launch = altered(launch(), |it| it.activity = Activity([1, 0, 0, 0, 0, 0]));
    let at_round_of = |policy: &mut Matching, next: u64, now: u64| {
        let cus = Cus::new(SMALL_CU, 2);
        let (launches, mut round) = ([ready(launch).with_next(next)], Round::default());
        let view = ReadyView::new(&launches, &cus);
        let answer = policy.allocate_round(&view, Tick(now), &mut round);
        (answer, round.pieces.first().map(|piece| piece.cu.0))
    };
    let (Answer::Wait { retry_at: Some(Tick(round)) }, _) = at_round_of(&mut policy, 0, 0) else {
        panic!("a round takes time")
    };
    assert_eq!(at_round_of(&mut policy, 0, round).1, Some(0));
    // The first workgroup ends after 2 ticks, and is seen to have ended two rounds later.
    let pieces = &[Piece::one(0, CuId(0))];
    let ended = Fact::Ended { launch: &launch, waves: WaveSpan::All, pieces };
    policy.observe(&ended, Tick(round + 2));
    assert_eq!(at_round_of(&mut policy, 1, 2 * round).1, Some(1));
    assert_eq!(at_round_of(&mut policy, 2, 3 * round).1, Some(0), "2 ticks against a round");
}

#[test]
fn a_time_that_cannot_be_is_refused() {
    let of = |search, timing, mhz| policy(search, timing, mhz).map(|_| ()).unwrap_err();
    assert_eq!(
        of(SearchRule::Full, SearchTiming::OneClock, None).to_string(),
        "the clock of the dispatcher is not known: give `clock-mhz` of 1 or more"
    );
    assert_eq!(
        of(SearchRule::Full, SearchTiming::OneClock, Some(0)).to_string(),
        "the clock of the dispatcher is not known: give `clock-mhz` of 1 or more"
    );
    let reused = of(SearchRule::Full, SearchTiming::Reused, Some(1000));
    assert!(reused.to_string().starts_with("vgpr cannot be searched so: "), "{reused}");
}
