//! Does a pool load what a plain scan of its entries loads, where its columns are hardest put?
//!
//! Pools that a random search does not find: one old process beside young ones that ran for most of
//! their lives, and ages as long as the clock can say.

use raddle_timeslice::{Levels, Pool, Runnable, StageOne, Task, TaskId};
use raddle_types::{Level, Tick, Ticks};

fn task(id: u32, level: u8, share: u64, (created, ran): (u64, u64)) -> Task {
    Task { id: TaskId(id), level: Level(level), share, created: Tick(created), ran: Ticks(ran) }
}

/// Which position is loaded where one fits: by the pool, and by a plain scan.
fn loaded(tasks: &[Task], now: u64, t0: u64) -> [Vec<usize>; 2] {
    let mut pool = Pool::new(Levels::default());
    for task in tasks {
        pool.add(*task, Tick(now)).expect("a task as it may be");
    }
    let mut stage = StageOne::new(Ticks(t0), 1).expect("a slice and room for one");
    let (mut quick, mut plain) = (Vec::new(), Vec::new());
    pool.load(&mut stage, &mut quick);
    stage.load(pool.entries(), &mut plain);
    [quick, plain].map(|list| list.iter().map(|loaded| loaded.index).collect())
}

#[test]
fn one_old_process_beside_young_ones() {
    let (now, ran) = ((1 << 47) + (1 << 33) - 10, 1_u64 << 32);
    let mut tasks = vec![task(0, 1, 1, (0, 0)), task(1, 1, 1, (now - ran, ran - 1))];
    tasks.extend((2..34).map(|id| task(id, 0, 1, (now - ran / 2 * 3, ran))));
    // Owed 1.9 where the others are owed 1.5.
    tasks.push(task(34, 0, 1, (now - ran / 10 * 19, ran)));
    assert_eq!(loaded(&tasks, now, 1), [[34], [34]]);
}

#[test]
fn the_longest_slice_there_can_be() {
    let tasks: Vec<Task> = (0..40).map(|id| task(id, 0, 2 + u64::from(id == 35), (0, 0))).collect();
    for t0 in [u64::MAX, u64::MAX - 1, 1 << 63] {
        assert_eq!(loaded(&tasks, 0, t0), [[35], [35]], "{t0}");
    }
}
