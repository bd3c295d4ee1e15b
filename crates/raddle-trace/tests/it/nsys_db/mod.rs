//! How does a test get a database as Nsight Systems exports it, with what it wants in it?
#![allow(dead_code, reason = "each test file uses a part of it")]

use std::cell::RefCell;

use rusqlite::Connection;

/// Columns of the kernel table in schemas 2.7 and 2.9 of Nsight Systems (2021, 2022), in their
/// order.
pub(crate) const KERNEL_2_7: &[&str] = &[
    "start",
    "end",
    "deviceId",
    "contextId",
    "streamId",
    "correlationId",
    "globalPid",
    "demangledName",
    "shortName",
    "mangledName",
    "launchType",
    "cacheConfig",
    "registersPerThread",
    "gridX",
    "gridY",
    "gridZ",
    "blockX",
    "blockY",
    "blockZ",
    "staticSharedMemory",
    "dynamicSharedMemory",
    "localMemoryPerThread",
    "localMemoryTotal",
    "gridId",
    "sharedMemoryExecuted",
    "graphNodeId",
    "sharedMemoryLimitConfig",
];

/// Columns that schema 3.25 of Nsight Systems (2026) adds at the end of the kernel table;
/// `greenContextId` stands after the context.
const NEW_2026: &[&str] = &[
    "qmdBulkReleaseDone",
    "qmdPreexitDone",
    "qmdLastCtaDone",
    "graphId",
    "clusterX",
    "clusterY",
    "clusterZ",
    "clusterSchedulingPolicy",
    "maxPotentialClusterSize",
    "maxActiveClusters",
    "sharedMemoryRequestedPercentage",
    "tensorSizeMinusOneElements",
];

/// Returns the columns of the kernel table in schema 3.25 of Nsight Systems.
pub(crate) fn kernel_3_25() -> Vec<&'static str> {
    let mut columns = KERNEL_2_7.to_vec();
    columns.insert(4, "greenContextId");
    columns.extend(NEW_2026);
    columns
}

/// Process 100, as the column `globalPid` has it: the process number in the bits from 24 on, a
/// machine's number above.
pub(crate) const PID_100: i64 = (1 << 48) | (100 << 24);

/// A thread of process 100, as the column `globalTid` has it.
pub(crate) const TID_100: i64 = PID_100 | 101;

pub(crate) const KERNELS: &str = "CUPTI_ACTIVITY_KIND_KERNEL";
pub(crate) const COPIES: &str = "CUPTI_ACTIVITY_KIND_MEMCPY";
pub(crate) const SETS: &str = "CUPTI_ACTIVITY_KIND_MEMSET";
pub(crate) const CALLS: &str = "CUPTI_ACTIVITY_KIND_RUNTIME";
pub(crate) const GRAPHS: &str = "CUPTI_ACTIVITY_KIND_GRAPH_TRACE";
pub(crate) const GPUS: &str = "TARGET_INFO_GPU";
pub(crate) const CUDA_DEVICES: &str = "TARGET_INFO_CUDA_DEVICE";
pub(crate) const STREAMS: &str = "TARGET_INFO_CUDA_STREAM";

/// Cells of a row of the kernel table, taken where a test gives no others.
const KERNEL: &[(&str, i64)] = &[
    ("start", 1000),
    ("end", 1500),
    ("deviceId", 0),
    ("contextId", 1),
    ("streamId", 7),
    ("correlationId", 1),
    ("globalPid", PID_100),
    ("demangledName", 11),
    ("shortName", 12),
    ("registersPerThread", 32),
    ("gridX", 4),
    ("gridY", 2),
    ("gridZ", 1),
    ("blockX", 128),
    ("blockY", 1),
    ("blockZ", 1),
    ("staticSharedMemory", 16),
    ("dynamicSharedMemory", 1024),
];

