//! Are kernels of AMD's GPUs read, whose grids and queues stand elsewhere?

use raddle_policy::{Barrier, Dim3};
use raddle_trace::{Field, Origin, StreamLabel};

use super::{MI300X, amd, count, hip, origins, with};
use crate::common::{lines, quirks};

#[test]
fn quirk_10_amd_grids_are_in_the_unit_of_their_launch_call() {
    let shape = r#","grid":[512,3,1],"block":[256,1,1]"#;
    let one = |launch: &str| {
        let p = with(MI300X, &[hip(launch, 5, "[512,3,1]", 0), amd("k", 10, 5, shape)]);
        assert_eq!(origins(&p.ops[0]), [Origin::Joined, Origin::Joined, Origin::Assumed]);
        p.ops[0].grid
    };
    for launch in ["hipExtModuleLaunchKernel", "hipHccModuleLaunchKernel"] {
        assert_eq!(one(launch), Dim3::new(2, 3, 1), "{launch}");
    }
    for launch in ["hipLaunchKernel", "hipModuleLaunchKernel", "hipExtLaunchKernel"] {
        assert_eq!(one(launch), Dim3::new(512, 3, 1), "{launch}");
    }
}

#[test]
fn quirk_10_amd_grids_that_do_not_divide_are_rounded_up() {
    let shape = r#","grid":[513,1,1],"block":[256,1,1]"#;
    let launch = hip("hipExtModuleLaunchKernel", 5, "[513,1,1]", 0);
    let p = with(MI300X, &[launch, amd("k", 10, 5, shape)]);
    assert_eq!((p.ops[0].workgroups, p.ops[0].footprint.threads), (3, 256));
    assert_eq!(count(&p, "uneven-grid"), 1);
}

#[test]
fn quirk_10_amd_before_2024_the_launch_call_alone_has_the_grid() {
    let launch = hip("hipExtModuleLaunchKernel", 5, "[512,1,1]", 2048);
    let p = with(MI300X, &[launch, amd("k", 10, 5, "")]);
    assert_eq!(lines(&p), ["k @0 2x1x1=2 256t 0r 2048B assumed; 0j 9000 5000 after -"]);
    assert_eq!(quirks(&p), [("queue-lanes", 1), ("no-registers", 1), ("dynamic-lds-only", 1)]);
}

#[test]
fn quirk_10_amd_without_dynamic_lds_a_barrier_stays_possible() {
    let launch = hip("hipLaunchKernel", 5, "[4,1,1]", 0);
    let p = with(MI300X, &[launch, amd("k", 10, 5, "")]);
    assert_eq!(p.ops[0].footprint.barrier, Barrier::Assumed);
}

#[test]
fn quirk_10_amd_kernels_without_a_grid_take_the_commonest_shape_of_their_name() {
    let p = with(
        MI300X,
        &[
            hip("hipLaunchKernel", 1, "[9,1,1]", 64),
            hip("hipLaunchKernel", 2, "[4,1,1]", 32),
            hip("hipLaunchKernel", 3, "[4,1,1]", 32),
            hip("hipLaunchKernel", 4, "[9,1,1]", 64),
            hip("hipGraphLaunch", 5, "[1,1,1]", 1),
            amd("k", 10, 1, ""),
            amd("k", 20, 2, ""),
            amd("k", 30, 3, ""),
            amd("k", 40, 77, ""),
            amd("k", 50, 5, ""),
            amd("tie", 60, 2, ""),
            amd("tie", 70, 4, ""),
            amd("tie", 80, 77, ""),
            amd("alone", 90, 5, ""),
        ],
    );
    let shapes: Vec<_> = p.ops.iter().map(|op| (op.workgroups, op.footprint.lds_bytes)).collect();
    let (nine, four) = ((9, 64), (4, 32));
    // The third kernel of `tie` takes what came first in the file, `alone` has nothing to take.
    assert_eq!(shapes, [nine, four, four, four, four, four, nine, four, (0, 0)]);
    assert!(p.ops[8].is_opaque() && p.ops[8].duration_ns > 0);
    assert_eq!(origins(&p.ops[3]), [Origin::Assumed; 3]);
    assert_eq!(count(&p, "shape-of-others"), 3);
    assert_eq!(count(&p, "no-shape"), 1);
    assert_eq!(p.ops[4].provenance.of(Field::Arrival), Origin::Joined);
    assert_eq!(count(&p, "graph-launch"), 2);
}

