//! When do requests arrive? Load files of benchmarks, and traces of requests to a service.
//!
//! [`open`] reads a DISB workload, a load of REEF, or a request trace of Azure, Mooncake, Bailian
//! or BurstGPT, and gives named tasks, each with the arrival process of its requests. The content
//! of the file decides which it is, never its name; it may be gzip. Times are nanoseconds from the
//! start of the load, exact: no number goes through floating point.
//!
//! Such a file says when a request arrives, not what it runs (a profile). Token counts are unused.

mod amount;
mod disb;
mod process;
mod random;
mod requests;

use std::io::{self, Read};
use std::path::Path;

use raddle_policy::Level;
use serde::Deserialize;
use serde_json::error::Category;

use crate::archive::open_file;
use crate::error::{TraceError, shown};
use crate::input::{FileInput, is_damage};

pub use amount::Rate;
pub(crate) use requests::format_of_header;

pub use process::{ArrivalProcess, jitter};
pub use random::SplitMix64;

/// Largest number of requests that a trace of requests may have; a longer trace is refused.
const REQUEST_LIMIT: usize = 1 << 24;
/// Largest number of bytes that is read from a JSON file of request arrivals.
const BYTE_LIMIT: u64 = 1 << 28;
/// Error message for a file that ends in the middle of a record.
const BREAKS_OFF: &str = "the file breaks off here: copy it again";

/// Arrivals of requests that one load file or trace describes, task by task.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ArrivalFile {
    /// Name of the kind of file: `disb`, `reef`, `azure`, `mooncake`, `bailian` or `burstgpt`;
    /// another name where the arrivals come from no file.
    pub format: &'static str,
    /// Tasks of the load, one or more, each with a different name.
    pub tasks: Vec<ArrivalTask>,
    /// Unit of the arrival times in a trace of requests, and whether the caller or the format of
    /// the file decided it.
    pub counts: TimesCount,
    /// Length of time for which requests of the load arrive, with its unit; `None` where the file
    /// gives none.
    pub time: Option<LoadTime>,
    /// Number of arrivals that a trace listed directly after a later arrival; all arrivals were
    /// then sorted by time.
    pub unsorted: u64,
}

/// Kinds of files that say when requests arrive (workloads and request traces).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum ArrivalFormat {
    /// A workload file of DISB, a benchmark of serving neural networks, in JSON.
    Disb,
    /// A load file of the artifact of REEF (OSDI 2022) for one of its figures, with real-time and
    /// best-effort tasks, in JSON.
    Reef,
    /// A request trace of Azure's LLM inference service, in CSV.
    Azure,
    /// A request trace of Mooncake, in JSON Lines.
    Mooncake,
    /// A request trace of Alibaba's Bailian (Qwen), in JSON Lines.
    Bailian,
    /// A request trace of BurstGPT, in CSV.
    BurstGpt,
}

impl ArrivalFormat {
    const fn name(self) -> &'static str {
        match self {
            Self::Disb => "disb",
            Self::Reef => "reef",
            Self::Azure => "azure",
            Self::Mooncake => "mooncake",
            Self::Bailian => "bailian",
            Self::BurstGpt => "burstgpt",
        }
    }
}

/// Duration of a load, with the unit in which the file's number was read, and the reason for that
/// unit.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct LoadTime {
    /// Duration of the load in nanoseconds.
    pub ns: u64,
    /// Unit in which the duration in the load file was read, as such files do not state it.
    pub unit: TimeUnit,
    /// Reason for the unit of the duration, in words: "as asked", or the observation that decided.
    pub why: &'static str,
}

/// Unit of time of the numbers in a file of arrivals; such files do not state their unit.
#[derive(Clone, Copy, Debug, PartialEq, Eq, serde::Serialize, serde::Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum TimeUnit {
    /// Milliseconds: the unit of request times in the traces of Mooncake and in load files.
    Milliseconds,
    /// Seconds: the unit of request times in the traces of Bailian and BurstGPT, and of the
    /// duration `time` in DISB's own workloads.
    Seconds,
    /// Minutes: the unit of the duration `time` in REEF's load files.
    Minutes,
}

