//! AMD devices: compute units, memory, and the sources of these numbers.
//!
//! The table of instruction sets (`arch.rs`) has what a compute unit holds: 4 SIMDs with waves of
//! 64, or, on a Radeon of RDNA, two SIMDs with waves of 32; at most 1024 threads a workgroup; 16
//! barriers, which only workgroups of two or more waves take.
//!
//! By LLVM's count, a wave of more than 96 scalar registers leaves 7 of 8 wave slots of a SIMD
//! usable (6 where a trap handler is loaded, which is not modelled).

use raddle_policy::CuShape;

use super::DeviceRow;
use crate::arch::{
    Arch, GFX90A, GFX906, GFX908, GFX942, GFX950, GFX1100, GFX1101, GFX1151, GFX1201, MAX_THREADS,
};
use crate::{Granules, MEASURED_RESET_NS, Vendor};

pub(super) const ROWS: &[DeviceRow] = &[
    DeviceRow {
        named: &[&["r9", "nano"]],
        arch: "gfx803",
        // As the contract has it: no limit on workgroups but their waves, and no barriers.
        max_threads_per_workgroup: 2560,
        shape: CuShape {
            waves_per_simd: 10,
            sgpr: 200,
            lds: 256,
            workgroups: 40,
            barriers: 40,
            ..GFX906.shape()
        },
        granules: Granules { lds_bytes: 256, ..GFX906.granules() },
        source: "the placement contract (MGPUSim revision d01e70d5, R9 Nano settings), section 1; \
                 bandwidth: AMD Radeon R9 Nano product page; reset-ns assumed",
        ..gpu("r9-nano", "AMD Radeon R9 Nano", &GFX906, 64, 512_000)
    },
    DeviceRow {
        named: &[&["mi50"]],
        source: "gfx906: AMD Vega 7nm ISA guide (256 VGPRs a lane, 64 KiB LDS), LLVM AMDGPU target \
                 (granules, barriers); waves: ROCm issue 1456 (32 x CUs in flight, of 40 slots a CU); \
                 CUs, bandwidth: AMD MI50 data sheet; reset-ns assumed",
        ..gpu("mi50", "AMD Instinct MI50", &GFX906, 60, 1_024_000)
    },
    DeviceRow {
        named: &[&["mi100"], &["gfx908"]],
        source: "gfx908: AMD CDNA ISA guide (256 arch and 256 accumulation VGPRs a lane, handed \
                 out in equal numbers), LLVM AMDGPU target (granules, barriers); waves: ROCm issue \
                 1456 (32 x CUs in flight, of 40 slots a CU); CUs, bandwidth, clock: ROCm Compute \
                 Profiler system info of an MI100; reset-ns assumed",
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
        named: &[&["mi308x"]],
        not: &["hf"],
        source: "an MI300X with fewer CUs: gfx942 as MI300X; CUs: published runs on an MI308X (80 CUs); \
                 bandwidth taken from the MI300X, whose 192 GB of HBM3 it has; reset-ns assumed",
        ..gpu("mi308x", "AMD Instinct MI308X", &GFX942, 80, 5_324_800)
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
    DeviceRow {
        named: &[&["7900", "xtx"]],
        source: "gfx1100: LLVM AMDGPU target (1536 VGPRs a lane in granules of 24, 16 waves a SIMD, \
                 barriers), Mesa (LDS granule); CUs: ROCm GPU specifications, which have the \
                 registers and LDS of a pair of CUs; bandwidth, clock: reviews of the card (960 GB/s, \
                 2500 MHz); reset-ns assumed",
        clock_mhz: Some(2_500),
        ..gpu("rx-7900-xtx", "AMD Radeon RX 7900 XTX", &GFX1100, 96, 960_000)
    },
    DeviceRow {
        named: &[&["7800", "xt"]],
        source: "gfx1101 as the RX 7900 XTX; CUs: ROCm GPU specifications, rocminfo of an RX 7800 XT; \
                 bandwidth, clock: listings of the card (624.1 GB/s, 2430 MHz); reset-ns assumed",
        clock_mhz: Some(2_430),
        ..gpu("rx-7800-xt", "AMD Radeon RX 7800 XT", &GFX1101, 60, 624_100)
    },
    DeviceRow {
        named: &[&["8060s"]],
        source: "gfx1151 as the RX 7900 XTX; CUs, SIMDs, clock: rocminfo of a Radeon 8060S (40 CUs, \
                 2900 MHz); bandwidth: 256 bits of LPDDR5X-8000, shared with the CPU (256 GB/s); \
                 reset-ns assumed",
        clock_mhz: Some(2_900),
        ..gpu("radeon-8060s", "AMD Radeon 8060S", &GFX1151, 40, 256_000)
    },
    DeviceRow {
        named: &[&["9070", "xt"]],
        source: "gfx1201 as the RX 7900 XTX; CUs: ROCm GPU specifications, rocminfo of an RX 9070 XT; \
                 bandwidth, clock: reports of its launch (640 GB/s, 2970 MHz); reset-ns assumed",
        clock_mhz: Some(2_970),
        ..gpu("rx-9070-xt", "AMD Radeon RX 9070 XT", &GFX1201, 64, 640_000)
    },
];

/// Returns the table entry of a device with `cus` compute units of the instruction set `arch`; each
/// device of the table replaces the fields in which it differs.
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
        wave_size: arch.wave,
        shape: arch.shape(),
        granules: arch.granules(),
        max_threads_per_workgroup: MAX_THREADS,
        max_vgprs_per_thread: arch.max_vgprs_per_thread,
        memory_bytes_per_us,
        unit_bytes_per_us: crate::memory::amd_unit(arch.name, memory_bytes_per_us),
        clock_mhz: None,
        exit_ns: None,
        reset_ns: MEASURED_RESET_NS,
        switch_ns: None,
        source: "",
    }
}
