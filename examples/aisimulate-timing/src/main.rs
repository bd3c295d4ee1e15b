//! How much larger is the p99 of requests beside a training program than alone, when
//! aisimulate-core queues the requests?

use std::sync::Arc;

use aisimulate_core::engine::EngineConfig;
use aisimulate_core::replay::loadgen::ArrivalSpec;
use aisimulate_core::replay::{
    ReplayAdapters, ReplayEngineConfig, ReplayRequest, ReplaySpec, ReplayTopology,
    run_engine_replay_with_timing,
};
use aisimulate_timing::{CoRunTable, StepTiming};
use anyhow::{Context, Result};
use serde_json::Value;

/// Name of the process, in the table of step times, whose profile each request runs once.
const PROCESS: &str = "decode";
const REQUESTS: usize = 2_000;
const SEED: u64 = 1;

fn main() -> Result<()> {
    let mut arguments = std::env::args().skip(1);
    let usage = "usage: aisimulate-timing CO-RUN.jsonl REQUESTS-A-SECOND";
    let file = arguments.next().context(usage)?;
    let load: f64 = arguments.next().context(usage)?.parse().context(usage)?;
    let text = std::fs::read_to_string(&file).with_context(|| file.clone())?;
    let table = CoRunTable::from_lines(&text, PROCESS).with_context(|| file.clone())?;

    let steps = table.ways().map(|way| Ok((way, table.step(way, load)?)));
    let steps = steps.collect::<Result<Vec<_>>>()?;
    println!("{REQUESTS} requests of {PROCESS}, {load} a second at random, in ms");
    println!("{:<14} {:>6} {:>8} {:>12}", "way", "step", "p99", "p99 of row");
    let mut alone_ns = 0;
    for (way, step) in steps {
        alone_ns = step.alone_ns;
        let p99 = simulated_p99_ms(load, step.median_ns)?;
        let (median, replayed) = (step.median_ns as f64 / 1e6, step.p99_ns as f64 / 1e6);
        println!("{way:<14} {median:>6.1} {p99:>8.1} {replayed:>12.1}");
    }
    let p99 = simulated_p99_ms(load, alone_ns)?;
    println!("{:<14} {:>6.1} {p99:>8.1}", "alone", alone_ns as f64 / 1e6);
    Ok(())
}

/// Returns the p99 in ms of the times of requests that come at random, `load` a second, and are
/// served one after the other, each for `step_ns` nanoseconds.
fn simulated_p99_ms(load: f64, step_ns: u64) -> Result<f64> {
    let arrivals = ArrivalSpec::PoissonQps { qps: load }.timestamps(REQUESTS, SEED)?;
    let requests = arrivals.into_iter().enumerate();
    let requests = requests.map(|(index, arrival_time_ms)| ReplayRequest {
        id: format!("request-{index}"),
        arrival_time_ms,
        input_tokens: 512,
        input_token_ids: None,
        // The first token comes out of the prefill pass, so that a request is one pass.
        output_tokens: 1,
        output_token_ids: None,
        dp_rank: None,
        prefill_dp_rank: None,
        session_id: None,
        turn_index: None,
        metadata: Value::Null,
    });
    let rank =
        EngineConfig { max_num_seqs: 1, enable_prefix_caching: false, ..EngineConfig::default() };
    let engine = ReplayEngineConfig { rank, ..ReplayEngineConfig::default() };
    let spec = ReplaySpec {
        version: 1,
        topology: ReplayTopology::aggregated(1),
        engine: serde_json::to_value(engine)?,
        adapters: ReplayAdapters::default(),
        max_sim_time_ms: None,
        max_in_flight: None,
        record_per_request: false,
        sla: Default::default(),
        requests: requests.collect(),
    };
    let report = run_engine_replay_with_timing(spec, Arc::new(StepTiming::from_ns(step_ns)))?;
    Ok(report.latency.e2e.p99_ms)
}
