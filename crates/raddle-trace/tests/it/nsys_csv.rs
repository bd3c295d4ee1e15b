//! Do `cuda_gpu_trace` reports of every age and unit give what their rows say?

use std::io::Write;

use crate::common::{lines, names, quirks};
use flate2::Compression;
use flate2::write::GzEncoder;
use proptest::prelude::*;
use raddle_trace::{Field, ImportConfig, Origin, Profile, ProfileFormat, TraceError, read};

const HEADER: &str = "Start (ns),Duration (ns),CorrId,GrdX,GrdY,GrdZ,BlkX,BlkY,BlkZ,Reg/Trd,\
    StcSMem (MB),DymSMem (MB),Bytes (MB),Throughput (MB/s),SrcMemKd,DstMemKd,Device,Ctx,GreenCtx,\
    Strm,Name\n";

const GEMM: &str =
    "1000,500,7,4,2,1,128,1,1,32,0.000,0.049,,,,,H100 (0),1,,7,\"void gemm<float, 4>(float *)\"\n";

const COPY: &str = "400,300,8,,,,,,,,,,0.004,10.5,Pageable,Device,H100 (0),1,,7,\
    [CUDA memcpy Host-to-Device]\n";

const FILL: &str = "1600,10,9,,,,,,,,,,0.004,,Device,,H100 (0),1,,7,[CUDA memset]\n";

fn try_import(text: &str, device: Option<u32>) -> Result<Profile, TraceError> {
    let options = ImportConfig { device, ..ImportConfig::default() };
    read("run_cuda_gpu_trace.csv", text.as_bytes(), &options)
}

fn import(text: &str) -> Profile {
    try_import(text, None).expect(text)
}

fn refusal(text: &str) -> String {
    try_import(text, None).expect_err(text).to_string()
}

/// Writes a report with one kernel, with its start and duration in this unit.
fn timed(unit: &str, start: &str, duration: &str) -> String {
    let header = HEADER.replace("(ns)", &format!("({unit})"));
    format!("{header}{start},{duration},7,4,2,1,128,1,1,32,0,0,,,,,H100 (0),1,,7,k\n")
}

#[test]
fn kernels_copies_and_fills_of_one_stream() {
    let p = import(&format!("{HEADER}{COPY}{GEMM}{FILL}"));
    assert_eq!((p.name.as_str(), p.format), ("run_cuda_gpu_trace", ProfileFormat::NsysCsv));
    assert_eq!(
        lines(&p),
        [
            "[CUDA memcpy Host-to-Device] @7 0x0x0=0 0t 0r 0B no; 0a 0 300 after -",
            "void gemm<float, 4>(float *) @7 4x2x1=8 128t 32r 49152B assumed; 0a 600 500 after 0",
            "[CUDA memset] @7 0x0x0=0 0t 0r 0B no; 0a 1200 10 after 1",
        ]
    );
    assert_eq!(quirks(&p), [("no-launch-call", 3), ("rounded-shared-memory", 1)]);
    assert_eq!(p.ops[1].provenance.of(Field::SharedMemory), Origin::Assumed);
    assert_eq!(p.device.unwrap().name, "H100");
    assert_eq!((p.streams[0].context, p.resolution_ns, p.report.events), (Some(1), 1, 3));
}

#[test]
fn quirk_19_units_of_time_are_read_exactly() {
    for (unit, start, duration, step) in [
        ("ns", "155360295935", "4064", 1),
        ("nsec", "\"155,360,295,935\"", "4064", 1),
        ("us", "155360295.935", "4.064", 1),
        ("ms", "155360.295935", "0.004064", 1),
        ("ms", "155360.295", "0.004", 1_000),
        ("s", "155.360295935", "0.000004064", 1),
        ("sec", "155.360295", "0.000004", 1_000),
    ] {
        let later = timed(unit, "155.4", "0.1").lines().nth(1).unwrap().replace("155.4", "155.5");
        let p = import(&(timed(unit, start, duration) + &later));
        assert_eq!(p.resolution_ns, step, "{unit}");
        let duration = if step == 1 { 4064 } else { 4000 };
        let op = p.ops.iter().find(|op| op.duration_ns == duration);
        assert!(op.is_some(), "{unit} {:?}", p.ops);
    }
    let p = import(&timed("us", "1712195495519689.047", "1"));
    assert_eq!((p.ops[0].duration_ns, p.resolution_ns), (1000, 1000));
}

