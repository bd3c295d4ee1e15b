//! Which device does an export of Nsight Systems name, and what of it is known?
#![cfg(feature = "sqlite")]

use crate::nsys::{import, labels, place, try_import};
use crate::nsys_db::*;
use raddle_trace::{ImportConfig, SourceDevice, TraceError};

/// Returns the device's name in the profile of a database, and the counts of the faults of the file
/// that concern the device.
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

/// Imports a database with these rows of memory events, and returns the most memory that its
/// programs held at once, in bytes. A row is start, process above 100, device, address, bytes,
/// kind, whether it frees, and the pool with its size, or 0.
fn held(rows: &[[i64; 9]]) -> Option<u64> {
    let db = Db::new();
    db.kernel(&[]);
    for &[start, process, device, address, bytes, kind, frees, pool, size] in rows {
        let pool = if pool == 0 { "NULL, NULL".to_owned() } else { format!("{pool}, {size}") };
        let process = PID_100 + (process << 24);
        db.sql(&format!(
            "CREATE TABLE IF NOT EXISTS CUDA_GPU_MEMORY_USAGE_EVENTS (start, globalPid, deviceId,
                 address, bytes, memKind, memoryOperationType, localMemoryPoolAddress,
                 localMemoryPoolSize);
             INSERT INTO CUDA_GPU_MEMORY_USAGE_EVENTS VALUES ({start}, {process}, {device},
                 {address}, {bytes}, {kind}, {frees}, {pool});"
        ));
    }
    import(&db).memory_bytes
}

#[test]
fn allocations_add_up_to_the_most_memory() {
    const DEVICE: i64 = 2;
    const MANAGED: i64 = 4;
    assert_eq!(held(&[]), None);
    let rows = [
        // Rows are in no order: 100, 400, 300, 350 and 50 bytes are held.
        [20, 0, 0, 0xb, 300, DEVICE, 0, 0, 0],
        [10, 0, 0, 0xa, 100, DEVICE, 0, 0, 0],
        [30, 0, 0, 0xa, 100, DEVICE, 1, 0, 0],
        [40, 0, 0, 0xc, 50, MANAGED, 0, 0, 0],
        [50, 0, 0, 0xb, 300, DEVICE, 1, 0, 0],
    ];
    assert_eq!(held(&rows), Some(400));
    assert_eq!(held(&rows[2..]), Some(50), "what was allocated before is not known");
    assert_eq!(held(&[[10, 0, 0, 0xa, 9, 1, 0, 0, 0]]), None, "pinned memory of the host");
    assert_eq!(held(&[[10, 0, 1, 0xa, 9, DEVICE, 0, 0, 0]]), None, "another device");
    let two = [[10, 0, 0, 0xa, 7, DEVICE, 0, 0, 0], [20, 1, 0, 0xa, 5, DEVICE, 0, 0, 0]];
    assert_eq!(held(&two), Some(12), "processes have addresses of their own");
    let pool = [[10, 0, 0, 0xa, 7, DEVICE, 0, 9, 64], [20, 0, 0, 0xb, 8, DEVICE, 0, 9, 64]];
    assert_eq!(held(&pool), Some(64), "the pool holds more than its blocks");
}
