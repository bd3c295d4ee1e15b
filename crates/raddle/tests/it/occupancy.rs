//! Does residency agree with the occupancy that real profiles claim, kernel by kernel?
//!
//! PyTorch's profiler asks NVIDIA's own occupancy calculation about every kernel and writes the
//! answer in whole percent, so each profile is thousands of questions with answers.

use raddle_device::{Device, find, find_product, from_properties};
use raddle_policy::Resource;
use raddle_trace::{ImportOptions, Op, Profile, SourceDevice, open};

/// Shared memory above which a kernel must opt in. The profiler asks without, and writes 0 for it.
const OPT_IN: u32 = 48 * 1024;

fn sample(name: &str) -> Option<Profile> {
    let path = raddle_testkit::sample(&format!("kineto_nvidia/{name}"))?;
    Some(open(&path, &ImportOptions::default()).expect(name))
}

/// The device twice: as the table has it, and as the profile alone describes it.
fn devices(profile: &Profile) -> [Device; 2] {
    let source: &SourceDevice = profile.device.as_ref().expect("it is in the file");
    let table = find(&source.name).or_else(|| find_product(&source.name)).expect(&source.name);
    let described = from_properties(&raddle::properties(source));
    [table, described.expect(&source.name)]
}

/// Holds every claim of a profile against both devices: kernels, and those of them that opt into
/// more shared memory, whose claim must be 0.
fn held(profile: &Profile) -> (usize, usize) {
    let mut opted_in = 0;
    for claim in profile.claims.iter() {
        let op: &Op = &profile.ops[claim.op as usize];
        let name = &profile.kernels[op.kernel as usize];
        let percent = u64::from(claim.percent.expect("a percentage of every kernel"));
        if op.footprint.lds_bytes > OPT_IN {
            assert_eq!(percent, 0, "{name}: {:?}", op.footprint);
            opted_in += 1;
            continue;
        }
        for device in devices(profile) {
            let tenths = device.achieved_occupancy_tenths(&op.footprint, op.workgroups);
            assert!(
                tenths.abs_diff(percent * 10) <= 10,
                "{name} on {}: {tenths} tenths for {percent}%: {} workgroups, {:?}",
                device.id,
                op.workgroups,
                op.footprint
            );
        }
    }
    assert_eq!(profile.claims.len() as u64, profile.report.kernels);
    (profile.claims.len(), opted_in)
}

#[test]
fn every_kernel_of_a_v100_training_run() {
    if let Some(profile) = sample("hta_trace_diff_test_v100.json.gz") {
        assert_eq!(held(&profile), (9_876, 0));
    }
}

#[test]
fn every_kernel_of_two_a100_runs() {
    if let Some(profile) = sample("hta_alexnet_cuda_sync.json.gz") {
        assert_eq!(held(&profile), (79, 6));
    }
    if let Some(profile) = sample("hta_cuda_event_sync_multi_stream.json.gz") {
        assert_eq!(held(&profile), (3, 0));
    }
}

#[test]
fn every_kernel_of_a_b200_inference_run() {
    if let Some(profile) = sample("tracelens_b200_eager.json.gz") {
        assert_eq!(held(&profile), (768, 182));
    }
}

/// Of 2026: not a percentage, but what it is computed from.
#[test]
fn the_occupancy_object_of_an_h100_agrees_field_by_field() {
    let Some(profile) = sample("kineto_2026_occupancy_dict_unittest_h100.json") else {
        return;
    };
    assert_eq!(held(&profile), (1, 0));
    let claimed = profile.claims.of(0).and_then(|claim| claim.object).expect("it is there");
    let footprint = profile.ops[0].footprint;
    for device in devices(&profile) {
        let residency = device.residency(&footprint);
        let limits = residency.limits;
        assert_eq!(claimed.workgroups, Some(residency.workgroups));
        assert_eq!(claimed.limit_vgpr, Some(limits.vgpr));
        assert_eq!(claimed.limit_lds, Some(limits.lds));
        assert_eq!(claimed.limit_waves, Some(limits.waves));
        assert_eq!(claimed.limit_workgroups, Some(limits.workgroups));
        assert_eq!(claimed.limit_barriers, Some(limits.barriers));
        let reached: Vec<Resource> = limits.reached(residency.workgroups).collect();
        assert_eq!(claimed.limiters().collect::<Vec<_>>(), reached);
        // The 1 KiB that the device reserves for each workgroup is in it.
        let demand = device.demand(&footprint).expect("it fits");
        assert_eq!(claimed.lds_bytes, Some(demand.lds * device.granules.lds_bytes));
        let wave = device.granules.vgprs_per_lane * device.wave_size * u32::from(demand.vgpr);
        assert_eq!(claimed.registers, Some(wave * u32::from(demand.waves)));
    }
}
