//! Do the processes fit into the memory of the device together?
//!
//! Programs that share a device hold their memory all the time, whoever runs.

use raddle_device::Device;

use crate::error::StudyError;
use crate::profiles::Loaded;
use crate::units::size;

/// Says how much memory several processes hold together, of how much, or what is not known of it.
///
/// # Errors
/// When they hold more than the device has.
pub(crate) fn told(profiles: &[Loaded], device: &Device) -> Result<Option<String>, StudyError> {
    if profiles.len() < 2 {
        return Ok(None);
    }
    let known = profiles.iter().filter_map(|loaded| Some((&loaded.name, loaded.memory?)));
    let sum = known.clone().fold(0_u64, |sum, (_, bytes)| sum.saturating_add(bytes));
    let all: Vec<String> = known.map(|(name, bytes)| format!("{name} {}", size(bytes))).collect();
    let of = device.memory_bytes();
    if let Some(most) = of.filter(|&most| sum > most) {
        return Err(StudyError::Refused(format!(
            "the processes do not fit into the memory of {} together: {} are {}, {} more than its {}. Give them less memory, a larger --device, or a device each",
            device.product,
            all.join(" + "),
            size(sum),
            size(sum - most),
            size(most)
        )));
    }
    let unknown: Vec<&str> =
        profiles.iter().filter(|it| it.memory.is_none()).map(|it| &*it.name).collect();
    let of =
        of.map_or_else(|| "of an unknown amount".to_owned(), |most| format!("of {}", size(most)));
    Ok(Some(match (all.as_slice(), unknown.as_slice()) {
        (known, []) => format!("{} {of}", known.join(" + ")),
        ([], _) => format!("not known, {of}: check nvidia-smi, or give --memory NAME=40GB"),
        (known, unknown) => format!(
            "{} + {} unknown, {of}: give --memory NAME=40GB",
            known.join(" + "),
            unknown.join(", ")
        ),
    }))
}
