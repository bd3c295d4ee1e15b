//! Which device is replayed on, and which one was a profile recorded on?

use raddle_device::{Device, DeviceError, SourceDevice, Vendor};
use raddle_trace::Profile;

use crate::assumed::{find, twins};
use crate::error::StudyError;
use crate::files::{Files, is_path};
use crate::profiles::Loaded;
use crate::result::{DeviceFacts, DeviceFound};
use crate::units::plain;
use crate::written::toml_or_json;

/// Device of a study, and how it was found, such as in the table or by a guess.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Chosen {
    /// Description of the device that was found.
    pub device: Device,
    /// How the device was found, such as in the table or by a guess.
    pub found: DeviceFound,
}

impl Chosen {
    /// Returns the facts about the device for reports: its description, how it was found, and for a
    /// guess the word in kernel names that it rests on.
    pub fn facts(&self) -> DeviceFacts {
        let guessed = self.found == DeviceFound::Guessed;
        let made = MADE_FOR.iter().find(|(_, id)| guessed && *id == self.device.id);
        DeviceFacts {
            because: made.and_then(|(words, _)| words.first()).copied(),
            ..DeviceFacts::new(&self.device, self.found)
        }
    }
}

/// Returns the device to replay on: the one that `wanted` names; for `None` the one that the first
/// profile was recorded on, or a guess of it. Returns an error where that device is unknown.
pub fn target(
    wanted: Option<&str>,
    profiles: &[Loaded],
    files: &dyn Files,
) -> Result<Chosen, StudyError> {
    if let Some(name) = wanted {
        return asked(name, files);
    }
    let Some(first) = profiles.first() else {
        return Err(StudyError::Usage("there is no profile to replay".to_owned()));
    };
    own_or_guess(&first.profile).map_err(|error| {
        let file = first.given.clone();
        match (error, &first.profile.device) {
            (Some(error), Some(source)) => StudyError::StrangeDevice {
                file,
                device: plain(&source.name, 60),
                nearest: nearest(&source.name),
                error,
            },
            _ => StudyError::NoDevice { file, example: example(&first.profile) },
        }
    })
}

/// Number of scalar registers that ROCm's tools write for every kernel on RDNA devices. A profile
/// in which all kernels have this number was recorded on such a device.
const SGPRS_OF_RDNA: u32 = 128;

/// Returns the id of a device that an error message can give as an example: one of the vendor whose
/// tools write files like that of the profile.
fn example(profile: &Profile) -> &'static str {
    let sgprs = || profile.ops.iter().map(|op| op.footprint.sgprs_per_wave).filter(|&n| n > 0);
    match profile.format.maker() {
        Some(Vendor::Amd) if sgprs().next().is_some() && sgprs().all(|n| n == SGPRS_OF_RDNA) => {
            "rx-7900-xtx"
        }
        Some(Vendor::Amd) => "mi300x",
        _ => "v100",
    }
}

/// Returns the device that a profile was recorded on. The error says why no device fits the
/// profile's description; it is `None` where the profile has no description.
pub fn own(profile: &Profile) -> Result<Chosen, Option<DeviceError>> {
    profile.device.as_ref().ok_or(None).and_then(of_source)
}

/// Returns the device that fits a description by a file or a driver. The error says why no device
/// fits; it is `None` where the description holds nothing that tells one device from another.
pub(crate) fn of_source(source: &SourceDevice) -> Result<Chosen, Option<DeviceError>> {
    let table = find(&source.name);
    // Cards of one name come with different numbers of compute units, and so do parts of a card.
    let same_cus = |device: &Device| source.sms.is_none_or(|sms| sms == u32::from(device.cus));
    if let Some(device) = table.clone().filter(same_cus) {
        let device = with_memory(device, source.memory_bytes);
        let other = other_memory(&source.name, &device.product);
        return Ok(Chosen {
            device,
            found: if other { DeviceFound::Assumed } else { DeviceFound::Table },
        });
    }
    if let Some(device) = amd(source) {
        return Ok(by_memory(device, source.memory_bytes));
    }
    let nothing = source.name.is_empty()
        && source.sms.is_none()
        && source.compute_major.is_none()
        && source.arch.is_empty();
    match (raddle_device::from_properties(source), table) {
        (Ok(device), _) => Ok(Chosen { device, found: DeviceFound::Properties }),
        (Err(_), Some(device)) => Ok(Chosen { device, found: DeviceFound::Assumed }),
        (Err(_), None) if nothing => Err(None),
        (Err(error), None) => Err(Some(error)),
    }
}

