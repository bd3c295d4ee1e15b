//! Do the processes together fit into the memory of the device?
//!
//! Programs that share a device hold their memory all the time, whichever of them runs. The user
//! says how much a program holds; else its profile tells the most that the program's allocator held
//! while it was recorded. That is a lower bound, as it leaves out contexts and libraries.

use raddle_device::{Device, Vendor};

use crate::devices;
use crate::error::StudyError;
use crate::profiles::Loaded;
use crate::units::size;

/// Clause of a message: it says what a recorded amount of memory leaves out.
const RECORDED: &str = "recorded is the most that a program's own allocations came to: contexts and libraries take more";

/// Memory size of a device, in bytes, and how it is known.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Capacity {
    /// Memory size in bytes, as a profile states it that was recorded on a device of this kind.
    Recorded(u64),
    /// Memory size in bytes by a data sheet or by the user's device file; a device of this kind may
    /// report up to `most` bytes.
    Known { bytes: u64, most: u64 },
}

impl Capacity {
    /// Returns the memory size of a device: the one in a profile that was recorded on such a
    /// device, else that of the device's description; `None` where neither is known.
    fn of(profiles: &[Loaded], device: &Device) -> Option<Self> {
        let (bytes, most) = device.memory_bytes().zip(device.most_memory_bytes())?;
        // Cards of one name come with different memory.
        let is_size = |&recorded: &u64| recorded.abs_diff(bytes) <= bytes / 8;
        let recorded = profiles.iter().filter_map(|loaded| {
            let recorded = loaded.profile.device.as_ref()?.memory_bytes.filter(is_size)?;
            let own = devices::own(&loaded.profile).ok()?;
            (own.device.id == device.id).then_some(recorded)
        });
        Some(recorded.max().map_or(Self::Known { bytes, most }, Self::Recorded))
    }

    /// Returns the number of bytes above which the processes surely do not fit on the device.
    const fn most(self) -> u64 {
        match self {
            Self::Recorded(most) | Self::Known { most, .. } => most,
        }
    }

    /// Returns the memory size, in bytes, that messages state.
    const fn bytes(self) -> u64 {
        match self {
            Self::Recorded(bytes) | Self::Known { bytes, .. } => bytes,
        }
    }

    /// Writes the memory size and how it is known, for a message in which the processes need `sum`
    /// bytes together.
    fn told(self, sum: u64) -> String {
        let amount = size(self.bytes());
        match self {
            Self::Recorded(_) => format!("{amount} (recorded)"),
            Self::Known { bytes, most } if sum > bytes && most > bytes => {
                format!("{amount} by its data sheet ({} where its GB are GiB)", size(most))
            }
            Self::Known { .. } => amount,
        }
    }
}

/// Returns words for how much memory the processes need together and how much the device has, as
/// far as that is known.
///
/// # Errors
/// When the processes need more memory than such a device can have.
pub(crate) fn told(profiles: &[Loaded], device: &Device) -> Result<String, StudyError> {
    let known = profiles.iter().filter_map(|loaded| Some((loaded, loaded.memory()?)));
    let sum = known.clone().fold(0_u64, |sum, (_, bytes)| sum.saturating_add(bytes));
    let recorded = known.clone().any(|(loaded, _)| loaded.given_memory.is_none());
    let all: Vec<String> = known.map(|(loaded, bytes)| held(loaded, bytes)).collect();
    let capacity = Capacity::of(profiles, device);
    if let Some(capacity) = capacity.filter(|it| sum > it.most()) {
        return Err(StudyError::Refused(over(&all, sum, (capacity, device), recorded)));
    }
    let unknown = profiles.iter().filter(|it| it.memory().is_none()).map(|it| &*it.name);
    let unknown: Vec<&str> = unknown.collect();
    let of = capacity
        .map_or_else(|| "of an unknown amount".to_owned(), |it| format!("of {}", it.told(sum)));
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

/// Returns the message that the processes need more memory than a device has. `held` has a text for
/// each process, and `sum` is the number of bytes that all need. `recorded` is true if some of
/// these amounts come from profiles and not from the user.
fn over(
    held: &[String],
    sum: u64,
    (capacity, device): (Capacity, &Device),
    recorded: bool,
) -> String {
    let cure = if recorded {
        "Give --memory NAME=20GB where a program can do with less"
    } else {
        "Give them less memory"
    };
    let (product, more) = (&device.product, size(sum.saturating_sub(capacity.bytes())));
    let most = capacity.told(sum);
    match held {
        [only] => format!(
            "the process does not fit into the memory of {product}: {only} is {more} more than its {most}. {cure}, or a larger --device"
        ),
        _ => format!(
            "the processes do not fit into the memory of {product} together: {} are {}, {more} more than its {most}. {cure}, a larger --device, or a device each",
            held.join(" + "),
            size(sum)
        ),
    }
}

/// Returns words that name the command which shows how much memory a running program has on a
/// device of this vendor; empty where there is none.
const fn check(vendor: Vendor) -> &'static str {
    match vendor {
        Vendor::Nvidia => "check nvidia-smi, or ",
        Vendor::Amd => "check rocm-smi --showmeminfo vram, or ",
        _ => "",
    }
}

/// Returns the name of a process, the memory that it needs, and how that is known, as text.
fn held(loaded: &Loaded, bytes: u64) -> String {
    let how = if loaded.given_memory.is_some() { "given" } else { "recorded" };
    format!("{} {} ({how})", loaded.name, size(bytes))
}