#[test]
fn quirk_19_lines_before_and_behind_the_report_are_passed_over() {
    let before = "Generating 'run.sqlite'\n\nNOTICE: Existing SQLite export found: run.sqlite\n\
        \tConsider using --force-export=true if needed.\n\n\
        Processing [run.sqlite] with [reports/cuda_gpu_trace.py]... \n\
        \n ** CUDA GPU Trace (cuda_gpu_trace):\n\n";
    let behind = "\n ** CUDA API Summary (cuda_api_sum):\n\n\
        Time (%),Total Time (ns),Num Calls,Avg (ns),Name\n50,100,3,33,cudaLaunchKernel\n";
    let usual = lines(&import(&format!("{HEADER}{COPY}{GEMM}{FILL}")));
    let p = import(&format!("{before}{HEADER}{COPY}\n{GEMM}{FILL}{behind}"));
    assert_eq!((lines(&p), p.report.events), (usual.clone(), 3), "a blank line alone ends nothing");
    let crlf = format!("\u{feff}{before}{HEADER}{COPY}{GEMM}{FILL}").replace('\n', "\r\n");
    assert_eq!(lines(&import(&crlf)), usual);
    let mut packed = GzEncoder::new(Vec::new(), Compression::fast());
    packed.write_all(crlf.as_bytes()).unwrap();
    let packed = packed.finish().unwrap();
    let p = read("x.csv", packed.as_slice(), &ImportConfig::default()).unwrap();
    assert_eq!(lines(&p), usual);
}

#[test]
fn quirk_19_names_keep_their_commas_quoted_or_not() {
    let old = GEMM.replace('"', "");
    let p = import(&format!("{HEADER}{GEMM}{old}"));
    assert_eq!(names(&p), ["void gemm<float, 4>(float *)"; 2]);
    let quoted = GEMM.replace("H100 (0)", "\"H100, by NVIDIA (0)\"");
    let p = import(&format!("{HEADER}{quoted}"));
    assert_eq!(p.device.unwrap().name, "H100, by NVIDIA");
    let p = import(&format!("{HEADER}{}", GEMM.replace("\"void gemm<float, 4>(float *)\"", "")));
    assert_eq!((names(&p), p.report.met("no-name")), (vec!["unnamed"], 1));
}

#[test]
fn columns_are_found_by_name() {
    // 2021: no green contexts, other words for units.
    let header = HEADER.replace("GreenCtx,", "").replace("MB/s", "MBps").replace(" (", "(");
    let row = GEMM.replace(",1,,7,", ",1,7,");
    let usual = lines(&import(&format!("{HEADER}{GEMM}")));
    assert_eq!(lines(&import(&format!("{header}{row}"))), usual);
    let few = "Name,Strm,Duration (ns),Start (ns),GrdX,GrdY,GrdZ,BlkX,BlkY,BlkZ\n\
        k,7,500,1000,4,2,1,128,1,1\n";
    let p = import(few);
    assert_eq!(lines(&p), ["k @7 4x2x1=8 128t 0r 0B assumed; 0a 0 500 after -"]);
    let counts =
        [("no-device", 1), ("no-launch-call", 1), ("no-registers", 1), ("no-shared-memory", 1)];
    assert_eq!(quirks(&p), counts);
    assert_eq!(
        refusal(&few.replace("GrdY", "Y")),
        "run_cuda_gpu_trace.csv, line 1, column `GrdY`: the header lacks it: make the report with \
         `nsys stats -r cuda_gpu_trace`"
    );
    assert!(refusal(&few.replace("Start (ns)", "Start (days)")).contains("none of ns, us, ms"));
    assert!(refusal(&HEADER.replace(',', "\t")).contains("`-f csv`"));
}

