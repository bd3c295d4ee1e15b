//! In which direction does a copy move memory: to the device, to the host, or within one of them?
//!
//! Profilers write it into the name of the copy, each in its own spelling.

use crate::{OpKind, Profile};

/// Direction of a copy: between host and device, within one of them, or between devices.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum CopyDirection {
    /// From host to device, by the copy engine that serves this direction.
    ToDevice,
    /// From device to host, by the copy engine that serves this direction.
    ToHost,
    /// Within the memory of one device; such a copy keeps the device busy as a kernel does.
    Inside,
    /// From one device to another, over the link between them.
    ToPeer,
    /// Within the memory of the host, without the device.
    InHost,
}

/// Abbreviations that end a word of a copy's name, as in `MemcpyHtoD` or `MemcpyD2D`, in lower
/// case, with the direction that each names.
const SHORT: [(&[&str], CopyDirection); 5] = [
    (&["htod", "h2d", "htoa"], CopyDirection::ToDevice),
    (&["dtoh", "d2h", "atoh"], CopyDirection::ToHost),
    (&["dtod", "d2d", "atoa", "atod", "dtoa"], CopyDirection::Inside),
    (&["ptop", "p2p"], CopyDirection::ToPeer),
    (&["htoh", "h2h"], CopyDirection::InHost),
];

/// Full names of directions in lower case, with the direction that each names; characters of a
/// copy's name other than letters and digits are ignored.
const LONG: [(&[&str], CopyDirection); 5] = [
    (&["hosttodevice", "hosttoarray"], CopyDirection::ToDevice),
    (&["devicetohost", "arraytohost"], CopyDirection::ToHost),
    (&["devicetodevice", "arraytoarray", "arraytodevice", "devicetoarray"], CopyDirection::Inside),
    (&["peertopeer"], CopyDirection::ToPeer),
    (&["hosttohost"], CopyDirection::InHost),
];

impl CopyDirection {
    /// Directions between host and device. A device has one copy engine for each.
    pub const WITH_ENGINE: [Self; 2] = [Self::ToDevice, Self::ToHost];

    /// Returns the index in [`Self::WITH_ENGINE`] of the copy engine that a copy in this direction
    /// needs; `None` where it needs none.
    ///
    /// Copies between devices do not wait for each other: no recording says how many links and
    /// engines the devices have for them.
    #[must_use]
    pub const fn engine(self) -> Option<usize> {
        match self {
            Self::ToDevice => Some(0),
            Self::ToHost => Some(1),
            Self::Inside | Self::ToPeer | Self::InHost => None,
        }
    }

    /// Returns the direction that the name of a copy names; `None` where it names none.
    ///
    /// ROCm's tracers before rocprofv3 write "device to device" also for a copy from one device to
    /// another, which is then taken for one within a device.
    ///
    /// ```
    /// use raddle_trace::CopyDirection;
    ///
    /// let of = CopyDirection::of;
    /// assert_eq!(of("Memcpy HtoD (Pinned -> Device)"), Some(CopyDirection::ToDevice));
    /// assert_eq!(of("[CUDA memcpy Device-to-Host]"), Some(CopyDirection::ToHost));
    /// assert_eq!(of("CopyHostToDevice"), Some(CopyDirection::ToDevice));
    /// assert_eq!(of("MEMORY_COPY_DEVICE_TO_DEVICE"), Some(CopyDirection::Inside));
    /// assert_eq!(of("Memcpy PtoP (Device -> Device)"), Some(CopyDirection::ToPeer));
    /// assert_eq!(of("Memset (Device)"), None);
    /// ```
    #[must_use]
    pub fn of(name: &str) -> Option<Self> {
        let name = name.to_ascii_lowercase();
        let words = || name.split(|c: char| !c.is_ascii_alphanumeric());
        let ends = |short: &&str| {
            words().any(|word| word.strip_suffix("async").unwrap_or(word).ends_with(*short))
        };
        let letters: String = words().collect();
        let short = SHORT.iter().find(|(all, _)| all.iter().any(ends));
        let long = || LONG.iter().find(|(all, _)| all.iter().any(|long| letters.contains(long)));
        short.or_else(long).map(|&(_, direction)| direction)
    }

