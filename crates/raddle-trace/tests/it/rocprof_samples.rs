//! Do real files of rocprof give the figures that were counted in them independently?

use crate::common::sample;
use raddle_trace::{Field, Op, Origin, Profile, TraceError};

fn profile(name: &str) -> Option<Profile> {
    sample(name).map(|result| result.expect(name))
}

/// Sums over the kernels of a profile, to be compared with independent counts.
#[derive(Debug, PartialEq, Eq)]
struct Figures {
    kernels: usize,
    workgroups: u64,
    threads: u64,
    vgprs: u64,
    sgprs: u64,
    lds: u64,
    lanes: usize,
    names: usize,
    span_ns: u64,
    busy_ns: u64,
}

fn figures(p: &Profile) -> Figures {
    let sum = |figure: fn(&Op) -> u64| p.ops.iter().map(figure).sum();
    Figures {
        kernels: p.ops.len(),
        workgroups: sum(|op| op.workgroups),
        threads: sum(|op| op.footprint.threads.into()),
        vgprs: sum(|op| op.footprint.vgprs_per_thread.into()),
        sgprs: sum(|op| op.footprint.sgprs_per_wave.into()),
        lds: sum(|op| op.footprint.lds_bytes.into()),
        lanes: p.streams.len(),
        names: p.kernels.len(),
        span_ns: p.span_ns,
        busy_ns: sum(|op| op.duration_ns),
    }
}

const MI350X: &str = "rocprof/tracelens_mi350x_rocprofv3_908_results.json.gz";

#[test]
fn a_training_run_on_an_mi350x() {
    let Some(p) = profile(MI350X) else {
        return;
    };
    assert_eq!(
        figures(&p),
        Figures {
            kernels: 43_915,
            workgroups: 28_036_842,
            threads: 11_890_420,
            // The file says half of it: 1,367,408.
            vgprs: 2 * 1_367_408,
            sgprs: 2_328_368,
            lds: 560_342_640,
            lanes: 567,
            names: 80,
            span_ns: 15_122_023_494,
            busy_ns: 4_441_741_378,
        }
    );
    let count = |quirk| p.report.met(quirk);
    assert_eq!((p.report.events, count("unsorted")), (43_915, 1_937));
    // 4 streams on one queue and 561 on another, one of them on both.
    assert_eq!((count("shared-queue"), count("queue-as-stream")), (564, 0));
    assert_eq!((count("clock-jitter"), count("overlap-in-stream")), (1_275, 0));
    assert_eq!(count("halved-registers"), 43_915);
    assert_eq!((count("malformed"), count("no-device")), (0, 0));
    // No calls were recorded.
    assert_eq!(count("no-launch-call"), 43_915);
    // Each stream is one chain.
    let first = p.ops.iter().filter(|op| op.after.is_none()).count();
    assert_eq!(first, 567);
    let device = p.device.expect("it is in the file");
    assert_eq!((&*device.name, &*device.arch), ("AMD Instinct MI350X", "gfx950"));
    assert_eq!((device.sms, device.threads_per_sm), (Some(256), Some(2048)));
    assert_eq!(device.shared_bytes_per_sm, Some(160 * 1024));
}

/// Checks a table that was made from the JSON result of the same run, with shared memory as
/// launched, rounded up to 512 bytes.
#[test]
fn the_table_of_the_same_run_agrees_with_its_result() {
    let csv = profile("derived/mi350x_908_kernel_trace.csv.gz");
    let (Some(json), Some(csv)) = (profile(MI350X), csv) else {
        return;
    };
    assert_eq!((json.ops.len(), json.span_ns), (csv.ops.len(), csv.span_ns));
    let mut rounded = 0;
    for (a, b) in json.ops.iter().zip(&csv.ops) {
        assert_eq!(json.kernels[a.kernel as usize], csv.kernels[b.kernel as usize]);
        assert_eq!(json.streams[a.stream as usize], csv.streams[b.stream as usize]);
        let op = |op: &Op| {
            let f = op.footprint;
            let shape = (op.grid, op.workgroups, f.threads);
            let registers = (f.vgprs_per_thread, f.sgprs_per_wave);
            (shape, registers, op.start_ns, op.duration_ns, op.arrival_ns, op.after)
        };
        assert_eq!(op(a), op(b));
        assert_eq!(a.footprint.lds_bytes.next_multiple_of(512), b.footprint.lds_bytes);
        rounded += usize::from(a.footprint.lds_bytes != b.footprint.lds_bytes);
    }
    assert_eq!(rounded, 6_060);
    let quirk = |quirk| [json.report.met(quirk), csv.report.met(quirk)];
    assert_eq!(quirk("halved-registers"), [43_915; 2]);
    assert_eq!(quirk("shared-queue"), [564; 2]);
    assert_eq!(quirk("clock-jitter"), [1_275; 2]);
    assert_eq!(quirk("no-device"), [0, 1]);
    assert_eq!(quirk("static-lds"), [0, 43_915]);
}

