//! Does nobody starve with windows, and does nobody stand in the way of others?

use raddle_policy::{
    Allocate, Answer, Barrier, CuId, Cus, Fact, Launch, Piece, ReadyLaunch, ReadyView, Round, Tick,
    WaveSpan,
};
use raddle_testkit::{SMALL_CU, altered, demand, ready};
use raddle_workgroup::{
    Amounts, FreeWeights, LevelOrder, LevelWindows, Matching, MatchingConfig, PlaceRule, SearchRule,
};

fn launch(id: u32, level: u8, workgroups: u64, waves: u16, vgpr: u16) -> Launch {
    let launch = raddle_testkit::launch(id).stream(id).level(level).workgroups(workgroups);
    launch.demand(demand(waves, vgpr)).barrier(Barrier::Yes).build()
}

/// A played device on which every workgroup of a launch lasts a given number of ticks.
struct Play {
    policy: Matching,
    cus: Cus,
    entries: Vec<(ReadyLaunch, u64)>,
    /// The resident workgroups, each as (tick at which it ends, index of its launch, piece), by
    /// that tick.
    due: Vec<(u64, usize, Piece)>,
    /// For each launch, the tick at which its first workgroup started; the next field has that at
    /// which its last one ended.
    first: Vec<Option<u64>>,
    last: Vec<u64>,
}

impl Play {
    fn new(config: MatchingConfig, cus: u16, launches: &[(Launch, u64)]) -> Self {
        let entry = |&(launch, ticks)| (ready(launch), ticks);
        Self {
            policy: Matching::new(config, SMALL_CU, cus).expect("the scenario is sound"),
            cus: Cus::new(SMALL_CU, cus),
            entries: launches.iter().map(entry).collect(),
            due: vec![],
            first: vec![None; launches.len()],
            last: vec![0; launches.len()],
        }
    }

    fn tick(&mut self, now: u64) {
        let (due, later) = std::mem::take(&mut self.due).into_iter().partition(|it| it.0 == now);
        self.due = later;
        let due: Vec<_> = due;
        for (_, at, piece) in due {
            let launch = &self.entries[at].0.launch();
            let fact = Fact::Ended { launch, waves: WaveSpan::All, pieces: &[piece] };
            self.policy.observe(&fact, Tick(now));
            self.last[at] = now;
        }
        loop {
            let view: Vec<_> = self.entries.iter().map(|(entry, _)| *entry).collect();
            let view = ReadyView::new(&view, &self.cus);
            let mut round = Round::default();
            let answer = self.policy.allocate(&view, Tick(now), &mut round);
            let Answer::Start { launch, .. } = answer else { return };
            let at = launch.index();
            let (entry, ticks) = &mut self.entries[at];
            *entry = entry.with_next(entry.next() + 1);
            self.due.push((now + *ticks, at, round.pieces[0]));
            self.first[at].get_or_insert(now);
        }
    }
}

/// Returns how long one workgroup of the least urgent level waits, in ticks, on a compute unit that
/// holds one workgroup at a time, beside urgent work without end (the case T6 of E2); `None` where
/// it never starts.
fn wait_of_the_least_urgent(order: LevelOrder) -> Option<u64> {
    let config = MatchingConfig::default().with_order(order);
    let urgent = launch(0, 0, u64::MAX, 8, 4);
    let least = launch(1, 3, 1, 8, 4);
    let mut play = Play::new(config, 1, &[(urgent, 1_000), (least, 1_000)]);
    (0..1_000).for_each(|us| play.tick(us * 1_000));
    play.first[1].map(|at| at / 1_000)
}

#[test]
fn static_order_starves_and_windows_do_not() {
    assert_eq!(wait_of_the_least_urgent(LevelOrder::Static), None, "in 1,000 us");
    let windows = |us: &[u64]| LevelOrder::Windows(LevelWindows::us(us.to_vec()));
    assert_eq!(wait_of_the_least_urgent(windows(&[8, 4, 3, 1])), Some(15));
    assert_eq!(wait_of_the_least_urgent(windows(&[3, 4, 8, 1])), Some(15));
    assert_eq!(wait_of_the_least_urgent(windows(&[1, 1, 1, 1])), Some(3));
    // With fewer windows than levels the least urgent is of the last one.
    assert_eq!(wait_of_the_least_urgent(windows(&[8, 4])), Some(8));
}

/// Returns the tick at which 400 small workgroups of one stream are done on four compute units that
/// are half full for long, where an urgent workgroup of another stream, which wants a whole unit,
/// may block them.
fn small_done(channels: Option<u16>) -> u64 {
    let place = PlaceRule::RoundRobin;
    let config = MatchingConfig::default().with_channels(channels).with_place(place);
    let long = launch(0, 0, 4, 4, 4);
    let large = launch(1, 1, 1, 8, 4);
    let small = launch(2, 2, 400, 1, 2);
    let mut play = Play::new(config, 4, &[(long, 1_000), (large, 10), (small, 10)]);
    (0..3_000).for_each(|now| play.tick(now));
    assert_eq!(play.entries.iter().map(|(entry, _)| entry.undistributed()).sum::<u64>(), 0);
    assert!(play.first[1] >= Some(1_000), "the large one waits for a whole compute unit");
    play.last[2]
}

#[test]
fn a_large_urgent_head_holds_up_a_serial_dispatcher_alone() {
    // One channel for all is what the seed begins with: one workgroup is looked at at a time.
    let (serial, matched) = (small_done(Some(1)), small_done(None));
    println!("400 small workgroups done after {serial} ticks serially, {matched} matched");
    assert!(serial > 1_000, "they wait for the large one: {serial}");
    assert_eq!(matched, 250, "16 at a time, from the beginning");
}

/// Returns the compute unit that a launch gets, of two with 16 granules of LDS each: the first has
/// granules 1 to 10 free, in which one whole group of four lies, and granule 15; the second has 8
/// to 15 free, two whole groups.
fn chosen(search: SearchRule, amounts: Amounts) -> Option<CuId> {
    let place = PlaceRule::MostFree(FreeWeights { lds: 1, amounts, ..FreeWeights::default() });
    let config = MatchingConfig::default().with_search(search).with_place(place);
    // LDS, waves, how long: of two that end early one leaves the run, the other the wave slots.
    let all = [(1, 1, 100), (8, 1, 100), (10, 1, 10), (0, 7, 10), (4, 1, 100), (2, 1, 100)];
    let launches: Vec<(Launch, u64)> = (0..)
        .zip(all)
        .map(|(id, (lds, waves, ticks))| {
            let whole = launch(id, id as u8, 1, waves, 1);
            (altered(whole, |it| it.demand.lds = lds), ticks)
        })
        .collect();
    let mut play = Play::new(config, 2, &launches);
    (0..=10).for_each(|now| play.tick(now));
    assert_eq!(play.first[..5], [Some(0); 5], "the stage is set at once");
    assert_eq!(play.first[5], Some(10), "the last one finds no room before");
    play.due.iter().find(|due| due.1 == 5).map(|due| due.2.cu)
}

#[test]
fn longest_runs_are_those_that_the_chosen_search_reports() {
    assert_eq!(chosen(SearchRule::Full, Amounts::LongestRun), Some(CuId(0)), "10 against 8");
    assert_eq!(chosen(SearchRule::size(4), Amounts::LongestRun), Some(CuId(1)), "4 against 8");
    for search in [SearchRule::Full, SearchRule::size(4)] {
        assert_eq!(chosen(search, Amounts::Free), Some(CuId(0)), "11 against 8, whoever searches");
    }
}
