//! How does rocprofv3 write its records in JSON? What is not named here is passed over unread.

use std::borrow::Cow;

use serde::Deserialize;

/// A number in an object of its own: `{"handle": 16}`.
#[derive(Clone, Copy, Debug, Default, Deserialize)]
#[serde(default)]
pub(super) struct RawHandle {
    pub(super) handle: u64,
}

/// What ties a record to the call that caused it.
#[derive(Clone, Copy, Debug, Default, Deserialize)]
#[serde(default)]
pub(super) struct Correlation {
    pub(super) internal: u64,
    /// The call around it, since 2025.
    pub(super) ancestor: u64,
}

/// Three extents.
#[derive(Clone, Copy, Debug, Deserialize)]
pub(super) struct RawExtents {
    x: u64,
    y: u64,
    z: u64,
}

impl From<RawExtents> for [u64; 3] {
    fn from(extents: RawExtents) -> Self {
        [extents.x, extents.y, extents.z]
    }
}

/// `buffer_records.kernel_dispatch[]`, `memory_copy[]` or `hip_api[]`
#[derive(Debug, Default, Deserialize)]
#[serde(default)]
pub(super) struct RawRecord {
    pub(super) kind: u32,
    pub(super) operation: u32,
    pub(super) start_timestamp: u64,
    pub(super) end_timestamp: u64,
    pub(super) correlation_id: Correlation,
    pub(super) stream_id: Option<RawHandle>,
    /// Of a dispatch.
    pub(super) dispatch_info: Option<RawInfo>,
    /// Of a copy.
    pub(super) src_agent_id: RawHandle,
    pub(super) dst_agent_id: RawHandle,
}

/// What the packet of a dispatch says.
#[derive(Debug, Deserialize)]
pub(super) struct RawInfo {
    #[serde(default)]
    pub(super) agent_id: RawHandle,
    #[serde(default)]
    pub(super) queue_id: RawHandle,
    #[serde(default)]
    pub(super) kernel_id: u64,
    /// LDS as launched, static and dynamic.
    pub(super) group_segment_size: Option<u32>,
    pub(super) workgroup_size: RawExtents,
    pub(super) grid_size: RawExtents,
}

/// `kernel_symbols[]`
#[derive(Debug, Default, Deserialize)]
#[serde(default)]
pub(super) struct RawSymbol<'a> {
    pub(super) kernel_id: Option<u64>,
    #[serde(borrow)]
    pub(super) kernel_name: Cow<'a, str>,
    #[serde(borrow)]
    pub(super) formatted_kernel_name: Cow<'a, str>,
    pub(super) arch_vgpr_count: u32,
    pub(super) accum_vgpr_count: u32,
    pub(super) sgpr_count: u32,
}

/// `strings.buffer_records[]`; a record's `kind` and `operation` are positions.
#[derive(Debug, Default, Deserialize)]
#[serde(default)]
pub(super) struct RawKind<'a> {
    #[serde(borrow)]
    pub(super) operations: Vec<Cow<'a, str>>,
}

/// `agents[]`
#[derive(Debug, Default, Deserialize)]
#[serde(default)]
pub(super) struct RawAgent<'a> {
    pub(super) id: RawHandle,
    /// 1 for a processor of the host, 2 for a GPU.
    #[serde(rename = "type")]
    pub(super) kind: u32,
    /// The instruction set, of a GPU.
    #[serde(borrow)]
    pub(super) name: Cow<'a, str>,
    #[serde(borrow)]
    pub(super) product_name: Cow<'a, str>,
    pub(super) gfx_target_version: u32,
    pub(super) cu_count: Option<u32>,
    pub(super) simd_per_cu: Option<u32>,
    pub(super) max_waves_per_simd: Option<u32>,
    pub(super) wave_front_size: Option<u32>,
    pub(super) lds_size_in_kb: Option<u32>,
}
