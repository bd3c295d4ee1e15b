//! Is a device one of the table, one of its instruction set, or one that its properties describe?

use raddle_device::{Device, SourceDevice, find, find_arch, find_product, from_properties, table};
use raddle_policy::Footprint;

use crate::rules::footprint;

#[test]
fn every_device_is_usable_and_says_where_its_figures_are_from() {
    let devices = table();
    assert_eq!(devices.len(), 50);
    for device in &devices {
        assert_eq!(device.check(), Ok(()), "{}", device.id);
        assert!(device.source.len() > 20 && device.cus > 0, "{}", device.id);
        assert_eq!(find(&device.id).as_ref(), Some(device));
        assert!(device.residency(&footprint(64, 16, 0)).workgroups() > 0, "{}", device.id);
    }
    let mut ids: Vec<&String> = devices.iter().map(|device| &device.id).collect();
    ids.sort();
    ids.dedup();
    assert_eq!(ids.len(), 50);
}

#[test]
fn product_names_of_profiles_are_recognised() {
    for (name, id) in [
        ("Tesla V100-SXM2-16GB", "v100"),
        ("NVIDIA A100-PG509-200", "a100"),
        ("NVIDIA A100-SXM4-80GB", "a100-80gb"),
        ("NVIDIA A100 80GB PCIe", "a100-80gb-pcie"),
        ("NVIDIA A100 80 GB PCIe", "a100-80gb-pcie"),
        ("NVIDIA A100-PCIE-40GB", "a100"),
        ("Tesla V100-SXM2-32GB", "v100-32gb"),
        ("NVIDIA H100 80GB HBM3", "h100"),
        ("NVIDIA H100 PCIe", "h100-pcie"),
        ("NVIDIA H800", "h800"),
        ("NVIDIA B200", "b200"),
        ("NVIDIA H200", "h200"),
        ("NVIDIA H20", "h20"),
        ("NVIDIA GH200 480GB", "gh200"),
        ("NVIDIA GB200", "gb200"),
        ("NVIDIA GB10", "gb10"),
        ("NVIDIA L4", "l4"),
        ("NVIDIA L40", "l40"),
        ("NVIDIA L40S", "l40s"),
        ("NVIDIA A10", "a10"),
        ("NVIDIA A30", "a30"),
        ("NVIDIA A40", "a40"),
        ("NVIDIA RTX A6000", "rtx-a6000"),
        ("NVIDIA RTX 6000 Ada Generation", "rtx-6000-ada"),
        ("NVIDIA RTX PRO 6000 Blackwell Workstation Edition", "rtx-pro-6000-workstation"),
        ("NVIDIA RTX PRO 6000 Blackwell Server Edition", "rtx-pro-6000-server"),
        ("Tesla T4", "t4"),
        ("NVIDIA T4", "t4"),
        ("NVIDIA Jetson AGX Orin", "agx-orin"),
        ("NVIDIA GeForce RTX 2080 Ti", "rtx-2080-ti"),
        ("NVIDIA GeForce RTX 3080", "rtx-3080"),
        ("NVIDIA GeForce RTX 3090", "rtx-3090"),
        ("NVIDIA GeForce RTX 4080", "rtx-4080"),
        ("NVIDIA GeForce RTX 4090", "rtx-4090"),
        ("NVIDIA GeForce RTX 5080", "rtx-5080"),
        ("NVIDIA GeForce RTX 5090", "rtx-5090"),
        ("AMD Instinct MI300X", "mi300x"),
        ("AMD Instinct MI308X", "mi308x"),
        ("AMD Instinct MI250X / MI250", "mi250x"),
        ("AMD Instinct MI250", "mi250"),
        ("AMD Instinct MI300A", "mi300a"),
        ("AMD Instinct MI325X", "mi325x"),
        ("AMD Instinct MI350X", "mi350x"),
        ("AMD Instinct MI355X", "mi355x"),
        ("gfx950", "mi350x"),
        ("AMD Radeon RX 7900 XTX", "rx-7900-xtx"),
        ("AMD Radeon RX 7800 XT", "rx-7800-xt"),
        ("Radeon 8060S Graphics", "radeon-8060s"),
        ("AMD Radeon RX 9070 XT", "rx-9070-xt"),
    ] {
        assert_eq!(find_product(name).map(|device| device.id).as_deref(), Some(id), "{name}");
    }
    for unknown in
        ["", "NVIDIA H100 NVL", "NVIDIA GeForce RTX 3070", "AMD Radeon Graphics", "gfx90a"]
    {
        assert_eq!(find_product(unknown), None, "{unknown}");
    }
}

