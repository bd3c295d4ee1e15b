//! How long does a step of an engine take beside another program, by way of sharing and load?
//!
//! [`CoRunTable`] reads the rows of `raddle sweep`; [`StepTiming`] gives aisimulate-core the time of one of them. A step
//! is one run of the profile: one pass of the simulated engine, with the batch that the profile holds.

use std::collections::BTreeMap;

use aisimulate_core::TimingModel;
use anyhow::{Context, Result, bail, ensure};
use serde_json::Value;

/// Step times of one process under one way of sharing (a recipe) and one load. If the table has
/// several random seeds, each time is the longest among the seeds.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Step {
    /// Time of a step of the process alone on the device, in ns.
    pub alone_ns: u64,
    /// Median time of the requests, in ns.
    pub median_ns: u64,
    /// Time that 99 % of the requests take at most, in ns.
    pub p99_ns: u64,
}

/// Rows of the table for one way of sharing, each as (load in requests a second, step times), the
/// lowest load first.
type Rows = Vec<(f64, Step)>;

/// Table of the step times of one process, by way of sharing (recipe) and by load.
#[derive(Debug)]
pub struct CoRunTable {
    process: String,
    ways: BTreeMap<String, Rows>,
}

impl CoRunTable {
    /// Reads the JSON Lines that `raddle sweep --vary load=..` prints, where requests drive
    /// `process`.
    ///
    /// # Errors
    ///
    /// The text has no rows, a line that is no row, or a case without an answer or whose requests
    /// did not all end; or the sweep varied more than load, recipe and seed.
    pub fn from_lines(text: &str, process: &str) -> Result<Self> {
        let mut ways: BTreeMap<String, Rows> = BTreeMap::new();
        for (index, line) in text.lines().enumerate() {
            let (way, load, step) =
                parsed_row(line, process).with_context(|| format!("line {}", index + 1))?;
            let rows = ways.entry(way).or_default();
            match rows.iter_mut().find(|(known, _)| *known == load) {
                Some((_, greatest)) => *greatest = greatest_of(*greatest, step),
                None => rows.push((load, step)),
            }
        }
        ensure!(!ways.is_empty(), "no rows: let the sweep run first");
        for rows in ways.values_mut() {
            rows.sort_by(|a, b| a.0.total_cmp(&b.0));
        }
        Ok(Self { process: process.to_owned(), ways })
    }

    /// Returns the names of the ways of sharing (recipes) in the table, in alphabetical order.
    pub fn ways(&self) -> impl Iterator<Item = &str> {
        self.ways.keys().map(String::as_str)
    }

    /// Returns the step times under the way of sharing `way` at `load` requests a second. If the
    /// table lacks this load, returns those of its next higher load.
    ///
    /// # Errors
    ///
    /// The table lacks `way`, or `load` is outside of its loads; the error says what to sweep.
    pub fn step(&self, way: &str, load: f64) -> Result<Step> {
        let rows = self.ways.get(way).with_context(|| {
            format!("no row has the way {way}: add --recipe {way} to the sweep, and run it again")
        })?;
        let (least, most) = (rows[0].0, rows[rows.len() - 1].0);
        let above = rows.iter().find(|(known, _)| *known >= load);
        match above {
            Some((_, step)) if load >= least => Ok(*step),
            _ => bail!(
                "{load} requests of {} a second are outside of the {least} to {most} that were swept under {way}: \
                 add {load}/s to --vary load, and run the sweep again, which keeps the rows that it has",
                self.process
            ),
        }
    }
}

/// Reads a line of a sweep, and returns (way of sharing, load in requests a second, step times of
/// `process`).
fn parsed_row(line: &str, process: &str) -> Result<(String, f64, Step)> {
    let row: Value = serde_json::from_str(line).context("no row of a sweep")?;
    let case = row["case"].as_str().context("a row without `case`")?;
    if let Some(error) = row["error"].as_str() {
        bail!("case {case} has no answer ({error}): mend that, and run the sweep again");
    }
    for key in case.split(' ').filter_map(|part| part.split_once('=')).map(|(key, _)| key) {
        ensure!(
            ["load", "recipe", "seed"].contains(&key),
            "case {case} varies {key}: sweep with one value of it, as only load, recipe and seed are told apart"
        );
    }
    let way = row["recipe"].as_str().context("a row without `recipe`: sweep with --recipe")?;
    let load = row["load"].as_f64().context("a row without `load`: sweep with --vary load=..")?;
    let figure = |name: &str| {
        let key = format!("{process}.{name}");
        row[&key]
            .as_u64()
            .with_context(|| format!("case {case} lacks {key}: sweep with --requests {process}=.."))
    };
    let (requests, ended) = (figure("requests")?, figure("requests-ended")?);
    ensure!(
        ended == requests,
        "case {case}: {ended} of {requests} requests ended, so their median is unknown; sweep lower loads"
    );
    let step = Step {
        alone_ns: figure("alone-ns")?,
        median_ns: figure("p50-ns")?,
        p99_ns: figure("p99-ns")?,
    };
    Ok((way.to_owned(), load, step))
}

fn greatest_of(a: Step, b: Step) -> Step {
    Step {
        alone_ns: a.alone_ns.max(b.alone_ns),
        median_ns: a.median_ns.max(b.median_ns),
        p99_ns: a.p99_ns.max(b.p99_ns),
    }
}

/// Timing model of aisimulate-core in which each pass of an engine takes the same time, for engines
/// that serve one sequence in one prefill pass.
#[derive(Debug)]
pub struct StepTiming {
    step_ns: u64,
}

impl StepTiming {
    /// Returns the timing model in which each pass of the engine takes `step_ns` nanoseconds.
    pub fn from_ns(step_ns: u64) -> Self {
        Self { step_ns }
    }
}

impl TimingModel for StepTiming {
    fn predict_prefill_ms(&self, batch_size: usize, _: usize, _: usize) -> Result<f64> {
        ensure!(
            batch_size == 1,
            "the sweep has no time of {batch_size} requests in one pass: sweep a profile of such a batch, or set \
             max_num_seqs to 1"
        );
        Ok(self.step_ns as f64 / 1e6)
    }

    fn predict_decode_ms(&self, _: usize, _: usize, _: usize, _: usize) -> Result<f64> {
        bail!(
            "the sweep has the time of a whole request, not that of a decode pass: sweep a profile of one, or ask for \
             one output token"
        )
    }
}
