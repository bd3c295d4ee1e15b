//! What does a rocpd database hold, the default output of rocprofv3 since ROCm 7?
//!
//! Every process has a set of tables whose names end in its GUID. Versions differ in where the
//! device, queue, stream and times of a row are: in columns of the row (version 3), in its track
//! (4), or in a table of time stamps. So all three are tried, and the version is not read, nor are
//! views, which only join these tables. Grids are in work-items; a call and its work belong to
//! events with the same stack number. Hosts, users, command lines and environments are not read.

use std::borrow::Cow;
use std::collections::BTreeMap;

use super::result::{
    Correlation, RawAgent, RawHandle, RawInfo, RawRecord, RawSymbol, ResultCollector,
    ResultSection, work,
};
use crate::assemble::{Draft, OP_LIMIT};
use crate::config::ImportConfig;
use crate::error::TraceError;
use crate::import::document::RecordSink;
use crate::import::sqlite::database::{Database, DatabaseRow};
use crate::import::sqlite::{NumbersById, RowMeter, SqliteSource};

const DISPATCHES: &str = "rocpd_kernel_dispatch";
const COPIES: &str = "rocpd_memory_copy";
const REGIONS: &str = "rocpd_region";
const AGENTS: &str = "rocpd_info_agent";

/// Columns that are read both of dispatches and of copies, in this order: times, event, track (row
/// of the time line) and stream.
const PLACE: [&str; 7] =
    ["start", "end", "start_id", "end_id", "event_id", "track_id", "stream_id"];

/// Columns that only the rocpd table of kernel dispatches has.
const DISPATCH: [&str; 10] = [
    "agent_id",
    "queue_id",
    "kernel_id",
    "group_segment_size",
    "workgroup_size_x",
    "workgroup_size_y",
    "workgroup_size_z",
    "grid_size_x",
    "grid_size_y",
    "grid_size_z",
];

/// Returns whether a database is one of rocprofv3.
pub(in crate::import) fn looks_like(database: &Database) -> bool {
    database.tables().any(|table| table.starts_with(AGENTS) || table.starts_with(DISPATCHES))
}

/// Imports a database of rocprofv3; an error where no kernel in it can be used.
pub(in crate::import) fn import(
    source: &SqliteSource<'_>,
    options: &ImportConfig,
) -> Result<Draft, TraceError> {
    let SqliteSource { file, database, watch, .. } = source;
    let mut found = ResultCollector { barriers: options.barriers, ..ResultCollector::default() };
    let processes = processes(database);
    let tables = || [DISPATCHES, COPIES, REGIONS].into_iter();
    let tables = processes.iter().flat_map(|id| tables().map(move |table| format!("{table}{id}")));
    let tables: Vec<String> = tables.collect();
    let mut meter = RowMeter::new(database, tables.iter().map(String::as_str), *watch);
    for id in &processes {
        found.begin(ResultSection::Processes);
        RocpdProcess::new(database, id).read(&mut found, &mut meter);
    }
    meter.end(file, found.kept)?;
    if !found.has_kernels() {
        let seen = found.dispatches_seen > 0;
        let broken = source.broken().filter(|_| !seen);
        return Err(broken.unwrap_or_else(|| found.unusable(file.clone())));
    }
    work(file, found, options.device)
}

/// Returns the endings of table names in a rocpd database, one for each process.
fn processes(database: &Database) -> Vec<String> {
    let ending = |table: &str| {
        let rest = table.strip_prefix(AGENTS).or_else(|| table.strip_prefix(DISPATCHES));
        rest.map(str::to_owned)
    };
    let mut endings: Vec<String> = database.tables().filter_map(ending).collect();
    endings.sort_unstable();
    endings.dedup();
    endings
}

