//! How much device memory did the recorded programs hold at once, at most?
//!
//! `nsys profile --cuda-memory-usage=true` writes a row for each allocation and each release. There
//! is no row for memory allocated before the recording, nor for the memory of CUDA contexts. Blocks
//! of a pool are parts of the pool's memory, so where the size of the pool is known the pool counts
//! instead of them.

use std::collections::BTreeMap;

use crate::assemble::OP_LIMIT;
use crate::import::sqlite::database::Database;

use super::device::{Gpu, Gpus};
use super::ops::{pid, process};

const EVENTS: &str = "CUDA_GPU_MEMORY_USAGE_EVENTS";

const COLUMNS: [&str; 8] = [
    "start",
    "globalPid",
    "deviceId",
    "address",
    "bytes",
    "memKind",
    "memoryOperationType",
    "localMemoryPoolAddress",
];

/// Index of the column with the size of a memory pool, which is read after [`COLUMNS`].
const POOL_SIZE: usize = COLUMNS.len();

/// Numbers of the kinds of memory that count as device memory: device memory, arrays, managed
/// memory, and static device and managed memory (the variables of a module).
const ON_DEVICE: [i64; 5] = [2, 3, 4, 5, 6];

/// Number of the operation that allocates memory; the other numbers stand for a release.
const ALLOCATION: i64 = 0;

/// Key of allocated memory or of a memory pool, as (process, true for a pool, address).
type BlockKey = (u64, bool, i64);

/// Returns the largest number of bytes of device memory that the programs in the file had allocated
/// on a GPU at once; `None` where the file has no records of memory.
pub(super) fn peak(database: &Database, gpus: &Gpus, gpu: Gpu) -> Option<u64> {
    // Rows are in no order of time: start, block, bytes that it holds from then on.
    let mut rows: Vec<(i64, BlockKey, u64)> = Vec::new();
    let columns = [COLUMNS.as_slice(), &["localMemoryPoolSize"]].concat();
    database.scan(EVENTS, &columns, |row| {
        let size = |at| row.number(at).and_then(|n| u64::try_from(n).ok());
        let process = process(row.number(1));
        let kind = row.number(5).is_some_and(|kind| ON_DEVICE.contains(&kind));
        if kind
            && gpus.of(pid(process), size(2)) == gpu
            && let (Some(start), Some(address)) = (row.number(0), row.number(3))
        {
            let pool = row.number(7).filter(|&pool| pool != 0).zip(size(POOL_SIZE));
            let allocates = row.number(6) == Some(ALLOCATION);
            let bytes = if allocates { size(4).unwrap_or(0) } else { 0 };
            let (key, bytes) = match pool {
                Some((pool, holds)) => ((process, true, pool), holds),
                None => ((process, false, address), bytes),
            };
            rows.push((start, key, bytes));
        }
        rows.len() <= OP_LIMIT
    });
    rows.sort_by_key(|&(start, ..)| start);
    let (mut held, mut sum, mut peak) = (BTreeMap::new(), 0_u64, 0);
    for (_, key, bytes) in rows {
        let before = held.insert(key, bytes).unwrap_or(0);
        sum = sum.saturating_sub(before).saturating_add(bytes);
        peak = sum.max(peak);
    }
    Some(peak).filter(|&bytes| bytes > 0)
}
