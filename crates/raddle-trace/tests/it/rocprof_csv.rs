//! Are the tables of rocprof v1, v2 and v3 read as they should be, dialect by dialect?

use crate::common::{fixture, import, lines, quirks, refusal};
use raddle_trace::{Field, ImportConfig, Origin, Profile, ProfileFormat, TraceError, open, read};

const V3_2024: &str = "\"Kind\",\"Agent_Id\",\"Queue_Id\",\"Thread_Id\",\"Dispatch_Id\",\"Kernel_Id\",\
    \"Kernel_Name\",\"Correlation_Id\",\"Start_Timestamp\",\"End_Timestamp\",\"Private_Segment_Size\",\
    \"Group_Segment_Size\",\"Workgroup_Size_X\",\"Workgroup_Size_Y\",\"Workgroup_Size_Z\",\
    \"Grid_Size_X\",\"Grid_Size_Y\",\"Grid_Size_Z\"\n";
const ROCPD: &str = "Guid,Kind,Agent_Id,Queue_Id,Stream_Id,Thread_Id,Dispatch_Id,Kernel_Id,\
    Kernel_Name,Correlation_Id,Start_Timestamp,End_Timestamp,Lds_Block_Size,Scratch_Size,Vgpr_Count,\
    Accum_Vgpr_Count,Sgpr_Count,Workgroup_Size_X,Workgroup_Size_Y,Workgroup_Size_Z,Grid_Size_X,\
    Grid_Size_Y,Grid_Size_Z\n";
const V2: &str = "Dispatch_ID,GPU_ID,Queue_ID,PID,TID,Grid_Size,Workgroup_Size,LDS_Per_Workgroup,\
    Scratch_Per_Workitem,Arch_VGPR,Accum_VGPR,SGPR,Wave_Size,Kernel_Name,Start_Timestamp,\
    End_Timestamp,Correlation_ID\n";
const COUNTERS: &str = "\"Correlation_Id\",\"Dispatch_Id\",\"Agent_Id\",\"Queue_Id\",\"Process_Id\",\
    \"Thread_Id\",\"Grid_Size\",\"Kernel_Id\",\"Kernel_Name\",\"Workgroup_Size\",\"LDS_Block_Size\",\
    \"Scratch_Size\",\"VGPR_Count\",\"SGPR_Count\",\"Counter_Name\",\"Counter_Value\"";

fn of(text: &str) -> Result<Profile, TraceError> {
    read("x", text.as_bytes(), &ImportConfig::default())
}

#[test]
fn rocprof_v1_measures_when_packets_were_issued() {
    let p = import("rocprof-v1.csv");
    let wanted = [
        "fill @0 4x1x1=4 256t 8r 0B no; 0 2000 2000 after -",
        "void add<float, 4>(float*, \"x\") @0 32x1x1=32 128t 24r 1024B assumed; 4600 4900 3000 after 0",
    ];
    assert_eq!(lines(&p), wanted);
    assert_eq!((p.format, p.resolution_ns), (ProfileFormat::RocprofCsv, 1000));
    assert_eq!(p.ops[0].provenance.of(Field::Arrival), Origin::Measured);
    assert_eq!(
        quirks(&p),
        [
            ("no-device", 1),
            ("queue-as-stream", 2),
            ("doubtful-registers", 2),
            ("flat-grid", 2),
            ("serialised", 2),
        ]
    );
    assert!(p.device.is_none());
    // The later name of the column, and another order.
    let text = std::fs::read_to_string(fixture("rocprof-v1.csv")).unwrap();
    assert_eq!(lines(&of(&text.replace(",wgr,", ",wgp,")).unwrap()), wanted);
}

/// Checks tables with line ends of another system, and with commas and quotes in quoted names
/// (quirk 19 of our list).
#[test]
fn quirk_19_line_ends_and_quotes() {
    for name in ["rocprof-v1.csv", "rocprof-v3.csv"] {
        let text = std::fs::read_to_string(fixture(name)).unwrap();
        let crlf = of(&text.replace('\n', "\r\n")).unwrap();
        assert_eq!(lines(&crlf), lines(&import(name)));
    }
}

#[test]
fn rocprofv3_of_2025_loses_dynamic_shared_memory() {
    let p = import("rocprof-v3.csv");
    assert_eq!(
        lines(&p),
        [
            "add(float*, int) @1 3x2x1=6 128t 16r 512B assumed; 0a 0 10000 after -",
            "mul @2 1x1x1=1 64t 8r 0B no; 0a 10000 10000 after -",
            // Another queue, but the same stream.
            "mul @1 1x1x1=1 64t 8r 0B no; 0a 22000 8000 after 0",
        ]
    );
    assert_eq!(
        quirks(&p),
        [
            ("truncated", 1),
            ("lost-events", 1),
            ("other-device", 1),
            ("no-device", 1),
            ("unsorted", 1),
            ("no-launch-call", 3),
            ("shared-queue", 2),
            ("static-lds", 3),
        ]
    );
}