#[test]
fn quirk_19_shared_memory_in_rounded_megabytes_is_assumed() {
    // 49 KB are 0.049 MB, and so is anything from 48.5 to 49.5.
    let p = import(&format!("{HEADER}{GEMM}"));
    assert!((48_500..=49_500).contains(&p.ops[0].footprint.lds_bytes), "{:?}", p.ops[0].footprint);
    assert_eq!(p.ops[0].provenance.of(Field::SharedMemory), Origin::Assumed);
    assert_eq!(p.report.met("rounded-shared-memory"), 1);
}

#[test]
fn quirk_19_line_ends_of_another_system_change_nothing() {
    let text = format!("{HEADER}{COPY}{GEMM}{FILL}");
    let usual = import(&text);
    let other = import(&text.replace('\n', "\r\n"));
    assert_eq!((lines(&other), names(&other)), (lines(&usual), names(&usual)));
    assert_eq!((quirks(&other), other.report.events), (quirks(&usual), 3));
}

#[test]
fn quirk_19_shared_memory_in_bytes_is_measured() {
    let header = HEADER.replace("SMem (MB)", "SMem (byte)");
    let p = import(&format!("{header}{}", GEMM.replace("0.000,0.049", "16,49152")));
    assert_eq!(p.ops[0].footprint.lds_bytes, 49_168);
    assert_eq!(p.ops[0].provenance.of(Field::SharedMemory), Origin::Measured);
    assert_eq!(p.report.met("rounded-shared-memory"), 0);
    let odd = HEADER.replace("DymSMem (MB)", "DymSMem (pages)");
    let p = import(&format!("{odd}{GEMM}"));
    assert_eq!(p.report.met("no-shared-memory"), 1);
}

#[test]
fn of_several_devices_the_one_with_most_kernels_is_kept() {
    let other = GEMM.replace("H100 (0)", "A100 (1)");
    let text = format!("{HEADER}{COPY}{GEMM}{other}{other}");
    let p = import(&text);
    assert_eq!((p.ops.len(), p.report.met("other-device")), (2, 2));
    assert_eq!(p.report.met("rounded-shared-memory"), 2);
    assert_eq!(p.device.unwrap().name, "A100");
    let p = try_import(&text, Some(0)).unwrap();
    assert_eq!((p.ops.len(), p.device.unwrap().name.as_str()), (2, "H100"));
    let error = try_import(&text, Some(4)).unwrap_err();
    assert!(error.to_string().ends_with("its kernels ran on device 0, device 1"), "{error}");
    let p = import(&format!("{HEADER}{}", GEMM.replace("H100 (0)", " (0)")));
    assert_eq!((p.device, p.report.met("no-device")), (None, 1));
}

#[test]
fn green_contexts_make_streams_of_their_own() {
    let green = GEMM.replace(",1,,7,", ",1,3,7,");
    let p = import(&format!("{HEADER}{GEMM}{green}"));
    let labels: Vec<_> = p.streams.iter().map(|stream| stream.label.as_str()).collect();
    assert_eq!(labels, ["7", "7 (green context 3)"]);
}

#[test]
fn quirk_19_times_that_a_spreadsheet_has_rounded_are_refused() {
    for (start, duration, column) in [("8.1097E+14", "4064", "Start"), ("1", "4.1e3", "Duration")] {
        let error = refusal(&timed("ns", start, duration));
        let wanted = format!("line 2, column `{column}`: `");
        assert!(error.contains(&wanted) && error.contains("a spreadsheet"), "{error}");
    }
}

#[test]
fn rows_that_are_none_are_counted() {
    let text = format!("{HEADER}{GEMM}Killed\n,500,{}\n1000,-5,7\n1,2,3\n", GEMM.trim());
    let bare = GEMM.replace(",4,2,1,128,1,1,", ",,,,,,,");
    let p = import(&format!("{text}{bare}"));
    assert_eq!((p.ops.len(), p.report.events), (2, 6));
    assert_eq!((p.report.met("malformed"), p.report.left_out), (4, 4));
    assert_eq!(p.report.met("no-shape"), 1, "a kernel without a grid");
    assert!(import(&format!("{HEADER}{bare}")).ops[0].is_opaque());
}

