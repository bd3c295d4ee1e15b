//! Is what is counted what was allocated?

use std::hint::black_box;

use raddle_testkit::{CountingAllocator, held, made, peak};

#[global_allocator]
static ALLOCATOR: CountingAllocator = CountingAllocator;

#[test]
fn the_count_counts() {
    assert_eq!(made(|| ()), 0);
    assert_eq!(made(|| drop(black_box(vec![1_u8]))), 1);
    let before = held();
    let kept = black_box(vec![0_u8; 100]);
    assert_eq!(held() - before, 100);
    drop(kept);
    assert_eq!(held(), before);
    // Other tests may hold something meanwhile: there are none.
    let (bytes, ()) = peak(|| {
        drop(black_box(vec![0_u8; 1 << 20]));
        drop(black_box(vec![0_u8; 10]));
    });
    assert!(((1 << 20)..(1 << 20) + 10_000).contains(&bytes), "{bytes}");
}
