//! Which table of rocprof is this, by its header, and where do its columns stand?
//!
//! Names are compared in lower case: the converters of one tool write them in several casings.

/// The columns that matter.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum RocprofColumn {
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
    /// Not read.
    Other,
}

/// All names in use, by tool: rocprofv3 and rocpd2csv, rocprof v1, rocprof v2 and ROCm Compute
/// Profiler.
const NAMES: &[(&str, RocprofColumn)] = &[
    ("kernel_name", RocprofColumn::Name),
    ("agent_id", RocprofColumn::Agent),
    ("queue_id", RocprofColumn::Queue),
    ("stream_id", RocprofColumn::Stream),
    ("start_timestamp", RocprofColumn::Start),
    ("end_timestamp", RocprofColumn::End),
    ("grid_size_x", RocprofColumn::GridX),
    ("grid_size_y", RocprofColumn::GridY),
    ("grid_size_z", RocprofColumn::GridZ),
    ("workgroup_size_x", RocprofColumn::GroupX),
    ("workgroup_size_y", RocprofColumn::GroupY),
    ("workgroup_size_z", RocprofColumn::GroupZ),
    ("grid_size", RocprofColumn::Grid),
    ("workgroup_size", RocprofColumn::Group),
    ("group_segment_size", RocprofColumn::Lds),
    ("lds_block_size", RocprofColumn::BlockLds),
    ("vgpr_count", RocprofColumn::Vgprs),
    ("accum_vgpr_count", RocprofColumn::Accum),
    ("sgpr_count", RocprofColumn::Sgprs),
    ("dispatch_id", RocprofColumn::Dispatch),
    ("guid", RocprofColumn::Guid),
    ("counter_name", RocprofColumn::Counter),
    ("kernelname", RocprofColumn::Name),
    ("gpu-id", RocprofColumn::Agent),
    ("queue-id", RocprofColumn::Queue),
    ("beginns", RocprofColumn::Start),
    ("endns", RocprofColumn::End),
    ("dispatchns", RocprofColumn::Issued),
    ("grd", RocprofColumn::Grid),
    ("wgr", RocprofColumn::Group),
    ("wgp", RocprofColumn::Group),
    ("lds", RocprofColumn::Lds),
    ("vgpr", RocprofColumn::Vgprs),
    ("arch_vgpr", RocprofColumn::Vgprs),
    ("accum_vgpr", RocprofColumn::Accum),
    ("sgpr", RocprofColumn::Sgprs),
    ("index", RocprofColumn::Dispatch),
    ("gpu_id", RocprofColumn::Agent),
    ("lds_per_workgroup", RocprofColumn::Lds),
    ("kind", RocprofColumn::Other),
    ("category", RocprofColumn::Other),
    ("thread_id", RocprofColumn::Other),
    ("process_id", RocprofColumn::Other),
    ("kernel_id", RocprofColumn::Other),
    ("correlation_id", RocprofColumn::Other),
    ("private_segment_size", RocprofColumn::Other),
    ("scratch_size", RocprofColumn::Other),
    ("counter_value", RocprofColumn::Other),
    ("queue-index", RocprofColumn::Other),
    ("pid", RocprofColumn::Other),
    ("tid", RocprofColumn::Other),
    ("scr", RocprofColumn::Other),
    ("fbar", RocprofColumn::Other),
    ("sig", RocprofColumn::Other),
    ("obj", RocprofColumn::Other),
    ("completens", RocprofColumn::Other),
    ("wave_size", RocprofColumn::Other),
    ("scratch_per_workitem", RocprofColumn::Other),
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
pub(super) enum RocprofTable {
    /// Kernels, with their times.
    Kernels(RocprofColumns),
    /// Something else of rocprof: what it is, and what to do instead.
    Foreign(&'static str, &'static str),
}

/// The columns of a table of kernels.
#[derive(Debug)]
pub(super) struct RocprofColumns {
    of: Vec<RocprofColumn>,
    names: Vec<String>,
    /// Whether the tool runs kernels one at a time to fill such a table.
    pub(super) serialised: bool,
}

impl RocprofTable {
    /// The table with these names as its header; `None` where it is none of rocprof.
    pub(super) fn of<'n>(header: impl Iterator<Item = &'n str>) -> Option<Self> {
        let names: Vec<String> =
            header.map(|name| name.trim().trim_matches('"').to_ascii_lowercase()).collect();
        let has = |wanted: &str| names.iter().any(|name| name == wanted);
        if let Some(foreign) = FOREIGN.iter().find(|table| table.names.iter().all(|n| has(n))) {
            return Some(Self::Foreign(foreign.table, foreign.advice));
        }
        let known = |name: &String| NAMES.iter().find(|(known, _)| known == name).map(|&(_, c)| c);
        let of: Vec<RocprofColumn> =
            names.iter().map(|name| known(name).unwrap_or(RocprofColumn::Other)).collect();
        let all = |wanted: &[RocprofColumn]| wanted.iter().all(|column| of.contains(column));
        let axes = [
            RocprofColumn::GridX,
            RocprofColumn::GridY,
            RocprofColumn::GridZ,
            RocprofColumn::GroupX,
            RocprofColumn::GroupY,
            RocprofColumn::GroupZ,
        ];
        let shaped = all(&axes) || all(&[RocprofColumn::Grid, RocprofColumn::Group]);
        if !shaped || !all(&[RocprofColumn::Name]) {
            return None;
        }
        // What these tools do not know how to name in a table of kernels is a counter.
        let counters = !all(&axes) && names.iter().any(|name| known(name).is_none());
        if !all(&[RocprofColumn::Start, RocprofColumn::End]) {
            let table = "a table of hardware counters without times";
            return Some(Self::Foreign(table, KERNEL_TRACE));
        }
        if counters && has("lds_per_workgroup") {
            let table = "a table of hardware counters with the times of another run";
            return Some(Self::Foreign(table, TIMESTAMPS));
        }
        let serialised = counters || has("completens") || all(&[RocprofColumn::Counter]);
        Some(Self::Kernels(RocprofColumns { of, names, serialised }))
    }
}

impl RocprofColumns {
    /// Where a column stands, if it is there.
    pub(super) fn at(&self, column: RocprofColumn) -> Option<usize> {
        self.of.iter().position(|&c| c == column)
    }

    /// The name of a column in lower case; empty where it is not there.
    pub(super) fn name(&self, column: RocprofColumn) -> &str {
        self.at(column).map_or("", |at| &self.names[at])
    }

    /// Whether it is there.
    pub(super) fn has(&self, column: RocprofColumn) -> bool {
        self.at(column).is_some()
    }

    /// Whether grid and workgroup are given by their volume alone.
    pub(super) fn is_flat(&self) -> bool {
        !self.has(RocprofColumn::GridX)
    }

    /// Whether shared memory lacks what launches ask for: rocprofv3 writes what the kernel was
    /// built with, but what is exported from a rocpd database is as launched.
    pub(super) fn is_lds_static(&self) -> bool {
        self.has(RocprofColumn::BlockLds)
            && !self.has(RocprofColumn::Lds)
            && !self.has(RocprofColumn::Guid)
    }

    /// How many columns there are.
    pub(super) fn width(&self) -> usize {
        self.of.len()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn of(header: &str) -> Option<RocprofTable> {
        RocprofTable::of(header.split(','))
    }

    fn serialised(header: &str) -> bool {
        match of(header) {
            Some(RocprofTable::Kernels(columns)) => columns.serialised,
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
        assert!(matches!(of(counters), Some(RocprofTable::Foreign(..))));
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
