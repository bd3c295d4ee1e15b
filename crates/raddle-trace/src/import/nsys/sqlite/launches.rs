//! How many calls in a database launched a kernel or a graph?

use std::collections::BTreeMap;

use crate::import::device_side::is_launch;
use crate::import::sqlite::database::Database;

use super::collect::CALLS;

const STRINGS: &str = "StringIds";

/// Counts the calls of the host in an Nsight Systems export that launched a kernel or a graph.
pub(super) fn launches(database: &Database) -> u64 {
    let mut calls: BTreeMap<i64, u64> = BTreeMap::new();
    database.scan(CALLS, &["nameId"], |row| {
        if let Some(name) = row.number(0) {
            *calls.entry(name).or_default() += 1;
        }
        true
    });
    let mut launches: u64 = 0;
    database.scan(STRINGS, &["id", "value"], |row| {
        if let (Some(id), Some(name)) = (row.number(0), row.text(1))
            && is_launch(&name)
        {
            launches = launches.saturating_add(calls.remove(&id).unwrap_or(0));
        }
        true
    });
    launches
}
