//! Do SQLite exports of Nsight Systems of every age give what their tables say?
#![cfg(feature = "sqlite")]

use std::cell::RefCell;
use std::io::Write;

use crate::common::{lines, quirks};
use crate::nsys_db::*;
use crate::nsys_device::device;
use flate2::Compression;
use flate2::write::GzEncoder;
use raddle_policy::Level;
use raddle_trace::{
    Field, ImportConfig, Origin, Profile, ProfileFormat, Ranks, TraceError, read, read_watched,
};

pub(crate) fn try_import(db: &Db, options: &ImportConfig) -> Result<Profile, TraceError> {
    read("run.sqlite", db.bytes().as_slice(), options)
}

pub(crate) fn import(db: &Db) -> Profile {
    try_import(db, &ImportConfig::default()).expect("a profile")
}

fn refusal(db: &Db) -> String {
    try_import(db, &ImportConfig::default()).expect_err("a refusal").to_string()
}

pub(crate) fn labels(profile: &Profile) -> Vec<&str> {
    profile.streams.iter().map(|stream| stream.label.as_str()).collect()
}

/// Returns the cells that say where and when a copy or a fill ran: start, end, correlation, device,
/// context, stream and process.
pub(crate) fn place(start: i64, end: i64, correlation: i64) -> Vec<(&'static str, i64)> {
    let ids = [("deviceId", 0), ("contextId", 1), ("streamId", 7), ("globalPid", PID_100)];
    [&[("start", start), ("end", end), ("correlationId", correlation)], ids.as_slice()].concat()
}

#[test]
fn kernels_copies_and_fills_of_one_stream() {
    let db = Db::new();
    db.kernel(&[]).call(400, 1, TID_100);
    db.row(COPIES, &[place(500, 900, 2).as_slice(), &[("copyKind", 1)]].concat());
    db.row(SETS, &place(1500, 1510, 3)).call(350, 2, TID_100).call(450, 3, TID_100);
    let p = import(&db);
    assert_eq!((p.name.as_str(), p.format), ("run", ProfileFormat::NsysSqlite));
    assert_eq!(
        lines(&p),
        [
            "[CUDA memcpy Host-to-Device] @7 0x0x0=0 0t 0r 0B no; 0j 150 400 after -",
            "void gemm<float>(float *) @7 4x2x1=8 128t 32r 1040B assumed; 50j 650 500 after 0",
            "[CUDA memset] @7 0x0x0=0 0t 0r 0B no; 100j 1150 10 after 1",
        ]
    );
    assert_eq!(quirks(&p), [("no-device", 1)]);
    assert_eq!((p.report.events, p.resolution_ns), (6, 1));
    assert_eq!(p.streams[0].context, Some(1));
    let provenance = p.ops[1].provenance;
    assert_eq!(provenance.of(Field::SharedMemory), Origin::Measured);
    assert_eq!(provenance.of(Field::Registers), Origin::Measured);
}

#[test]
fn quirk_18_columns_are_found_by_name_in_every_order_and_case() {
    let usual = lines(&import(Db::new().kernel(&[]).call(400, 1, TID_100)));
    let (new, mut shuffled) = (kernel_3_25(), kernel_3_25());
    shuffled.rotate_left(13);
    let backwards = new.iter().rev().copied().collect();
    for columns in [KERNEL_2_7.to_vec(), new, shuffled, backwards] {
        let db = Db::with_kernel_columns(&columns);
        db.kernel(&[]).call(400, 1, TID_100);
        assert_eq!(lines(&import(&db)), usual, "{columns:?}");
    }
    let db = Db::new();
    db.kernel(&[]).call(400, 1, TID_100);
    db.sql(&format!("ALTER TABLE {KERNELS} RENAME COLUMN gridX TO GRIDx"));
    assert_eq!(lines(&import(&db)), usual);
}

#[test]
fn names_are_the_demangled_the_short_or_the_mangled_one_whichever_is_there() {
    let db = Db::new();
    db.kernel(&[("start", 1)]).kernel(&[("start", 2), ("demangledName", 99)]);
    db.kernel(&[("start", 3), ("demangledName", 99), ("shortName", 99), ("mangledName", 13)]);
    db.kernel(&[("start", 4), ("demangledName", 99), ("shortName", 98)]);
    db.kernel(&[("start", 5), ("demangledName", 12)]);
    let p = import(&db);
    assert_eq!(
        crate::common::names(&p),
        ["void gemm<float>(float *)", "gemm", "_Z4gemmIfEvPf", "unnamed", "gemm"]
    );
    assert_eq!(p.kernels.len(), 4, "equal names are one");
    assert_eq!(p.report.met("no-name"), 1);
    db.sql("DROP TABLE StringIds");
    assert_eq!(import(&db).report.met("no-name"), 5);
}

