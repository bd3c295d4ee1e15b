//! Do the processes fit into the memory of the device?
//!
//! Programs that share a device hold their memory all the time, whoever runs. The user says how
//! much, or else the profile tells what was recorded: what one program's allocator held at most,
//! without contexts and libraries, so that a program never holds less than that.

use raddle_device::{Device, Vendor};

use crate::error::StudyError;
use crate::profiles::Loaded;
use crate::units::size;

/// The limit of a recorded amount.
const RECORDED: &str = "recorded is the most that a program's own allocations came to: contexts and libraries take more";

/// Says how much memory the processes hold together, of how much, or what is not known of it.
///
/// # Errors
/// When they hold more than the device has.
pub(crate) fn told(profiles: &[Loaded], device: &Device) -> Result<String, StudyError> {
    let known = profiles.iter().filter_map(|loaded| Some((loaded, loaded.memory()?)));
    let sum = known.clone().fold(0_u64, |sum, (_, bytes)| sum.saturating_add(bytes));
    let recorded = known.clone().any(|(loaded, _)| loaded.given_memory.is_none());
    let all: Vec<String> = known.map(|(loaded, bytes)| held(loaded, bytes)).collect();
    let of = device.memory_bytes();
    if let Some(most) = of.filter(|&most| sum > most) {
        let cure = if recorded {
            "Give --memory NAME=20GB where a program can do with less"
        } else {
            "Give them less memory"
        };
        let (product, more) = (&device.product, size(sum - most));
        let (of, most) = (all.join(" + "), size(most));
        return Err(StudyError::Refused(match profiles.len() {
            1 => format!(
                "the process does not fit into the memory of {product}: {of} is {more} more than its {most}. {cure}, or a larger --device"
            ),
            _ => format!(
                "the processes do not fit into the memory of {product} together: {of} are {}, {more} more than its {most}. {cure}, a larger --device, or a device each",
                size(sum)
            ),
        }));
    }
    let unknown = profiles.iter().filter(|it| it.memory().is_none()).map(|it| &*it.name);
    let unknown: Vec<&str> = unknown.collect();
    let of =
        of.map_or_else(|| "of an unknown amount".to_owned(), |most| format!("of {}", size(most)));
    let limit = if recorded { format!("; {RECORDED}") } else { String::new() };
    Ok(match (all.as_slice(), unknown.as_slice()) {
        (known, []) => format!("{} {of}{limit}", known.join(" + ")),
        ([], _) => format!("not known, {of}: {}give --memory NAME=40GB", check(device.vendor)),
        (known, unknown) => format!(
            "{} + {} unknown, {of}: give --memory NAME=40GB{limit}",
            known.join(" + "),
            unknown.join(", ")
        ),
    })
}

/// Names the command that shows what a running program holds, where the vendor has one.
const fn check(vendor: Vendor) -> &'static str {
    match vendor {
        Vendor::Nvidia => "check nvidia-smi, or ",
        Vendor::Amd => "check rocm-smi --showmeminfo vram, or ",
        _ => "",
    }
}

/// Returns the amount that a process holds, and how that is known.
fn held(loaded: &Loaded, bytes: u64) -> String {
    let how = if loaded.given_memory.is_some() { "given" } else { "recorded" };
    format!("{} {} ({how})", loaded.name, size(bytes))
}
