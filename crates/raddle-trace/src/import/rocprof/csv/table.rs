//! Which table of rocprof is this, by its header, and which columns has it?
//!
//! Names are compared in lower case: the converters of one tool write them in several casings.

use csv::StringRecord;

use super::row::DispatchRow;

/// Known columns of tables of kernels that are not read. Where a table gives the grid as one
/// number, a column that is neither read nor in this list counts as a hardware counter.
const UNREAD: [&str; 19] = [
    "kind",
    "category",
    "thread_id",
    "process_id",
    "kernel_id",
    "correlation_id",
    "private_segment_size",
    "scratch_size",
    "counter_value",
    "queue-index",
    "pid",
    "tid",
    "scr",
    "fbar",
    "sig",
    "obj",
    "completens",
    "wave_size",
    "scratch_per_workitem",
];

const KERNEL_TRACE: &str =
    "give the ..._kernel_trace.csv of the same run, which `rocprofv3 --kernel-trace` writes";
const TIMESTAMPS: &str = "give timestamps.csv of the same folder (before 2025) or \
                          results_pmc_perf_0.csv (since), and name the device with --device; where \
                          neither is there, record with `rocprofv3 --kernel-trace --hip-trace \
                          --output-format json -o run -- APPLICATION`";

/// Tables of rocprof without kernels, as (two columns by which the table is recognised,
/// description, advice).
const FOREIGN: [([&str; 2], &str, &str); 9] = [
    (["domain", "function"], "a table of API calls", KERNEL_TRACE),
    (["direction", "source_agent_id"], "a table of memory copies", KERNEL_TRACE),
    (["operation", "alloc_flags"], "a table of scratch memory", KERNEL_TRACE),
    (["operation", "allocation_size"], "a table of memory allocations", KERNEL_TRACE),
    (["sample_timestamp", "exec_mask"], "a table of samples", KERNEL_TRACE),
    (["calls", "totaldurationns"], "a table of sums by name", KERNEL_TRACE),
    (
        ["workload_name", "gpu_arch"],
        "a description of a machine (ROCm Compute Profiler)",
        TIMESTAMPS,
    ),
    (
        ["workload_name", "gpu_soc"],
        "a description of a machine (ROCm Compute Profiler)",
        TIMESTAMPS,
    ),
    (
        ["node_id", "cu_count"],
        "a description of devices",
        "give the ..._kernel_trace.csv of the same run, and name the device with --device",
    ),
];

/// Kinds of tables of rocprof, recognised by the names of their columns.
#[derive(Debug)]
pub(super) enum RocprofTable {
    /// A table of kernels with their times.
    Kernels(RocprofColumns),
    /// A table of rocprof that has no kernels, as (description of the table, advice), for the error
    /// message.
    Foreign(&'static str, &'static str),
}

/// Columns of rocprof's table of kernels, and the information that the table lacks.
#[derive(Debug)]
pub(super) struct RocprofColumns {
    /// Names of the columns, in lower case.
    pub(super) names: StringRecord,
    /// True if the profiler runs kernels one at a time to fill such a table.
    pub(super) serialised: bool,
    /// True if the table gives only the volumes of grid and workgroup, not their extents in x, y
    /// and z.
    pub(super) flat: bool,
    /// True if the table gives only the static shared memory, which is fixed when a kernel is
    /// built, as in tables that rocprofv3 writes itself. Tables exported from a rocpd database give
    /// all of a launch.
    pub(super) static_lds: bool,
    /// True if the table has a column with the number of accumulation registers.
    pub(super) accum: bool,
    /// True if the table has one row for each hardware counter of a dispatch, so that dispatches
    /// repeat.
    pub(super) counters: bool,
}

impl RocprofTable {
    /// Recognises a table of rocprof by the names of its columns; `None` where it is no table of
    /// rocprof.
    pub(super) fn of<'n>(header: impl Iterator<Item = &'n str>) -> Option<Self> {
        let name = |name: &str| name.trim().trim_matches('"').to_ascii_lowercase();
        let names: StringRecord = header.map(name).collect();
        let has = |wanted: &str| names.iter().any(|name| name == wanted);
        if let Some(&(_, table, advice)) =
            FOREIGN.iter().find(|(names, ..)| names.map(has) == [true; 2])
        {
            return Some(Self::Foreign(table, advice));
        }
        let ones: StringRecord = names.iter().map(|_| "1").collect();
        let there = DispatchRow::of_columns(&names, &ones);
        there.kernel_name?;
        if there.shape().is_none() && there.dispatch_id.is_some() {
            return Some(Self::Foreign(
                "a list of dispatches of ROCm Compute Profiler",
                TIMESTAMPS,
            ));
        }
        there.shape()?;
        let flat = there.axes().is_none();
        // A column of an unknown name in a table of kernels is taken for a counter.
        let one = StringRecord::from(vec!["1"]);
        let known = |name: &str| {
            let name = StringRecord::from(vec![name]);
            UNREAD.contains(&&name[0])
                || DispatchRow::of_columns(&name, &one) != DispatchRow::default()
        };
        let counters = flat && !names.iter().all(known);
        if there.start_timestamp.is_none() || there.end_timestamp.is_none() {
            let table = "a table of hardware counters without times";
            return Some(Self::Foreign(table, KERNEL_TRACE));
        }
        if counters && has("lds_per_workgroup") {
            let table = "a table of hardware counters with the times of another run (ROCm Compute Profiler)";
            return Some(Self::Foreign(table, TIMESTAMPS));
        }
        let by_counter = there.counter_name.is_some();
        let block = there.lds_block_size.is_some() && there.group_segment_size.is_none();
        Some(Self::Kernels(RocprofColumns {
            serialised: counters || has("completens") || by_counter,
            flat,
            static_lds: block && there.guid.is_none(),
            accum: there.accum_vgpr_count.is_some(),
            counters: by_counter,
            names,
        }))
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
