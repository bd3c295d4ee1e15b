//! NVIDIA devices: SM counts, memory, and where the figures are from.
//!
//! What an SM holds is the table of compute capabilities (`capability.rs`); the profiles' own
//! `deviceProperties` agree with it where a sample of the device is at hand.

use super::DeviceRow;
use crate::capability::{CAPABILITIES, Capability, MAX_REGISTERS, MAX_THREADS, WARP, granules};
use crate::costs::{A100_SWITCH_NS, V100_EXIT_NS, V100_RESET_NS};
use crate::{MEASURED_RESET_NS, Vendor};

const CC_7_0: &Capability = &CAPABILITIES[0];
const CC_7_5: &Capability = &CAPABILITIES[2];
const CC_8_0: &Capability = &CAPABILITIES[3];
const CC_9_0: &Capability = &CAPABILITIES[7];
const CC_10_0: &Capability = &CAPABILITIES[8];

pub(super) const ROWS: &[DeviceRow] = &[
    DeviceRow {
        named: &[&["v100"]],
        source: "PyTorch profile of a Tesla V100-SXM2-16GB (deviceProperties); slots and granules: \
                 compute capability 7.0; bandwidth: NVIDIA V100 data sheet; reset-ns, exit-ns: XSched \
                 paper, section 7.3, and its raw results, GV100",
        exit_ns: Some(V100_EXIT_NS),
        reset_ns: V100_RESET_NS,
        ..sm("v100", "NVIDIA Tesla V100", CC_7_0, 80, 900_000)
    },
    DeviceRow {
        named: &[&["2080", "ti"]],
        source: "NVIDIA Turing architecture white paper (68 SMs, 64 KiB shared memory, 616 GB/s); \
                 slots and granules: compute capability 7.5; reset-ns assumed",
        ..sm("rtx-2080-ti", "NVIDIA GeForce RTX 2080 Ti", CC_7_5, 68, 616_000)
    },
    DeviceRow {
        named: &[&["a100"]],
        source: "PyTorch profile of an NVIDIA A100-PG509-200, 40 GB (deviceProperties); slots and \
                 granules: compute capability 8.0; bandwidth: NVIDIA A100 data sheet, 40 GB \
                 (2039 GB/s with 80 GB); switch-ns, at most: GPreempt, ATC 2025, section 5.3; \
                 reset-ns assumed",
        switch_ns: Some(A100_SWITCH_NS),
        ..sm("a100", "NVIDIA A100 40GB", CC_8_0, 108, 1_555_000)
    },
    DeviceRow {
        named: &[&["h100"]],
        not: &["mig", "pcie"],
        source: "PyTorch profile of an NVIDIA H100 (deviceProperties); slots and granules: compute \
                 capability 9.0; bandwidth: NVIDIA H100 data sheet, SXM; reset-ns assumed",
        ..sm("h100", "NVIDIA H100 SXM", CC_9_0, 132, 3_350_000)
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
        named: &[&["b200"]],
        source: "PyTorch profile of an NVIDIA B200 (deviceProperties); slots and granules: compute \
                 capability 10.0; bandwidth: NVIDIA DGX B200 data sheet (64 TB/s for 8); reset-ns \
                 assumed",
        ..sm("b200", "NVIDIA B200", CC_10_0, 148, 8_000_000)
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
        exit_ns: None,
        reset_ns: MEASURED_RESET_NS,
        switch_ns: None,
        source: "",
    }
}
