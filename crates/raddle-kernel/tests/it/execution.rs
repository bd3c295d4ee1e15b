//! Is what the corpus says of its kernels true when they are executed?
//!
//! Each kernel runs once; then some of its work-items run, each stopped behind one of its statements,
//! and all run again: the memory must be equal where the verdict says so, and must differ once in many
//! tries where the corpus says that the kernel is not idempotent. Then the same with two arguments in one
//! buffer: where the memory differs, the verdict must name the pair.

use opencl3::kernel::Kernel;

use crate::corpus::{Case, cases, files};
use crate::device::{Draw, Memory, More, OpenCl, start};

/// Number of random contents and stops that are tried for each kernel.
const TRIES: u64 = 12;

#[test]
fn executed_kernels_agree_with_the_corpus() {
    let Some(device) = OpenCl::open() else { return };
    let cases = cases();
    let mut wrong = Vec::new();
    for file in files() {
        let program = device.program(&with_stops(&std::fs::read_to_string(&file).expect("a file")));
        for case in cases.iter().filter(|case| case.file == file && case.truth != "skip") {
            let kernel = Kernel::create(&program, &case.name).expect("the kernel");
            let mut bench = Bench { device: &device, kernel, case };
            wrong.extend(bench.judge());
            let zero = case.where_zero();
            if !case.zero.is_empty() {
                bench.case = &zero;
                wrong.extend(bench.judge());
            }
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

/// Returns the source of a kernel that can be stopped: it gets an argument with the number of
/// statements that each work-item may carry out, and a test behind each statement. Kernels with a
/// barrier are stopped a workgroup at a time and between the statements of their outermost block
/// only, so that a work-item passes a barrier only where all have come.
fn with_stops(source: &str) -> String {
    let mut out = String::new();
    let (mut inside, mut depth, mut barrier) = (false, 0_i32, false);
    let lines: Vec<&str> = source.lines().collect();
    for (index, line) in lines.iter().enumerate() {
        let mut line = (*line).to_owned();
        let code = line.trim().to_owned();
        if line.starts_with("__kernel void ") {
            let body: Vec<&&str> = lines[index..].iter().take_while(|line| **line != "}").collect();
            barrier =
                body.iter().any(|line| line.contains("barrier(") || line.contains("wait_group"));
            (inside, depth) = (true, 0);
            let unit = if barrier { "get_group_id(0)" } else { "get_global_id(0)" };
            line = line.replacen(
                ") {",
                &format!(", __global const int *stops) {{ int stop_in = stops[{unit}]; if (stop_in == 0) return;"),
                1,
            );
        }
        out.push_str(&line);
        depth += i32::try_from(code.matches('{').count()).expect("few braces");
        depth -= i32::try_from(code.matches('}').count()).expect("few braces");
        let statement =
            inside && code.ends_with(';') && !code.starts_with("return") && code != "break;";
        // Not between the fields of a structure.
        let field =
            depth > 1 && code.split(' ').count() == 2 && !code.contains('=') && !code.contains('(');
        let field = field || code.starts_with("__global float *to;");
        if statement && !field && depth >= 1 && (!barrier || depth == 1) {
            out.push_str(" if (--stop_in == 0) return;");
        }
        if inside && depth == 0 {
            inside = false;
        }
        out.push('\n');
    }
    out
}

struct Bench<'b> {
    device: &'b OpenCl,
    kernel: Kernel,
    case: &'b Case,
}

impl Bench<'_> {
    /// Returns what the corpus says of this kernel and its execution shows to be wrong, in words.
    fn judge(&self) -> Vec<String> {
        let name = &self.case.name;
        let mut wrong = Vec::new();
        let refuted = (0..TRIES).any(|seed| self.differs(seed, None));
        match (&*self.case.truth, refuted) {
            ("idempotent", true) => wrong.push(format!("{name}: refuted with arguments apart")),
            ("not", false) => wrong.push(format!("{name}: not refuted")),
            _ => {}
        }
        // Where a number that must be zero is another, the verdict says nothing of pairs.
        let holds = self.case.zero.is_empty() || *self.case == self.case.where_zero();
        if holds && matches!(&*self.case.expect, "idempotent" | "conditional") {
            for (a, b) in self.shareable() {
                let pair = (u32::try_from(a).expect("few"), u32::try_from(b).expect("few"));
                let named = self.case.pairs.contains(&pair);
                if !named && (0..TRIES).any(|seed| self.differs(seed, Some((a, b)))) {
                    wrong.push(format!("{name}: refuted with {a} and {b} in one buffer"));
                }
            }
        }
        wrong
    }

    /// Returns the pairs of the kernel's buffers for which one buffer can stand.
    fn shareable(&self) -> Vec<(usize, usize)> {
        let buffers: Vec<usize> = start(self.case, 0).into_keys().collect();
        let pairs = buffers.iter().flat_map(|a| buffers.iter().map(move |b| (*a, *b)));
        pairs.filter(|(a, b)| a < b).collect()
    }

    /// Returns whether a stopped run of the kernel and then a whole one leave other memory than one
    /// whole run.
    fn differs(&self, seed: u64, shared: Option<(usize, usize)>) -> bool {
        let mut draw = Draw(seed.wrapping_mul(977).wrapping_add(1));
        let start = start(self.case, seed);
        let all = vec![-1_i32; self.case.global];
        let once = self.run(&start, &[&all], shared);
        let most = 1 << (1 + draw.next(6));
        let some: Vec<i32> = (0..self.case.global)
            .map(|_| match draw.next(4) {
                0 => 0,
                1 => -1,
                _ => i32::try_from(draw.next(most)).expect("small"),
            })
            .collect();
        let again = self.run(&start, &[&some, &all], shared);
        let twice = self.run(&start, &[&all, &all], shared);
        once != again || once != twice
    }

    /// Runs the kernel several times, each time with these stops, and returns the memory that is
    /// left.
    fn run(&self, start: &Memory, runs: &[&Vec<i32>], shared: Option<(usize, usize)>) -> Memory {
        let buffers = self.device.buffers(start);
        for stops in runs {
            let raw: Vec<u8> = stops.iter().flat_map(|stop| stop.to_ne_bytes()).collect();
            let stops = self.device.buffer(&raw);
            let more = [More::Buffer(&stops)];
            self.device.launch(&self.kernel, self.case, &buffers, shared, &more);
        }
        self.device.memory(&buffers, start)
    }
}
