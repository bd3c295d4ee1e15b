//! Who gets the turn under each policy of the slot, step by step?
#![allow(clippy::unwrap_used, reason = "all of this is test code")]

use std::fmt::Write;

use raddle_policy::{Level, LoadedSlice, ProcessId, ProcessState, Tick, Ticks, Turn};
use raddle_testkit::process;
use raddle_timeslice::{
    RoundRobinTurn, RoundRobinTurnConfig, SliceError, SliceRule, TakeOver, UnmapAll,
    UnmapAllConfig, Vruntime, VruntimeConfig, WeightedSlices, WeightedSlicesConfig,
};

/// Small simulation of a turn policy in which one process at a time has the device: the first that
/// the policy names.
struct World<P> {
    policy: P,
    now: u64,
    states: Vec<ProcessState>,
    table: String,
}

impl<P: Turn> World<P> {
    fn new(policy: P, levels: &[u8]) -> Self {
        let state = |(id, &level)| ProcessState::new(ProcessId(id), Level(level), Tick::ZERO);
        let states = (0..).zip(levels).map(state).collect();
        Self { policy, now: 0, states, table: String::from("  us  runnable  turn     until\n") }
    }

    /// Lets `lasts_us` microseconds pass in which the processes with these ids are runnable, and
    /// asks the policy whenever a turn ends.
    fn step(&mut self, runnable: &[u16], lasts_us: u64) {
        let end = self.now + lasts_us * 1000;
        while self.now < end {
            let view: Vec<ProcessState> =
                self.states.iter().filter(|s| runnable.contains(&s.id.0)).copied().collect();
            let mut named = Vec::new();
            let until = self.policy.turn(&view, Tick(self.now), &mut named);
            let list =
                |ids: Vec<u16>| ids.iter().map(ToString::to_string).collect::<Vec<_>>().join(" ");
            let (now, runs) = (self.now as f64 / 1000.0, list(runnable.to_vec()));
            let names = list(named.iter().map(|id| id.0).collect());
            let ends = until.map_or("-".to_owned(), |t| (t.0 as f64 / 1000.0).to_string());
            writeln!(self.table, "{now:>4}  {runs:<8}  {names:<7}  {ends}").unwrap();
            let next = until.map_or(end, |until| until.0.min(end));
            for state in &mut self.states {
                if runnable.contains(&state.id.0) {
                    state.alive += Ticks(next - self.now);
                }
                if named.first() == Some(&state.id) {
                    state.ran += Ticks(next - self.now);
                }
            }
            self.now = next;
        }
    }
}

fn weighted(rule: SliceRule, levels: &[u8], take_over: TakeOver) -> World<WeightedSlices> {
    let config =
        WeightedSlicesConfig::new(rule).with_t0_us(10).with_capacity(2).with_take_over(take_over);
    World::new(WeightedSlices::new(config).unwrap(), levels)
}

/// Checks both choices of the alive time on two processes that each ran for 5 ms of 100 ms: the
/// first was runnable for 10 ms of them, the second joined after 50 ms.
#[test]
fn alive_time_is_runnable_time_or_all_since_it_joined() {
    let ms = |ms: u64| Ticks(ms * 1_000_000);
    let ran = ms(5);
    let mut states = [process(0), process(1)];
    (states[0].alive, states[0].ran) = (ms(10), ran);
    (states[1].alive, states[1].ran, states[1].joined) = (ms(40), ran, Tick::ZERO + ms(50));
    for (wall, named, weights) in
        [(false, ProcessId(1), [(10, 5), (40, 5)]), (true, ProcessId(0), [(100, 5), (50, 5)])]
    {
        let config = WeightedSlicesConfig::new(SliceRule::MinOne)
            .with_t0_us(1000)
            .with_capacity(1)
            .with_wall_time(wall);
        let mut policy = WeightedSlices::new(config).unwrap();
        let (now, mut may_issue) = (Tick::ZERO + ms(100), Vec::new());
        let until = policy.turn(&states, now, &mut may_issue);
        assert_eq!((&*may_issue, until), (&[named][..], Some(now + ms(1))), "{wall}");
        let load = policy.load().unwrap();
        assert_eq!(load.candidates, [ProcessId(0), ProcessId(1)]);
        let (over, under) = weights[named.index()];
        let weight = (u128::from(ms(over).0), ms(under).0);
        assert_eq!(load.loaded, [LoadedSlice { process: named, weight, slice: ms(1) }]);
        // While the turn goes on, no load is reported.
        policy.turn(&states, now + Ticks(1), &mut Vec::new());
        assert_eq!(policy.load(), None);
    }
}