#[test]
fn a_correlation_repeats_in_another_process_and_ties_nothing_there() {
    let db = Db::new();
    let (pid, tid) = (PID_100 + (1 << 24), TID_100 + (1 << 24));
    db.kernel(&[]).kernel(&[("start", 2000), ("end", 2100), ("globalPid", pid)]);
    db.call(900, 1, tid).call(700, 1, TID_100).call(650, 2, TID_100);
    let p = import(&db);
    assert_eq!(
        lines(&p),
        [
            "void gemm<float>(float *) @7 (process 1) 4x2x1=8 128t 32r 1040B assumed; \
             0j 300 500 after -",
            "void gemm<float>(float *) @7 (process 2) 4x2x1=8 128t 32r 1040B assumed; \
             200j 1300 100 after -",
        ]
    );
    assert_eq!(quirks(&p), [("no-device", 1), ("several-processes", 1)]);
}

#[test]
fn where_work_does_not_name_its_process_the_correlation_must_do() {
    let columns: Vec<_> = kernel_3_25().into_iter().filter(|&c| c != "greenContextId").collect();
    let db = Db::with_kernel_columns(&columns);
    db.kernel(&[])
        .call(700, 1, TID_100)
        .sql(&format!("ALTER TABLE {KERNELS} DROP COLUMN globalPid"));
    let p = import(&db);
    assert_eq!((p.ops[0].start_ns, p.report.met("no-launch-call")), (300, 0));
}

#[test]
fn work_without_a_process_makes_no_second_one() {
    let db = Db::new();
    db.kernel(&[]).kernel(&[("start", 2000), ("end", 2001)]);
    db.sql(&format!("UPDATE {KERNELS} SET globalPid = NULL WHERE start = 2000"));
    let p = import(&db);
    assert_eq!((labels(&p), p.report.met("several-processes")), (vec!["7", "7"], 0));
}

#[test]
fn the_earliest_of_equal_calls_counts() {
    let db = Db::new();
    db.kernel(&[]).call(900, 1, TID_100).call(700, 1, TID_100).call(800, 0, TID_100);
    let p = import(&db);
    assert_eq!(p.ops[0].start_ns, 300);
    assert_eq!(p.report.met("repeated-correlation"), 1);
}

#[test]
fn quirk_18_without_launch_rows_arrivals_are_assumed() {
    let db = Db::new();
    db.kernel(&[]).kernel(&[("start", 2000), ("end", 2001)]);
    let p = import(&db);
    assert_eq!(p.report.met("no-launch-call"), 2);
    assert_eq!(p.ops[1].provenance.of(Field::Arrival), Origin::Assumed);
    assert_eq!((p.ops[0].arrival_ns, p.ops[1].arrival_ns), (0, 0));
    let call = [("start", 5), ("globalTid", TID_100)];
    db.row(CALLS, &call);
    assert_eq!(import(&db).report.met("no-launch-call"), 2, "no column of correlations");
}

#[test]
fn kernels_of_a_graph_share_one_arrival() {
    let db = Db::new();
    for (start, node) in [(1000, 4), (1600, 5)] {
        db.kernel(&[("start", start), ("end", start + 10), ("graphNodeId", node)]);
    }
    let p = import(db.kernel(&[("start", 2000), ("end", 2001)]).call(0, 1, TID_100));
    assert_eq!(p.report.met("graph-launch"), 2);
    assert!(p.ops.iter().all(|op| op.arrival_ns == 0));
    assert_eq!(p.report.met("no-launch-call"), 0);
}

