//! Do launch tables read as documented, name their mistakes, and come back as they were written?

use std::io::Write;

#[path = "../../examples/cut_launch_table/table.rs"]
mod table;

use crate::common::{import, lines, names};
use flate2::Compression;
use flate2::write::GzEncoder;
use raddle_policy::{Activity, Idempotence};
use raddle_trace::{
    Field, HostWait, ImportConfig, Op, Origin, Profile, ProfileFormat, TraceError, read,
};
use table::{TableComments, write_launch_table};

const HEADER: &str = "name,grid_x,grid_y,grid_z,block_x,block_y,block_z,start_ns,duration_ns";

fn table(rows: &str) -> Result<Profile, TraceError> {
    read("t.csv", format!("{HEADER}\n{rows}\n").as_bytes(), &ImportConfig::default())
}

fn whole(text: &str) -> Result<Profile, TraceError> {
    read("t.csv", text.as_bytes(), &ImportConfig::default())
}

fn complaint(text: &str) -> String {
    read("t.csv", text.as_bytes(), &ImportConfig::default()).expect_err(text).to_string()
}

#[test]
fn columns_come_in_any_order_and_most_may_be_blank() {
    let p = import("launches.csv");
    assert_eq!(
        lines(&p),
        [
            "gemm<128, \"nn\"> @7 80x2x1=160 256t 64r 16384B assumed; 0 4000 2000 after -",
            "late @7 1x1x1=1 32t 16r 0B assumed; 0a 5500 1000 after 0",
            "copy @7 0x0x0=0 0t 0r 0B no; 0a 7000 1000 after 1",
            "plain @0 1x1x1=1 32t 0r 0B no; 3000 8000 1500 after -",
        ]
    );
    assert_eq!((p.format, p.resolution_ns), (ProfileFormat::LaunchTable, 1000));
    assert_eq!(p.device.as_ref().map(|device| device.name.as_str()), Some("v100"));
    assert_eq!(p.ops[0].priority, Some(-1));
    assert_eq!(p.ops[0].idempotent, Idempotence::Idempotent);
    assert_eq!(p.ops[1].idempotent, Idempotence::Unknown);
    assert_eq!(p.ops[3].idempotent, Idempotence::Not);
    assert_eq!(p.ops[3].provenance.of(Field::Barrier), Origin::Measured);
    assert_eq!(p.report.met("no-registers"), 1);
}

#[test]
fn ends_may_stand_for_durations() {
    let p = import("ends.csv");
    assert_eq!(lines(&p), ["a @0 4x1x1=4 64t 0r 0B assumed; 0a 0 150 after -"]);
}

#[test]
fn wrong_headers_name_the_nearest_column() {
    let said = complaint("# note\nname,grid_x,gird_y\n");
    assert!(
        said.starts_with("t.csv, line 2: column `gird_y` is not known; did you mean `grid_y`?")
    );
    let strange = complaint("name,flavour\n");
    assert!(strange.contains("there are name,") && !strange.contains("did you mean"), "{strange}");
    let long = complaint(&format!("name,{}\n", "grid_x".repeat(100_000)));
    assert!(long.contains("there are name,") && long.len() < 600, "{long}");
    assert!(complaint("# note\nname;grid_x\n").contains("by commas"));
    assert!(complaint("name,grid_x\n").contains("line 1: column `grid_y` is missing"));
    assert!(
        complaint(&HEADER.replace("duration_ns", "priority")).contains("`duration_ns` is missing")
    );
    assert!(complaint(&format!("{HEADER},name\n")).contains("`name` comes twice"));
    assert!(complaint(&format!("{HEADER},end_ns\n")).contains("keep one"));
    assert!(complaint("# raddle launch table 2\n").contains("line 1: version 2"));
    assert!(complaint("# resolution_ns = 0\n").contains("line 1: resolution_ns is `0`"));
}

