//! Does a rocpd database become what the JSON result of the same run becomes?
#![cfg(feature = "sqlite")]

use crate::common::{fixture, lines, quirks};
use crate::rocpd_db::{ALL, Schema, ending, of_result};
use proptest::prelude::*;
use raddle_trace::{ImportConfig, Op, Profile, ProfileFormat, TraceError, read};

fn import(bytes: &[u8]) -> Result<Profile, TraceError> {
    read("run_results.db", bytes, &ImportConfig::default())
}

fn result(name: &str) -> Vec<u8> {
    std::fs::read(fixture(name)).expect(name)
}

/// Imports the database made of the fixture's result, after SQL statements have changed it.
fn changed(schema: Schema, sql: &str) -> Result<Profile, TraceError> {
    let bytes = of_result(&result("rocprof-result.json"), schema);
    let mut connection = rusqlite::Connection::open_in_memory().expect("memory");
    connection
        .deserialize_read_exact("main", bytes.as_slice(), bytes.len(), false)
        .expect("a database");
    connection.execute_batch(&sql.replace('$', &ending(0))).expect(sql);
    import(&connection.serialize("main").expect("bytes"))
}

/// Checks that two profiles are equal but for the order of ops that start at the same time, which
/// tables do not keep.
fn same(database: &Profile, result: &Profile) {
    assert_eq!(lines(database), lines(result));
    let ops = |p: &Profile| -> Vec<Op> {
        p.ops.iter().map(|op| Op { kernel: 0, stream: 0, ..*op }).collect()
    };
    assert_eq!(ops(database), ops(result));
    assert_eq!(quirks(database), quirks(result));
    assert_eq!((&database.streams, &database.device), (&result.streams, &result.device));
    let figures = |p: &Profile| (p.report.events, p.report.kernels, p.report.copies, p.span_ns);
    assert_eq!(figures(database), figures(result));
}

#[test]
fn every_version_of_the_schema_says_what_the_result_says() {
    for name in ["rocprof-result.json", "rocprof-mi350x.json"] {
        let json = result(name);
        let wanted =
            read("run_results.json", json.as_slice(), &ImportConfig::default()).expect(name);
        for schema in ALL {
            let found = import(&of_result(&json, schema)).expect(name);
            assert_eq!((found.name.as_str(), found.format), ("run_results", ProfileFormat::Rocpd));
            same(&found, &wanted);
        }
    }
}

/// Checks a result in which the names of calls come last in the file.
#[test]
fn the_host_waits_where_calls_say_so() {
    let json = String::from_utf8(result("rocprof-result.json")).expect("a text");
    let named = json.replacen("hipGraphLaunch", "hipGraphLaunch\",\"hipDeviceSynchronize", 1);
    let call = r#""hip_api":[{"kind":1,"operation":4,"correlation_id":{"internal":90},"start_timestamp":1046000,"end_timestamp":1080000},"#;
    let waiting = named.replacen("\"hip_api\":[", call, 1);
    assert!(waiting.len() > named.len());
    let wanted =
        read("run_results.json", waiting.as_bytes(), &ImportConfig::default()).expect("a result");
    let [wait] = wanted.host_waits.as_slice() else { panic!("{:?}", wanted.host_waits) };
    let since = |at: u64| at - 1_001_000;
    assert_eq!((wait.begin_ns, wait.end_ns), (since(1_046_000), since(1_080_000)));
    let last = wait.ops.as_ref().expect("all that was issued");
    assert!(last.iter().all(|&at| wanted.ops[at as usize].arrival_ns <= wait.begin_ns), "{last:?}");
    assert!(!last.is_empty() && wanted.known_waits() == Some(1.0));
    for schema in ALL {
        let found = import(&of_result(waiting.as_bytes(), schema)).expect("a database");
        assert_eq!(found.host_waits, wanted.host_waits, "{schema:?}");
    }
}

#[test]
fn a_real_run_of_43_915_dispatches() {
    const SAMPLE: &str = "rocprof/tracelens_mi350x_rocprofv3_908_results.json.gz";
    let Some(path) = raddle_testkit::sample(SAMPLE) else {
        return;
    };
    let packed = std::fs::read(path).expect("readable");
    let mut json = Vec::new();
    std::io::Read::read_to_end(
        &mut flate2::read::MultiGzDecoder::new(packed.as_slice()),
        &mut json,
    )
    .expect("whole");
    let wanted = read("x", json.as_slice(), &ImportConfig::default()).expect(SAMPLE);
    same(&import(&of_result(&json, Schema::Columns)).expect(SAMPLE), &wanted);
}

