//! Which device does an export of Nsight Systems name, and what of it is known?
#![cfg(feature = "sqlite")]

use crate::nsys::{import, labels, place, try_import};
use crate::nsys_db::*;
use raddle_trace::{ImportConfig, SourceDevice, TraceError};

/// The name of the device and what was said of it.
pub(crate) fn device(db: &Db) -> (Option<String>, Vec<(&'static str, u64)>) {
    let p = import(db);
    let ours = ["no-device", "device-not-listed"].map(|quirk| (quirk, p.report.met(quirk)));
    (p.device.map(|d| d.name), ours.into_iter().filter(|&(_, n)| n > 0).collect())
}

#[test]
fn quirk_18_the_device_is_found_through_cudas_number_not_the_row() {
    let db = Db::new();
    db.kernel(&[]).gpu("zeros", &[("id", 0), ("smCount", 0), ("cuDevice", 0)]);
    assert_eq!(device(&db), (None, vec![("no-device", 1)]), "rows of zeros say nothing");
    db.gpu("other", &[("id", 1), ("cuDevice", 3)]);
    assert_eq!(device(&db), (Some("other".into()), vec![("device-not-listed", 1)]));
    db.gpu("this", &[("id", 2), ("cuDevice", 0)]);
    assert_eq!(device(&db), (Some("this".into()), vec![]));
}

#[test]
fn the_table_of_cuda_devices_has_the_last_word() {
    let db = Db::new();
    db.kernel(&[]).gpu("by cuDevice", &[("id", 0), ("cuDevice", 0)]);
    db.gpu("by table", &[("id", 5), ("cuDevice", 9)]).gpu("other", &[("id", 6), ("cuDevice", 8)]);
    db.row(CUDA_DEVICES, &[("gpuId", 6), ("cudaId", 1), ("pid", 100)]);
    assert_eq!(device(&db).0.as_deref(), Some("by cuDevice"), "it is silent on device 0");
    db.row(CUDA_DEVICES, &[("gpuId", 5), ("cudaId", 0), ("pid", 77)]);
    assert_eq!(device(&db).0.as_deref(), Some("by table"), "as another process has it");
    db.row(CUDA_DEVICES, &[("gpuId", 6), ("cudaId", 0), ("pid", 100)]);
    assert_eq!(device(&db), (Some("other".into()), vec![]), "as the process itself has it");
}

#[test]
fn all_limits_of_the_device_are_taken() {
    let p = import(Db::new().kernel(&[]).gpu("NVIDIA H100 80GB HBM3", &[]));
    let wanted = SourceDevice {
        name: "NVIDIA H100 80GB HBM3".into(),
        sms: Some(132),
        compute_major: Some(9),
        compute_minor: Some(0),
        registers_per_sm: Some(65_536),
        threads_per_sm: Some(2048),
        shared_bytes_per_sm: Some(233_472),
        wave_size: Some(32),
        workgroups_per_sm: Some(32),
        ..SourceDevice::default()
    };
    assert_eq!(p.device, Some(wanted));
}

#[test]
fn of_several_devices_the_one_with_most_kernels_is_kept() {
    let db = Db::new();
    db.kernel(&[("start", 1)]).kernel(&[("start", 2), ("deviceId", 1)]);
    db.kernel(&[("start", 3), ("deviceId", 1)]).row(COPIES, &place(7, 9, 2));
    let p = import(&db);
    assert_eq!((p.ops.len(), p.report.met("other-device")), (2, 2));
    let zero = ImportConfig { device: Some(0), ..ImportConfig::default() };
    let p = try_import(&db, &zero).unwrap();
    assert_eq!((p.report.kernels, p.report.copies), (1, 1));
    assert_eq!(p.report.met("other-device"), 2);
    let five = ImportConfig { device: Some(5), ..ImportConfig::default() };
    let error = try_import(&db, &five).unwrap_err();
    assert!(matches!(error, TraceError::NoSuchDevice { wanted: 5, .. }));
    assert!(error.to_string().ends_with("device 0, device 1"), "{error}");
}

#[test]
fn one_number_of_two_processes_may_be_two_devices() {
    let db = Db::new();
    let pid = PID_100 + (1 << 24);
    db.kernel(&[("start", 1)]).kernel(&[("start", 2), ("globalPid", pid)]);
    db.kernel(&[("start", 3), ("globalPid", pid)]);
    db.gpu("a", &[("id", 3), ("cuDevice", 0)]).gpu("b", &[("id", 4), ("cuDevice", 1)]);
    assert_eq!(import(&db).ops.len(), 3, "nothing tells them apart");
    db.row(CUDA_DEVICES, &[("gpuId", 3), ("cudaId", 0), ("pid", 100)]);
    db.row(CUDA_DEVICES, &[("gpuId", 4), ("cudaId", 0), ("pid", 101)]);
    let p = import(&db);
    assert_eq!((p.ops.len(), p.report.met("other-device")), (2, 1));
    assert_eq!(labels(&p), ["7"]);
    assert_eq!(p.device.as_ref().unwrap().name, "b");
    assert_eq!(p.report.met("several-processes"), 0);
}

#[test]
fn quirk_18_the_version_stands_in_either_table_and_nothing_else_is_read_there() {
    for (table, version, newer) in [
        ("EXPORT_META_DATA", "2.7.0", 0),
        ("META_DATA_EXPORT", "3.25.0", 0),
        ("META_DATA_EXPORT", "3.26.1", 1),
        ("META_DATA_EXPORT", "4.0.0", 1),
        ("META_DATA_EXPORT", "unknown", 0),
    ] {
        let db = Db::new();
        let p = import(db.kernel(&[]).version(table, version));
        assert_eq!(p.report.met("newer-schema"), newer, "{version}");
        assert!(!format!("{p:?}").contains("some"), "{version}");
    }
}
