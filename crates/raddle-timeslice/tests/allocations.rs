//! Does a slice allocate nothing once the lists have the size that they will have?

use raddle_policy::{ProcessState, Tick, Ticks, Turn};
use raddle_testkit::{CountingAllocator, made, process};
use raddle_timeslice::{
    RoundRobinTurn, RoundRobinTurnConfig, SliceRule, UnmapAll, UnmapAllConfig, Vruntime,
    VruntimeConfig, WeightedSlices, WeightedSlicesConfig,
};

#[global_allocator]
static ALLOCATOR: CountingAllocator = CountingAllocator;

#[test]
fn the_count_counts() {
    assert_eq!(made(|| drop(std::hint::black_box(vec![1_u8]))), 1);
}

fn turns(mut policy: impl Turn) {
    let mut states: Vec<ProcessState> = (0..12).map(process).collect();
    states.iter_mut().for_each(|state| state.share = 1 + u32::from(state.id.0));
    let mut named = Vec::with_capacity(12);
    let mut now = Tick::ZERO;
    let mut play = |rounds: u32| {
        for _ in 0..rounds {
            named.clear();
            let until = policy.turn(&states, now, &mut named).unwrap_or(now + Ticks(5000));
            for state in &mut states {
                state.alive += until.since(now);
                if named.contains(&state.id) {
                    state.ran += until.since(now);
                }
            }
            now = until;
        }
    };
    play(100);
    assert_eq!(made(|| play(1000)), 0);
}

#[test]
fn turns_of_every_policy() {
    for rule in SliceRule::ALL {
        let config = WeightedSlicesConfig::new(rule).with_t0_us(10);
        turns(WeightedSlices::new(config).unwrap());
    }
    turns(RoundRobinTurn::new(RoundRobinTurnConfig::default().with_slice_us(10)).unwrap());
    turns(Vruntime::new(VruntimeConfig::default().with_slice_us(10)).unwrap());
    // All fit, or they take turns.
    for capacity in [12, 5] {
        turns(
            UnmapAll::new(UnmapAllConfig::default().with_slice_us(10).with_capacity(capacity))
                .unwrap(),
        );
    }
}
