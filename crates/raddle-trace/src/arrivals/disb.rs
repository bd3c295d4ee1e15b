//! What does a load file in JSON say: a workload of DISB, or a figure of REEF?
//!
//! Both are written by hand, so like a launch table they are not mended: what makes no sense is an
//! error that names the task. Only traces that are out of order are sorted.

use std::collections::{BTreeMap, BTreeSet};

use serde::Deserialize;
use serde_json::value::RawValue;

use super::amount::{Rate, scaled, shown};
use super::{
    ArrivalFile, ArrivalFormat, ArrivalOptions, ArrivalProcess, ArrivalTask, LoadTime,
    REQUEST_LIMIT, TimeUnit, sort,
};
use crate::error::TraceError;

type Keys<'t> = BTreeMap<String, &'t RawValue>;

/// Keys of files that people may take for a load, and what such a file is.
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

/// Reads a document, of which `lines` lines were passed over.
pub(super) fn document(
    file: &str,
    text: &[u8],
    lines: u64,
    options: &ArrivalOptions,
) -> Result<ArrivalFile, TraceError> {
    let reader = DisbReader { file, lines };
    let keys: Keys<'_> = reader.json(text)?;
    let has = |key: &str| keys.contains_key(key);
    let mut load = LoadTasks::default();
    let format = if has("tasks") {
        load.disb(&reader, keys["tasks"])?;
        ArrivalFormat::Disb
    } else if has("rt") || has("be") {
        for (side, priority) in [("rt", Some(0)), ("be", None)] {
            if let Some(clients) = keys.get(side) {
                load.reef(&reader, side, priority, clients)?;
            }
        }
        ArrivalFormat::Reef
    } else {
        return Err(TraceError::NoArrivals { file: file.to_owned(), reason: other(&keys) });
    };
    if load.tasks.is_empty() {
        let reason = "it has no task".to_owned();
        return Err(TraceError::NoArrivals { file: file.to_owned(), reason });
    }
    let time = keys.get("time").map(|time| {
        let unit = options.time_unit.map(|unit| (unit, "as asked"));
        let (unit, why) = unit.map_or_else(|| load.unit(format, time.get()), Ok)?;
        let ns = scaled(time.get(), 9).and_then(|seconds| match unit {
            TimeUnit::Seconds => Ok(seconds),
            TimeUnit::Minutes => {
                seconds.checked_mul(60).ok_or_else(|| format!("{} is too large", shown(time.get())))
            }
        })?;
        Ok(LoadTime { ns, unit, why })
    });
    let time = time.transpose().map_err(|problem| reader.fault("`time`", problem))?;
    Ok(ArrivalFile { format, tasks: load.tasks, time, unsorted: load.unsorted })
}

/// What a document that is no load may be.
fn other(keys: &Keys<'_>) -> String {
    if let Some((_, what)) = OTHERS.iter().find(|(key, _)| keys.contains_key(*key)) {
        return (*what).to_owned();
    }
    let mut names: Vec<String> = keys.keys().take(8).map(|key| shown(key)).collect();
    if keys.len() > names.len() {
        names.push("...".to_owned());
    }
    match names[..] {
        [] => "it is an empty JSON object".to_owned(),
        _ => format!("it is JSON with the keys {}", names.join(", ")),
    }
}

/// Errors with their place.
struct DisbReader<'f> {
    file: &'f str,
    lines: u64,
}

impl DisbReader<'_> {
    fn fault(&self, at: &str, problem: String) -> TraceError {
        let (file, at) = (self.file.to_owned(), at.to_owned());
        TraceError::Arrivals { file, at, problem }
    }

    /// The whole document.
    fn json<'t, T: Deserialize<'t>>(&self, text: &'t [u8]) -> Result<T, TraceError> {
        serde_json::from_slice(text).map_err(|error| {
            let at = format!("line {}", self.lines + error.line() as u64);
            self.fault(&at, format!("it is not valid JSON ({})", plain(&error)))
        })
    }

    /// A part of it.
    fn part<'t, T: Deserialize<'t>>(&self, at: &str, part: &'t RawValue) -> Result<T, TraceError> {
        serde_json::from_str(part.get()).map_err(|error| self.fault(at, plain(&error)))
    }
}

/// What the parser says, without a place, which would be one within a part.
fn plain(error: &serde_json::Error) -> String {
    let text = error.to_string();
    text.split(" at line ").next().unwrap_or(&text).to_owned()
}