#[test]
fn an_unknown_gpu_is_built_from_its_properties() {
    let properties = SourceDevice {
        name: "NVIDIA GeForce RTX 4090".into(),
        sms: Some(128),
        compute_major: Some(8),
        compute_minor: Some(9),
        registers_per_sm: Some(65536),
        threads_per_sm: Some(1536),
        shared_bytes_per_sm: Some(102_400),
        wave_size: Some(32),
        ..SourceDevice::default()
    };
    let device = from_properties(&properties).unwrap();
    assert_eq!((device.cus, device.shape.waves(), device.shape.workgroups), (128, 48, 24));
    assert_eq!(device.shape.lds, 800);
    let strange = SourceDevice { compute_major: Some(99), ..properties.clone() };
    assert!(from_properties(&strange).unwrap_err().to_string().contains("has compute capability"));
    let silent = SourceDevice { sms: None, ..properties.clone() };
    assert!(from_properties(&silent).unwrap_err().to_string().contains("the profile does not say"));
    let empty = SourceDevice { threads_per_sm: Some(0), ..properties };
    assert!(from_properties(&empty).unwrap_err().to_string().contains("cannot be right"));
}

#[test]
fn a_table_device_and_its_properties_agree() {
    let properties = SourceDevice {
        name: "Tesla V100-SXM2-16GB".into(),
        sms: Some(80),
        compute_major: Some(7),
        compute_minor: Some(0),
        registers_per_sm: Some(65536),
        threads_per_sm: Some(2048),
        shared_bytes_per_sm: Some(98304),
        wave_size: Some(32),
        ..SourceDevice::default()
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
        ("gfx942", 80, Some("mi308x")),
        // An RX 7900 XTX or a Radeon PRO W7900, with other memory.
        ("gfx1100", 96, None),
        // A part of an MI300X, an MI60, an NVIDIA H100: none of the table.
        ("gfx942", 38, None),
        ("", 64, None),
        ("", 132, None),
        ("gfx942", 256, None),
    ] {
        assert_eq!(find_arch(arch, cus).map(|device| device.id).as_deref(), id, "{arch} {cus}");
    }
}

fn agent(arch: &str, cus: u32) -> SourceDevice {
    SourceDevice {
        name: "AMD Some-GPU 9".into(),
        sms: Some(cus),
        arch: arch.into(),
        wave_size: Some(64),
        simds_per_sm: Some(4),
        ..SourceDevice::default()
    }
}

#[test]
fn an_unknown_amd_gpu_is_built_from_its_agent() {
    let mi350x = find("mi350x").unwrap();
    // An eighth of an MI350X (CPX mode).
    let eighth = SourceDevice {
        waves_per_simd: Some(8),
        threads_per_sm: Some(2048),
        shared_bytes_per_sm: Some(160 * 1024),
        ..agent("gfx950", 32)
    };
    let device = from_properties(&eighth).unwrap();
    assert_eq!((device.cus, &*device.id, device.check()), (32, "some-gpu-9", Ok(())));
    assert_eq!((device.shape, device.granules), (mi350x.shape, mi350x.granules));
    assert!(device.source.contains("gfx950; bandwidth assumed, that of MI350X"));
    // Figures that the agent gives are taken over; the instruction set fills in the others.
    let odd = SourceDevice { waves_per_simd: Some(6), ..agent("gfx942", 20) };
    let shape = from_properties(&odd).unwrap().shape;
    assert_eq!(
        (shape.waves(), shape.workgroups, shape.lds, shape.vgpr_per_simd),
        (24, 24, 128, 64)
    );
}

#[test]
fn an_amd_gpu_that_cannot_be_is_refused() {
    let refusal = |properties: &SourceDevice| from_properties(properties).unwrap_err();
    let navi = refusal(&agent("gfx1030", 40));
    assert!(navi.to_string().contains("has the instruction set"), "{navi}");
    assert!(navi.to_string().contains("'gfx1030'") && navi.to_string().contains("--device"));
    let silent = SourceDevice { sms: None, ..agent("gfx942", 1) };
    assert!(refusal(&silent).to_string().contains("the profile does not say"));
    for bad in [
        SourceDevice { sms: Some(0), ..agent("gfx942", 1) },
        SourceDevice { sms: Some(70_000), ..agent("gfx942", 1) },
        SourceDevice { wave_size: Some(32), ..agent("gfx942", 1) },
        SourceDevice { simds_per_sm: Some(0), ..agent("gfx942", 1) },
        SourceDevice { simds_per_sm: Some(256), ..agent("gfx942", 1) },
        SourceDevice { waves_per_simd: Some(0), ..agent("gfx942", 1) },
        SourceDevice { waves_per_simd: Some(70_000), ..agent("gfx942", 1) },
        SourceDevice { workgroups_per_sm: Some(70_000), ..agent("gfx942", 1) },
    ] {
        assert!(refusal(&bad).to_string().contains("cannot be right"), "{bad:?}");
    }
}

