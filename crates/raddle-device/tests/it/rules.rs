//! Are granules, residency and its limiters right?

use proptest::prelude::*;
use raddle_device::{Device, Granules, find, table};
use raddle_policy::{CuShape, Demand, Footprint, Resource, Ticks};

pub(crate) fn footprint(threads: u32, vgprs_per_thread: u32, lds_bytes: u32) -> Footprint {
    Footprint { threads, vgprs_per_thread, lds_bytes, ..Footprint::default() }
}

/// Counts the workgroups that an empty compute unit holds by filling it wave by wave, each wave on
/// the first SIMD that has room for it.
fn naive(shape: &CuShape, demand: &Demand) -> u32 {
    let simds = usize::from(shape.simds);
    let mut waves = vec![shape.waves_per_simd; simds];
    let mut vgpr = vec![shape.vgpr_per_simd; simds];
    let (mut sgpr, mut lds) = (u32::from(shape.sgpr), shape.lds);
    let (mut slots, mut barriers) = (shape.workgroups, shape.barriers);
    let mut placed = 0;
    loop {
        let wave_sgpr = if shape.sgpr == u16::MAX { 0 } else { u32::from(demand.sgpr) };
        if slots == 0 || lds < demand.lds || barriers < demand.barriers {
            return placed;
        }
        for _ in 0..demand.waves {
            let fits = |simd: &usize| waves[*simd] > 0 && vgpr[*simd] >= demand.vgpr;
            let Some(simd) = (0..simds).find(fits).filter(|_| sgpr >= wave_sgpr) else {
                return placed;
            };
            waves[simd] -= 1;
            vgpr[simd] -= demand.vgpr;
            sgpr -= wave_sgpr;
        }
        slots -= 1;
        lds -= demand.lds;
        barriers -= demand.barriers;
        placed += 1;
    }
}

proptest! {
    #[test]
    fn residency_equals_filling_one_by_one(
        device in 0..table().len(),
        threads in 1u32..1100,
        registers in 0u32..260,
        sgprs in 0u32..110,
        lds in 0u32..170_000,
    ) {
        let device = &table()[device];
        let asked = Footprint { sgprs_per_wave: sgprs, ..footprint(threads, registers, lds) };
        let residency = device.residency(&asked);
        match device.demand(&asked) {
            Ok(demand) => prop_assert_eq!(residency.workgroups(), naive(&device.shape, &demand)),
            Err(unfit) => {
                prop_assert_eq!((residency.workgroups(), residency.limiter()), (0, unfit.resource));
                prop_assert!(unfit.wanted > unfit.available);
            }
        }
    }

    /// Compares residency (workgroups that an empty compute unit holds) with filling a compute unit
    /// workgroup by workgroup, for compute units that nobody builds.
    #[test]
    fn residency_equals_filling_one_by_one_on_any_shape(
        shape in (1u8..=8, 1u16..12, 0u16..40, 0u16..60, 0u32..40, 1u16..20, 0u16..10),
        granules in (1u32..9, 1u32..9, 1u32..300, 0u32..300),
        nvidia: bool,
        threads in 1u32..900,
        registers in 0u32..90,
        sgprs in 0u32..60,
        lds in 0u32..4000,
    ) {
        let (simds, waves_per_simd, vgpr_per_simd, sgpr, lds_size, workgroups, barriers) = shape;
        let (vgprs_per_lane, sgprs_granule, lds_bytes, lds_reserve_bytes) = granules;
        let base = find(if nvidia { "v100" } else { "mi50" }).unwrap();
        let device = Device {
            shape: CuShape {
                simds, waves_per_simd, vgpr_per_simd, sgpr, lds: lds_size, workgroups, barriers,
            },
            granules: Granules { vgprs_per_lane, sgprs: sgprs_granule, lds_bytes, lds_reserve_bytes },
            ..base
        };
        let asked = Footprint { sgprs_per_wave: sgprs, ..footprint(threads, registers, lds) };
        let residency = device.residency(&asked);
        match device.demand(&asked) {
            Ok(demand) => prop_assert_eq!(residency.workgroups(), naive(&device.shape, &demand)),
            Err(unfit) => {
                prop_assert_eq!((residency.workgroups(), residency.limiter()), (0, unfit.resource));
                prop_assert!(unfit.wanted > unfit.available, "{}", unfit);
            }
        }
    }

    #[test]
    fn no_footprint_panics(threads: u32, vgprs: u32, sgprs: u32, lds: u32, device in 0..table().len()) {
        let asked = Footprint { sgprs_per_wave: sgprs, ..footprint(threads, vgprs, lds) };
        let device = &table()[device];
        if let Ok(demand) = device.demand(&asked) {
            let _ = device.context_bytes(&demand);
        }
        let _ = device.residency(&asked);
    }
}

