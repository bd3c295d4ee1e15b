//! Do real exports of Nsight Systems give the figures that were counted in them independently?
//!
//! The figures come from queries of Python's `sqlite3` over the raw files.
#![cfg(feature = "sqlite")]

use raddle_trace::{
    Field, ImportConfig, Op, OpKind, Origin, Profile, ProfileFormat, SourceDevice, open,
};

/// Imports the sample of this name for the device `device`; `None` where samples are absent and
/// need not be there.
fn sample(name: &str, device: Option<u32>) -> Option<Profile> {
    let options = ImportConfig { device, ..ImportConfig::default() };
    Some(open(&raddle_testkit::sample(name)?, &options).expect(name))
}

/// Returns the numbers of (rows, kernels, copies, fills, workgroups, streams) of a profile, and its
/// span in nanoseconds.
fn figures(p: &Profile) -> (u64, u64, u64, u64, u64, usize, u64) {
    let workgroups = p.ops.iter().map(|op| op.workgroups).sum();
    let r = p.report;
    (r.events, r.kernels, r.copies, r.sets, workgroups, p.streams.len(), p.span_ns)
}

/// Returns two sums over the kernels of a profile: registers of a work-item, bytes of shared memory
/// of a workgroup.
fn sums(p: &Profile) -> (u64, u64) {
    let of = |f: fn(&Op) -> u32| p.ops.iter().map(|op| u64::from(f(op))).sum();
    (of(|op| op.footprint.vgprs_per_thread), of(|op| op.footprint.lds_bytes))
}

fn joined(p: &Profile) -> usize {
    p.ops.iter().filter(|op| op.provenance.of(Field::Arrival) == Origin::Joined).count()
}

fn quirks(p: &Profile) -> Vec<(&'static str, u64)> {
    p.report.quirks().map(|met| (met.name, met.count)).collect()
}

#[test]
fn two_h100_in_schema_3_25() {
    let name = "nsys/nsysai_h100_2gpu_1s.sqlite.gz";
    for (device, stream, span, registers_and_lds) in [
        (None, "7", 969_447_605, (110_823, 9_214_368)),
        (Some(1), "15", 969_258_578, (110_823, 9_214_368)),
    ] {
        let Some(p) = sample(name, device) else {
            return;
        };
        assert_eq!(figures(&p), (10_164, 1_721, 452, 11, 514_538, 1, span));
        assert_eq!(sums(&p), registers_and_lds);
        assert_eq!((p.streams[0].label.as_str(), joined(&p)), (stream, 1_046));
        let counts = [("other-device", 2_184), ("no-device", 1), ("no-launch-call", 1_138)];
        assert_eq!(quirks(&p), counts);
        assert!(p.ops.iter().all(|op| op.priority == Some(0)));
        assert_eq!((p.device.is_none(), p.resolution_ns), (true, 1));
    }
}

#[test]
fn two_kernels_of_an_rtx_3080_in_schema_3_24() {
    let Some(p) = sample("nsys/nsysai_rtx3080_2kernels.sqlite.gz", None) else {
        return;
    };
    assert_eq!(figures(&p), (12, 2, 1, 0, 2, 1, 39_908_440));
    assert_eq!((sums(&p), joined(&p)), ((44, 16), 3));
    assert_eq!(quirks(&p), []);
    let wanted = SourceDevice {
        name: "NVIDIA GeForce RTX 3080".into(),
        sms: Some(68),
        compute_major: Some(8),
        compute_minor: Some(6),
        registers_per_sm: Some(65_536),
        threads_per_sm: Some(1_536),
        shared_bytes_per_sm: Some(102_400),
        wave_size: Some(32),
        workgroups_per_sm: Some(16),
        memory_bytes: Some(10_736_893_952),
        ..SourceDevice::default()
    };
    assert_eq!(p.device, Some(wanted));
}

