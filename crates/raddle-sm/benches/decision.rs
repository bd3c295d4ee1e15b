//! What does one decision cost, at 132 and at 1,024 SMs?
//!
//! A busy device and 64 kernels of eight priorities. A block ends (its warps and the service of
//! their SM, timed by warp), then the global controller decides until it waits (timed by decision:
//! G1 to G6, and L1 to L3 of the SM chosen; the last one, in vain, by itself). Beside it the same
//! decisions by a loop over plain counters, without block tables and without index, from the same
//! state; both must decide equally often. Nanoseconds, less what reading the clock takes.
#![allow(
    clippy::disallowed_methods,
    clippy::print_stdout,
    reason = "a benchmark reads the clock and prints"
)]

use std::hint::black_box;
use std::time::Instant;

use raddle_policy::LaunchId;
use raddle_sm::{Choose, Controllers, Error, Handle, Kernel, Options, Resources, Route};

const KERNELS: u32 = 64;
/// Blocks that end; as many before, untimed.
const EVENTS: usize = 20_000;
/// Every so many of them the counters decide too.
const COMPARED: usize = 8;
const EACH: Resources = Resources { registers: 512, warps: 64, shared: 100 };

/// Shapes as real kernels have them: 1 to 16 warps, some with shared memory, some with barriers.
fn kernel(id: u32, sms: u16) -> Kernel {
    let n = u64::from(id);
    let warps = [1, 2, 4, 8, 8, 16, 4, 6][id as usize % 8];
    let registers = [4, 8, 8, 12, 16][id as usize % 5];
    let shared = [0, 0, 4, 16][id as usize % 4];
    let barrier = shared > 4;
    // A few rounds of the device each, so that it stays full.
    let blocks = 4 * u64::from(sms);
    Kernel { id: LaunchId(id), priority: n % 8, blocks, warps, registers, shared, barrier }
}

/// xorshift: deterministic.
struct Random(u64);

impl Random {
    fn below(&mut self, end: usize) -> usize {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        (self.0 % end as u64) as usize
    }
}

struct Device {
    sms: u16,
    gpu: Controllers,
    /// Warps of a block that started together: whose, how many.
    running: Vec<(Handle, u64, LaunchId)>,
    random: Random,
    gone: Vec<LaunchId>,
    routes: [u64; 3],
}

impl Device {
    fn new(sms: u16, options: Options) -> Result<Self, Error> {
        let mut gpu = Controllers::new(sms, EACH, options)?;
        for id in 0..KERNELS {
            gpu.arrive(&kernel(id, sms))?;
        }
        let (running, gone) = (Vec::with_capacity(1 << 16), Vec::with_capacity(64));
        let random = Random(88_172_645_463_325_252);
        Ok(Self { sms, gpu, running, random, gone, routes: [0; 3] })
    }

    /// Ends warps of a block that started together; how many.
    fn end(&mut self) -> Result<u64, Error> {
        let at = self.random.below(self.running.len());
        let (handle, count, kernel) = self.running.swap_remove(at);
        let mut done = None;
        for _ in 0..count {
            done = Some(self.gpu.ended(handle)?);
        }
        if let Some(done) = done {
            if done.kernel_done {
                self.gone.push(kernel);
            }
            while let Some(it) = self.gpu.serve(done.sm)? {
                self.running.push((it.handle, it.count, it.kernel));
            }
        }
        Ok(count)
    }

    /// Kernels that ended come again.
    fn come_again(&mut self) -> Result<(), Error> {
        while let Some(id) = self.gone.pop() {
            self.gpu.arrive(&kernel(id.0, self.sms))?;
        }
        Ok(())
    }

    /// One decision, and the service of its SM; whether there was one.
    fn decide(&mut self) -> Result<bool, Error> {
        let Some(decision) = self.gpu.decide() else { return Ok(false) };
        self.routes[decision.route as usize] += 1;
        while let Some(it) = self.gpu.serve(decision.sm)? {
            self.running.push((it.handle, it.count, it.kernel));
        }
        Ok(true)
    }
}

/// The counters of a device, one list each, and its kernels, the next target last.
#[derive(Default)]
struct Counters {
    warps: Vec<u32>,
    registers: Vec<u32>,
    shared: Vec<u32>,
    /// The top priority plus 1; 0 without blocks.
    tops: Vec<u32>,
    targets: Vec<Target>,
}

struct Target {
    left: u32,
    priority: u32,
    warps: u32,
    registers: u32,
    shared: u32,
    barrier: bool,
}

impl Counters {
    fn of(gpu: &Controllers, sms: u16) -> Self {
        let mut counters = Self::default();
        for row in gpu.sms() {
            counters.warps.push(row.remaining.warps as u32);
            counters.registers.push(row.remaining.registers as u32);
            counters.shared.push(row.remaining.shared as u32);
            counters.tops.push(row.top.map_or(0, |top| top as u32 + 1));
        }
        let mut rows = gpu.kernels();
        rows.retain(|row| row.undistributed > 0);
        // By priority, the first to arrive last.
        rows.reverse();
        rows.sort_by_key(|row| row.priority);
        counters.targets.extend(rows.iter().map(|row| {
            let it = kernel(row.kernel.0, sms);
            Target {
                left: row.undistributed as u32,
                priority: it.priority as u32 + 1,
                warps: it.warps as u32,
                registers: it.registers as u32,
                shared: it.shared as u32,
                barrier: it.barrier,
            }
        }));
        counters
    }