#[test]
fn what_is_not_there_is_not_needed() {
    // Compressed properties, as some builds write them: columns still name the device.
    let p = changed(Schema::Columns, "UPDATE rocpd_info_agent$ SET extdata = zeroblob(9)").unwrap();
    let device = p.device.expect("it is named");
    assert_eq!((&*device.name, &*device.arch, device.sms), ("AMD Instinct MI300X", "gfx942", None));
    let p = changed(Schema::Columns, "DROP TABLE rocpd_info_agent$").unwrap();
    assert_eq!((p.device, p.report.met("no-device")), (None, 1));
    let p = changed(Schema::Tracks, "DROP TABLE rocpd_track$").unwrap();
    assert_eq!(p.report.kernels, 7, "nobody knows the device of any");
    let p = changed(Schema::Columns, "DROP TABLE rocpd_event$").unwrap();
    assert_eq!(p.report.met("no-launch-call"), 7);
    let p = changed(Schema::Columns, "DROP TABLE rocpd_info_kernel_symbol$").unwrap();
    assert_eq!(p.report.met("unknown-kernel"), 6);
    // Names without an ending, as where processes were merged.
    let sql = "ALTER TABLE rocpd_kernel_dispatch$ RENAME TO rocpd_kernel_dispatch; \
               ALTER TABLE rocpd_info_agent$ RENAME TO rocpd_info_agent;";
    assert_eq!(changed(Schema::Columns, sql).unwrap().report.kernels, 6);
    let p = changed(Schema::Columns, "INSERT INTO rocpd_pmc_event$ (value) VALUES (1)").unwrap();
    assert_eq!(p.report.met("serialised"), 6);
}

#[test]
fn what_cannot_be_used_is_told() {
    let error = changed(Schema::Columns, "DELETE FROM rocpd_kernel_dispatch$").unwrap_err();
    let text = error.to_string();
    assert!(matches!(error, TraceError::NoDeviceSide { .. }), "{text}");
    assert!(text.contains("6 launches were made") && text.contains("--kernel-trace"), "{text}");
    let error =
        changed(Schema::Columns, "UPDATE rocpd_kernel_dispatch$ SET start = 0").unwrap_err();
    assert!(error.to_string().contains("7 malformed"), "{error}");
    let p =
        changed(Schema::Columns, "UPDATE rocpd_kernel_dispatch$ SET grid_size_x = -1 WHERE id = 1");
    assert_eq!(p.unwrap().report.met("malformed"), 1);
    let huge = "UPDATE rocpd_kernel_dispatch$ SET grid_size_x = 1 << 62, workgroup_size_x = 1";
    let p = changed(Schema::Columns, huge).unwrap();
    assert_eq!((p.report.met("no-shape"), p.unknown_time().is_much()), (6, true));
    let wanted = ImportConfig { device: Some(9), ..ImportConfig::default() };
    let bytes = of_result(&result("rocprof-result.json"), Schema::Columns);
    let error = read("x", bytes.as_slice(), &wanted).unwrap_err().to_string();
    assert!(error.contains("holds no kernel of device 9"), "{error}");
}

#[test]
fn a_database_that_was_cut_off_keeps_its_first_dispatches() {
    let bytes = of_result(&result("rocprof-result.json"), Schema::Columns);
    let mut kept = Vec::new();
    for part in 1..8 {
        match import(&bytes[..bytes.len() * part / 8]) {
            Ok(p) => {
                assert_eq!(p.report.met("truncated"), 1);
                kept.push(p.report.kernels);
            }
            Err(error) => assert!(matches!(error, TraceError::BreaksOff { .. }), "{error}"),
        }
    }
    assert!(kept.is_sorted(), "{kept:?}");
}

#[test]
fn rows_are_counted_for_whoever_watches() {
    let bytes = of_result(&result("rocprof-result.json"), Schema::Columns);
    let seen = std::cell::Cell::new((0, 0));
    let watch = |done, all| seen.set((done, all));
    raddle_trace::read_watched("x", bytes.as_slice(), &ImportConfig::default(), &watch).unwrap();
    let (done, all) = seen.get();
    assert!(done == all && done >= 16, "{done} of {all}");
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(64))]
    #[test]
    fn a_wrong_byte_anywhere_is_survived(edits in prop::collection::vec((any::<prop::sample::Index>(), any::<u8>()), 1..6)) {
        let mut bytes = of_result(&result("rocprof-mi350x.json"), Schema::Tracks);
        for (at, byte) in edits {
            let at = at.index(bytes.len());
            bytes[at] = byte;
        }
        if let Ok(profile) = import(&bytes) {
            crate::common::promises::check(&profile);
        }
    }
}
