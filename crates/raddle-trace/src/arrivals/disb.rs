//! Which tasks and arrivals does a load file in JSON describe, be it a workload of the benchmark
//! DISB or a load of REEF's artifact?
//!
//! Both kinds of files are written by hand, so like a launch table they are not mended: a value
//! that makes no sense is an error that names the task. Only lists of arrival times that are out of
//! order are sorted.

use std::collections::{BTreeMap, BTreeSet};

use serde::de::{Deserialize, Deserializer, Error};
use serde_json::value::RawValue;

use super::amount::{Rate, scaled};
use super::{
    ArrivalConfig, ArrivalFile, ArrivalFormat, ArrivalProcess, ArrivalTask, LoadTime,
    REQUEST_LIMIT, TimeUnit, TimesCount, fault, plain, sort,
};
use crate::error::{TraceError, begin, shown};

/// JSON text of each member of a document's outermost object, by the key of the member.
pub(super) type Keys = BTreeMap<String, Box<RawValue>>;

/// JSON files that people may mistake for a load file, each as (key by which the file is
/// recognised, description for the error message).
const OTHERS: [(&str, &str); 5] = [
    (
        "results",
        "it is a result of a benchmark, which says what came out and not when requests came",
    ),
    ("kernel_latency", "it holds latencies of a model's kernels"),
    ("kernels", "it describes the kernels of a model"),
    ("traceEvents", "it is a trace of a profiler: give it as a profile to replay"),
    ("rocprofiler-sdk-tool", "it is a profile of rocprofv3: give it as a profile to replay"),
];

/// Reads the load (tasks and the arrivals of their requests) in a JSON document, of which `keys`
/// has the top-level members; an error where it is no load. `file` is its name for messages.
pub(super) fn document(
    file: &str,
    keys: &Keys,
    options: &ArrivalConfig,
) -> Result<ArrivalFile, TraceError> {
    let mut load = LoadTasks { file, ..LoadTasks::default() };
    let format = if let Some(tasks) = keys.get("tasks") {
        load.disb(tasks)?;
        ArrivalFormat::Disb
    } else if keys.contains_key("rt") || keys.contains_key("be") {
        for (side, priority) in [("rt", Some(0)), ("be", None)] {
            if let Some(clients) = keys.get(side) {
                load.reef(side, priority, clients)?;
            }
        }
        ArrivalFormat::Reef
    } else {
        return Err(TraceError::NoArrivals { file: file.to_owned(), reason: other(keys) });
    };
    if load.tasks.is_empty() {
        let reason = "it has no task".to_owned();
        return Err(TraceError::NoArrivals { file: file.to_owned(), reason });
    }
    let time = keys.get("time").map(|time| {
        let (unit, why) = match options.time_unit {
            Some(unit) => (unit, "as asked"),
            None => load.unit(format, scaled(time.get(), 9)?),
        };
        Ok(LoadTime { ns: unit.ns(time.get())?, unit, why })
    });
    let time = time.transpose().map_err(|problem| fault(file, "`time`", problem))?;
    let counts = TimesCount::ByFormat(TimeUnit::Milliseconds);
    Ok(ArrivalFile {
        format: format.name(),
        tasks: load.tasks,
        counts,
        time,
        unsorted: load.unsorted,
    })
}

/// Returns a description of a JSON document that is no load file, for an error message.
fn other(keys: &Keys) -> String {
    if let Some((_, what)) = OTHERS.iter().find(|(key, _)| keys.contains_key(*key)) {
        return (*what).to_owned();
    }
    match keys.is_empty() {
        true => "it is an empty JSON object".to_owned(),
        false => "it is JSON without `tasks`, `rt` or `be`".to_owned(),
    }
}

#[derive(serde::Deserialize)]
struct DisbTask<'t> {
    id: Option<String>,
    #[serde(borrow)]
    load: &'t RawValue,
    #[serde(default)]
    client: DisbClient,
}

#[derive(Default, serde::Deserialize)]
struct DisbClient {
    name: Option<String>,
    model_name: Option<String>,
    #[serde(default, deserialize_with = "priority")]
    priority: Option<u32>,
}

