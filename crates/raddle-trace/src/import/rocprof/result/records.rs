//! How does rocprofv3 write its records in JSON, and what do the rows of its databases become?
//!
//! Members that are not named here are passed over unread.

use std::borrow::Cow;

use serde::Deserialize;

/// A number in an object of its own: `{"handle": 16}`.
#[derive(Clone, Copy, Debug, Default, Deserialize)]
#[serde(default)]
pub(in crate::import::rocprof) struct RawHandle {
    pub(in crate::import::rocprof) handle: u64,
}

/// The numbers that tie a record to the call that caused it.
#[derive(Clone, Copy, Debug, Default, Deserialize)]
#[serde(default)]
pub(in crate::import::rocprof) struct Correlation {
    pub(in crate::import::rocprof) internal: u64,
    /// The number of the call around that one, since 2025.
    pub(in crate::import::rocprof) ancestor: u64,
}

/// Three extents.
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

/// `buffer_records.kernel_dispatch[]`, `memory_copy[]` or `hip_api[]`
#[derive(Debug, Default, Deserialize)]
#[serde(default)]
pub(in crate::import::rocprof) struct RawRecord {
    pub(in crate::import::rocprof) kind: u32,
    pub(in crate::import::rocprof) operation: u32,
    pub(in crate::import::rocprof) start_timestamp: u64,
    pub(in crate::import::rocprof) end_timestamp: u64,
    pub(in crate::import::rocprof) correlation_id: Correlation,
    pub(in crate::import::rocprof) stream_id: Option<RawHandle>,
    /// The packet of a dispatch.
    pub(in crate::import::rocprof) dispatch_info: Option<RawInfo>,
    /// The source of a copy.
    pub(in crate::import::rocprof) src_agent_id: RawHandle,
    pub(in crate::import::rocprof) dst_agent_id: RawHandle,
}

/// The packet of a dispatch, and the place where it went.
#[derive(Debug, Deserialize)]
pub(in crate::import::rocprof) struct RawInfo {
    #[serde(default)]
    pub(in crate::import::rocprof) agent_id: RawHandle,
    #[serde(default)]
    pub(in crate::import::rocprof) queue_id: RawHandle,
    #[serde(default)]
    pub(in crate::import::rocprof) kernel_id: u64,
    /// LDS as launched, static and dynamic.
    pub(in crate::import::rocprof) group_segment_size: Option<u32>,
    pub(in crate::import::rocprof) workgroup_size: RawExtents,
    pub(in crate::import::rocprof) grid_size: RawExtents,
}

/// `kernel_symbols[]`
#[derive(Debug, Default, Deserialize)]
#[serde(default)]
pub(in crate::import::rocprof) struct RawSymbol<'a> {
    pub(in crate::import::rocprof) kernel_id: Option<u64>,
    /// The file of machine code that the kernel was loaded from.
    pub(in crate::import::rocprof) code_object_id: u64,
    #[serde(borrow)]
    pub(in crate::import::rocprof) kernel_name: Cow<'a, str>,
    #[serde(borrow)]
    pub(in crate::import::rocprof) formatted_kernel_name: Cow<'a, str>,
    pub(in crate::import::rocprof) arch_vgpr_count: u32,
    pub(in crate::import::rocprof) accum_vgpr_count: u32,
    pub(in crate::import::rocprof) sgpr_count: u32,
}

/// `strings.buffer_records[]`; a record's `kind` and `operation` are positions.
#[derive(Debug, Default, Deserialize)]
#[serde(default)]
pub(in crate::import::rocprof) struct RawKind<'a> {
    #[serde(borrow)]
    pub(in crate::import::rocprof) operations: Vec<Cow<'a, str>>,
}

/// `agents[]`
#[derive(Debug, Default, Deserialize)]
#[serde(default)]
pub(in crate::import::rocprof) struct RawAgent<'a> {
    pub(in crate::import::rocprof) id: RawHandle,
    /// 1 for a processor of the host, 2 for a GPU.
    #[serde(rename = "type")]
    pub(in crate::import::rocprof) kind: u32,
    /// The name of the instruction set, of a GPU.
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
