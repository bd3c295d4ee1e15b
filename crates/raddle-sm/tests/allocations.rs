//! Do decisions allocate nothing once the tables have seen as much as they will see?

use std::collections::VecDeque;

use raddle_policy::{CuId, LaunchId};
use raddle_sm::{BlockWarpConfig, Choose, Controllers, Handle, Kernel, Resources};
use raddle_testkit::{CountingAllocator, made};

#[global_allocator]
static ALLOCATOR: CountingAllocator = CountingAllocator;

#[test]
fn the_count_counts() {
    assert_eq!(made(|| drop(std::hint::black_box(vec![1_u8]))), 1);
}

/// Full device, for steps in which the oldest warp ends, its slot is given to waiting warps, the
/// next blocks are distributed, and each kernel that is done arrives again.
struct Device {
    gpu: Controllers,
    running: VecDeque<(Handle, u64, LaunchId)>,
    again: Vec<LaunchId>,
}

fn kernel(id: LaunchId) -> Kernel {
    let n = u64::from(id.0);
    let (warps, shared, barrier) = (1 + n % 7, n % 5, n % 3 == 0);
    Kernel { id, rank: 5 - n % 6, blocks: 9, warps, registers: 2 + n % 4, shared, barrier }
}

impl Device {
    fn decide(&mut self) {
        while let Some(decision) = self.gpu.decide() {
            self.serve(decision.sm());
        }
    }

    fn serve(&mut self, sm: CuId) {
        while let Some(started) = self.gpu.serve(sm).expect("an SM") {
            self.running.push_back((started.handle(), started.count(), started.kernel()));
        }
    }

    fn step(&mut self) {
        let Some((handle, count, kernel_of)) = self.running.pop_front() else { return };
        let ended = self.gpu.ended(handle).expect("it runs");
        if count > 1 {
            self.running.push_back((handle, count - 1, kernel_of));
        }
        self.serve(ended.sm());
        if ended.kernel_done() {
            self.again.push(kernel_of);
        }
        while let Some(id) = self.again.pop() {
            assert_eq!(self.gpu.arrive(&kernel(id)), Ok(None));
        }
        self.decide();
    }
}

#[test]
fn nothing_is_allocated_in_steady_state() {
    for (choose, fall_through) in [(Choose::Lowest, false), (Choose::MostFree, true)] {
        let options = BlockWarpConfig { choose, fall_through, ..BlockWarpConfig::default() };
        let each = Resources { registers: 64, warps: 16, shared: 16 };
        let gpu = Controllers::new(33, each, options).expect("SMs");
        let mut device =
            Device { gpu, running: VecDeque::with_capacity(4096), again: Vec::with_capacity(64) };
        device.again.extend((0..64).map(LaunchId));
        while let Some(id) = device.again.pop() {
            assert_eq!(device.gpu.arrive(&kernel(id)), Ok(None));
        }
        device.decide();
        (0..50_000).for_each(|_| device.step());
        let count = made(|| (0..50_000).for_each(|_| device.step()));
        assert_eq!(count, 0, "{choose:?}");
        assert!(device.running.len() > 33, "the device is busy");
    }
}
