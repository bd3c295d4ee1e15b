//! What does the prologue cost a kernel of about two milliseconds?
//!
//! Measured where `RADDLE_MEASURE` is set, as by `cargo xtask soak kernel`: the kernel as it is and with the
//! prologue in turn, and the median of their ratios. Goal: at most 3 % more.

#![expect(clippy::disallowed_methods, reason = "this is about time")]

use std::time::{Duration, Instant};

use opencl3::kernel::Kernel;
use raddle_kernel::instrument::{Look, UNDECIDED, opencl};

use crate::corpus::{Case, Given};
use crate::device::{More, OpenCl, start};

/// Pairs of launches.
const PAIRS: usize = 101;

const SOURCE: &str = "\
__kernel void alone(__global float *c, int n) {
  float x = get_global_id(0);
  for (int k = 0; k < n; k++) { x = x * 0.5f + k; }
  c[get_global_id(0)] = x;
}
__kernel void meets(__global float *c, int n) {
  __local float shared[64];
  shared[get_local_id(0)] = get_global_id(0);
  barrier(CLK_LOCAL_MEM_FENCE);
  float x = shared[63 - get_local_id(0)];
  for (int k = 0; k < n; k++) { x = x * 0.5f + k; }
  c[get_global_id(0)] = x;
}
__kernel void tiles(__global float *c, int n) {
  __local float tile[64];
  int l = get_local_id(0);
  float sum = 0;
  for (int m = 0; m < n; m++) {
    tile[l] = m * 0.5f + l;
    barrier(CLK_LOCAL_MEM_FENCE);
    for (int k = 0; k < 64; k++) { sum += tile[k] * tile[l]; }
    barrier(CLK_LOCAL_MEM_FENCE);
  }
  c[get_global_id(0)] = sum;
}
";

#[test]
fn the_prologue_costs_little() {
    if std::env::var_os("RADDLE_MEASURE").is_none() {
        println!("skipped: RADDLE_MEASURE is not set");
        return;
    }
    let Some(device) = OpenCl::open() else { return };
    for (name, look) in [
        ("alone", Look::WorkItem),
        ("meets", Look::Never),
        ("meets", Look::Workgroup),
        ("tiles", Look::Never),
        ("tiles", Look::Workgroup),
    ] {
        let plain = device.program(SOURCE);
        let with = device.program(&opencl(SOURCE, |_| look).source);
        let bench = Bench {
            device: &device,
            plain: Kernel::create(&plain, name).expect("the kernel"),
            with: Kernel::create(&with, name).expect("the kernel"),
        };
        let mut rounds = 16;
        // The shortest of some, as others may use the machine.
        let shortest = |rounds| (0..15).map(|_| bench.once(&case(name, rounds)).0).min();
        while shortest(rounds).is_some_and(|time| time < Duration::from_millis(2)) {
            rounds *= 2;
        }
        let case = case(name, rounds);
        let mut pairs: Vec<(Duration, Duration)> = (0..PAIRS).map(|_| bench.once(&case)).collect();
        pairs.sort_by_key(|(plain, _)| *plain);
        let median = pairs[PAIRS / 2].0;
        let mut ratios: Vec<f64> =
            pairs.iter().map(|(plain, with)| with.as_secs_f64() / plain.as_secs_f64()).collect();
        ratios.sort_by(f64::total_cmp);
        let ratio = ratios[PAIRS / 2];
        println!("{name}, {look:?}: {median:?} as it is, {ratio:.4} times that with the prologue");
        assert!(ratio <= 1.03, "{name}: {ratio}");
    }
}

fn case(name: &str, rounds: i32) -> Case {
    Case {
        file: "cost.cl".into(),
        name: name.to_owned(),
        expect: String::new(),
        pairs: Default::default(),
        truth: String::new(),
        arguments: vec![Given::Floats(4096), Given::Int(rounds)],
        global: 4096,
        local: 64,
    }
}

struct Bench<'d> {
    device: &'d OpenCl,
    plain: Kernel,
    with: Kernel,
}

impl Bench<'_> {
    /// How long one launch lasts as it is, and the next with the prologue.
    fn once(&self, case: &Case) -> (Duration, Duration) {
        let buffers = self.device.buffers(&start(case, 1));
        let words = self.device.buffer(&UNDECIDED.to_ne_bytes());
        let cuts = self.device.buffer(&[0; 16]);
        let more = [More::Buffer(&words), More::Buffer(&cuts), More::Number(0), More::Number(7)];
        let begin = Instant::now();
        self.device.launch(&self.plain, case, &buffers, None, &[]);
        let between = Instant::now();
        self.device.launch(&self.with, case, &buffers, None, &more);
        (between - begin, between.elapsed())
    }
}
