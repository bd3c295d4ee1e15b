//! How is a row measured, and which rows were?
//!
//! Criterion measures a pass over many maps; a row is what one map, query or step of it costs. What
//! a row needs is built when it is first run, so a filter that matches nothing costs nothing.

use std::env;
use std::fs;
use std::path::{Path, PathBuf};
use std::time::Duration;

use criterion::{Criterion, SamplingMode, Throughput};
use serde_json::Value;

/// A pass over more elements takes so long that ten have to do.
const MANY: usize = 1 << 20;

/// Nanoseconds for one element of a row.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Time {
    pub(crate) median: f64,
    pub(crate) least: f64,
}

/// A row that was run: its group, its name, and how many elements a pass has.
#[derive(Clone, Debug)]
pub(crate) struct Row {
    pub(crate) group: String,
    pub(crate) name: String,
    elements: usize,
}

/// A row that could not be run here, and why.
#[derive(Clone, Debug)]
pub(crate) struct Absent {
    pub(crate) group: String,
    pub(crate) name: String,
    pub(crate) why: String,
}

pub(crate) struct Lab {
    criterion: Criterion,
    folder: PathBuf,
    /// What has to hold before anything is measured.
    check: Option<fn()>,
    pub(crate) ran: Vec<Row>,
    pub(crate) absent: Vec<Absent>,
}

impl Lab {
    /// Takes its filter and options from the command line.
    pub(crate) fn new(check: fn()) -> Self {
        let folder = folder();
        let criterion = Criterion::default()
            .warm_up_time(Duration::from_millis(300))
            .measurement_time(Duration::from_millis(700))
            .sample_size(20)
            .nresamples(2_000)
            .output_directory(&folder)
            .configure_from_args();
        Self { criterion, folder, check: Some(check), ran: Vec::new(), absent: Vec::new() }
    }

    /// Measures a row, if the filter wants it: `setup` builds what each `pass` goes over, and a
    /// pass has so many elements.
    pub(crate) fn row<S>(
        &mut self,
        group: &str,
        name: &str,
        elements: usize,
        setup: impl FnOnce() -> S,
        mut pass: impl FnMut(&mut S),
    ) {
        let row = Row { group: group.to_owned(), name: name.to_owned(), elements };
        let (folder, check, ran) = (&self.folder, &mut self.check, &mut self.ran);
        let start = || {
            if let Some(check) = check.take() {
                check();
            }
            // What an earlier run left is not what this one measured.
            for file in ["estimates.json", "sample.json"] {
                // It need not be there.
                fs::remove_file(row.file(folder, file)).ok();
            }
            ran.push(row);
            setup()
        };
        let (mut start, mut state) = (Some(start), None);
        let mut group = self.criterion.benchmark_group(group);
        group.throughput(Throughput::Elements(elements as u64)).sampling_mode(SamplingMode::Flat);
        if elements > MANY {
            group.sample_size(10);
        }
        group.bench_function(name, |bencher| {
            if let Some(start) = start.take() {
                state = Some(start());
            }
            if let Some(state) = &mut state {
                bencher.iter(|| pass(state));
            }
        });
        group.finish();
    }

    /// Notes a row that cannot be run here.
    pub(crate) fn lacks(&mut self, group: &str, name: &str, why: String) {
        self.absent.push(Absent { group: group.to_owned(), name: name.to_owned(), why });
    }

    /// What criterion found for a row of this run; nothing where it only tried it.
    pub(crate) fn time(&self, group: &str, name: &str) -> Option<Time> {
        let row = self.ran.iter().find(|row| row.group == group && row.name == name)?;
        let estimates = read(&row.file(&self.folder, "estimates.json"))?;
        let sample = read(&row.file(&self.folder, "sample.json"))?;
        let numbers = |key: &str| {
            let list = sample[key].as_array().cloned().unwrap_or_default();
            list.into_iter().filter_map(|number| number.as_f64())
        };
        let passes = numbers("times").zip(numbers("iters")).map(|(time, passes)| time / passes);
        let elements = row.elements as f64;
        Some(Time {
            median: estimates["median"]["point_estimate"].as_f64()? / elements,
            least: passes.fold(f64::INFINITY, f64::min) / elements,
        })
    }
}

impl Row {
    fn file(&self, folder: &Path, name: &str) -> PathBuf {
        folder.join(&self.group).join(&self.name).join("new").join(name)
    }
}

fn read(file: &Path) -> Option<Value> {
    serde_json::from_str(&fs::read_to_string(file).ok()?).ok()
}

/// `criterion` in the build folder: this program is `release/deps/NAME` in it.
fn folder() -> PathBuf {
    let program = env::current_exe().unwrap_or_default();
    program.ancestors().nth(3).unwrap_or(Path::new("target")).join("criterion")
}