/// Checks a table with the work of several devices (quirk 17 of our list).
#[test]
fn a_device_is_chosen_by_its_number() {
    let import = |device| {
        let options = ImportConfig { device: Some(device), ..Default::default() };
        open(&fixture("rocprof-v3.csv"), &options)
    };
    assert_eq!(import(4).unwrap().ops.len(), 3);
    assert_eq!(import(5).unwrap().ops.len(), 1);
    let error = import(3).unwrap_err().to_string();
    assert!(
        error.contains("no kernel of device 3: its kernels ran on device 4, device 5"),
        "{error}"
    );
}

#[test]
fn rocprofv3_of_2024_has_no_registers_and_no_streams() {
    let row = "\"KERNEL_DISPATCH\",1,2,69,1,16,\"add\",1451,1000,5000,0,96,64,1,1,100,2,1\n";
    let p = of(&format!("{V3_2024}{row}")).unwrap();
    assert_eq!(lines(&p), ["add @2 2x2x1=4 64t 0r 96B assumed; 0a 0 4000 after -"]);
    assert_eq!(
        quirks(&p),
        [("no-device", 1), ("no-launch-call", 1), ("no-registers", 1), ("queue-as-stream", 1),]
    );
}

#[test]
fn tables_exported_from_rocpd_have_shared_memory_as_launched() {
    let row = |guid, stream| {
        format!(
            "{guid},KERNEL_DISPATCH,GPU 3,1,{stream},69,1,16,add,1,1000,5000,97,0,12,4,16,64,1,1,64,1,1\n"
        )
    };
    let p = of(&format!("{ROCPD}{}{}", row("a-b", 1), row("c-d", 1))).unwrap();
    assert_eq!(lines(&p)[0], "add @1 1x1x1=1 64t 16r 97B assumed; 0a 0 4000 after -");
    assert_eq!(p.report.met("static-lds"), 0);
    let contexts: Vec<_> = p.streams.iter().map(|stream| stream.context).collect();
    assert_eq!(contexts, [None, Some(1)], "each database is a process");
}

#[test]
fn rocprof_v2_gives_volumes_alone() {
    let row = "1,60633,1,9,9,1000,256,0,0,4,4,16,64,\"copy(double*) (.kd)\",716380685145736,716380685161855,0\n";
    let p = of(&format!("{V2}{row}")).unwrap();
    assert_eq!(lines(&p), ["copy(double*) @1 4x1x1=4 256t 8r 0B no; 0a 0 16119 after -"]);
    assert_eq!((p.report.met("flat-grid"), p.report.met("serialised")), (1, 0));
}

/// Checks a table that a spreadsheet has saved, which leaves five digits of the times (quirk 19 of
/// our list).
#[test]
fn quirk_19_times_rounded_by_a_spreadsheet_condemn_the_whole_file() {
    let error = refusal("rocprof-rounded.csv");
    assert!(error.to_string().ends_with(
        "rocprof-rounded.csv, line 3, column `start_timestamp`: `7.1638E+14` was rounded by a \
         spreadsheet, so that no duration is left in the file: give the file that the profiler wrote"
    ), "{error}");
}

/// Checks a table of counters, which are read kernel by kernel, each in a row of its own (quirk 22
/// of our list).
#[test]
fn quirk_22_counters_with_times_give_each_dispatch_once() {
    let row = |dispatch, counter, start| {
        format!(
            "1,{dispatch},1,1,9,9,4096,16,\"add\",64,512,0,8,16,\"{counter}\",7,{start},{}\n",
            start + 50
        )
    };
    let text = format!(
        "{COUNTERS},\"Start_Timestamp\",\"End_Timestamp\"\n{}{}{}",
        row(1, "SQ_WAVES", 1000),
        row(1, "GRBM_COUNT", 1000),
        row(2, "SQ_WAVES", 9000)
    );
    let p = of(&text).unwrap();
    assert_eq!((p.report.events, p.report.kernels), (3, 2));
    let counts = ["repeated-row", "serialised", "flat-grid", "static-lds"];
    assert_eq!(counts.map(|quirk| p.report.met(quirk)), [1, 2, 2, 2]);
    let error = of(&format!("{COUNTERS}\n")).unwrap_err().to_string();
    assert_eq!(
        error,
        "x is a table of hardware counters without times, which does not say when kernels ran: give \
         the ..._kernel_trace.csv of the same run, which `rocprofv3 --kernel-trace` writes"
    );
}

