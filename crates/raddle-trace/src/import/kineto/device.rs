//! What does a trace of the PyTorch profiler say about its devices?

use serde::Deserialize;
use serde::de::IgnoredAny;
use serde_json::value::RawValue;

use crate::decimal::natural;
use crate::import::document::{members, string};
use crate::profile::SourceDevice;

/// A device, as (number that the trace gives it, `None` where it gives none; properties).
type NumberedDevice = (Option<u64>, SourceDevice);

/// Reads the entries of `deviceProperties` at the start of `text`: returns (the devices with their
/// numbers, the length of the entries in bytes). An entry that is no object is skipped; text that
/// breaks JSON is an error.
pub(super) fn read(text: &[u8]) -> serde_json::Result<(Vec<NumberedDevice>, usize)> {
    let mut json = serde_json::Deserializer::from_slice(text);
    let entries: Vec<&RawValue> = Deserialize::deserialize(&mut json)?;
    let len = json.into_iter::<IgnoredAny>().byte_offset();
    Ok((entries.into_iter().filter_map(|entry| device(entry.get())).collect(), len))
}

fn device(entry: &str) -> Option<NumberedDevice> {
    let names = [
        "id",
        "name",
        "numSms",
        "computeMajor",
        "computeMinor",
        "regsPerMultiprocessor",
        "maxThreadsPerMultiprocessor",
        "sharedMemPerMultiprocessor",
        // AMD's entries have this name for the shared memory.
        "maxSharedMemoryPerMultiProcessor",
        "warpSize",
        "totalGlobalMem",
    ];
    let ([id, name, sms, major, minor, registers, threads, shared, amd_shared, wave, memory], _) =
        members(entry.as_bytes(), &names).ok()?;
    let number = |value: Option<&str>| value.and_then(natural).and_then(|n| u32::try_from(n).ok());
    let device = SourceDevice {
        name: name.and_then(string).unwrap_or_default().into_owned(),
        sms: number(sms),
        compute_major: number(major),
        compute_minor: number(minor),
        registers_per_sm: number(registers),
        threads_per_sm: number(threads),
        shared_bytes_per_sm: number(shared.or(amd_shared)),
        wave_size: number(wave),
        memory_bytes: memory.and_then(natural).filter(|&bytes| bytes > 0),
        ..SourceDevice::default()
    };
    Some((id.and_then(natural), device))
}

/// Returns the instruction set for which AMD's matrix library compiled the kernels, whose names
/// hold `_ISA942_` for gfx942. Empty where there are no such kernels, or kernels for several sets.
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
