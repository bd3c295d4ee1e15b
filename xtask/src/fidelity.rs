//! How well do replays of all sample profiles agree with their recordings? Writes the answers,
//! which `raddle inspect --self-replay` gives, to the table of `docs/fidelity.md`.

use std::path::PathBuf;

use anyhow::{Context, Result, ensure};
use serde_json::Value;
use xshell::{Shell, cmd};

use crate::checkout;

/// File with the table; `BEGIN` and `END` are the lines before and after the table in it.
const PAGE: &str = "docs/fidelity.md";
const BEGIN: &str = "<!-- self-replays: cargo xtask fidelity -->\n";
const END: &str = "<!-- end -->\n";

/// Fraction of a recording's busy time in which kernels overlap, up to which a replay has the
/// recorded busy time by construction, so that the table does not show it.
const MUCH_OVERLAP: f64 = 0.01;
const HEAD: &str = "| sample | kernels: launch recorded, not | waits within the goal: before, after | of waits below 100 us | second half: own fit, that of the first | launch latency, handover | waits between streams: recorded, inferred | busy where kernels overlap: before, after | makespan where launches are hidden: before, after | what is left of waits |\n|---|---|---|---|---|---|---|---|---|---|\n";

/// Sample profiles of the table, each as (folder, file, device if the file does not name it). All
/// have 50 kernels or more, since two fitted constants prove nothing on fewer.
const SAMPLES: [(&str, &str, Option<&str>); 16] = [
    ("kineto_nvidia", "hta_trace_diff_control_a100.json.gz", None),
    ("kineto_nvidia", "hta_trace_diff_test_v100.json.gz", None),
    ("kineto_nvidia", "kineto_tb2020_bare_array_v100.json.gz", Some("v100")),
    ("kineto_nvidia", "tracelens_b200_eager.json.gz", None),
    ("kineto_nvidia", "hta_alexnet_cuda_sync.json.gz", None),
    ("kineto_amd", "tracelens_mi300x_resnet_act_checkpoint.json.gz", None),
    ("kineto_amd", "tracelens_mi210_gpu_only.json.gz", None),
    ("kineto_amd", "tracelens_mi_sglang_qwen3-8b_decode.json.gz", None),
    ("kineto_amd", "tracelens_mi_vllm_decode_hipgraph.json.gz", None),
    ("nsys", "nsysai_h100_2gpu_1s.sqlite.gz", Some("h100")),
    ("nsys", "pipit_cloverleaf_a100.sqlite.gz", None),
    ("derived", "h100_cuda_gpu_trace.csv.gz", None),
    ("rocprof", "tracelens_mi350x_rocprofv3_908_results.json.gz", None),
    ("derived", "mi350x_908_kernel_trace.csv.gz", Some("mi350x")),
    ("rocprof", "rocprofv1_2022_mixbench_mi100_timestamps.csv", Some("mi100")),
    ("rocprof", "rocprofv1_2022_mixbench_mi200_timestamps.csv", Some("mi210")),
];

/// Replays every sample profile, and writes the table of `docs/fidelity.md` anew.
///
/// # Errors
/// When samples are missing, one cannot be replayed, or the file has no place for the table.
pub(crate) fn run(shell: &Shell) -> Result<()> {
    let samples =
        std::env::var_os("RADDLE_SAMPLES").map_or("../shared/traces".into(), PathBuf::from);
    ensure!(samples.is_dir(), "{} is no folder: name it in RADDLE_SAMPLES", samples.display());
    cmd!(shell, "cargo build -p raddle").run()?;
    let raddle = checkout::target_folder().join("debug/raddle");
    let mut table = HEAD.to_owned();
    for (folder, name, device) in SAMPLES {
        let file = samples.join(folder).join(name);
        let device = device.map(|device| ["--device", device]);
        let device = device.as_ref().map_or(&[][..], |given| &given[..]);
        let found = cmd!(shell, "{raddle} inspect {file} --partial --self-replay --format json")
            .args(device)
            .quiet()
            .read()?;
        let found: Value = serde_json::from_str(&found)?;
        let profile = &found["profiles"][0];
        let row = row(profile).with_context(|| name.to_owned())?;
        let stem = name.split(".json").next().unwrap_or(name);
        let stem = stem.trim_end_matches(".gz").trim_end_matches(".csv");
        let stem = stem.trim_end_matches(".sqlite");
        let device = device.last().map_or(String::new(), |device| format!(" ({device})"));
        table += &format!("| {stem}{device} | {row} |\n");
    }
    let page = shell.read_file(PAGE)?;
    let (head, rest) = page.split_once(BEGIN).context("the page has no place for the table")?;
    let (_, tail) = rest.split_once(END).context("the table has no end")?;
    Ok(shell.write_file(PAGE, format!("{head}{BEGIN}{table}{END}{tail}"))?)
}

