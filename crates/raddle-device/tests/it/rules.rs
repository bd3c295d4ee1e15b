//! Are granules, limiters and look-ups right, and is every device of the table usable?

use proptest::prelude::*;
use raddle_device::{
    Device, DeviceError, Granules, Properties, find, find_arch, find_product, from_properties,
    nearest, table,
};
use raddle_types::{CuShape, Demand, Footprint, Resource, Ticks};

fn footprint(threads: u32, vgprs_per_thread: u32, lds_bytes: u32) -> Footprint {
    Footprint { threads, vgprs_per_thread, lds_bytes, ..Footprint::default() }
}

/// Fills an empty compute unit wave by wave, each wave on the first SIMD that holds it.
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
            Ok(demand) => prop_assert_eq!(residency.workgroups, naive(&device.shape, &demand)),
            Err(unfit) => {
                prop_assert_eq!((residency.workgroups, residency.limiter), (0, unfit.resource));
                prop_assert!(unfit.wanted > unfit.available);
            }
        }
    }

    /// The same on compute units that nobody builds.
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
            Ok(demand) => prop_assert_eq!(residency.workgroups, naive(&device.shape, &demand)),
            Err(unfit) => {
                prop_assert_eq!((residency.workgroups, residency.limiter), (0, unfit.resource));
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

    #[test]
    fn the_nearest_name_is_in_the_table(word in "[a-z0-9 -]{0,12}") {
        prop_assert!(find(&nearest(&word)).is_some());
    }
}

#[test]
fn every_device_is_usable_and_says_where_its_figures_are_from() {
    let devices = table();
    assert_eq!(devices.len(), 18);
    for device in &devices {
        assert_eq!(device.check(), Ok(()), "{}", device.id);
        assert!(device.source.len() > 20 && device.cus > 0, "{}", device.id);
        assert_eq!(find(&device.id).as_ref(), Some(device));
        assert!(device.residency(&footprint(64, 16, 0)).workgroups > 0, "{}", device.id);
    }
    let mut ids: Vec<&String> = devices.iter().map(|device| &device.id).collect();
    ids.sort();
    ids.dedup();
    assert_eq!(ids.len(), 18);
}

/// The footprint that takes exactly `n` granules is admitted `most` times, one byte more is not.
#[test]
fn one_over_a_granule_costs_a_whole_one() {
    let resident = |device: &Device, f: Footprint| device.residency(&f).workgroups;
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
    let limiter = |f| v100.residency(&f).limiter;
    assert_eq!(limiter(footprint(1024, 32, 0)), Resource::Waves);
    assert_eq!(limiter(footprint(32, 16, 0)), Resource::Workgroups);
    assert_eq!(limiter(footprint(256, 64, 0)), Resource::Vgpr);
    assert_eq!(limiter(footprint(32, 16, 50_000)), Resource::Lds);
    assert_eq!(limiter(footprint(2048, 16, 0)), Resource::Waves);
    let mi50 = find("mi50").unwrap();
    let small = footprint(128, 16, 0);
    assert_eq!(mi50.residency(&small).limiter, Resource::Barriers);
}

#[test]
fn product_names_of_profiles_are_recognised() {
    for (name, id) in [
        ("Tesla V100-SXM2-16GB", "v100"),
        ("NVIDIA A100-PG509-200", "a100"),
        ("NVIDIA A100-SXM4-80GB", "a100"),
        ("NVIDIA H100 80GB HBM3", "h100"),
        ("NVIDIA H800", "h800"),
        ("NVIDIA B200", "b200"),
        ("NVIDIA GeForce RTX 2080 Ti", "rtx-2080-ti"),
        ("AMD Instinct MI300X", "mi300x"),
        ("AMD Instinct MI250X / MI250", "mi250x"),
        ("AMD Instinct MI250", "mi250"),
        ("AMD Instinct MI300A", "mi300a"),
        ("AMD Instinct MI325X", "mi325x"),
        ("AMD Instinct MI350X", "mi350x"),
        ("AMD Instinct MI355X", "mi355x"),
        ("gfx950", "mi350x"),
    ] {
        assert_eq!(find_product(name).map(|device| device.id).as_deref(), Some(id), "{name}");
    }
    for unknown in ["", "NVIDIA GeForce RTX 3080", "AMD Radeon Graphics", "gfx90a"] {
        assert_eq!(find_product(unknown), None, "{unknown}");
    }
}

