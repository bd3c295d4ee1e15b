//! Can a broken or hostile database make an import panic, run on or lie?
#![cfg(feature = "sqlite")]

use crate::nsys_db::*;
use proptest::prelude::*;
use raddle_trace::{ImportConfig, Profile, TraceError, read};

/// Returns a small database with every table that an import reads, of many small pages.
fn database() -> Vec<u8> {
    let db = Db::empty();
    db.sql("PRAGMA page_size = 512").table(KERNELS, &kernel_3_25()).names();
    db.version("META_DATA_EXPORT", "3.25.0").gpu("NVIDIA H100 80GB HBM3", &[]);
    db.row(CUDA_DEVICES, &[("gpuId", 0), ("cudaId", 0), ("pid", 100)]);
    let stream = [("processId", 100), ("contextId", 1), ("streamId", 7), ("priority", 0)];
    db.row(STREAMS, &stream).row(GRAPHS, &[("start", 1)]);
    for i in 1..40 {
        db.kernel(&[("start", 1000 * i), ("end", 1000 * i + 700), ("correlationId", i)]);
        db.call(900 * i, i, TID_100);
        db.row(COPIES, &[("start", 1000 * i + 800), ("end", 1000 * i + 801), ("deviceId", 0)]);
        db.row(SETS, &[("start", 1000 * i + 900), ("end", 1000 * i + 901), ("deviceId", 0)]);
    }
    // A text that does not fit its page.
    db.sql("UPDATE StringIds SET value = hex(zeroblob(900)) WHERE id = 11");
    db.bytes()
}

/// Checks the promises that every imported profile keeps, such as ops in the order of their start.
fn check(p: &Profile) {
    assert!(p.ops.is_sorted_by_key(|op| op.start_ns));
    assert!(p.report.kernels > 0);
    for (i, op) in p.ops.iter().enumerate() {
        assert!(op.arrival_ns <= op.start_ns && op.duration_ns > 0);
        assert!((op.kernel as usize) < p.kernels.len() && (op.stream as usize) < p.streams.len());
        assert!(op.after.is_none_or(|after| (after as usize) < i));
        assert!(op.workgroups == 0 || Some(op.workgroups) == op.grid.volume());
    }
}

fn import(bytes: &[u8]) -> Option<Profile> {
    let profile = read("x", bytes, &ImportConfig::default()).ok()?;
    check(&profile);
    Some(profile)
}

#[test]
fn a_wrong_byte_anywhere_is_survived() {
    let bytes = database();
    let whole = import(&bytes).unwrap();
    assert_eq!((whole.ops.len(), whole.report.kernels), (117, 39));
    let (mut alive, mut refused) = (0, 0);
    for at in (0..bytes.len()).step_by(19) {
        for byte in [0x00, 0xff, bytes[at] ^ 0x80, bytes[at].wrapping_add(1)] {
            let mut bytes = bytes.clone();
            bytes[at] = byte;
            match import(&bytes) {
                Some(_) => alive += 1,
                None => refused += 1,
            }
        }
    }
    // Damage to the list of tables loses the whole file; damage elsewhere does not.
    assert!(alive > 5 * refused && refused > 10, "{alive} {refused}");
}

#[test]
fn a_cut_anywhere_keeps_a_prefix_and_says_so() {
    let bytes = database();
    let whole = import(&bytes).unwrap();
    let mut most = 0;
    for cut in (0..bytes.len()).step_by(97).skip(1) {
        match read("x", &bytes[..cut], &ImportConfig::default()) {
            Ok(p) => {
                check(&p);
                assert_eq!(p.report.met("truncated"), 1, "{cut}");
                assert!(p.report.kernels >= most && p.report.kernels <= whole.report.kernels);
                most = p.report.kernels;
            }
            Err(TraceError::BreaksOff { byte, .. }) => {
                assert_eq!((byte, most), (cut as u64, 0), "what was there stays there");
            }
            Err(TraceError::Database { .. }) => assert!(cut < 512, "{cut}"),
            Err(error) => panic!("{cut}: {error}"),
        }
    }
    assert!(most > 20, "{most}");
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 300, ..ProptestConfig::default() })]

    #[test]
    fn many_wrong_bytes_are_survived(
        edits in prop::collection::vec((any::<prop::sample::Index>(), any::<u8>()), 1..60),
        swap in any::<(prop::sample::Index, prop::sample::Index)>(),
    ) {
        let mut bytes = database();
        let pages = bytes.len() / 512;
        let (a, b) = (swap.0.index(pages) * 512, swap.1.index(pages) * 512);
        if a > 0 && b > 0 {
            bytes.copy_within(a..a + 512, b);
        }
        for (at, byte) in edits {
            let at = at.index(bytes.len());
            bytes[at] = byte;
        }
        import(&bytes);
    }
}

