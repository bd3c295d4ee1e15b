//! Does `block-warp` lose nothing, whatever runs and however it is taken off? Do urgent launches
//! get the next wave slots?

use proptest::prelude::*;
use raddle_dispatch::Composed;
use raddle_policy::{Barrier, Level};
use raddle_sim::{Outcome, Task, Work};
use raddle_sm::{BlockWarp, BlockWarpConfig, Choose};

use crate::kit::{
    SHAPE, WAYS, end, in_order, kernel, latency, preempting, run_default, try_run, workload,
};
use crate::laws::{check, processes};

fn options() -> impl Strategy<Value = BlockWarpConfig> {
    let choose = prop_oneof![Just(Choose::Lowest), Just(Choose::MostFree)];
    (any::<bool>(), choose, any::<bool>()).prop_map(|(strict, choose, fall_through)| {
        BlockWarpConfig { strict, choose, fall_through, ..BlockWarpConfig::default() }
    })
}

/// Marks the first, third, fifth .. task as one that may have a barrier.
fn with_barriers(mut processes: Vec<Vec<Task>>) -> Vec<Vec<Task>> {
    for task in processes.iter_mut().flatten().step_by(2) {
        if let Work::Kernel { barrier, .. } = &mut task.work {
            *barrier = Barrier::Assumed;
        }
    }
    processes
}

fn run(processes: &[Vec<Task>], cus: u16, options: BlockWarpConfig) -> Outcome {
    let policy = BlockWarp::new(options);
    let dispatcher =
        Composed::builder(SHAPE, cus).allocate("block-warp", policy).build().expect("it builds");
    try_run(&workload(processes.to_vec()), cus, dispatcher).expect("lawful")
}

proptest! {
    #[test]
    fn every_way_off_loses_nothing(
        processes in processes().prop_map(with_barriers),
        way in 0usize..6,
        cus in 1u16..4,
        options in options(),
    ) {
        let how = WAYS[way];
        let dispatcher = preempting(cus, how)
            .allocate("block-warp", BlockWarp::new(options))
            .build().expect("it builds");
        let outcome = try_run(&workload(processes.clone()), cus, dispatcher);
        check(&outcome.expect("the two books agree"), &processes, how);
    }

    #[test]
    fn nothing_is_stopped(
        processes in processes().prop_map(with_barriers),
        cus in 1u16..4,
        options in options(),
    ) {
        let outcome = run(&processes, cus, options);
        prop_assert_eq!(outcome.counters.taken_off, 0);
        check(&outcome, &processes, None);
    }
}

/// Checks that an urgent workgroup gets the wave slots that free next, on a unit of 8: a low launch
/// fills them, and the urgent workgroup of 6 waves, issued at 5, starts at 10. Under `leftover` it
/// waits until the low launch has started its last workgroup.
#[test]
fn an_urgent_workgroup_gets_the_next_slots() {
    let mut low = kernel(0, 40, 2, 10);
    low.level = Level(5);
    let processes = vec![vec![low], vec![kernel(5, 1, 6, 10)]];
    let outcome = run(&processes, 1, BlockWarpConfig::default());
    assert_eq!((latency(&outcome, 1), end(&outcome, 1)), (5, 20));
    assert_eq!(end(&outcome, 0), 110, "10 rounds of 4, and the one that the urgent one took");
    let leftover = run_default(&workload(processes), 1);
    assert_eq!((latency(&leftover, 1), end(&leftover, 0)), (95, 100));
}

/// Checks that waves of a workgroup that starts in parts last as long as in a whole one: low
/// launches end at 10 and 20, and the urgent workgroup of 6 waves gets 2 slots at 5 and 4 more at
/// 10.
#[test]
fn waves_of_a_partly_started_workgroup_last_as_long_as_it_would() {
    let mut low = kernel(0, 3, 2, 10);
    low.level = Level(5);
    let processes = vec![in_order(vec![low]), vec![kernel(5, 1, 6, 10)]];
    let outcome = run(&processes, 1, BlockWarpConfig::default());
    assert_eq!((latency(&outcome, 1), end(&outcome, 1)), (0, 20));
    assert_eq!(end(&outcome, 0), 10, "nothing is stopped");
    assert_eq!(outcome.counters.starts, 3, "3 low ones at once, then 2 waves, then 4");
}

/// Checks that waves that meet at a barrier wait for the last of their workgroup. On a unit of 8
/// slots, of which 4 are taken until 1,000 and 2 until 5, two workgroups of 4 waves that start in
/// part each hold half of what they need until 1,000, as in `raddle golden sm`.
#[test]
fn waves_that_meet_at_a_barrier_wait_for_the_last_of_their_workgroup() {
    let ends = |whole_blocks_for_barriers| {
        let of = |arrival, level, waves, ticks, met| {
            let mut task = kernel(arrival, 1, waves, ticks);
            task.level = Level(level);
            if let Work::Kernel { barrier, .. } = &mut task.work {
                *barrier = if met { Barrier::Yes } else { Barrier::No };
            }
            vec![task]
        };
        let processes = [
            of(0, 9, 4, 1_000, false),
            of(0, 9, 2, 5, false),
            of(1, 1, 4, 10, true),
            of(2, 0, 4, 10, true),
        ];
        let options = BlockWarpConfig { whole_blocks_for_barriers, ..BlockWarpConfig::default() };
        let outcome = run(&processes, 1, options);
        [end(&outcome, 3), end(&outcome, 2)]
    };
    assert_eq!(ends(true), [15, 25]);
    assert_eq!(ends(false), [1_010, 1_010]);
}