impl TimeUnit {
    /// Returns the name of the unit in the plural, such as `seconds`.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::Milliseconds => "milliseconds",
            Self::Seconds => "seconds",
            Self::Minutes => "minutes",
        }
    }

    /// Converts a decimal number of this unit to nanoseconds; parts of a nanosecond are dropped.
    /// The error says what is wrong with the text.
    fn ns(self, text: &str) -> Result<u64, String> {
        let (places, times) = match self {
            Self::Milliseconds => (6, 1),
            Self::Seconds => (9, 1),
            Self::Minutes => (9, 60),
        };
        let ns = amount::scaled(text, places)?.checked_mul(times);
        ns.ok_or_else(|| format!("{} is too large", shown(text)))
    }
}

/// Unit in which a trace of requests counts its arrivals, and where that unit comes from.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum TimesCount {
    /// Arrivals are dates with times of day, or come from no trace of requests; neither needs a
    /// unit.
    Dates,
    /// Arrivals are numbers, in the unit that files of this format use.
    ByFormat(TimeUnit),
    /// Arrivals are numbers in the unit that the caller asked for.
    AsAsked(TimeUnit),
}

impl TimesCount {
    /// Returns the unit that the caller asked for, `asked`, or for `None` the unit of the file's
    /// format; the variant says which of the two was used.
    pub(crate) fn of(asked: Option<TimeUnit>, format: TimeUnit) -> Self {
        asked.map_or(Self::ByFormat(format), Self::AsAsked)
    }

    /// Returns the unit of the arrival times; `None` where the arrivals are dates.
    pub(crate) const fn unit(self) -> Option<TimeUnit> {
        match self {
            Self::Dates => None,
            Self::ByFormat(unit) | Self::AsAsked(unit) => Some(unit),
        }
    }
}

/// A task of a load: one client or model that issues requests, with their arrival process.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ArrivalTask {
    /// Name of the task, distinct within the file.
    pub name: String,
    /// Priority of the task as the file gives it: 0 is real-time, larger is less urgent; `None`
    /// where the file gives none.
    pub priority: Option<u32>,
    /// Arrival process of the task's requests: at even, random or listed times, or after others.
    pub process: ArrivalProcess,
    /// Index of the task in the file, from 0; together with the seed of the random generator it
    /// determines the task's random numbers.
    pub number: u32,
}

/// Choices of the caller where a file of arrivals leaves the meaning of its numbers open.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct ArrivalConfig {
    /// Unit of the times in a trace of requests, and of the duration `time` in a load file. Neither
    /// kind of file states its unit. With `None` a trace has the unit of its format, such as
    /// milliseconds.
    ///
    /// With `None`, `time` counts minutes if a listed arrival lies beyond twice that many seconds.
    /// It also counts minutes in a load of REEF, and in a load that lists no arrivals and gives no
    /// task an `id`. Else it counts seconds.
    pub time_unit: Option<TimeUnit>,
}

impl ArrivalFile {
    /// Returns the level of urgency of a task by its priority in the file, at most 255; a task
    /// without a priority gets 255 (best effort). `None` where no task of the file has a priority.
    #[must_use]
    pub fn level(&self, task: &ArrivalTask) -> Option<Level> {
        self.tasks.iter().find_map(|task| task.priority)?;
        Some(Level(task.priority.map_or(u8::MAX, |p| u8::try_from(p).unwrap_or(u8::MAX))))
    }

    /// Finds the task with this name; `None` where the file has no such task.
    #[must_use]
    pub fn task(&self, name: &str) -> Option<&ArrivalTask> {
        self.tasks.iter().find(|task| task.name == name)
    }
}