#[test]
fn a_graph_recorded_as_a_whole_is_one_opaque_kernel() {
    let db = Db::new();
    db.row(GRAPHS, &place(10, 20, 1)).row(GRAPHS, &place(30, 45, 2)).call(5, 1, TID_100);
    let p = import(&db);
    assert_eq!(
        lines(&p),
        [
            "graph 0 @7 opaque 0t 0r 0B assumed; 0j 5 10 after -",
            "graph 0 @7 opaque 0t 0r 0B assumed; 0a 25 15 after 0",
        ]
    );
    assert_eq!(p.report.met("whole-graph"), 2);
    assert_eq!((p.unknown_time().opaque_ns, p.unknown_time().kernel_ns), (25, 25));
    let beside = import(db.kernel(&[]));
    assert_eq!((beside.report.kernels, beside.unknown_time().opaque_ns), (3, 25));
}

#[test]
fn clusters_are_counted() {
    let db = Db::new();
    for (start, size) in [(1, 0), (2, 1), (3, 2)] {
        db.kernel(&[("start", start), ("clusterX", 1), ("clusterY", size), ("clusterZ", 1)]);
    }
    assert_eq!(import(&db).report.met("clusters"), 1);
}

#[test]
fn quirk_18_priorities_are_joined_by_process_context_and_stream_and_have_a_sign() {
    let db = Db::new();
    db.kernel(&[("start", 1)]).kernel(&[("start", 2), ("streamId", 8)]);
    db.kernel(&[("start", 3), ("contextId", 2)]).kernel(&[("start", 4), ("streamId", 9)]);
    assert!(import(&db).ops.iter().all(|op| op.priority.is_none()), "no table, no knowledge");
    for (process, context, stream, priority) in [
        (100, 1, 7, 4_294_967_291_i64),
        (100, 1, 8, 4_294_967_295),
        (100, 2, 7, 2),
        (101, 1, 9, 4_294_967_290),
    ] {
        let key = [("processId", process), ("contextId", context), ("streamId", stream)];
        db.row(STREAMS, &[key.as_slice(), &[("priority", priority)]].concat());
    }
    let p = import(&db);
    let priorities: Vec<_> = p.ops.iter().map(|op| op.priority).collect();
    assert_eq!(priorities, [Some(-5), Some(-1), Some(2), Some(0)], "a stream without a row has 0");
    let ranks = Ranks::of(&p);
    let levels: Vec<_> = p.ops.iter().map(|op| ranks.level(op)).collect();
    assert_eq!(levels, [0, 1, 3, 2].map(|level| Some(Level(level))));
}

#[test]
fn contexts_and_green_contexts_make_streams_of_their_own() {
    let db = Db::new();
    db.kernel(&[("start", 1)]).kernel(&[("start", 2), ("greenContextId", 0)]);
    db.kernel(&[("start", 3), ("greenContextId", 4)]).kernel(&[("start", 4), ("contextId", 2)]);
    let p = import(&db);
    assert_eq!(labels(&p), ["7", "7 (green context 4)", "7"]);
    let contexts: Vec<_> = p.streams.iter().map(|stream| stream.context).collect();
    assert_eq!(contexts, [Some(1), Some(1), Some(2)]);
    assert_eq!(p.ops[1].stream, 0, "green context 0 is none");
}

#[test]
fn quirk_18_tables_that_are_missing_are_taken_as_empty() {
    let usual = Db::new();
    usual.kernel(&[]).call(400, 1, TID_100).table(COPIES, &["start"]).table(SETS, &["start"]);
    let usual = import(&usual);
    // Neither copies, fills, calls, devices nor a version; then only calls.
    let alone = Db::new();
    let alone = import(alone.kernel(&[]));
    assert_eq!((alone.ops.len(), alone.report.copies, alone.report.sets), (1, 0, 0));
    assert_eq!(quirks(&alone), [("no-device", 1), ("no-launch-call", 1)]);
    let called = Db::new();
    let called = import(called.kernel(&[]).call(400, 1, TID_100));
    assert_eq!((lines(&called), quirks(&called)), (lines(&usual), quirks(&usual)));
}

#[test]
fn quirk_18_rows_of_zeros_say_nothing_of_a_device() {
    let db = Db::new();
    db.kernel(&[]).gpu("", &[("id", 0), ("smCount", 0), ("cuDevice", 0), ("threadsPerWarp", 0)]);
    assert_eq!(device(&db), (None, vec![("no-device", 1)]));
}

