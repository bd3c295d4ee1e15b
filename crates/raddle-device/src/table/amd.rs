//! AMD devices: compute units, memory, and where the figures are from.
//!
//! What a compute unit holds is the table of instruction sets (`arch.rs`): 4 SIMDs, waves of 64, at
//! most 1024 threads a workgroup; 16 barriers, which only workgroups of two or more waves take.
//!
//! Scalar registers never limit here from gfx9 on. LLVM counts 800 a SIMD in granules of 16, by
//! which a wave of more than 96 would leave 7 of 8 (or 10) slots usable; that is not modelled.

use raddle_policy::CuShape;

use super::DeviceRow;
use crate::arch::{Arch, GFX90A, GFX906, GFX908, GFX942, GFX950, MAX_THREADS, WAVE};
use crate::{Granules, MEASURED_RESET_NS, Vendor};

pub(super) const ROWS: &[DeviceRow] = &[
    DeviceRow {
        named: &[&["r9", "nano"]],
        arch: "gfx803",
        // As the contract has it: no limit on workgroups but their waves, and no barriers.
        max_threads_per_workgroup: 2560,
        shape: CuShape { sgpr: 200, lds: 256, barriers: 40, ..GFX906.shape() },
        granules: Granules { lds_bytes: 256, ..GFX906.granules() },
        source: "the placement contract (MGPUSim revision d01e70d5, R9 Nano settings), section 1; \
                 bandwidth: AMD Radeon R9 Nano product page; reset-ns assumed",
        ..gpu("r9-nano", "AMD Radeon R9 Nano", &GFX906, 64, 512_000)
    },
    DeviceRow {
        named: &[&["mi50"]],
        source: "gfx906: AMD Vega 7nm ISA guide (256 VGPRs a lane, 10 waves a SIMD, 64 KiB LDS), \
                 LLVM AMDGPU target (granules, barriers); CUs, bandwidth: AMD MI50 data sheet; \
                 reset-ns assumed",
        ..gpu("mi50", "AMD Instinct MI50", &GFX906, 60, 1_024_000)
    },
    DeviceRow {
        named: &[&["mi100"], &["gfx908"]],
        source: "gfx908: AMD CDNA ISA guide (256 arch and 256 accumulation VGPRs a lane, handed \
                 out in equal numbers), LLVM AMDGPU target (granules, barriers); CUs, waves, \
                 bandwidth, clock: ROCm Compute Profiler system info of an MI100; reset-ns assumed",
        clock_mhz: Some(1_502),
        ..gpu("mi100", "AMD Instinct MI100", &GFX908, 120, 1_228_800)
    },
    DeviceRow {
        named: &[&["mi210"]],
        source: "gfx90a: AMD CDNA2 ISA guide (512 unified VGPRs a lane), LLVM AMDGPU target \
                 (granules, barriers); CUs: PyTorch profile of an MI210; waves, bandwidth, \
                 clock: ROCm Compute Profiler system info of an MI200; reset-ns assumed",
        clock_mhz: Some(1_700),
        ..gpu("mi210", "AMD Instinct MI210", &GFX90A, 104, 1_638_400)
    },
    DeviceRow {
        named: &[&["mi250x"]],
        source: "one of its two dies (a process sees each as a device); gfx90a as MI210; CUs, \
                 bandwidth: AMD MI250X data sheet (220 CUs, 3276.8 GB/s for both); reset-ns assumed",
        ..gpu("mi250x", "AMD Instinct MI250X (one die)", &GFX90A, 110, 1_638_400)
    },
    DeviceRow {
        named: &[&["mi250"]],
        source: "one of its two dies (a process sees each as a device); gfx90a as MI210; CUs: \
                 PyTorch profile of an MI250; bandwidth: AMD MI250 data sheet (3276.8 GB/s for \
                 both); reset-ns assumed",
        ..gpu("mi250", "AMD Instinct MI250 (one die)", &GFX90A, 104, 1_638_400)
    },
    DeviceRow {
        named: &[&["mi300x"]],
        source: "gfx942: AMD CDNA3 ISA guide (512 unified VGPRs a lane), LLVM AMDGPU target \
                 (granules, barriers); CUs: PyTorch profile of an MI300X; waves, bandwidth, \
                 clock: ROCm Compute Profiler system info of an MI300X; reset-ns assumed",
        clock_mhz: Some(2_100),
        ..gpu("mi300x", "AMD Instinct MI300X", &GFX942, 304, 5_324_800)
    },
    DeviceRow {
        named: &[&["mi300a"]],
        source: "gfx942 as MI300X; CUs, waves, bandwidth, clock: ROCm Compute Profiler system info \
                 of an MI300A; reset-ns assumed",
        clock_mhz: Some(2_100),
        ..gpu("mi300a", "AMD Instinct MI300A", &GFX942, 228, 5_324_800)
    },
    DeviceRow {
        named: &[&["mi325x"]],
        source: "gfx942 as MI300X; CUs, bandwidth: AMD MI325X data sheet (304 CUs, 6 TB/s); \
                 reset-ns assumed",
        ..gpu("mi325x", "AMD Instinct MI325X", &GFX942, 304, 6_000_000)
    },
    DeviceRow {
        named: &[&["mi350x"], &["gfx950"]],
        source: "gfx950: rocprofv3 agent of an MI350X (256 CUs, 4 SIMDs, 8 waves a SIMD, 160 KiB \
                 LDS, 2200 MHz); LLVM AMDGPU target (VGPRs and LDS granule of 1280 bytes as gfx950, \
                 barriers); bandwidth: AMD MI350X data sheet; reset-ns assumed",
        clock_mhz: Some(2_200),
        ..gpu("mi350x", "AMD Instinct MI350X", &GFX950, 256, 8_000_000)
    },
    DeviceRow {
        named: &[&["mi355x"]],
        source: "an MI350X with a higher clock: gfx950 as MI350X; CUs, bandwidth: AMD MI355X data \
                 sheet (256 CUs, 8 TB/s); reset-ns assumed",
        ..gpu("mi355x", "AMD Instinct MI355X", &GFX950, 256, 8_000_000)
    },
];

/// Builds a row with the CU of an instruction set; each device replaces the fields that differ.
const fn gpu(
    id: &'static str,
    product: &'static str,
    arch: &Arch,
    cus: u16,
    memory_bytes_per_us: u64,
) -> DeviceRow {
    DeviceRow {
        id,
        product,
        named: &[],
        not: &[],
        arch: arch.name,
        vendor: Vendor::Amd,
        cus,
        wave_size: WAVE,
        shape: arch.shape(),
        granules: arch.granules(),
        max_threads_per_workgroup: MAX_THREADS,
        max_vgprs_per_thread: arch.max_vgprs_per_thread,
        memory_bytes_per_us,
        clock_mhz: None,
        exit_ns: None,
        reset_ns: MEASURED_RESET_NS,
        switch_ns: None,
        source: "",
    }
}
