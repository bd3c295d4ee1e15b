//! Which table of rocprof is this, by its header, and where do its columns stand?
//!
//! Names are compared in lower case: the converters of one tool write them in several casings.

/// The columns that matter.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Column {
    Name,
    Agent,
    Queue,
    Stream,
    Start,
    End,
    /// When the packet was put into its queue.
    Issued,
    /// Grid and workgroup by axis, in work-items.
    GridX,
    GridY,
    GridZ,
    GroupX,
    GroupY,
    GroupZ,
    /// Their volumes.
    Grid,
    Group,
    /// Shared memory as launched.
    Lds,
    /// Shared memory without what the launch asked for, rounded up to 512 bytes.
    BlockLds,
    Vgprs,
    Accum,
    Sgprs,
    Dispatch,
    /// The database that a row was exported from, one a process.
    Guid,
    Counter,
    /// Read by nobody.
    Other,
}

/// All names in use, by tool: rocprofv3 and rocpd2csv, rocprof v1, rocprof v2 and ROCm Compute
/// Profiler.
const NAMES: &[(&str, Column)] = &[
    ("kernel_name", Column::Name),
    ("agent_id", Column::Agent),
    ("queue_id", Column::Queue),
    ("stream_id", Column::Stream),
    ("start_timestamp", Column::Start),
    ("end_timestamp", Column::End),
    ("grid_size_x", Column::GridX),
    ("grid_size_y", Column::GridY),
    ("grid_size_z", Column::GridZ),
    ("workgroup_size_x", Column::GroupX),
    ("workgroup_size_y", Column::GroupY),
    ("workgroup_size_z", Column::GroupZ),
    ("grid_size", Column::Grid),
    ("workgroup_size", Column::Group),
    ("group_segment_size", Column::Lds),
    ("lds_block_size", Column::BlockLds),
    ("vgpr_count", Column::Vgprs),
    ("accum_vgpr_count", Column::Accum),
    ("sgpr_count", Column::Sgprs),
    ("dispatch_id", Column::Dispatch),
    ("guid", Column::Guid),
    ("counter_name", Column::Counter),
    ("kernelname", Column::Name),
    ("gpu-id", Column::Agent),
    ("queue-id", Column::Queue),
    ("beginns", Column::Start),
    ("endns", Column::End),
    ("dispatchns", Column::Issued),
    ("grd", Column::Grid),
    ("wgr", Column::Group),
    ("wgp", Column::Group),
    ("lds", Column::Lds),
    ("vgpr", Column::Vgprs),
    ("arch_vgpr", Column::Vgprs),
    ("accum_vgpr", Column::Accum),
    ("sgpr", Column::Sgprs),
    ("index", Column::Dispatch),
    ("gpu_id", Column::Agent),
    ("lds_per_workgroup", Column::Lds),
    ("kind", Column::Other),
    ("category", Column::Other),
    ("thread_id", Column::Other),
    ("process_id", Column::Other),
    ("kernel_id", Column::Other),
    ("correlation_id", Column::Other),
    ("private_segment_size", Column::Other),
    ("scratch_size", Column::Other),
    ("counter_value", Column::Other),
    ("queue-index", Column::Other),
    ("pid", Column::Other),
    ("tid", Column::Other),
    ("scr", Column::Other),
    ("fbar", Column::Other),
    ("sig", Column::Other),
    ("obj", Column::Other),
    ("completens", Column::Other),
    ("wave_size", Column::Other),
    ("scratch_per_workitem", Column::Other),
];

/// A table that holds no kernels: the names that tell it, what it is, what to do instead.
struct Foreign {
    names: &'static [&'static str],
    table: &'static str,
    advice: &'static str,
}

const KERNEL_TRACE: &str =
    "give the ..._kernel_trace.csv of the same run, which `rocprofv3 --kernel-trace` writes";
const TIMESTAMPS: &str =
    "give timestamps.csv of the same folder, and name the device with --device";

const FOREIGN: &[Foreign] = &[
    foreign(&["domain", "function"], "a table of API calls", KERNEL_TRACE),
    foreign(&["direction", "source_agent_id"], "a table of memory copies", KERNEL_TRACE),
    foreign(&["operation", "alloc_flags"], "a table of scratch memory", KERNEL_TRACE),
    foreign(&["operation", "allocation_size"], "a table of memory allocations", KERNEL_TRACE),
    foreign(&["sample_timestamp", "exec_mask"], "a table of samples", KERNEL_TRACE),
    foreign(&["name", "calls", "totaldurationns"], "a table of sums by name", KERNEL_TRACE),
    foreign(&["workload_name", "gpu_arch"], "a description of a machine", TIMESTAMPS),
    foreign(&["workload_name", "gpu_soc"], "a description of a machine", TIMESTAMPS),
    foreign(
        &["node_id", "cu_count"],
        "a description of devices",
        "give the ..._kernel_trace.csv of the same run, and name the device with --device",
    ),
];

const fn foreign(
    names: &'static [&'static str],
    table: &'static str,
    advice: &'static str,
) -> Foreign {
    Foreign { names, table, advice }
}