#[test]
fn a_kernel_table_without_a_needed_column_is_named_with_its_schema() {
    let mut columns = kernel_3_25();
    columns.retain(|&column| column != "gridY" && column != "streamId");
    let db = Db::empty();
    db.table(KERNELS, &columns).version("META_DATA_EXPORT", "5.1.0");
    assert_eq!(
        refusal(&db),
        "run.sqlite: the table CUPTI_ACTIVITY_KIND_KERNEL lacks `streamId`, `gridY` (schema 5.1): \
         export the report again with `nsys export --type sqlite`"
    );
}

#[test]
fn missing_cells_are_counted_and_never_read_as_free() {
    let db = Db::new();
    db.kernel(&[("start", 1), ("registersPerThread", 0)]);
    for (start, column) in [
        (2, "registersPerThread"),
        (3, "staticSharedMemory"),
        (4, "gridX"),
        (5, "end"),
        (6, "correlationId"),
    ] {
        db.kernel(&[("start", start)]);
        db.sql(&format!("UPDATE {KERNELS} SET {column} = NULL WHERE start = {start}"));
    }
    db.kernel(&[("start", 7), ("end", 6)]).kernel(&[("start", 8), ("blockX", 1 << 40)]);
    let p = import(&db);
    assert_eq!((p.ops.len(), p.report.left_out), (6, 2));
    let counts = [
        ("malformed", 2),
        ("no-shape", 2),
        ("impossible-threads", 1),
        ("no-device", 1),
        ("overlap-in-stream", 15),
        ("no-launch-call", 6),
        ("no-registers", 2),
        ("no-shared-memory", 1),
    ];
    assert_eq!(quirks(&p), counts);
    db.sql(&format!("UPDATE {KERNELS} SET gridX = NULL"));
    assert_eq!(import(&db).unknown_time().opaque, 6);
    db.sql(&format!("UPDATE {KERNELS} SET end = NULL"));
    let error = refusal(&db);
    assert!(error.contains("8 kernels but none can be used (8 malformed)"), "{error}");
}

#[test]
fn numbers_that_another_tool_has_stored_as_text_or_doubles_are_read() {
    let db = Db::new();
    let usual = lines(&import(db.kernel(&[]).call(400, 1, TID_100)));
    db.sql(&format!(
        "UPDATE {KERNELS} SET start = CAST(start AS TEXT), gridX = CAST(gridX AS REAL),
             globalPid = CAST(globalPid AS TEXT)"
    ));
    assert_eq!(lines(&import(&db)), usual);
    db.sql(&format!("UPDATE {KERNELS} SET gridX = 4.5"));
    assert!(import(&db).ops[0].is_opaque());
}

#[test]
fn quirk_18_exports_without_kernels_tell_what_they_have() {
    let db = Db::new();
    assert!(refusal(&db).contains("(it has no tables of CUDA; `nsys profile --trace=cuda` makes"));
    db.table(CALLS, &["start"]);
    assert!(refusal(&db).contains("(its tables of CUDA are empty)"));
    let db = Db::empty();
    db.row(COPIES, &place(1, 2, 3)).row(SETS, &place(1, 2, 3)).call(0, 3, TID_100);
    assert!(
        refusal(&db)
            .contains("but 1 CUDA call, which launches nothing, 1 copy, 1 fill: the GPU was")
    );
    assert!(refusal(Db::empty().table(GPUS, &["id"])).contains("no tables of CUDA"));
}

#[test]
fn databases_of_other_tools_are_named() {
    let error = refusal(Db::empty().table("rocpd_kernel_dispatch_0af3", &["id"]));
    assert!(error.contains("a result of rocprofv3 without kernel dispatches"), "{error}");
    let nvprof = Db::empty();
    nvprof.table("StringTable", &["_id_", "value"]).table(KERNELS, &["name", "start", "end"]);
    assert!(refusal(&nvprof).contains("nvprof"));
    let db = Db::empty();
    db.table("b", &["x"]).table("a", &["x"]);
    assert!(
        refusal(&db)
            .contains("looks like an SQLite database with 2 tables, none of them of a profiler.")
    );
    for name in ["c", "d", "e"] {
        db.table(name, &["x"]);
    }
    assert!(refusal(&db).contains("with 5 tables, none of them of a profiler."));
    assert!(refusal(Db::empty().sql("PRAGMA user_version = 1")).contains("without tables"));
}

