//! NVIDIA devices: SM counts, memory, and the sources of these numbers.
//!
//! The table of compute capabilities (`capability.rs`) has what an SM holds; the `deviceProperties`
//! in profiles agree with it wherever a profile of the device is at hand.

use super::DeviceRow;
use crate::capability::{CAPABILITIES, Capability, MAX_REGISTERS, MAX_THREADS, WARP, granules};
use crate::costs::{A100_SWITCH_NS, V100_EXIT_NS, V100_RESET_NS};
use crate::memory::H200_UNIT_BYTES_PER_US;
use crate::{MEASURED_RESET_NS, Vendor};

const CC_7_0: &Capability = &CAPABILITIES[0];
const CC_7_5: &Capability = &CAPABILITIES[2];
const CC_8_0: &Capability = &CAPABILITIES[3];
const CC_8_6: &Capability = &CAPABILITIES[4];
const CC_8_7: &Capability = &CAPABILITIES[5];
const CC_8_9: &Capability = &CAPABILITIES[6];
const CC_9_0: &Capability = &CAPABILITIES[7];
const CC_10_0: &Capability = &CAPABILITIES[8];
const CC_12_0: &Capability = &CAPABILITIES[10];
const CC_12_1: &Capability = &CAPABILITIES[11];

pub(super) const ROWS: &[DeviceRow] = &[
    DeviceRow {
        named: &[&["v100"]],
        not: &["mig", "32gb"],
        source: "PyTorch profile of a Tesla V100-SXM2-16GB (deviceProperties); slots and granules: \
                 compute capability 7.0; bandwidth: NVIDIA V100 data sheet; reset-ns, exit-ns: XSched \
                 paper, section 7.3, and its raw results, GV100",
        exit_ns: Some(V100_EXIT_NS),
        reset_ns: V100_RESET_NS,
        ..sm("v100", "NVIDIA Tesla V100", CC_7_0, 80, 900_000)
    },
    DeviceRow {
        named: &[&["v100", "32gb"], &["v100", "sxm2", "32gb"], &["v100", "pcie", "32gb"]],
        not: &["mig"],
        source: "as the V100 of 16 GB; memory: NVIDIA V100 data sheet",
        exit_ns: Some(V100_EXIT_NS),
        reset_ns: V100_RESET_NS,
        ..sm("v100-32gb", "NVIDIA Tesla V100 32GB", CC_7_0, 80, 900_000)
    },
    DeviceRow {
        named: &[&["2080", "ti"]],
        source: "NVIDIA Turing architecture white paper (68 SMs, 64 KiB shared memory, 616 GB/s); \
                 slots and granules: compute capability 7.5; reset-ns assumed",
        ..sm("rtx-2080-ti", "NVIDIA GeForce RTX 2080 Ti", CC_7_5, 68, 616_000)
    },
    DeviceRow {
        named: &[&["t4"]],
        not: &["mig"],
        source: "deviceQuery of a Tesla T4 (40 SMs, 1590 MHz, 320 GB/s by memory clock and bus width); \
                 slots and granules: compute capability 7.5; reset-ns assumed",
        clock_mhz: Some(1_590),
        ..sm("t4", "NVIDIA T4", CC_7_5, 40, 320_000)
    },
    DeviceRow {
        named: &[&["a100"]],
        not: &["mig", "80gb", "80"],
        source: "PyTorch profile of an NVIDIA A100-PG509-200, 40 GB (deviceProperties); slots and \
                 granules: compute capability 8.0; bandwidth: NVIDIA A100 data sheet, 40 GB; \
                 clock: Nsight Systems of an A100 (1410 MHz); switch-ns, at \
                 most: GPreempt, ATC 2025, section 5.3; reset-ns assumed",
        clock_mhz: Some(1_410),
        switch_ns: Some(A100_SWITCH_NS),
        ..sm("a100", "NVIDIA A100 40GB", CC_8_0, 108, 1_555_000)
    },
    DeviceRow {
        named: &[
            &["a100", "80gb"],
            &["a100", "sxm4", "80gb"],
            &["a100", "sxm", "80gb"],
            &["a100", "80", "gb"],
        ],
        not: &["mig", "pcie"],
        source: "as the A100 of 40 GB; bandwidth: NVIDIA A100 80GB data sheet, SXM (2039 GB/s)",
        clock_mhz: Some(1_410),
        switch_ns: Some(A100_SWITCH_NS),
        ..sm("a100-80gb", "NVIDIA A100 80GB", CC_8_0, 108, 2_039_000)
    },
    DeviceRow {
        named: &[
            &["a100", "80gb", "pcie"],
            &["a100", "pcie", "80gb"],
            &["a100", "80", "gb", "pcie"],
        ],
        not: &["mig"],
        source: "as the A100 of 40 GB; bandwidth: NVIDIA A100 80GB data sheet, PCIe (1935 GB/s)",
        clock_mhz: Some(1_410),
        switch_ns: Some(A100_SWITCH_NS),
        ..sm("a100-80gb-pcie", "NVIDIA A100 80GB PCIe", CC_8_0, 108, 1_935_000)
    },
    DeviceRow {
        named: &[&["a30"]],
        not: &["mig"],
        source: "SMs, bandwidth: listings of the card (3584 CUDA cores of 64 an SM, 933 GB/s); slots \
                 and granules: compute capability 8.0; reset-ns assumed",
        ..sm("a30", "NVIDIA A30", CC_8_0, 56, 933_000)
    },
    DeviceRow {
        named: &[&["a10"]],
        not: &["mig"],
        source: "SMs, bandwidth: NVIDIA A10 data sheet (9216 CUDA cores of 128 an SM, 600 GB/s, 1695 \
                 MHz); slots and granules: compute capability 8.6; reset-ns assumed",
        clock_mhz: Some(1_695),
        ..sm("a10", "NVIDIA A10", CC_8_6, 72, 600_000)
    },
    DeviceRow {
        named: &[&["a40"]],
        not: &["mig"],
        source: "deviceQuery of an NVIDIA A40 (84 SMs, 1740 MHz, 696 GB/s by memory clock and bus \
                 width); slots and granules: compute capability 8.6; reset-ns assumed",
        clock_mhz: Some(1_740),
        ..sm("a40", "NVIDIA A40", CC_8_6, 84, 696_000)
    },
    DeviceRow {
        named: &[&["rtx", "a6000"]],
        not: &["mig"],
        source: "deviceQuery of an NVIDIA RTX A6000 (84 SMs, 1800 MHz, 768 GB/s by memory clock and \
                 bus width); slots and granules: compute capability 8.6; reset-ns assumed",
        clock_mhz: Some(1_800),
        ..sm("rtx-a6000", "NVIDIA RTX A6000", CC_8_6, 84, 768_000)
    },
    DeviceRow {
        named: &[&["rtx", "3080"]],
        not: &["mig", "ti", "laptop", "12gb"],
        source: "SMs, bandwidth, clock: Nsight Systems of a GeForce RTX 3080, 10 GB (68 SMs, 760.08 \
                 GB/s, 1710 MHz); slots and granules: compute capability 8.6; reset-ns assumed",
        clock_mhz: Some(1_710),
        ..sm("rtx-3080", "NVIDIA GeForce RTX 3080 10GB", CC_8_6, 68, 760_080)
    },
    DeviceRow {
        named: &[&["rtx", "3090"]],
        not: &["mig", "ti"],
        source: "NVIDIA Ampere GA102 architecture white paper (82 SMs, 936 GB/s, 1695 MHz); slots and \
                 granules: compute capability 8.6; reset-ns assumed",
        clock_mhz: Some(1_695),
        ..sm("rtx-3090", "NVIDIA GeForce RTX 3090", CC_8_6, 82, 936_000)
    },
    DeviceRow {
        named: &[&["agx", "orin"]],
        not: &["mig", "32gb"],
        source: "SMs, clock: deviceQuery of a Jetson AGX Orin, 64 GB (16 SMs, 1300 MHz); bandwidth: \
                 256 bits of LPDDR5-6400, shared with the CPU (204.8 GB/s); slots and granules: \
                 compute capability 8.7; reset-ns assumed",
        clock_mhz: Some(1_300),
        ..sm("agx-orin", "NVIDIA Jetson AGX Orin 64GB", CC_8_7, 16, 204_800)
    },
    DeviceRow {
        named: &[&["rtx", "4080"]],
        not: &["mig", "super", "laptop"],
        source: "NVIDIA Ada GPU architecture white paper (RTX 4080 with 16 GB: 76 SMs, 716.8 GB/s, \
                 2505 MHz); slots and granules: compute capability 8.9; reset-ns assumed",
        clock_mhz: Some(2_505),
        ..sm("rtx-4080", "NVIDIA GeForce RTX 4080", CC_8_9, 76, 716_800)
    },
    DeviceRow {
        named: &[&["rtx", "4090"]],
        not: &["mig", "laptop", "d"],
        source: "NVIDIA Ada GPU architecture white paper (128 SMs, 1008 GB/s, 2520 MHz); slots and \
                 granules: compute capability 8.9; reset-ns assumed",
        clock_mhz: Some(2_520),
        ..sm("rtx-4090", "NVIDIA GeForce RTX 4090", CC_8_9, 128, 1_008_000)
    },
    DeviceRow {
        named: &[&["rtx", "6000", "ada"]],
        not: &["mig"],
        source: "SMs, bandwidth, clock: listings of the card (18,176 CUDA cores of 128 an SM, 960 \
                 GB/s, 2505 MHz, which its 91.1 TFLOPS need); slots and granules: compute capability \
                 8.9; reset-ns assumed",
        clock_mhz: Some(2_505),
        ..sm("rtx-6000-ada", "NVIDIA RTX 6000 Ada Generation", CC_8_9, 142, 960_000)
    },
    DeviceRow {
        named: &[&["l4"]],
        source: "SMs, clock: deviceQuery of an NVIDIA L4 (58 SMs, 2040 MHz); bandwidth: NVIDIA L4 \
                 data sheet (300 GB/s); slots and granules: compute capability 8.9; reset-ns assumed",
        clock_mhz: Some(2_040),
        ..sm("l4", "NVIDIA L4", CC_8_9, 58, 300_000)
    },
    DeviceRow {
        named: &[&["l40"]],
        not: &["mig"],
        source: "NVIDIA L40 data sheet (18,176 CUDA cores of 128 an SM, 864 GB/s); clock: listings of \
                 the card (2490 MHz); slots and granules: compute capability 8.9; reset-ns assumed",
        clock_mhz: Some(2_490),
        ..sm("l40", "NVIDIA L40", CC_8_9, 142, 864_000)
    },
    DeviceRow {
        named: &[&["l40s"]],
        source: "NVIDIA L40S data sheet (18,176 CUDA cores of 128 an SM, 864 GB/s, 2520 MHz); slots \
                 and granules: compute capability 8.9; reset-ns assumed",
        clock_mhz: Some(2_520),
        ..sm("l40s", "NVIDIA L40S", CC_8_9, 142, 864_000)
    },
    DeviceRow {
        named: &[&["h100"]],
        not: &["mig", "pcie", "nvl"],
        source: "PyTorch profile of an NVIDIA H100 (deviceProperties); slots and granules: compute \
                 capability 9.0; bandwidth: NVIDIA H100 data sheet, SXM; reset-ns assumed",
        ..sm("h100", "NVIDIA H100 SXM", CC_9_0, 132, 3_350_000)
    },
    DeviceRow {
        named: &[&["h100", "pcie"]],
        not: &["mig"],
        source: "device properties of an NVIDIA H100 PCIe in public logs (114 SMs, 1755 MHz, 2039 \
                 GB/s by memory clock and bus width); slots and granules: compute capability 9.0; \
                 reset-ns assumed",
        clock_mhz: Some(1_755),
        ..sm("h100-pcie", "NVIDIA H100 PCIe", CC_9_0, 114, 2_039_000)
    },
    DeviceRow {
        named: &[&["h800"]],
        not: &["mig", "pcie"],
        source: "an H100 SXM with slower links: SMs as in published PyTorch profiles of an NVIDIA \
                 H800 (numSms 132); slots and granules: compute capability 9.0; bandwidth taken \
                 from the H100; reset-ns assumed",
        ..sm("h800", "NVIDIA H800 SXM", CC_9_0, 132, 3_350_000)
    },
    DeviceRow {
        named: &[&["h200"]],
        not: &["mig"],
        source: "the GPU of an H100 SXM with other memory: SMs, bandwidth: NVIDIA H200 data sheet \
                 (16,896 CUDA cores of 128 an SM, 4.8 TB/s); slots and granules: compute capability \
                 9.0; unit-bytes-per-us: fitted to programs beside each other on one H200; reset-ns \
                 assumed",
        unit_bytes_per_us: Some(H200_UNIT_BYTES_PER_US),
        ..sm("h200", "NVIDIA H200", CC_9_0, 132, 4_800_000)
    },
    DeviceRow {
        named: &[&["gh200"]],
        not: &["mig"],
        source: "the GPU of an H100 SXM beside a Grace CPU: SMs as the H100, whose slices of 26, 60 \
                 and 64 SMs `nvidia-smi mig` lists on it too; bandwidth: NVIDIA GH200 data sheet, 96 \
                 GB HBM3 (4 TB/s; 4.9 with 144 GB); slots and granules: compute capability 9.0; \
                 reset-ns assumed",
        ..sm("gh200", "NVIDIA GH200", CC_9_0, 132, 4_000_000)
    },
    DeviceRow {
        named: &[&["h20"]],
        not: &["mig"],
        source: "an H100 with fewer SMs: SMs as Geekbench lists an H20 (78); bandwidth: NVIDIA H20 \
                 specification, 96 GB (4.0 TB/s); slots and granules: compute capability 9.0; \
                 reset-ns assumed",
        ..sm("h20", "NVIDIA H20", CC_9_0, 78, 4_000_000)
    },
    DeviceRow {
        named: &[&["b200"]],
        source: "PyTorch profile of an NVIDIA B200 (deviceProperties); slots and granules: compute \
                 capability 10.0; bandwidth: NVIDIA DGX B200 data sheet (64 TB/s for 8); reset-ns \
                 assumed",
        ..sm("b200", "NVIDIA B200", CC_10_0, 148, 8_000_000)
    },
    DeviceRow {
        named: &[&["gb200"]],
        not: &["mig"],
        source: "one of the two GPUs of a GB200: SMs: device properties in public tests \
                 (multi_processor_count 152); bandwidth: NVIDIA GB200 NVL72 data sheet (16 TB/s for \
                 2); slots and granules: compute capability 10.0; reset-ns assumed",
        ..sm("gb200", "NVIDIA GB200", CC_10_0, 152, 8_000_000)
    },
    DeviceRow {
        named: &[&["rtx", "5080"]],
        not: &["mig", "laptop"],
        source: "NVIDIA RTX Blackwell GPU architecture white paper (84 SMs, 960 GB/s); clock: product \
                 page (2.62 GHz); slots and granules: compute capability 12.0; reset-ns assumed",
        clock_mhz: Some(2_620),
        ..sm("rtx-5080", "NVIDIA GeForce RTX 5080", CC_12_0, 84, 960_000)
    },
    DeviceRow {
        named: &[&["rtx", "5090"]],
        not: &["mig", "laptop", "d"],
        source: "NVIDIA RTX Blackwell GPU architecture white paper (170 SMs, 1792 GB/s); clock: \
                 product page (2.41 GHz); slots and granules: compute capability 12.0; reset-ns \
                 assumed",
        clock_mhz: Some(2_410),
        ..sm("rtx-5090", "NVIDIA GeForce RTX 5090", CC_12_0, 170, 1_792_000)
    },
    // The Max-Q edition has a lower clock, the Server edition slower memory; a name without an
    // edition means none of them.
    DeviceRow {
        named: &[&["6000", "blackwell", "workstation"]],
        not: &["mig"],
        source: "SMs, bandwidth: NVIDIA RTX PRO 6000 Blackwell Workstation Edition data sheet (24,064 \
                 CUDA cores of 128 an SM, 1792 GB/s); clock: PyTorch device properties of one (2617 \
                 MHz); slots and granules: compute capability 12.0; reset-ns assumed",
        clock_mhz: Some(2_617),
        ..sm(
            "rtx-pro-6000-workstation",
            "NVIDIA RTX PRO 6000 Blackwell Workstation Edition",
            CC_12_0,
            188,
            1_792_000,
        )
    },
    DeviceRow {
        named: &[&["6000", "blackwell", "server"]],
        not: &["mig"],
        source: "SMs, bandwidth: NVIDIA RTX PRO 6000 Blackwell Server Edition data sheet (24,064 CUDA \
                 cores of 128 an SM, 1597 GB/s); slots and granules: compute capability 12.0; \
                 reset-ns assumed",
        ..sm(
            "rtx-pro-6000-server",
            "NVIDIA RTX PRO 6000 Blackwell Server Edition",
            CC_12_0,
            188,
            1_597_000,
        )
    },
    DeviceRow {
        named: &[&["gb10"]],
        not: &["mig"],
        source: "deviceQuery of an NVIDIA GB10 (48 SMs, 2418 MHz, 273 GB/s by memory clock and bus \
                 width, shared with the CPU); slots and granules: compute capability 12.1; reset-ns \
                 assumed",
        clock_mhz: Some(2_418),
        ..sm("gb10", "NVIDIA GB10", CC_12_1, 48, 273_000)
    },
];

const fn sm(
    id: &'static str,
    product: &'static str,
    capability: &Capability,
    sms: u16,
    memory_bytes_per_us: u64,
) -> DeviceRow {
    let Capability { major, blocks, threads, registers, shared_bytes, .. } = *capability;
    let shape = crate::capability::shape(major, blocks, threads, registers, shared_bytes);
    DeviceRow {
        id,
        product,
        named: &[],
        // A slice of a device (Multi-Instance GPU) has fewer SMs and less bandwidth.
        not: &["mig"],
        arch: "",
        vendor: Vendor::Nvidia,
        cus: sms,
        wave_size: WARP,
        shape: shape.expect("known capabilities fit"),
        granules: granules(major),
        max_threads_per_workgroup: MAX_THREADS,
        max_vgprs_per_thread: MAX_REGISTERS,
        memory_bytes_per_us,
        unit_bytes_per_us: None,
        clock_mhz: None,
        exit_ns: None,
        reset_ns: MEASURED_RESET_NS,
        switch_ns: None,
        source: "",
    }
}
