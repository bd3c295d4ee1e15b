//! Which commands and files set up a device to be shared in a given way?
//!
//! The commands and keys are those of docs/modes.md, which gives their sources.

use raddle_device::Vendor;

use super::mig::MigProfile;
use super::modes::{BY_LEVEL, Mode, SLICES};
use super::{NAME, ShareCandidate, Tenant, files};
use crate::result::SetUpFile;
use crate::units::{plain, quoted_posix};

/// Returns (commands that set up a way of sharing the device, one line each; files that the
/// commands read). The word COMMAND stands for a tenant's own command. The tenant's name is only in
/// a comment behind it, so that a pasted line never runs the name as a command.
pub(super) fn set_up(
    chosen: &ShareCandidate,
    tenants: &[Tenant<'_>],
) -> (Vec<String>, Vec<SetUpFile>) {
    let count = tenants.len();
    let daemon = || "nvidia-cuda-mps-control -d".to_owned();
    match &chosen.mode {
        Mode::TimeSlice(Vendor::Amd) => {
            let isolate = "echo 1 | sudo tee /sys/class/drm/card0/device/enforce_isolation    \
                           # a 1 for each partition of the device";
            (vec![isolate.to_owned()], Vec::new())
        }
        Mode::TimeSlice(_) => (
            vec![
                "nvidia-smi compute-policy -i 0 -l    # tells the present length".to_owned(),
                "nvidia-smi compute-policy -i 0 --set-timeslice 0    # the default; no MPS, no MIG"
                    .to_owned(),
            ],
            vec![
                files::device_plugin("timeSlicing", count),
                files::resource_claim(&files::time_slices()),
                files::kai(tenants),
            ],
        ),
        Mode::Mps(false) => (vec![daemon()], vec![files::resource_claim(&files::mps(None))]),
        Mode::Mps(true) => {
            let level = |at: usize| u8::from(!tenants[at].urgent);
            let own = each(tenants, |at| format!("CUDA_MPS_CLIENT_PRIORITY={}", level(at)));
            let lines = std::iter::once(daemon()).chain(own).collect();
            let variable = "CUDA_MPS_CLIENT_PRIORITY";
            let pods = files::mps_pods(tenants, variable, |at| u32::from(level(at)));
            (lines, vec![files::resource_claim(&files::mps(None)), pods])
        }
        Mode::Partition(Vendor::Nvidia, sets) => nvidia_partition(sets, tenants),
        Mode::Partition(_, sets) => amd_partition(sets, tenants),
        Mode::Mig(set) => instances(set, tenants),
        Mode::ComputePartition(mode) => {
            let set = format!("amd-smi set --gpu 0 --compute-partition {mode}");
            let own = each(tenants, |at| format!("HIP_VISIBLE_DEVICES={at}"));
            let lines = std::iter::once(set).chain(own).collect();
            (lines, Vec::new())
        }
        Mode::Queues => {
            let nothing =
                "# nothing to set: processes share the device through queues of their own"
                    .to_owned();
            (vec![nothing], Vec::new())
        }
        Mode::Recipe(name) if BY_LEVEL.contains(name) || *name == SLICES => {
            let serve = "raddle live serve --recipe recipe.toml    # OpenCL programs, docs/live.md";
            (vec![serve.to_owned()], vec![files::recipe(chosen)])
        }
        Mode::Recipe(name) => none(name, chosen),
        Mode::RequestLimit(_) => none("request-limit", chosen),
    }
}

/// Returns (commands, files) that make the MIG instances of a set and give each tenant one of them.
fn instances(set: &[MigProfile], tenants: &[Tenant<'_>]) -> (Vec<String>, Vec<SetUpFile>) {
    let names: Vec<&str> = set.iter().map(|one| one.name).collect();
    let cut = largest_first(set);
    let mut lines =
        vec!["nvidia-smi -i 0 -mig 1".to_owned(), format!("nvidia-smi mig -i 0 -cgi {cut} -C")];
    let own = each(tenants, |at| {
        let one = names.iter().filter(|name| **name == names[at]).count() == 1;
        // Instances of one kind are told apart by their order in `nvidia-smi -L`.
        let number = if one { String::new() } else { format!("_{}", files::nth(&names, at)) };
        format!("CUDA_VISIBLE_DEVICES=MIG-UUID_OF_{}{number}", names[at])
    });
    lines.extend(own.map(|line| format!("{line}; nvidia-smi -L names it")));
    let pods = files::mig_pods(tenants);
    (lines, vec![files::mig_script(&names, &cut, tenants), files::instances(&names), pods])
}

/// Returns the names of MIG instances, the largest first. In this order all of them fit: a small
/// instance that is made first could block the place where a large one has to begin.
fn largest_first(set: &[MigProfile]) -> String {
    let mut set: Vec<&MigProfile> = set.iter().collect();
    set.sort_by_key(|one| std::cmp::Reverse(one.units));
    set.iter().map(|one| one.name).collect::<Vec<_>>().join(",")
}

fn none(name: &str, chosen: &ShareCandidate) -> (Vec<String>, Vec<SetUpFile>) {
    let line = format!("# no device offers {name}: it needs a dispatcher of its own");
    (vec![line], vec![files::recipe(chosen)])
}

/// Returns (commands, files) that give each tenant its percentage of the device under MPS. Equal
/// percentages are in the settings of NVIDIA's device plugin and in the resource claim, unequal
/// ones in the pods.
fn nvidia_partition(sets: &[(u32, u16)], tenants: &[Tenant<'_>]) -> (Vec<String>, Vec<SetUpFile>) {
    let own = each(tenants, |at| format!("CUDA_MPS_ACTIVE_THREAD_PERCENTAGE={}", sets[at].0));
    let lines = std::iter::once("nvidia-cuda-mps-control -d".to_owned()).chain(own).collect();
    let first = sets.first().map(|&(percent, _)| percent);
    let equal = first.filter(|&first| sets.iter().all(|&(percent, _)| percent == first));
    let plugin = equal.map(|_| files::device_plugin("mps", tenants.len()));
    let claim = files::resource_claim(&files::mps(equal));
    // A claim has one percentage for all clients, so unequal ones are set in the pods.
    let pods = match equal {
        Some(_) => None,
        None => {
            let variable = "CUDA_MPS_ACTIVE_THREAD_PERCENTAGE";
            Some(files::mps_pods(tenants, variable, |at| sets[at].0))
        }
    };
    let rest = pods.into_iter().chain([files::contexts(sets, tenants)]);
    let rest = rest.chain([files::green_contexts(sets, tenants)]);
    (lines, plugin.into_iter().chain([claim]).chain(rest).collect())
}

/// Returns (commands, files) that give each tenant its compute units by masks, for processes or for
/// streams of one process.
fn amd_partition(sets: &[(u32, u16)], tenants: &[Tenant<'_>]) -> (Vec<String>, Vec<SetUpFile>) {
    let firsts = sets.iter().scan(0, |first, &(_, units)| {
        *first += units;
        Some(*first - units)
    });
    let masks: Vec<(u16, u16)> =
        firsts.zip(sets).map(|(first, &(_, units))| (first, first + units - 1)).collect();
    let mask = |at: usize| format!("HSA_CU_MASK=0:{}-{}", masks[at].0, masks[at].1);
    (each(tenants, mask).collect(), vec![files::unit_masks(&masks, tenants)])
}

/// Returns a command line for each tenant: an environment variable, the word COMMAND in place of
/// the tenant's command, and the tenant's name in a comment.
fn each(
    tenants: &[Tenant<'_>],
    variable: impl Fn(usize) -> String,
) -> impl Iterator<Item = String> {
    let own = tenants.iter().enumerate();
    own.map(move |(at, tenant)| {
        // A shell without comments would read the name, so it is quoted.
        format!("{} COMMAND    # {}", variable(at), quoted_posix(&plain(tenant.name, NAME)))
    })
}

#[cfg(test)]
mod tests;
