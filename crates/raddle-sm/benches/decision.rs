//! What does one decision cost, at 132 and at 1,024 SMs?
//!
//! A busy device and 64 kernels of eight priorities. In turn, some blocks end (timed by warp, with
//! the service of their SM), and the global controller decides until it waits (timed by decision:
//! G1 to G6, and L1 to L3 of the SM chosen). Beside it the same decisions by a loop over plain
//! counters, without block tables and without index, from the same state; both must decide equally
//! often. Medians and fastest of the rounds, in nanoseconds.
#![allow(
    clippy::disallowed_methods,
    clippy::print_stdout,
    reason = "a benchmark reads the clock and prints"
)]

use std::hint::black_box;
use std::time::Instant;

use raddle_sm::{Choose, Controllers, Error, Handle, Kernel, Options, Resources, Route};
use raddle_types::LaunchId;

const KERNELS: u32 = 64;
const ROUNDS: usize = 400;
const EACH: Resources = Resources { registers: 512, warps: 64, shared: 100 };

/// Shapes as real kernels have them: 1 to 16 warps, some with shared memory, some with barriers.
fn kernel(id: u32) -> Kernel {
    let n = u64::from(id);
    let warps = [1, 2, 4, 8, 8, 16, 4, 6][id as usize % 8];
    let registers = [4, 8, 8, 12, 16][id as usize % 5];
    let shared = [0, 0, 4, 16][id as usize % 4];
    let barrier = shared > 4;
    Kernel { id: LaunchId(id), priority: n % 8, blocks: 200, warps, registers, shared, barrier }
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
            gpu.arrive(&kernel(id))?;
        }
        let (running, gone) = (Vec::with_capacity(1 << 16), Vec::with_capacity(64));
        Ok(Self { gpu, running, random: Random(88_172_645_463_325_252), gone, routes: [0; 3] })
    }

    /// Ends the warps of some blocks; how many.
    fn end(&mut self, blocks: usize) -> Result<u64, Error> {
        let mut ended = 0;
        for _ in 0..blocks.min(self.running.len()) {
            let at = self.random.below(self.running.len());
            let (handle, count, kernel) = self.running.swap_remove(at);
            for _ in 0..count {
                let what = self.gpu.ended(handle)?;
                ended += 1;
                if what.kernel_done {
                    self.gone.push(kernel);
                }
                while let Some(it) = self.gpu.serve(what.sm)? {
                    self.running.push((it.handle, it.count, it.kernel));
                }
            }
        }
        Ok(ended)
    }

    /// Kernels that ended come again.
    fn come_again(&mut self) -> Result<(), Error> {
        while let Some(id) = self.gone.pop() {
            self.gpu.arrive(&kernel(id.0))?;
        }
        Ok(())
    }

    /// Decides until nothing can be distributed; how often.
    fn decide(&mut self) -> Result<u64, Error> {
        let mut count = 0;
        while let Some(decision) = self.gpu.decide() {
            count += 1;
            self.routes[decision.route as usize] += 1;
            while let Some(it) = self.gpu.serve(decision.sm)? {
                self.running.push((it.handle, it.count, it.kernel));
            }
        }
        Ok(count)
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
    fn of(gpu: &Controllers) -> Self {
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
            let it = kernel(row.kernel.0);
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

    fn decide(&mut self) -> u64 {
        let mut count = 0;
        while self.decide_one() {
            count += 1;
        }
        count
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

/// Nanoseconds a unit of every round, sorted.
#[derive(Default)]
struct Times(Vec<f64>);

impl Times {
    fn note(&mut self, start: Instant, units: u64) {
        let nanoseconds = start.elapsed().as_nanos() as f64;
        if units > 0 {
            self.0.push(nanoseconds / units as f64);
        }
    }

    /// The fastest and the median.
    fn ends(&mut self) -> (f64, f64) {
        self.0.sort_by(f64::total_cmp);
        let at = |position: usize| self.0.get(position).copied().unwrap_or(f64::NAN);
        (at(0), at(self.0.len() / 2))
    }
}

/// One row; the median of a decision.
fn measure(name: &str, sms: u16, options: Options, compare: bool) -> Result<f64, Error> {
    let mut device = Device::new(sms, options)?;
    device.decide()?;
    let (mut decisions, mut plain, mut ends, mut waits) =
        (Times::default(), Times::default(), Times::default(), Times::default());
    let mut count = 0;
    for round in 0..2 * ROUNDS {
        let warm = round >= ROUNDS;
        let start = Instant::now();
        let ended = device.end(usize::from(sms) / 2)?;
        if warm {
            ends.note(start, ended);
        }
        if round == ROUNDS {
            device.routes = [0; 3];
            count = 0;
        }
        device.come_again()?;
        let mut counters = Counters::of(&device.gpu);
        let start = Instant::now();
        let made = device.decide()?;
        if warm {
            decisions.note(start, made);
        }
        count += made;
        let start = Instant::now();
        black_box(device.gpu.decide());
        if warm {
            waits.note(start, 1);
        }
        let start = Instant::now();
        let plainly = black_box(counters.decide());
        if warm && compare {
            plain.note(start, plainly);
            assert_eq!(made, plainly, "the counters decide alike");
        }
    }
    let ((fastest, median), (_, plain)) = (decisions.ends(), plain.ends());
    let ((_, end), (_, wait)) = (ends.ends(), waits.ends());
    let share = |route: Route| 100.0 * device.routes[route as usize] as f64 / count as f64;
    let routes = [Route::Whole, Route::First, Route::Second].map(share);
    let routes = format!("{:.0}/{:.0}/{:.0}", routes[0], routes[1], routes[2]);
    let mean = count as f64 / ROUNDS as f64;
    println!(
        "{name:<22} {sms:>5} {mean:>8.0} {routes:>10} {fastest:>8.0} {median:>7.0} {plain:>8.0} {wait:>6.0} {end:>6.0}"
    );
    Ok(median)
}

fn main() -> Result<(), Error> {
    println!(
        "                               decisions    % whole/  fastest  median counters     in   warp"
    );
    println!(
        "options                  SMs   a round first/second       ns      ns only, ns   vain    end"
    );
    let plain = Options::default();
    let small = measure("default", 132, plain, true)?;
    let large = measure("default", 1024, plain, true)?;
    let choose = Choose::MostFree;
    for sms in [132, 1024] {
        measure("choose = most-free", sms, Options { choose, ..plain }, false)?;
        measure("fall-through", sms, Options { fall_through: true, ..plain }, false)?;
    }
    println!(
        "goals: at most 150 ns at 132 SMs: {small:.0}; at 1,024 at most 1.3x: {:.2}x",
        large / small
    );
    Ok(())
}