    /// Returns the direction of each op of a profile, in the order of the ops; `None` for an op
    /// that is no copy, or whose name gives no direction.
    #[must_use]
    pub fn of_all(profile: &Profile) -> Vec<Option<Self>> {
        // Names of kernels are long and many, and name no direction: only those of copies are read.
        let mut named: Vec<Option<Option<Self>>> = vec![None; profile.kernels.len()];
        let of = |op: &crate::Op| {
            let at = op.kernel as usize;
            let known = named.get_mut(at).filter(|_| op.kind == OpKind::Copy)?;
            *known.get_or_insert_with(|| Self::of(&profile.kernels[at]))
        };
        profile.ops.iter().map(of).collect()
    }
}

/// Numbers of copies in a profile whose direction is not between host and device.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, serde::Serialize)]
#[serde(rename_all = "kebab-case")]
pub struct CopiesElsewhere {
    /// Number of copies within the memory of a device.
    pub inside: u64,
    /// Number of copies from one device to another.
    pub to_peers: u64,
    /// Number of copies within the memory of the host.
    pub in_host: u64,
    /// Number of copies whose names do not give a direction.
    pub unknown: u64,
}

impl CopiesElsewhere {
    /// Counts the copies of a profile whose direction is not between host and device.
    #[must_use]
    pub fn of(profile: &Profile) -> Self {
        let mut found = Self::default();
        for (op, direction) in profile.ops.iter().zip(CopyDirection::of_all(profile)) {
            match direction {
                _ if op.kind != OpKind::Copy => {}
                Some(CopyDirection::Inside) => found.inside += 1,
                Some(CopyDirection::ToPeer) => found.to_peers += 1,
                Some(CopyDirection::InHost) => found.in_host += 1,
                Some(CopyDirection::ToDevice | CopyDirection::ToHost) => {}
                None => found.unknown += 1,
            }
        }
        found
    }

    /// Returns whether every copy of the profile is between host and device.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        *self == Self::default()
    }
}

#[cfg(test)]
mod tests {
    use super::CopyDirection::{self, *};

    #[test]
    fn every_spelling_of_every_tool_has_its_direction() {
        for (names, direction) in [
            // Kineto and CUPTI, nsys, rocprofv3, rocmProfileData, XLA.
            (
                &["Memcpy HtoD (Pageable -> Device)", "Memcpy HtoA (Pinned -> Array)"][..],
                Some(ToDevice),
            ),
            (&["[CUDA memcpy Unified Host-to-Device]", "MemcpyH2D"], Some(ToDevice)),
            (&["Memcpy AtoH (Array -> Pinned)", "CopyDeviceToHost", "MemcpyD2H"], Some(ToHost)),
            (&["Memcpy DtoD (Device -> Device)", "[CUDA memcpy Device-to-Device]"], Some(Inside)),
            (&["[CUDA memcpy DtoD]", "MEMORY_COPY_DEVICE_TO_DEVICE", "MemcpyD2D"], Some(Inside)),
            (&["CopyDeviceToDevice", "hipMemcpyDtoDAsync", "Memcpy AtoD"], Some(Inside)),
            (&["[CUDA memcpy Unified Device-to-Device]", "Array-to-Array"], Some(Inside)),
            (&["Memcpy PtoP (Device -> Device)", "[CUDA memcpy Peer-to-Peer]"], Some(ToPeer)),
            (&["MemcpyP2P", "MEMORY_COPY_PEER_TO_PEER"], Some(ToPeer)),
            (&["Memcpy HtoH (Pageable -> Pageable)", "MEMORY_COPY_HOST_TO_HOST"], Some(InHost)),
            (&["MEMORY_COPY", "[CUDA memcpy Unknown]", "upload to device", "copy"], None),
        ] {
            for name in names {
                assert_eq!(CopyDirection::of(name), direction, "{name}");
            }
        }
    }
}