/// Checks that the AMD devices of the table have what their instruction sets have; the R9 Nano of
/// the placement contract is left out.
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

/// Makes the description of a Radeon, as rocprofv3 writes it.
fn radeon(arch: &str, cus: u32) -> SourceDevice {
    SourceDevice {
        wave_size: Some(32),
        simds_per_sm: Some(2),
        waves_per_simd: Some(16),
        shared_bytes_per_sm: Some(64 * 1024),
        ..agent(arch, cus)
    }
}

#[test]
fn radeons_have_waves_of_32_and_agree_with_their_instruction_sets() {
    for (id, arch, cus) in [
        ("rx-7900-xtx", "gfx1100", 96),
        ("rx-7800-xt", "gfx1101", 60),
        ("radeon-8060s", "gfx1151", 40),
        ("rx-9070-xt", "gfx1201", 64),
    ] {
        let (row, built) = (find(id).unwrap(), from_properties(&radeon(arch, cus)).unwrap());
        assert_eq!((row.shape, row.granules, row.cus), (built.shape, built.granules, built.cus));
        assert_eq!((row.wave_size, built.wave_size), (32, 32), "{id}");
        assert_eq!(row.max_vgprs_per_thread, built.max_vgprs_per_thread, "{id}");
        assert_eq!(row.memory_bytes_per_us, built.memory_bytes_per_us, "{id}");
    }
}

/// Checks a Radeon whose profile does not say its SIMDs: HIP counts 48 pairs where rocprofv3 counts
/// 96 compute units.
#[test]
fn a_radeon_without_its_simds_is_not_built() {
    let silent = SourceDevice { simds_per_sm: None, ..radeon("gfx1100", 48) };
    assert!(from_properties(&silent).unwrap_err().to_string().contains("the profile does not say"));
    let pairs = SourceDevice { simds_per_sm: Some(4), ..radeon("gfx1100", 48) };
    assert!(from_properties(&pairs).unwrap_err().to_string().contains("the profile does not say"));
}

/// Checks that MI50 and MI100, which have 40 wave slots a compute unit, count the 32 waves that
/// each keeps in flight.
#[test]
fn slots_beyond_what_is_kept_in_flight_do_not_count() {
    for (id, arch, cus, waves) in [("mi50", "gfx906", 60, 1920), ("mi100", "gfx908", 120, 3840)] {
        let row = find(id).unwrap();
        let ten = SourceDevice { waves_per_simd: Some(10), ..agent(arch, cus) };
        assert_eq!(from_properties(&ten).unwrap().shape, row.shape, "{id}");
        let residency = row.residency(&footprint(64, 16, 0));
        assert_eq!(residency.workgroups() * u32::from(row.cus), waves, "{id}");
    }
    assert_eq!(find("r9-nano").unwrap().shape.waves(), 40, "as the contract has it");
}

#[test]
fn workgroup_slots_that_a_profile_says_are_believed() {
    let properties = SourceDevice { workgroups_per_sm: Some(24), ..gpu("NVIDIA X", (8, 9)) };
    assert_eq!(from_properties(&properties).unwrap().shape.workgroups, 24);
    let properties = SourceDevice { workgroups_per_sm: Some(12), ..gpu("NVIDIA X", (8, 9)) };
    assert_eq!(from_properties(&properties).unwrap().shape.workgroups, 12);
}

fn gpu(name: &str, capability: (u32, u32)) -> SourceDevice {
    SourceDevice {
        name: name.into(),
        sms: Some(1),
        compute_major: Some(capability.0),
        compute_minor: Some(capability.1),
        ..SourceDevice::default()
    }
}

#[test]
fn every_known_capability_makes_a_sound_device() {
    for capability in [
        (7, 0),
        (7, 2),
        (7, 5),
        (8, 0),
        (8, 6),
        (8, 7),
        (8, 9),
        (9, 0),
        (10, 0),
        (10, 3),
        (12, 0),
        (12, 1),
    ] {
        let device = from_properties(&gpu("NVIDIA Some-GPU 9", capability)).unwrap();
        assert_eq!((device.check(), &*device.id), (Ok(()), "some-gpu-9"));
        assert!(device.source.contains("assumed"), "{}", device.source);
    }
}

/// Checks that a GPU of AMD, whose profiles write compute capability 9.0 too, is not taken for one
/// of NVIDIA.
#[test]
fn a_gpu_of_another_maker_is_no_nvidia() {
    let by_name = gpu("AMD Radeon Graphics", (9, 0));
    let by_wave = SourceDevice { wave_size: Some(64), ..gpu("", (9, 0)) };
    for foreign in [by_name, by_wave] {
        let error = from_properties(&foreign).unwrap_err();
        assert!(error.to_string().contains("is not NVIDIA's"), "{error}");
        assert!(error.to_string().contains("--device"), "{error}");
    }
}

