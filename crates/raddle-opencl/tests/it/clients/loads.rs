//! Clients of which times and memory are measured.
#![expect(clippy::disallowed_methods, reason = "they measure")]

use std::ptr;
use std::time::{Duration, Instant};

use opencl_sys::cl_command_queue;

use super::cl::cl;
use super::kit::{Kit, SOURCE, Set, digest, launch, launched, set, wait};

/// Returns (work-items of a launch of `spread`, work-items of one workgroup): few for a CPU, or as
/// many as the variable `RADDLE_TEST_ITEMS` says, to fill a GPU.
fn shape() -> (usize, usize) {
    let wanted = std::env::var("RADDLE_TEST_ITEMS").ok().and_then(|text| text.parse().ok());
    wanted.map_or((4096, 16), |items: usize| (items.next_multiple_of(256), 256))
}

/// Makes the kernel `spread` with its buffers; each of its work-items does `rounds` rounds.
fn spread(kit: &Kit, rounds: u32) -> opencl_sys::cl_kernel {
    let kernel = kit.kernel("spread");
    let items = u32::try_from(shape().0).expect("few items");
    let (from, to) = (kit.buffer(items), kit.buffer(items));
    set(kernel, &[Set::Memory(from), Set::Memory(to), Set::Number(rounds)]);
    kernel
}

/// Launches the kernel `spread` once, and returns the event of the launch.
fn spreads(kit: &Kit, kernel: opencl_sys::cl_kernel) -> opencl_sys::cl_event {
    let (items, group) = shape();
    launched(kit.queue, kernel, items, group, &[])
}

/// Enqueues `count` launches without events, and waits for them. Returns (time until all were
/// enqueued, time until all had ended).
fn burst(
    queue: cl_command_queue,
    kernel: opencl_sys::cl_kernel,
    count: u32,
) -> (Duration, Duration) {
    let begun = Instant::now();
    for _ in 0..count {
        assert_eq!(launch(queue, kernel, 1, 1, &[], ptr::null_mut()), 0);
    }
    let enqueued = begun.elapsed();
    assert_eq!(cl!(clFinish(queue)), 0);
    (enqueued, begun.elapsed())
}

/// Returns the medians over bursts of launches of these kernels, by turns, in ns, each as (of an
/// enqueue, of a launch from end to end).
fn costs<const N: usize>(
    queue: cl_command_queue,
    kernels: [opencl_sys::cl_kernel; N],
) -> [(u128, u128); N] {
    let each = |all: Duration| all.as_nanos() / 1000;
    let mut found = kernels.map(|_| (Vec::new(), Vec::new()));
    for _ in 0..21 {
        for (kernel, (enqueues, whole)) in kernels.into_iter().zip(&mut found) {
            burst(queue, kernel, 100);
            let (enqueued, ended) = burst(queue, kernel, 1000);
            enqueues.push(each(enqueued));
            whole.push(each(ended));
        }
    }
    found.map(|(mut enqueues, mut whole)| {
        enqueues.sort_unstable();
        whole.sort_unstable();
        (enqueues[10], whole[10])
    })
}

/// Returns the medians over bursts of kernels of one work-item, in ns from end to end: whose launches
/// may be killed whatever their arguments, if two lie apart, if also a number is zero, and if numbers
/// keep parts of a buffer apart.
pub(super) fn conditions() -> String {
    const OWN: &str = "
__kernel void always(__global const uint *a, __global uint *x, uint n) { if (n == 9) x[0] = n; }
__kernel void pair(__global const uint *a, __global uint *x, uint n) { x[0] = n == 0 ? a[0] : a[0] + 1; }
__kernel void zero(__global const uint *a, __global uint *x, uint n) { x[0] = n == 0 ? a[0] : x[0] + 1; }
__kernel void parts(__global const uint *a, __global uint *x, uint n) { x[n] = a[0] + x[n + 1]; x[n] = x[2 * n + 3]; }
";
    let kit = Kit::new();
    let program = kit.program(OWN);
    let (a, x) = (kit.buffer(4), kit.buffer(4));
    let kernels = ["always", "pair", "zero", "parts"].map(|name| {
        let kernel = Kit::kernel_of(program, name);
        set(kernel, &[Set::Memory(a), Set::Memory(x), Set::Number(0)]);
        kernel
    });
    costs(kit.queue, kernels).map(|(_, whole)| whole.to_string()).join(" ")
}

/// Returns the medians over bursts of empty kernels, in ns, of an enqueue and of a launch from end
/// to end; then the time of a launch of about 2 ms, in us, and its rounds.
pub(super) fn empty() -> String {
    let kit = Kit::new();
    let program = kit.program("__kernel void nothing(__global uint *x) { }");
    let kernel = Kit::kernel_of(program, "nothing");
    let buffer = kit.buffer(1);
    set(kernel, &[Set::Memory(buffer)]);
    let [(enqueue, whole)] = costs(kit.queue, [kernel]);
    let rounds = rounds(&kit, Duration::from_millis(2));
    let long = spread(&kit, rounds);
    // The first one is compiled.
    wait(&[spreads(&kit, long)]);
    let begun = Instant::now();
    for _ in 0..100 {
        cl!(clReleaseEvent(spreads(&kit, long)));
    }
    cl!(clFinish(kit.queue));
    let long = begun.elapsed().as_micros() / 100;
    format!("{enqueue} {whole} {long} {rounds}")
}