#[test]
fn an_unknown_gpu_is_built_from_its_properties() {
    let properties = Properties {
        name: "NVIDIA GeForce RTX 4090".into(),
        sms: Some(128),
        compute_major: Some(8),
        compute_minor: Some(9),
        registers_per_sm: Some(65536),
        threads_per_sm: Some(1536),
        shared_bytes_per_sm: Some(102_400),
        wave_size: Some(32),
        ..Properties::default()
    };
    let device = from_properties(&properties).unwrap();
    assert_eq!((device.cus, device.shape.waves(), device.shape.workgroups), (128, 48, 24));
    assert_eq!(device.shape.lds, 800);
    let strange = Properties { compute_major: Some(99), ..properties.clone() };
    assert!(matches!(from_properties(&strange), Err(DeviceError::Capability { .. })));
    let silent = Properties { sms: None, ..properties.clone() };
    assert!(matches!(from_properties(&silent), Err(DeviceError::Missing { .. })));
    let empty = Properties { threads_per_sm: Some(0), ..properties };
    assert!(matches!(from_properties(&empty), Err(DeviceError::Impossible { .. })));
}

#[test]
fn a_table_device_and_its_properties_agree() {
    let properties = Properties {
        name: "Tesla V100-SXM2-16GB".into(),
        sms: Some(80),
        compute_major: Some(7),
        compute_minor: Some(0),
        registers_per_sm: Some(65536),
        threads_per_sm: Some(2048),
        shared_bytes_per_sm: Some(98304),
        wave_size: Some(32),
        ..Properties::default()
    };
    let (built, known) = (from_properties(&properties).unwrap(), find("v100").unwrap());
    assert_eq!((built.shape, built.granules, built.cus), (known.shape, known.granules, known.cus));
}

#[test]
fn an_amd_device_is_found_by_instruction_set_and_compute_units() {
    for (arch, cus, id) in [
        ("gfx906", 60, Some("mi50")),
        ("gfx908", 120, Some("mi100")),
        ("gfx90a", 104, Some("mi210")),
        ("gfx90a:sramecc+:xnack-", 110, Some("mi250x")),
        ("gfx942", 304, Some("mi300x")),
        ("GFX942", 228, Some("mi300a")),
        ("gfx950", 256, Some("mi350x")),
        ("", 104, Some("mi210")),
        ("", 256, Some("mi350x")),
        // A part of an MI300X, an MI60, an NVIDIA H100: none of the table.
        ("gfx942", 38, None),
        ("", 64, None),
        ("", 132, None),
        ("gfx942", 256, None),
    ] {
        assert_eq!(find_arch(arch, cus).map(|device| device.id).as_deref(), id, "{arch} {cus}");
    }
}

fn agent(arch: &str, cus: u32) -> Properties {
    Properties {
        name: "AMD Some-GPU 9".into(),
        sms: Some(cus),
        arch: arch.into(),
        wave_size: Some(64),
        simds_per_sm: Some(4),
        ..Properties::default()
    }
}

#[test]
fn an_unknown_amd_gpu_is_built_from_its_agent() {
    let mi350x = find("mi350x").unwrap();
    // An eighth of an MI350X (CPX mode).
    let eighth = Properties {
        waves_per_simd: Some(8),
        threads_per_sm: Some(2048),
        shared_bytes_per_sm: Some(160 * 1024),
        ..agent("gfx950", 32)
    };
    let device = from_properties(&eighth).unwrap();
    assert_eq!((device.cus, &*device.id, device.check()), (32, "some-gpu-9", Ok(())));
    assert_eq!((device.shape, device.granules), (mi350x.shape, mi350x.granules));
    assert!(device.source.contains("gfx950; bandwidth assumed, that of MI350X"));
    // What the agent says is believed, what it leaves out is what the instruction set has.
    let odd = Properties { waves_per_simd: Some(6), ..agent("gfx942", 20) };
    let shape = from_properties(&odd).unwrap().shape;
    assert_eq!(
        (shape.waves(), shape.workgroups, shape.lds, shape.vgpr_per_simd),
        (24, 24, 128, 64)
    );
}

