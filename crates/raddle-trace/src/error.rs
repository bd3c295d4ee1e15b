//! Why could a file not be imported, where in the file is the fault, and what can the user do?

use std::io;

use crate::format::READABLE;

/// Reason why a file could not be imported.
///
/// `file` is the path as it was given; lines are counted from 1, bytes from 0 in the uncompressed
/// text.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
#[expect(missing_docs, reason = "the message says what each field is")]
pub enum TraceError {
    /// The path given for a profile is a folder where a file is wanted.
    #[error("{file} is a folder: name the profile file inside it")]
    Directory { file: String },
    /// The operating system refused to open or read the file, for the reason `cause`.
    #[error("{file} cannot be read ({cause}): check the path and its permissions")]
    Unreadable { file: String, cause: io::Error },
    /// The file that should be a profile has no content.
    #[error("{file} is empty: the profiler may have been stopped before it wrote; record again")]
    Empty { file: String },
    /// A gzip file that ends too early or is damaged before any whole record.
    #[error("{file} is a gzip file that breaks off before any kernel: copy or record it again")]
    TruncatedGzip { file: String },
    /// A profile that stops at the byte `byte`, before its first kernel.
    #[error("{file} breaks off at byte {byte}, before any GPU kernel: copy or record it again")]
    BreaksOff { file: String, byte: u64 },
    /// A load file or a trace of requests where a profile is needed: it says when requests arrive
    /// and not what they run. `what` describes the file.
    #[error(
        "{file} is {what}: it says when requests arrive, not what they run. Give it with `raddle \
         replay PROFILE --arrivals FILE`, beside a profile of what a request runs (docs/arrivals.md)"
    )]
    OnlyArrivals { file: String, what: &'static str },
    /// A file of a known kind, described by `what`, that does not record which kernels a GPU ran
    /// and when.
    #[error(
        "{file} is {what}, so no recorded launch is in it: give a recorded profile \
         (docs/profiles.md), or write a launch table (docs/launch-table.md)"
    )]
    NoLaunches { file: String, what: &'static str },
    /// A file of another tool, or a compressed archive, that cannot be read; `what` describes the
    /// file, and `advice` says what to give instead.
    #[error("{file} is {what}. It is not read here: {advice}")]
    OtherFile { file: String, what: String, advice: &'static str },
    /// A file of no known kind; `looks_like` describes its content.
    #[error(
        "{file} is no profile that can be read: it looks like {looks_like}. Give {READABLE}; \
         docs/profiles.md has the command that records each"
    )]
    NotAProfile { file: String, looks_like: String },
    /// An SQLite database in a build of raddle that was made without the reader for such files.
    #[error(
        "{file} is an SQLite database, which this build cannot read: build raddle with its feature \
         `sqlite`, or export as text: `nsys stats -r cuda_gpu_trace -f csv`, `rocpd convert \
         --output-format csv`"
    )]
    SqliteSwitchedOff { file: String },
    /// An XPlane (profile of JAX, XLA or TensorFlow) in a build of raddle that was made without the
    /// reader for such files.
    #[error(
        "{file} is a profile of JAX, XLA or TensorFlow (XPlane), which this build cannot read: build \
         raddle with its feature `xplane`, or give the trace.json.gz beside it"
    )]
    XPlaneSwitchedOff { file: String },
    /// An SQLite database that cannot be opened or has no readable list of tables; `problem` is
    /// SQLite's message.
    #[error(
        "{file} is an SQLite database that cannot be read ({problem}): copy it again, or let its \
         tool write it again, such as `nsys export --type sqlite`"
    )]
    Database { file: String, problem: String },
    /// The temporary copy of an SQLite database or an XPlane profile cannot be written or read, for
    /// the reason `cause`.
    #[error(
        "{file} needs a temporary file, which cannot be written ({cause}): free some space, or \
         set TMPDIR to a folder that has it"
    )]
    Scratch { file: String, cause: io::Error },
    /// An export of Nsight Systems in which the table `table` lacks columns that are read
    /// (`columns`); `schema` is the version of the export's tables.
    #[error(
        "{file}: the table {table} lacks {columns} (schema {schema}): export the report again with \
         `nsys export --type sqlite`"
    )]
    MissingColumns { file: String, table: &'static str, columns: String, schema: String },
    /// A report of Nsight Systems of another kind (`report`), which does not list launches.
    #[error(
        "{file} is {report} of Nsight Systems, which does not hold single launches with their \
         shapes: make the report with `nsys stats -r cuda_gpu_trace -f csv`, or better `nsys \
         export --type sqlite`"
    )]
    OtherReport { file: String, report: &'static str },
    /// JSON whose outermost level breaks the syntax at the byte `byte`, before any kernel.
    #[error("{file} is not valid JSON at byte {byte} (uncompressed): export the trace again")]
    NotJson { file: String, byte: u64 },
    /// A file in JSON that is not of a profiler; `saw` describes its keys or its values.
    #[error(
        "{file} is JSON but no profile: it has {saw}. A PyTorch profiler trace is an object with \
         `traceEvents` or an array of events, a rocprofv3 result an object that begins with \
         `rocprofiler-sdk-tool`. Profiles in other forms, such as an SQLite export or \
         cuda_gpu_trace report (.csv) of Nsight Systems, a table of kernels of rocprof (.csv) and \
         a launch table, are in docs/profiles.md"
    )]
    OtherJson { file: String, saw: String },
    /// A trace without GPU kernels; `categories` names the kinds of events that it has.
    #[error(
        "{file} holds no GPU kernels ({categories}): record a process that uses the GPU, with CUDA \
         activities switched on (`torch.profiler.profile()`, `nsys profile --trace=cuda`)"
    )]
    NoKernels { file: String, categories: String },
    /// A file without launches although GPU work or calls were recorded, which `found` lists; so
    /// CUDA tracing was on, and `cure` says what else to do.
    #[error("{file} holds no GPU kernels, but {found}: {cure}")]
    NothingLaunched { file: String, found: String, cure: String },
    /// A file with calls that launched kernels, in which the kernels themselves were not recorded;
    /// `launches` counts the calls, and `why` names the usual causes.
    #[error("{file}: {launches} made, the device side was not recorded: {why}")]
    NoDeviceSide { file: String, launches: String, why: String },
    /// A trace with `kernels` kernels, all of which had to be left out, for the reasons in
    /// `reasons`.
    #[error(
        "{file} holds {kernels} kernels but none can be used ({reasons}): record again with the \
         profiler's default settings"
    )]
    NothingUsable { file: String, kernels: u64, reasons: String },
    /// A file that should give the shapes of kernels (grid and workgroup) and gives none.
    #[error(
        "{file} holds no launch with a grid: give the trace that vLLM or SGLang wrote while it \
         captured its graphs, or a profile of the same kernels in which they have shapes"
    )]
    NoShapes { file: String },
    /// A result of rocprofv3 without dispatches (launches of kernels); `saw` describes what it has.
    #[error(
        "{file} is a result of rocprofv3 without kernel dispatches ({saw}): record again with \
         `rocprofv3 --kernel-trace --hip-trace --output-format json -- APPLICATION`"
    )]
    NoDispatches { file: String, saw: String },
    /// A table of rocprof, described by `table`, that does not give the kernels with their times;
    /// `advice` says what to record.
    #[error("{file} is {table}, which does not say when kernels ran: {advice}")]
    OtherRocprof { file: String, table: &'static str, advice: &'static str },
    /// A table whose times were rounded by a spreadsheet: `text` is such a time, in the line `line`
    /// and the column `column`.
    #[error(
        "{file}, line {line}, column `{column}`: `{text}` was rounded by a spreadsheet, so that no \
         duration is left in the file: give the file that the profiler wrote"
    )]
    RoundedTimes { file: String, line: u64, column: String, text: String },
    /// A file in which the device `wanted` that the caller asked for ran no kernel; `seen` lists
    /// the devices that ran some.
    #[error("{file} holds no kernel of device {wanted}: its kernels ran on {seen}")]
    NoSuchDevice { file: String, wanted: u32, seen: String },
    /// A launch table with a faulty header in the line `line`; `problem` says what is wrong.
    #[error("{file}, line {line}: {problem} (columns are listed in docs/launch-table.md)")]
    Header { file: String, line: u64, problem: String },
    /// A table with a faulty cell in the line `line` and the column `column`; `problem` says what
    /// is wrong.
    #[error("{file}, line {line}, column `{column}`: {problem}")]
    Row { file: String, line: u64, column: String, problem: String },
    /// A file with more than `limit` items, the most that an import accepts; `what` names the
    /// items.
    #[error("{file} holds more than {limit} {what}: cut a shorter window out of it")]
    TooLarge { file: String, limit: u64, what: &'static str },
    /// A file that is neither a load file nor a trace of requests; `reason` says why.
    #[error(
        "{file} says nothing of arrivals: {reason}. Give a DISB workload, a figure of REEF, or a \
         request trace of Azure, Mooncake or BurstGPT (docs/arrivals.md)"
    )]
    NoArrivals { file: String, reason: String },
    /// A file of arrivals with a value that makes no sense: `at` is its place in the file, and
    /// `problem` says what is wrong.
    #[error("{file}, {at}: {problem}")]
    Arrivals { file: String, at: String, problem: String },
    /// A priority rule, `rule`, that cannot be read; `problem` says why.
    #[error("the priority rule `{rule}` is not GLOB[:stream N]=LEVEL: {problem}")]
    PriorityRule { rule: String, problem: String },
    /// A rule of the user, `rule`, that says which kernels are idempotent, and that cannot be read;
    /// `problem` says why.
    #[error("the rule `{rule}` is not GLOB=yes, GLOB=no or GLOB=unknown: {problem}")]
    IdempotenceRule { rule: String, problem: String },
    /// A rule of the user, `rule`, that says which resource kernels need most, and that cannot be
    /// read; `problem` says why.
    #[error("the rule `{rule}` is not GLOB=memory, =compute, =latency or =unknown: {problem}")]
    NeedRule { rule: String, problem: String },
}

/// Returns the beginning of a text from a file, in quotes and with control characters escaped, as
/// an error message shows it.
pub(crate) fn shown(text: &str) -> String {
    format!("`{}`", begin(text).escape_debug())
}

/// Returns the first 40 characters of a text from a file. Messages show no more, and comparing more
/// with known names would cost time and memory.
pub(crate) fn begin(text: &str) -> &str {
    text.char_indices().nth(40).map_or(text, |(at, _)| &text[..at])
}