/// Reads the arrivals of requests from a load file or a trace of requests, plain or gzip.
///
/// # Errors
/// When the file cannot be read, is of another kind, or holds a value that makes no sense; see
/// [`TraceError`].
pub fn open(path: &Path, options: &ArrivalConfig) -> Result<ArrivalFile, TraceError> {
    let (file, bytes) = open_file(path)?;
    read(&file, bytes, options)
}

/// Reads arrivals from the bytes of a file; `file` is its name for messages.
///
/// # Errors
/// The errors of [`open`].
pub fn read(
    file: &str,
    bytes: impl Read,
    options: &ArrivalConfig,
) -> Result<ArrivalFile, TraceError> {
    let failed = |cause| failure(file, "line 1", cause);
    let mut input = FileInput::new(bytes).map_err(failed)?;
    match input.head().map_err(failed)?.first() {
        None => Err(TraceError::NoArrivals { file: file.to_owned(), reason: "it is empty".into() }),
        Some(b'{') => json(file, input, options),
        Some(_) => requests::csv(file, input, options),
    }
}

/// Reads arrivals from JSON Lines, or from one JSON document; an error where the text is neither or
/// holds no arrivals. `file` is its name for messages.
fn json(
    file: &str,
    input: FileInput<'_>,
    options: &ArrivalConfig,
) -> Result<ArrivalFile, TraceError> {
    let FileInput { reader, lines, .. } = input;
    let mut reader = reader.take(BYTE_LIMIT);
    let mut json = serde_json::Deserializer::from_reader(&mut reader);
    let failed = |error: serde_json::Error| {
        let at = format!("line {}", lines + error.line() as u64);
        match error.classify() {
            Category::Io => failure(file, &at, error.into()),
            Category::Data => fault(file, &at, plain(&error)),
            _ => fault(file, &at, format!("it is not valid JSON ({})", plain(&error))),
        }
    };
    let keys = disb::Keys::deserialize(&mut json).map_err(failed);
    let read = keys.and_then(|keys| {
        if keys.contains_key("timestamp") {
            let rest = json.into_iter().map(|line| line.map_err(failed));
            return requests::json_lines((file, lines), &keys, rest, options);
        }
        if let Err(error) = json.end() {
            // If another object follows the first one, the file is JSON Lines.
            let lines_of = disb::Keys::deserialize(&mut json).is_ok();
            let first = || format!("line {}", lines + 1);
            return Err(match lines_of {
                true => fault(file, &first(), requests::NO_TIME.to_owned()),
                false => failed(error),
            });
        }
        disb::document(file, &keys, options)
    });
    if reader.limit() == 0 {
        let (file, limit) = (file.to_owned(), BYTE_LIMIT);
        return Err(TraceError::TooLarge { file, limit, what: "bytes of JSON" });
    }
    read
}

/// Builds the error for a value that makes no sense; `at` is the place of the value in the file.
fn fault(file: &str, at: &str, problem: String) -> TraceError {
    TraceError::Arrivals { file: file.to_owned(), at: at.to_owned(), problem }
}

/// Returns the message of the JSON parser without its line and column, which count from the part
/// that was parsed and not from the start of the file.
fn plain(error: &serde_json::Error) -> String {
    let text = raddle_read::without_content(&error.to_string());
    text.rsplit_once(" at line ").map_or(&*text, |(message, _)| message).to_owned()
}

/// Builds the error for a failed read at the place `at` of the file `file`; a file that ends too
/// early gets an error that says so.
fn failure(file: &str, at: &str, cause: io::Error) -> TraceError {
    if is_damage(&cause) {
        return fault(file, at, BREAKS_OFF.to_owned());
    }
    TraceError::Unreadable { file: file.to_owned(), cause }
}

/// Sorts arrival times, and returns how many of them stood directly after a later one.
fn sort(times: &mut [u64]) -> u64 {
    let back = times.windows(2).filter(|pair| pair[1] < pair[0]).count();
    times.sort_unstable();
    back as u64
}
