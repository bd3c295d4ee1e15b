//! Does the exclusive GPU of the golden model allocate nothing once its lists have their size?

use raddle_golden::slices::{Exclusive, GpuTask, TaskId};
use raddle_policy::{Level, Tick, Ticks};
use raddle_testkit::{CountingAllocator, made};
use raddle_timeslice::{LoadOrder, SliceConfig, SliceRule};

#[global_allocator]
static ALLOCATOR: CountingAllocator = CountingAllocator;

#[test]
fn the_count_counts() {
    assert_eq!(made(|| drop(std::hint::black_box(vec![1_u8]))), 1);
}

#[test]
fn slices_of_the_exclusive_gpu() {
    for rule in SliceRule::ALL {
        // The last has more than one unit of run time and many blocks of columns.
        for (order, capacity, tasks) in [
            (LoadOrder::Fifo, 8, 20),
            (LoadOrder::Random { seed: 3 }, 32, 20),
            (LoadOrder::Fifo, 8, 2000),
        ] {
            let settings = SliceConfig::new(Ticks(40), capacity, rule).with_order(order);
            let mut gpu = Exclusive::new(&settings).unwrap();
            for id in 0..tasks {
                let (created, ran) = (Tick(0), Ticks(0));
                let task = GpuTask { id: TaskId(id), level: Level(1), share: 1, created, ran };
                gpu.add(task, None, Tick(0));
            }
            gpu.advance(Tick(100_000), &mut |_| {});
            let (mut slices, loads) = (0, gpu.loads());
            let run = || gpu.advance(Tick(1_000_000), &mut |_| slices += 1);
            assert_eq!(made(run), 0, "{}", rule.name());
            assert!(slices > 500 && gpu.loads() > loads, "{slices}");
        }
    }
}