/// Checks that a register or a byte more than a whole number of granules takes a whole granule
/// more, so that fewer workgroups fit.
#[test]
fn one_over_a_granule_costs_a_whole_one() {
    let resident = |device: &Device, f: Footprint| device.residency(&f).workgroups();
    let v100 = find("v100").unwrap();
    assert_eq!(resident(&v100, footprint(256, 32, 0)), 8);
    assert_eq!(resident(&v100, footprint(256, 33, 0)), 6, "33 registers take 40");
    assert_eq!(resident(&v100, footprint(32, 0, 3 * 1024)), 32);
    assert_eq!(resident(&v100, footprint(32, 0, 3 * 1024 + 1)), 29, "3328 bytes");
    let a100 = find("a100").unwrap();
    assert_eq!(resident(&a100, footprint(64, 0, 4096)), 32);
    assert_eq!(resident(&a100, footprint(64, 0, 4225)), 31, "1 KiB a block is reserved");
    let mi300x = find("mi300x").unwrap();
    assert_eq!(resident(&mi300x, footprint(64, 64, 0)), 32);
    assert_eq!(resident(&mi300x, footprint(64, 65, 0)), 28, "65 registers take 72");
    let nano = find("r9-nano").unwrap();
    let contract = |threads, vgprs, sgprs, lds| {
        resident(&nano, Footprint { sgprs_per_wave: sgprs, ..footprint(threads, vgprs, lds) })
    };
    assert_eq!(contract(256, 32, 16, 4096), 8, "k0");
    assert_eq!(contract(64, 24, 32, 0), 40, "k1");
    assert_eq!(contract(512, 64, 48, 16384), 2, "k2");
    assert_eq!(contract(128, 128, 96, 8192), 4, "k3");
}

#[test]
fn the_limiter_is_named() {
    let v100 = find("v100").unwrap();
    let limiter = |f| v100.residency(&f).limiter();
    assert_eq!(limiter(footprint(1024, 32, 0)), Resource::Waves);
    assert_eq!(limiter(footprint(32, 16, 0)), Resource::Workgroups);
    assert_eq!(limiter(footprint(256, 64, 0)), Resource::Vgpr);
    assert_eq!(limiter(footprint(32, 16, 50_000)), Resource::Lds);
    assert_eq!(limiter(footprint(2048, 16, 0)), Resource::Waves);
    let mi50 = find("mi50").unwrap();
    let small = footprint(128, 16, 0);
    // 32 waves and 16 barriers both hold 16 workgroups of two waves: waves come first.
    let residency = mi50.residency(&small);
    let limiter = residency.limiter();
    assert_eq!(
        (residency.limit(Resource::Waves), residency.limit(Resource::Barriers), limiter),
        (16, 16, Resource::Waves)
    );
    let few = Device { shape: CuShape { barriers: 8, ..mi50.shape }, ..mi50 };
    assert_eq!(few.residency(&small).limiter(), Resource::Barriers);
}

#[test]
fn context_is_registers_and_lds() {
    let v100 = find("v100").unwrap();
    let demand = v100.demand(&footprint(256, 32, 4096)).unwrap();
    // 8 warps x 32 lanes x 32 registers x 4 bytes, and 4 KiB.
    assert_eq!(v100.context_bytes(&demand), 8 * 32 * 32 * 4 + 4096);
}