#[derive(serde::Deserialize)]
struct DisbLoad {
    r#type: String,
    #[serde(default, deserialize_with = "priority")]
    priority: Option<u32>,
    frequency: Option<Rate>,
    trace: Option<Vec<Box<RawValue>>>,
    #[serde(default)]
    prev_task_ids: Vec<String>,
}

#[derive(serde::Deserialize)]
struct ReefName {
    name: String,
}

#[derive(serde::Deserialize)]
struct ReefClient {
    frequency: Option<Rate>,
    trace: Option<Vec<Box<RawValue>>>,
}

/// Reads a priority, a whole number from 0, the most urgent; `None` for `null`. The error says that
/// it is about a priority, since the place of the number in the file does not show that.
fn priority<'de, D: Deserializer<'de>>(json: D) -> Result<Option<u32>, D::Error> {
    let Some(text) = Option::<Box<RawValue>>::deserialize(json)? else {
        return Ok(None);
    };
    text.get().parse().map(Some).map_err(|_| {
        let text = shown(text.get());
        Error::custom(format!("its priority {text} is no whole number from 0, the most urgent"))
    })
}

/// Reader of a load file, with the tasks that it has read so far.
#[derive(Default)]
struct LoadTasks<'f> {
    file: &'f str,
    tasks: Vec<ArrivalTask>,
    names: BTreeSet<String>,
    /// True if the file gives at least one of its tasks an id.
    has_id: bool,
    unsorted: u64,
    requests: usize,
}