#[test]
fn views_in_place_of_tables_are_not_run() {
    let endless = "WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n) SELECT i FROM n";
    let db = Db::empty();
    db.names().table(GPUS, &["id"]).sql(&format!("CREATE VIEW {KERNELS} AS {endless}"));
    let error = read("x", db.bytes().as_slice(), &ImportConfig::default()).unwrap_err();
    assert!(matches!(error, TraceError::NoKernels { .. }), "{error}");
    let db = Db::new();
    db.kernel(&[]).sql(&format!("CREATE VIEW {COPIES} AS {endless}"));
    let p = import(&db.bytes()).unwrap();
    assert_eq!((p.ops.len(), p.report.met("damaged")), (1, 0));
}

#[test]
fn virtual_tables_and_computed_columns_are_not_run() {
    let db = Db::new();
    db.kernel(&[]);
    // Written into the list of tables, as SQLite is built here without any such kind.
    db.sql(&format!(
        "PRAGMA writable_schema = ON;
         INSERT INTO sqlite_schema VALUES ('table', '{COPIES}', '{COPIES}', 0,
             'CREATE VIRTUAL TABLE {COPIES} USING fts5(start, end, deviceId)');
         PRAGMA writable_schema = OFF;"
    ));
    db.sql(&format!(
        "CREATE TABLE {SETS} (start, deviceId, end AS (length(printf('%900000000d', start))))"
    ));
    db.sql(&format!("INSERT INTO {SETS} (start, deviceId) VALUES (1, 0)"));
    let p = import(&db.bytes()).unwrap();
    assert_eq!((p.report.copies, p.report.sets), (0, 0));
    assert_eq!(p.report.met("malformed"), 1, "a computed end counts as missing");
}

#[test]
fn indices_are_not_trusted() {
    let db = Db::new();
    for start in 1..30 {
        db.kernel(&[("start", 1000 * start), ("end", 1000 * start + 9)]);
    }
    let good = import(&db.bytes()).unwrap();
    // An index over all that is read of a call, which holds other calls than the table.
    db.call(1, 1, TID_100).sql(&format!(
        "CREATE INDEX i ON {CALLS} (correlationId, start, globalTid);
         PRAGMA writable_schema = ON;
         UPDATE sqlite_schema SET rootpage = (SELECT rootpage FROM sqlite_schema
             WHERE name = 'StringIds') WHERE name = 'i';"
    ));
    let p = import(&db.bytes()).unwrap();
    assert_eq!((p.ops.len(), p.report.met("no-launch-call")), (good.ops.len(), 0));
}

/// Makes a page of a database table's tree lead to the page `to` many times over, as a hostile file
/// may.
fn fan(page: &mut [u8], to: u32) {
    page.fill(0);
    let cells = (page.len() - 12) / 8;
    page[0] = 5;
    page[3..5].copy_from_slice(&(cells as u16).to_be_bytes());
    let first = page.len() - 6 * cells;
    page[5..7].copy_from_slice(&(first as u16).to_be_bytes());
    page[8..12].copy_from_slice(&to.to_be_bytes());
    for cell in 0..cells {
        let at = first + 6 * cell;
        page[12 + 2 * cell..14 + 2 * cell].copy_from_slice(&(at as u16).to_be_bytes());
        page[at..at + 4].copy_from_slice(&to.to_be_bytes());
        page[at + 4] = cell as u8;
    }
}

#[test]
fn a_tree_that_holds_itself_many_times_ends_soon() {
    let db = Db::new();
    for start in 0..10 {
        db.kernel(&[("start", start), ("end", start + 1)]);
    }
    // The table's own page becomes the last of a chain of pages, each leading 500 times to the
    // next: 10 * 500^4 rows in 40 kB.
    db.sql(&format!("ALTER TABLE {KERNELS} RENAME TO leaf")).table(KERNELS, &kernel_3_25());
    for name in ["a", "b", "c"] {
        db.table(name, &["x"]);
    }
    let pages = [KERNELS, "a", "b", "c", "leaf"].map(|name| db.root(name));
    let mut bytes = db.bytes();
    for step in pages.windows(2) {
        let start = (step[0] as usize - 1) * 4096;
        fan(&mut bytes[start..start + 4096], step[1]);
    }
    let p = import(&bytes).unwrap();
    assert_eq!(p.report.met("damaged"), 1);
    assert!(p.ops.len() > 1000 && p.ops.len() < 100_000, "{}", p.ops.len());
}

#[test]
fn a_text_that_holds_itself_many_times_ends_soon() {
    let db = Db::new();
    db.kernel(&[]).sql("DELETE FROM StringIds");
    db.sql("INSERT INTO StringIds VALUES (1, hex(zeroblob(500000)))");
    let (root, mut bytes) = (db.root("StringIds") as usize, db.bytes());
    // The one row of the leaf becomes 300 rows with the same long text.
    let page = &mut bytes[(root - 1) * 4096..root * 4096];
    let cell = [page[8], page[9]];
    page[3..5].copy_from_slice(&300_u16.to_be_bytes());
    for at in (8..608).step_by(2) {
        page[at..at + 2].copy_from_slice(&cell);
    }
    let p = import(&bytes).unwrap();
    assert_eq!((p.ops.len(), p.report.met("damaged")), (1, 1));
}
