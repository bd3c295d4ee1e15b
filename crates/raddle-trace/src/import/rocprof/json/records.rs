//! How does rocprofv3 write its records in JSON? What is not named here is passed over unread.

use std::borrow::Cow;

use serde::Deserialize;

/// A number in an object of its own: `{"handle": 16}`.
#[derive(Clone, Copy, Debug, Default, Deserialize)]
pub(super) struct RawHandle {
    #[serde(default)]
    pub(super) handle: u64,
}

/// What ties a record to the call that caused it.
#[derive(Clone, Copy, Debug, Default, Deserialize)]
pub(super) struct Correlation {
    #[serde(default)]
    pub(super) internal: u64,
    /// The call around it, since 2025.
    #[serde(default)]
    pub(super) ancestor: u64,
}

/// Three extents.
#[derive(Clone, Copy, Debug, Deserialize)]
pub(super) struct RawExtents {
    pub(super) x: u64,
    pub(super) y: u64,
    pub(super) z: u64,
}

impl From<RawExtents> for [u64; 3] {
    fn from(extents: RawExtents) -> Self {
        [extents.x, extents.y, extents.z]
    }
}

/// `buffer_records.kernel_dispatch[]`
#[derive(Debug, Deserialize)]
pub(super) struct RawDispatch {
    pub(super) start_timestamp: u64,
    pub(super) end_timestamp: u64,
    #[serde(default)]
    pub(super) correlation_id: Correlation,
    pub(super) dispatch_info: RawInfo,
    #[serde(default)]
    pub(super) stream_id: Option<RawHandle>,
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
    #[serde(default)]
    pub(super) group_segment_size: Option<u32>,
    pub(super) workgroup_size: RawExtents,
    pub(super) grid_size: RawExtents,
}

/// `buffer_records.memory_copy[]`
#[derive(Debug, Deserialize)]
pub(super) struct RawCopy {
    pub(super) start_timestamp: u64,
    pub(super) end_timestamp: u64,
    #[serde(default)]
    pub(super) correlation_id: Correlation,
    #[serde(default)]
    pub(super) src_agent_id: RawHandle,
    #[serde(default)]
    pub(super) dst_agent_id: RawHandle,
    #[serde(default)]
    pub(super) stream_id: Option<RawHandle>,
}

/// `buffer_records.hip_api[]`
#[derive(Debug, Deserialize)]
pub(super) struct RawCall {
    #[serde(default)]
    pub(super) kind: u32,
    #[serde(default)]
    pub(super) operation: u32,
    #[serde(default)]
    pub(super) correlation_id: Correlation,
    pub(super) start_timestamp: u64,
}

/// `kernel_symbols[]`
#[derive(Debug, Deserialize)]
pub(super) struct RawSymbol<'a> {
    pub(super) kernel_id: u64,
    #[serde(borrow, default)]
    pub(super) kernel_name: Cow<'a, str>,
    #[serde(borrow, default)]
    pub(super) formatted_kernel_name: Cow<'a, str>,
    #[serde(default)]
    pub(super) arch_vgpr_count: u32,
    #[serde(default)]
    pub(super) accum_vgpr_count: u32,
    #[serde(default)]
    pub(super) sgpr_count: u32,
}

/// `strings.buffer_records[]`; a record's `kind` and `operation` are positions.
#[derive(Debug, Deserialize)]
pub(super) struct RawKind<'a> {
    #[serde(borrow, default)]
    pub(super) operations: Vec<Cow<'a, str>>,
}

/// `agents[]`
#[derive(Debug, Deserialize)]
pub(super) struct RawAgent<'a> {
    #[serde(default)]
    pub(super) id: RawHandle,
    /// 1 for a processor of the host, 2 for a GPU.
    #[serde(rename = "type", default)]
    pub(super) kind: u32,
    /// The instruction set, of a GPU.
    #[serde(borrow, default)]
    pub(super) name: Cow<'a, str>,
    #[serde(borrow, default)]
    pub(super) product_name: Cow<'a, str>,
    #[serde(default)]
    pub(super) gfx_target_version: u32,
    #[serde(default)]
    pub(super) cu_count: Option<u32>,
    #[serde(default)]
    pub(super) simd_per_cu: Option<u32>,
    #[serde(default)]
    pub(super) max_waves_per_simd: Option<u32>,
    #[serde(default)]
    pub(super) wave_front_size: Option<u32>,
    #[serde(default)]
    pub(super) lds_size_in_kb: Option<u32>,
}
