//! Which entry of the device table does a name mean?

use alloc::string::String;
use alloc::vec::Vec;

use crate::Device;
use crate::table::{DeviceRow, rows};

/// Returns the device of the table with the id `id`; `None` where there is none. Case, spaces and
/// underscores do not matter (`RTX 2080_Ti`).
///
/// ```
/// assert_eq!(raddle_device::find("RTX 2080 Ti").expect("in the table").cus, 68);
/// assert_eq!(raddle_device::find("rtx-9999"), None);
/// ```
#[must_use]
pub fn find(id: &str) -> Option<Device> {
    let id = normalised(id);
    rows().find(|row| row.id == id).map(|row| row.device())
}

/// Returns the device that a profile means by a product name (`Tesla V100-SXM2-16GB`) or by the
/// name of an instruction set (`gfx908`).
///
/// `None` where the name is not in raddle's table of devices, or can mean several devices with
/// different resources: a slice of a device (MIG), `Orin` (modules with 4 to 16 SMs), `gfx90a`,
/// `gfx942` or `gfx1100`.
#[must_use]
pub fn find_product(name: &str) -> Option<Device> {
    let name = name.to_lowercase();
    let words: Vec<&str> =
        name.split(|c: char| !c.is_ascii_alphanumeric()).filter(|word| !word.is_empty()).collect();
    rows()
        .filter(|row| !row.not.iter().any(|word| words.contains(word)))
        .find(|row| {
            row.named.iter().any(|named| words.windows(named.len()).any(|run| run == *named))
        })
        .map(|row| row.device())
}

/// Returns the AMD device with the instruction set `arch` (`gfx942`, empty where it is not known)
/// and `cus` compute units; `None` where the table of devices lacks it.
///
/// Of several products with equal resources, such as MI210 and one die of an MI250, the first in
/// the table is returned. Without an instruction set only those of ROCm's Instinct line are
/// searched, whose numbers of compute units differ. Devices with waves of 32 are found by name
/// only: a Radeon PRO W7900 has the compute units of an RX 7900 XTX, and other memory.
///
/// ```
/// use raddle_device::find_arch;
/// assert_eq!(find_arch("gfx942", 304).map(|device| device.id).as_deref(), Some("mi300x"));
/// assert_eq!(find_arch("", 120).map(|device| device.id).as_deref(), Some("mi100"));
/// assert_eq!(find_arch("gfx942", 38), None);
/// assert_eq!(find_arch("gfx1100", 96), None);
/// ```
#[must_use]
pub fn find_arch(arch: &str, cus: u32) -> Option<Device> {
    let arch = arch.split(':').next().unwrap_or(arch).trim();
    let fits = |row: &str| match arch {
        "" => row.starts_with("gfx9"),
        _ => !row.is_empty() && row.eq_ignore_ascii_case(arch),
    };
    rows()
        .filter(|row| row.wave_size == 64)
        .find(|row| fits(row.arch) && u32::from(row.cus) == cus)
        .map(|row| row.device())
}

/// Returns the ids of the devices with the AMD instruction set `name` (`gfx942`, also with the
/// features that tools append: `gfx942:xnack-`), in the order of the table. Products that are not
/// in raddle's table of devices may have it too.
///
/// ```
/// assert_eq!(raddle_device::with_arch("gfx1100"), ["rx-7900-xtx"]);
/// assert_eq!(raddle_device::with_arch("gfx90a"), ["mi210", "mi250x", "mi250"]);
/// ```
#[must_use]
#[doc(hidden)]
pub fn with_arch(name: &str) -> Vec<&'static str> {
    let arch = name.split(':').next().unwrap_or(name).trim();
    let has = |row: &&DeviceRow| !arch.is_empty() && row.arch.eq_ignore_ascii_case(arch);
    rows().filter(has).map(|row| row.id).collect()
}

/// Largest number of devices whose product names may share a word. A word that more names have,
/// such as `rtx`, is ignored in the search for similar names.
const SHARED_BY: usize = 3;

/// Returns the ids of the devices whose product names share the most words with the unknown name
/// `name`, in the order of the table; empty where no word is shared.
///
/// ```
/// assert_eq!(raddle_device::with_words("Jetson Orin Nano"), ["agx-orin"]);
/// assert_eq!(raddle_device::with_words("NVIDIA H100 NVL"), ["h100", "h100-pcie"]);
/// assert!(raddle_device::with_words("NVIDIA GeForce RTX 3070").is_empty());
/// ```
#[must_use]
#[doc(hidden)]
pub fn with_words(name: &str) -> Vec<&'static str> {
    let name = name.to_lowercase();
    let has = |row: &DeviceRow, word: &str| {
        let mut words = row.product.split(|c: char| !c.is_ascii_alphanumeric());
        words.any(|own| own.eq_ignore_ascii_case(word))
    };
    let tells =
        |word: &&str| word.len() > 2 && rows().filter(|row| has(row, word)).count() <= SHARED_BY;
    let words: Vec<&str> = name.split(|c: char| !c.is_ascii_alphanumeric()).filter(tells).collect();
    let shared = |row: &DeviceRow| words.iter().filter(|word| has(row, word)).count();
    let most = rows().map(shared).max().unwrap_or(0);
    rows().filter(|row| most > 0 && shared(row) == most).map(|row| row.id).collect()
}

fn normalised(id: &str) -> String {
    id.trim()
        .chars()
        .map(|c| if c == ' ' || c == '_' { '-' } else { c.to_ascii_lowercase() })
        .collect()
}