/// Returns the table's row for a profile from the JSON of `raddle inspect --self-replay`.
fn row(profile: &Value) -> Result<String> {
    let found = &profile["self-replay"];
    let number = |value: &Value| value.as_f64().context("a figure lacks");
    let percent =
        |value: &Value| Ok::<_, anyhow::Error>(format!("{:+.2} %", number(value)? * 100.0));
    let (before, waits) = (&found["before"], &found["waits"]);
    let (recorded, simulated) =
        (number(&found["recorded-makespan-ns"])?, number(&found["simulated-makespan-ns"])?);
    let within = match (before["within"].as_f64(), waits["within"].as_f64()) {
        (Some(before), Some(after)) => {
            let kept = if after >= 0.5 { "kept" } else { "missed" };
            format!("{:.1} %, {:.1} %, {kept}", before * 100.0, after * 100.0)
        }
        _ => "no launch recorded".to_owned(),
    };
    let causes = waits["causes"].as_array().into_iter().flatten();
    let shares =
        causes.filter_map(|cause| Some((cause["cause"].as_str()?, cause["share"].as_f64()?)));
    let told = shares.filter(|(_, share)| share.abs() >= 0.05);
    let told = told.map(|(cause, share)| format!("{cause} {:.0} %", share * 100.0));
    let us = |value: &Value| Ok::<_, anyhow::Error>(format!("{:.2} us", number(value)? / 1000.0));
    let cells = [
        match &waits["kernels"] {
            Value::Null => format!("none, {}", found["kernels"]),
            kernels => format!("{kernels}, {}", waits["left-out"]),
        },
        within,
        match waits["short"].as_u64() {
            None | Some(0) => "none".to_owned(),
            Some(short) => format!("{:.1} % of {short}", number(&waits["short-within"])? * 100.0),
        },
        match (found["halves"]["own"].as_f64(), found["halves"]["first"].as_f64()) {
            (Some(own), Some(first)) => format!("{:.1} %, {:.1} %", own * 100.0, first * 100.0),
            _ => "none".to_owned(),
        },
        format!("{}, {}", us(&found["launch-ns"])?, us(&found["handover-ns"])?),
        format!("{}, {}", found["stream-waits"][0], found["stream-waits"][1]),
        match number(&found["busy"]["overlap"])? {
            overlap if overlap > MUCH_OVERLAP => format!(
                "{}, {} ({:.0} % overlap)",
                percent(&before["busy"])?,
                percent(&found["busy"]["difference"])?,
                overlap * 100.0
            ),
            _ => "by construction".to_owned(),
        },
        match hides_launches(profile) {
            true => format!(
                "{}, {:+.2} %",
                percent(&before["makespan"])?,
                (simulated / recorded - 1.0) * 100.0
            ),
            false => "follows launches".to_owned(),
        },
        told.collect::<Vec<_>>().join(", "),
    ];
    Ok(cells.join(" | "))
}

/// Returns whether some kernels of a profile have no recorded launch of their own. Otherwise the
/// makespan of a replay follows from recorded launches, and proves little.
fn hides_launches(profile: &Value) -> bool {
    let waits = &profile["self-replay"]["waits"];
    let mut quirks = profile["quirks"].as_array().into_iter().flatten();
    waits.is_null()
        || waits["left-out"].as_u64().is_some_and(|left_out| left_out > 0)
        || quirks.any(|quirk| quirk["name"] == "graph-launch")
}
