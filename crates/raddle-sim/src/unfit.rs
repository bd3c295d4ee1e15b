//! Why can a launch never run on a device, in words?

use raddle_device::{Device, Vendor};
use raddle_policy::{CuId, Cus, Resource};

use crate::workload::{Task, Work};

/// Returns the reason why a launch can never run on the device, in words; `None` where it can run.
pub(crate) fn why_not(cus: &Cus, task: &Task, target: &Device) -> Option<String> {
    match task.work {
        Work::Unfit { resource: Resource::Vgpr, wanted, available } => Some(match target.vendor {
            Vendor::Nvidia => format!("a thread wants {wanted} registers and can have {available}"),
            _ => format!("a work-item wants {wanted} vector registers and can have {available}"),
        }),
        Work::Unfit { resource: Resource::Grid, wanted, available } => Some(format!(
            "its grid has {wanted} workgroups, and at most {available} can have run in its duration, a nanosecond a round: the grid or the duration is wrong in the file"
        )),
        Work::Unfit { resource, wanted, available } => {
            Some(lacks(resource, wanted, available, target))
        }
        Work::Kernel { workgroups: 0, .. } => Some("its grid is empty".to_owned()),
        Work::Kernel { demand, .. } => {
            let (resource, wanted, available) = cus.lacking(CuId(0), &demand)?;
            Some(lacks(resource, wanted, available, target))
        }
        Work::Copy { .. } => None,
    }
}

/// Returns a sentence, in the words of the device's vendor, that a workgroup wants more of a
/// resource than an empty compute unit has.
fn lacks(resource: Resource, wanted: u64, available: u64, target: &Device) -> String {
    let nvidia = target.vendor == Vendor::Nvidia;
    let own = |nvidia_word: &'static str, other: &'static str| match nvidia {
        true => nvidia_word,
        false => other,
    };
    let (group, unit) = (own("block", "workgroup"), own("SM", "compute unit"));
    if resource == Resource::Lds {
        let kb = |granules: u64| {
            let bytes = granules.saturating_mul(u64::from(target.granules.lds_bytes));
            format!("{}.{} KB", bytes / 1000, bytes % 1000 / 100)
        };
        let [wanted, available] = [wanted, available].map(kb);
        let what = own("shared memory", "LDS");
        return format!("a {group} wants {wanted} of {what}, an empty {unit} has {available}");
    }
    let what = match resource {
        Resource::Waves => own("warp slots", "wave slots"),
        Resource::Vgpr => own("granules of registers", "granules of vector registers"),
        Resource::Sgpr => "granules of scalar registers",
        Resource::Barriers => "barriers",
        _ => "slots",
    };
    format!("a {group} wants {wanted} {what}, an empty {unit} has {available}")
}
