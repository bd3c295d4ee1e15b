//! What is refused, and how?

use raddle_policy::{
    Allocate, Answer, CuShape, Cus, Demand, Fact, Launch, LaunchId, Piece, Preemption, ProcessId,
    ReadyView, Resource, Round, Tick, WaveSpan,
};
use raddle_testkit::{Scenario, altered, ready};
use raddle_workgroup::{
    Error, FreeWeights, LevelOrder, LevelWindows, Matching, MatchingConfig, PlaceRule,
    PowerWeights, SearchRule, SplitRule,
};

fn shape() -> CuShape {
    Scenario::example().shape
}

fn refused(config: MatchingConfig) -> Error {
    Matching::new(config, shape(), 2).expect_err("it cannot be used")
}

fn with_place(place: PlaceRule) -> MatchingConfig {
    MatchingConfig::default().with_place(place)
}

#[test]
fn choices_that_make_no_sense_are_errors_that_say_why() {
    let windows = |windows_us: &[u64]| {
        MatchingConfig::default()
            .with_order(LevelOrder::Windows(LevelWindows::us(windows_us.to_vec())))
    };
    assert_eq!(refused(windows(&[])).to_string(), "no window: give one for each level");
    assert_eq!(
        refused(windows(&[3, 0])).to_string(),
        "window 1 has 0 ticks, its level would never be best: give 1 or more"
    );
    let none = MatchingConfig::default().with_channels(Some(0));
    assert_eq!(
        refused(none).to_string(),
        "no channels leave streams nowhere to wait: give 1 or more, or leave it out"
    );
    let split = Some(SplitRule::default().with_threshold(1).with_retry_us(Some(0)));
    let error = refused(MatchingConfig::default().with_split(split));
    assert_eq!(
        error.to_string(),
        "a time of 0 between two rounds of `split`: rounds would follow each other without end, give 1 or more"
    );
    assert!(error.to_string().contains("0 between two rounds of `split`"), "{error}");
    assert_eq!(
        refused(with_place(PlaceRule::MostFree(FreeWeights::default()))).to_string(),
        "no weight is above 0: give at least one"
    );
    let heavy = FreeWeights { vgpr: u64::MAX, ..FreeWeights::default() };
    assert_eq!(
        refused(with_place(PlaceRule::MostFree(heavy))).to_string(),
        "the score of row 0 is beyond 64 bits: give smaller weights"
    );
    let power = |weights, ticks| PowerWeights::new(weights).with_history_ticks(Some(ticks));
    let least = |power| with_place(PlaceRule::LeastPower(power));
    assert_eq!(
        refused(least(power([0; 6], 5))).to_string(),
        "no weight is above 0: give at least one"
    );
    assert_eq!(
        refused(least(power([1; 6], 0))).to_string(),
        "a window of 0 cycles sees nothing: give 1 or more"
    );
    // 8 waves a compute unit, 6 kinds at rates of up to 2^32 - 1.
    let most = u64::MAX / (8 * u64::from(u32::MAX));
    assert_eq!(
        refused(least(power([most + 1, 0, 0, 0, 0, 0], 5))).to_string(),
        "the score of row 0 is beyond 64 bits: give smaller weights"
    );
    assert!(Matching::new(least(power([most, 0, 0, 0, 0, 0], 5)), shape(), 2).is_ok());
    // Also amounts that no resource has stand in order.
    for (amounts, at) in [(vec![1, 500, 400], 2), (vec![600, 5], 1), (vec![2, 2], 1)] {
        let search = SearchRule::amounts(amounts);
        let error = refused(MatchingConfig::default().with_search(search));
        let cause =
            format!("sample {at} is not above the one before: give them strictly ascending");
        assert_eq!(error.to_string(), format!("vgpr cannot be searched so: {cause}"));
    }
    let free = FreeWeights { waves: 1, ..FreeWeights::default() };
    let mix = PlaceRule::Mix { free, power: power([1; 6], 5), shares: [0, 0] };
    assert_eq!(
        refused(with_place(mix)).to_string(),
        "both shares of a mix are 0: give at least one"
    );
}

