//! Are the bundled pair, and the pair of the fixtures, what their READMEs say?

use std::path::Path;

use raddle_trace::{Field, ImportConfig, OpKind, Origin, Profile, open};

fn table(folder: &str, name: &str) -> Profile {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join(folder);
    open(&folder.join(name), &ImportConfig::default()).expect(name)
}

fn bundled(name: &str) -> Profile {
    table("../../fixtures/pair", name)
}

/// Returns whether each op is issued at time 0 and starts when the op before it ends.
fn is_packed(profile: &Profile) -> bool {
    let mut end = 0;
    profile.ops.iter().all(|op| {
        let follows = (op.arrival_ns, op.start_ns) == (0, end);
        end = op.end_ns();
        follows
    })
}

#[test]
fn the_packed_pair_is_packed() {
    for (name, kernels, others, end_ns) in
        [("decode.csv", 694, 161, 9_524_259), ("train.csv", 462, 34, 27_294_000)]
    {
        let p = table("../../fixtures/packed", name);
        let found = p.ops.iter().filter(|op| op.kind == OpKind::Kernel).count();
        assert_eq!((found, p.ops.len() - found, p.span_ns), (kernels, others, end_ns), "{name}");
        assert!(is_packed(&p), "{name}");
    }
}

/// Checks that each host of the bundled pair of profiles waits for its work, so that both can be
/// replayed in a closed loop.
#[test]
fn the_bundled_pair_is_of_one_device_and_has_the_waits_of_its_hosts() {
    for (name, kernels, others) in [("decode.csv", 593, 2), ("train.csv", 320, 95)] {
        let p = table("../raddle/data/demo", name);
        let found = p.ops.iter().filter(|op| op.kind == OpKind::Kernel).count();
        assert_eq!((found, p.ops.len() - found, device(&p)), (kernels, others, "h200"), "{name}");
        assert_eq!((p.host_waits.len(), p.known_waits()), (1, Some(1.0)), "{name}");
        assert!(p.ops.iter().all(|op| op.provenance.of(Field::Arrival) == Origin::Measured));
    }
}

fn device(profile: &Profile) -> &str {
    profile.device.as_ref().map_or("", |device| &device.name)
}

#[test]
fn training_has_three_streams() {
    let p = bundled("train.csv");
    assert_eq!((p.ops.len(), p.streams.len(), device(&p)), (500, 3, "v100"));
    assert_eq!(p.span_ns / 1_000_000, 80);
    assert_eq!((p.resolution_ns, p.report.met("no-launch-call")), (1000, 0));
}

#[test]
fn inference_has_one_stream() {
    let p = bundled("infer.csv");
    assert_eq!((p.ops.len(), p.streams.len(), device(&p)), (929, 1, "b200"));
    assert_eq!(p.span_ns / 1_000_000, 84);
    assert_eq!((p.resolution_ns, p.report.met("no-launch-call")), (1, 0));
}

#[test]
fn names_are_short_and_plain() {
    for p in [bundled("train.csv"), bundled("infer.csv")] {
        for name in &p.kernels {
            assert!(name.len() <= 40 && !name.contains(['<', '(', ':', '/']), "{name}");
        }
    }
}