#[test]
fn quirk_10_amd_a_grid_without_a_launch_has_the_unit_of_others_else_of_its_name() {
    let shape = r#","grid":[512,1,1],"block":[256,1,1]"#;
    let other = r#","grid":[256,1,1],"block":[256,1,1]"#;
    let p = with(
        MI300X,
        &[
            hip("hipExtModuleLaunchKernel", 1, "[256,1,1]", 16),
            hip("hipLaunchKernel", 2, "[256,1,1]", 0),
            amd("by_others", 10, 1, other),
            amd("by_others", 20, 0, shape),
            amd("Cijk_by_others", 30, 2, other),
            amd("Cijk_by_others", 40, 0, shape),
            amd("Cijk_Alik_Bljk", 50, 0, shape),
            amd("igemm_fwd_gtcx3", 60, 0, shape),
            amd("void f<int>(int)", 70, 0, shape),
        ],
    );
    let workgroups: Vec<_> = p.ops.iter().map(|op| op.workgroups).collect();
    assert_eq!(workgroups, [1, 2, 256, 512, 2, 2, 512]);
    assert_eq!(count(&p, "grid-unit-assumed"), 5);
    assert_eq!(count(&p, "no-shared-memory"), 5);
    assert_eq!(origins(&p.ops[1]), [Origin::Assumed; 3]);
}

#[test]
fn quirk_10_amd_without_any_grid_all_are_opaque() {
    let p = with(MI300X, &[hip("hipGraphLaunch", 1, "[1,1,1]", 0), amd("k", 10, 1, "")]);
    assert_eq!((p.report.kernels, p.unknown_time().opaque), (1, 1));
    assert!(p.unknown_time().is_much());
}

#[test]
fn quirk_10_amd_devices_need_not_be_listed_under_their_number() {
    let at = |device: u32| {
        let kernel = amd("k", 10, 5, "").replace("\"device\":0", &format!("\"device\":{device}"));
        with(MI300X, &[hip("hipLaunchKernel", 5, "[4,1,1]", 0), kernel])
    };
    assert_eq!((count(&at(0), "device-not-listed"), count(&at(9), "device-not-listed")), (0, 1));
    let device = at(9).device.expect("the only one");
    assert_eq!((device.sms, device.wave_size, device.arch.as_str()), (Some(304), Some(64), ""));
    assert_eq!((device.registers_per_sm, device.shared_bytes_per_sm), (None, Some(65_536)));
}

#[test]
fn quirk_10_amd_matrix_kernels_name_the_instruction_set() {
    let launch = hip("hipExtModuleLaunchKernel", 5, "[256,1,1]", 0);
    let kernel = amd("Cijk_Alik_Bljk_SB_AMBAS3_ISA90a_IU1_K1", 10, 5, "");
    let p = with(&MI300X.replace("AMD Instinct MI300X", ""), &[launch, kernel]);
    let device = p.device.expect("it is listed");
    assert_eq!((device.name.as_str(), device.arch.as_str()), ("", "gfx90a"));
}

#[test]
fn quirk_10_amd_lanes_are_queues_until_the_queue_is_named_beside_the_stream() {
    let lanes = |args: &str| {
        let p = with(MI300X, &[hip("hipLaunchKernel", 5, "[4,1,1]", 0), amd("k", 10, 5, args)]);
        (p.streams.clone(), count(&p, "queue-lanes"))
    };
    let zero = vec![StreamLabel { label: "0".into(), context: None }];
    assert_eq!(lanes(""), (zero.clone(), 1));
    assert_eq!(lanes(r#","hsa_queue":3"#), (zero, 0));
}
