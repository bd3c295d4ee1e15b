//! Does residency agree with what profilers wrote?
//!
//! Figures of kernels from public profiles (see each table), not the files themselves.

use raddle_device::{SourceDevice, find, from_properties};
use raddle_policy::{Footprint, Resource};

/// Kernels from profiles, as (device, workgroups, threads, registers a thread, bytes of shared
/// memory, estimated occupancy in percent).
///
/// From the PyTorch profiles hta_trace_diff_test_v100 and hta_alexnet_cuda_sync
/// (facebookresearch/HolisticTraceAnalysis, MIT) and tracelens_b200_eager (AMD-AGI/TraceLens, MIT).
const KERNELS: &[(&str, u64, u32, u32, u32, u64)] = &[
    ("v100", 970, 1024, 48, 0, 50),
    ("v100", 15016, 512, 50, 40960, 50),
    ("v100", 384, 128, 86, 32768, 19),
    ("v100", 800, 512, 18, 0, 100),
    ("v100", 1024, 64, 126, 8704, 25),
    ("v100", 8009, 128, 48, 7696, 63),
    ("v100", 64, 256, 134, 41984, 10),
    ("v100", 80, 256, 118, 16896, 13),
    ("v100", 64, 1024, 24, 0, 40),
    ("v100", 128, 256, 57, 16384, 20),
    ("v100", 62, 512, 32, 16, 19),
    ("v100", 3, 256, 23, 1184, 0),
    ("v100", 325, 128, 45, 2560, 25),
    ("v100", 110, 128, 20, 0, 9),
    ("b200", 888, 256, 44, 384, 63),
    ("b200", 740, 384, 32, 0, 94),
    ("b200", 1776, 256, 32, 0, 100),
    ("b200", 2664, 128, 16, 0, 100),
    ("b200", 4995, 128, 20, 0, 100),
    ("b200", 32, 512, 128, 42160, 5),
    ("b200", 8, 1024, 26, 0, 3),
    ("b200", 888, 256, 30, 0, 75),
    ("b200", 888, 256, 32, 168, 75),
    ("b200", 6, 128, 42, 0, 0),
    ("b200", 1, 128, 22, 0, 0),
    ("b200", 1024, 128, 31, 0, 43),
    ("b200", 1, 128, 32, 0, 0),
    ("b200", 4, 128, 32, 512, 0),
    ("a100", 3264, 256, 122, 24576, 25),
    ("a100", 768, 512, 64, 35904, 50),
    ("a100", 3025, 128, 160, 16384, 19),
    ("a100", 512, 128, 86, 32768, 25),
    ("a100", 512, 512, 23, 0, 100),
    ("a100", 864, 256, 47, 0, 63),
    ("a100", 864, 256, 48, 0, 63),
    ("a100", 32768, 256, 38, 0, 75),
    ("a100", 23328, 256, 26, 0, 100),
    ("a100", 4608, 256, 32, 4224, 100),
    ("a100", 96800, 128, 40, 0, 75),
    ("a100", 48400, 128, 18, 0, 100),
    ("a100", 12, 256, 16, 0, 1),
];

fn footprint(threads: u32, vgprs_per_thread: u32, lds_bytes: u32) -> Footprint {
    Footprint { threads, vgprs_per_thread, lds_bytes, ..Footprint::default() }
}

#[test]
fn residency_gives_the_occupancy_that_the_profiler_estimated() {
    for &(id, workgroups, threads, registers, lds, percent) in KERNELS {
        let device = find(id).expect("in the table");
        let tenths =
            device.achieved_occupancy_tenths(&footprint(threads, registers, lds), workgroups);
        assert!(
            tenths.abs_diff(percent * 10) <= 10,
            "{id} {workgroups} x {threads}, {registers} registers, {lds} B: {tenths} for {percent}%"
        );
    }
}