#[test]
fn weighted_slices() {
    // Not all fit; one runs dry within its slice and comes back; one is more urgent.
    let mut world = weighted(SliceRule::MinOne, &[1, 1, 1, 0], TakeOver::SliceEnd);
    world.step(&[0, 1, 2], 45);
    world.step(&[1, 2], 12);
    world.step(&[0, 1, 2], 25);
    world.step(&[0, 1, 2, 3], 30);
    world.step(&[0, 1, 2], 30);
    insta::assert_snapshot!(world.table);
}

#[test]
fn a_more_urgent_process_takes_over_at_once() {
    let mut world = weighted(SliceRule::Equal, &[1, 1, 0], TakeOver::AtOnce);
    world.step(&[0, 1], 15);
    world.step(&[0, 1, 2], 12);
    world.step(&[0, 1], 15);
    insta::assert_snapshot!(world.table);
}

#[test]
fn a_process_whose_level_has_fallen_leaves_the_batch() {
    let mut world = weighted(SliceRule::Equal, &[1, 1], TakeOver::SliceEnd);
    world.step(&[0, 1], 10);
    // Process 1 is next in the batch, but its urgent launches have ended meanwhile.
    world.states[1].level = Level(2);
    let mut named = Vec::new();
    world.policy.turn(&world.states, Tick(world.now), &mut named);
    assert_eq!(named, [ProcessId(0)]);
}

#[test]
fn a_slice_that_would_end_at_the_last_tick_has_no_end() {
    let slice = 10_000;
    let turn = |now: u64| {
        let config = RoundRobinTurnConfig::default().with_slice_us(slice / 1000);
        let mut policy = RoundRobinTurn::new(config).unwrap();
        policy.turn(&[process(0), process(1)], Tick(now), &mut Vec::new())
    };
    assert_eq!(turn(u64::MAX - slice - 1), Some(Tick(u64::MAX - 1)));
    assert_eq!(turn(u64::MAX - slice), None);
}

#[test]
fn levels_are_folded() {
    let policy = WeightedSlicesConfig::new(SliceRule::Equal).with_levels(2);
    let policy = WeightedSlices::new(policy.with_t0_us(10)).unwrap();
    let mut world = World::new(policy, &[3, 1, 200]);
    assert_eq!(world.policy.folded(&world.states), 2);
    world.step(&[0, 1, 2], 60);
    insta::assert_snapshot!(world.table);
}

#[test]
fn round_robin() {
    let config = RoundRobinTurnConfig::default().with_slice_us(10);
    let mut world = World::new(RoundRobinTurn::new(config).unwrap(), &[1, 0, 1]);
    world.step(&[0, 1, 2], 25);
    world.step(&[0, 1], 12);
    world.step(&[1, 2], 22);
    world.step(&[2], 5);
    insta::assert_snapshot!(world.table);
}

#[test]
fn unmap_all() {
    let config = UnmapAllConfig::default().with_slice_us(10).with_capacity(2);
    let mut world = World::new(UnmapAll::new(config).unwrap(), &[1, 1, 1, 0]);
    world.step(&[0, 1], 5);
    world.step(&[0, 1, 2], 25);
    world.step(&[0, 1, 2, 3], 25);
    world.step(&[0, 2], 5);
    insta::assert_snapshot!(world.table);
}