#[test]
fn wrong_rows_name_line_and_column() {
    let said = |rows: &str| table(rows).expect_err(rows).to_string();
    assert_eq!(
        said("a,1,1,1,32,1,1,0,5\n\nb,1,x,1,32,1,1,0,5"),
        "t.csv, line 4, column `grid_y`: `x` is not a whole number in range"
    );
    assert!(said("a,1,,1,32,1,1,0,5").contains("`grid_y`: a whole number is wanted here"));
    assert!(said("a,1,1,1,32,1,1,,5").contains("`start_ns`: a whole number is wanted here"));
    assert!(
        said("a,1,1,1,32,1,1,-3,5").contains("`start_ns`: `-3` is not a whole number in range")
    );
    assert!(said("a,1,1,1,32,1,1,0,-5").contains("`duration_ns`: `-5`"));
    assert!(said("a,1,1,1,32,1,1,1.5,5").contains("`start_ns`: `1.5`"));
    assert!(said("a,4294967295,4294967295,4294967295,1,1,1,0,5").contains("`grid_x`: the product"));
    assert!(said("a,1,1,1,65536,65536,1,0,5").contains("`block_x`: the product"));
    let said = said("a,1,1,1,32,1,1,0,5\nf(int, int),1,1,1,32,1,1,0,5");
    assert!(said.contains("line 3") && said.contains("10 cells but the header 9"), "{said}");
}

#[test]
fn an_end_before_the_start_is_an_error_with_its_line() {
    let header = HEADER.replace("duration_ns", "end_ns");
    let said = complaint(&format!("# one\n# two\n{header}\na,1,1,1,32,1,1,20,10\n"));
    assert_eq!(said, "t.csv, line 4, column `end_ns`: the end, 10, is before the start, 20");
}

#[test]
fn unknown_words_list_the_known_ones() {
    let said = complaint(&format!("{HEADER},kind\na,1,1,1,32,1,1,0,5,kernal\n"));
    assert!(said.contains("`kind`: `kernal` is none of kernel, copy, set"), "{said}");
    let said = complaint(&format!("{HEADER},barrier\na,1,1,1,32,1,1,0,5,maybe\n"));
    assert!(said.contains("`barrier`: `maybe` is none of yes, no, assumed"), "{said}");
}

#[test]
fn a_table_without_kernels_is_refused() {
    let said = table("").unwrap_err().to_string();
    assert!(said.contains("no GPU kernels, but only a header without rows: write a row"), "{said}");
    assert!(!said.contains("record"), "nobody records a launch table: {said}");
    let said = complaint(&format!("{HEADER},kind\na,,,,,,,0,5,copy\n"));
    assert!(said.contains("no GPU kernels, but 1 copy: write a row"), "{said}");
}

#[test]
fn carriage_returns_and_byte_order_marks_do_not_matter() {
    let text = format!("\u{feff}# device = a\r\n{HEADER}\r\na,1,1,1,32,1,1,0,5\r\n");
    let p = read("t.csv", text.as_bytes(), &ImportConfig::default()).unwrap();
    assert_eq!(p.device.map(|device| device.name), Some("a".to_owned()));
    assert_eq!(p.ops.len(), 1);
}

#[test]
fn an_endless_row_is_given_up() {
    let text = format!("{HEADER}\n\"{}", "x".repeat(40 << 20));
    let error = read("t.csv", text.as_bytes(), &ImportConfig::default()).unwrap_err();
    assert!(matches!(error, TraceError::TooLarge { .. }), "{error}");
}

fn written(profile: &Profile) -> String {
    let mut out = Vec::new();
    write_launch_table(profile, &TableComments::default(), &mut out).expect("memory takes it");
    String::from_utf8(out).expect("a table is text")
}

/// Returns an op with joined values marked as measured, as a launch table writes both alike.
fn comparable(op: &Op) -> Op {
    let arrival = match op.provenance.of(Field::Arrival) {
        Origin::Joined => Origin::Measured,
        other => other,
    };
    Op { provenance: op.provenance.with(Field::Arrival, arrival), ..*op }
}