/// Checks for each resource that a workgroup which exactly fills a compute unit is admitted, and
/// one of a granule more is refused, with the amounts.
#[test]
fn what_fills_a_compute_unit_is_admitted_and_one_more_is_not() {
    let refused = |device: &Device, asked: &Footprint| {
        assert_eq!(device.residency(asked).workgroups(), 0);
        let unfit = device.demand(asked).unwrap_err();
        (unfit.resource, unfit.wanted, unfit.available)
    };
    let admitted = |device: &Device, asked: &Footprint| {
        assert_eq!(device.residency(asked).workgroups(), 1);
        device.demand(asked).unwrap()
    };
    let v100 = find("v100").unwrap();
    assert_eq!(admitted(&v100, &footprint(32, 0, 98_304)).lds, 384);
    assert_eq!(refused(&v100, &footprint(32, 0, 98_305)), (Resource::Lds, 385, 384));
    assert_eq!(admitted(&v100, &footprint(1024, 64, 0)).vgpr, 8);
    assert_eq!(refused(&v100, &footprint(1024, 65, 0)), (Resource::Vgpr, 65, 64));
    assert_eq!(admitted(&v100, &footprint(256, 255, 0)).vgpr, 32);
    assert_eq!(refused(&v100, &footprint(256, 256, 0)), (Resource::Vgpr, 256, 255));
    assert_eq!(refused(&v100, &footprint(1025, 0, 0)), (Resource::Waves, 33, 32));
    // 5 warps of 33 granules: 2 fall to one SIMD of 64, though the SM has 256.
    let split = Device { max_vgprs_per_thread: 512, ..v100.clone() };
    assert_eq!(refused(&split, &footprint(160, 260, 0)), (Resource::Vgpr, 260, 256));

    // Half of a compute unit's registers for a workgroup, as compute capability 6.2 has it.
    let half = Device { max_vgprs_per_workgroup: Some(32_768), ..v100.clone() };
    assert_eq!(half.residency(&footprint(1024, 32, 0)).workgroups(), 2);
    assert_eq!(refused(&half, &footprint(1024, 33, 0)), (Resource::Vgpr, 33, 32));
    assert_eq!(refused(&half, &footprint(672, 49, 0)), (Resource::Vgpr, 49, 48), "whole granules");
    assert_eq!(half.residency(&footprint(512, 64, 0)).workgroups(), 2);
    assert_eq!(v100.residency(&footprint(672, 49, 0)).workgroups(), 1);

    let a100 = find("a100").unwrap();
    assert_eq!(admitted(&a100, &footprint(32, 0, 166_912)).lds, 1312);
    assert_eq!(refused(&a100, &footprint(32, 0, 166_913)), (Resource::Lds, 1313, 1312));

    let nano = find("r9-nano").unwrap();
    let sgprs = |n| Footprint { sgprs_per_wave: n, ..footprint(2560, 4, 0) };
    assert_eq!(admitted(&nano, &sgprs(80)).sgpr, 5);
    assert_eq!(refused(&nano, &sgprs(81)), (Resource::Sgpr, 240, 200));
    assert_eq!(refused(&nano, &footprint(2561, 4, 0)), (Resource::Waves, 41, 40));

    let mi350x = find("mi350x").unwrap();
    assert_eq!(admitted(&mi350x, &footprint(64, 0, 163_840)).lds, 128);
    assert_eq!(refused(&mi350x, &footprint(64, 0, 163_841)), (Resource::Lds, 129, 128));
}

#[test]
fn a_workgroup_without_threads_is_malformed() {
    for device in table() {
        let unfit = device.demand(&footprint(0, 300, u32::MAX)).unwrap_err();
        let malformed = |unfit: raddle_device::Unfit| unfit.to_string().contains("without threads");
        assert!(malformed(unfit), "{unfit}");
        assert!(!malformed(device.demand(&footprint(4096, 0, 0)).unwrap_err()));
    }
}

#[test]
fn only_amd_workgroups_of_several_waves_take_a_barrier() {
    for (id, threads, barriers) in
        [("mi300x", 64, 0), ("mi300x", 65, 1), ("mi300x", 1024, 1), ("h100", 1024, 0)]
    {
        let demand = find(id).unwrap().demand(&footprint(threads, 8, 0)).unwrap();
        assert_eq!(demand.barriers, barriers, "{id} {threads}");
    }
}

#[test]
fn all_limits_that_are_reached_are_named_in_order() {
    let residency = find("v100").unwrap().residency(&footprint(64, 32, 3072));
    let reached: Vec<Resource> = residency.reached(residency.workgroups()).collect();
    let tied = [Resource::Workgroups, Resource::Waves, Resource::Vgpr, Resource::Lds];
    assert_eq!((residency.limiter(), &*reached), (Resource::Workgroups, &tied[..]));
}

#[test]
fn moving_takes_bytes_over_bandwidth_rounded_up() {
    let v100 = find("v100").unwrap();
    let demand = v100.demand(&footprint(256, 32, 4096)).unwrap();
    // 36,864 bytes at 900,000 bytes a microsecond: 40.96 ns; ten of them 409.6 ns.
    let context = v100.context_bytes(&demand);
    assert_eq!([1, 10].map(|n| v100.moving(n * context)), [Ticks(41), Ticks(410)]);
    assert_eq!((v100.moving(0), v100.moving(900)), (Ticks(0), Ticks(1)));
    assert_eq!(v100.moving(900_000_000), Ticks(1_000_000));
    let slow = Device { memory_bytes_per_us: 0, ..v100 };
    assert_eq!(slow.moving(u64::MAX), Ticks(u64::MAX));
}
