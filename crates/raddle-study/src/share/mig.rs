//! Into which MIG instances can a device be cut, and which sets of instances have one for each
//! tenant?
//!
//! Compute slices, parts of the memory and multiprocessors of each profile: NVIDIA's MIG User
//! Guide, "Supported MIG Profiles", and what `nvidia-smi mig -lgip` prints on these devices; of an
//! H800, which is cut as an H100 of as many multiprocessors, by its names in NVIDIA's guide of
//! virtual GPUs. Of the B200 and the GB200 listings were found that give the multiprocessors of the
//! three smallest profiles (NVIDIA/mig-parted, pull request 187 and issue 227), of an H20 none, only
//! the names; no set has a profile whose multiprocessors are unknown.

use raddle_device::Device;

/// Kind of a MIG instance: its name, its compute slices, its part of the memory and its
/// multiprocessors.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct MigProfile {
    /// Name of the kind of instance, such as `3g.40gb`.
    pub(crate) name: &'static str,
    /// Number of compute slices of the device that the instance has.
    slices: u8,
    /// Parts of the device's memory that the instance has: eighths, or quarters on devices with
    /// four slices.
    memory: u8,
    /// Number of multiprocessors of the instance; 0 where it is not published.
    pub(crate) units: u16,
}

impl MigProfile {
    /// Returns an upper bound of the memory of the instance in bytes: the GB in its name read as
    /// GiB, of which an instance has a few percent less (an H100's 3g.40gb has 39.5 GiB).
    pub(super) fn most_memory_bytes(&self) -> u64 {
        let name = self.name.split_once('.').and_then(|(_, rest)| rest.split_once("gb"));
        let gigabytes = name.and_then(|(gigabytes, _)| gigabytes.parse::<u64>().ok());
        gigabytes.unwrap_or(0).saturating_mul(1 << 30)
    }
}

const fn profile(name: &'static str, slices: u8, memory: u8, units: u16) -> MigProfile {
    MigProfile { name, slices, memory, units }
}

const UNKNOWN: u16 = 0;

const A100: [MigProfile; 6] = [
    profile("1g.5gb", 1, 1, 14),
    profile("1g.10gb", 1, 2, 14),
    profile("2g.10gb", 2, 2, 28),
    profile("3g.20gb", 3, 4, 42),
    profile("4g.20gb", 4, 4, 56),
    profile("7g.40gb", 7, 8, 98),
];
const A100_80GB: [MigProfile; 6] = [
    profile("1g.10gb", 1, 1, 14),
    profile("1g.20gb", 1, 2, 14),
    profile("2g.20gb", 2, 2, 28),
    profile("3g.40gb", 3, 4, 42),
    profile("4g.40gb", 4, 4, 56),
    profile("7g.80gb", 7, 8, 98),
];
const H100: [MigProfile; 6] = [
    profile("1g.10gb", 1, 1, 16),
    profile("1g.20gb", 1, 2, 26),
    profile("2g.20gb", 2, 2, 32),
    profile("3g.40gb", 3, 4, 60),
    profile("4g.40gb", 4, 4, 64),
    profile("7g.80gb", 7, 8, 132),
];
const H100_PCIE: [MigProfile; 6] = [
    profile("1g.10gb", 1, 1, 14),
    profile("1g.20gb", 1, 2, 14),
    profile("2g.20gb", 2, 2, 30),
    profile("3g.40gb", 3, 4, 46),
    profile("4g.40gb", 4, 4, 62),
    profile("7g.80gb", 7, 8, 114),
];
const GH200: [MigProfile; 6] = [
    profile("1g.12gb", 1, 1, 16),
    profile("1g.24gb", 1, 2, 26),
    profile("2g.24gb", 2, 2, 32),
    profile("3g.48gb", 3, 4, 60),
    profile("4g.48gb", 4, 4, 64),
    profile("7g.96gb", 7, 8, 132),
];
const H20: [MigProfile; 6] = [
    profile("1g.12gb", 1, 1, UNKNOWN),
    profile("1g.24gb", 1, 2, UNKNOWN),
    profile("2g.24gb", 2, 2, UNKNOWN),
    profile("3g.48gb", 3, 4, UNKNOWN),
    profile("4g.48gb", 4, 4, UNKNOWN),
    profile("7g.96gb", 7, 8, UNKNOWN),
];
const GB200: [MigProfile; 6] = [
    profile("1g.23gb", 1, 1, 18),
    profile("1g.47gb", 1, 2, 32),
    profile("2g.47gb", 2, 2, 38),
    profile("3g.93gb", 3, 4, UNKNOWN),
    profile("4g.93gb", 4, 4, UNKNOWN),
    profile("7g.186gb", 7, 8, UNKNOWN),
];
const H200: [MigProfile; 6] = [
    profile("1g.18gb", 1, 1, 16),
    profile("1g.35gb", 1, 2, 26),
    profile("2g.35gb", 2, 2, 32),
    profile("3g.71gb", 3, 4, 60),
    profile("4g.71gb", 4, 4, 64),
    profile("7g.141gb", 7, 8, 132),
];
const B200: [MigProfile; 6] = [
    profile("1g.23gb", 1, 1, 18),
    profile("1g.45gb", 1, 2, 30),
    profile("2g.45gb", 2, 2, 36),
    profile("3g.90gb", 3, 4, UNKNOWN),
    profile("4g.90gb", 4, 4, UNKNOWN),
    profile("7g.180gb", 7, 8, UNKNOWN),
];