/// Cells of the row of an H100 in the table of GPUs.
const GPU: &[(&str, i64)] = &[
    ("id", 0),
    ("smCount", 132),
    ("cuDevice", 0),
    ("maxShmemPerSm", 233_472),
    ("maxRegistersPerSm", 65_536),
    ("threadsPerWarp", 32),
    ("maxWarpsPerSm", 64),
    ("maxBlocksPerSm", 32),
    ("computeMajor", 9),
    ("computeMinor", 0),
];

/// An SQLite database of Nsight Systems that a test fills table by table.
pub(crate) struct Db(RefCell<Connection>);

impl Db {
    /// Makes a database without any table.
    pub(crate) fn empty() -> Self {
        Self(RefCell::new(Connection::open_in_memory().expect("memory")))
    }

    /// Makes a database with strings, the schema's version and a table of kernels with these
    /// columns.
    pub(crate) fn with_kernel_columns(columns: &[&str]) -> Self {
        let db = Self::empty();
        db.table(KERNELS, columns).names();
        db
    }

    /// Makes a database with the tables of schema 3.25.
    pub(crate) fn new() -> Self {
        Self::with_kernel_columns(&kernel_3_25())
    }

    /// Adds the table of strings with the numbers 11 to 13, which kernels have as names.
    pub(crate) fn names(&self) -> &Self {
        self.sql(
            "CREATE TABLE StringIds (id INTEGER NOT NULL PRIMARY KEY, value TEXT NOT NULL);
             INSERT INTO StringIds VALUES (11, 'void gemm<float>(float *)'), (12, 'gemm'),
                 (13, '_Z4gemmIfEvPf');",
        )
    }

    pub(crate) fn sql(&self, sql: &str) -> &Self {
        self.0.borrow().execute_batch(sql).expect(sql);
        self
    }

    pub(crate) fn table(&self, name: &str, columns: &[&str]) -> &Self {
        let columns: Vec<_> = columns.iter().map(|column| format!("\"{column}\"")).collect();
        self.sql(&format!("CREATE TABLE {name} ({})", columns.join(", ")))
    }

    /// Adds a row with these cells to a table; a table that is not there is made with just these
    /// columns.
    pub(crate) fn row(&self, table: &str, cells: &[(&str, i64)]) -> &Self {
        if !self.0.borrow().table_exists(None, table).expect("a schema") {
            self.table(table, &cells.iter().map(|cell| cell.0).collect::<Vec<_>>());
        }
        let columns: Vec<_> = cells.iter().map(|cell| format!("\"{}\"", cell.0)).collect();
        let values: Vec<_> = cells.iter().map(|cell| cell.1.to_string()).collect();
        let (columns, values) = (columns.join(", "), values.join(", "));
        self.sql(&format!("INSERT INTO {table} ({columns}) VALUES ({values})"))
    }

    /// Adds a kernel that differs in these cells from the usual one.
    pub(crate) fn kernel(&self, cells: &[(&str, i64)]) -> &Self {
        self.row(KERNELS, &merged(KERNEL, cells))
    }

    /// Adds a launch call of process 100, with its start in nanoseconds, its correlation number and
    /// its thread.
    pub(crate) fn call(&self, start: i64, correlation: i64, thread: i64) -> &Self {
        let cells = [("start", start), ("end", start + 5), ("correlationId", correlation)];
        self.row(CALLS, &[cells.as_slice(), &[("globalTid", thread)]].concat())
    }

    /// Adds a GPU that differs in these cells from the usual H100.
    pub(crate) fn gpu(&self, name: &str, cells: &[(&str, i64)]) -> &Self {
        if !self.0.borrow().table_exists(None, GPUS).expect("a schema") {
            let columns: Vec<_> = GPU.iter().map(|cell| cell.0).chain(["name"]).collect();
            self.table(GPUS, &columns);
        }
        self.row(GPUS, &merged(GPU, cells));
        let sql = format!("UPDATE {GPUS} SET name = '{name}' WHERE name IS NULL");
        self.sql(&sql)
    }