#[test]
fn what_is_written_reads_back_the_same() {
    let fixtures = [
        "launches.csv",
        "ends.csv",
        "shapes.json",
        "odd-names.json",
        "graph.json",
        "integer-microseconds.json",
        "nineteen-digits.json",
        "priorities-2026.json",
        "clock-skew.json",
    ];
    for name in fixtures {
        let first = import(name);
        let text = written(&first);
        let second = read("t.csv", text.as_bytes(), &ImportConfig::default()).expect(name);
        let ops = |p: &Profile| p.ops.iter().map(comparable).collect::<Vec<_>>();
        assert_eq!(ops(&first), ops(&second), "{name}\n{text}");
        assert_eq!(names(&first), names(&second), "{name}");
        assert_eq!(first.resolution_ns, second.resolution_ns);
        assert_eq!(written(&second), text, "{name}");
    }
}

#[test]
fn a_name_that_looks_like_a_comment_or_spans_lines_survives() {
    let p = table("\"#define\",1,1,1,32,1,1,0,5\n\"two\nlines\",1,1,1,32,1,1,9,5").unwrap();
    assert_eq!(names(&p), ["#define", "two\nlines"]);
    let again = read("t.csv", written(&p).as_bytes(), &ImportConfig::default()).unwrap();
    assert_eq!(names(&again), names(&p));
    let said =
        table("\"two\nlines\",1,1,1,32,1,1,9,5\na,x,1,1,32,1,1,9,5").unwrap_err().to_string();
    assert!(said.contains("line 4, column `grid_x`"), "{said}");
}

#[test]
fn a_truncated_gzip_table_yields_its_whole_rows() {
    let rows: String = (0..500).map(|i| format!("k{i},1,1,1,32,1,1,{i},5\n")).collect();
    let mut packed = GzEncoder::new(Vec::new(), Compression::fast());
    packed.write_all(format!("{HEADER}\n{rows}").as_bytes()).unwrap();
    let bytes = packed.finish().unwrap();
    let half = &bytes[..bytes.len() / 2];
    let p = read("t.csv.gz", half, &ImportConfig::default()).unwrap();
    assert!((100..500).contains(&p.ops.len()));
    assert_eq!((p.report.met("truncated"), p.report.met("lost-events")), (1, 1));
}

