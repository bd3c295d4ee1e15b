//! Which device of the table does a name mean?

use alloc::string::String;
use alloc::vec::Vec;

use crate::Device;
use crate::table::rows;

/// Finds the device of that id; case, spaces and underscores do not matter (`RTX 2080_Ti`).
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

/// Finds the device that a profile means by a product name (`Tesla V100-SXM2-16GB`) or by the name
/// of an instruction set (`gfx908`).
///
/// `None` where the name is not in the table, or can mean devices with other figures: a slice of a
/// device (MIG), `Orin` (modules with 4 to 16 SMs), `gfx90a`, `gfx942` or `gfx1100`.
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

/// Finds the AMD device with that instruction set (`gfx942`, empty where it is not known) and that
/// many compute units.
///
/// Of several products with the same figures, such as MI210 and one die of an MI250, the first in
/// the table. Without an instruction set only those of ROCm's Instinct line are looked at, whose
/// numbers of compute units differ. Devices with waves of 32 are found by name only: a Radeon PRO
/// W7900 has the compute units of an RX 7900 XTX, and other memory.
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

fn normalised(id: &str) -> String {
    id.trim()
        .chars()
        .map(|c| if c == ' ' || c == '_' { '-' } else { c.to_ascii_lowercase() })
        .collect()
}