#[test]
fn achieved_occupancy_is_rounded_bounded_and_never_panics() {
    let v100 = find("v100").expect("in the table");
    let of = |threads, workgroups| {
        v100.achieved_occupancy_tenths(&footprint(threads, 32, 0), workgroups)
    };
    // 49 of 163,840 work-items are 0.03%, 82 are 0.05%, which rounds up.
    assert_eq!((of(49, 1), of(81, 1), of(82, 1)), (0, 0, 1));
    assert_eq!((of(256, 0), of(0, 7), of(2048, 7)), (0, 0, 0), "nothing, or what never fits");
    assert_eq!((of(1024, u64::MAX), of(512, 320)), (1000, 1000));
    // One workgroup of 33 work-items has two waves of slots but 33 work-items of occupancy.
    assert_eq!(of(33, u64::MAX), 516, "33 x 32 of 2048, not 64 x 32");
    let void = raddle_device::Device { cus: 0, ..v100.clone() };
    assert_eq!(void.achieved_occupancy_tenths(&footprint(32, 32, 0), 5), 0);
}

/// Checks the limits that the profiler of 2026 writes: for 1 block of 1 thread without registers
/// and shared memory on an H100 (pytorch/kineto, docs/traces/before_fix_trace.json, BSD-3-Clause).
#[test]
fn the_occupancy_object_of_an_h100_agrees_field_by_field() {
    let h100 = find("h100").expect("in the table");
    let one = footprint(1, 0, 0);
    let residency = h100.residency(&one);
    assert_eq!(residency.workgroups(), 32, "activeBlocksPerMultiprocessor");
    assert_eq!(residency.limiter(), Resource::Workgroups, "limitingFactors BLOCKS");
    assert_eq!(residency.limit(Resource::Vgpr), u32::MAX, "blockLimitRegs: none");
    assert_eq!(residency.limit(Resource::Lds), 228, "blockLimitSharedMem");
    assert_eq!(residency.limit(Resource::Waves), 64, "blockLimitWarps");
    assert_eq!(residency.limit(Resource::Workgroups), 32, "blockLimitBlocks");
    assert_eq!(residency.limit(Resource::Barriers), u32::MAX, "blockLimitBarriers: none");
    let demand = h100.demand(&one).expect("it fits");
    assert_eq!(demand.vgpr, 0, "allocatedRegistersPerBlock");
    assert_eq!(demand.lds * h100.granules.lds_bytes, 1024, "allocatedSharedMemPerBlock");
}

const MAX: u32 = u32::MAX;

/// Answer of NVIDIA's header for one kernel, as (compute capability; threads, registers a thread,
/// shared bytes; workgroups an SM; their limits by warps, blocks, registers, shared memory).
type Answer = ((u32, u32), [u32; 3], u32, [u32; 4]);

/// Answers computed with `cuda_occupancy.h` of the CUDA runtime 13.5, for kernels that opt into the
/// larger shared memory.
#[rustfmt::skip]
const NVIDIA_SAYS: &[Answer] = &[
    ((7, 0), [224, 183, 7630], 1, [9, 32, 1, 12]),
    ((7, 0), [32, 30, 1040], 32, [64, 32, 64, 76]),
    ((7, 0), [768, 44, 44203], 1, [2, 32, 1, 2]),
    ((7, 0), [1024, 89, 0], 0, [2, 32, 0, MAX]),
    ((7, 2), [224, 197, 3051], 1, [9, 32, 1, 32]),
    ((7, 2), [32, 19, 914], 32, [64, 32, 84, 96]),
    ((7, 2), [512, 38, 31884], 3, [4, 32, 3, 3]),
    ((7, 2), [1024, 92, 0], 0, [2, 32, 0, MAX]),
    ((7, 5), [48, 192, 6491], 4, [16, 16, 4, 9]),
    ((7, 5), [32, 30, 1339], 16, [32, 16, 64, 42]),
    ((7, 5), [768, 40, 60837], 1, [1, 16, 2, 1]),
    ((7, 5), [1024, 25, 0], 1, [1, 16, 2, MAX]),
    ((8, 0), [288, 56, 976], 4, [7, 32, 4, 82]),
    ((8, 0), [32, 17, 389], 32, [64, 32, 84, 109]),
    ((8, 0), [384, 23, 141617], 1, [5, 32, 7, 1]),
    ((8, 0), [1024, 65, 0], 0, [2, 32, 0, 164]),
    ((8, 6), [224, 191, 3201], 1, [6, 16, 1, 23]),
    ((8, 6), [32, 32, 478], 16, [48, 16, 64, 66]),
    ((8, 6), [768, 57, 85506], 1, [2, 16, 1, 1]),
    ((8, 6), [1024, 24, 0], 1, [1, 16, 2, 100]),
    ((8, 7), [48, 157, 4558], 6, [24, 16, 6, 29]),
    ((8, 7), [32, 29, 1128], 16, [48, 16, 64, 77]),
    ((8, 7), [384, 52, 102648], 1, [4, 16, 3, 1]),
    ((8, 7), [1024, 53, 0], 1, [1, 16, 1, 164]),
    ((8, 9), [288, 113, 488], 1, [5, 24, 1, 66]),
    ((8, 9), [32, 18, 1153], 24, [48, 24, 84, 44]),
    ((8, 9), [384, 71, 34129], 2, [4, 24, 2, 2]),
    ((8, 9), [1024, 61, 0], 1, [1, 24, 1, 100]),
    ((9, 0), [224, 57, 277], 4, [9, 32, 4, 165]),
    ((9, 0), [32, 37, 1], 32, [64, 32, 48, 202]),
    ((9, 0), [384, 46, 33716], 3, [5, 32, 3, 6]),
    ((9, 0), [1024, 84, 0], 0, [2, 32, 0, 228]),
    ((10, 0), [224, 141, 6878], 1, [9, 32, 1, 29]),
    ((10, 0), [32, 18, 1159], 32, [64, 32, 84, 101]),
    ((10, 0), [768, 45, 224081], 1, [2, 32, 1, 1]),
    ((10, 0), [1024, 58, 0], 1, [2, 32, 1, 228]),
    ((10, 3), [160, 62, 5099], 6, [12, 32, 6, 38]),
    ((10, 3), [32, 26, 31], 32, [64, 32, 64, 202]),
    ((10, 3), [512, 35, 55283], 3, [4, 32, 3, 4]),
    ((10, 3), [1024, 55, 0], 1, [2, 32, 1, 228]),
    ((12, 0), [48, 42, 982], 20, [24, 24, 20, 50]),
    ((12, 0), [32, 30, 997], 24, [48, 24, 64, 50]),
    ((12, 0), [384, 44, 78644], 1, [4, 24, 3, 1]),
    ((12, 0), [1024, 89, 0], 0, [1, 24, 0, 100]),
];

