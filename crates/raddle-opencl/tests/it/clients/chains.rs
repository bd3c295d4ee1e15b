//! Clients whose launches may not be run twice: what is lost, doubled or overtaken shows in the bits.

use std::ptr;

use opencl_sys::*;
use raddle_kernel::Compiler;

use super::cl::cl;
use super::kit::{Kit, SOURCE, Set, digest, launched, set, wait};

/// Runs kernels that share variables of their program, one of which others call, in three queues
/// (one out of order), and returns the numbers in the buffer afterwards.
pub(super) fn program_variables() -> String {
    const OWN: &str = "
global uint counter;
kernel void put(global uint *x) { counter = x[0]; }
kernel void get(global uint *x) { x[1] = counter; }
kernel void get_by(global uint *x) { get(x); x[2] = counter; }
kernel void count(global uint *x) { static global uint calls; calls += 1; x[3] = calls + counter; }
";
    let kit = Kit::new();
    let wild = kit.queue(CL_QUEUE_OUT_OF_ORDER_EXEC_MODE_ENABLE);
    let program = kit.program_by(OWN, c"-cl-std=CL2.0");
    let mut seen = Vec::new();
    for (round, queue) in (0..).zip([kit.queue, wild, kit.queue(0)]) {
        let buffer = kit.buffer_of(&[7 + round, 0, 0, 0]);
        for (name, queue) in
            [("put", kit.queue), ("get", queue), ("get_by", queue), ("count", queue)]
        {
            let kernel = Kit::kernel_of(program, name);
            set(kernel, &[Set::Memory(buffer)]);
            let event = launched(queue, kernel, 1, 1, &[]);
            wait(&[event]);
        }
        seen.extend(kit.read(kit.queue, buffer, 4));
    }
    format!("{seen:?}")
}

/// Runs launches of a kernel that works in place when PoCL builds it, and not when Intel's compiler or
/// clang, which judges it, does; returns a hash of the numbers in the buffer afterwards.
pub(super) fn other_bodies() -> String {
    in_place_if("defined(POCL_DEVICE_ADDRESS_BITS) || !defined(cl_intel_subgroups)")
}

/// Runs launches of a kernel that works in place where the compiler finds a condition of
/// the preprocessor true; returns a hash of the numbers in the buffer afterwards.
fn in_place_if(condition: &str) -> String {
    let source = format!(
        "
#if {condition}
#define FROM x[i]
#else
#define FROM i
#endif
__kernel void own(__global uint *x, uint rounds) {{
  size_t i = get_global_id(0);
  uint v = FROM;
  for (uint r = 0; r < rounds; r++) v = v * 1664525u + 1013904223u;
  x[i] = v;
}}
"
    );
    let kit = Kit::new();
    let buffer = kit.buffer(2048);
    let kernel = Kit::kernel_of(kit.program(&source), "own");
    set(kernel, &[Set::Memory(buffer), Set::Number(3000)]);
    for _ in 0..50 {
        cl!(clReleaseEvent(launched(kit.queue, kernel, 2048, 16, &[])));
    }
    digest(&kit.read(kit.queue, buffer, 2048))
}

/// Launches of two dimensions with an offset, whose workgroups ask where they are among all.
pub(super) fn places() -> String {
    const OWN: &str = "
__kernel void places(__global uint *x, uint rounds) {
  size_t i = get_global_id(0) - get_global_offset(0), j = get_global_id(1) - get_global_offset(1);
  size_t at = j * get_global_size(0) + i;
  uint v = x[at] + (uint)(get_group_id(0) + get_num_groups(0) * get_group_id(1));
  v = v * 31u + (uint)(get_num_groups(1) + 7 * get_global_size(1) + 3 * get_global_offset(1) + get_global_id(1));
  for (uint r = 0; r < rounds; r++) v = v * 1664525u + 1013904223u;
  x[at] = v + (uint)get_local_id(1);
}
";
    let kit = Kit::new();
    let (sizes, group, offset) = ([32_usize, 96], [8_usize, 2], [3_usize, 1000]);
    let buffer = kit.buffer(32 * 96);
    let kernel = Kit::kernel_of(kit.program(OWN), "places");
    set(kernel, &[Set::Memory(buffer), Set::Number(3000)]);
    for round in 0..40 {
        // Some are large and some are small.
        let sizes = [sizes[0], if round % 5 == 4 { 2 } else { sizes[1] }];
        let code = cl!(clEnqueueNDRangeKernel(
            kit.queue,
            kernel,
            2,
            offset.as_ptr(),
            sizes.as_ptr(),
            group.as_ptr(),
            0,
            ptr::null(),
            ptr::null_mut()
        ));
        assert_eq!(code, 0);
        if round % 5 == 0 {
            assert_eq!(cl!(clFinish(kit.queue)), 0);
        }
    }
    digest(&kit.read(kit.queue, buffer, 32 * 96))
}

