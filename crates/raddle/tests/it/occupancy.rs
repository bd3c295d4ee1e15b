//! Does residency agree with the occupancy that real profiles claim, kernel by kernel?
//!
//! PyTorch's profiler asks NVIDIA's own occupancy calculation about every kernel and writes the
//! answer in whole percent, so each profile is thousands of questions with answers.

use raddle_device::{Device, find, find_product, from_properties};
use raddle_policy::Resource;
use raddle_trace::{ImportConfig, OpKind, Profile, SourceDevice, open};

/// Bytes of shared memory above which a kernel must ask for it by a special call. The profiler does
/// not, and writes an occupancy of 0 for it.
const OPT_IN: u32 = 48 * 1024;

fn sample(name: &str) -> Option<Profile> {
    let path = raddle_testkit::sample(&format!("kineto_nvidia/{name}"))?;
    Some(open(&path, &ImportConfig::default()).expect(name))
}

/// Returns the device of a profile in two forms: as the table has it, and as the profile alone
/// describes it.
fn devices(profile: &Profile) -> [Device; 2] {
    let source: &SourceDevice = profile.device.as_ref().expect("it is in the file");
    let table = find(&source.name).or_else(|| find_product(&source.name)).expect(&source.name);
    let described = from_properties(source);
    [table, described.expect(&source.name)]
}

/// Checks every occupancy that a profile states against both devices. Returns (kernels, those of
/// them with more shared memory than is ordinary, whose stated occupancy must be 0).
fn held(profile: &Profile) -> (usize, usize) {
    let mut opted_in = 0;
    let kernels = || profile.ops.iter().filter(|op| op.kind == OpKind::Kernel);
    for op in kernels() {
        let name = &profile.kernels[op.kernel as usize];
        let percent = u64::from(op.claimed_percent.expect("a percentage of every kernel"));
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
    (kernels().count(), opted_in)
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

/// Words of the profiler's `limitingFactors`, each with our resource, in the order that breaks
/// ties.
const FACTORS: [(&str, Resource); 5] = [
    ("BLOCKS", Resource::Workgroups),
    ("WARPS", Resource::Waves),
    ("REGS", Resource::Vgpr),
    ("SMEM", Resource::Lds),
    ("BARRIERS", Resource::Barriers),
];

/// Checks the occupancy object of a trace of 2026, which has no percentage but the figures behind
/// it, field by field.
#[test]
fn the_occupancy_object_of_an_h100_agrees_field_by_field() {
    let name = "kineto_2026_occupancy_dict_unittest_h100.json";
    let (Some(profile), Some(path)) =
        (sample(name), raddle_testkit::sample(&format!("kineto_nvidia/{name}")))
    else {
        return;
    };
    assert_eq!(held(&profile), (1, 0));
    let text = std::fs::read_to_string(path).expect(name);
    let document: serde_json::Value = serde_json::from_str(&text).expect(name);
    let events = document["traceEvents"].as_array().expect("events");
    let mut claims = events.iter().map(|event| &event["args"]["occupancy"]);
    let claimed = claims.find(|claim| claim.is_object()).expect("it is there");
    let figure = |key: &str| match claimed[key].as_u64().expect(key) {
        // The profiler writes this number where a resource never limits.
        2_147_483_647 => u32::MAX,
        figure => u32::try_from(figure).expect(key),
    };
    let factors = claimed["limitingFactors"].as_str().expect("words");
    let footprint = profile.ops[0].footprint;
    for device in devices(&profile) {
        let residency = device.residency(&footprint);
        assert_eq!(figure("activeBlocksPerMultiprocessor"), residency.workgroups());
        assert_eq!(figure("blockLimitRegs"), residency.limit(Resource::Vgpr));
        assert_eq!(figure("blockLimitSharedMem"), residency.limit(Resource::Lds));
        assert_eq!(figure("blockLimitWarps"), residency.limit(Resource::Waves));
        assert_eq!(figure("blockLimitBlocks"), residency.limit(Resource::Workgroups));
        assert_eq!(figure("blockLimitBarriers"), residency.limit(Resource::Barriers));
        let limiting = FACTORS.iter().filter(|(word, _)| factors.split('|').any(|f| f == *word));
        let limiting: Vec<Resource> = limiting.map(|&(_, resource)| resource).collect();
        assert_eq!(limiting, residency.reached(residency.workgroups()).collect::<Vec<_>>());
        // The 1 KiB that the device reserves for each workgroup is in it.
        let demand = device.demand(&footprint).expect("it fits");
        assert_eq!(figure("allocatedSharedMemPerBlock"), demand.lds * device.granules.lds_bytes);
        let wave = device.granules.vgprs_per_lane * device.wave_size * u32::from(demand.vgpr);
        assert_eq!(figure("allocatedRegistersPerBlock"), wave * u32::from(demand.waves));
    }
}