const A30: [MigProfile; 3] =
    [profile("1g.6gb", 1, 1, 14), profile("2g.12gb", 2, 2, 28), profile("4g.24gb", 4, 4, 56)];
/// Kinds of MIG instances of the RTX PRO 6000. The 46 and 94 multiprocessors of 1g and 2g instances
/// were read from devices in use (`nvidia-smi mig -lgip` in
/// GoogleCloudPlatform/container-engine-accelerators pull request 564; multiProcessorCount of a
/// 2g.48gb).
const RTX_PRO_6000: [MigProfile; 3] =
    [profile("1g.24gb", 1, 1, 46), profile("2g.48gb", 2, 2, 94), profile("4g.96gb", 4, 4, 188)];

/// Returns (number of compute slices of a device, number of slices into which its memory is
/// divided), as MIG counts them.
fn all(device: &Device) -> (u8, u8) {
    match device.id.as_str() {
        "a30" | "rtx-pro-6000-workstation" | "rtx-pro-6000-server" => (4, 4),
        _ => (7, 8),
    }
}

fn profiles(device: &Device) -> &'static [MigProfile] {
    match device.id.as_str() {
        "a100" => &A100,
        "a100-80gb" | "a100-80gb-pcie" => &A100_80GB,
        "h100" | "h800" => &H100,
        "h100-pcie" => &H100_PCIE,
        "h200" => &H200,
        "gh200" => &GH200,
        "h20" => &H20,
        "b200" => &B200,
        "gb200" => &GB200,
        "a30" => &A30,
        "rtx-pro-6000-workstation" | "rtx-pro-6000-server" => &RTX_PRO_6000,
        _ => &[],
    }
}

/// Returns the largest number of tenants that can each have a MIG instance of a device; `None` if
/// the device has no instances.
pub(super) fn most(device: &Device) -> Option<usize> {
    let least = profiles(device).iter().map(|one| one.slices).min()?;
    Some(usize::from(all(device).0 / least))
}

/// Returns whether the number of multiprocessors is known for at least one kind of MIG instance of
/// the device.
pub(super) fn some_known(device: &Device) -> bool {
    profiles(device).iter().any(|one| one.units != UNKNOWN)
}

/// Returns the number of eighths of the device's memory that a MIG instance has.
pub(super) fn memory_eighths(device: &Device, one: &MigProfile) -> u8 {
    one.memory * 8 / all(device).1
}

/// Returns the names of the kinds of MIG instances that a device has; empty if it has none.
#[cfg(test)]
pub(super) fn names(device: &Device) -> Vec<&'static str> {
    profiles(device).iter().map(|one| one.name).collect()
}

/// Returns every set of MIG instances, one for each tenant, in which no instance could be replaced
/// by a larger one. Empty if the device has no MIG or fewer instances than there are tenants, or if
/// every such set has an instance whose number of multiprocessors is unknown.
pub(crate) fn sets(device: &Device, tenants: usize) -> Vec<Vec<MigProfile>> {
    let mut found = Vec::new();
    let all = all(device);
    extend(profiles(device), tenants, all, &mut Vec::new(), &mut found);
    found.retain(|set| !profiles(device).iter().any(|larger| can_grow(set, larger, all)));
    found
}

