//! What was read from a file, and which of its records had to be mended, left out or assumed?

macro_rules! quirks {
    ($($(#[$doc:meta])* $variant:ident, $name:literal, $explanation:literal;)*) => {
        /// Faults and gaps of a profiler's file that a user of the imported profile should know.
        #[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
        pub(crate) enum Quirk { $($(#[$doc])* $variant,)* }

        impl Quirk {
            /// All quirks (faults and gaps of a file), in the order in which reports list them.
            pub(crate) const ALL: &'static [Self] = &[$(Self::$variant,)*];

            /// Returns the stable name of the quirk (fault or gap of a file) in results, such as
            /// `no-line-end`.
            pub(crate) const fn name(self) -> &'static str {
                match self { $(Self::$variant => $name,)* }
            }

            /// Returns one sentence that explains the quirk (fault or gap of a file) in an import
            /// report.
            const fn explanation(self) -> &'static str {
                match self { $(Self::$variant => $explanation,)* }
            }
        }
    };
}

quirks! {
    /// The file is cut off before its end.
    Truncated, "truncated", "the file stops before its end, so whole events up to there were kept";
    /// The last line of a table has no line end, so that it may be cut off.
    NoLineEnd, "no-line-end", "the last line has no line end: is the file truncated there, its last value lacks digits";
    /// The file is damaged, so that it cannot be read from some point on.
    Damaged, "damaged", "the file is damaged: it cannot be read further at some point, or its checksum does not fit";
    /// Events were cut off, or too large to read.
    LostEvents, "lost-events", "events were cut off or too large to read; where the file stops early there may have been more";
    /// A record cannot be read, lacks a time, or has an end before its start.
    Malformed, "malformed", "records that lack a value, have one that cannot be read (a number below 0 among them), or end before they start were left out";
    /// The text of an event is not UTF-8.
    NotUtf8, "not-utf8", "events with bytes that are not UTF-8 were read with replacement characters";
    /// Grid or workgroup size of a kernel are missing, or too large to count.
    NoShape, "no-shape", "kernels without a grid and a workgroup size that can be counted are opaque: they keep their time and their place in the stream, and are taken to hold the device (traces of AMD GPUs lack shapes where a graph launched the kernel: fill them with --shapes-from)";
    /// A kernel that a graph launched was given the grid, workgroup and shared memory of its own
    /// launch in a recording of the graph's capture.
    ShapeInOrder, "shape-in-order", "kernels without a grid were given the shape and shared memory of their launch when their graph was captured, matched in order (--shapes-from)";
    /// A kernel that a graph launched was given the grid, workgroup and shared memory that most
    /// launches of its name have in recordings of graph captures.
    ShapeByName, "shape-by-name", "kernels without a grid were given the shape and shared memory that most launches of their name have in the files of --shapes-from, as no capture fits theirs in order";
    /// A kernel was given the grid, workgroup and shared memory of its other launches.
    ShapeOfOthers, "shape-of-others", "kernels without a grid (launched before the recording began, or by a graph) were given the shape and shared memory that most other launches of the same kernel have";
    /// The unit of a grid, workgroups or work-items, was assumed, since the file does not give it.
    GridUnitAssumed, "grid-unit-assumed", "grids without a launch call were taken to be in the unit of other launches of the same kernel, else in work-items if a library of AMD's names its kernels so, else in workgroups";
    /// A kernel's grid, in work-items, is no whole number of workgroups.
    UnevenGrid, "uneven-grid", "grids in work-items that are no whole number of workgroups were rounded up";
    /// The grid or the workgroup of a kernel is empty.
    EmptyShape, "empty-shape", "kernels with an empty grid or workgroup were kept and run nothing";
    /// A kernel has more workgroups than any device could start in the kernel's duration.
    ImpossibleShape, "impossible-shape", "kernels of more workgroups than any device starts in their time (1000 a nanosecond) were kept as they stand: their shape or their time is wrong";
    /// A kernel has more registers than a work-item can have.
    ImpossibleRegisters, "impossible-registers", "kernels with more registers than a work-item of their device can have, or fewer than 0, as where the profiler wrote a field that nobody filled: their registers are unknown";
    /// A kernel has more shared memory than a workgroup can have.
    ImpossibleSharedMemory, "impossible-shared-memory", "kernels with more shared memory than their device has for a workgroup, or less than 0: it is unknown";
    /// A kernel has more work-items than a workgroup can have.
    ImpossibleThreads, "impossible-threads", "kernels with more work-items in a workgroup than a device takes (1024), or fewer than 0: their shape is unknown, so they are opaque";
    /// A kernel's grid is larger than any device accepts.
    ImpossibleGrid, "impossible-grid", "kernels with a grid that no device takes (CUDA: x below 2^31, y and z below 65536; none below 0): their shape is unknown, so they are opaque";
    /// The start or the duration of an op is impossible.
    ImpossibleTime, "impossible-time", "ops that last more than a year, or start at 0 a year and more before the others, and at most a tenth of the ops that start before 0 and apart (with Nsight Systems all that start before 0), or that last or lie apart for more than a day (from 0: an hour) and 1000 times as long as the rest, were left out: when they ran is unknown";
    /// An op that starts before time 0 of the recording is kept.
    BeforeZero, "before-zero", "ops that start before 0, when the recording began, were kept: the clock counts from another moment, or their times are wrong";
    /// An op starts before time 0 of the recording, with a long gap between it and later ops, and
    /// is kept.
    ApartBeforeZero, "apart-before-zero", "ops that start before 0 are followed by a gap that is longer than the recording from 0 on: they are too many to be left out, and the span and idle time say little";
    /// The launch time of an op lies too long before the recording, or before time 0.
    ImpossibleLaunchTime, "impossible-launch-time", "ops whose launch stands before 0 where no op does, or a day and more (at 0: an hour) and 1000 times as long as the rest lasts before the first of the file: when they were launched is unknown";
    /// The file also has work of a device that is not imported.
    OtherDevice, "other-device", "work of other devices in the file was left out";
    /// The file describes devices, but not the one that ran the work.
    DeviceNotListed, "device-not-listed", "the file describes no device with the number of the work, so its first device was taken";
    /// The file does not describe any device.
    NoDevice, "no-device", "the file does not describe the device, so it must be named by the user";
    /// Ops name a hardware queue of the GPU in place of their stream.
    QueueLanes, "queue-lanes", "ops name a hardware queue of the GPU instead of their stream; streams share queues, and what shares one was taken to run in order";
    /// An op occurs more than once in the file.
    RepeatedOp, "repeated-op", "ops that equal another one in name, shape, stream, begin and duration were kept, and count as often as the file has them";
    /// Ops stand in the file in another order than that of their start times.
    Unsorted, "unsorted", "steps back in time from one op of the file to the next; ops were sorted by start";
    /// Some ops lie far from the others in time, or last very long.
    TimeOutlier, "time-outlier", "ops last more than an hour, or lie so far from all others or behind their launch, as where a clock was wrong: they were kept, and the span says little";
    /// The time stamps of an op show no duration, as it is shorter than the clock's step.
    ZeroDuration, "zero-duration", "ops shorter than the clock's step were given half a step";
    /// An op begins before the previous op of its stream has ended, as a programmatic launch does.
    /// The overlap is at most half of the shorter of the two ops.
    Handover, "handover", "ops that begin before the one in front of them in their stream has ended, by at most half of the shorter one, wait for it: programmatic launches";
    /// Ops of one stream overlap by more than the clock's step, although a stream runs its ops in
    /// order.
    OverlapInStream, "overlap-in-stream", "pairs of ops of one stream that overlap by more than the clock's step do not wait for each other";
    /// The recording lacks the call of the host that launched an op.
    NoLaunchCall, "no-launch-call", "ops without a recorded launch were taken to arrive with the op before them in their stream, or at time 0";
    /// The launch call of an op begins after the op itself started.
    ClockSkew, "clock-skew", "ops that start before their recorded launch were taken to arrive at their start";
    /// Several launch calls have one correlation number.
    RepeatedCorrelation, "repeated-correlation", "launch calls that repeat a correlation number were ignored in favour of the earliest";
    /// The op was launched as a part of a graph.
    GraphLaunch, "graph-launch", "ops were launched as part of a graph, so many share one arrival";
    /// The number of registers of a kernel is unknown.
    NoRegisters, "no-registers", "kernels without a register count, or with 0, were taken to use none: a compute unit may hold fewer of their workgroups than it seems";
    /// The size of a kernel's shared memory is unknown.
    NoSharedMemory, "no-shared-memory", "kernels without a shared-memory size were taken to use none";
    /// Only the dynamic part of a kernel's shared memory is known.
    DynamicLdsOnly, "dynamic-lds-only", "kernels whose launch call says the shared memory it asks for, but not what the kernel's code reserves beside it: a compute unit may hold fewer of their workgroups than it seems";
    /// Shared memory is printed so coarsely that one of several possible sizes was taken.
    RoundedSharedMemory, "rounded-shared-memory", "shared memory is given in steps of 1000 bytes or so; of the sizes that print alike the one in whole KiB was taken";
    /// Kernels were launched in clusters, whose workgroups must run at the same time.
    Clusters, "clusters", "kernels launched in clusters are replayed as independent workgroups, where it is known (H100 SXM) on as many compute units as such clusters can fill";
    /// A graph was recorded as one op, without its kernels.
    WholeGraph, "whole-graph", "graphs recorded as a whole hide their kernels, so each is one opaque kernel: record with --cuda-graph-trace=node";
    /// The name of a kernel is not in the file.
    NoName, "no-name", "kernels whose name is not in the file are called `unnamed`";
    /// Several processes ran on one device.
    SeveralProcesses, "several-processes", "further processes ran on the device; they are replayed with the first as one, each with its own streams";
    /// The file's schema is newer than those that this reader was made for.
    NewerSchema, "newer-schema", "the file's schema is newer than those this reader was made for";
    /// Ranges that only annotate the GPU's time line were left out, since they are no work.
    GpuAnnotation, "gpu-annotation", "ranges that annotate the GPU's lane are not work and were left out";
    /// The file does not tell streams apart, so hardware queues take their place.
    QueueAsStream, "queue-as-stream", "kernels of a file that tells no streams were put in order by their hardware queue";
    /// Several streams share one hardware queue.
    SharedQueue, "shared-queue", "streams shared a hardware queue with another stream, which may have held them up in the recorded run but not in a replay";
    /// Ops of one stream that overlap by at most 1 us are taken to follow each other, as time
    /// stamps are off by that much.
    ClockJitter, "clock-jitter", "ops that overlap the one before them in their stream by at most 1 us, which is how far time stamps are off, follow it";
    /// The profiler reported half of a kernel's vector registers.
    HalvedRegisters, "halved-registers", "kernels whose vector registers the profiler counted by half (MI350 series, before May 2026) were given twice as many";
    /// The profiler may have reported only half of a kernel's vector registers.
    DoubtfulRegisters, "doubtful-registers", "kernels may take twice as many vector registers: such tables leave out accumulation registers (MI100) or count by half (MI200, MI350), and do not say the device";
    /// The file does not describe a kernel, so its name is its number.
    UnknownKernel, "unknown-kernel", "kernels that the file does not describe are named by their number";
    /// The table lacks the shared memory that kernels are given at launch.
    StaticLds, "static-lds", "kernels of a table that leaves out shared memory asked for at launch; the JSON result of such a run has it";
    /// The file gives only the volumes of grid and workgroup, not their extents in x, y and z.
    FlatGrid, "flat-grid", "grids and workgroups given by their volume alone were taken to be one-dimensional";
    /// The profiler ran kernels one at a time, so that their concurrency is unknown.
    Serialised, "serialised", "kernels were run one at a time by the profiler, so there is no concurrency information";
    /// Several rows of the table belong to one dispatch (launch of a kernel).
    RepeatedRow, "repeated-row", "rows that repeat a dispatch, one for each counter, were taken once";
}

/// How a table in a file ends: with a line end, without one, or within a row.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum TableEnd {
    /// The last line of the table ends with a line end.
    Whole,
    /// The last line of the table has no line end, so its last value or comment may be cut off.
    NoLineEnd,
    /// The table ends within a row, and that row is lost.
    Cut,
}

/// A quirk (fault or gap of a profiler's file) that an import met, with its count.
#[derive(Clone, Copy, Debug, PartialEq, Eq, serde::Serialize)]
pub struct QuirkMet {
    /// Stable name of the quirk (fault or gap of a file) in results, such as `no-launch-call`.
    pub name: &'static str,
    /// Number of times that the quirk (fault or gap of a file) was met, 1 or more.
    pub count: u64,
    /// Sentence that explains the quirk (fault or gap of a file) to the reader of a report.
    pub explanation: &'static str,
}

/// Counts of the records that an import read from a file, and of the quirks (faults and gaps) that
/// it met.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ImportReport {
    /// Number of events, or rows, that were read from the file.
    pub events: u64,
    /// Number of kernel launches that the import kept.
    pub kernels: u64,
    /// Number of copies that the import kept.
    pub copies: u64,
    /// Number of fills of memory that the import kept.
    pub sets: u64,
    /// Number of kernels left out because their records are malformed or have no possible time.
    pub left_out: u64,
    /// Number of kernels among [`left_out`](Self::left_out) whose records are sound but have an
    /// impossible time (the quirk `impossible-time`); the others are malformed.
    pub timeless: u64,
    /// Sum of the durations, in nanoseconds, of the kernels of graphs that were given the grid and
    /// workgroup of their own launch in a recording of the graph's capture (the quirk
    /// `shape-in-order`).
    pub shape_in_order_ns: u64,
    /// Sum of the durations, in nanoseconds, of the kernels of graphs that were given the grid and
    /// workgroup of launches of their name in a recording of a graph's capture (the quirk
    /// `shape-by-name`).
    pub shape_by_name_ns: u64,
    counts: [u64; Quirk::ALL.len()],
}

impl Default for ImportReport {
    fn default() -> Self {
        Self {
            events: 0,
            kernels: 0,
            copies: 0,
            sets: 0,
            left_out: 0,
            timeless: 0,
            shape_in_order_ns: 0,
            shape_by_name_ns: 0,
            counts: [0; Quirk::ALL.len()],
        }
    }
}

impl ImportReport {
    /// Returns the quirks (faults and gaps of the file) that were met, in the order in which
    /// reports list them.
    pub fn quirks(&self) -> impl Iterator<Item = QuirkMet> + '_ {
        let met = |&quirk: &Quirk| QuirkMet {
            name: quirk.name(),
            count: self.count(quirk),
            explanation: quirk.explanation(),
        };
        Quirk::ALL.iter().map(met).filter(|met| met.count > 0)
    }

    /// Returns how often the quirk (fault or gap of the file) with this name was met; 0 for an
    /// unknown name.
    #[must_use]
    pub fn met(&self, name: &str) -> u64 {
        self.quirks().find(|met| met.name == name).map_or(0, |met| met.count)
    }

    pub(crate) const fn count(&self, quirk: Quirk) -> u64 {
        self.counts[quirk as usize]
    }

    pub(crate) fn of_events(events: u64) -> Self {
        Self { events, ..Self::default() }
    }

    pub(crate) fn add(&mut self, quirk: Quirk, n: u64) {
        let count = &mut self.counts[quirk as usize];
        *count = count.saturating_add(n);
    }

    pub(crate) fn note(&mut self, quirk: Quirk) {
        self.add(quirk, 1);
    }

    /// Counts a kernel of a graph that was given its shape (grid and workgroup) from a recording of
    /// the graph's capture, and adds its duration of `ns` nanoseconds. `in_order` is true where the
    /// shape is that of the kernel's own launch, and false where it is that of launches with the
    /// same name.
    pub(crate) fn captured(&mut self, in_order: bool, ns: u64) {
        let (quirk, time) = match in_order {
            true => (Quirk::ShapeInOrder, &mut self.shape_in_order_ns),
            false => (Quirk::ShapeByName, &mut self.shape_by_name_ns),
        };
        *time = time.saturating_add(ns);
        self.note(quirk);
    }

    /// Counts a kernel whose malformed record is left out.
    pub(crate) fn leave_out(&mut self) {
        self.note(Quirk::Malformed);
        self.left_out = self.left_out.saturating_add(1);
    }

    /// Counts a kernel that is left out because its time is impossible.
    pub(crate) fn leave_out_timeless(&mut self) {
        self.left_out = self.left_out.saturating_add(1);
        self.timeless = self.timeless.saturating_add(1);
    }

    /// Counts the quirks (faults) that the end of a table shows: a missing line end, or a file that
    /// stops within a row. That row counts as a lost event.
    pub(crate) fn ends(&mut self, end: TableEnd) {
        match end {
            TableEnd::Whole => {}
            TableEnd::NoLineEnd => self.note(Quirk::NoLineEnd),
            TableEnd::Cut => {
                self.note(Quirk::Truncated);
                self.note(Quirk::LostEvents);
            }
        }
    }

    /// Lists those of `quirks` (faults of the file) that were met, with their counts, for an error
    /// message.
    pub(crate) fn reasons(&self, quirks: &[Quirk]) -> String {
        let met = quirks.iter().map(|&quirk| (self.count(quirk), quirk.name()));
        let met: Vec<_> =
            met.filter(|&(n, _)| n > 0).map(|(n, name)| format!("{n} {name}")).collect();
        met.join(", ")
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_kebab_case_and_distinct() {
        let mut names: Vec<_> = Quirk::ALL.iter().map(|q| q.name()).collect();
        assert!(names.iter().all(|n| n.bytes().all(|b| b == b'-' || b.is_ascii_alphanumeric())));
        names.sort_unstable();
        names.dedup();
        assert_eq!(names.len(), Quirk::ALL.len());
    }

    #[test]
    fn only_what_was_met_is_listed_in_order() {
        let mut report = ImportReport { events: 9, kernels: 2, ..ImportReport::default() };
        report.note(Quirk::GraphLaunch);
        report.add(Quirk::Truncated, 1);
        let met: Vec<_> = report.quirks().map(|met| (met.name, met.count)).collect();
        assert_eq!(met, [("truncated", 1), ("graph-launch", 1)]);
        assert_eq!((report.met("graph-launch"), report.met("graph")), (1, 0));
        assert_eq!(report.reasons(Quirk::ALL), "1 truncated, 1 graph-launch");
    }
}