/// Tables of one process of a rocpd database, with lookup tables for the records that their rows
/// refer to.
struct RocpdProcess<'d> {
    database: &'d Database,
    id: &'d str,
    /// (stack number of an event, stack number of the event within which it happened), by the
    /// number of the event. Records with equal stack numbers belong to one call of the host.
    events: NumbersById<'d, 2>,
    /// (device, queue, stream) of each track, by the number of the track; `None` for each that a
    /// track lacks. A track is a row of the profiler's time line.
    tracks: BTreeMap<i64, [Option<i64>; 3]>,
    times: NumbersById<'d, 1>,
    /// Names of HIP calls, by the number with which rows refer to them.
    calls: BTreeMap<i64, String>,
}

impl<'d> RocpdProcess<'d> {
    fn new(database: &'d Database, id: &'d str) -> Self {
        let events = format!("rocpd_event{id}");
        let mut process = Self {
            database,
            id,
            events: database.by_id(&events, ["stack_id", "parent_stack_id"]),
            tracks: BTreeMap::new(),
            times: database.by_id(&format!("rocpd_timestamp{id}"), ["value"]),
            calls: BTreeMap::new(),
        };
        process.refer();
        process
    }

    /// Reads the tables that many rows refer to: those of the tracks and of the names of calls.
    fn refer(&mut self) {
        let Self { database, id, tracks, calls, .. } = self;
        let scan = |table: &str, columns: &[&str], take: &mut dyn FnMut(&DatabaseRow<'_>)| {
            database.scan(&format!("{table}{id}"), columns, |row| {
                take(row);
                true
            });
        };
        scan("rocpd_track", &["id", "agent_id", "queue_id", "stream_id"], &mut |row| {
            let place = [row.number(1), row.number(2), row.number(3)];
            tracks.extend(row.number(0).map(|id| (id, place)));
        });
        scan("rocpd_string", &["id", "string"], &mut |row| {
            if let Some(name) = row.text(1).filter(|name| name.starts_with("hip")) {
                calls.extend(row.number(0).map(|id| (id, name.into_owned())));
            }
        });
    }

    fn read(&self, found: &mut ResultCollector, meter: &mut RowMeter<'_>) {
        let table = |table: &str| format!("{table}{}", self.id);
        let columns = ["id", "type", "name", "product_name", "extdata"];
        self.database.scan(&table(AGENTS), &columns, |row| {
            agent(row, found);
            true
        });
        self.symbols(found);
        // If there are counters, the tool ran kernels one at a time.
        let counted = self.database.about(&table("rocpd_pmc_event")) > 0;
        found.current().counted = counted;
        for (&id, name) in &self.calls {
            if let Ok(operation) = u32::try_from(id) {
                found.current().name_call(name, (0, operation));
            }
        }
        let mut take = |section, raw: &RawRecord| {
            found.buffered(raw, section);
            meter.row() && found.kept <= OP_LIMIT
        };
        let columns = [PLACE.as_slice(), DISPATCH.as_slice()].concat();
        self.database.scan(&table(DISPATCHES), &columns, |row| {
            take(ResultSection::Dispatches, &self.dispatch(row))
        });
        let columns = [PLACE.as_slice(), &["src_agent_id", "dst_agent_id"]].concat();
        self.database.scan(&table(COPIES), &columns, |row| {
            let [source, target] = [7, 8].map(|at| RawHandle { handle: natural(row, at) });
            let placed = self.placed(row);
            let copy = RawRecord { src_agent_id: source, dst_agent_id: target, ..placed };
            take(ResultSection::Copies, &copy)
        });
        let columns = [PLACE.as_slice(), &["name_id"]].concat();
        self.database.scan(&table(REGIONS), &columns, |row| {
            let name = row.number(7).filter(|name| self.calls.contains_key(name));
            let Some(operation) = name.and_then(|name| u32::try_from(name).ok()) else {
                return true;
            };
            take(ResultSection::Calls, &RawRecord { operation, ..self.placed(row) })
        });
    }

