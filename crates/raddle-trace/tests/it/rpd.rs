//! Are databases of rocmProfileData, and the JSON made of them, read as they should be?
#![cfg(feature = "sqlite")]

use crate::common::{lines, quirks, sample};
use raddle_trace::{ImportConfig, Profile, ProfileFormat, TraceError, read};
use rusqlite::Connection;

/// SQL of a database by the public schema of rocmProfileData: two launches, one of a library in
/// work-items, a graph, a copy and a fill, on two GPUs and by two processes.
const DATABASE: &str = "
    CREATE TABLE rocpd_string (id INTEGER PRIMARY KEY, string VARCHAR(4096) NOT NULL);
    CREATE TABLE rocpd_op (id INTEGER PRIMARY KEY, gpuId INTEGER, queueId INTEGER, sequenceId INTEGER,
        completionSignal VARCHAR(18), start INTEGER, end INTEGER, description_id INTEGER, opType_id INTEGER);
    CREATE TABLE rocpd_api (id INTEGER PRIMARY KEY, pid INTEGER, tid INTEGER, start INTEGER, end INTEGER,
        apiName_id INTEGER, args_id INTEGER);
    CREATE TABLE rocpd_api_ops (id INTEGER PRIMARY KEY, api_id INTEGER, op_id INTEGER);
    CREATE TABLE rocpd_kernelapi (api_ptr_id INTEGER PRIMARY KEY, stream VARCHAR(18), gridX INTEGER,
        gridY INTEGER, gridZ INTEGER, workgroupX INTEGER, workgroupY INTEGER, workgroupZ INTEGER,
        groupSegmentSize INTEGER, privateSegmentSize INTEGER, kernelArgAddress VARCHAR(18),
        codeObject_id INTEGER, kernelName_id INTEGER);
    CREATE TABLE rocpd_copyapi (api_ptr_id INTEGER PRIMARY KEY, stream VARCHAR(18), size INTEGER);
    INSERT INTO rocpd_string VALUES (1, ''), (2, 'hipLaunchKernel'), (3, 'hipExtModuleLaunchKernel'),
        (4, 'hipMemcpyAsync'), (5, 'hipGraphLaunch'), (6, 'hipStreamSynchronize'), (7, 'KernelExecution'),
        (8, 'CopyHostToDevice'), (9, 'FillBuffer'), (10, 'BarrierAnd'), (11, 'add'), (12, 'Cijk_gemm'),
        (13, 'fused'), (14, 'hipMemsetAsync');
    INSERT INTO rocpd_api VALUES (101, 7, 7, 900, 950, 2, 1), (102, 7, 7, 1000, 1010, 3, 1),
        (103, 7, 7, 1020, 1030, 4, 1), (104, 7, 7, 1040, 1050, 5, 1), (105, 7, 7, 1060, 9000, 6, 1),
        (106, 8, 8, 1070, 1080, 2, 1), (107, 7, 7, 1090, 1095, 14, 1);
    INSERT INTO rocpd_kernelapi VALUES (101, '0x0', 4, 2, 1, 64, 1, 1, 256, 0, '', 0, 11),
        (102, '0x7f00', 1000, 1, 1, 256, 1, 1, 0, 0, '', 0, 12), (106, '0x0', 5, 1, 1, 64, 1, 1, 0, 0, '', 0, 11);
    INSERT INTO rocpd_copyapi VALUES (103, '0x7f00', 4096);
    INSERT INTO rocpd_op VALUES (1, 2, 0, 0, '', 2000, 3000, 11, 7), (2, 2, 1, 0, '', 2500, 2600, 1, 7),
        (3, 2, 1, 0, '', 4000, 5000, 1, 8), (4, 2, 0, 0, '', 6000, 7000, 13, 7), (5, 2, 0, 0, '', 7000, 8000, 11, 7),
        (6, 2, 0, 0, '', 8000, 8100, 1, 10), (7, 3, 0, 0, '', 1100, 1200, 11, 7), (8, 2, 0, 0, '', 8200, 8300, 11, 7),
        (9, 2, 0, 0, '', 8400, 8500, 1, 9);
    INSERT INTO rocpd_api_ops VALUES (1, 101, 1), (2, 102, 2), (3, 103, 3), (4, 104, 4), (5, 104, 5), (7, 101, 7),
        (8, 106, 8), (9, 107, 9);";

fn database(sql: &str) -> Vec<u8> {
    let mut connection = Connection::open_in_memory().expect("memory");
    connection.execute_batch(DATABASE).expect("the schema");
    connection.execute_batch(sql).expect(sql);
    connection.serialize("main").expect("bytes").to_vec()
}

fn import(bytes: &[u8]) -> Result<Profile, TraceError> {
    read("trace.rpd", bytes, &ImportConfig::default())
}

#[test]
fn a_whole_database() {
    let p = import(&database("")).unwrap();
    assert_eq!((p.name.as_str(), p.format, p.resolution_ns), ("trace", ProfileFormat::Rpd, 1));
    let lines = lines(&p);
    assert_eq!(lines[0], "add @0x0 4x2x1=8 64t 0r 256B assumed; 0j 1100 1000 after -");
    // In work-items; named by its launch.
    assert_eq!(lines[1], "Cijk_gemm @0x7f00 4x1x1=4 256t 0r 0B assumed; 100j 1600 100 after -");
    assert_eq!(lines[2], "CopyHostToDevice @0x7f00 0x0x0=0 0t 0r 0B no; 120j 3100 1000 after 1");
    let count = |quirk| p.report.met(quirk);
    // A kernel of a graph has the shape of other launches of the kernel, if there are any.
    assert_eq!((count("graph-launch"), count("shape-of-others")), (2, 1));
    assert_eq!((count("no-shape"), p.unknown_time().opaque), (1, 1));
    assert_eq!((count("other-device"), count("no-device")), (1, 1));
    assert_eq!((count("uneven-grid"), count("queue-lanes")), (1, 3));
    assert_eq!((p.report.copies, p.report.sets, p.report.events), (1, 1, 16));
    let contexts: Vec<_> = p.streams.iter().map(|s| (s.label.as_str(), s.context)).collect();
    let wanted = [("0x0", None), ("0x7f00", None), ("queue 0", None), ("0x0", Some(1))];
    assert_eq!(contexts, wanted, "a second process has streams of its own");
    // The call that waits was made after all launches.
    assert_eq!(p.host_waits.len(), 1);
    assert_eq!((p.host_waits[0].begin_ns, p.host_waits[0].end_ns), (160, 8_100));
}