#[test]
fn a_search_that_does_not_suit_the_device_names_the_resource() {
    let search = |search| refused(MatchingConfig::default().with_search(search));
    for (search, resource, says) in [
        (search(SearchRule::groups(3)), Resource::Vgpr, "3"),
        (search(SearchRule::groups(16)), Resource::Vgpr, "16"),
        (search(SearchRule::groups(8)), Resource::Lds, "8"),
        (search(SearchRule::amounts(vec![4, 2])), Resource::Vgpr, ""),
        (search(SearchRule::amounts(vec![0])), Resource::Vgpr, ""),
        (search(SearchRule::Shared { width: 15 }), Resource::Vgpr, "15"),
        (search(SearchRule::Shared { width: 0 }), Resource::Vgpr, ""),
    ] {
        let text = search.to_string();
        let named = format!("{} cannot be searched so: ", resource.name());
        assert!(text.starts_with(&named) && text.contains(says), "{text}");
    }
}

fn ask(policy: &mut Matching, launch: Launch, next: u64) -> (Answer, Round) {
    let cus = Cus::new(shape(), 2);
    let launches = [ready(launch).with_next(next)];
    let mut round = Round::default();
    let view = ReadyView::new(&launches, &cus);
    let answer = policy.allocate(&view, Tick::ZERO, &mut round);
    (answer, round)
}

fn launch(demand: Demand) -> Launch {
    Launch::new(LaunchId(0), ProcessId(0), 9, demand)
}

#[test]
fn what_never_fits_is_refused_for_ever_with_what_lacks() {
    // 2 SIMDs of 4 slots and 16 registers, 8 of LDS, 6 workgroups, 4 barriers.
    let fits = Demand { waves: 8, vgpr: 4, sgpr: 99, lds: 8, barriers: 4 };
    let mut policy = Matching::new(MatchingConfig::default(), shape(), 2).unwrap();
    assert!(matches!(ask(&mut policy, launch(fits), 0).0, Answer::Start { .. }));
    for (demand, resource, wanted, available) in [
        (Demand { waves: 0, ..fits }, Resource::Waves, 1, 0),
        (Demand { waves: 9, vgpr: 0, ..fits }, Resource::Waves, 5, 4),
        (Demand { waves: 7, vgpr: 5, ..fits }, Resource::Vgpr, 20, 16),
        (Demand { vgpr: u16::MAX, ..fits }, Resource::Vgpr, 4 * u64::from(u16::MAX), 16),
        (Demand { lds: 9, ..fits }, Resource::Lds, 9, 8),
        (Demand { barriers: 5, ..fits }, Resource::Barriers, 5, 4),
    ] {
        let (Answer::Never { refusal }, _) = ask(&mut policy, launch(demand), 0) else {
            panic!("{demand:?} fits nowhere")
        };
        let said = (refusal.resource, refusal.wanted, refusal.available, refusal.cu);
        assert_eq!(said, (resource, wanted, available, None), "{demand:?}");
    }
    // Sampled, 15 registers in a row are never reported: 8 and 12 are, and 16.
    let search = SearchRule::amounts(vec![1, 2, 4, 8]);
    let config = MatchingConfig::default().with_search(search);
    let mut policy = Matching::new(config, shape(), 2).unwrap();
    let wide = Demand { waves: 1, vgpr: 9, ..Demand::default() };
    let (Answer::Never { refusal }, _) = ask(&mut policy, launch(wide), 0) else {
        panic!("a run of 9 is never reported")
    };
    assert_eq!((refusal.resource, refusal.wanted, refusal.available), (Resource::Vgpr, 9, 8));
}

#[test]
fn more_registers_than_can_be_counted_are_not_there() {
    let wide = CuShape { vgpr_per_simd: u16::MAX, ..shape() };
    let mut policy = Matching::new(MatchingConfig::default(), wide, 1).unwrap();
    let demand = |vgpr| Demand { waves: 4, vgpr, ..Demand::default() };
    let (Answer::Never { refusal }, _) = ask(&mut policy, launch(demand(40_000)), 0) else {
        panic!("2 waves of 40,000 do not lie on a SIMD of 65,535")
    };
    assert_eq!((refusal.wanted, refusal.available), (80_000, 65_535));
    let (answer, round) = ask(&mut policy, launch(demand(32_767)), 0);
    assert!(matches!(answer, Answer::Start { .. }));
    let starts: Vec<_> = round.places.iter().map(|place| (place.simd, place.vgpr)).collect();
    assert_eq!(starts, [(1, 0), (0, 0), (1, 32_767), (0, 32_767)]);
}

