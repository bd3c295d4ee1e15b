//! What does a trace say about its devices?

use serde::Deserialize;
use serde_json::value::RawValue;

use crate::decimal::natural;
use crate::profile::SourceDevice;

/// The entries of `deviceProperties` with their numbers; what does not parse is no device.
pub(super) fn parse(text: &[u8]) -> Vec<(Option<u64>, SourceDevice)> {
    let text = String::from_utf8_lossy(text);
    let entries: Vec<RawDevice<'_>> = serde_json::from_str(&text).unwrap_or_default();
    entries.iter().map(|raw| (raw.id.and_then(|id| natural(id.get())), raw.device())).collect()
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct RawDevice<'a> {
    #[serde(borrow, default)]
    id: Option<&'a RawValue>,
    #[serde(default)]
    name: Option<String>,
    #[serde(borrow, default)]
    num_sms: Option<&'a RawValue>,
    #[serde(borrow, default)]
    compute_major: Option<&'a RawValue>,
    #[serde(borrow, default)]
    compute_minor: Option<&'a RawValue>,
    #[serde(borrow, default)]
    regs_per_multiprocessor: Option<&'a RawValue>,
    #[serde(borrow, default)]
    max_threads_per_multiprocessor: Option<&'a RawValue>,
    #[serde(borrow, default)]
    shared_mem_per_multiprocessor: Option<&'a RawValue>,
    /// What AMD's entries say instead.
    #[serde(borrow, default)]
    max_shared_memory_per_multi_processor: Option<&'a RawValue>,
    #[serde(borrow, default)]
    warp_size: Option<&'a RawValue>,
}

impl RawDevice<'_> {
    fn device(&self) -> SourceDevice {
        let number = |raw: Option<&RawValue>| {
            raw.and_then(|raw| natural(raw.get())).and_then(|n| u32::try_from(n).ok())
        };
        SourceDevice {
            name: self.name.clone().unwrap_or_default(),
            sms: number(self.num_sms),
            compute_major: number(self.compute_major),
            compute_minor: number(self.compute_minor),
            registers_per_sm: number(self.regs_per_multiprocessor),
            threads_per_sm: number(self.max_threads_per_multiprocessor),
            shared_bytes_per_sm: number(
                self.shared_mem_per_multiprocessor.or(self.max_shared_memory_per_multi_processor),
            ),
            wave_size: number(self.warp_size),
            ..SourceDevice::default()
        }
    }
}

/// The instruction set for which AMD's matrix library compiled its kernels: their names say
/// `_ISA942_` for gfx942. Nothing where there are none, or for several.
pub(super) fn arch(names: &[String]) -> String {
    let mut found = names.iter().filter(|name| name.starts_with("Cijk_")).filter_map(|name| {
        let (_, behind) = name.split_once("_ISA")?;
        let (isa, _) = behind.split_once('_')?;
        // 000 stands for code that runs on any.
        let plain = (3..=4).contains(&isa.len()) && isa.bytes().all(|b| b.is_ascii_alphanumeric());
        (plain && isa != "000").then_some(isa)
    });
    match found.next() {
        Some(isa) if found.all(|other| other == isa) => format!("gfx{isa}"),
        _ => String::new(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_instruction_set_is_named_by_kernels_that_agree() {
        let of = |names: &[&str]| {
            let names: Vec<_> = names.iter().map(|&name| name.to_owned()).collect();
            arch(&names)
        };
        assert_eq!(of(&["Cijk_A_ISA90a_IU1_K1", "Cijk_B_ISA000_K1", "other_ISA942_"]), "gfx90a");
        assert_eq!(of(&["Cijk_A_ISA942_K1", "Cijk_B_ISA90a_K1"]), "");
        assert_eq!(of(&["Cijk_A", "Cijk_A_ISA942", "Cijk_A_ISA9-2_", "Cijk_A_ISA12345_"]), "");
        assert_eq!(of(&["Cijk_A_ISA1100_K1"]), "gfx1100");
        assert_eq!(of(&[]), "");
    }
}