    /// Adds the table with the schema's version, among entries (user, host) that an import must not
    /// read.
    pub(crate) fn version(&self, table: &str, version: &str) -> &Self {
        self.sql(&format!(
            "CREATE TABLE {table} (name TEXT NOT NULL, value TEXT);
             INSERT INTO {table} VALUES ('EXPORT_USER', 'somebody'), ('EXPORT_HOST', 'somewhere'),
                 ('EXPORT_SCHEMA_VERSION', '{version}');"
        ))
    }

    /// Returns the number, from 1, of the database page with which a table begins.
    pub(crate) fn root(&self, table: &str) -> u32 {
        let sql = "SELECT rootpage FROM sqlite_schema WHERE name = ?";
        self.0.borrow().query_row(sql, [table], |row| row.get(0)).expect(table)
    }

    /// Returns the bytes of the database file.
    pub(crate) fn bytes(&self) -> Vec<u8> {
        self.0.borrow_mut().serialize("main").expect("memory").to_vec()
    }
}

fn merged<'c>(usual: &[(&'c str, i64)], cells: &[(&'c str, i64)]) -> Vec<(&'c str, i64)> {
    let other = |name: &str| cells.iter().all(|cell| cell.0 != name);
    let usual = usual.iter().filter(|cell| other(cell.0));
    usual.chain(cells).copied().collect()
}

/// Returns the file of a run of this many kernels on four streams, with strings, calls and copies
/// to fit: as large as a training run of some minutes leaves.
pub(crate) fn long_run(kernels: u32) -> Vec<u8> {
    let db = Db::new();
    db.gpu("NVIDIA H100 80GB HBM3", &[]).version("META_DATA_EXPORT", "3.25.0");
    db.row(STREAMS, &[("processId", 100), ("contextId", 1), ("streamId", 7), ("priority", 0)]);
    db.table(CALLS, &["start", "end", "eventClass", "globalTid", "correlationId", "nameId"]);
    db.sql(&format!(
        "CREATE TABLE {COPIES} (start, end, deviceId, contextId, streamId, correlationId, globalPid)"
    ));
    db.sql(&format!(
        "CREATE TEMP TABLE n (i INTEGER PRIMARY KEY);
         WITH RECURSIVE c(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM c WHERE i < {kernels})
             INSERT INTO n SELECT i FROM c;
         INSERT INTO StringIds SELECT 1000 + i,
             'void kernel_' || i || '<float, (int)4, at::Tensor &>(at::Tensor const &, long)' FROM n
             WHERE i <= 2000;
         INSERT INTO {CALLS} SELECT 900 * i, 900 * i + 400, 0, {TID_100}, i, 12 FROM n;
         INSERT INTO {CALLS} SELECT 900 * i + 500, 900 * i + 600, 0, {TID_100}, 1000000 + i, 12
             FROM n;
         INSERT INTO {COPIES} SELECT 1000 * i + 700, 1000 * i + 800, 0, 1, 7, 1000000 + i,
             {PID_100} FROM n
             WHERE i % 10 = 0;
         INSERT INTO {KERNELS} (start, end, deviceId, contextId, greenContextId, streamId,
             correlationId, globalPid, demangledName, shortName, mangledName, launchType,
             cacheConfig, registersPerThread, gridX, gridY, gridZ, blockX, blockY, blockZ,
             staticSharedMemory, dynamicSharedMemory, localMemoryPerThread, localMemoryTotal,
             gridId, sharedMemoryExecuted, clusterX, clusterY, clusterZ,
             tensorSizeMinusOneElements)
             SELECT 1000 * i, 1000 * i + 600, 0, 1, 0, 7 + i % 4, i, {PID_100},
                 1001 + i * 7 % 2000, 12, 13, 1, 1, 32 + i % 96, 1 + i % 500, 1 + i % 3, 1, 256, 1,
                 1, 0, 1024 * (i % 48), 0, 250871808, i, 32768, 0, 0, 0, '[]' FROM n;
         DROP TABLE temp.n;"
    ));
    db.bytes()
}
