//! How does rocprofv3 write its records in JSON, and what do the rows of its databases become?
//!
//! Members of the JSON objects that are not named here are skipped.

use std::borrow::Cow;

use serde::Deserialize;

/// A number that rocprofv3 writes as an object of its own: `{"handle": 16}`.
#[derive(Clone, Copy, Debug, Default, Deserialize)]
#[serde(default)]
pub(in crate::import::rocprof) struct RawHandle {
    pub(in crate::import::rocprof) handle: u64,
}

/// Correlation numbers by which a record names the call that caused it.
#[derive(Clone, Copy, Debug, Default, Deserialize)]
#[serde(default)]
pub(in crate::import::rocprof) struct Correlation {
    pub(in crate::import::rocprof) internal: u64,
    /// Correlation number of the call within which the causing call was made; 0 where the record
    /// has none. rocprofv3 writes it since 2025.
    pub(in crate::import::rocprof) ancestor: u64,
}

/// Extents of a grid or a workgroup along x, y and z, in work-items.
#[derive(Clone, Copy, Debug, Deserialize)]
pub(in crate::import::rocprof) struct RawExtents {
    x: u64,
    y: u64,
    z: u64,
}

impl From<[u64; 3]> for RawExtents {
    fn from([x, y, z]: [u64; 3]) -> Self {
        Self { x, y, z }
    }
}

impl From<RawExtents> for [u64; 3] {
    fn from(extents: RawExtents) -> Self {
        [extents.x, extents.y, extents.z]
    }
}

/// A record of a dispatch, a copy or a call, an entry of the arrays `kernel_dispatch`,
/// `memory_copy` and `hip_api` under `buffer_records`.
#[derive(Debug, Default, Deserialize)]
#[serde(default)]
pub(in crate::import::rocprof) struct RawRecord {
    pub(in crate::import::rocprof) kind: u32,
    pub(in crate::import::rocprof) operation: u32,
    pub(in crate::import::rocprof) start_timestamp: u64,
    pub(in crate::import::rocprof) end_timestamp: u64,
    pub(in crate::import::rocprof) correlation_id: Correlation,
    pub(in crate::import::rocprof) stream_id: Option<RawHandle>,
    /// Packet of the dispatch; `None` where the record is no dispatch.
    pub(in crate::import::rocprof) dispatch_info: Option<RawInfo>,
    /// Number of the GPU or host processor that a copy reads from.
    pub(in crate::import::rocprof) src_agent_id: RawHandle,
    pub(in crate::import::rocprof) dst_agent_id: RawHandle,
}

/// Packet of a dispatch: its kernel, grid and workgroup, and the GPU and queue that it went to.
#[derive(Debug, Deserialize)]
pub(in crate::import::rocprof) struct RawInfo {
    #[serde(default)]
    pub(in crate::import::rocprof) agent_id: RawHandle,
    #[serde(default)]
    pub(in crate::import::rocprof) queue_id: RawHandle,
    #[serde(default)]
    pub(in crate::import::rocprof) kernel_id: u64,
    /// LDS of a workgroup as launched, static and dynamic, in bytes; `None` where the record does
    /// not give it.
    pub(in crate::import::rocprof) group_segment_size: Option<u32>,
    pub(in crate::import::rocprof) workgroup_size: RawExtents,
    pub(in crate::import::rocprof) grid_size: RawExtents,
}

/// Description of a kernel, an entry of the array `kernel_symbols`.
#[derive(Debug, Default, Deserialize)]
#[serde(default)]
pub(in crate::import::rocprof) struct RawSymbol<'a> {
    pub(in crate::import::rocprof) kernel_id: Option<u64>,
    /// Number of the code object (file of machine code) that the kernel was loaded from.
    pub(in crate::import::rocprof) code_object_id: u64,
    #[serde(borrow)]
    pub(in crate::import::rocprof) kernel_name: Cow<'a, str>,
    #[serde(borrow)]
    pub(in crate::import::rocprof) formatted_kernel_name: Cow<'a, str>,
    pub(in crate::import::rocprof) arch_vgpr_count: u32,
    pub(in crate::import::rocprof) accum_vgpr_count: u32,
    pub(in crate::import::rocprof) sgpr_count: u32,
}

/// Names of the operations of one kind of call, an entry of the array `strings.buffer_records`. The
/// `kind` of a record is an index in that array, and its `operation` an index in these names.
#[derive(Debug, Default, Deserialize)]
#[serde(default)]
pub(in crate::import::rocprof) struct RawKind<'a> {
    #[serde(borrow)]
    pub(in crate::import::rocprof) operations: Vec<Cow<'a, str>>,
}

/// Description of an agent (a processor of the host or a GPU), an entry of the array `agents`.
#[derive(Debug, Default, Deserialize)]
#[serde(default)]
pub(in crate::import::rocprof) struct RawAgent<'a> {
    pub(in crate::import::rocprof) id: RawHandle,
    /// Kind of the device: 1 for a processor of the host, 2 for a GPU.
    #[serde(rename = "type")]
    pub(in crate::import::rocprof) kind: u32,
    /// Name of the instruction set, if this device is a GPU.
    #[serde(borrow)]
    pub(in crate::import::rocprof) name: Cow<'a, str>,
    #[serde(borrow)]
    pub(in crate::import::rocprof) product_name: Cow<'a, str>,
    pub(in crate::import::rocprof) gfx_target_version: u32,
    pub(in crate::import::rocprof) cu_count: Option<u32>,
    pub(in crate::import::rocprof) simd_per_cu: Option<u32>,
    pub(in crate::import::rocprof) max_waves_per_simd: Option<u32>,
    pub(in crate::import::rocprof) wave_front_size: Option<u32>,
    pub(in crate::import::rocprof) lds_size_in_kb: Option<u32>,
}
