//! Do the commands work on the profiles of every tool, from the file to the table of results?

use crate::common::{Place, sample};
use crate::rocpd_db;

/// Inspects and replays a file, and returns what both print.
fn both(place: &Place, file: &str, device: &[&str]) -> (String, String) {
    let run = |args: &[&str]| {
        let ran = place.raddle(&[args, device].concat());
        assert_eq!(ran.code, 0, "{file}: {}", ran.err);
        ran.out
    };
    let inspected = run(&["inspect", file, "--self-replay"]);
    (inspected, run(&["replay", file, "--recipe", "greedy", "--no-files"]))
}

#[test]
fn a_rocpd_database() {
    let place = Place::new();
    let path = concat!(env!("CARGO_MANIFEST_DIR"), "/../../fixtures/profiles/rocprof-result.json");
    let json = std::fs::read(path).expect(path);
    // The content decides, not the name.
    place.file("run.bin", rocpd_db::of_result(&json, rocpd_db::Schema::Columns));
    let (inspected, replayed) = both(&place, "run.bin", &[]);
    assert!(inspected.contains("MI300X") && inspected.contains("gemm(float*)"), "{inspected}");
    assert!(replayed.contains("greedy"), "{replayed}");
}

#[test]
fn a_database_of_rocm_profile_data() {
    let Some(file) = sample("rpd/rocmprofiledata_matmul.rpd") else {
        return;
    };
    let file = file.to_str().expect("a path in UTF-8");
    let (inspected, replayed) = both(&Place::new(), file, &["--device", "mi210"]);
    assert!(
        inspected.contains("CopyDeviceToHost") || inspected.contains("29 kernel"),
        "{inspected}"
    );
    assert!(replayed.contains("greedy"), "{replayed}");
}

#[test]
fn planes_of_jax() {
    let Some(file) = sample("jax/tracelens_mi300_conv.xplane.pb") else {
        return;
    };
    let file = file.to_str().expect("a path in UTF-8");
    let (inspected, replayed) = both(&Place::new(), file, &[]);
    assert!(inspected.contains("__amd_rocclr_copyBuffer"), "{inspected}");
    assert!(inspected.contains("304"), "its plane says how many units: {inspected}");
    assert!(replayed.contains("greedy"), "{replayed}");
}
