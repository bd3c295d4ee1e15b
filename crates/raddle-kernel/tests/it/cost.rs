//! What does the prologue cost a kernel of about two milliseconds, and a verdict beyond the compiler?
//!
//! Measured where `RADDLE_MEASURE` is set, as by `cargo xtask soak kernel`: the kernel as it is and with the
//! prologue in turn, and the median of their ratios. Goal: at most 3 % more.

#![expect(clippy::disallowed_methods, reason = "this is about time")]

use std::path::Path;
use std::time::{Duration, Instant};

use opencl3::kernel::Kernel;
use raddle_kernel::instrument::{Look, UNDECIDED, opencl};

use crate::corpus::{Case, Given};
use crate::device::{More, OpenCl, start};

/// Number of pairs of launches that are timed, one with the prologue (test at a kernel's start
/// whether to leave) and one without.
const PAIRS: usize = 101;

const SOURCE: &str = "\
__kernel void few(__global float *c, int n) {
  int i = get_global_id(0);
  c[i] = c[i] * 0.5f + n;
}
__kernel void guarded(__global float *c, int n) {
  int i = get_global_id(0);
  if (i < n * 4096 - 1) { c[i] = c[i] * 0.5f + n; }
}
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
    let mut worst = 0.0_f64;
    for (name, look) in [
        ("few", Look::Never),
        ("few", Look::WorkItem),
        ("guarded", Look::Never),
        ("guarded", Look::WorkItem),
        ("alone", Look::Never),
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
        let shortest = |rounds| bench.pairs(&case(name, rounds), 15).into_iter().min();
        while shortest(rounds).is_some_and(|pair| pair.0 < Duration::from_millis(2)) {
            rounds *= 2;
        }
        let mut pairs = bench.pairs(&case(name, rounds), PAIRS);
        pairs.sort_by_key(|(plain, _)| *plain);
        let median = pairs[PAIRS / 2].0;
        let mut ratios: Vec<f64> =
            pairs.iter().map(|(plain, with)| with.as_secs_f64() / plain.as_secs_f64()).collect();
        ratios.sort_by(f64::total_cmp);
        let ratio = ratios[PAIRS / 2];
        println!("{name}, {look:?}: {median:?} as it is, {ratio:.4} times that with the prologue");
        worst = worst.max(ratio);
    }
    assert!(worst <= 1.03, "{worst}");
}

/// Prints how long the verdicts on the kernels of each file of the corpus take, where
/// `RADDLE_MEASURE` is set; the goal is 50 ms a kernel.
#[test]
fn verdicts_of_the_corpus_take_little() {
    let (true, Some(compiler)) =
        (std::env::var_os("RADDLE_MEASURE").is_some(), raddle_kernel::Compiler::find())
    else {
        println!("skipped: RADDLE_MEASURE is not set, or there is no compiler");
        return;
    };
    let corpus = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/corpus");
    for entry in std::fs::read_dir(corpus).expect("the corpus") {
        let file = entry.expect("a file").path();
        let spirv = compiler.spirv(&file, &[]).expect("OpenCL C");
        let time = |_| {
            let begin = Instant::now();
            let kernels = raddle_kernel::Kernel::from_spirv(&spirv).expect("SPIR-V");
            kernels.iter().for_each(|kernel| drop(std::hint::black_box(kernel.verdict())));
            (begin.elapsed(), kernels.len())
        };
        let (shortest, count) = (0..15).map(time).min().expect("some");
        println!("{}: {count} kernels, {shortest:?} together", file.display());
    }
}

fn case(name: &str, rounds: i32) -> Case {
    let many = matches!(name, "few" | "guarded");
    let global = if many { 4096 * rounds.unsigned_abs() as usize } else { 4096 };
    Case {
        file: "cost.cl".into(),
        name: name.to_owned(),
        expect: String::new(),
        pairs: Default::default(),
        zero: Default::default(),
        places: Default::default(),
        holds: true,
        truth: String::new(),
        arguments: vec![Given::Floats(global), Given::Int(rounds)],
        global,
        local: if many { 256 } else { 64 },
    }
}

struct Bench<'d> {
    device: &'d OpenCl,
    plain: Kernel,
    with: Kernel,
}

impl Bench<'_> {
    /// Measures launches of a kernel in turn, as (duration of the kernel as it is, duration with
    /// the prologue, a test at its start).
    fn pairs(&self, case: &Case, count: usize) -> Vec<(Duration, Duration)> {
        let buffers = self.device.buffers(&start(case, 1));
        let cuts = self.device.buffer(&[0; 16]);
        let pair = |turn: usize| {
            let words = self.device.buffer(&UNDECIDED.to_ne_bytes());
            let more =
                [More::Buffer(&words), More::Buffer(&cuts), More::Number(0), More::Number(7)];
            let time = |kernel, more| {
                let begin = Instant::now();
                self.device.launch(kernel, case, &buffers, None, more);
                begin.elapsed()
            };
            if turn.is_multiple_of(2) {
                let plain = time(&self.plain, &[][..]);
                (plain, time(&self.with, &more))
            } else {
                let with = time(&self.with, &more);
                (time(&self.plain, &[]), with)
            }
        };
        (0..count).map(pair).collect()
    }
}