#[test]
fn residency_is_what_nvidias_occupancy_calculation_says() {
    for &((major, minor), [threads, registers, lds], workgroups, expected) in NVIDIA_SAYS {
        let device = from_properties(&SourceDevice {
            name: "any".into(),
            sms: Some(1),
            compute_major: Some(major),
            compute_minor: Some(minor),
            ..SourceDevice::default()
        })
        .expect("a known capability");
        let residency = device.residency(&footprint(threads, registers, lds));
        assert_eq!(
            (
                residency.workgroups(),
                [
                    residency.limit(Resource::Waves),
                    residency.limit(Resource::Workgroups),
                    residency.limit(Resource::Vgpr),
                    residency.limit(Resource::Lds)
                ]
            ),
            (workgroups, expected),
            "{major}.{minor}: {threads} threads, {registers} registers, {lds} B"
        );
    }
}

/// Waves of one SIMD by the registers of a thread, as (registers, waves):
/// `getNumWavesPerEUWithNumVGPRs` of LLVM's AMDGPU target, for 1536 registers in granules of 24 and
/// 16 wave slots.
const LLVM_SAYS: &[(u32, u32)] =
    &[(1, 16), (96, 16), (97, 12), (121, 10), (168, 9), (192, 8), (216, 7), (240, 6), (256, 5)];

#[test]
fn residency_on_radeons_is_what_llvm_says() {
    for id in ["rx-7900-xtx", "rx-7800-xt", "radeon-8060s", "rx-9070-xt"] {
        let device = find(id).expect("in the table");
        for &(registers, waves) in LLVM_SAYS {
            let residency = device.residency(&footprint(32, registers, 0));
            assert_eq!(residency.workgroups(), 2 * waves, "{id}, {registers} registers");
        }
        // 8193 bytes take 9 KiB of 64.
        assert_eq!(device.residency(&footprint(32, 1, 8192)).workgroups(), 8, "{id}");
        assert_eq!(device.residency(&footprint(32, 1, 8193)).workgroups(), 7, "{id}");
        let one = device.demand(&footprint(32, 1, 0)).expect("it fits");
        let two = device.demand(&footprint(64, 1, 0)).expect("it fits");
        assert_eq!(([one.waves, two.waves], [one.barriers, two.barriers]), ([1, 2], [0, 1]));
    }
}