    fn decide_one(&mut self) -> bool {
        let Some(it) = self.targets.last_mut() else { return false };
        let need = it.warps * it.registers;
        let (mut first, mut second) = (None, None);
        let amounts = self.warps.iter().zip(&self.registers).zip(&self.shared).zip(&self.tops);
        let mut whole = None;
        for (sm, (((&warps, &registers), &shared), &top)) in amounts.enumerate() {
            if shared >= it.shared && warps > 0 {
                if warps >= it.warps && registers >= need {
                    whole = Some(sm);
                    break;
                }
                if first.is_none() && !it.barrier && registers >= it.registers {
                    first = Some(sm);
                }
            }
            if second.is_none() && top < it.priority {
                second = Some(sm);
            }
        }
        let Some(sm) = whole.or(first).or(second) else { return false };
        let mut given = 1;
        if whole.is_some() {
            let n1 = (self.warps[sm] / it.warps).min(self.registers[sm] / need);
            let n1 = n1.min(self.shared[sm].checked_div(it.shared).unwrap_or(u32::MAX));
            given = n1.min(it.left);
            self.warps[sm] -= given * it.warps;
            self.registers[sm] -= given * need;
            self.shared[sm] -= given * it.shared;
        } else if first.is_some() {
            let warps = self.warps[sm].min(self.registers[sm] / it.registers);
            self.warps[sm] -= warps;
            self.registers[sm] -= warps * it.registers;
            self.shared[sm] -= it.shared;
        }
        self.tops[sm] = self.tops[sm].max(it.priority);
        it.left -= given;
        if it.left == 0 {
            self.targets.pop();
        }
        true
    }
}

/// Nanoseconds, each measured by itself.
#[derive(Default)]
struct Times(Vec<(f64, f64)>);

impl Times {
    fn note(&mut self, start: Instant, units: u64) {
        self.0.push((start.elapsed().as_nanos() as f64, units as f64));
    }

    /// Of a unit, less the clock.
    fn median(&self, clock: f64) -> f64 {
        let mut each: Vec<f64> =
            self.0.iter().map(|&(time, units)| (time - clock) / units).collect();
        each.sort_by(f64::total_cmp);
        each.get(each.len() / 2).copied().unwrap_or(f64::NAN)
    }
}

/// What reading the clock takes.
fn clock() -> f64 {
    let mut times = Times::default();
    for _ in 0..EVENTS {
        times.note(Instant::now(), 1);
    }
    times.median(0.0)
}

#[derive(Default)]
struct Measured {
    found: Times,
    vain: Times,
    ends: Times,
    counters_found: Times,
    counters_vain: Times,
}

impl Measured {
    /// One block ends, and what can be distributed is.
    fn event(&mut self, device: &mut Device, compare: bool) -> Result<(), Error> {
        let start = Instant::now();
        let ended = device.end()?;
        self.ends.note(start, ended);
        device.come_again()?;
        let mut counters = compare.then(|| Counters::of(&device.gpu, device.sms));
        loop {
            let start = Instant::now();
            let found = black_box(device.decide()?);
            (if found { &mut self.found } else { &mut self.vain }).note(start, 1);
            if let Some(counters) = &mut counters {
                let start = Instant::now();
                let plainly = black_box(counters.decide_one());
                let times = if found { &mut self.counters_found } else { &mut self.counters_vain };
                times.note(start, 1);
                assert_eq!(found, plainly, "the counters decide alike");
            }
            if !found {
                return Ok(());
            }
        }
    }
}

/// One row; the median of a decision.
fn measure(name: &str, sms: u16, options: Options) -> Result<f64, Error> {
    let compare = options == Options::default();
    let mut device = Device::new(sms, options)?;
    while device.decide()? {}
    let mut measured = Measured::default();
    for event in 0..2 * EVENTS {
        if event == EVENTS {
            measured = Measured::default();
            device.routes = [0; 3];
        }
        measured.event(&mut device, compare && event % COMPARED == 0)?;
    }
    let clock = clock();
    let Measured { found, vain, ends, counters_found, counters_vain } = measured;
    let count = found.0.len();
    let share = |route: Route| 100.0 * device.routes[route as usize] as f64 / count as f64;
    let routes = [Route::Whole, Route::First, Route::Second].map(share);
    let routes = format!("{:.0}/{:.0}/{:.0}", routes[0], routes[1], routes[2]);
    let median = found.median(clock);
    let mut row = format!("{name:<20} {sms:>5} {count:>9} {routes:>12} {median:>8.0}");
    let others = [&vain, &ends, &counters_found, &counters_vain];
    for times in others {
        let nanoseconds = times.median(clock);
        row += &if nanoseconds.is_nan() {
            format!("{:>9}", "")
        } else {
            format!("{nanoseconds:>9.0}")
        };
    }
    println!("{}", row.trim_end());
    Ok(median)
}

fn main() -> Result<(), Error> {
    println!(
        "                                       % whole/                     a warp  counters:"
    );
    println!(
        "options                SMs decisions first/second decision  in vain      end decision  in vain"
    );
    let plain = Options::default();
    let small = measure("default", 132, plain)?;
    let large = measure("default", 1024, plain)?;
    let choose = Choose::MostFree;
    for sms in [132, 1024] {
        measure("choose = most-free", sms, Options { choose, ..plain })?;
        measure("fall-through", sms, Options { fall_through: true, ..plain })?;
    }
    let ratio = large / small;
    println!("goals: at most 150 ns at 132 SMs: {small:.0}; at most 1.3x at 1,024: {ratio:.2}x");
    Ok(())
}
