//! How many launches could leave the device so far, and why could others not?

use std::sync::atomic::{AtomicU64, Ordering};

/// Kind of event that the layer (our library between a program and OpenCL) counts, such as the kill
/// of a launch. Each kind has a counter.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Count {
    /// Number of launches that the layer schedules: it holds them back, and submits them to the
    /// runtime when the program may run.
    Launches,
    /// Number of copies, maps, markers and other commands that the layer gave to the runtime
    /// unchanged, in the order of their queue.
    InOrder,
    /// Number of launches that were cut into several smaller launches, each a range of workgroups.
    Cut,
    /// Number of times that a launch left the device without having begun, and was queued again.
    Left,
    /// Number of times that a launch was stopped part-way; it then waits to run again from its
    /// first workgroup.
    Killed,
    /// Number of queues that run out of order: their commands are passed on to the runtime at the
    /// call, and nothing in them is preempted.
    OutOfOrder,
    /// Number of launches that cannot leave the device, as their kernel has no source: it is from a
    /// binary, built in, or linked.
    NoSource,
    /// Number of launches that cannot leave the device, as the source of their kernel did not build
    /// with the prologue (a test of the preemption flag at the start of the kernel).
    NotBuilt,
    /// Number of launches that cannot leave the device, as other code of the program calls their
    /// kernel like a function.
    Called,
    /// Number of launches that cannot leave the device, as the declaration of their kernel (name
    /// and arguments in the source) comes from a macro, or was not found.
    Hidden,
    /// Number of launches that cannot leave the device, as their program may have variables that
    /// keep their values from one launch to the next.
    Variables,
    /// Number of launches that cannot leave the device, as the device does not see what the host
    /// writes to memory while kernels run.
    NoFlag,
    /// Number of launches that are never stopped part-way, as there is no compiler to judge their
    /// kernels.
    UnjudgedNoCompiler,
    /// Number of launches that are never stopped part-way, as the compiler that the layer uses to
    /// judge kernels rejects the source.
    UnjudgedNotCompiled,
    /// Number of launches that are never stopped part-way, as their kernel depends on a macro that
    /// only the device's compiler defines.
    UnjudgedMacro,
    /// Number of launches that were passed on to the runtime at the call, without being scheduled,
    /// as their arguments or sizes look wrong.
    Doubtful,
    /// Number of launches that the runtime refused when they were submitted.
    Refused,
}

/// Names of the counters, in the order of [`Count`]; programs and `raddle live status` know the
/// counters by these names.
const NAMES: [&str; 17] = [
    "launches",
    "in-order",
    "cut",
    "left",
    "killed",
    "queues-out-of-order",
    "opaque-no-source",
    "opaque-not-built",
    "opaque-called",
    "opaque-hidden",
    "opaque-variables",
    "opaque-no-flag",
    "unjudged-no-compiler",
    "unjudged-not-compiled",
    "unjudged-macro",
    "opaque-doubtful",
    "refused",
];

/// Warnings about work that cannot leave the device, each with its counter; the layer prints each
/// at most once.
const WARNINGS: [(Count, &str); 10] = [
    (Count::OutOfOrder, "a queue is out of order: nothing in it is preempted"),
    (
        Count::NoSource,
        "a kernel has no source (a binary, or linked): its launches run to their end",
    ),
    (
        Count::NotBuilt,
        "a program does not build with the test of the flag: its launches run to their end",
    ),
    (Count::Called, "other code calls a kernel: its launches run to their end"),
    (Count::Hidden, "a macro makes the head of a kernel: its launches run to their end"),
    (
        Count::Variables,
        "a program has variables that outlive a launch, or may have: its launches run to their end",
    ),
    (Count::NoFlag, "the device does not see what the host stores: launches run to their end"),
    (
        Count::UnjudgedNoCompiler,
        "no clang-N with llvm-spirv-N is in PATH to judge kernels, so none is stopped part-way (on Debian: apt-get install clang-15 llvm-spirv-15)",
    ),
    (
        Count::UnjudgedNotCompiled,
        "clang does not take the source of a program: none of its kernels is stopped part-way",
    ),
    (
        Count::UnjudgedMacro,
        "a macro that only the device's compiler knows decides what a program does: none of its kernels is stopped part-way (`raddle kernel verdict` names it)",
    ),
];

static COUNTS: [AtomicU64; NAMES.len()] = [const { AtomicU64::new(0) }; NAMES.len()];

/// Adds one to a counter of the layer. Where the counter has a warning, the first call prints it to
/// standard error.
pub(crate) fn count(what: Count) {
    let before = COUNTS[what as usize].fetch_add(1, Ordering::Relaxed);
    if before == 0
        && let Some((_, warning)) = WARNINGS.iter().find(|(of, _)| *of == what)
    {
        #[expect(clippy::print_stderr, reason = "said once, and standard output is the program's")]
        {
            eprintln!("raddle: {warning}");
        }
    }
}

/// Returns the name under which programs and `raddle live status` know a counter of the layer.
pub(crate) const fn name(what: Count) -> &'static str {
    NAMES[what as usize]
}

/// Returns (name, value) of every counter of the layer.
pub(crate) fn all() -> impl Iterator<Item = (&'static str, u64)> {
    NAMES.iter().zip(&COUNTS).map(|(name, count)| (*name, count.load(Ordering::Relaxed)))
}