#[test]
fn variants_with_other_figures_are_not_taken_for_the_table_s() {
    for name in [
        "NVIDIA H100 PCIe MIG 1g.10gb",
        "NVIDIA H800 PCIe",
        "NVIDIA A30 MIG 2g.12gb",
        "NVIDIA A100-SXM4-40GB MIG 1g.5gb",
        "NVIDIA GB300",
        "NVIDIA A10G",
        "NVIDIA L40G",
        "NVIDIA T4G",
        "NVIDIA RTX A4000",
        "NVIDIA RTX A5000",
        "Quadro RTX 6000",
        "NVIDIA RTX 5000 Ada Generation",
        "NVIDIA RTX PRO 6000 Blackwell",
        "NVIDIA RTX PRO 6000 Blackwell Max-Q Workstation Edition",
        "NVIDIA RTX PRO 5000 Blackwell",
        "Orin",
        "NVIDIA Jetson AGX Orin 32GB",
        "NVIDIA GeForce RTX 2080",
        "NVIDIA GeForce RTX 3080 Ti",
        "NVIDIA GeForce RTX 3080 Laptop GPU",
        "NVIDIA GeForce RTX 4080 SUPER",
        "NVIDIA GeForce RTX 5090 D",
        "gfx906",
        "gfx942",
        "gfx1100",
        "gfx1151",
        "AMD Instinct MI308X HF",
        "AMD Radeon RX 7900 XT",
        "AMD Radeon RX 7900 GRE",
        "AMD Radeon PRO W7900",
        "AMD Radeon RX 7700 XT",
        "AMD Radeon RX 9070",
        "Radeon 8050S Graphics",
    ] {
        assert_eq!(find_product(name).map(|device| device.id), None, "{name}");
    }
}

#[test]
fn a_device_with_a_zero_is_refused_and_still_panics_nowhere() {
    let good = find("mi210").unwrap();
    let mut bad = vec![good.clone(); 10];
    bad[0].cus = 0;
    bad[1].wave_size = 0;
    bad[2].max_threads_per_workgroup = 0;
    bad[3].max_vgprs_per_thread = 0;
    bad[4].memory_bytes_per_us = 0;
    bad[5].granules.vgprs_per_lane = 0;
    bad[6].granules.sgprs = 0;
    bad[7].granules.lds_bytes = 0;
    bad[8].shape.simds = 0;
    bad[9].clock_mhz = Some(0);
    for device in bad {
        assert!(device.check().is_err(), "{device:?}");
        let asked = Footprint { sgprs_per_wave: 9, ..footprint(100, 10, 1000) };
        let residency = device.residency(&asked);
        assert_eq!(device.demand(&asked).is_ok(), residency.workgroups() > 0, "{device:?}");
    }
}

/// Checks that the README names every device, and that every device names its source.
#[test]
fn the_readme_lists_the_table() {
    let readme = include_str!("../../README.md");
    for Device { id, source, .. } in table() {
        assert!(readme.contains(&format!("`{id}`")), "README.md lacks {id}");
        assert!(!source.is_empty(), "{id} names no source");
    }
}

#[test]
fn scalar_registers_limit_waves_of_gcn_and_cdna() {
    let resident = |id: &str, sgprs| {
        let asked = Footprint { sgprs_per_wave: sgprs, ..footprint(64, 8, 0) };
        find(id).unwrap().residency(&asked).workgroups()
    };
    for id in ["mi50", "mi100", "mi250x", "mi300x", "mi350x"] {
        assert_eq!((resident(id, 96), resident(id, 104)), (32, 28), "{id}");
    }
    assert_eq!(
        resident("rx-7900-xtx", 128),
        find("rx-7900-xtx").unwrap().residency(&footprint(64, 8, 0)).workgroups()
    );
}

#[test]
fn clusters_leave_units_over_where_groups_are_known() {
    let h100 = find("h100").unwrap();
    let at_once = |cluster| h100.at_once(1, cluster);
    assert_eq!([0, 1, 2, 4, 8].map(at_once), [132, 132, 132, 124, 120]);
    assert_eq!(h100.at_once(2, 8), 248);
    assert_eq!(h100.at_once(1, 64), 132, "no group holds such a cluster");
    // The GPU of an H100 SXM, under other names.
    for id in ["h200", "h800", "gh200"] {
        let same = find(id).unwrap();
        assert_eq!([1, 4, 8].map(|cluster| same.at_once(1, cluster)), [132, 124, 120], "{id}");
    }
    for id in ["h100-pcie", "h20", "b200", "a100"] {
        let other = find(id).unwrap();
        assert_eq!(other.at_once(1, 8), u64::from(other.cus), "{id}");
    }
    let part = raddle_device::Device { cus: 60, ..h100 };
    assert_eq!(part.at_once(1, 8), 60);
}