/// Returns the rounds of `spread` that the variable `RADDLE_TEST_ROUNDS` names, or as many as let a
/// launch take the time `wanted`.
fn rounds(kit: &Kit, wanted: Duration) -> u32 {
    if let Some(given) = std::env::var("RADDLE_TEST_ROUNDS").ok().and_then(|text| text.parse().ok())
    {
        return given;
    }
    let mut rounds = 1000_u32;
    let kernel = spread(kit, rounds);
    loop {
        set_rounds(kernel, rounds);
        cl!(clFinish(kit.queue));
        let begun = Instant::now();
        let event = spreads(kit, kernel);
        wait(&[event]);
        let took = begun.elapsed();
        cl!(clReleaseEvent(event));
        if took >= wanted || rounds > 1 << 28 {
            return rounds;
        }
        rounds = if took * 3 < wanted { rounds * 2 } else { rounds / 4 * 5 };
    }
}

fn set_rounds(kernel: opencl_sys::cl_kernel, rounds: u32) {
    assert_eq!(cl!(clSetKernelArg(kernel, 2, 4, (&raw const rounds).cast())), 0);
}

/// Long launches that may not be run again: a short name of what they leave.
pub(super) fn long_in_place() -> String {
    let kit = Kit::new();
    let kernel = kit.kernel("advance");
    let buffer = kit.buffer(8192);
    set(kernel, &[Set::Memory(buffer), Set::Number(8_000)]);
    for _ in 0..14 {
        cl!(clReleaseEvent(launched(kit.queue, kernel, 8192, 16, &[])));
        cl!(clFinish(kit.queue));
    }
    digest(&kit.read(kit.queue, buffer, 8192))
}

/// Runs launches of about 3 ms that may be run again, for as many seconds as `RADDLE_TEST_SECONDS`
/// says. Returns the time of one in us, and its rounds.
pub(super) fn busy() -> String {
    let seconds = std::env::var("RADDLE_TEST_SECONDS").ok().and_then(|text| text.parse().ok());
    let until = Duration::from_secs(seconds.unwrap_or(2));
    let kit = Kit::new();
    let rounds = rounds(&kit, Duration::from_millis(3));
    let kernel = spread(&kit, rounds);
    let begun = Instant::now();
    let mut count = 0_u32;
    while begun.elapsed() < until {
        for _ in 0..16 {
            cl!(clReleaseEvent(spreads(&kit, kernel)));
        }
        count += 16;
        cl!(clFinish(kit.queue));
    }
    format!("{} {rounds}", begun.elapsed().as_micros() / u128::from(count))
}

/// Returns the memory of this process in KiB, after the allocator has given its stock back.
fn resident() -> u64 {
    // SAFETY: it may be called at any time.
    let _ = unsafe { libc::malloc_trim(0) };
    let text = std::fs::read_to_string("/proc/self/statm").unwrap_or_default();
    let pages = text.split(' ').nth(1).and_then(|word| word.parse::<u64>().ok());
    pages.unwrap_or(0) * 4
}

/// Runs requests of one launch of about 1 ms, one after the other, with pauses in which other
/// programs may run. Returns the median and the 99th percentile of their times, in us.
pub(super) fn requests() -> String {
    let kit = Kit::new();
    let rounds = rounds(&kit, Duration::from_millis(3));
    let kernel = spread(&kit, rounds / 3);
    let mut all = Vec::new();
    for _ in 0..320 {
        std::thread::sleep(Duration::from_millis(15));
        let begun = Instant::now();
        let event = spreads(&kit, kernel);
        wait(&[event]);
        all.push(begun.elapsed().as_micros());
        cl!(clReleaseEvent(event));
    }
    // The first ones wait for programs to be built.
    let all = &mut all[20..];
    all.sort_unstable();
    format!("{} {}", all[all.len() / 2], all[all.len() * 99 / 100])
}

/// Number of rounds of which one builds its program; in all others the program is only made.
const BUILT: u32 = 150;

/// Makes and frees queues, kernels, events and programs, and returns by how many KiB the process
/// grows during the second half of the rounds.
pub(super) fn many_objects() -> String {
    let count = std::env::var("RADDLE_TEST_OBJECTS").ok().and_then(|text| text.parse().ok());
    let count: u32 = count.unwrap_or(3000);
    let kit = Kit::new();
    let buffer = kit.buffer(64);
    let mut before = 0;
    for round in 0..count {
        if round == count / 2 {
            before = resident();
        }
        let queue = kit.queue(0);
        let is_built = round % BUILT == 0;
        let program = if is_built { kit.program(SOURCE) } else { kit.unbuilt(SOURCE) };
        let kernel =
            if is_built { Kit::kernel_of(program, "advance") } else { kit.kernel("advance") };
        set(kernel, &[Set::Memory(buffer), Set::Number(1)]);
        let event = launched(queue, kernel, 64, 16, &[]);
        let mut read = ptr::null_mut();
        let mut to = [0_u32; 4];
        let place = to.as_mut_ptr().cast();
        cl!(clEnqueueReadBuffer(queue, buffer, 0, 0, 16, place, 0, ptr::null(), &raw mut read));
        wait(&[event, read]);
        cl!(clReleaseEvent(event));
        cl!(clReleaseEvent(read));
        cl!(clReleaseKernel(kernel));
        cl!(clReleaseProgram(program));
        cl!(clReleaseCommandQueue(queue));
    }
    resident().saturating_sub(before).to_string()
}
