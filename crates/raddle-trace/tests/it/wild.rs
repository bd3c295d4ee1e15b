//! Are files of tools of the past read, and figures that cannot be taken as unknown?

use raddle_trace::{Field, ImportConfig, Origin, Profile, ProfileFormat, TraceError, read};

use crate::common::lines;

fn of(text: &str) -> Result<Profile, TraceError> {
    read("x", text.as_bytes(), &ImportConfig::default())
}

fn event(ts: &str, dur: &str, args: &str) -> String {
    format!(
        r#"{{"ph":"X","cat":"kernel","name":"k","pid":0,"tid":7,"ts":{ts},"dur":{dur},"args":{{"stream":7,"device":0,"grid":[80,1,1],{args}}}}}"#
    )
}

fn trace(events: &[String]) -> Profile {
    of(&format!(r#"{{"traceEvents":[{}]}}"#, events.join(","))).expect("the trace is read")
}

#[test]
fn figures_of_no_device_are_unknown_and_counted() {
    let good =
        event("1000", "5", r#""block":[128,1,1],"registers per thread":32,"shared memory":0"#);
    let registers = good.replace("1000", "1010").replace("\":32", "\":70000");
    let shared = good.replace("1000", "1020").replace("memory\":0", "memory\":999999");
    let threads = good.replace("1000", "1030").replace("[128,1,1]", "[128,64,1]");
    let p = trace(&[good, registers, shared, threads]);
    let met = |name: &str| p.report.met(name);
    assert_eq!(met("impossible-registers"), 1);
    assert_eq!(met("impossible-shared-memory"), 1);
    assert_eq!(met("impossible-threads"), 1);
    assert_eq!(p.ops[1].provenance.of(Field::Registers), Origin::Assumed);
    assert_eq!((p.ops[1].footprint.vgprs_per_thread, p.ops[1].workgroups), (0, 80));
    assert_eq!(p.ops[2].footprint.lds_bytes, 0);
    assert!(p.ops[3].is_opaque() && p.ops[3].footprint.threads == 0);
}

#[test]
fn figures_below_zero_and_grids_of_no_device_are_counted_too() {
    let good =
        event("1000", "5", r#""block":[128,1,1],"registers per thread":32,"shared memory":0"#);
    let odd = |at: u32, from: &str, to: &str| {
        let changed = good.replace(from, to).replace("1000", &(1000 + 10 * at).to_string());
        assert!(changed.contains(to), "{changed}");
        changed
    };
    let events = [
        good.clone(),
        odd(1, "thread\":32", "thread\":-1"),
        odd(2, "memory\":0", "memory\":-1"),
        odd(3, "[128,1,1]", "[-128,1,1]"),
        odd(4, "[80,1,1]", "[-3,1,1]"),
        odd(5, "[80,1,1]", "[1099511627776,1099511627776,1]"),
        odd(6, "[80,1,1]", "[4294967295,65536,1]"),
        odd(7, "[80,1,1]", "[80,65536,1]"),
    ];
    let device = r#"{"id":0,"name":"Tesla V100-SXM2-16GB","numSms":80}"#;
    let text = format!(r#"{{"deviceProperties":[{device}],"traceEvents":[{}]}}"#, events.join(","));
    let p = of(&text).unwrap();
    let met = |name: &str| p.report.met(&format!("impossible-{name}"));
    assert_eq!((met("registers"), met("shared-memory"), met("threads"), met("grid")), (1, 1, 1, 4));
    assert_eq!(p.ops.iter().filter(|op| op.is_opaque()).count(), 5);
    assert_eq!(p.ops.len(), 8, "their times are right");
    // A grid of AMD's may be wide along all axes.
    let wide = event("1000", "5", r#""block":[128,1,1]"#).replace("[80,1,1]", "[80,65536,1]");
    assert_eq!(trace(&[wide]).report.met("impossible-grid"), 0);
    let row = |grid: &str, registers: &str, lds: &str| {
        let text = format!(
            "Start (ns),Duration (ns),GrdX,GrdY,GrdZ,BlkX,BlkY,BlkZ,Reg/Trd,StcSMem (B),DymSMem (B),Device,Strm,Name\n\
             0,1000,80,{grid},1,128,1,1,{registers},{lds},0,Tesla T4 (0),7,k\n"
        );
        of(&text).unwrap().report.quirks().map(|met| met.name).collect::<Vec<_>>()
    };
    assert!(row("65536", "32", "0").contains(&"impossible-grid"));
    assert!(row("-1", "32", "0").contains(&"impossible-grid"));
    assert!(row("1", "-32", "0").contains(&"impossible-registers"));
    assert!(row("1", "32", "-5").contains(&"impossible-shared-memory"));
}

#[test]
fn the_limit_of_a_known_device_counts() {
    let row = |lds: u32| {
        format!(
            "Start (ns),Duration (ns),GrdX,GrdY,GrdZ,BlkX,BlkY,BlkZ,Reg/Trd,StcSMem (B),DymSMem (B),Device,Strm,Name\n\
             0,1000,80,1,1,128,1,1,32,{lds},0,Tesla T4 (0),7,k\n"
        )
    };
    let met = |lds: u32| of(&row(lds)).unwrap().report.met("impossible-shared-memory");
    assert_eq!((met(65_536), met(65_537)), (0, 1));
}

/// Checks shared memory beyond the 167,936 bytes of an A100, and within the 233,472 of an H100, on
/// a device whose number in the file is another than that of the kernel.
#[test]
fn the_limit_is_that_of_the_device_that_the_file_describes_in_every_format() {
    let met = |p: &Profile| p.report.met("impossible-shared-memory");
    let csv = |lds: u32| {
        let text = format!(
            "Start (ns),Duration (ns),GrdX,GrdY,GrdZ,BlkX,BlkY,BlkZ,Reg/Trd,StcSMem (B),DymSMem (B),Device,Strm,Name\n\
             0,1000,80,1,1,128,1,1,32,0,{lds},NVIDIA A100-SXM4-80GB (1),7,k\n"
        );
        met(&of(&text).expect("it is read"))
    };
    let kineto = |lds: u32| {
        let event = event("0", "5", &format!(r#""block":[128,1,1],"shared memory":{lds}"#));
        let device = r#"{"id":3,"name":"NVIDIA A100-SXM4-80GB","numSms":108}"#;
        let text = format!(r#"{{"deviceProperties":[{device}],"traceEvents":[{event}]}}"#);
        met(&of(&text).expect("it is read"))
    };
    assert_eq!([csv(166_912), csv(166_913)], [0, 1]);
    assert_eq!([kineto(166_912), kineto(166_913)], [0, 1]);
    #[cfg(feature = "sqlite")]
    {
        let sqlite = |lds: u32| {
            let db = crate::nsys_db::Db::new();
            db.kernel(&[("staticSharedMemory", 0), ("dynamicSharedMemory", lds.into())]);
            db.gpu("NVIDIA A100-SXM4-80GB", &[("cuDevice", 3)]);
            met(&crate::nsys::import(&db))
        };
        assert_eq!([sqlite(166_912), sqlite(166_913)], [0, 1]);
    }
}

#[test]
fn a_launch_table_is_taken_at_its_word() {
    let text = "name,grid_x,grid_y,grid_z,block_x,block_y,block_z,vgprs_per_thread,start_ns,duration_ns\n\
                k,1,1,1,4096,1,1,70000,0,1\n";
    let p = of(text).unwrap();
    assert_eq!(p.ops[0].footprint.vgprs_per_thread, 70_000);
    assert_eq!((p.ops[0].footprint.threads, p.report.met("impossible-threads")), (4096, 0));
}

#[test]
fn times_that_nobody_wrote_are_unknown() {
    let args = r#""block":[128,1,1]"#;
    // Microseconds since 1970, beside a time that was never set, and one that ran below zero.
    let at = |us: u64| event(&(1_700_000_000_000_000 + us).to_string(), "5", args);
    let unset = event("0", "5", args);
    let below = event("1700000000000100", "9000000000000000", args);
    let p = trace(&[at(0), at(10), at(20), unset, below]);
    assert_eq!((p.ops.len(), p.report.met("impossible-time"), p.report.left_out), (3, 2, 2));
    assert_eq!(p.report.timeless, 2);
    assert_eq!(p.span_ns, 25_000);
    let call = r#"{"ph":"X","cat":"cuda_runtime","name":"cudaLaunchKernel","pid":1,"tid":1,"ts":0,"dur":1,"args":{"correlation":9}}"#;
    let tied = at(0).replace("\"stream\":7", "\"stream\":7,\"correlation\":9");
    let p = trace(&[call.to_owned(), tied]);
    assert_eq!((p.span_ns, p.report.met("impossible-launch-time")), (5000, 1));
    assert_eq!(p.ops[0].provenance.of(Field::Arrival), Origin::Assumed);
    // A clock that starts at 0 is one.
    assert_eq!(trace(&[event("0", "5", args), event("10", "5", args)]).ops.len(), 2);
}

/// Checks times of a clock that counts from the boot of the machine, three days ago: one time apart
/// from all others is left out, and two halves apart are two halves.
#[test]
fn a_single_time_apart_is_no_span() {
    let args = r#""block":[128,1,1]"#;
    let boot = 260_000_000_000_u64;
    let day = 24 * 3600 * 1_000_000_u64;
    let usual = |count: u64, from: u64| -> Vec<String> {
        (0..count).map(|at| event(&(from + at * 100).to_string(), "45", args)).collect()
    };
    let last = boot + 29 * 100;
    for odd in [
        event("0", "45", args),
        event("-5", "45", args),
        event(&(last + 2 * day).to_string(), "45", args),
        event(&(boot + 50).to_string(), &(2 * day).to_string(), args),
    ] {
        let mut events = usual(30, boot);
        events.push(odd.clone());
        let p = trace(&events);
        assert_eq!((p.ops.len(), p.span_ns), (30, 2_945_000), "{odd}");
        assert_eq!((p.report.met("impossible-time"), p.report.left_out), (1, 1), "{odd}");
        // Of few ops nobody knows which is wrong: they are kept, and said to be apart.
        let p = trace(&[usual(3, boot), vec![odd.clone()]].concat());
        assert_eq!((p.ops.len(), p.report.met("impossible-time")), (4, 0), "{odd}");
        assert!(p.report.met("time-outlier") > 0, "{odd}");
    }
    let hour = day / 24;
    for (kept, second) in [(20, boot + 3 * day), (3, boot + 23 * hour), (1, boot - 23 * hour)] {
        let p = trace(&[usual(40, boot), usual(kept, second)].concat());
        assert_eq!(p.ops.len() as u64, 40 + kept, "a pause, not a wrong time");
        assert!(p.report.met("time-outlier") > 0);
    }
    // Where the rest lasts an hour, a day more is a pause.
    let long: Vec<String> =
        (0..40).map(|at| event(&(boot + at * hour / 40).to_string(), "45", args)).collect();
    let p = trace(&[long, usual(1, boot + 3 * day)].concat());
    assert!(p.ops.len() == 41 && p.report.met("time-outlier") > 0);
    let call = r#"{"ph":"X","cat":"cuda_runtime","name":"cudaLaunchKernel","pid":1,"tid":1,"ts":0,"dur":1,"args":{"correlation":9}}"#;
    let tied = event(&boot.to_string(), "45", args);
    let tied = tied.replace("\"stream\":7", "\"stream\":7,\"correlation\":9");
    let p = trace(&[call.to_owned(), tied]);
    assert_eq!((p.span_ns, p.report.met("impossible-launch-time")), (45_000, 1));
}

/// Checks that a time before 0 lies before the begin of the recording, however near it is, and so
/// is unknown.
#[test]
fn times_before_the_begin_of_the_recording_are_unknown() {
    let row = |start: i64| format!("{start},1000,80,1,1,128,1,1,32,0,0,NVIDIA H100 (0),7,k\n");
    let nsys = |starts: &[i64]| {
        let rows: String = starts.iter().map(|&start| row(start)).collect();
        let head = "Start (ns),Duration (ns),GrdX,GrdY,GrdZ,BlkX,BlkY,BlkZ,Reg/Trd,StcSMem (B),DymSMem (B),Device,Strm,Name\n";
        let p = of(&format!("{head}{rows}")).expect("it is read");
        (p.ops.len(), p.report.met("impossible-time"), p.span_ns)
    };
    assert_eq!(nsys(&[0, 5_000]), (2, 0, 6_000));
    assert_eq!(nsys(&[-1, 5_000, 9_000]), (2, 1, 5_000));
    assert_eq!(nsys(&[-10_000_000_000, 5_000, 9_000]), (2, 1, 5_000));
    assert_eq!(nsys(&[-3_000, -2_000, -1_000]).1, 0, "a clock that counts towards 0");
    assert_eq!(nsys(&[-3_000, -2_000, 5_000]).1, 0, "most are never left out");
    // Other clocks may count from anywhere, so ops are left out that are few and apart.
    let args = r#""block":[128,1,1]"#;
    let kineto = |below: usize, all: usize| {
        let p = trace(&before_zero(below, 0, all, args));
        (p.ops.len(), p.report.met("impossible-time"))
    };
    assert_eq!([kineto(1, 10), kineto(2, 10), kineto(0, 10)], [(10, 0), (10, 0), (10, 0)]);
    let call = r#"{"ph":"X","cat":"cuda_runtime","name":"cudaLaunchKernel","pid":1,"tid":1,"ts":-1,"dur":1,"args":{"correlation":9}}"#;
    let tied = event("3", "5", args).replace("\"stream\":7", "\"stream\":7,\"correlation\":9");
    let p = trace(&[call.to_owned(), tied]);
    assert_eq!((p.span_ns, p.report.met("impossible-launch-time")), (5_000, 1));
}

/// Writes ops of 5 us, one each 100 us, of which `below` start before 0 and `gap` us early.
fn before_zero(below: usize, gap: i64, all: usize, args: &str) -> Vec<String> {
    let at = |at: usize| {
        let early = if at < below { gap } else { 0 };
        event(&((at as i64 - below as i64) * 100 - early).to_string(), "5", args)
    };
    (0..all).map(at).collect()
}

#[test]
fn ops_before_0_are_left_out_where_they_are_few_and_apart_and_else_told() {
    let met = |below: usize, gap: i64, all: usize| {
        let p = trace(&before_zero(below, gap, all, r#""block":[128,1,1]"#));
        let met = |name: &str| p.report.met(name);
        [met("impossible-time"), met("before-zero"), met("apart-before-zero"), met("time-outlier")]
    };
    assert_eq!(met(4, 0, 44), [0, 4, 0, 0], "they follow each other");
    // The 40 ops from 0 on last 3,905 us, and the gap before 0 is 95 us without an early start.
    assert_eq!(met(4, 3_810, 44), [0, 4, 0, 0], "a gap as long as the rest");
    assert_eq!(met(4, 3_811, 44), [4, 0, 0, 0]);
    assert_eq!(met(20, 1_000_000, 60), [0, 20, 20, 0], "too many to be left out");
    assert_eq!(met(40, 1_000_000, 60), [0, 40, 40, 0], "most of all ops");
    assert_eq!(met(40, 0, 60), [0, 0, 0, 0], "a clock of which 0 is no begin");
    assert_eq!(met(60, 1_000_000, 60), [0, 0, 0, 0], "the same where no op starts at 0 or later");
    // Ops that are kept keep their launches.
    let call = r#"{"ph":"X","cat":"cuda_runtime","name":"cudaLaunchKernel","pid":1,"tid":1,"ts":-404,"dur":1,"args":{"correlation":9}}"#;
    let mut events = before_zero(4, 0, 44, r#""block":[128,1,1]"#);
    events[0] = events[0].replace("\"stream\":7", "\"stream\":7,\"correlation\":9");
    events.push(call.to_owned());
    let p = trace(&events);
    assert_eq!((p.ops[0].start_ns, p.ops[0].arrival_ns), (4_000, 0));
    assert_eq!(p.report.met("impossible-launch-time"), 0);
}

#[test]
fn launches_in_a_table_of_calls_are_counted() {
    let hip = |call: &str| {
        let row = format!("\"HIP_RUNTIME_API\",\"{call}\",7,1000\n");
        let header = "\"Domain\",\"Function\",\"Process_Id\",\"Start_Timestamp\"\n";
        of(&format!("{header}{row}{row}{row}")).unwrap_err().to_string()
    };
    let told = "x: 3 launches were made, the device side was not recorded: this is a table of API calls: give the ..._kernel_trace.csv of the same run";
    assert!(hip("hipLaunchKernel").starts_with(told), "{}", hip("hipLaunchKernel"));
    assert!(hip("hipMalloc").starts_with("x is a table of API calls, which does not say when"));
    let cuda = |call: &str| {
        let row = format!("0,500,{call},0,1,7,7,20,python\n");
        let text = format!(
            "Start (ns),Duration (ns),Name,Result,CorrID,Pid,Tid,T-Pri,Thread Name\n{row}{row}"
        );
        of(&text).unwrap_err().to_string()
    };
    let told = "x: 2 launches were made, the device side was not recorded: this is a trace of calls: make the report of the same recording with `nsys stats -r cuda_gpu_trace -f csv`";
    assert!(cuda("cudaLaunchKernel").starts_with(told), "{}", cuda("cudaLaunchKernel"));
    assert!(cuda("cudaMalloc").starts_with("x is a trace without grids"));
}

#[test]
fn a_malformed_row_is_told_in_words_that_hold_for_a_table() {
    let row = |start: &str| format!("4,1,k,{start},2000,64,1,1,64,1,1\n");
    let text = format!(
        "Agent_Id,Queue_Id,Kernel_Name,Start_Timestamp,End_Timestamp,Grid_Size_X,Grid_Size_Y,Grid_Size_Z,Workgroup_Size_X,Workgroup_Size_Y,Workgroup_Size_Z\n{}{}",
        row("1000"),
        row("-1000")
    );
    let p = of(&text).unwrap();
    let met = p.report.quirks().find(|met| met.name == "malformed").expect("a row is left out");
    assert_eq!((met.count, p.report.left_out, p.report.timeless), (1, 1, 0));
    let told = met.explanation;
    assert!(told.contains("a number below 0") && !told.contains("JSON"), "{told}");
}

#[test]
fn json_of_rocprof_v1_with_and_without_grids() {
    let kernel = |name: &str, begin: u64, more: &str| {
        format!(
            r#"{{"ph":"X","name":"{name}","pid":"6","tid":"0","ts":"{}","dur":"10","args":{{"BeginNs":"{begin}","EndNs":"{}","dev-id":"4","queue-id":"1"{more}}}}}"#,
            begin / 1000,
            begin + 10_001
        )
    };
    let shaped = r#","grd":"1000","wgr":"256","lds":"512","arch_vgpr":"24","accum_vgpr":"8""#;
    let copy = r#"{"ph":"X","name":"CopyHostToDevice","pid":"1","tid":"0","ts":"900","dur":"5","args":{"BeginNs":"900000","EndNs":"905000"}}"#;
    let call = r#"{"ph":"X","name":"hipLaunchKernel","pid":"2","tid":"1","ts":"1","dur":"2","args":{"BeginNs":"1000","EndNs":"3000"}}"#;
    let gpu = r#"{"args":{"name":"GPU4"},"ph":"M","pid":10,"name":"process_name"}"#;
    let events = [kernel("a", 1_000_000, ""), kernel("b", 2_000_000, shaped)];
    let p = of(&format!(r#"{{"traceEvents":[{{}},{gpu},{call},{copy},{}]}}"#, events.join(",")));
    let p = p.unwrap();
    assert_eq!(
        lines(&p),
        [
            "CopyHostToDevice @copies 0x0x0=0 0t 0r 0B no; 0a 0 5000 after -",
            "a @queue 1 opaque 0t 0r 0B assumed; 0a 100000 10001 after -",
            "b @queue 1 4x1x1=4 256t 32r 512B assumed; 0a 1100000 10001 after 1",
        ]
    );
    assert_eq!(p.format, ProfileFormat::RocprofJson);
}

#[test]
fn nvprof_names_sizes_and_unified_memory() {
    let text = "\"Start\",\"Duration\",\"Grid X\",\"Grid Y\",\"Grid Z\",\"Block X\",\"Block Y\",\"Block Z\",\"Registers Per Thread\",\"Static SMem\",\"Dynamic SMem\",\"Size\",\"Device\",\"Context\",\"Stream\",\"Unified Memory\",\"Name\"\n\
        s,us,,,,,,,,KB,B,MB,,,,,\n\
        0.5,10.5,,,,,,,,,,1,\"Tesla P100 (0)\",1,7,,\"[CUDA memcpy DtoH]\"\n\
        0.500100,3,,,,,,,,,,,\"Tesla P100 (0)\",,,12,\"[Unified Memory GPU page faults]\"\n\
        0.6,20.25,160,2,1,16,16,1,40,8.250000,16,,\"Tesla P100 (0)\",1,7,,\"k(int) [9]\"\n";
    let p = of(text).unwrap();
    assert_eq!(p.format, ProfileFormat::NvprofCsv);
    assert_eq!(p.kernels, ["[CUDA memcpy DtoH]", "k(int)"]);
    let kernel = &p.ops[1];
    assert_eq!((kernel.workgroups, kernel.footprint.threads), (320, 256));
    assert_eq!((kernel.footprint.vgprs_per_thread, kernel.footprint.lds_bytes), (40, 8448 + 16));
    assert_eq!((kernel.start_ns, kernel.duration_ns), (100_000_000, 20_250));
    let summary = "\"Type\",\"Time(%)\",\"Time\",\"Calls\",\"Avg\",\"Min\",\"Max\",\"Name\"\n";
    assert!(of(summary).unwrap_err().to_string().contains("nvprof --print-gpu-trace --csv"));
}

#[test]
fn files_of_other_devices_and_tools_are_named() {
    for (text, word) in [
        ("HPCTOOLKITmeta\u{1}", "HPCToolkit"),
        ("<?xml version=\"1.0\"?>\n<!DOCTYPE HPCToolkitExperiment [", "HPCToolkit"),
        ("packet {\n  timestamp: 1\n}\n", "Perfetto as text"),
        ("Device_id,Op Name,Task Type,Task Start Time(us),Task Duration(us)\n", "Ascend"),
    ] {
        let told = of(text).unwrap_err().to_string();
        assert!(told.contains(word) && told.contains("not read here"), "{told}");
    }
}

#[cfg(feature = "sqlite")]
mod databases {
    use super::*;
    use crate::nsys::import as nsys;
    use crate::nsys_db::{CALLS, Db};

    const DIAGNOSTICS: &str =
        "CREATE TABLE DIAGNOSTIC_EVENT (timestamp INT, severity INT, text TEXT);
        INSERT INTO DIAGNOSTIC_EVENT VALUES (0, 1, 'CUDA injection initialized successfully.'),
            (1, 2, 'No NVTX events collected.'),
            (2, 2, 'Not all CUDA events might have been collected, see /srv/me/run.log.')";

    fn database(sql: &str) -> Result<Profile, TraceError> {
        let mut connection = rusqlite::Connection::open_in_memory().expect("memory");
        connection.execute_batch(sql).expect("valid SQL");
        let bytes = connection.serialize("main").expect("bytes").to_vec();
        read("results.db", bytes.as_slice(), &ImportConfig::default())
    }

    #[test]
    fn what_nsys_says_of_its_recording_stands_in_the_profile() {
        let db = Db::new();
        db.kernel(&[]).sql(DIAGNOSTICS);
        let sql = "INSERT INTO DIAGNOSTIC_EVENT VALUES (3, 3, 'Buffer overflow of 17 events'),
            (4, 3, 'CUPTI lost buffers'), (5, 2, 'No NVTX events collected.')";
        db.sql(sql);
        let told = [
            "CUPTI lost buffers",
            "Not all CUDA events might have been collected, see (path)",
            "Buffer overflow of 17 events",
            "No NVTX events collected",
        ];
        assert_eq!(nsys(&db).diagnostics, told);
    }

    #[test]
    fn launches_without_kernels_are_counted() {
        let launches = |names: &str, diagnostics: &str| {
            let sql = format!(
                "CREATE TABLE StringIds (id INT, value TEXT); CREATE TABLE TARGET_INFO_GPU (id INT);
                 INSERT INTO StringIds VALUES {names};
                 CREATE TABLE {CALLS} (start INT, end INT, correlationId INT, nameId INT);
                 WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 1200)
                     INSERT INTO {CALLS} SELECT i, i + 1, i, 1 FROM n; {diagnostics}"
            );
            database(&sql).unwrap_err().to_string()
        };
        let told = launches("(1, 'cudaLaunchKernel_v7000')", "");
        let counted = "1,200 launches were made, the device side was not recorded: ";
        assert!(told.contains(counted) && told.contains("WSL2"), "{told}");
        let told = launches("(1, 'cudaLaunchKernel_v7000')", DIAGNOSTICS);
        let said = "nsys says: Not all CUDA events might have been collected, see (path); No NVTX";
        assert!(told.contains(said) && told.contains("WSL2"), "a fault without a cure: {told}");
        let told = launches("(1, 'cudaMalloc_v3020')", "");
        assert!(
            told.contains(
                "no GPU kernels, but 1,200 CUDA calls, none of them a launch: the GPU was"
            ),
            "{told}"
        );
    }

    #[test]
    fn a_database_of_rocprof_v1_has_the_kernels_of_its_table() {
        for (table, name) in [("KERN", "f(\"x\", int)"), ("A", "\"f(\"x\", int)\"")] {
            let p = database(&format!(
                "CREATE TABLE {table} (\"Index\" INTEGER, \"KernelName\" TEXT, \"gpu-id\" TEXT,
                    \"queue-id\" TEXT, grd TEXT, wgr TEXT, lds TEXT, vgpr TEXT, sgpr TEXT,
                    \"DispatchNs\" TEXT, \"BeginNs\" TEXT, \"EndNs\" TEXT, \"CompleteNs\" TEXT);
                INSERT INTO {table} VALUES (0, '{name}', '0', '0', '1000', '256', '512', '24', '16',
                    '500', '1000', '3000', '3500');"
            ));
            assert_eq!(
                lines(&p.unwrap()),
                ["f(\"x\", int) @0 4x1x1=4 256t 24r 512B assumed; 0 500 2000 after -"],
                "{table}"
            );
        }
        let ops = "CREATE TABLE OPS (\"BeginNs\" INT, \"EndNs\" INT, \"dev-id\" INT, Name TEXT)";
        let told = database(ops).unwrap_err().to_string();
        assert!(told.contains("rocprof v1 without the grids"), "{told}");
    }
}