    fn symbols(&self, found: &mut ResultCollector) {
        let columns = [
            "id",
            "kernel_name",
            "display_name",
            "arch_vgpr_count",
            "accum_vgpr_count",
            "sgpr_count",
            "code_object_id",
        ];
        self.database.scan(&format!("rocpd_info_kernel_symbol{}", self.id), &columns, |row| {
            found.symbol(&RawSymbol {
                kernel_id: row.number(0).and_then(|id| u64::try_from(id).ok()),
                kernel_name: row.text(1).unwrap_or_default(),
                formatted_kernel_name: row.text(2).unwrap_or_default(),
                arch_vgpr_count: small(row, 3).unwrap_or(0),
                accum_vgpr_count: small(row, 4).unwrap_or(0),
                sgpr_count: small(row, 5).unwrap_or(0),
                code_object_id: row.number(6).and_then(|id| u64::try_from(id).ok()).unwrap_or(0),
            });
            true
        });
    }

    /// Returns a record with the times, the stream and the correlation numbers of a row. The
    /// versions of the rocpd format have them in different columns and tables.
    fn placed(&self, row: &DatabaseRow<'_>) -> RawRecord {
        let time = |own: usize, stamp: usize| {
            let stamped = || self.times.of(row.number(stamp)?)?[0];
            let time = row.number(own).or_else(stamped).unwrap_or(0);
            u64::try_from(time).unwrap_or(0)
        };
        let stream = row.number(6).or_else(|| self.track(row)?[2]);
        let stream = stream.and_then(|stream| u64::try_from(stream).ok());
        let event = row.number(4).and_then(|event| self.events.of(event));
        let [internal, ancestor] = event
            .unwrap_or_default()
            .map(|stack| stack.and_then(|stack| u64::try_from(stack).ok()).unwrap_or(0));
        RawRecord {
            start_timestamp: time(0, 2),
            end_timestamp: time(1, 3),
            correlation_id: Correlation { internal, ancestor },
            stream_id: stream.map(|handle| RawHandle { handle }),
            ..RawRecord::default()
        }
    }

    fn track(&self, row: &DatabaseRow<'_>) -> Option<&[Option<i64>; 3]> {
        self.tracks.get(&row.number(5)?)
    }

    fn dispatch(&self, row: &DatabaseRow<'_>) -> RawRecord {
        let own = |at: usize| row.number(PLACE.len() + at);
        let handle = |at: usize| {
            let number = own(at).or_else(|| self.track(row)?[at]).unwrap_or(0);
            RawHandle { handle: u64::try_from(number).unwrap_or(0) }
        };
        let natural = |at: usize| u64::try_from(own(at)?).ok();
        let extents = |at: usize| Some([natural(at)?, natural(at + 1)?, natural(at + 2)?]);
        let info = extents(4).zip(extents(7)).map(|(workgroup, grid)| RawInfo {
            agent_id: handle(0),
            queue_id: handle(1),
            kernel_id: natural(2).unwrap_or(0),
            group_segment_size: natural(3).and_then(|bytes| u32::try_from(bytes).ok()),
            workgroup_size: workgroup.into(),
            grid_size: grid.into(),
        });
        RawRecord { dispatch_info: info, ..self.placed(row) }
    }
}

/// Adds the device that a row of the table of devices describes: some of its properties are
/// columns, the others are JSON in one column.
fn agent(row: &DatabaseRow<'_>, found: &mut ResultCollector) {
    let text = |at: usize| row.text(at).unwrap_or_default();
    let json = text(4);
    let mut raw: RawAgent<'_> = serde_json::from_str(&json).unwrap_or_default();
    raw.id = RawHandle { handle: natural(row, 0) };
    raw.kind = if text(1) == "GPU" { 2 } else { 1 };
    for (member, at) in [(&mut raw.name, 2), (&mut raw.product_name, 3)] {
        if member.is_empty() {
            *member = Cow::Owned(text(at).into_owned());
        }
    }
    found.agent(&raw);
}

/// Reads the cell `at` of a row, a number from 0; a cell with any other content counts as 0.
fn natural(row: &DatabaseRow<'_>, at: usize) -> u64 {
    row.number(at).and_then(|number| u64::try_from(number).ok()).unwrap_or(0)
}

fn small(row: &DatabaseRow<'_>, at: usize) -> Option<u32> {
    row.number(at).and_then(|number| u32::try_from(number).ok())
}