#[derive(Deserialize)]
struct DisbTask<'t> {
    #[serde(default)]
    id: Option<String>,
    #[serde(borrow)]
    load: DisbLoad<'t>,
    #[serde(borrow, default)]
    client: DisbClient<'t>,
}

#[derive(Deserialize)]
struct DisbLoad<'t> {
    r#type: String,
    #[serde(borrow, default)]
    priority: Option<&'t RawValue>,
    #[serde(borrow, default)]
    frequency: Option<&'t RawValue>,
    #[serde(borrow, default)]
    trace: Option<&'t RawValue>,
    #[serde(default)]
    prev_task_ids: Vec<String>,
}

#[derive(Default, Deserialize)]
struct DisbClient<'t> {
    #[serde(default)]
    name: Option<String>,
    #[serde(default)]
    model_name: Option<String>,
    #[serde(borrow, default)]
    priority: Option<&'t RawValue>,
}

#[derive(Deserialize)]
struct ReefClient<'t> {
    name: String,
    #[serde(borrow, default)]
    frequency: Option<&'t RawValue>,
    #[serde(borrow, default)]
    trace: Option<&'t RawValue>,
}

/// What has been read so far.
#[derive(Default)]
struct LoadTasks {
    tasks: Vec<ArrivalTask>,
    names: BTreeSet<String>,
    /// Whether a task has an id of its own.
    has_id: bool,
    unsorted: u64,
    requests: usize,
}

impl LoadTasks {
    fn disb(&mut self, reader: &DisbReader<'_>, tasks: &RawValue) -> Result<(), TraceError> {
        let tasks: Vec<&RawValue> = reader.part("`tasks`", tasks)?;
        let mut followed = Vec::new();
        for (position, task) in tasks.into_iter().enumerate() {
            let at = format!("task {}", position + 1);
            let DisbTask { id, load, client } = reader.part(&at, task)?;
            self.has_id |= id.is_some();
            let wanted = id.clone().or(client.name).or(client.model_name);
            let name = self.name(wanted.unwrap_or_else(|| format!("task-{}", position + 1)));
            let at = format!("{at} ({})", shown(&name));
            let process = self.process(reader, &at, &load)?;
            if let ArrivalProcess::Dependent { after } = &process {
                followed.extend(after.iter().map(|after| (at.clone(), after.clone())));
            }
            let priority = load.priority.or(client.priority);
            let priority = priority.map(|text| priority_of(text.get())).transpose();
            let priority = priority.map_err(|problem| reader.fault(&at, problem))?;
            self.add(name, priority, process);
        }
        let unknown = followed.into_iter().find(|(_, after)| !self.names.contains(after));
        if let Some((at, after)) = unknown {
            let problem = format!("it follows {}, and no task is called so", shown(&after));
            return Err(reader.fault(&at, problem));
        }
        Ok(())
    }

    fn reef(
        &mut self,
        reader: &DisbReader<'_>,
        side: &str,
        priority: Option<u32>,
        clients: &RawValue,
    ) -> Result<(), TraceError> {
        let clients: Vec<&RawValue> = reader.part(&format!("`{side}`"), clients)?;
        for (position, client) in clients.into_iter().enumerate() {
            let at = format!("`{side}`, client {}", position + 1);
            let client: ReefClient<'_> = reader.part(&at, client)?;
            let name = self.name(format!("{side}/{}", client.name));
            let at = format!("{at} ({})", shown(&name));
            let process = match client.trace {
                Some(trace) => self.trace(reader, &at, trace)?,
                None => ArrivalProcess::Periodic { rate: rate(reader, &at, client.frequency)? },
            };
            self.add(name, priority, process);
        }
        Ok(())
    }