#[test]
fn vruntime() {
    let config = VruntimeConfig::default().with_slice_us(10);
    let mut world = World::new(Vruntime::new(config).unwrap(), &[2, 1, 2]);
    world.step(&[0, 1], 100);
    world.step(&[0], 20);
    world.step(&[0, 1, 2], 60);
    insta::assert_snapshot!(world.table);
}

#[test]
fn vruntime_charges_a_run_after_which_a_process_is_away() {
    let mut world =
        World::new(Vruntime::new(VruntimeConfig::default().with_slice_us(10)).unwrap(), &[1, 1]);
    for _ in 0..100 {
        world.step(&[0, 1], 10);
        world.step(&[1], 10);
    }
    // The first process has half of the 1,000 us in which both could run.
    assert_eq!(world.states[0].ran, Ticks(500_000));
}

#[test]
fn vruntime_forgives_what_a_process_ran_while_nobody_else_was_there() {
    let mut world =
        World::new(Vruntime::new(VruntimeConfig::default().with_slice_us(10)).unwrap(), &[1, 1]);
    world.step(&[0], 100_000);
    world.step(&[], 10);
    world.step(&[1], 10);
    world.step(&[0, 1], 1000);
    // Each has half of the 1,000 us that they share, but for the run that is charged late.
    assert_eq!([0, 1].map(|id| world.states[id].ran.0 / 1000), [100_500, 510]);
}

#[test]
fn vruntime_levels_get_two_four_and_eight_times_the_next() {
    let run = |levels: &[u8]| {
        let config = VruntimeConfig::default().with_slice_us(10);
        let mut world = World::new(Vruntime::new(config).unwrap(), levels);
        world.step(&[0, 1], 36_000);
        let ran: Vec<f64> = world.states.iter().map(|state| state.ran.0 as f64).collect();
        (ran[0] / ran[1]).round()
    };
    assert_eq!([run(&[0, 1]), run(&[1, 2]), run(&[2, 3]), run(&[2, 9])], [2.0, 4.0, 8.0, 8.0]);
    assert_eq!(run(&[1, 1]), 1.0);
}

#[test]
fn configurations_are_checked() {
    let said =
        |error: Option<SliceError>| error.map_or("fine".to_owned(), |error| error.to_string());
    let base = WeightedSlicesConfig::new(SliceRule::Claim);
    let weighted = |config| said(WeightedSlices::new(config).err());
    let (us, over) = (u64::MAX / 1000, u64::MAX / 1000 + 1);
    let mut lines = vec![
        weighted(base.with_t0_us(0)),
        weighted(base.with_t0_us(over)),
        weighted(base.with_t0_us(us)),
        weighted(base.with_capacity(0)),
        weighted(base.with_levels(0)),
        weighted(base.with_levels(257)),
        weighted(base.with_levels(256)),
        weighted(base.with_longest_us(Some(0))),
        weighted(base.with_longest_us(Some(39_999))),
        weighted(base.with_longest_us(Some(40_000))),
        weighted(base.with_longest_us(Some(over))),
    ];
    for slice_us in [0, us, over] {
        lines.push(said(
            RoundRobinTurn::new(RoundRobinTurnConfig::default().with_slice_us(slice_us)).err(),
        ));
        lines.push(said(
            UnmapAll::new(UnmapAllConfig::default().with_slice_us(slice_us).with_capacity(1)).err(),
        ));
        lines.push(said(Vruntime::new(VruntimeConfig::default().with_slice_us(slice_us)).err()));
    }
    lines.push(said(
        UnmapAll::new(UnmapAllConfig::default().with_slice_us(1).with_capacity(0)).err(),
    ));
    insta::assert_snapshot!(lines.join("\n"));
}