/// Words in kernel names that tell for which devices the kernels were made, each group of words
/// with the id of such a device, from older to newer devices. Names look like
/// `sm80_xmma_gemm_f32f32`, `volta_sgemm_128x64` or `Cijk_Ailk_..._ISA942_...`.
const MADE_FOR: [(&[&str], &str); 10] = [
    (&["sm70", "volta"], "v100"),
    (&["sm75", "turing"], "rtx-2080-ti"),
    (&["sm80", "ampere"], "a100"),
    (&["sm90", "sm90a", "hopper"], "h100"),
    (&["sm100", "sm100a", "blackwell"], "b200"),
    (&["gfx906", "isa906"], "mi50"),
    (&["gfx908", "isa908"], "mi100"),
    (&["gfx90a", "isa90a"], "mi250x"),
    (&["gfx942", "isa942"], "mi300x"),
    (&["gfx950", "isa950"], "mi350x"),
];

/// Returns the device that a profile was recorded on, or a guess by its kernel names if the profile
/// has no description of it. The error says why no device fits; it is `None` where there is neither
/// a description nor a guess.
pub(crate) fn own_or_guess(profile: &Profile) -> Result<Chosen, Option<DeviceError>> {
    own(profile).or_else(|why| match why {
        None => guessed(profile).ok_or(None),
        Some(_) => Err(why),
    })
}

/// Guesses by kernel names the device that a profile was recorded on; `None` where no name gives a
/// hint. As devices also run kernels that were made for older ones, the newest device that a name
/// hints at is returned.
fn guessed(profile: &Profile) -> Option<Chosen> {
    let newest = |name: &String| {
        let name = name.to_ascii_lowercase().replace("sm_", "sm");
        let words = name.split(|c: char| !c.is_ascii_alphanumeric());
        words.filter_map(|word| MADE_FOR.iter().position(|(made, _)| made.contains(&word))).max()
    };
    let newest = profile.kernels.iter().filter_map(newest).max()?;
    let device = raddle_device::find(MADE_FOR[newest].1)?;
    Some(Chosen { device, found: DeviceFound::Guessed })
}

/// Returns the variant of a device in the table whose memory has about `recorded` bytes (`None` if
/// unknown), such as the A100 of 40 GB or of 80 GB; else `device` with that memory size. Sizes
/// within an eighth of each other count as equal, as data sheets round them.
fn with_memory(device: Device, recorded: Option<u64>) -> Device {
    let Some(bytes) = recorded else { return device };
    if holds(&device, bytes) {
        return device;
    }
    let of_kind = |other: &Device| other.id.starts_with(&format!("{}-", device.id));
    let mut others = raddle_device::table().into_iter();
    let other =
        others.find(|other| of_kind(other) && other.cus == device.cus && holds(other, bytes));
    other.unwrap_or(Device { capacity_bytes: Some(bytes), ..device })
}

/// Returns whether the memory of a device has `bytes` bytes, give or take an eighth.
fn holds(device: &Device, bytes: u64) -> bool {
    device.memory_bytes().is_some_and(|known| known.abs_diff(bytes) <= known / 8)
}

/// Chooses, by a memory size of `recorded` bytes (`None` if unknown), between `device` and the
/// devices of the table whose compute units are equal to it. `device` is preferred where its memory
/// fits. The choice counts as certain where only one device fits.
fn by_memory(device: Device, recorded: Option<u64>) -> Chosen {
    let mut twins = twins(&device);
    let alike = |twin: &Device| recorded.is_none_or(|bytes| holds(twin, bytes));
    let some = twins.iter().any(alike);
    twins.retain(|twin| !some || alike(twin));
    let found = if twins.len() > 1 { DeviceFound::Assumed } else { DeviceFound::Table };
    let device = if twins.contains(&device) { device } else { twins.swap_remove(0) };
    Chosen { device: with_memory(device, recorded), found }
}

/// Returns whether two product names of a device state different memory sizes, such as
/// `V100-SXM3-24GB` and `V100-16GB`.
fn other_memory(name: &str, product: &str) -> bool {
    let size = |name: &str| {
        let name = name.to_ascii_lowercase().replace(" gb", "gb");
        let words = name.split(|c: char| !c.is_ascii_alphanumeric());
        words.filter_map(|word| word.strip_suffix("gb")?.parse::<u32>().ok()).next()
    };
    size(name).zip(size(product)).is_some_and(|(own, known)| own != known)
}

