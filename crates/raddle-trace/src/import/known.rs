//! Which known kind of file is this, if it is no profile, and what can the user do with it?
//!
//! Loads and request traces say when work arrives, models and results how long it took, and traces
//! of simulators which instructions it has: none of these files says which kernels a GPU ran when.

mod binary;

use crate::arrivals::format_of_header;
use crate::error::TraceError;
pub(super) use binary::{by_name, by_packets, is_xplane};

/// Kinds of files that are recognised but are no profiles, each with the texts for its error
/// message.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum ForeignFile {
    /// A file that describes when requests arrive; the text is a description of the file for the
    /// message.
    Arrivals(&'static str),
    /// A file without recorded launches; the text describes the file and what it contains instead.
    NoLaunches(&'static str),
    /// A file of another tool, or a compressed archive; the texts are a description of the file and
    /// advice.
    Other(&'static str, &'static str),
}

impl ForeignFile {
    pub(super) fn refuse(self, file: String) -> TraceError {
        match self {
            Self::Arrivals(what) => TraceError::OnlyArrivals { file, what },
            Self::NoLaunches(what) => TraceError::NoLaunches { file, what },
            Self::Other(what, advice) => TraceError::OtherFile { file, what: what.into(), advice },
        }
    }
}

/// Number of lines at the beginning of a file that are searched for a text that identifies its
/// kind.
const HEAD: usize = 20;

const SIMULATOR: &str =
    "a file of the simulators Accel-Sim and MGPUSim, which hold instructions and no times";

/// Beginnings of keys that are in every file that `nsys export --type jsonlines` (or `json`)
/// writes.
const NSYS_KEYS: [&str; 4] = ["TargetInfo", "AnalysisDetails", "CudaEvent", "TraceProcessEvent"];
const NSYS_JSON: ForeignFile = ForeignFile::Other(
    "an export of Nsight Systems as lines of JSON",
    "export the report again with `nsys export --type sqlite REPORT.nsys-rep`",
);

/// Kind of the result files that raddle itself writes. Users give them as profiles by mistake, but
/// only other subcommands read them.
const OWN_RESULT: ForeignFile = ForeignFile::Other(
    "a result of raddle (summary.json)",
    "compare results with `raddle compare A B`, or give the profile that was replayed",
);
const OWN_RECIPE: ForeignFile = ForeignFile::Other(
    "a recipe of raddle",
    "give it beside a profile with `raddle replay PROFILE --recipe FILE`",
);

/// Kinds of JSON files that are no profiles; a file is of a kind if its outermost object has all of
/// the kind's keys.
const JSON: [(&[&str], ForeignFile); 9] = [
    (&["raddle", "profiles"], OWN_RESULT),
    (&["tasks"], ForeignFile::Arrivals("a workload of DISB")),
    (&["rt"], ForeignFile::Arrivals("a load of REEF")),
    (&["be"], ForeignFile::Arrivals("a load of REEF")),
    (&["timestamp", "chat_id"], ForeignFile::Arrivals("a request trace of Bailian")),
    (&["timestamp", "input_length"], ForeignFile::Arrivals("a request trace of Mooncake")),
    (
        &["results"],
        ForeignFile::NoLaunches(
            "a result of a benchmark, which holds sums and latencies of requests",
        ),
    ),
    (
        &["model_latency", "kernel_latency"],
        ForeignFile::NoLaunches("a table of a model's kernel latencies (REEF), without launches"),
    ),
    (
        &["kernels", "shared_memory"],
        ForeignFile::NoLaunches("a description of a model's kernels (REEF), without times"),
    ),
];

/// Returns the kind of a JSON file whose outermost object has these keys; `None` where it is
/// unknown.
pub(super) fn by_keys(keys: &[String]) -> Option<ForeignFile> {
    if keys.iter().any(|key| NSYS_KEYS.iter().any(|start| key.starts_with(start))) {
        return Some(NSYS_JSON);
    }
    let has = |wanted: &&str| keys.iter().any(|key| key == wanted);
    JSON.iter().find(|(wanted, _)| wanted.iter().all(has)).map(|&(_, known)| known)
}

/// Columns of tables that the profilers of Huawei's Ascend write; a table that has all columns of
/// one of these lists counts as such a table.
const ASCEND: [&[&str]; 3] = [
    &["Accelerator Core", "Duration(us)"],
    &["Task Type", "Task Duration(us)"],
    &["kernel_name", "kernel_type", "task_time(us)"],
];
pub(super) const LAUNCH_TABLE: &str =
    "describe its launches in a launch table (docs/launch-table.md)";

/// Returns whether a text is a trace of Perfetto in its text form: the first line that is no
/// comment opens a packet.
fn lines_of_perfetto(text: &[u8]) -> bool {
    let mut lines = text.split(|&b| b == b'\n').take(HEAD).map(<[u8]>::trim_ascii);
    let first = lines.find(|line| !line.is_empty() && !line.starts_with(b"#"));
    let rest = first.and_then(|line| line.strip_prefix(b"packet"));
    rest.is_some_and(|rest| matches!(rest.trim_ascii_start(), [b'{', ..] | [b':', ..]))
}

/// Builds the error that refuses a profile of a device that is no GPU; `device` is the name of that
/// device.
pub(super) fn other_device(file: String, device: &str) -> TraceError {
    let what = format!(
        "a profile of JAX, XLA or TensorFlow of a device that is no GPU (`{}`)",
        device.escape_debug()
    );
    let advice = "describe its work in a launch table (docs/launch-table.md), or record the program on \
                  a GPU with `jax.profiler.trace(\"run\")`";
    TraceError::OtherFile { file, what, advice }
}

/// Recognises a file that is no profile by the text at its beginning; `None` where its kind is
/// unknown.
pub(super) fn by_text(text: &[u8]) -> Option<ForeignFile> {
    if let Some(known) = binary::by_bytes(text) {
        return Some(known);
    }
    let mut lines = text.split(|&b| b == b'\n').take(HEAD);
    if lines.any(|line| line.starts_with(b"raddle = ")) {
        return Some(OWN_RECIPE);
    }
    let line = text.split(|&b| b == b'\n').next().unwrap_or(text);
    let line = String::from_utf8_lossy(line);
    let line = line.trim();
    if lines_of_perfetto(text) {
        let what = "a trace of Perfetto as text";
        return Some(ForeignFile::Other(what, binary::PERFETTO));
    }
    if ASCEND.iter().any(|columns| columns.iter().all(|column| line.contains(column))) {
        let what = "a table of an Ascend NPU of Huawei, which is no GPU";
        return Some(ForeignFile::Other(what, LAUNCH_TABLE));
    }
    if let Some(format) = format_of_header(line) {
        return Some(ForeignFile::Arrivals(format));
    }
    let ncu = ["\"Kernel Name\"", "\"Block Size\"", "\"Metric "];
    let sections = line.contains("\"Section Name\"");
    if sections || ncu.iter().all(|column| line.contains(column)) {
        let what = "a table of Nsight Compute (ncu), which has no time line";
        return Some(ForeignFile::Other(what, binary::NCU));
    }
    let numbered = |rest: &str| rest.starts_with(|c: char| c.is_ascii_digit());
    let of_simulator = ["-kernel name", "MemcpyHtoD,", "kernel id, kernel mangled name"]
        .iter()
        .any(|start| line.starts_with(start))
        || (line.contains(".trace") && line.strip_prefix("kernel-").is_some_and(numbered));
    of_simulator.then_some(ForeignFile::NoLaunches(SIMULATOR))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines_and_keys_of_other_files() {
        let keys = |keys: &[&str]| by_keys(&keys.iter().map(|&k| k.to_owned()).collect::<Vec<_>>());
        assert_eq!(keys(&["time", "be"]), Some(ForeignFile::Arrivals("a load of REEF")));
        assert_eq!(keys(&["kernels"]), None, "too common a word");
        assert_eq!(keys(&["timestamp"]), None);
        for line in ["-kernel name = k\n", "kernel-12.traceg\n", "MemcpyHtoD,0x7f,8\r\n"] {
            assert_eq!(
                by_text(line.as_bytes()),
                Some(ForeignFile::NoLaunches(SIMULATOR)),
                "{line}"
            );
        }
        for line in ["kernel-x.trace", "kernel-1", "name,stream", "", "kernel id"] {
            assert_eq!(by_text(line.as_bytes()), None, "{line}");
        }
        for text in ["packet {\n  timestamp: 5\n}", "# a comment\npacket: {", "packet{"] {
            let told = by_text(text.as_bytes());
            assert!(matches!(told, Some(ForeignFile::Other(what, _)) if what.contains("Perfetto")));
        }
        assert_eq!(by_text(b"packets of mine"), None);
        let ascend = "Step Id,Name,Type,Accelerator Core,Start Time(us),Duration(us),Block Dim";
        let told = by_text(ascend.as_bytes());
        assert!(matches!(told, Some(ForeignFile::Other(what, _)) if what.contains("Ascend")));
        let azure = by_text(b"\"TIMESTAMP\",ContextTokens,GeneratedTokens\n1,2,3\n");
        assert_eq!(azure, Some(ForeignFile::Arrivals("a request trace of Azure")));
        let burst = by_text(b"Timestamp,Model,Request tokens,Response tokens\n");
        assert_eq!(burst, Some(ForeignFile::Arrivals("a request trace of BurstGPT")));
    }
}