/// Runs launches that work in place where a compiler defines macros that none does; returns a hash of
/// the numbers in the buffer afterwards.
pub(super) fn asked_macros() -> String {
    in_place_if("defined(cl_raddle_has_none) || defined(_RADDLE_HAS_NONE)")
}

/// Runs launches that do not work in place as the device's compiler defines a macro that others need not;
/// returns a hash of the numbers in the buffer afterwards.
pub(super) fn bodies_of_the_device() -> String {
    in_place_if("!defined(__ENDIAN_LITTLE__)")
}

/// Runs launches whose code holds the value of a macro of the device's compiler; returns a hash of the
/// numbers in the buffer afterwards.
pub(super) fn macro_in_code() -> String {
    in_place_if(
        "1\n#define OWN (0 * __OPENCL_C_VERSION__)\n__constant int own_version = OWN;\n#endif\n#if 1",
    )
}

/// Runs launches that add to what is there or overwrite it, as a factor says that is zero at most of
/// them; returns a hash of the numbers in the buffer afterwards.
pub(super) fn zero_factors() -> String {
    const OWN: &str = "
__kernel void product(__global const uint *from, __global uint *to, uint rounds, uint beta) {
  size_t i = get_global_id(0);
  uint v = from[i];
  for (uint r = 0; r < rounds; r++) v = v * 1664525u + 1013904223u;
  if (beta == 0) {
    to[i] = v;
  } else {
    to[i] = v + beta * to[i];
  }
}
";
    let kit = Kit::new();
    let (from, to) = (kit.buffer(2048), kit.buffer(2048));
    let kernel = Kit::kernel_of(kit.program(OWN), "product");
    for round in 0..60 {
        let beta = if round % 3 == 2 { round } else { 0 };
        let rounds = Set::Number(3000 + round);
        set(kernel, &[Set::Memory(from), Set::Memory(to), rounds, Set::Number(beta)]);
        cl!(clReleaseEvent(launched(kit.queue, kernel, 2048, 16, &[])));
        if round % 5 == 4 {
            let bytes = 4 * 2048;
            let (none, event) = (ptr::null(), ptr::null_mut());
            assert_eq!(
                cl!(clEnqueueCopyBuffer(kit.queue, to, from, 0, 0, bytes, 0, none, event)),
                0
            );
        }
    }
    digest(&kit.read(kit.queue, to, 2048))
}

/// Runs launches that read one part of a buffer and write another, whose numbers keep both apart at most
/// of them and let them overlap at others; returns a hash of the numbers in the buffer afterwards.
pub(super) fn parts_of_one() -> String {
    const OWN: &str = "
__kernel void parts(__global uint *x, uint length, uint n, uint from, uint to, uint rounds) {
  __global uint *own = x + get_global_id(0) * length;
  for (uint k = 0; k < n; k++) {
    uint v = own[from + k];
    for (uint r = 0; r < rounds; r++) v = v * 1664525u + 1013904223u;
    own[to + k] = v + k;
  }
}
";
    let kit = Kit::new();
    let buffer = kit.buffer(2048 * 8);
    let kernel = Kit::kernel_of(kit.program(OWN), "parts");
    for round in 0..60 {
        let n = if round % 3 == 2 { 5 } else { 4 };
        let (from, to) = if round % 2 == 0 { (0, 8 - n) } else { (8 - n, 0) };
        let [length, n, from, to, rounds] = [8, n, from, to, 500 + round].map(Set::Number);
        set(kernel, &[Set::Memory(buffer), length, n, from, to, rounds]);
        cl!(clReleaseEvent(launched(kit.queue, kernel, 2048, 16, &[])));
    }
    digest(&kit.read(kit.queue, buffer, 2048 * 8))
}