/// What a header tells.
#[derive(Debug)]
pub(super) enum Table {
    /// Kernels, with their times.
    Kernels(Columns),
    /// Something else of rocprof: what it is, and what to do instead.
    Foreign(&'static str, &'static str),
}

/// The columns of a table of kernels.
#[derive(Debug)]
pub(super) struct Columns {
    of: Vec<Column>,
    names: Vec<String>,
    /// Whether the tool runs kernels one at a time to fill such a table.
    pub(super) serialised: bool,
}

impl Table {
    /// The table with these names as its header; `None` where it is none of rocprof.
    pub(super) fn of<'n>(header: impl Iterator<Item = &'n str>) -> Option<Self> {
        let names: Vec<String> =
            header.map(|name| name.trim().trim_matches('"').to_ascii_lowercase()).collect();
        let has = |wanted: &str| names.iter().any(|name| name == wanted);
        if let Some(foreign) = FOREIGN.iter().find(|table| table.names.iter().all(|n| has(n))) {
            return Some(Self::Foreign(foreign.table, foreign.advice));
        }
        let known = |name: &String| NAMES.iter().find(|(known, _)| known == name).map(|&(_, c)| c);
        let of: Vec<Column> =
            names.iter().map(|name| known(name).unwrap_or(Column::Other)).collect();
        let all = |wanted: &[Column]| wanted.iter().all(|column| of.contains(column));
        let axes = [
            Column::GridX,
            Column::GridY,
            Column::GridZ,
            Column::GroupX,
            Column::GroupY,
            Column::GroupZ,
        ];
        let shaped = all(&axes) || all(&[Column::Grid, Column::Group]);
        if !shaped || !all(&[Column::Name]) {
            return None;
        }
        // What these tools do not know how to name in a table of kernels is a counter.
        let counters = !all(&axes) && names.iter().any(|name| known(name).is_none());
        if !all(&[Column::Start, Column::End]) {
            let table = "a table of hardware counters without times";
            return Some(Self::Foreign(table, KERNEL_TRACE));
        }
        if counters && has("lds_per_workgroup") {
            let table = "a table of hardware counters with the times of another run";
            return Some(Self::Foreign(table, TIMESTAMPS));
        }
        let serialised = counters || has("completens") || all(&[Column::Counter]);
        Some(Self::Kernels(Columns { of, names, serialised }))
    }
}

impl Columns {
    /// Where a column stands, if it is there.
    pub(super) fn at(&self, column: Column) -> Option<usize> {
        self.of.iter().position(|&c| c == column)
    }

    /// The name of a column in lower case; empty where it is not there.
    pub(super) fn name(&self, column: Column) -> &str {
        self.at(column).map_or("", |at| &self.names[at])
    }

    /// Whether it is there.
    pub(super) fn has(&self, column: Column) -> bool {
        self.at(column).is_some()
    }

    /// Whether grid and workgroup are given by their volume alone.
    pub(super) fn is_flat(&self) -> bool {
        !self.has(Column::GridX)
    }

    /// Whether shared memory lacks what launches ask for: rocprofv3 writes what the kernel was
    /// built with, but what is exported from a rocpd database is as launched.
    pub(super) fn is_lds_static(&self) -> bool {
        self.has(Column::BlockLds) && !self.has(Column::Lds) && !self.has(Column::Guid)
    }

    /// How many columns there are.
    pub(super) fn width(&self) -> usize {
        self.of.len()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn of(header: &str) -> Option<Table> {
        Table::of(header.split(','))
    }

    fn serialised(header: &str) -> bool {
        match of(header) {
            Some(Table::Kernels(columns)) => columns.serialised,
            other => panic!("{header}: {other:?}"),
        }
    }

    #[test]
    fn every_dialect_is_known_in_any_casing() {
        let v3 = "Kind,Agent_Id,Queue_Id,Kernel_Name,Start_Timestamp,End_Timestamp,\
                  Workgroup_Size_X,Workgroup_Size_Y,Workgroup_Size_Z,Grid_Size_X,Grid_Size_Y,\
                  Grid_Size_Z";
        assert!(!serialised(v3) && !serialised(&v3.to_uppercase()));
        // A column that comes in a later version changes nothing.
        assert!(!serialised(&format!("{v3},Something_New")));
        let v1 = "Index,KernelName,gpu-id,grd,wgr,lds,vgpr,BeginNs,EndNs";
        assert!(serialised(&format!("{v1},CompleteNs")));
        assert!(serialised(&format!("{v1},SQ_WAVES")));
        assert!(!serialised(v1));
        let counters =
            "Dispatch_Id,Kernel_Name,Grid_Size,Workgroup_Size,Counter_Name,Counter_Value";
        assert!(serialised(&format!("{counters},Start_Timestamp,End_Timestamp")));
        assert!(matches!(of(counters), Some(Table::Foreign(..))));
    }

    #[test]
    fn tables_of_others_are_none_of_rocprof() {
        for header in [
            "name,grid_x,grid_y,grid_z,block_x,block_y,block_z,start_ns,duration_ns",
            "Start (ns),Duration (ns),CorrId,GrdX,GrdY,GrdZ,Name",
            "TIMESTAMP,ContextTokens,GeneratedTokens",
            "",
        ] {
            assert!(of(header).is_none(), "{header}");
        }
    }
}