#[test]
fn registers_counted_by_half_are_doubled_where_the_device_shows() {
    let table = |lds, accum, sgprs| {
        let row = |vgprs, lds| {
            format!("a,K,1,1,1,9,1,1,k,1,1000,5000,{lds},0,{vgprs},{accum},{sgprs},64,1,1,64,1,1\n")
        };
        let p = of(&format!("{ROCPD}{}{}", row(12, lds), row(128, 0))).unwrap();
        let registers = p.ops.iter().map(|op| op.footprint.vgprs_per_thread).collect::<Vec<_>>();
        let count = |quirk| p.report.met(quirk);
        (registers, count("halved-registers"), count("doubtful-registers"))
    };
    // A workgroup with more than 64 KiB of LDS runs on a gfx950 alone.
    assert_eq!(table(65_537, 0, 96), (vec![24, 256], 2, 0));
    assert_eq!(table(65_536, 0, 96), (vec![12, 128], 0, 2));
    // A tool that counts accumulation registers, and gfx10 or later.
    assert_eq!(table(65_537, 4, 96), (vec![16, 132], 0, 0));
    assert_eq!(table(65_537, 0, 128), (vec![12, 128], 0, 0));
}

#[test]
fn rows_without_a_time_are_left_out_and_those_without_a_shape_opaque() {
    let rows = [
        "\"K\",1,2,69,1,16,\"kept\",1,1000,5000,0,0,64,1,1,64,1,1",
        "\"K\",1,2,69,1,16,\"no time\",1,0,0,0,0,64,1,1,64,1,1",
        "\"K\",1,2,69,1,16,\"backwards\",1,5000,1000,0,0,64,1,1,64,1,1",
        "\"K\",1,2,69,1,16,\"no number\",1,1000,x,0,0,64,1,1,64,1,1",
        "\"K\",1,2,69,1,16,\"no grid\",1,1000,5000,0,0,64,1,1,,1,1",
        "\"K\",1,2,69,1,16,unquoted(a, b),1,1000,5000,0,0,64,1,1,64,1,1",
        "\"K\",1,2,69,1,16,\"too large\",1,1000,5000,0,0,1,1,1,99999999999,1,1",
        "\"K\",1,2,69,1,16,\"empty\",1,9000,9500,0,0,64,1,1,0,1,1",
    ];
    let p = of(&format!("{V3_2024}{}\n", rows.join("\n"))).unwrap();
    assert_eq!(crate::common::names(&p), ["kept", "no grid", "too large", "empty"]);
    assert_eq!(
        p.ops.iter().map(raddle_trace::Op::is_opaque).collect::<Vec<_>>(),
        [false, true, true, false]
    );
    let counts = ["malformed", "no-shape", "empty-shape"];
    assert_eq!(counts.map(|quirk| p.report.met(quirk)), [4, 2, 1]);
    // Of 4,000 ns each but for the last, and as long on average those without a time.
    let unknown = p.unknown_time();
    assert_eq!((unknown.left_out, unknown.left_out_ns), (4, 12_500));
    assert_eq!((unknown.kernel_ns, unknown.opaque_ns), (25_000, 8_000));
    let error = of(&format!("{V3_2024}{}\n", rows[1])).unwrap_err().to_string();
    assert!(error.contains("1 kernels but none can be used (1 malformed)"), "{error}");
    let error = of(V3_2024).unwrap_err().to_string();
    assert!(error.contains("without kernel dispatches (only a header)"), "{error}");
}

#[test]
fn other_tables_are_refused_with_advice() {
    for (header, is) in [
        ("\"Domain\",\"Function\",\"Process_Id\",\"Thread_Id\"", "a table of API calls"),
        ("\"Kind\",\"Direction\",\"Source_Agent_Id\"", "a table of memory copies"),
        ("\"Kind\",\"Operation\",\"Agent_Id\",\"Alloc_Flags\"", "a table of scratch memory"),
        ("Kind,Operation,Agent_Id,Allocation_Size", "a table of memory allocations"),
        ("\"Name\",\"Calls\",\"TotalDurationNs\",\"AverageNs\"", "a table of sums by name"),
        ("workload_name,command,gpu_arch", "a description of a machine (ROCm Compute Profiler)"),
        ("workload_name,host_name,gpu_soc", "a description of a machine (ROCm Compute Profiler)"),
        ("\"Node_Id\",\"Agent_Type\",\"Cu_Count\"", "a description of devices"),
        ("Sample_Timestamp,Exec_Mask,Dispatch_Id", "a table of samples"),
    ] {
        let error = of(&format!("{header}\n1,2\n")).unwrap_err().to_string();
        assert!(error.starts_with(&format!("x is {is}, which does not say when")), "{error}");
        assert!(error.contains("of the same") && error.contains(".csv"), "{error}");
    }
}
