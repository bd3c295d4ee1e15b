//! Why could a file not be imported, where in it, and what can be done?

use std::io;

/// Why a file could not be imported.
///
/// `file` is the path as it was given.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum TraceError {
    /// A folder where a file is wanted.
    #[error("{file} is a folder: name the profile file inside it")]
    Directory {
        /// The path.
        file: String,
    },
    /// The operating system refused.
    #[error("{file} cannot be read ({cause}): check the path and its permissions")]
    Unreadable {
        /// The path.
        file: String,
        /// What the system said.
        cause: io::Error,
    },
    /// Nothing in it.
    #[error("{file} is empty: the profiler may have been stopped before it wrote; record again")]
    Empty {
        /// The path.
        file: String,
    },
    /// Compressed, but cut off or damaged before anything whole.
    #[error("{file} is a gzip file that breaks off before any kernel: copy or record it again")]
    TruncatedGzip {
        /// The path.
        file: String,
    },
    /// A trace that stops before its first kernel.
    #[error("{file} breaks off at byte {byte}, before any GPU kernel: copy or record it again")]
    BreaksOff {
        /// The path.
        file: String,
        /// Bytes of text read.
        byte: u64,
    },
    /// A load or a trace of requests.
    #[error(
        "{file} is {what}: it says when requests arrive, not what they run. Give it with `raddle \
         replay PROFILE --arrivals FILE`, beside a profile of what a request runs (docs/arrivals.md)"
    )]
    OnlyArrivals {
        /// The path.
        file: String,
        /// What it is.
        what: &'static str,
    },
    /// A known kind of file that holds no recorded launches.
    #[error(
        "{file} is {what}, so no recorded launch is in it: give a recorded profile \
         (docs/profiles.md), or write a launch table (docs/launch-table.md)"
    )]
    NoLaunches {
        /// The path.
        file: String,
        /// What it is and holds instead.
        what: &'static str,
    },
    /// Of no kind that is known.
    #[error(
        "{file} is no profile that can be read: it looks like {looks_like}. Give a PyTorch \
         profiler trace (.json or .json.gz), an SQLite export or cuda_gpu_trace report (.csv) of \
         Nsight Systems, a rocprofv3 result (.json), a table of kernels of rocprof (.csv), or a \
         launch table (docs/profiles.md)"
    )]
    NotAProfile {
        /// The path.
        file: String,
        /// What it seems to be.
        looks_like: String,
    },
    /// An SQLite database in a build that cannot read one.
    #[error(
        "{file} is an SQLite database, which this build cannot read: build raddle with its feature \
         `nsys`, or export as text: nsys stats -r cuda_gpu_trace -f csv"
    )]
    SqliteSwitchedOff {
        /// The path.
        file: String,
    },
    /// An SQLite database that cannot be opened or has no readable list of tables.
    #[error(
        "{file} is an SQLite database that cannot be read ({problem}): copy it again, or export \
         the report again with `nsys export --type sqlite`"
    )]
    Database {
        /// The path.
        file: String,
        /// What SQLite said.
        problem: String,
    },
    /// An SQLite database too large for memory, and no room for it elsewhere.
    #[error(
        "{file} needs a temporary file, which cannot be written ({cause}): free some space, or \
         set TMPDIR to a folder that has it"
    )]
    Scratch {
        /// The path.
        file: String,
        /// What the system said.
        cause: io::Error,
    },
    /// A database of rocprofv3.
    #[error(
        "{file} is a rocpd database of ROCm, which is not read here: record with `rocprofv3 \
         --hip-trace --kernel-trace --output-format json`, or make tables of this file with \
         `rocpd convert -i FILE --output-format csv` and give the one of kernels"
    )]
    Rocpd {
        /// The path.
        file: String,
    },
    /// An export of Nsight Systems with a table that is not as known.
    #[error(
        "{file}: the table {table} lacks {columns} (schema {schema}): export the report again with \
         `nsys export --type sqlite`"
    )]
    MissingColumns {
        /// The path.
        file: String,
        /// The table.
        table: &'static str,
        /// The columns that it lacks.
        columns: String,
        /// The schema's version, or that it is unknown.
        schema: String,
    },
    /// A report of Nsight Systems that does not hold launches.
    #[error(
        "{file} is {report} of Nsight Systems, which does not hold single launches with their \
         shapes: make the report with `nsys stats -r cuda_gpu_trace -f csv`, or better `nsys \
         export --type sqlite`"
    )]
    OtherReport {
        /// The path.
        file: String,
        /// Which one.
        report: &'static str,
    },
    /// JSON whose outermost level is broken before any kernel.
    #[error("{file} is not valid JSON at byte {byte} (uncompressed): export the trace again")]
    NotJson {
        /// The path.
        file: String,
        /// Where, counted in the uncompressed text from 0.
        byte: u64,
    },
    /// JSON, but not of a profiler.
    #[error(
        "{file} is JSON but no profile: it has {saw}. A PyTorch profiler trace is an object with \
         `traceEvents` or an array of events, a rocprofv3 result an object that begins with \
         `rocprofiler-sdk-tool`. Profiles in other forms, such as an SQLite export or \
         cuda_gpu_trace report (.csv) of Nsight Systems, a table of kernels of rocprof (.csv) and \
         a launch table, are in docs/profiles.md"
    )]
    OtherJson {
        /// The path.
        file: String,
        /// What its outermost level holds.
        saw: String,
    },
    /// A trace without GPU kernels.
    #[error(
        "{file} holds no GPU kernels ({categories}): record a process that uses the GPU, with CUDA \
         activities switched on"
    )]
    NoKernels {
        /// The path.
        file: String,
        /// What was seen instead, in words.
        categories: String,
    },
    /// A trace whose every kernel had to be left out.
    #[error(
        "{file} holds {kernels} kernels but none can be used ({reasons}): record again with the \
         profiler's default settings"
    )]
    NothingUsable {
        /// The path.
        file: String,
        /// Kernels seen.
        kernels: u64,
        /// The quirks that ruled them out, with their counts.
        reasons: String,
    },
    /// A Kineto trace of an AMD GPU in which no kernel has a grid.
    #[error(
        "{file} is a PyTorch trace of an AMD GPU, and of its {kernels} kernels none can be used: \
         {shapeless} have no grid, and neither has any other launch of theirs, as happens where they \
         were launched by a graph or before the recording began. Record with rocprofv3 \
         (--kernel-trace --hip-trace --output-format json), or with graphs switched off and a \
         warm-up step before the recording"
    )]
    AmdKineto {
        /// The path.
        file: String,
        /// Kernels seen.
        kernels: u64,
        /// Kernels without a grid or a workgroup size.
        shapeless: u64,
    },
    /// A result of rocprofv3 without dispatches.
    #[error(
        "{file} is a result of rocprofv3 without kernel dispatches ({saw}): record again with \
         `rocprofv3 --kernel-trace --hip-trace --output-format json -- APPLICATION`"
    )]
    NoDispatches {
        /// The path.
        file: String,
        /// What it holds instead.
        saw: String,
    },
    /// A table of rocprof that does not say when which kernel ran.
    #[error("{file} is {table}, which does not say when kernels ran: {advice}")]
    OtherRocprof {
        /// The path.
        file: String,
        /// What it is.
        table: &'static str,
        /// What to give or do instead.
        advice: &'static str,
    },
    /// A table whose times were rounded.
    #[error(
        "{file}, line {line}, column `{column}`: `{text}` was rounded by a spreadsheet, so that no \
         duration is left in the file: give the file that the profiler wrote"
    )]
    RoundedTimes {
        /// The path.
        file: String,
        /// The line, from 1.
        line: u64,
        /// The column.
        column: String,
        /// What stands there.
        text: String,
    },
    /// The device asked for ran nothing.
    #[error("{file} holds no kernel of device {wanted}: its kernels ran on {seen}")]
    NoSuchDevice {
        /// The path.
        file: String,
        /// The device asked for.
        wanted: u32,
        /// The devices with kernels.
        seen: String,
    },
    /// A launch table whose header is wrong.
    #[error("{file}, line {line}: {problem} (columns are listed in docs/launch-table.md)")]
    Header {
        /// The path.
        file: String,
        /// The line, from 1.
        line: u64,
        /// What is wrong with it.
        problem: String,
    },
    /// A launch table with a wrong row.
    #[error("{file}, line {line}, column `{column}`: {problem}")]
    Row {
        /// The path.
        file: String,
        /// The line, from 1.
        line: u64,
        /// The column.
        column: String,
        /// What is wrong and what is wanted.
        problem: String,
    },
    /// More than an import takes.
    #[error("{file} holds more than {limit} {what}: cut a shorter window out of it")]
    TooLarge {
        /// The path.
        file: String,
        /// The most that is taken.
        limit: u64,
        /// Of what.
        what: &'static str,
    },
    /// A file that is no load and no trace of requests.
    #[error(
        "{file} says nothing of arrivals: {reason}. Give a DISB workload, a figure of REEF, or a \
         request trace of Azure, Mooncake or BurstGPT (docs/arrivals.md)"
    )]
    NoArrivals {
        /// The path.
        file: String,
        /// What it is instead.
        reason: String,
    },
    /// Arrivals that make no sense.
    #[error("{file}, {at}: {problem}")]
    Arrivals {
        /// The path.
        file: String,
        /// The line or the task.
        at: String,
        /// What is wrong and what is wanted.
        problem: String,
    },
    /// A priority rule that cannot be read.
    #[error("the priority rule `{rule}` is not GLOB[:stream N]=LEVEL: {problem}")]
    PriorityRule {
        /// The rule as it was given.
        rule: String,
        /// What is wrong with it.
        problem: &'static str,
    },
    /// A rule that says which kernels are idempotent and cannot be read.
    #[error("the rule `{rule}` is not GLOB=yes, GLOB=no or GLOB=unknown: {problem}")]
    IdempotenceRule {
        /// The rule as it was given.
        rule: String,
        /// What is wrong with it.
        problem: &'static str,
    },
}
