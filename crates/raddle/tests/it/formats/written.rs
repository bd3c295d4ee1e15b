//! How does a test write one run in each of the formats that profilers write?

use std::fmt::Write;

use serde_json::{Value, json};

use super::nsys_db::{self, Db};
use crate::rocpd_db::{self, Schema};

/// A launch of a recording, with times in nanoseconds; all launches are of one stream.
#[derive(Clone, Copy)]
pub(super) struct Launch {
    pub(super) name: &'static str,
    pub(super) grid: u32,
    pub(super) block: u32,
    pub(super) registers: u32,
    pub(super) issued: u64,
    pub(super) start: u64,
    pub(super) lasts: u64,
}

/// Time in ns at which a written recording begins, as no clock of a profiler begins with the
/// program.
const BEGIN: u64 = 1_000_000;

/// Returns the launches as a launch table that names no device.
pub(super) fn launch_table(run: &[Launch], device: &str) -> Vec<u8> {
    let mut text = format!(
        "# raddle launch table 1\n# device = {device}\nname,stream,grid_x,grid_y,grid_z,block_x,block_y,block_z,vgprs_per_thread,lds_bytes,arrival_ns,start_ns,duration_ns\n"
    );
    for it in run {
        let Launch { name, grid, block, registers, issued, start, lasts } = it;
        writeln!(text, "{name},7,{grid},1,1,{block},1,1,{registers},0,{issued},{start},{lasts}")
            .expect("a string takes all");
    }
    text.into_bytes()
}