/// SQL that changes the database to what rocprofiler-sdk writes: grids in work-items, all shared
/// memory, one launch for a graph.
const OF_SDK: &str = "
    UPDATE rocpd_kernelapi SET gridX = 64 * gridX WHERE kernelName_id = 11;
    UPDATE rocpd_string SET string = 'MEMORY_COPY_HOST_TO_DEVICE' WHERE id = 8;
    UPDATE rocpd_op SET description_id = 12 WHERE id = 2;
    INSERT INTO rocpd_kernelapi VALUES (104, '0x0', 640, 1, 1, 64, 1, 1, 32, 0, '', 0, 13);";

#[test]
fn a_database_filled_by_rocprofiler_sdk() {
    let p = import(&database(OF_SDK)).unwrap();
    let lines = lines(&p);
    assert_eq!(lines[0], "add @0x0 4x2x1=8 64t 0r 256B assumed; 0j 1100 1000 after -");
    assert_eq!(lines[1], "Cijk_gemm @0x7f00 4x1x1=4 256t 0r 0B assumed; 100j 1600 100 after -");
    assert_eq!(
        lines[2],
        "MEMORY_COPY_HOST_TO_DEVICE @0x7f00 0x0x0=0 0t 0r 0B no; 120j 3100 1000 after 1"
    );
    // Nobody knows whose shape the launch of a graph has: the kernel is as others of its name.
    assert!(!lines.iter().any(|line| line.starts_with("fused @0x0 10x1x1")), "{lines:?}");
    assert_eq!(p.report.met("dynamic-lds-only"), 1, "the one of the graph");
    // Without a copy, grids that are whole numbers of workgroups tell.
    let grids = "DELETE FROM rocpd_op WHERE opType_id = 8; DELETE FROM rocpd_string WHERE id = 8;
        UPDATE rocpd_kernelapi SET gridY = workgroupY WHERE api_ptr_id = 101;";
    let p = import(&database(&format!("{OF_SDK}{grids}"))).unwrap();
    assert_eq!(p.ops[0].workgroups, 4);
    let uneven = "UPDATE rocpd_kernelapi SET gridX = 5 WHERE api_ptr_id = 106;";
    let p = import(&database(&format!("{OF_SDK}{grids}{uneven}"))).unwrap();
    assert_eq!(p.ops[0].workgroups, 256, "one is not, so all are in workgroups");
}

#[test]
fn what_is_missing_is_told() {
    let error = import(&database("DELETE FROM rocpd_op")).unwrap_err().to_string();
    assert!(error.contains("without kernels (6 launches of HIP)"), "{error}");
    let p = import(&database("UPDATE rocpd_op SET end = 0 WHERE id = 2")).unwrap();
    assert_eq!(p.report.met("malformed"), 1);
    let p = import(&database("DROP TABLE rocpd_copyapi")).unwrap();
    assert_eq!(p.report.copies, 1);
    let p = import(&database("UPDATE rocpd_string SET string = 'x' || zeroblob(0) WHERE id = 13"))
        .unwrap();
    assert!(p.report.kernels > 0);
}

#[test]
fn a_real_database_and_the_json_that_was_made_of_it() {
    let Some(database) = sample("rpd/rocmprofiledata_matmul.rpd") else {
        return;
    };
    let p = database.expect("it is whole");
    assert_eq!((p.report.kernels, p.report.copies, p.report.sets), (29, 55, 1));
    let uneven: Vec<_> =
        quirks(&p).into_iter().filter(|(quirk, _)| *quirk == "uneven-grid").collect();
    assert_eq!(uneven, []);
    assert_eq!(p.report.met("no-launch-call"), 0);
    // The grid of the kernel is 1792 by 782 work-items in workgroups of 256.
    let gemm = p.ops.iter().find(|op| p.kernels[op.kernel as usize].starts_with("Cijk_")).unwrap();
    assert_eq!((gemm.workgroups, gemm.duration_ns), (7 * 782, 26_211_956));
}

#[test]
fn the_json_alone_has_no_grids_so_its_kernels_are_opaque() {
    let Some(json) = sample("rpd/rocmprofiledata_matmul.json") else {
        return;
    };
    let p = json.expect("it is whole");
    assert_eq!((p.report.kernels, p.report.copies, p.report.sets), (29, 55, 1));
    assert_eq!((p.unknown_time().opaque, p.unknown_time().is_much()), (29, true));
}

#[test]
fn a_wrong_byte_anywhere_is_survived() {
    let bytes = database("");
    let mut alive = 0;
    for at in (0..bytes.len()).step_by(61) {
        for byte in [0, 0xff, bytes[at] ^ 0x80] {
            let mut bytes = bytes.clone();
            bytes[at] = byte;
            if let Ok(profile) = import(&bytes) {
                crate::common::promises::check(&profile);
                alive += 1;
            }
        }
    }
    assert!(alive > 100, "{alive}");
}