/// Finds an AMD device by the instruction set and the number of compute units that a profile
/// states. The name is not enough, as AMD's driver often gives one name to several products ("AMD
/// Instinct MI250X / MI250", "AMD Radeon Graphics", ""). `None` where the device is not AMD's or
/// not in the table.
fn amd(source: &SourceDevice) -> Option<Device> {
    let name = source.name.to_lowercase();
    let vague = name.is_empty() && source.wave_size == Some(64);
    let maker = ["amd", "radeon", "instinct"].iter().any(|word| name.contains(word));
    if source.arch.is_empty() && !vague && !maker {
        return None;
    }
    raddle_device::find_arch(&source.arch, source.sms?)
}

/// Finds the device that a user names: by an id of the table, by a file that describes it, or else
/// by a product name or instruction set. Returns an error where there is none.
pub(crate) fn asked(name: &str, files: &dyn Files) -> Result<Chosen, StudyError> {
    if let Some(device) = raddle_device::find(name) {
        return Ok(Chosen { device, found: DeviceFound::Named });
    }
    if !is_path(name) && !files.has(name) {
        let device = named(name)?;
        let certain = find(name).is_some();
        let found = if certain { DeviceFound::Named } else { DeviceFound::Assumed };
        return Ok(Chosen { device, found });
    }
    let text = files
        .text(name)
        .map_err(|cause| StudyError::Unreadable { file: name.to_owned(), cause })?;
    let read = toml_or_json::<Device>(&text);
    let sound = read.and_then(|device| match device.check() {
        Ok(()) => Ok(device),
        Err(error) => Err(error.to_string()),
    });
    let bad = |cause| StudyError::DeviceFile { file: name.to_owned(), cause };
    let device = sound.map_err(bad)?;
    Ok(Chosen { device, found: DeviceFound::File })
}

/// Returns the device of raddle's table that has this id or product name, or that alone has this
/// instruction set.
///
/// # Errors
/// When no device matches, or several have the instruction set; the error names devices that were
/// likely meant.
pub fn named(name: &str) -> Result<Device, StudyError> {
    let told = plain(name, 60);
    let all = raddle_device::with_arch(name);
    if let Some(device) = find(name).or_else(|| find(all.first().filter(|_| all.len() == 1)?)) {
        return Ok(device);
    }
    Err(match all[..] {
        [] => StudyError::UnknownDevice { name: told, nearest: nearest(name) },
        _ => StudyError::SeveralDevices { name: told, devices: all },
    })
}

/// Returns the ids of the devices that were likely meant by `name`: the id that is spelled almost
/// like it, else those of products whose names share words with it.
fn nearest(name: &str) -> Box<[&'static str]> {
    let id = name.trim().to_lowercase().replace([' ', '_'], "-");
    raddle_read::nearest(&id, raddle_device::ids())
        .map_or_else(|| raddle_device::with_words(name), |near| vec![near])
        .into()
}

#[cfg(test)]
mod tests {
    use raddle_trace::{ImportConfig, read};

    use super::*;

    fn recorded_on(source: Option<SourceDevice>) -> Result<Chosen, Option<DeviceError>> {
        recorded("k", source)
    }

    fn recorded(kernel: &str, source: Option<SourceDevice>) -> Result<Chosen, Option<DeviceError>> {
        let text = format!(
            "name,grid_x,grid_y,grid_z,block_x,block_y,block_z,start_ns,duration_ns\n{kernel},1,1,1,32,1,1,0,1\nk,1,1,1,32,1,1,1,1\n"
        );
        let mut profile = read("t.csv", text.as_bytes(), &ImportConfig::default()).unwrap();
        profile.device = source;
        own_or_guess(&profile)
    }

    fn called(name: &str, sms: Option<u32>) -> SourceDevice {
        SourceDevice { name: name.to_owned(), sms, ..SourceDevice::default() }
    }

    fn described(name: &str, sms: u32) -> SourceDevice {
        SourceDevice {
            compute_major: Some(7),
            compute_minor: Some(0),
            registers_per_sm: Some(65_536),
            threads_per_sm: Some(2048),
            shared_bytes_per_sm: Some(98_304),
            ..called(name, Some(sms))
        }
    }

    #[test]
    fn a_name_of_the_table_is_enough() {
        let found = recorded_on(Some(called("v100", None))).unwrap();
        assert_eq!((&*found.device.id, found.found), ("v100", DeviceFound::Table));
        let found = recorded_on(Some(called("Tesla V100-SXM2-16GB", Some(80)))).unwrap();
        assert_eq!((&*found.device.id, found.found), ("v100", DeviceFound::Table));
    }

