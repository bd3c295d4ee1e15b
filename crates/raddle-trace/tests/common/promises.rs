//! What does every import promise, whatever bytes it is given?
//!
//! Shared by the tests of this crate and by the fuzz targets. An input of a fuzz target begins
//! with a byte that chooses an opening, so that mutations reach the importer which is meant.
#![allow(dead_code, unreachable_pub, reason = "each user needs a part of it")]

use raddle_trace::arrivals::{self, ArrivalConfig};
use raddle_trace::{ImportConfig, OpKind, Profile, read};

/// Importer or reader that a fuzz target is for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Target {
    /// Importer of traces of the PyTorch profiler.
    Kineto,
    /// Importer of launch tables, our own format.
    LaunchTable,
    /// Importers of databases of Nsight Systems, rocprofv3 and rocmProfileData.
    Sqlite,
    /// Importer of the `cuda_gpu_trace` report of Nsight Systems.
    NsysCsv,
    /// Importer of results of rocprofv3 in JSON.
    RocprofJson,
    /// Importer of kernel tables of rocprof.
    RocprofCsv,
    /// Importer of profiles of JAX, XLA and TensorFlow as protocol buffers.
    XPlane,
    /// Reader of files that say when requests arrive.
    Arrivals,
}

impl Target {
    /// All targets of fuzzing.
    pub const ALL: [Self; 8] = [
        Self::Kineto,
        Self::LaunchTable,
        Self::Sqlite,
        Self::NsysCsv,
        Self::RocprofJson,
        Self::RocprofCsv,
        Self::XPlane,
        Self::Arrivals,
    ];

    /// Returns the name of the fuzz target, which its folder of inputs has too.
    pub fn name(self) -> &'static str {
        match self {
            Self::Kineto => "kineto",
            Self::LaunchTable => "launch_table",
            Self::Sqlite => "sqlite",
            Self::NsysCsv => "nsys_csv",
            Self::RocprofJson => "rocprof_json",
            Self::RocprofCsv => "rocprof_csv",
            Self::XPlane => "xplane",
            Self::Arrivals => "arrivals",
        }
    }

    /// Returns texts with which a file of this kind may begin; the first one is empty. An input of
    /// the fuzzer chooses one.
    fn openings(self) -> &'static [&'static str] {
        match self {
            Self::Kineto => &[
                "",
                "{\"traceEvents\":[",
                "[",
                "{",
                "[{\"ph\":\"M\",\"pid\":1,\"name\":\"process_name\",\"args\":{\"name\":\"/device:GPU:0\"}},",
            ],
            Self::LaunchTable => &[
                "",
                "# raddle launch table 1\n",
                "name,grid_x,grid_y,grid_z,block_x,block_y,block_z,start_ns,duration_ns\n",
            ],
            Self::Sqlite => &["", "SQLite format 3\0"],
            Self::NsysCsv => &[
                "",
                "Start (ns),Duration (ns),CorrId,GrdX,GrdY,GrdZ,BlkX,BlkY,BlkZ,Reg/Trd,\
                 StcSMem (MB),DymSMem (MB),Bytes (MB),Throughput (MB/s),SrcMemKd,DstMemKd,\
                 Device,Ctx,Strm,Name\n",
                "Processing [x]\n\nStart (us),Duration (us),CorrId,GrdX,GrdY,GrdZ,BlkX,BlkY,BlkZ,\
                 Reg/Trd,StcSMem (byte),DymSMem (byte),Device,Ctx,GreenCtx,Strm,Name\n",
            ],
            Self::RocprofJson => &[
                "",
                "{\"rocprofiler-sdk-tool\":[{",
                "{\"rocprofiler-sdk-tool\":[{\"buffer_records\":{\"kernel_dispatch\":[",
            ],
            Self::RocprofCsv => &[
                "",
                "Kind,Agent_Id,Queue_Id,Stream_Id,Thread_Id,Dispatch_Id,Kernel_Id,Kernel_Name,\
                 Correlation_Id,Start_Timestamp,End_Timestamp,LDS_Block_Size,Scratch_Size,\
                 VGPR_Count,Accum_VGPR_Count,SGPR_Count,Workgroup_Size_X,Workgroup_Size_Y,\
                 Workgroup_Size_Z,Grid_Size_X,Grid_Size_Y,Grid_Size_Z\n",
                "Index,KernelName,gpu-id,queue-id,queue-index,pid,tid,grd,wgr,lds,scr,vgpr,sgpr,\
                 fbar,sig,obj,DispatchNs,BeginNs,EndNs,CompleteNs\n",
            ],
            // A plane of a GPU, the rest of the file being inside of it or behind.
            Self::XPlane => &["", "\n\x7f\x12\r/device:GPU:0", "\n\x10\x12\r/device:GPU:0"],
            Self::Arrivals => &[
                "",
                "{\"time\":1,\"tasks\":[{\"id\":\"a\",\"load\":{",
                "TIMESTAMP,ContextTokens,GeneratedTokens\n",
                "{\"timestamp\":",
            ],
        }
    }
}

/// Imports the input of a fuzz target, and checks that the result keeps the promises of every
/// profile.
pub fn import(target: Target, input: &[u8]) {
    let Some((&choice, body)) = input.split_first() else {
        return;
    };
    let openings = target.openings();
    let opening = openings[usize::from(choice) % openings.len()];
    let bytes = [opening.as_bytes(), body].concat();
    if target == Target::Arrivals {
        return requests(&bytes);
    }
    if let Ok(profile) = read("x", bytes.as_slice(), &ImportConfig::default()) {
        check(&profile);
    }
}

/// Reads arrivals of requests from any bytes, and checks that their times never fall.
fn requests(bytes: &[u8]) {
    let Ok(file) = arrivals::read("x", bytes, &ArrivalConfig::default()) else {
        return;
    };
    for task in &file.tasks {
        if let Some(times) = task.times(1) {
            let times: Vec<u64> = times.take(64).collect();
            assert!(times.is_sorted(), "{times:?}");
        }
    }
}

/// Checks the promises that every imported profile keeps, such as ops in the order of their start.
pub fn check(p: &Profile) {
    assert!(p.ops.is_sorted_by_key(|op| op.start_ns));
    let earliest = p.ops.iter().map(|op| op.arrival_ns.min(op.start_ns)).min();
    assert_eq!(earliest, Some(0));
    for (i, op) in p.ops.iter().enumerate() {
        assert!(op.arrival_ns <= op.start_ns && op.duration_ns > 0);
        assert!((op.kernel as usize) < p.kernels.len() && (op.stream as usize) < p.streams.len());
        if let Some(after) = op.after {
            let before = &p.ops[after as usize];
            assert!((after as usize) < i && before.stream == op.stream);
            let shorter = before.duration_ns.min(op.duration_ns);
            let overlap = before.end_ns().saturating_sub(op.start_ns);
            assert!(overlap <= p.resolution_ns.max(shorter / 2));
        }
        assert!(op.workgroups == 0 || Some(op.workgroups) == op.grid.volume());
        let nothing = (op.workgroups, op.grid.volume(), op.footprint.threads) == (0, Some(0), 0);
        assert!(!op.is_opaque() || nothing && op.kind == OpKind::Kernel);
    }
}
