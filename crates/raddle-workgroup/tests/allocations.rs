//! Do the parts of seed 000 allocate nothing once they have seen as much as they will see?

use raddle_policy::{
    Allocate, Answer, CuShape, Cus, Demand, Fact, Piece, ReadyLaunch, ReadyView, Round, Tick,
    WaveSpan,
};
use raddle_testkit::{CountingAllocator, demand, launch, made};
use raddle_workgroup::balance::{Kind, Pointer, Table};
use raddle_workgroup::order::{Lowest, Marks, Order, Windows};
use raddle_workgroup::place::{History, LeastPower, Mix, MostFree, Weights};
use raddle_workgroup::split::{Failures, Outcome, Workgroup, split};
use raddle_workgroup::{
    FreeWeights, LevelOrder, LevelWindows, Matching, MatchingConfig, PlaceRule, PowerWeights,
    SplitRule,
};

#[global_allocator]
static ALLOCATOR: CountingAllocator = CountingAllocator;

#[test]
fn the_count_counts() {
    assert_eq!(made(|| drop(std::hint::black_box(vec![1_u8]))), 1);
}

#[test]
fn orders_and_marks() {
    let windows = Windows::new(&[8, 4, 3, 1]).unwrap();
    let mut marks = Marks::new(4, 64).unwrap();
    let mut tied = Vec::with_capacity(64);
    let count = made(|| {
        for now in 0..1_000 {
            assert_eq!(windows.order(now).count(), 4);
            let heads = (0..64).map(|channel| (channel, channel % 4));
            let best = windows.best(heads, now, &mut tied).unwrap().unwrap();
            marks.choose(best, &tied, &mut Lowest).unwrap();
        }
    });
    assert_eq!(count, 0);
}

#[test]
fn splits_and_balance() {
    let mut failures = Failures::default();
    let mut pointer = Pointer::new(Table::new(4, 16).unwrap(), Kind::Tail, 0).unwrap();
    let waves = [0_u8; 16];
    let count = made(|| {
        for n in 1..=64 {
            failures.round(Outcome::Fail);
            let workgroup = Workgroup { level: 0, independent: true, waves: &waves, shared: &64 };
            assert_eq!(split(workgroup, 3).unwrap().unwrap().count(), 16);
            let target = pointer.target(n).unwrap();
            assert_eq!(target.entries().sum::<u64>(), n);
            pointer.dispatch(target).unwrap();
        }
    });
    assert_eq!(count, 0);
}

#[test]
fn placement_rules_and_a_window_that_is_full() {
    let weights = Weights::new(&[2, 5]).unwrap();
    let (most, least) = (MostFree::new(weights.clone()), LeastPower::new(weights.clone()));
    let mix = Mix::new(1, 1).unwrap();
    let mut history = History::new(1024, 2).unwrap();
    let mut cycles = |from: u64, to: u64| {
        for cycle in from..to {
            history.issue(cycle, &[1, cycle % 3]).unwrap();
            let power = history.power(cycle, &weights).unwrap();
            let rows = [[cycle, power], [3, 4]];
            most.pick(rows).unwrap();
            least.pick(rows).unwrap();
            mix.pick(&rows[0], &rows[1]).unwrap();
        }
    };
    assert!(made(|| cycles(0, 1_100)) > 0, "while it fills, it grows");
    assert_eq!(made(|| cycles(1_100, 10_000)), 0);
}

