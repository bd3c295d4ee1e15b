//! Is the bundled profile what its README says?

use std::path::Path;

use raddle_trace::{ImportOptions, Profile, Quirk, open};

fn bundled(name: &str) -> Profile {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../raddle/data/profile");
    open(&folder.join(name), &ImportOptions::default()).expect(name)
}

fn device(profile: &Profile) -> &str {
    profile.device.as_ref().map_or("", |device| &device.name)
}

#[test]
fn training_has_three_streams() {
    let p = bundled("train.csv");
    assert_eq!((p.ops.len(), p.streams.len(), device(&p)), (500, 3, "v100"));
    assert_eq!(p.span_ns / 1_000_000, 80);
    assert_eq!((p.resolution_ns, p.report.count(Quirk::NoLaunchCall)), (1000, 0));
}

#[test]
fn inference_has_one_stream() {
    let p = bundled("infer.csv");
    assert_eq!((p.ops.len(), p.streams.len(), device(&p)), (929, 1, "b200"));
    assert_eq!(p.span_ns / 1_000_000, 84);
    assert_eq!((p.resolution_ns, p.report.count(Quirk::NoLaunchCall)), (1, 0));
}

#[test]
fn names_are_short_and_plain() {
    for p in [bundled("train.csv"), bundled("infer.csv")] {
        for name in &p.kernels {
            assert!(name.len() <= 40 && !name.contains(['<', '(', ':', '/']), "{name}");
        }
    }
}