#[test]
fn an_amd_gpu_that_cannot_be_is_refused() {
    let refusal = |properties: &Properties| from_properties(properties).unwrap_err();
    let navi = refusal(&agent("gfx1100", 48));
    assert!(matches!(navi, DeviceError::Arch { .. }), "{navi}");
    assert!(navi.to_string().contains("'gfx1100'") && navi.to_string().contains("--device"));
    let silent = Properties { sms: None, ..agent("gfx942", 1) };
    assert!(matches!(refusal(&silent), DeviceError::Missing { .. }));
    for bad in [
        Properties { sms: Some(0), ..agent("gfx942", 1) },
        Properties { sms: Some(70_000), ..agent("gfx942", 1) },
        Properties { wave_size: Some(32), ..agent("gfx942", 1) },
        Properties { simds_per_sm: Some(0), ..agent("gfx942", 1) },
        Properties { simds_per_sm: Some(256), ..agent("gfx942", 1) },
        Properties { waves_per_simd: Some(0), ..agent("gfx942", 1) },
        Properties { waves_per_simd: Some(70_000), ..agent("gfx942", 1) },
        Properties { workgroups_per_sm: Some(70_000), ..agent("gfx942", 1) },
    ] {
        assert!(matches!(refusal(&bad), DeviceError::Impossible { .. }), "{bad:?}");
    }
}

/// The rows of the table say what their instruction sets do, the R9 Nano of the contract apart.
#[test]
fn amd_rows_and_their_instruction_sets_agree() {
    for (arch, cus) in
        [("gfx906", 60), ("gfx908", 120), ("gfx90a", 104), ("gfx942", 304), ("gfx950", 256)]
    {
        let (row, built) =
            (find_arch(arch, cus).unwrap(), from_properties(&agent(arch, cus)).unwrap());
        assert_eq!((row.shape, row.granules, row.cus), (built.shape, built.granules, built.cus));
        assert_eq!(row.max_vgprs_per_thread, built.max_vgprs_per_thread, "{arch}");
    }
}

#[test]
fn workgroup_slots_that_a_profile_says_are_believed() {
    let properties = Properties { workgroups_per_sm: Some(24), ..gpu("NVIDIA X", (8, 9)) };
    assert_eq!(from_properties(&properties).unwrap().shape.workgroups, 24);
    let properties = Properties { workgroups_per_sm: Some(12), ..gpu("NVIDIA X", (8, 9)) };
    assert_eq!(from_properties(&properties).unwrap().shape.workgroups, 12);
}

#[test]
fn context_is_registers_and_lds() {
    let v100 = find("v100").unwrap();
    let demand = v100.demand(&footprint(256, 32, 4096)).unwrap();
    // 8 warps x 32 lanes x 32 registers x 4 bytes, and 4 KiB.
    assert_eq!(v100.context_bytes(&demand), 8 * 32 * 32 * 4 + 4096);
}

fn gpu(name: &str, capability: (u32, u32)) -> Properties {
    Properties {
        name: name.into(),
        sms: Some(1),
        compute_major: Some(capability.0),
        compute_minor: Some(capability.1),
        ..Properties::default()
    }
}

#[test]
fn every_known_capability_makes_a_sound_device() {
    for capability in
        [(7, 0), (7, 2), (7, 5), (8, 0), (8, 6), (8, 7), (8, 9), (9, 0), (10, 0), (10, 3), (12, 0)]
    {
        let device = from_properties(&gpu("NVIDIA Some-GPU 9", capability)).unwrap();
        assert_eq!((device.check(), &*device.id), (Ok(()), "some-gpu-9"));
        assert!(device.source.contains("assumed"), "{}", device.source);
    }
}

/// AMD profiles write compute capability 9.0 too.
#[test]
fn a_gpu_of_another_maker_is_no_nvidia() {
    let by_name = gpu("AMD Radeon Graphics", (9, 0));
    let by_wave = Properties { wave_size: Some(64), ..gpu("", (9, 0)) };
    for foreign in [by_name, by_wave] {
        let error = from_properties(&foreign).unwrap_err();
        assert!(matches!(error, DeviceError::NotNvidia { .. }), "{error}");
        assert!(error.to_string().contains("--device"), "{error}");
    }
}