/// Name of a sample, and its figures: kernels, workgroups, registers, scalar registers, lanes,
/// names, span, busy time.
type Row = (&'static str, [u64; 8]);

const TABLES: &[Row] = &[
    (
        "rocprofv1_2022_mixbench_mi100_timestamps",
        [167, 2_834_560, 4_004, 4_016, 1, 167, 91_638_269, 65_921_178],
    ),
    (
        "rocprofv1_2022_mixbench_mi200_timestamps",
        [167, 2_834_560, 1_968, 4_016, 1, 167, 53_156_922, 42_795_834],
    ),
    ("rocprofv3_2024_kernel_trace", [7, 114_688, 0, 0, 4, 3, 301_795, 795_453]),
    ("rocprofv3_2025_kernel_trace", [9, 147_456, 88, 144, 4, 4, 144_400, 96_160]),
    ("rocprofv3_2025_kernel_trace_truncated", [4, 65_536, 40, 64, 1, 4, 60_840, 44_840]),
    ("rpc_device_filter_MI300X_A1_timestamps", [3, 12_288, 24, 48, 1, 1, 85_596, 43_159]),
    ("rpc_vcopy_MI100_timestamps", [3, 12_288, 48, 48, 1, 1, 207_963, 62_560]),
    ("rpc_vcopy_MI200_timestamps", [3, 12_288, 24, 48, 1, 1, 191_637, 52_320]),
];

#[test]
fn tables_of_every_version() {
    for &(name, wanted) in TABLES {
        let Some(p) = profile(&format!("rocprof/{name}.csv")) else {
            continue;
        };
        let f = figures(&p);
        let counts = [f.kernels, f.lanes, f.names].map(|n| n as u64);
        let found =
            [counts[0], f.workgroups, f.vgprs, f.sgprs, counts[1], counts[2], f.span_ns, f.busy_ns];
        assert_eq!(found, wanted, "{name}");
        assert_eq!((f.lds, p.report.met("malformed")), (0, 0), "{name}");
        assert_eq!(p.report.met("no-device"), 1, "{name}");
        let serial = name.starts_with("rocprofv1") || name.starts_with("rpc_vcopy");
        let counted = p.report.met("serialised");
        assert_eq!(counted, if serial { wanted[0] } else { 0 }, "{name}");
    }
}

/// Checks the times from queue to start, summed over the dispatches, which only rocprof v1 records.
#[test]
fn rocprof_v1_measured_arrivals() {
    for (name, latency) in [
        ("rocprofv1_2022_mixbench_mi100", 2_404_315),
        ("rocprofv1_2022_mixbench_mi200", 1_723_735),
        ("rpc_vcopy_MI100", 120_888),
        ("rpc_vcopy_MI200", 117_380),
    ] {
        let Some(p) = profile(&format!("rocprof/{name}_timestamps.csv")) else {
            continue;
        };
        let found: u64 = p.ops.iter().map(|op| op.start_ns - op.arrival_ns).sum();
        assert_eq!(found, latency, "{name}");
        let measured = |op: &Op| op.provenance.of(Field::Arrival) == Origin::Measured;
        assert!(p.ops.iter().all(measured), "{name}");
    }
}

#[test]
fn tables_that_went_through_a_spreadsheet_are_refused() {
    for name in ["rpc_vcopy_MI300A_A1_timestamps", "rpc_vcopy_MI300X_A1_timestamps"] {
        if let Some(result) = sample(&format!("rocprof/{name}.csv")) {
            let error = result.expect_err(name);
            assert!(matches!(error, TraceError::RoundedTimes { line: 2, .. }), "{error}");
        }
    }
}

#[test]
fn other_tables_are_refused_with_advice() {
    for (name, is) in [
        (
            "rocprofv1_2022_mixbench_mi100_sysinfo",
            "a description of a machine (ROCm Compute Profiler)",
        ),
        (
            "rocprofv1_2022_mixbench_mi200_sysinfo",
            "a description of a machine (ROCm Compute Profiler)",
        ),
        ("rocprofv3_2024_counter_collection", "a table of hardware counters without times"),
        ("rocprofv3_2025_hip_trace", "a table of API calls"),
        ("rocprofv3_2025_memory_copy_trace", "a table of memory copies"),
        ("rocprofv3_2025_scratch_memory_trace", "a table of scratch memory"),
        (
            "rpc_vcopy_MI100_SQ_LEVEL_WAVES",
            "a table of hardware counters with the times of another run (ROCm Compute Profiler)",
        ),
        (
            "rpc_vcopy_MI200_SQ_LEVEL_WAVES",
            "a table of hardware counters with the times of another run (ROCm Compute Profiler)",
        ),
        (
            "rpc_vcopy_MI300A_A1_SQ_LEVEL_WAVES",
            "a table of hardware counters with the times of another run (ROCm Compute Profiler)",
        ),
        (
            "rpc_vcopy_MI300X_A1_SQ_LEVEL_WAVES",
            "a table of hardware counters with the times of another run (ROCm Compute Profiler)",
        ),
        ("rpc_vcopy_MI100_sysinfo", "a description of a machine (ROCm Compute Profiler)"),
        ("rpc_vcopy_MI200_sysinfo", "a description of a machine (ROCm Compute Profiler)"),
        ("rpc_vcopy_MI300A_A1_sysinfo", "a description of a machine (ROCm Compute Profiler)"),
        ("rpc_vcopy_MI300X_A1_sysinfo", "a description of a machine (ROCm Compute Profiler)"),
    ] {
        let Some(result) = sample(&format!("rocprof/{name}.csv")) else {
            continue;
        };
        let Err(TraceError::OtherRocprof { table, advice, .. }) = result else {
            panic!("{name} was not refused as another table")
        };
        assert_eq!(table, is, "{name}");
        assert!(advice.starts_with("give "), "{name}: {advice}");
    }
}
