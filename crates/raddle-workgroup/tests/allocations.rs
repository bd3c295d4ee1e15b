//! Do the parts of seed 000 allocate nothing once they have seen as much as they will see?
#![allow(unsafe_code, reason = "a counting allocator cannot be written without")]

use std::alloc::{GlobalAlloc, Layout, System};
use std::cell::Cell;

use raddle_workgroup::balance::{Kind, Pointer, Table};
use raddle_workgroup::order::{Lowest, Marks, Order, Windows};
use raddle_workgroup::place::{History, LeastPower, Mix, MostFree, Weights};
use raddle_workgroup::split::{Failures, Outcome, Workgroup, split};

struct Counting;

thread_local! {
    static MADE: Cell<u64> = const { Cell::new(0) };
}

// SAFETY: every call is handed to the system's allocator unchanged; only their number is noted.
unsafe impl GlobalAlloc for Counting {
    unsafe fn alloc(&self, layout: Layout) -> *mut u8 {
        MADE.with(|made| made.set(made.get() + 1));
        // SAFETY: the caller's promises are those that the system's allocator asks for.
        unsafe { System.alloc(layout) }
    }

    unsafe fn dealloc(&self, pointer: *mut u8, layout: Layout) {
        // SAFETY: as above.
        unsafe { System.dealloc(pointer, layout) }
    }
}

#[global_allocator]
static ALLOCATOR: Counting = Counting;

/// How many allocations this makes.
fn made(work: impl FnOnce()) -> u64 {
    let before = MADE.get();
    work();
    MADE.get() - before
}

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