    #[test]
    fn a_neighbour_in_the_table_is_told_as_assumed() {
        for (name, how) in [
            ("NVIDIA A100-SXM-64GB", DeviceFound::Assumed),
            ("NVIDIA A100-SXM4-80GB", DeviceFound::Table),
            ("NVIDIA A100 80 GB PCIe", DeviceFound::Table),
            ("NVIDIA A100-SXM4-40GB", DeviceFound::Table),
            ("NVIDIA A100-PG509-200", DeviceFound::Table),
            ("NVIDIA H100 80GB HBM3", DeviceFound::Table),
        ] {
            assert_eq!(recorded_on(Some(called(name, None))).unwrap().found, how, "{name}");
        }
        let found = recorded_on(Some(called("NVIDIA A100-SXM-64GB", Some(108)))).unwrap();
        assert_eq!(found.facts().to_string(), "NVIDIA A100 40GB (a100, assumed, 108 SMs)");
    }

    #[test]
    fn recorded_memory_chooses_the_card_or_counts_itself() {
        let gib = 1_u64 << 30;
        for (name, bytes, id, memory) in [
            ("NVIDIA A100", 80 * gib, "a100-80gb", 80_000_000_000),
            ("NVIDIA A100", 40 * gib, "a100", 40_000_000_000),
            ("Tesla V100", 32 * gib, "v100-32gb", 32_000_000_000),
            ("Tesla V100", 24 * gib, "v100", 24 * gib),
        ] {
            let memory_bytes = Some(bytes);
            let source = SourceDevice { memory_bytes, ..called(name, None) };
            let device = recorded_on(Some(source)).unwrap().device;
            assert_eq!((&*device.id, device.memory_bytes()), (id, Some(memory)), "{name}");
        }
        let source = SourceDevice { memory_bytes: Some(94 * gib), ..described("H100 NVL", 132) };
        assert_eq!(recorded_on(Some(source)).unwrap().device.memory_bytes(), Some(94 * gib));
    }

    #[test]
    fn another_number_of_compute_units_is_another_device() {
        let found = recorded_on(Some(described("Tesla V100-SXM2-16GB", 72))).unwrap();
        assert_eq!((found.device.cus, found.found), (72, DeviceFound::Properties));
        let told = found.facts().to_string();
        assert_eq!(told, "Tesla V100-SXM2-16GB (described in the profile, 72 SMs)");
        // Without the figures of another device, the table is the best guess.
        let found = recorded_on(Some(called("Tesla V100", Some(72)))).unwrap();
        assert_eq!((found.device.cus, found.found), (80, DeviceFound::Assumed));
    }

    #[test]
    fn amd_devices_are_found_by_name_instruction_set_or_compute_units() {
        let agent = |name: &str, arch: &str, sms| SourceDevice {
            arch: arch.to_owned(),
            wave_size: Some(64),
            ..called(name, Some(sms))
        };
        for (source, id, how) in [
            (agent("AMD Instinct MI350X", "gfx950", 256), "mi350x", DeviceFound::Table),
            (agent("AMD Instinct MI300X", "gfx942", 304), "mi300x", DeviceFound::Table),
            (agent("AMD Instinct MI300A", "gfx942", 228), "mi300a", DeviceFound::Table),
            (agent("AMD Instinct MI210", "gfx90a", 104), "mi210", DeviceFound::Table),
            (agent("AMD Instinct MI100", "gfx908", 120), "mi100", DeviceFound::Table),
            (agent("AMD Instinct MI250X / MI250", "gfx90a", 110), "mi250x", DeviceFound::Table),
            (agent("AMD Instinct MI250X / MI250", "gfx90a", 104), "mi210", DeviceFound::Assumed),
            (agent("gfx942", "gfx942", 304), "mi300x", DeviceFound::Assumed),
            // PyTorch profiles give no instruction set.
            (agent("AMD Radeon Graphics", "", 304), "mi300x", DeviceFound::Assumed),
            (agent("", "", 304), "mi300x", DeviceFound::Assumed),
            (agent("", "", 256), "mi350x", DeviceFound::Assumed),
            (agent("AMD Instinct MI250X / MI250", "", 104), "mi210", DeviceFound::Assumed),
        ] {
            let found = recorded_on(Some(source.clone())).unwrap();
            assert_eq!((&*found.device.id, found.found), (id, how), "{source:?}");
        }
        for (gib, id, memory, how) in [
            (192, "mi300x", 192_000_000_000, DeviceFound::Table),
            (256, "mi325x", 256_000_000_000, DeviceFound::Table),
            (96, "mi300x", 96 << 30, DeviceFound::Assumed),
        ] {
            let source = agent("AMD Radeon Graphics", "", 304);
            let source = SourceDevice { memory_bytes: Some(gib << 30), ..source };
            let found = recorded_on(Some(source)).unwrap();
            let told = (&*found.device.id, found.device.memory_bytes(), found.found);
            assert_eq!(told, (id, Some(memory), how));
        }
        // An eighth of an MI350X is built from what the profile says.
        let eighth = recorded_on(Some(agent("AMD Instinct MI350X", "gfx950", 32))).unwrap();
        assert_eq!((eighth.device.cus, eighth.found), (32, DeviceFound::Properties));
        // NVIDIA's SMs are not AMD's compute units.
        assert!(matches!(recorded_on(Some(called("", Some(104)))), Err(Some(_))));
        assert!(matches!(recorded_on(Some(agent("", "gfx1100", 48))), Err(Some(_))));
    }