#[test]
fn cloverleaf_on_an_a100_in_schema_3_13() {
    let Some(p) = sample("nsys/pipit_cloverleaf_a100.sqlite.gz", None) else {
        return;
    };
    assert_eq!(figures(&p), (4_639, 1_312, 279, 0, 38_180_428, 1, 342_443_043));
    assert_eq!((sums(&p), joined(&p)), ((36_308, 51_200), 1_591));
    assert_eq!(quirks(&p), []);
    let kernels = p.ops.iter().filter(|op| op.kind == OpKind::Kernel).map(|op| op.kernel);
    assert_eq!(kernels.collect::<std::collections::BTreeSet<_>>().len(), 102);
    let device = p.device.expect("it is in the file");
    assert_eq!((device.name.as_str(), device.sms), ("NVIDIA A100-SXM4-80GB", Some(108)));
    assert_eq!(device.threads_per_sm.zip(device.workgroups_per_sm), Some((2_048, 32)));
}

#[test]
fn a_report_says_what_the_database_says_as_far_as_it_goes() {
    for device in [0, 1] {
        let report = sample("derived/h100_cuda_gpu_trace.csv.gz", Some(device));
        let database = sample("nsys/nsysai_h100_2gpu_1s.sqlite.gz", Some(device));
        let (Some(report), Some(database)) = (report, database) else {
            return;
        };
        assert_eq!(report.format, ProfileFormat::NsysCsv);
        // The report was made of the kernels alone.
        let (events, kernels, copies, sets, workgroups, streams, _) = figures(&report);
        assert_eq!((events, kernels, copies, sets), (3_442, 1_721, 0, 0));
        assert_eq!((workgroups, streams), (514_538, 1));
        assert_eq!(report.streams, database.streams);
        let name = report.device.as_ref().map(|device| device.name.as_str());
        assert_eq!(name, Some("NVIDIA H100 80GB HBM3"));
        let kernels: Vec<_> = database.ops.iter().filter(|op| op.kind == OpKind::Kernel).collect();
        let (first, mut alike) = (kernels[0].start_ns, 0);
        for (one, other) in report.ops.iter().zip(kernels) {
            assert_eq!(one.start_ns, other.start_ns - first);
            assert_eq!((one.duration_ns, one.grid), (other.duration_ns, other.grid));
            let name = &report.kernels[one.kernel as usize];
            assert_eq!(name, &database.kernels[other.kernel as usize]);
            let (a, b) = (one.footprint, other.footprint);
            assert_eq!((a.threads, a.vgprs_per_thread), (b.threads, b.vgprs_per_thread));
            assert!(a.lds_bytes.abs_diff(b.lds_bytes) < 1000, "{} {}", a.lds_bytes, b.lds_bytes);
            alike += usize::from(a.lds_bytes == b.lds_bytes);
        }
        // 1,343 have none and 20 ask for 33 KiB; the others ask for no whole KiB.
        assert_eq!(alike, 1_363);
        let counts =
            [("other-device", 1_721), ("no-launch-call", 1_721), ("rounded-shared-memory", 1_721)];
        assert_eq!(quirks(&report), counts);
    }
}

#[test]
fn hosts_wait_where_the_exports_say_so() {
    let wanted = [
        ("nsysai_h100_2gpu_1s.sqlite.gz", (5, Some(100))),
        ("nsysai_rtx3080_2kernels.sqlite.gz", (1, Some(100))),
        ("pipit_cloverleaf_a100.sqlite.gz", (1_337, Some(100))),
    ];
    let found = wanted.map(|(name, wanted)| {
        let found = crate::common::sample(&format!("nsys/{name}")).map(|p| p.expect(name));
        let percent = |share: f64| (share * 100.0).floor() as u32;
        let figures = |p: raddle_trace::Profile| (p.host_waits.len(), p.known_waits().map(percent));
        (name, found.map_or(wanted, figures))
    });
    assert_eq!(found, wanted);
}