#[test]
fn gzip_is_read_too_and_a_broken_end_keeps_the_rows() {
    let db = Db::new();
    for start in 0..400 {
        db.kernel(&[("start", 1000 * start), ("end", 1000 * start + 900)]);
    }
    let bytes = db.bytes();
    let mut packed = GzEncoder::new(Vec::new(), Compression::fast());
    packed.write_all(&bytes).unwrap();
    let packed = packed.finish().unwrap();
    let whole = read("x", packed.as_slice(), &ImportConfig::default()).unwrap();
    assert_eq!(lines(&whole), lines(&import(&db)));
    let torn = &packed[..packed.len() - 4];
    let p = read("x", torn, &ImportConfig::default()).unwrap();
    assert_eq!((p.ops.len(), p.report.met("damaged")), (400, 1));
    let p = read("x", &bytes[..bytes.len() / 2], &ImportConfig::default()).unwrap();
    assert!(p.ops.len() > 100 && p.ops.len() < 300, "{}", p.ops.len());
    assert_eq!(lines(&p)[..50], lines(&whole)[..50]);
    assert_eq!((p.report.met("truncated"), p.report.met("damaged")), (1, 0));
    let error = read("x", &bytes[..4096], &ImportConfig::default()).unwrap_err();
    assert!(matches!(error, TraceError::BreaksOff { byte: 4096, .. }), "{error}");
}

#[test]
fn a_report_that_was_not_exported_is_named() {
    for file in ["run.nsys-rep", "run.qdrep.gz"] {
        let error = read(file, b"\x01\x02\x03".as_slice(), &ImportConfig::default()).unwrap_err();
        assert!(error.to_string().contains("nsys export --type sqlite"), "{error}");
    }
}

#[test]
fn a_watch_is_told_how_many_rows_are_read_and_of_how_many() {
    let db = Db::new();
    db.kernel(&[]);
    for correlation in 1..=9_000 {
        db.call(400, correlation, TID_100);
    }
    let told = RefCell::new(Vec::new());
    let watch = |done, of| told.borrow_mut().push((done, of));
    let bytes = db.bytes();
    read_watched("run.sqlite", bytes.as_slice(), &ImportConfig::default(), &watch).unwrap();
    assert_eq!(told.into_inner(), [(8_192, 9_001), (9_001, 9_001)]);
}

#[test]
fn streams_wait_for_the_event_that_was_recorded_last() {
    let db = Db::new();
    let on = |stream, start, end, tie| {
        [("streamId", stream), ("start", start), ("end", end), ("correlationId", tie)]
    };
    db.kernel(&on(7, 1000, 2000, 1)).kernel(&on(8, 1100, 1500, 2)).kernel(&on(9, 1600, 1700, 3));
    db.kernel(&on(9, 2100, 2200, 4));
    db.call(900, 1, TID_100).call(910, 2, TID_100).call(930, 3, TID_100).call(950, 4, TID_100);
    let place = [("deviceId", 0), ("contextId", 1), ("globalPid", PID_100)];
    let rest = ["start", "end", "streamId", "correlationId", "syncType", "eventId", "timestamp"];
    let columns = [&["deviceId", "contextId", "globalPid"], rest.as_slice()].concat();
    db.table("CUPTI_ACTIVITY_KIND_SYNCHRONIZATION", &columns);
    db.table("CUPTI_ACTIVITY_KIND_CUDA_EVENT", &columns);
    let recorded = |stream, at| {
        let row = [("streamId", stream), ("timestamp", at), ("eventId", 5)];
        db.row("CUPTI_ACTIVITY_KIND_CUDA_EVENT", &[place.as_slice(), &row].concat());
    };
    let waits = |start, event, kind| {
        let row = [("streamId", 9), ("start", start), ("eventId", event), ("syncType", kind)];
        db.row("CUPTI_ACTIVITY_KIND_SYNCHRONIZATION", &[place.as_slice(), &row].concat());
    };
    // The event is recorded on 7 too, but after the wait; a stream that the host waits for is none.
    recorded(8, 915);
    recorded(7, 960);
    waits(920, 5, 2);
    waits(921, 5, 3);
    // Of event 6 nothing was traced: what had ended last, when the second op of the stream began.
    waits(940, 6, 2);
    let waits: Vec<_> = import(&db).stream_waits;
    let waits: Vec<_> = waits.iter().map(|it| (it.op, it.source, it.inferred)).collect();
    assert_eq!(waits, [(2, 1, false), (3, 0, true)]);
}
