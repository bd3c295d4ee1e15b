//! Which commands take back what set up a way of sharing?
//!
//! Commands and keys are those of docs/modes.md, which gives their sources.

use raddle_device::Vendor;

use super::ShareCandidate;
use super::modes::{BY_LEVEL, Mode, SLICES};
use crate::result::SetUpFile;

/// Commands that remove all MIG instances of the first device, and end its MIG mode.
pub(super) const WITHOUT_MIG: [&str; 3] = [
    "nvidia-smi mig -i 0 -dci    # once the programs have ended: all instances, also those made before",
    "nvidia-smi mig -i 0 -dgi",
    "nvidia-smi -i 0 -mig 0    # if MIG was off before",
];

/// Returns the lines that undo the set-up of a way of sharing the device, with its `files`; empty
/// where there is nothing to undo.
pub(super) fn undo(chosen: &ShareCandidate, files: &[SetUpFile]) -> Vec<String> {
    let lines: &[&str] = match &chosen.mode {
        Mode::TimeSlice(Vendor::Amd) => &[
            "echo 0 | sudo tee /sys/class/drm/card0/device/enforce_isolation    # if it was 0 before; a 0 for each partition",
        ],
        Mode::TimeSlice(_) => &[
            "nvidia-smi compute-policy -i 0 --set-timeslice 0    # the default; else the length that `-l` told",
        ],
        Mode::Mps(_) | Mode::Partition(Vendor::Nvidia, _) => &[
            "echo quit | nvidia-cuda-mps-control    # once all programs that use MPS have ended, also those of other people",
        ],
        Mode::Partition(..) => &["# end the programs: HSA_CU_MASK holds for them alone"],
        Mode::Mig(_) => &WITHOUT_MIG,
        Mode::ComputePartition(_) => {
            &["amd-smi set --gpu 0 --compute-partition SPX    # or the mode that it had before"]
        }
        Mode::Recipe(name) if BY_LEVEL.contains(name) || *name == SLICES => {
            &["# end `raddle live serve` by Ctrl-C: programs run on without it"]
        }
        Mode::Queues | Mode::Recipe(_) | Mode::RequestLimit(_) => &[],
    };
    // Pods that use the device end before it changes.
    manifests(files).into_iter().chain(lines.iter().map(|&line| line.to_owned())).collect()
}

/// Returns the line that takes back the files for Kubernetes: pods before the claim that they use.
/// `None` where there are none.
fn manifests(files: &[SetUpFile]) -> Option<String> {
    let names = || files.iter().map(|file| file.name);
    let applied: Vec<String> = names()
        .filter(|name| name.ends_with("-pods.json"))
        .chain(names().filter(|name| name.ends_with("-claim.json")))
        .map(|name| format!(" -f {name}"))
        .collect();
    let plugin = names().find(|name| *name == "device-plugin.json");
    let earlier = match plugin {
        Some(_) => "; the device plugin gets its earlier settings",
        None => "",
    };
    (!applied.is_empty()).then(|| {
        format!("kubectl delete{}    # those that were applied{earlier}", applied.concat())
    })
}