    #[test]
    fn names_of_kernels_are_a_guess_where_nothing_is_said() {
        for (kernel, id) in [
            ("sm80_xmma_gemm_f32f32_tn_n", "a100"),
            ("void cutlass::Kernel2<cutlass::arch::Sm90>", "h100"),
            ("a_turing_b volta_sgemm", "rtx-2080-ti"),
            ("fmha_sm_100a_fwd", "b200"),
            ("Cijk_Ailk_Bljk_HHS_BH_MT256x128_ISA942_K1", "mi300x"),
        ] {
            for source in [None, Some(called("", None))] {
                let found = recorded(kernel, source).unwrap();
                assert_eq!((&*found.device.id, found.found), (id, DeviceFound::Guessed));
            }
            let named = recorded(kernel, Some(called("v100", None))).unwrap();
            assert_eq!(named.found, DeviceFound::Table, "what the file says wins");
        }
        for none in ["manufacturing", "sm8", "isa", "gfx1100", "small80"] {
            assert_eq!(recorded(none, None), Err(None), "{none}");
        }
    }

    #[test]
    fn names_that_people_and_tools_write_are_found_or_told() {
        let asked = |name: &str| asked(name, &crate::MemoryFiles::default());
        for (name, id, found) in [
            ("Radeon RX 7900 XTX", "rx-7900-xtx", DeviceFound::Named),
            ("NVIDIA H100 80GB HBM3", "h100", DeviceFound::Named),
            ("AMD Instinct MI300X", "mi300x", DeviceFound::Named),
            // Other products have the instruction set too, so the only one of the table is assumed.
            ("gfx1100", "rx-7900-xtx", DeviceFound::Assumed),
            ("gfx1101", "rx-7800-xt", DeviceFound::Assumed),
            ("gfx1151", "radeon-8060s", DeviceFound::Assumed),
            ("GFX1201", "rx-9070-xt", DeviceFound::Assumed),
            ("gfx906:sramecc+:xnack-", "mi50", DeviceFound::Assumed),
        ] {
            let chosen = asked(name).unwrap();
            assert_eq!((&*chosen.device.id, chosen.found), (id, found), "{name}");
        }
        for (name, told) in [
            ("gfx942", "is the instruction set of `mi300x`, `mi300a`, `mi308x` and `mi325x`"),
            ("gfx90a:xnack-", "is the instruction set of `mi210`, `mi250x` and `mi250`: name"),
            ("Orin", "Did you mean `agx-orin`?"),
            ("Jetson Orin Nano", "Did you mean `agx-orin`?"),
            ("NVIDIA H100 NVL", "Did you mean `h100` or `h100-pcie`?"),
            ("NVIDIA GeForce RTX 4090 Laptop GPU", "Did you mean `rtx-4090`?"),
            ("NVIDIA A100-SXM4-40GB MIG 1g.5gb", "Did you mean `a100`?"),
            ("rtx4090", "Did you mean `rtx-4090`?"),
            ("gfx1030", "there is no device gfx1030 in the table. `raddle devices` lists them"),
        ] {
            let error = asked(name).unwrap_err().to_string();
            assert!(error.contains(told), "{name}: {error}");
        }
    }

    #[test]
    fn what_cannot_be_said_is_said_so() {
        assert_eq!(recorded_on(None), Err(None));
        assert_eq!(recorded_on(Some(called("", None))), Err(None));
        assert!(matches!(recorded_on(Some(called("Nobody's", None))), Err(Some(_))));
        let made = recorded_on(Some(described("Nobody's", 5))).unwrap();
        assert_eq!(made.found, DeviceFound::Properties);
    }
}
