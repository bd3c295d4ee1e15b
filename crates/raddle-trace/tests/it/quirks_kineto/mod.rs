//! Is each known quirk of the PyTorch profiler's traces survived, and told of?
//!
//! The numbers are those of our list of quirks; each has small traces of our own making.

mod amd;
mod events;
mod form;
mod op_shapes;
mod work;

use raddle_trace::{Field, ImportConfig, Op, Origin, Profile, TraceError, read};

const V100: &str = r#"{"id":0,"name":"Tesla V100-SXM2-16GB","computeMajor":7,"computeMinor":0,"maxThreadsPerMultiprocessor":2048,"regsPerMultiprocessor":65536,"warpSize":32,"sharedMemPerMultiprocessor":98304,"numSms":80}"#;

const MI300X: &str = r#"{"id":0,"name":"AMD Instinct MI300X","computeMajor":9,"computeMinor":4,"maxThreadsPerMultiprocessor":2048,"regsPerBlock":131072,"warpSize":64,"numSms":304,"maxSharedMemoryPerMultiProcessor":65536}"#;

fn given(bytes: &[u8]) -> Result<Profile, TraceError> {
    read("trace.json", bytes, &ImportConfig::default())
}

fn trace(text: &str) -> Profile {
    given(text.as_bytes()).expect(text)
}

fn refused(text: &str) -> String {
    given(text.as_bytes()).expect_err(text).to_string()
}

/// Imports a trace of a device and events, written as the PyTorch profiler writes them.
fn with(device: &str, events: &[String]) -> Profile {
    trace(&text_of(device, events))
}

fn text_of(device: &str, events: &[String]) -> String {
    let events = events.join(",\n  ");
    format!(r#"{{"schemaVersion":1,"deviceProperties":[{device}],"traceEvents":[{events}]}}"#)
}

/// Writes an event of this category, with the members `rest` behind its time.
fn event(cat: &str, name: &str, ts: &str, rest: &str) -> String {
    format!(
        "{{\n    \"ph\":\"X\",\"cat\":\"{cat}\",\"name\":\"{name}\",\"pid\":0,\"tid\":7,\n    \"ts\":{ts},{rest}\n  }}"
    )
}

/// Writes the event of an NVIDIA kernel of 2 workgroups of 64 work-items on stream 7.
fn kernel(name: &str, ts: &str, dur: &str) -> String {
    kernel_with(name, ts, dur, r#""correlation":0"#)
}

fn kernel_with(name: &str, ts: &str, dur: &str, args: &str) -> String {
    let args = format!(
        r#""dur":{dur},"args":{{"device":0,"context":1,"stream":7,"registers per thread":32,"shared memory":0,"grid":[2,1,1],"block":[64,1,1],{args}}}"#
    );
    event("kernel", name, ts, &args)
}

fn call(name: &str, ts: &str, correlation: u64) -> String {
    let args = format!(r#""dur":3,"args":{{"correlation":{correlation}}}"#);
    event("cuda_runtime", name, ts, &args)
}

/// Writes the event of a HIP call that launches this grid, with shared memory in bytes.
fn hip(name: &str, correlation: u64, grid: &str, lds: u32) -> String {
    let args = format!(
        r#""dur":3,"args":{{"cid":65,"correlation":{correlation},"grid":{grid},"block":[256,1,1],"shared memory":{lds}}}"#
    );
    event("cuda_runtime", name, "1", &args)
}

/// Writes the event of a kernel on an AMD GPU with further arguments.
fn amd(name: &str, ts: u32, correlation: u64, args: &str) -> String {
    let args = format!(
        r#""dur":5,"args":{{"device":0,"stream":0,"correlation":{correlation},"kind":"Dispatch Kernel"{args}}}"#
    );
    event("kernel", name, &ts.to_string(), &args)
}

fn count(profile: &Profile, quirk: &str) -> u64 {
    profile.report.met(quirk)
}

fn origins(op: &Op) -> [Origin; 3] {
    [Field::Shape, Field::SharedMemory, Field::Registers].map(|field| op.provenance.of(field))
}