#[test]
fn ends_of_what_is_not_there_change_nothing() {
    let mut policy = Matching::new(MatchingConfig::default(), shape(), 2).unwrap();
    let whole = launch(Demand { waves: 8, vgpr: 4, ..Demand::default() });
    let start = |policy: &mut Matching, next| ask(policy, whole, next).0;
    assert!(matches!(start(&mut policy, 0), Answer::Start { .. }));
    assert!(matches!(start(&mut policy, 1), Answer::Start { .. }));
    let end = |policy: &mut Matching, workgroup, cu| {
        let pieces = &[Piece::one(workgroup, raddle_policy::CuId(cu))];
        let fact = Fact::Ended { launch: &whole, waves: WaveSpan::All, pieces };
        policy.observe(&fact, Tick::ZERO);
    };
    end(&mut policy, 0, 1);
    end(&mut policy, 7, 0);
    end(&mut policy, 0, 9);
    assert!(matches!(start(&mut policy, 2), Answer::Wait { .. }), "both are still taken");
    end(&mut policy, 0, 0);
    end(&mut policy, 0, 0);
    assert!(matches!(start(&mut policy, 2), Answer::Start { .. }));
    assert!(matches!(start(&mut policy, 3), Answer::Wait { .. }));
}

#[test]
fn ends_on_a_compute_unit_that_there_is_not_change_nothing() {
    let free = FreeWeights { waves: 1, ..FreeWeights::default() };
    let power = PowerWeights::new([1; 6]).with_history_ticks(Some(5));
    let mix = PlaceRule::Mix { free, power, shares: [1, 1] };
    let whole = launch(Demand { waves: 8, vgpr: 4, ..Demand::default() });
    for place in [
        PlaceRule::RoundRobin,
        PlaceRule::MostWaves,
        PlaceRule::MostFree(free),
        PlaceRule::LeastPower(power),
        mix,
    ] {
        let mut policy = Matching::new(with_place(place), shape(), 2).unwrap();
        for cu in [2, u16::MAX] {
            let piece = Piece { first: u64::MAX, stride: 2, count: 3, cu: raddle_policy::CuId(cu) };
            let fact = Fact::Ended { launch: &whole, waves: WaveSpan::All, pieces: &[piece] };
            policy.observe(&fact, Tick::ZERO);
        }
        let started = |it: Answer| matches!(it, Answer::Start { .. });
        assert!((0..2).all(|next| started(ask(&mut policy, whole, next).0)));
        assert!(!started(ask(&mut policy, whole, 2).0), "there are two compute units");
    }
}

#[test]
fn what_is_killed_is_free_and_what_is_saved_comes_back_to_its_places() {
    let mut policy = Matching::new(MatchingConfig::default(), shape(), 2).unwrap();
    let whole = launch(Demand { waves: 8, vgpr: 4, ..Demand::default() });
    let other = altered(whole, |it| it.id = LaunchId(1));
    let fits = |policy: &mut Matching, launch, next| {
        matches!(ask(policy, launch, next).0, Answer::Start { .. })
    };
    assert!(fits(&mut policy, whole, 0) && fits(&mut policy, whole, 1));
    assert!(!fits(&mut policy, other, 0));
    policy.observe(&Fact::TakenOff { launch: &whole, how: Preemption::Reset }, Tick::ZERO);
    assert!(fits(&mut policy, whole, 0));
    policy.observe(&Fact::TakenOff { launch: &whole, how: Preemption::Switch }, Tick::ZERO);
    // Another takes the first compute unit, so what comes back there finds its place taken.
    assert!(fits(&mut policy, other, 0));
    policy.observe(&Fact::Restored { launch: &whole }, Tick::ZERO);
    assert!(fits(&mut policy, other, 1), "the second compute unit is free");
    assert!(!fits(&mut policy, other, 2));
    let end = |policy: &mut Matching, launch: &Launch, workgroup, cu| {
        let pieces = &[Piece::one(workgroup, raddle_policy::CuId(cu))];
        policy.observe(&Fact::Ended { launch, waves: WaveSpan::All, pieces }, Tick::ZERO);
    };
    end(&mut policy, &other, 0, 0);
    assert!(!fits(&mut policy, other, 2), "nothing is let in beside the displaced one");
    end(&mut policy, &whole, 0, 0);
    assert!(fits(&mut policy, other, 2));
    assert!(!fits(&mut policy, other, 3));
}