    fn process(
        &mut self,
        reader: &DisbReader<'_>,
        at: &str,
        load: &DisbLoad<'_>,
    ) -> Result<ArrivalProcess, TraceError> {
        const TYPES: [&str; 5] = ["periodic", "poisson", "continuous", "trace", "dependent"];
        Ok(match &*load.r#type {
            "periodic" => ArrivalProcess::Periodic { rate: rate(reader, at, load.frequency)? },
            "poisson" => ArrivalProcess::Poisson { rate: rate(reader, at, load.frequency)? },
            "continuous" => ArrivalProcess::Continuous,
            "trace" => {
                let missing = || reader.fault(at, "a load of type trace wants a `trace`".into());
                self.trace(reader, at, load.trace.ok_or_else(missing)?)?
            }
            "dependent" if load.prev_task_ids.is_empty() => {
                let problem = "a load of type dependent wants `prev_task_ids`".to_owned();
                return Err(reader.fault(at, problem));
            }
            "dependent" => ArrivalProcess::Dependent { after: load.prev_task_ids.clone() },
            unknown => {
                let nearest =
                    TYPES.into_iter().min_by_key(|word| strsim::levenshtein(word, unknown));
                let problem = format!(
                    "its load is of type {}, which is none of {}; did you mean `{}`?",
                    shown(unknown),
                    TYPES.join(", "),
                    nearest.unwrap_or_default()
                );
                return Err(reader.fault(at, problem));
            }
        })
    }

    fn trace(
        &mut self,
        reader: &DisbReader<'_>,
        at: &str,
        trace: &RawValue,
    ) -> Result<ArrivalProcess, TraceError> {
        let texts: Vec<&RawValue> = reader.part(at, trace)?;
        self.requests = self.requests.saturating_add(texts.len());
        if self.requests > REQUEST_LIMIT {
            let (file, limit) = (reader.file.to_owned(), REQUEST_LIMIT as u64);
            return Err(TraceError::TooLarge { file, limit, what: "requests" });
        }
        if texts.is_empty() {
            return Err(reader.fault(at, "its trace has no request".to_owned()));
        }
        let time = |(position, text): (usize, &&RawValue)| {
            scaled(text.get(), 6).map_err(|problem| {
                reader.fault(at, format!("request {} of its trace: {problem}", position + 1))
            })
        };
        let mut times = texts.iter().enumerate().map(time).collect::<Result<Vec<_>, _>>()?;
        self.unsorted += sort(&mut times);
        Ok(ArrivalProcess::Trace(times))
    }

    fn add(&mut self, name: String, priority: Option<u32>, process: ArrivalProcess) {
        let number = u32::try_from(self.tasks.len()).unwrap_or(u32::MAX);
        self.tasks.push(ArrivalTask { name, priority, process, number });
    }

    /// The wanted name, or `name-2`, `name-3`, ... where it is taken.
    fn name(&mut self, wanted: String) -> String {
        let mut name = wanted.clone();
        let mut n = 2_u64;
        while !self.names.insert(name.clone()) {
            name = format!("{wanted}-{n}");
            n += 1;
        }
        name
    }

    /// What `time` counts, and why.
    fn unit(&self, format: ArrivalFormat, time: &str) -> Result<(TimeUnit, &'static str), String> {
        let twice = scaled(time, 9)?.saturating_mul(2);
        let last = self.tasks.iter().filter_map(|task| match &task.process {
            ArrivalProcess::Trace(times) => times.last().copied(),
            _ => None,
        });
        let last = last.max();
        Ok(if last.is_some_and(|last| last > twice) {
            (TimeUnit::Minutes, "its traces reach beyond twice that many seconds")
        } else if last.is_some() && format == ArrivalFormat::Disb {
            (TimeUnit::Seconds, "its traces end within twice that many seconds")
        } else if format == ArrivalFormat::Reef {
            (TimeUnit::Minutes, "a figure of REEF counts minutes")
        } else if !self.has_id {
            (TimeUnit::Minutes, "no task has an id, as in REEF's workloads, which count minutes")
        } else {
            (TimeUnit::Seconds, "a workload of DISB counts seconds")
        })
    }
}

fn rate(
    reader: &DisbReader<'_>,
    at: &str,
    frequency: Option<&RawValue>,
) -> Result<Rate, TraceError> {
    let text = frequency.ok_or_else(|| {
        reader.fault(at, "it has no `frequency`, in requests a second".to_owned())
    })?;
    Rate::parse(text.get()).map_err(|problem| reader.fault(at, format!("`frequency`: {problem}")))
}

fn priority_of(text: &str) -> Result<u32, String> {
    let value = scaled(text, 0).ok().filter(|_| !text.contains('.'));
    value.and_then(|value| u32::try_from(value).ok()).ok_or_else(|| {
        format!("its priority {} is no whole number from 0, the most urgent", shown(text))
    })
}