fn extend(
    profiles: &[MigProfile],
    tenants: usize,
    (slices, memory): (u8, u8),
    set: &mut Vec<MigProfile>,
    found: &mut Vec<Vec<MigProfile>>,
) {
    if set.len() == tenants {
        found.push(set.clone());
        return;
    }
    for &profile in profiles.iter().filter(|one| one.units != UNKNOWN) {
        let left = slices.checked_sub(profile.slices).zip(memory.checked_sub(profile.memory));
        if let Some(left) = left {
            set.push(profile);
            extend(profiles, tenants, left, set, found);
            set.pop();
        }
    }
}

/// Returns whether some instance of the set could be replaced by one of the larger kind `larger`.
/// The device has (`all_slices` compute slices, `all_memory` parts of memory).
fn can_grow(set: &[MigProfile], larger: &MigProfile, (all_slices, all_memory): (u8, u8)) -> bool {
    let taken = |all: fn(&MigProfile) -> u8| set.iter().map(all).sum::<u8>();
    let (slices, memory) = (taken(|one| one.slices), taken(|one| one.memory));
    set.iter().any(|one| {
        // A profile with more slices is larger, even if its multiprocessors are unknown.
        let more_memory = larger.units == one.units && larger.memory > one.memory;
        (larger.units > one.units || larger.slices > one.slices || more_memory)
            && slices - one.slices + larger.slices <= all_slices
            && memory - one.memory + larger.memory <= all_memory
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn sets_of(device: &str, tenants: usize) -> Vec<String> {
        let device = raddle_device::find(device).unwrap();
        let name =
            |set: Vec<MigProfile>| set.iter().map(|one| one.name).collect::<Vec<_>>().join("+");
        sets(&device, tenants).into_iter().map(name).collect()
    }

    #[test]
    fn sets_use_all_that_tenants_can_have() {
        assert_eq!(sets_of("h100", 1), ["7g.80gb"]);
        assert_eq!(sets_of("h100", 2), ["3g.40gb+4g.40gb", "4g.40gb+3g.40gb"]);
        let three = sets_of("a100", 3);
        assert!(three.contains(&"4g.20gb+2g.10gb+1g.10gb".to_owned()), "{three:?}");
        assert!(!three.contains(&"3g.20gb+3g.20gb+1g.5gb".to_owned()), "nine eighths of memory");
        let seven = sets_of("a100", 7);
        let last = [&["1g.5gb"; 6][..], &["1g.10gb"]].concat().join("+");
        assert!(seven.len() == 7 && seven.contains(&last), "eight eighths of memory: {seven:?}");
        assert!(sets_of("a100", 8).is_empty());
        assert!(sets_of("v100", 2).is_empty());
        for (device, two) in [
            ("a100-80gb-pcie", "3g.40gb+4g.40gb"),
            ("h100-pcie", "3g.40gb+4g.40gb"),
            ("h800", "3g.40gb+4g.40gb"),
            ("gh200", "3g.48gb+4g.48gb"),
        ] {
            assert_eq!(sets_of(device, 2)[0], two, "{device}");
        }
        assert_eq!(sets_of("a30", 2), ["2g.12gb+2g.12gb"]);
        assert_eq!(sets_of("rtx-pro-6000-server", 4), [["1g.24gb"; 4].join("+")]);
        assert!(sets_of("a30", 5).is_empty());
    }

    #[test]
    fn sets_have_no_instance_of_unknown_size_and_leave_no_room_for_one() {
        // A 3g.90gb beside two 2g.45gb would be larger than three 2g.45gb.
        assert!(sets_of("b200", 2).is_empty() && sets_of("b200", 3).is_empty());
        let four = sets_of("b200", 4);
        assert!(four.contains(&"2g.45gb+2g.45gb+2g.45gb+1g.45gb".to_owned()), "{four:?}");
        assert_eq!(four.len(), 4, "whose the small one is: {four:?}");
        assert_eq!(sets_of("gb200", 4)[0], "1g.47gb+2g.47gb+2g.47gb+2g.47gb");
        assert!(sets_of("gb200", 2).is_empty() && sets_of("h20", 2).is_empty());
        // Seven slices, eight eighths of the memory: one of them has two.
        let seven = sets_of("b200", 7);
        let first = [&["1g.23gb"; 6][..], &["1g.45gb"]].concat().join("+");
        assert_eq!((seven.len(), &seven[0]), (7, &first));
    }
}