impl LoadTasks<'_> {
    fn disb(&mut self, tasks: &RawValue) -> Result<(), TraceError> {
        let tasks: Vec<&RawValue> = self.part("`tasks`", tasks)?;
        let mut followed = Vec::new();
        for (task, number) in tasks.into_iter().zip(1..) {
            let at = format!("task {number}");
            let DisbTask { id, load, client } = self.part(&at, task)?;
            self.has_id |= id.is_some();
            let wanted = id.or(client.name).or(client.model_name);
            let name = self.name(wanted.unwrap_or_else(|| format!("task-{number}")));
            let at = format!("{at} ({})", shown(&name));
            let load: DisbLoad = self.part(&at, load)?;
            let priority = load.priority.or(client.priority);
            let process = self.process(&at, load)?;
            if let ArrivalProcess::Dependent { after } = &process {
                followed.extend(after.iter().map(|after| (at.clone(), after.clone())));
            }
            self.add(name, priority, process);
        }
        let unknown = followed.into_iter().find(|(_, after)| !self.names.contains(after));
        unknown.map_or(Ok(()), |(at, after)| {
            let problem = format!("it follows {}, and no task is called so", shown(&after));
            Err(fault(self.file, &at, problem))
        })
    }

    fn reef(
        &mut self,
        side: &str,
        priority: Option<u32>,
        clients: &RawValue,
    ) -> Result<(), TraceError> {
        let clients: Vec<&RawValue> = self.part(&format!("`{side}`"), clients)?;
        for (client, number) in clients.into_iter().zip(1..) {
            let at = format!("`{side}`, client {number}");
            let ReefName { name } = self.part(&at, client)?;
            let name = self.name(format!("{side}/{name}"));
            let at = format!("{at} ({})", shown(&name));
            let ReefClient { frequency, trace } = self.part(&at, client)?;
            let process = match trace {
                Some(trace) => self.trace(&at, &trace)?,
                None => ArrivalProcess::Periodic { rate: self.rate(&at, frequency)? },
            };
            self.add(name, priority, process);
        }
        Ok(())
    }

    fn process(&mut self, at: &str, load: DisbLoad) -> Result<ArrivalProcess, TraceError> {
        const TYPES: [&str; 5] = ["periodic", "poisson", "continuous", "trace", "dependent"];
        let problem = match (&*load.r#type, load.trace) {
            ("periodic", _) => {
                return Ok(ArrivalProcess::Periodic { rate: self.rate(at, load.frequency)? });
            }
            ("poisson", _) => {
                return Ok(ArrivalProcess::Poisson { rate: self.rate(at, load.frequency)? });
            }
            ("continuous", _) => return Ok(ArrivalProcess::Continuous),
            ("trace", Some(trace)) => return self.trace(at, &trace),
            ("trace", None) => "a load of type trace wants a `trace`".to_owned(),
            ("dependent", _) if load.prev_task_ids.is_empty() => {
                "a load of type dependent wants `prev_task_ids`".to_owned()
            }
            ("dependent", _) => {
                return Ok(ArrivalProcess::Dependent { after: load.prev_task_ids });
            }
            (unknown, _) => {
                let likeness = |word: &&str| strsim::levenshtein(word, begin(unknown));
                format!(
                    "its load is of type {}, which is none of {}; did you mean `{}`?",
                    shown(unknown),
                    TYPES.join(", "),
                    TYPES.into_iter().min_by_key(likeness).unwrap_or_default()
                )
            }
        };
        Err(fault(self.file, at, problem))
    }

    fn rate(&self, at: &str, frequency: Option<Rate>) -> Result<Rate, TraceError> {
        let problem = || "it has no `frequency`, in requests a second".to_owned();
        frequency.ok_or_else(|| fault(self.file, at, problem()))
    }

    fn trace(&mut self, at: &str, trace: &[Box<RawValue>]) -> Result<ArrivalProcess, TraceError> {
        self.requests = self.requests.saturating_add(trace.len());
        if self.requests > REQUEST_LIMIT {
            let (file, limit) = (self.file.to_owned(), REQUEST_LIMIT as u64);
            return Err(TraceError::TooLarge { file, limit, what: "requests" });
        }
        if trace.is_empty() {
            return Err(fault(self.file, at, "its trace has no request".to_owned()));
        }
        let times = trace.iter().zip(1..).map(|(text, number)| {
            let problem = |problem| format!("request {number} of its trace: {problem}");
            scaled(text.get(), 6).map_err(|error| fault(self.file, at, problem(error)))
        });
        let mut times = times.collect::<Result<Vec<_>, _>>()?;
        self.unsorted += sort(&mut times);
        Ok(ArrivalProcess::Trace(times))
    }

    /// Parses `part`, the JSON text of one value of a load file. `at` is the place of the value,
    /// such as `tasks`, which the error names.
    fn part<'t, T: Deserialize<'t>>(&self, at: &str, part: &'t RawValue) -> Result<T, TraceError> {
        serde_json::from_str(part.get()).map_err(|error| fault(self.file, at, plain(&error)))
    }

    fn add(&mut self, name: String, priority: Option<u32>, process: ArrivalProcess) {
        let number = u32::try_from(self.tasks.len()).unwrap_or(u32::MAX);
        self.tasks.push(ArrivalTask { name, priority, process, number });
    }

    /// Returns a task name that no earlier task of the load has: the wanted name, or `name-2`,
    /// `name-3`, ... where it is taken.
    fn name(&mut self, wanted: String) -> String {
        let mut name = wanted.clone();
        let mut n = 2_u64;
        while !self.names.insert(name.clone()) {
            name = format!("{wanted}-{n}");
            n += 1;
        }
        name
    }

    /// Decides in which unit of time a load file counts its member `time`, the duration of the
    /// load. Returns (unit, reason in words). `seconds` is the duration in nanoseconds that the
    /// member stands for if it counts seconds.
    fn unit(&self, format: ArrivalFormat, seconds: u64) -> (TimeUnit, &'static str) {
        let last = self.tasks.iter().filter_map(|task| match &task.process {
            ArrivalProcess::Trace(times) => times.last().copied(),
            _ => None,
        });
        let last = last.max();
        if last.is_some_and(|last| last > seconds.saturating_mul(2)) {
            (TimeUnit::Minutes, "its traces reach beyond twice that many seconds")
        } else if last.is_some() && format == ArrivalFormat::Disb {
            (TimeUnit::Seconds, "its traces end within twice that many seconds")
        } else if format == ArrivalFormat::Reef {
            (TimeUnit::Minutes, "a figure of REEF counts minutes")
        } else if !self.has_id {
            (TimeUnit::Minutes, "no task has an id, as in REEF's workloads, which count minutes")
        } else {
            (TimeUnit::Seconds, "a workload of DISB counts seconds")
        }
    }
}