#[test]
fn variants_with_other_figures_are_not_taken_for_the_table_s() {
    for name in [
        "NVIDIA H100 PCIe",
        "NVIDIA H800 PCIe",
        "NVIDIA A100-SXM4-40GB MIG 1g.5gb",
        "NVIDIA GH200 480GB",
        "NVIDIA GB200",
        "NVIDIA GeForce RTX 2080",
        "gfx906",
        "gfx942",
        "AMD Instinct MI308X",
    ] {
        assert_eq!(find_product(name).map(|device| device.id), None, "{name}");
    }
}

/// For each granule: what exactly fills a compute unit is admitted, one granule more is refused,
/// with the amounts.
#[test]
fn what_fills_a_compute_unit_is_admitted_and_one_more_is_not() {
    let refused = |device: &Device, asked: &Footprint| {
        assert_eq!(device.residency(asked).workgroups, 0);
        let unfit = device.demand(asked).unwrap_err();
        (unfit.resource, unfit.wanted, unfit.available)
    };
    let admitted = |device: &Device, asked: &Footprint| {
        assert_eq!(device.residency(asked).workgroups, 1);
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
        assert!(unfit.is_malformed(), "{unfit}");
        assert!(!device.demand(&footprint(4096, 0, 0)).unwrap_err().is_malformed());
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
    let reached: Vec<Resource> = residency.limits.reached(residency.workgroups).collect();
    let tied = [Resource::Workgroups, Resource::Waves, Resource::Vgpr, Resource::Lds];
    assert_eq!((residency.limiter, &*reached), (Resource::Workgroups, &tied[..]));
}

#[test]
fn moving_takes_bytes_over_bandwidth_rounded_up() {
    let v100 = find("v100").unwrap();
    let demand = v100.demand(&footprint(256, 32, 4096)).unwrap();
    // 36,864 bytes at 900,000 bytes a microsecond: 40.96 ns; ten of them 409.6 ns.
    assert_eq!(v100.moving_workgroups(1, &demand), Ticks(41));
    assert_eq!(v100.moving_workgroups(10, &demand), Ticks(410));
    assert_eq!((v100.moving(0), v100.moving(900)), (Ticks(0), Ticks(1)));
    assert_eq!(v100.moving(900_000_000), Ticks(1_000_000));
    let slow = Device { memory_bytes_per_us: 0, ..v100 };
    assert_eq!(slow.moving(u64::MAX), Ticks(u64::MAX));
}

#[test]
fn a_device_with_a_zero_is_refused_and_still_panics_nowhere() {
    let good = find("mi210").unwrap();
    let mut bad = vec![good.clone(); 9];
    bad[0].cus = 0;
    bad[1].wave_size = 0;
    bad[2].max_threads_per_workgroup = 0;
    bad[3].max_vgprs_per_thread = 0;
    bad[4].memory_bytes_per_us = 0;
    bad[5].granules.vgprs_per_lane = 0;
    bad[6].granules.sgprs = 0;
    bad[7].granules.lds_bytes = 0;
    bad[8].shape.simds = 0;
    for device in bad {
        assert!(device.check().is_err(), "{device:?}");
        let asked = Footprint { sgprs_per_wave: 9, ..footprint(100, 10, 1000) };
        let residency = device.residency(&asked);
        assert_eq!(device.demand(&asked).is_ok(), residency.workgroups > 0, "{device:?}");
    }
}

/// The README's table has a row for every device, with the figures of the crate.
#[test]
fn the_readme_lists_the_table() {
    let readme = include_str!("../../README.md");
    for device in table() {
        let Device { id, product, cus, shape, granules, source, .. } = &device;
        let (registers, waves) = (shape.vgpr_per_simd, shape.waves());
        let (lane, lds) = (granules.vgprs_per_lane, granules.lds_bytes);
        let kib = shape.lds * lds / 1024;
        let row = format!(
            "| `{id}` | {product} | {cus} | {waves} | {} | {registers} of {lane} | {kib} KiB in {lds} B | {source} |",
            shape.workgroups
        );
        assert!(readme.contains(&row), "README.md lacks:\n{row}");
    }
}
