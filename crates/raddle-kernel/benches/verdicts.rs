//! How long does a verdict take, and the check of a launch's arguments?
//!
//! Goals: 50 ms a kernel beyond the compiler, 1,000 ns for 16 pointers. The yardstick of the check is
//! the comparison of the same ranges without a verdict: all pairs of 16, in two loops.

use std::fmt::Write;
use std::hint::black_box;

use divan::Bencher;
use raddle_kernel::launch::{LaunchSizes, Range, may_run_again};
use raddle_kernel::{Compiler, Conditions, Kernel, Verdict};

fn main() {
    divan::main();
}

/// Numbers of branches of the measured kernels; each branch has a store of its own.
const BRANCHES: [usize; 3] = [30, 300, 3000];

/// Returns the text of a kernel with this many branches in PTX.
fn ptx(branches: usize) -> String {
    let mut text = ".version 8.0\n.target sm_70\n.address_size 64\n\
                    .visible .entry f(.param .u64 a, .param .u64 c, .param .u32 n)\n{\n\
                    .reg .b64 %c, %a, %i;\n.reg .b32 %n, %v;\n.reg .pred %p;\n\
                    ld.param.u64 %c, [c];\nld.param.u64 %a, [a];\nld.param.u32 %n, [n];\n\
                    cvta.to.global.u64 %c, %c;\ncvta.to.global.u64 %a, %a;\n\
                    mov.u32 %v, %tid.x;\nmul.wide.u32 %i, %v, 4;\nadd.s64 %c, %c, %i;\n"
        .to_owned();
    for at in 0..branches {
        let _ = write!(
            text,
            "ld.global.u32 %v, [%a+{place}];\nsetp.gt.u32 %p, %v, {at};\n@%p bra L{at};\n\
             st.global.u32 [%c+{place}], %v;\nL{at}:\n",
            place = 4 * at
        );
    }
    text + "ret;\n}\n"
}

/// Returns the text of a kernel in OpenCL C with this many branches, each of which also changes a
/// variable of the work-item.
fn opencl(branches: usize) -> String {
    let mut text = "__kernel void f(__global const int *a, __global int *c, int n) {\n  \
                    int i = (int)get_global_id(0);\n  int sum = 0;\n"
        .to_owned();
    for at in 0..branches {
        let _ = writeln!(text, "  if (a[i + {at}] > n) {{ c[i + {at}] = sum; sum += {at}; }}");
    }
    text + "}\n"
}

/// Returns the text of a kernel in OpenCL C with this many branches, each of which changes the
/// memory that its condition reads.
fn in_place(branches: usize) -> String {
    let mut text = "__kernel void f(__global int *c, int n) {\n  \
                    int i = (int)get_global_id(0);\n  int sum = 0;\n"
        .to_owned();
    for at in 0..branches {
        let _ = writeln!(text, "  if (c[i + {at}] > n) {{ sum += c[i]; c[i + {at}] = sum; }}");
    }
    text + "}\n"
}

fn judge(kernels: &[Kernel]) {
    let kernel = kernels.first().expect("a kernel");
    assert_ne!(black_box(kernel.verdict()), Verdict::Idempotent);
}

#[divan::bench(args = BRANCHES)]
fn branches_in_ptx(bencher: Bencher<'_, '_>, branches: usize) {
    let text = ptx(branches);
    bencher.bench_local(|| judge(&Kernel::from_ptx(&text).expect("PTX")));
}

/// Measures the verdict on a kernel in OpenCL C, from its SPIR-V on; measures nothing where there
/// is no compiler.
#[divan::bench(args = BRANCHES)]
fn branches_in_opencl(bencher: Bencher<'_, '_>, branches: usize) {
    from_spirv(bencher, &opencl(branches));
}

#[divan::bench(args = BRANCHES)]
fn branches_in_place(bencher: Bencher<'_, '_>, branches: usize) {
    from_spirv(bencher, &in_place(branches));
}

fn from_spirv(bencher: Bencher<'_, '_>, source: &str) {
    let Some(compiler) = Compiler::find() else { return };
    let folder = tempfile::tempdir().expect("a folder");
    let file = folder.path().join("branches.cl");
    std::fs::write(&file, source).expect("a file");
    let spirv = compiler.spirv(&file, &[]).expect("OpenCL C");
    bencher.bench_local(|| judge(&Kernel::from_spirv(&spirv).expect("SPIR-V")));
}

/// Returns the memory of sixteen buffers that share no byte.
fn ranges() -> Vec<Range> {
    (0..16).map(|at| Range::new(at * 4096, 4096)).collect()
}

/// Measures the comparison of each of sixteen arguments of a launch with each other.
#[divan::bench]
fn launch_of_16_pointers(bencher: Bencher<'_, '_>) {
    let pairs = (0..16).flat_map(|a| (a + 1..16).map(move |b| (a, b)));
    let conditions =
        Conditions { apart: pairs.collect(), zero: [16].into(), ..Conditions::default() };
    let (verdict, ranges) = (Verdict::Conditional(conditions), ranges());
    let sizes = LaunchSizes { offset: [0; 3], global: [4096, 1, 1], local: None };
    let zero = [0; 4];
    bencher.bench_local(|| {
        let bytes = |index| (black_box(index) == 16).then_some(zero.as_slice());
        may_run_again(black_box(&verdict), black_box(&ranges), bytes, black_box(&sizes))
    });
}

#[divan::bench]
fn yardstick_all_pairs_of_16(bencher: Bencher<'_, '_>) {
    let ranges = ranges();
    bencher.bench_local(|| {
        let ranges = black_box(&ranges);
        let mut others = ranges.as_slice();
        while let Some((first, rest)) = others.split_first() {
            if rest.iter().any(|other| first.meets(*other)) {
                return false;
            }
            others = rest;
        }
        true
    });
}
