//! How does a test get a rocpd database with what a JSON result of rocprofv3 holds?
//!
//! The tables and columns are those of the public schemas of rocprofiler-sdk (`rocpd_tables.sql`),
//! and the rows are written as its `generateRocpd.cpp` does: an agent has the number of its node, a
//! stack is the internal correlation number.
#![allow(dead_code, reason = "each test file uses a part of it")]

use std::collections::BTreeMap;

use rusqlite::Connection;
use rusqlite::types::Value as Cell;
use serde_json::Value;

/// Versions of the rocpd schema, which differ in where a row has its queue and its times.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Schema {
    /// Version 3.0: queue and times are in columns of the row.
    Columns,
    /// Version 4.1: the queue is in the row's track.
    Tracks,
    /// Version 4.0: the queue is in the row's track, the times are in a table of time stamps.
    Stamps,
}

pub(crate) const ALL: [Schema; 3] = [Schema::Columns, Schema::Tracks, Schema::Stamps];

/// Returns the ending of the names of the tables that the process with this index has.
pub(crate) fn ending(process: usize) -> String {
    format!("_00000{process}50_565d_765d_bc41_19a2073d19ee")
}

struct Writer<'c> {
    connection: &'c Connection,
    schema: Schema,
    ending: String,
    strings: BTreeMap<String, i64>,
    /// Node number of each agent, by the agent's handle.
    nodes: BTreeMap<i64, i64>,
    rows: BTreeMap<&'static str, i64>,
    tracks: BTreeMap<[Option<i64>; 3], i64>,
}

const TABLES: &[(&str, &str)] = &[
    ("rocpd_metadata", "tag TEXT, value TEXT"),
    ("rocpd_string", "string TEXT NOT NULL UNIQUE ON CONFLICT ABORT"),
    ("rocpd_info_node", "hash BIGINT, machine_id TEXT, hostname TEXT"),
    ("rocpd_info_process", "nid INTEGER, ppid INTEGER, pid INTEGER, command TEXT"),
    (
        "rocpd_info_agent",
        "nid INTEGER, pid INTEGER, type TEXT CHECK (type IN ('CPU', 'GPU')), absolute_index INTEGER, \
         name TEXT, model_name TEXT, vendor_name TEXT, product_name TEXT, extdata JSONB DEFAULT '{}'",
    ),
    (
        "rocpd_info_kernel_symbol",
        "nid INTEGER, pid INTEGER, code_object_id INTEGER, kernel_name TEXT, display_name TEXT, \
         group_segment_size INTEGER, private_segment_size INTEGER, sgpr_count INTEGER, \
         arch_vgpr_count INTEGER, accum_vgpr_count INTEGER, extdata JSONB DEFAULT '{}'",
    ),
    ("rocpd_track", "nid INTEGER, agent_id INTEGER, queue_id INTEGER, stream_id INTEGER"),
    ("rocpd_timestamp", "value BIGINT, track_id INTEGER"),
    (
        "rocpd_event",
        "category_id INTEGER, stack_id INTEGER, parent_stack_id INTEGER, correlation_id INTEGER, \
         extdata JSONB DEFAULT '{}'",
    ),
    ("rocpd_pmc_event", "event_id INTEGER, pmc_id INTEGER, value REAL"),
];

/// Columns for the shape of a launch, as SQL, in every table of dispatches.
const SHAPE: &str = "private_segment_size INTEGER, group_segment_size INTEGER, \
                     workgroup_size_x INTEGER, workgroup_size_y INTEGER, workgroup_size_z INTEGER, \
                     grid_size_x INTEGER, grid_size_y INTEGER, grid_size_z INTEGER";