#[test]
fn a_report_that_breaks_off_keeps_its_whole_rows() {
    let text = format!("{HEADER}{GEMM}{COPY}");
    let p = import(&text[..text.len() - 60]);
    assert_eq!((p.ops.len(), p.report.met("truncated")), (1, 1));
    assert_eq!(p.report.met("lost-events"), 1);
    let p = import(text.trim_end());
    assert_eq!((p.ops.len(), p.report.met("truncated")), (2, 0), "only the line end lacks");
    let mut packed = GzEncoder::new(Vec::new(), Compression::none());
    packed.write_all(text.as_bytes()).unwrap();
    let packed = packed.finish().unwrap();
    let torn = &packed[..packed.len() - 20];
    let p = read("x", torn, &ImportConfig::default()).unwrap();
    assert_eq!((p.ops.len(), p.report.met("truncated")), (1, 1));
}

#[test]
fn other_reports_are_named_with_what_to_do() {
    for (header, words) in [
        ("Time (%),Total Time (ns),Instances,Avg (ns),Name", "cuda_gpu_kern_sum"),
        ("Time(%),Total Time (ns),Num Calls,Average (ns),Name", "cuda_api_sum"),
        ("Start (ns),Duration (ns),Name,Result,CorrID,Pid,Tid", "cuda_api_trace"),
    ] {
        let error = refusal(&format!("Processing [x]...\n{header}\n1,2,3,4,5\n"));
        assert!(error.contains(words) && error.contains("-r cuda_gpu_trace -f csv"), "{error}");
    }
    assert!(refusal(HEADER).contains("(only a header)"));
    assert!(
        refusal(&format!("{HEADER}{COPY}")).contains("no GPU kernels, but 1 copy: the GPU was")
    );
    assert!(refusal(&format!("{HEADER}nonsense\n")).contains("(only 1 lines that are no rows)"));
}

#[test]
fn bytes_that_are_no_text_and_endless_lines_are_survived() {
    let mut bytes = format!("{HEADER}{GEMM}").into_bytes();
    let at = bytes.windows(4).position(|w| w == b"gemm").unwrap();
    bytes[at] = 0xff;
    let p = read("x", bytes.as_slice(), &ImportConfig::default()).unwrap();
    assert_eq!(
        (names(&p)[0], p.report.met("not-utf8")),
        ("void \u{fffd}emm<float, 4>(float *)", 1)
    );
    let error = refusal(&format!("{HEADER}{}", "1".repeat(2 << 20)));
    assert!(error.contains("more than 1048576 bytes in one row"), "{error}");
}

proptest! {
    #[test]
    fn mutated_reports_never_panic(
        edits in prop::collection::vec((any::<prop::sample::Index>(), 0usize..12), 0..8),
        cut in any::<prop::sample::Index>(),
    ) {
        const PARTS: [&[u8]; 12] = [
            b",", b"\"", b"\n", b"", b"-", b"9999999999999999999", b"E+14", b".", b" ", b"\xff",
            b"(1)", b"\r",
        ];
        let mut bytes = format!("{HEADER}{COPY}{GEMM}{FILL}{GEMM}").into_bytes();
        for (at, part) in edits {
            let at = at.index(bytes.len());
            bytes.splice(at..=at, PARTS[part].iter().copied());
        }
        bytes.truncate(cut.index(bytes.len()) + 1);
        if let Ok(p) = read("x", bytes.as_slice(), &ImportConfig::default()) {
            prop_assert!(p.report.kernels > 0);
            for op in &p.ops {
                prop_assert!(op.arrival_ns <= op.start_ns && op.duration_ns > 0);
                prop_assert!(op.workgroups == 0 || Some(op.workgroups) == op.grid.volume());
            }
        }
    }
}
