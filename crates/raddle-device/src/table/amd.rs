//! AMD devices: compute units, register files, memory, and where the figures are from.
//!
//! Common to all (LLVM, AMDGPU target, `AMDGPUBaseInfo` and `GCNSubtarget`): 4 SIMDs a CU, waves of
//! 64, at most 1024 threads a workgroup; 16 barriers a CU, which only workgroups of two or more
//! waves take; workgroup slots are as many as wave slots, so waves limit first.
//!
//! Scalar registers never limit here from gfx9 on. LLVM counts 800 a SIMD in granules of 16, by
//! which a wave of more than 96 would leave 7 of 8 (or 10) slots usable; that is not modelled.

use raddle_types::CuShape;

use super::Row;
use crate::{Granules, Vendor};

const SIMDS: u8 = 4;

pub(super) const ROWS: &[Row] = &[
    Row {
        named: &[&["r9", "nano"]],
        // As the contract has it: no limit on workgroups but their waves, and no barriers.
        max_threads_per_workgroup: 2560,
        max_vgprs_per_thread: 256,
        shape: CuShape { sgpr: 200, lds: 256, barriers: 40, ..cu(10, 64, 0) },
        granules: Granules { lds_bytes: 256, ..granules(4) },
        source: "the placement contract (MGPUSim revision d01e70d5, R9 Nano settings), section 1; \
                 bandwidth: AMD Radeon R9 Nano product page; kill-ns assumed",
        ..gpu("r9-nano", "AMD Radeon R9 Nano", 64, 512_000)
    },
    Row {
        named: &[&["mi50"]],
        shape: cu(10, 64, 128),
        granules: granules(4),
        max_vgprs_per_thread: 256,
        source: "gfx906: AMD Vega 7nm ISA guide (256 VGPRs a lane, 10 waves a SIMD, 64 KiB LDS), \
                 LLVM AMDGPU target (granules, barriers); CUs, bandwidth: AMD MI50 data sheet; \
                 kill-ns assumed",
        ..gpu("mi50", "AMD Instinct MI50", 60, 1_024_000)
    },
    Row {
        named: &[&["mi100"], &["gfx908"]],
        // 4 arch and 4 accumulation registers go together: a wave has as many of either kind.
        shape: cu(10, 64, 128),
        granules: granules(8),
        source: "gfx908: AMD CDNA ISA guide (256 arch and 256 accumulation VGPRs a lane, handed \
                 out in equal numbers), LLVM AMDGPU target (granules, barriers); CUs, waves, \
                 bandwidth: ROCm Compute Profiler system info of an MI100; kill-ns assumed",
        ..gpu("mi100", "AMD Instinct MI100", 120, 1_228_800)
    },
    Row {
        named: &[&["mi210"]],
        source: "gfx90a: AMD CDNA2 ISA guide (512 unified VGPRs a lane), LLVM AMDGPU target \
                 (granules, barriers); CUs: PyTorch profile of an MI210; waves, bandwidth: ROCm \
                 Compute Profiler system info of an MI200; kill-ns assumed",
        ..gpu("mi210", "AMD Instinct MI210", 104, 1_638_400)
    },
    Row {
        named: &[&["mi250x"]],
        source: "one of its two dies (a process sees each as a device); gfx90a as MI210; CUs, \
                 bandwidth: AMD MI250X data sheet (220 CUs, 3276.8 GB/s for both); kill-ns assumed",
        ..gpu("mi250x", "AMD Instinct MI250X (one die)", 110, 1_638_400)
    },
    Row {
        named: &[&["mi300x"]],
        source: "gfx942: AMD CDNA3 ISA guide (512 unified VGPRs a lane), LLVM AMDGPU target \
                 (granules, barriers); CUs: PyTorch profile of an MI300X; waves, bandwidth: ROCm \
                 Compute Profiler system info of an MI300X; kill-ns assumed",
        ..gpu("mi300x", "AMD Instinct MI300X", 304, 5_324_800)
    },
    Row {
        named: &[&["mi350x"], &["gfx950"]],
        shape: cu(8, 64, 128),
        granules: Granules { lds_bytes: 1280, ..granules(8) },
        source: "gfx950: rocprofv3 agent of an MI350X (256 CUs, 4 SIMDs, 8 waves a SIMD, 160 KiB \
                 LDS); LLVM AMDGPU target (VGPRs and LDS granule of 1280 bytes as gfx950, \
                 barriers); bandwidth: AMD MI350X data sheet; kill-ns assumed",
        ..gpu("mi350x", "AMD Instinct MI350X", 256, 8_000_000)
    },
];

/// A CU with that many wave slots and VGPR granules a SIMD.
const fn cu(waves_per_simd: u16, vgpr_per_simd: u16, lds: u32) -> CuShape {
    CuShape {
        simds: SIMDS,
        waves_per_simd,
        vgpr_per_simd,
        sgpr: u16::MAX,
        lds,
        workgroups: waves_per_simd * SIMDS as u16,
        barriers: 16,
    }
}

const fn granules(vgprs_per_lane: u32) -> Granules {
    Granules { vgprs_per_lane, sgprs: 16, lds_bytes: 512, lds_reserve_bytes: 0 }
}

/// A device with the CU of CDNA2 and CDNA3 (512 VGPRs a lane); a row says what differs.
const fn gpu(id: &'static str, product: &'static str, cus: u16, memory_bytes_per_us: u64) -> Row {
    Row {
        id,
        product,
        named: &[],
        not: &[],
        vendor: Vendor::Amd,
        cus,
        wave_size: 64,
        shape: cu(8, 64, 128),
        granules: granules(8),
        max_threads_per_workgroup: 1024,
        max_vgprs_per_thread: 512,
        memory_bytes_per_us,
        source: "",
    }
}