/// Runs chains of launches in two queues, in place, atomic ones, with barriers and copies, and with
/// events from one queue to the other; returns the numbers in the buffers afterwards.
pub(super) fn chains() -> String {
    let rounds = std::env::var("RADDLE_TEST_ROUNDS").ok().and_then(|text| text.parse().ok());
    chains_of(&Kit::new(), rounds.unwrap_or(40))
}

/// Runs chains of launches of a program that was made of SPIR-V, where the runtime takes that.
pub(super) fn of_spirv() -> String {
    let mut kit = Kit::new();
    let Some(compiler) = Compiler::find() else { return "no compiler".to_owned() };
    let folder = tempfile::tempdir().expect("a folder");
    let file = folder.path().join("chains.cl");
    std::fs::write(&file, SOURCE).expect("a file");
    let module = compiler.spirv(&file, &[]).expect("OpenCL C");
    let mut code = 0;
    let (bytes, length) = (module.as_ptr().cast(), module.len());
    let program = cl!(clCreateProgramWithIL(kit.context, bytes, length, &raw mut code));
    if program.is_null() {
        return "the runtime takes no SPIR-V".to_owned();
    }
    let null = ptr::null_mut();
    let device = &raw const kit.device;
    assert_eq!(cl!(clBuildProgram(program, 1, device, c"".as_ptr(), None, null)), 0);
    kit.program = program;
    chains_of(&kit, 20)
}

fn chains_of(kit: &Kit, rounds: u32) -> String {
    let queues = [kit.queue, kit.queue(0)];
    let items = 2048_u32;
    let (a, b, c) = (kit.buffer(items), kit.buffer(items), kit.buffer(items));
    let all = kit.buffer_of(&[0; 1]);
    let (step, sum, turn) = (kit.kernel("advance"), kit.kernel("sum"), kit.kernel("turn"));
    let (spread, pick) = (kit.kernel("spread"), kit.kernel("pick"));
    let count = items as usize;
    let mut across: cl_event = ptr::null_mut();
    for round in 0..rounds {
        let queue = queues[round as usize % 2];
        let behind = if across.is_null() { vec![] } else { vec![across] };
        set(step, &[Set::Memory(a), Set::Number(400 + round % 7)]);
        let first = launched(queue, step, count, 16, &behind);
        set(spread, &[Set::Memory(a), Set::Memory(b), Set::Number(3000)]);
        cl!(clReleaseEvent(launched(queue, spread, count, 16, &[])));
        set(turn, &[Set::Memory(b), Set::Local(64)]);
        cl!(clReleaseEvent(launched(queue, turn, count, 16, &[])));
        set(pick, &[Set::Memory(b), Set::Memory(c), Set::Local(64)]);
        cl!(clReleaseEvent(launched(queue, pick, count, 16, &[])));
        set(sum, &[Set::Memory(c), Set::Memory(all)]);
        cl!(clReleaseEvent(launched(queue, sum, count, 16, &[])));
        if round % 5 == 4 {
            let bytes = 4 * count / 2;
            let code = cl!(clEnqueueCopyBuffer(
                queue,
                c,
                a,
                bytes,
                0,
                bytes,
                0,
                ptr::null(),
                ptr::null_mut()
            ));
            assert_eq!(code, 0);
        }
        // Then it is known how long they take.
        if round == 0 {
            assert_eq!(cl!(clFinish(queue)), 0);
        }
        set(step, &[Set::Memory(a), Set::Number(5)]);
        if !across.is_null() {
            cl!(clReleaseEvent(across));
        }
        across = launched(queue, step, count, 16, &[first]);
        cl!(clReleaseEvent(first));
    }
    let told = wait(&[across]);
    let (queue, mut numbers) = (queues[0], kit.read(queues[0], a, count));
    numbers.extend(kit.read(queue, b, count));
    numbers.extend(kit.read(queue, c, count));
    numbers.extend(kit.read(queue, all, 1));
    format!("{told} {}", digest(&numbers))
}
