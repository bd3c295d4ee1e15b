//! What does one decision cost, at 132 and at 1,024 SMs?
//!
//! A busy device and 64 kernels of eight priorities. One event: a block ends, then the global controller
//! decides until it waits (G1 to G6, and L1 to L3 of the SM chosen). Times are for 1,000 events. Goals: a
//! decision in 150 ns at 132 SMs, and at most 1.3 times that at 1,024.

use divan::Bencher;
use divan::counter::ItemsCount;
use raddle_policy::{CuId, LaunchId};
use raddle_sm::{BlockWarpConfig, Choose, Controllers, Error, Handle, Kernel, Resources};

const KERNELS: u32 = 64;
const EVENTS: usize = 1000;
const SMS: [u16; 2] = [132, 1024];
const EACH: Resources = Resources { registers: 512, warps: 64, shared: 100 };

fn main() {
    divan::main();
}

/// Returns a kernel with a shape as real ones have it: 1 to 16 warps in a block, some with shared
/// memory, some with barriers.
fn kernel(id: u32, sms: u16) -> Kernel {
    let n = u64::from(id);
    let warps = [1, 2, 4, 8, 8, 16, 4, 6][id as usize % 8];
    let registers = [4, 8, 8, 12, 16][id as usize % 5];
    let shared = [0, 0, 4, 16][id as usize % 4];
    let barrier = shared > 4;
    // A few rounds of the device each, so that it stays full.
    let blocks = 4 * u64::from(sms);
    Kernel { id: LaunchId(id), rank: 7 - n % 8, blocks, warps, registers, shared, barrier }
}

struct Device {
    sms: u16,
    gpu: Controllers,
    /// Warps of blocks that run: for those of one block that started together, (handle of the
    /// block, their number, the kernel).
    running: Vec<(Handle, u64, LaunchId)>,
    /// State of the pseudo-random generator (xorshift) that chooses which block ends.
    random: u64,
}

impl Device {
    fn full(sms: u16, options: BlockWarpConfig) -> Result<Self, Error> {
        let mut gpu = Controllers::new(sms, EACH, options)?;
        for id in 0..KERNELS {
            gpu.arrive(&kernel(id, sms))?;
        }
        let running = Vec::with_capacity(1 << 16);
        let mut device = Self { sms, gpu, running, random: 88_172_645_463_325_252 };
        device.decide()?;
        // Events run until the load is steady.
        for _ in 0..20 * EVENTS {
            device.event()?;
        }
        Ok(device)
    }

    fn drawn(&mut self) -> usize {
        self.random ^= self.random << 13;
        self.random ^= self.random >> 7;
        self.random ^= self.random << 17;
        (self.random % self.running.len() as u64) as usize
    }

    fn serve(&mut self, sm: CuId) -> Result<(), Error> {
        while let Some(it) = self.gpu.serve(sm)? {
            self.running.push((it.handle(), it.count(), it.kernel()));
        }
        Ok(())
    }

    /// Makes decisions until no block can be distributed.
    fn decide(&mut self) -> Result<(), Error> {
        while let Some(decision) = self.gpu.decide() {
            self.serve(decision.sm())?;
        }
        Ok(())
    }

    /// Ends the warps of a random block, lets its kernel arrive again when it was the last block,
    /// and distributes blocks where there is room.
    fn event(&mut self) -> Result<(), Error> {
        let at = self.drawn();
        let (handle, count, id) = self.running.swap_remove(at);
        let mut done = None;
        for _ in 0..count {
            done = Some(self.gpu.ended(handle)?);
        }
        if let Some(done) = done {
            self.serve(done.sm())?;
            if done.kernel_done() {
                self.gpu.arrive(&kernel(id.0, self.sms))?;
            }
        }
        self.decide()
    }
}

fn events(bencher: Bencher<'_, '_>, sms: u16, options: BlockWarpConfig) {
    let mut device = Device::full(sms, options).expect("the options are lawful");
    bencher.counter(ItemsCount::new(EVENTS)).bench_local(|| {
        (0..EVENTS).try_for_each(|_| device.event()).expect("the events are lawful");
    });
}

#[divan::bench(args = SMS)]
fn default(bencher: Bencher<'_, '_>, sms: u16) {
    events(bencher, sms, BlockWarpConfig::default());
}

#[divan::bench(args = SMS)]
fn choose_most_free(bencher: Bencher<'_, '_>, sms: u16) {
    events(
        bencher,
        sms,
        BlockWarpConfig { choose: Choose::MostFree, ..BlockWarpConfig::default() },
    );
}

#[divan::bench(args = SMS)]
fn fall_through(bencher: Bencher<'_, '_>, sms: u16) {
    events(bencher, sms, BlockWarpConfig { fall_through: true, ..BlockWarpConfig::default() });
}