/// Returns the launches as a trace of the PyTorch profiler, with its calls of the runtime if
/// `calls` is true.
pub(super) fn kineto(run: &[Launch], calls: bool) -> Vec<u8> {
    let us = |ns: u64| format!("{}.{:03}", (BEGIN + ns) / 1000, ns % 1000);
    let mut events = Vec::new();
    for (at, it) in (1..).zip(run) {
        let Launch { name, grid, block, registers, issued, start, lasts } = it;
        let lasts = format!("{}.{:03}", lasts / 1000, lasts % 1000);
        events.push(format!(
            r#"{{"ph":"X","cat":"kernel","name":"{name}","pid":0,"tid":7,"ts":{},"dur":{lasts},"args":{{"device":0,"context":1,"stream":7,"correlation":{at},"registers per thread":{registers},"shared memory":0,"grid":[{grid},1,1],"block":[{block},1,1]}}}}"#,
            us(*start)
        ));
        if calls {
            events.push(format!(
                r#"{{"ph":"X","cat":"cuda_runtime","name":"cudaLaunchKernel","pid":9,"tid":9,"ts":{},"dur":2,"args":{{"correlation":{at}}}}}"#,
                us(*issued)
            ));
        }
    }
    let device = r#"{"id":0,"name":"NVIDIA H100 80GB HBM3","computeMajor":9,"computeMinor":0,"maxThreadsPerMultiprocessor":2048,"regsPerMultiprocessor":65536,"warpSize":32,"sharedMemPerMultiprocessor":233472,"numSms":132}"#;
    let events = events.join(",\n");
    format!(r#"{{"schemaVersion":1,"deviceProperties":[{device}],"traceEvents":[{events}]}}"#)
        .into_bytes()
}

/// Returns the launches as an SQLite export of Nsight Systems.
pub(super) fn nsys_sqlite(run: &[Launch]) -> Vec<u8> {
    let db = Db::new();
    db.gpu("NVIDIA H100 80GB HBM3", &[]).version("META_DATA_EXPORT", "3.25.0");
    for (at, it) in (1..).zip(run) {
        let signed = |ns: u64| i64::try_from(BEGIN + ns).expect("a short run");
        let id = 100 + at;
        db.sql(&format!("INSERT INTO StringIds VALUES ({id}, '{}')", it.name));
        db.kernel(&[
            ("start", signed(it.start)),
            ("end", signed(it.start + it.lasts)),
            ("correlationId", at),
            ("demangledName", id),
            ("registersPerThread", it.registers.into()),
            ("gridX", it.grid.into()),
            ("gridY", 1),
            ("blockX", it.block.into()),
            ("staticSharedMemory", 0),
            ("dynamicSharedMemory", 0),
        ]);
        db.call(signed(it.issued), at, nsys_db::TID_100);
    }
    db.bytes()
}

/// Returns the launches as the report `cuda_gpu_trace` of Nsight Systems.
pub(super) fn nsys_csv(run: &[Launch]) -> Vec<u8> {
    let mut text = "Start (ns),Duration (ns),CorrId,GrdX,GrdY,GrdZ,BlkX,BlkY,BlkZ,Reg/Trd,\
        StcSMem (MB),DymSMem (MB),Bytes (MB),Throughput (MB/s),SrcMemKd,DstMemKd,Device,Ctx,\
        GreenCtx,Strm,Name\n"
        .to_owned();
    for (at, it) in (1..).zip(run) {
        let Launch { name, grid, block, registers, start, lasts, .. } = it;
        writeln!(
            text,
            "{},{lasts},{at},{grid},1,1,{block},1,1,{registers},0.000,0.000,,,,,NVIDIA H100 80GB HBM3 (0),1,,7,{name}",
            BEGIN + start
        )
        .expect("a string takes all");
    }
    text.into_bytes()
}

/// Returns the launches as the table of kernels of rocprofv3.
pub(super) fn rocprof_csv(run: &[Launch]) -> Vec<u8> {
    let mut text = "\"Kind\",\"Agent_Id\",\"Queue_Id\",\"Stream_Id\",\"Thread_Id\",\
        \"Dispatch_Id\",\"Kernel_Id\",\"Kernel_Name\",\"Correlation_Id\",\"Start_Timestamp\",\
        \"End_Timestamp\",\"LDS_Block_Size\",\"Scratch_Size\",\"VGPR_Count\",\
        \"Accum_VGPR_Count\",\"SGPR_Count\",\"Workgroup_Size_X\",\"Workgroup_Size_Y\",\
        \"Workgroup_Size_Z\",\"Grid_Size_X\",\"Grid_Size_Y\",\"Grid_Size_Z\"\n"
        .to_owned();
    for (at, it) in (1..).zip(run) {
        let Launch { name, grid, block, registers, start, lasts, .. } = it;
        let (begin, end) = (BEGIN + start, BEGIN + start + lasts);
        writeln!(
            text,
            "\"KERNEL_DISPATCH\",\"Agent 4\",1,1,9,{at},{at},\"{name}\",{at},{begin},{end},0,0,{registers},0,0,{block},1,1,{},1,1",
            grid * block
        )
        .expect("a string takes all");
    }
    text.into_bytes()
}

/// Returns the launches as a database of rocprofv3 (`rocpd`), with its calls of HIP.
pub(super) fn rocpd(run: &[Launch]) -> Vec<u8> {
    let numbered = || (1_u64..).zip(run);
    let symbols: Vec<Value> = numbered()
        .map(|(at, it)| {
            json!({"kernel_id": at, "code_object_id": 1, "kernel_name": format!("{}.kd", it.name),
                "formatted_kernel_name": it.name, "sgpr_count": 0,
                "arch_vgpr_count": it.registers, "accum_vgpr_count": 0})
        })
        .collect();
    let tie = |at: u64| json!({"internal": at, "external": 0});
    let dispatches: Vec<Value> = numbered()
        .map(|(at, it)| {
            json!({"kind": 11, "operation": 2, "thread_id": 9, "correlation_id": tie(at),
                "start_timestamp": BEGIN + it.start,
                "end_timestamp": BEGIN + it.start + it.lasts,
                "dispatch_info": {"agent_id": {"handle": 11}, "queue_id": {"handle": 1},
                    "kernel_id": at, "dispatch_id": at, "private_segment_size": 0,
                    "group_segment_size": 0, "workgroup_size": {"x": it.block, "y": 1, "z": 1},
                    "grid_size": {"x": it.grid * it.block, "y": 1, "z": 1}},
                "stream_id": {"handle": 1}})
        })
        .collect();
    let calls: Vec<Value> = numbered()
        .map(|(at, it)| {
            json!({"kind": 1, "operation": 0, "thread_id": 9, "correlation_id": tie(at),
                "start_timestamp": BEGIN + it.issued, "end_timestamp": BEGIN + it.issued + 500})
        })
        .collect();
    let gpu = json!({"id": {"handle": 11}, "type": 2, "max_waves_per_simd": 8,
        "lds_size_in_kb": 64, "wave_front_size": 64, "num_xcc": 8, "cu_count": 304,
        "simd_per_cu": 4, "gfx_target_version": 90402, "name": "gfx942",
        "product_name": "AMD Instinct MI300X", "node_id": 1});
    let kinds = json!([{"kind": "NONE", "operations": []},
        {"kind": "HIP_RUNTIME_API", "operations": ["hipLaunchKernel"]}]);
    let process = json!({"agents": [gpu], "kernel_symbols": symbols,
        "strings": {"buffer_records": kinds},
        "buffer_records": {"kernel_dispatch": dispatches, "hip_api": calls}});
    let result = json!({"rocprofiler-sdk-tool": [process]}).to_string();
    rocpd_db::of_result(result.as_bytes(), Schema::Columns)
}