#[test]
fn comments_stay_on_their_lines() {
    let lines = ["source: a\nb".to_owned()];
    let comments = TableComments { device: Some("v100"), lines: &lines };
    let mut out = Vec::new();
    write_launch_table(&import("ends.csv"), &comments, &mut out).expect("memory takes it");
    insta::assert_snapshot!(String::from_utf8(out).unwrap(), @r"
    # raddle launch table 1
    # device = v100
    # resolution_ns = 1
    # source: a b
    name,kind,stream,grid_x,grid_y,grid_z,block_x,block_y,block_z,vgprs_per_thread,sgprs_per_wave,lds_bytes,barrier,arrival_ns,start_ns,duration_ns,priority,idempotent
    a,kernel,0,4,1,1,64,1,1,,0,,assumed,,0,150,,
    ");
}

#[test]
fn a_table_that_stops_within_its_last_row_keeps_the_others() {
    let whole = format!("{HEADER}\na,1,1,1,32,1,1,0,10\n");
    let p = read("t.csv", format!("{whole}b,1,1,1,32,1").as_bytes(), &ImportConfig::default());
    let p = p.expect("the first row is whole");
    assert_eq!((p.ops.len(), p.report.met("truncated"), p.report.met("lost-events")), (1, 1, 1));
    assert!(
        complaint(&format!("{whole}b,1,1,1,32,1\n")).contains("cells"),
        "a narrow row within is an error"
    );
}

#[test]
fn a_duration_beyond_the_clock_is_refused() {
    assert!(
        complaint(&format!("{HEADER}\na,1,1,1,32,1,1,0,18446744073709551615\n"))
            .contains("duration_ns")
    );
}

#[test]
fn activities_are_read_written_and_assumed_by_class() {
    let table = "name,kind,grid_x,grid_y,grid_z,block_x,block_y,block_z,start_ns,duration_ns,\
        move_rate,load_rate,store_rate,matrix_rate,compare_rate,jump_rate\n\
        sgemm,,1,1,1,64,1,1,0,10,1,2,3,4,5,6\n\
        sgemm,,1,1,1,64,1,1,20,10,,,,,,\n\
        k,,1,1,1,64,1,1,40,10,,7,,,,\n\
        k,,1,1,1,64,1,1,60,10,0,0,0,0,0,0\n\
        k,copy,,,,,,,80,10,,,,,,\n";
    let profile = raddle_trace::read("t.csv", table.as_bytes(), &ImportConfig::default()).unwrap();
    let assumed = |name| raddle_trace::assumed_activity(name).1;
    let seen = profile.ops.iter().map(|op| (op.activity, op.provenance.of(Field::Activity)));
    assert_eq!(
        seen.collect::<Vec<_>>(),
        [
            (Activity([1, 2, 3, 4, 5, 6]), Origin::Measured),
            (assumed("sgemm"), Origin::Assumed),
            (Activity([0, 7, 0, 0, 0, 0]), Origin::Measured),
            (assumed("k"), Origin::Assumed),
            (Activity::UNKNOWN, Origin::Measured),
        ]
    );
    let mut again = Vec::new();
    write_launch_table(&profile, &TableComments::default(), &mut again).unwrap();
    let text = String::from_utf8(again.clone()).unwrap();
    assert!(text.contains(",1,2,3,4,5,6\n") && text.contains(",0,7,0,0,0,0\n"), "{text}");
    let back = raddle_trace::read("t.csv", &*again, &ImportConfig::default()).unwrap();
    assert_eq!(back.ops, profile.ops);
    let window = profile.window(0, 2);
    assert_eq!(window.ops[1].provenance.of(Field::Activity), Origin::Assumed);
    assert_eq!(window.ops[0].activity, Activity([1, 2, 3, 4, 5, 6]));

    let wrong = table.replace("1,2,3,4,5,6", "1,2,3,-4,5,6");
    let error = raddle_trace::read("t.csv", wrong.as_bytes(), &ImportConfig::default());
    let error = error.unwrap_err().to_string();
    assert!(error.contains("matrix_rate") && error.contains("-4"), "{error}");
}

#[test]
fn a_host_waits_for_a_stream_or_for_all() {
    let text = "name,kind,stream,grid_x,grid_y,grid_z,block_x,block_y,block_z,arrival_ns,start_ns,duration_ns\n\
                a,,1,1,1,1,32,1,1,0,10,100\n\
                b,,2,1,1,1,32,1,1,5,20,300\n\
                ,wait,1,,,,,,,,50,70\n\
                c,,1,1,1,1,32,1,1,130,140,50\n\
                sync,wait,,,,,,,,,150,180\n";
    let p = whole(text).unwrap();
    let wait =
        |begin_ns, end_ns, ops: &[u32]| HostWait { begin_ns, end_ns, ops: Some(ops.to_vec()) };
    assert_eq!(p.host_waits, [wait(50, 120, &[0]), wait(150, 330, &[1, 2])]);
    assert_eq!((p.ops.len(), p.known_waits()), (3, Some(1.0)));
    let said = whole(&text.replace(",wait,1", ",rest,1")).unwrap_err().to_string();
    assert!(said.contains("`rest` is none of kernel, copy, set, wait"), "{said}");
}

#[test]
fn a_kernel_whose_shape_is_blank_is_opaque() {
    let text = "name,grid_x,grid_y,grid_z,block_x,block_y,block_z,start_ns,duration_ns\n\
                a,,,,,,,0,5\nb,1,1,1,32,1,1,5,5\n";
    let p = whole(text).unwrap();
    assert_eq!(p.ops.iter().map(Op::is_opaque).collect::<Vec<_>>(), [true, false]);
    assert_eq!((p.unknown_time().opaque_ns, p.unknown_time().kernel_ns), (5, 10));
    assert!(whole(&text.replace("a,,,,,,,", "a,1,,,,,,")).is_err(), "one cell is no shape");
}