/// Checks that nothing allocates memory once the device is full of four kernels: no decision, with
/// the addresses that it gives, and no end of a workgroup.
#[test]
fn matching_in_steady_state() {
    let cus = 16;
    let shape = CuShape {
        simds: 4,
        waves_per_simd: 10,
        vgpr_per_simd: 64,
        sgpr: 200,
        lds: 256,
        workgroups: 40,
        barriers: 40,
    };
    // Waves, granules of vector and scalar registers a wave, granules of local memory.
    let kernels = [(4, 8, 1, 16), (1, 6, 2, 0), (8, 16, 3, 64), (2, 32, 6, 32)];
    let entry = |(id, (waves, vgpr, sgpr, lds)): (u32, (u16, u16, u16, u32))| {
        let demand = Demand { sgpr, lds, ..demand(waves, vgpr) };
        let launch = launch(id).stream(id).workgroups(u64::MAX / 2).demand(demand);
        launch.level(id as u8 % 3).activity([1, 2, 3, 4, 5, 6]).ready()
    };
    let free = FreeWeights { waves: 1, vgpr: 2, ..FreeWeights::default() };
    let power = PowerWeights::new([1, 2, 3, 4, 5, 6]).with_history_ticks(Some(4));
    let place = |place| MatchingConfig::default().with_place(place);
    let windows = LevelOrder::Windows(LevelWindows::us(vec![4, 2, 1]));
    let split = Some(SplitRule::default().with_threshold(0).with_retry_us(Some(1)));
    let configs = [
        place(PlaceRule::LowestIndex),
        place(PlaceRule::RoundRobin),
        place(PlaceRule::Mix { free, power, shares: [1, 1] }),
        MatchingConfig::default().with_order(windows),
        MatchingConfig::default().with_split(split),
    ];
    let cutting = MatchingConfig::default().with_split(split);
    for config in configs {
        let (cuts, mut cut) = (config == cutting, 0);
        let mut policy = Matching::new(config, shape, cus).unwrap();
        let mut entries: Vec<ReadyLaunch> = (0..).zip(kernels).map(entry).collect();
        if cuts {
            // The workgroups of launch 1 have one wave, and would go before all that are cut.
            let mut none = *entries[1].launch();
            none.workgroups = 0;
            entries[1] = raddle_testkit::ready(none);
        }
        let table = Cus::new(shape, cus);
        let mut resident: Vec<(usize, Piece, WaveSpan)> = Vec::with_capacity(4096);
        let mut round = Round::default();
        let mut draw = 0x9E37_79B9_7F4A_7C15_u64;
        let mut steps = |from: u64, to: u64| {
            for now in from..to {
                loop {
                    round.clear();
                    let view = ReadyView::new(&entries, &table);
                    let answer = policy.allocate(&view, Tick(now), &mut round);
                    let Answer::Start { launch, waves } = answer else { break };
                    let entry = &mut entries[launch.index()];
                    match waves {
                        WaveSpan::Cut { first, count }
                            if first + count < entry.launch().demand.waves =>
                        {
                            *entry = entry.with_cut(first + count);
                            cut += 1;
                        }
                        _ => *entry = entry.with_cut(0).with_next(entry.next() + 1),
                    }
                    resident.push((launch.index(), round.pieces[0], waves));
                }
                for _ in 0..4 {
                    draw ^= draw << 13;
                    draw ^= draw >> 7;
                    draw ^= draw << 17;
                    let at = (draw % resident.len() as u64) as usize;
                    let (launch, piece, waves) = resident.swap_remove(at);
                    let (launch, pieces) = (&entries[launch].launch(), &[piece]);
                    let fact = Fact::Ended { launch, waves, pieces };
                    policy.observe(&fact, Tick(now));
                }
            }
        };
        assert!(made(|| steps(0, 500)) > 0, "at first it learns of launches");
        assert_eq!(made(|| steps(500, 3_000)), 0);
        assert_eq!(cut > 0, cuts, "{cut} waves of workgroups that were cut");
    }
}

/// Checks the memory that the policy keeps for one compute unit of an MI300X (4 SIMDs of 8 slots
/// and 64 granules, 128 granules of LDS) that is as full as it can be.
#[test]
fn a_compute_unit_takes_at_most_a_kibibyte() {
    let shape = CuShape {
        simds: 4,
        waves_per_simd: 8,
        vgpr_per_simd: 64,
        sgpr: u16::MAX,
        lds: 128,
        workgroups: 32,
        barriers: 16,
    };
    let entry = |id| {
        let demand = Demand { lds: id, ..demand(1, 1) };
        launch(id).stream(id).workgroups(u64::MAX).demand(demand).ready()
    };
    let entries: Vec<ReadyLaunch> = (0..4).map(entry).collect();
    let held = |cus: u16| {
        let table = Cus::new(shape, cus);
        let mut round = Round::default();
        round.pieces.reserve(1 << 16);
        round.places.reserve(1 << 16);
        round.refusals.reserve(64);
        let before = raddle_testkit::held();
        let mut policy = Matching::new(MatchingConfig::default(), shape, cus).unwrap();
        for entry in 0..4 {
            let launches = &entries[entry..=entry];
            let view = ReadyView::new(launches, &table);
            round.clear();
            policy.allocate_round(&view, Tick::ZERO, &mut round);
        }
        let held = raddle_testkit::held() - before;
        drop(policy);
        held
    };
    let each = (held(1_304) - held(304)) / 1_000;
    println!("{each} bytes a compute unit");
    assert!(each <= 1024, "{each}");
}