impl Writer<'_> {
    fn create(&self) {
        let (place, times) = match self.schema {
            Schema::Columns => (
                "agent_id INTEGER, queue_id INTEGER, stream_id INTEGER",
                "start BIGINT, end BIGINT",
            ),
            Schema::Tracks => ("track_id INTEGER", "start BIGINT, end BIGINT"),
            Schema::Stamps => ("track_id INTEGER", "start_id INTEGER, end_id INTEGER"),
        };
        let timed = |rest: &str| format!("{place}, {times}, event_id INTEGER, {rest}");
        let mut tables: Vec<(&str, String)> =
            TABLES.iter().map(|&(name, columns)| (name, columns.to_owned())).collect();
        tables.retain(|(name, _)| match *name {
            "rocpd_track" => self.schema != Schema::Columns,
            "rocpd_timestamp" => self.schema == Schema::Stamps,
            _ => true,
        });
        tables.push((
            "rocpd_kernel_dispatch",
            timed(&format!("kernel_id INTEGER NOT NULL, dispatch_id INTEGER NOT NULL, {SHAPE}")),
        ));
        tables.push((
            "rocpd_memory_copy",
            timed("name_id INTEGER, size INTEGER, src_agent_id INTEGER, dst_agent_id INTEGER"),
        ));
        tables.push(("rocpd_region", timed("tid INTEGER, name_id INTEGER NOT NULL")));
        for (name, columns) in tables {
            let guid = self.ending[1..].replace('_', "-");
            let sql = format!(
                "CREATE TABLE `{name}{}` (\"id\" INTEGER NOT NULL PRIMARY KEY AUTOINCREMENT, \"guid\" \
                 TEXT DEFAULT \"{guid}\" NOT NULL, {columns})",
                self.ending
            );
            self.connection.execute_batch(&sql).expect(&sql);
        }
    }

    /// Adds a row to a table and returns the row's number: `id`, or for `None` the next one.
    fn row(&mut self, table: &'static str, id: Option<i64>, cells: &[(&str, Cell)]) -> i64 {
        let next = self.rows.entry(table).or_default();
        *next += 1;
        let id = id.unwrap_or(*next);
        let names: Vec<_> = cells.iter().map(|(name, _)| format!("\"{name}\"")).collect();
        let marks = vec!["?"; cells.len() + 1].join(", ");
        let sql = format!(
            "INSERT INTO `{table}{}` (\"id\", {}) VALUES ({marks})",
            self.ending,
            names.join(", ")
        );
        let mut statement = self.connection.prepare(&sql).expect(&sql);
        let id_cell = Cell::Integer(id);
        let cells = std::iter::once(&id_cell).chain(cells.iter().map(|(_, cell)| cell));
        statement.execute(rusqlite::params_from_iter(cells)).expect(&sql);
        id
    }

    fn string(&mut self, text: &str) -> i64 {
        if let Some(&id) = self.strings.get(text) {
            return id;
        }
        let id = self.row("rocpd_string", None, &[("string", text.to_owned().into())]);
        self.strings.insert(text.to_owned(), id);
        id
    }

    /// Returns the cells of a record for its agent, queue, stream and times, as the schema's
    /// version has them.
    fn timed(
        &mut self,
        record: &Value,
        [agent, queue, stream]: [Option<i64>; 3],
    ) -> Vec<(&'static str, Cell)> {
        let tie = &record["correlation_id"];
        let internal = number(&tie["internal"]);
        let ancestor = tie["ancestor"].as_i64().unwrap_or(internal);
        let category = self.string("KERNEL_DISPATCH");
        let event = self.row(
            "rocpd_event",
            None,
            &[
                ("category_id", category.into()),
                ("stack_id", internal.into()),
                ("parent_stack_id", ancestor.into()),
                ("correlation_id", 0.into()),
            ],
        );
        let mut cells = vec![("event_id", event.into())];
        let place = [agent, queue, stream];
        let names = ["agent_id", "queue_id", "stream_id"];
        let placed = || names.into_iter().zip(place.map(Cell::from));
        if self.schema == Schema::Columns {
            cells.extend(placed());
        } else {
            let known = self.tracks.get(&place).copied();
            let own: Vec<_> = placed().collect();
            let track = known.unwrap_or_else(|| self.row("rocpd_track", None, &own));
            self.tracks.insert(place, track);
            cells.push(("track_id", track.into()));
        }
        let times = [number(&record["start_timestamp"]), number(&record["end_timestamp"])];
        if self.schema == Schema::Stamps {
            let ids =
                times.map(|time| self.row("rocpd_timestamp", None, &[("value", time.into())]));
            cells.extend([("start_id", ids[0].into()), ("end_id", ids[1].into())]);
        } else {
            cells.extend([("start", times[0].into()), ("end", times[1].into())]);
        }
        cells
    }

    fn process(&mut self, process: &Value) {
        for agent in list(&process["agents"]) {
            let node = agent["node_id"].as_i64().unwrap_or_else(|| number(&agent["id"]["handle"]));
            self.nodes.insert(number(&agent["id"]["handle"]), node);
            let kind = if agent["type"] == 2 { "GPU" } else { "CPU" };
            let cells = [
                ("type", kind.to_owned().into()),
                ("absolute_index", node.into()),
                ("name", text(&agent["name"]).into()),
                ("product_name", text(&agent["product_name"]).into()),
                ("extdata", agent.to_string().into()),
            ];
            self.row("rocpd_info_agent", Some(node), &cells);
        }
        for symbol in list(&process["kernel_symbols"]) {
            let count = |name: &str| Cell::from(symbol[name].as_i64());
            let cells = [
                ("code_object_id", count("code_object_id")),
                ("kernel_name", text(&symbol["kernel_name"]).into()),
                ("display_name", text(&symbol["formatted_kernel_name"]).into()),
                ("sgpr_count", count("sgpr_count")),
                ("arch_vgpr_count", count("arch_vgpr_count")),
                ("accum_vgpr_count", count("accum_vgpr_count")),
            ];
            self.row("rocpd_info_kernel_symbol", symbol["kernel_id"].as_i64(), &cells);
        }
        let records = &process["buffer_records"];
        for record in list(&records["kernel_dispatch"]) {
            self.dispatch(record);
        }
        for record in list(&records["memory_copy"]) {
            let node = |name: &str| self.nodes.get(&number(&record[name]["handle"])).copied();
            let ends = [node("src_agent_id"), node("dst_agent_id")].map(Cell::from);
            let name = self.string("MEMORY_COPY");
            let mut cells =
                self.timed(record, [None, None, record["stream_id"]["handle"].as_i64()]);
            let [source, target] = ends;
            cells.extend([("src_agent_id", source), ("dst_agent_id", target)]);
            cells.extend([("name_id", name.into()), ("size", 4.into())]);
            self.row("rocpd_memory_copy", None, &cells);
        }
        for record in list(&records["hip_api"]) {
            let kinds = &process["strings"]["buffer_records"];
            let kind = &kinds[usize::try_from(number(&record["kind"])).unwrap_or(0)];
            let named =
                &kind["operations"][usize::try_from(number(&record["operation"])).unwrap_or(0)];
            let name = self.string(named.as_str().unwrap_or("hipLaunchKernel"));
            let mut cells = self.timed(record, [None; 3]);
            cells.push(("name_id", name.into()));
            self.row("rocpd_region", None, &cells);
        }
        for _ in list(&process["callback_records"]["counter_collection"]) {
            self.row("rocpd_pmc_event", None, &[("value", 1.0.into())]);
        }
    }

    fn dispatch(&mut self, record: &Value) {
        let info = &record["dispatch_info"];
        let agent = self.nodes.get(&number(&info["agent_id"]["handle"])).copied();
        let place =
            [agent, info["queue_id"]["handle"].as_i64(), record["stream_id"]["handle"].as_i64()];
        let mut cells = self.timed(record, place);
        for name in ["kernel_id", "dispatch_id", "private_segment_size", "group_segment_size"] {
            cells.push((name, info[name].as_i64().into()));
        }
        let axes = ["x", "y", "z"];
        let workgroup = ["workgroup_size_x", "workgroup_size_y", "workgroup_size_z"];
        let grid = ["grid_size_x", "grid_size_y", "grid_size_z"];
        for (axis, names) in axes.into_iter().zip(workgroup.into_iter().zip(grid)) {
            cells.push((names.0, number(&info["workgroup_size"][axis]).into()));
            cells.push((names.1, number(&info["grid_size"][axis]).into()));
        }
        self.row("rocpd_kernel_dispatch", None, &cells);
    }
}

fn list(value: &Value) -> &[Value] {
    value.as_array().map_or(&[], Vec::as_slice)
}

fn number(value: &Value) -> i64 {
    value.as_i64().unwrap_or(0)
}

fn text(value: &Value) -> String {
    value.as_str().unwrap_or_default().to_owned()
}

/// Returns the bytes of a database that holds the same records as this JSON result.
pub(crate) fn of_result(result: &[u8], schema: Schema) -> Vec<u8> {
    let result: Value = serde_json::from_slice(result).expect("JSON");
    let mut connection = Connection::open_in_memory().expect("memory");
    connection.execute_batch("PRAGMA page_size = 4096; BEGIN").expect("a transaction");
    for (at, process) in list(&result["rocprofiler-sdk-tool"]).iter().enumerate() {
        let mut writer = Writer {
            connection: &connection,
            schema,
            ending: ending(at),
            strings: BTreeMap::new(),
            nodes: BTreeMap::new(),
            rows: BTreeMap::new(),
            tracks: BTreeMap::new(),
        };
        writer.create();
        writer.process(process);
    }
    connection.execute_batch("COMMIT").expect("committed");
    connection.serialize("main").expect("bytes").to_vec()
}
