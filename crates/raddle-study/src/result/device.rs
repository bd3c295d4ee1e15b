//! Which facts about a device do results show?

use raddle_device::{Device, Vendor};
use raddle_policy::{Footprint, Resource};
use serde::Serialize;

use crate::VendorWords;
use crate::units::plain;

/// Way in which the device of a profile or of a study was found.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum DeviceFound {
    /// The device of the replay is known because the user named it.
    Named,
    /// The user gave a file that describes the device.
    File,
    /// The profile names the device, and the device table has it.
    Table,
    /// The device is assumed: the table has only a device similar to the one that the profile
    /// names, or several that fit.
    Assumed,
    /// The device was made from the properties in the profile.
    Properties,
    /// The device was guessed by the names of kernels, as the profile says nothing else about it.
    Guessed,
    /// The profile does not name its device, so that the device replayed on stands in for it.
    StandIn,
    /// The profile names a device that is not known, so that the device replayed on stands in for
    /// it.
    Strange,
}

/// A device in results, and how it was found.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct DeviceFacts {
    /// Id of the device in the device table.
    pub id: String,
    /// Name under which the device is sold.
    pub product: String,
    /// Number of compute units of the device.
    pub cus: u16,
    /// Way in which the device was found.
    pub found: DeviceFound,
    /// Word in names of kernels by which the device was guessed; `None` where it was not guessed.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub because: Option<&'static str>,
    /// Vendor of the device, in whose words texts name compute units and workgroups.
    #[serde(skip)]
    pub vendor: Vendor,
}

impl DeviceFacts {
    /// Gathers the facts about a device for results; `found` says how it was found.
    #[must_use]
    pub fn new(device: &Device, found: DeviceFound) -> Self {
        let Device { id, product, cus, vendor, .. } = device;
        let [id, product] = [id, product].map(String::clone);
        Self { id, product, cus: *cus, found, because: None, vendor: *vendor }
    }
}

impl std::fmt::Display for DeviceFacts {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let units = VendorWords::of(Some(self.vendor)).units;
        if self.found == DeviceFound::Guessed {
            let Self { id, cus, .. } = self;
            return write!(f, "an unnamed device, for which {id} stands ({cus} {units})");
        }
        let name = match self.found {
            DeviceFound::File => format!("{}, from a file", self.id),
            DeviceFound::Properties => "described in the profile".to_owned(),
            DeviceFound::Assumed => format!("{}, assumed", self.id),
            _ => self.id.clone(),
        };
        write!(f, "{} ({name}, {} {units})", plain(&self.product, 40), self.cus)
    }
}

/// Returns the readable unit in which an error message states the refused amount of a resource:
/// (number of such units in one granule, name of the unit, such as "bytes of shared memory"). A
/// granule is the smallest amount that the device hands out. `footprint` is what one workgroup
/// needs.
pub(super) fn unit(
    device: &Device,
    resource: Resource,
    footprint: &Footprint,
) -> (u64, &'static str) {
    // The registers of a footprint that can be no demand at all are counted before any rounding.
    if resource == Resource::Vgpr && device.demand(footprint).is_err() {
        return (1, "registers for each work-item");
    }
    unit_of(device, resource)
}

/// Returns the readable unit of a resource: (number of such units in one granule, the smallest
/// amount that the device hands out; name of the unit, such as "bytes of shared memory").
#[must_use]
pub fn unit_of(device: &Device, resource: Resource) -> (u64, &'static str) {
    let granules = &device.granules;
    match resource {
        Resource::Lds => (granules.lds_bytes.into(), "bytes of shared memory"),
        Resource::Vgpr => {
            (u64::from(granules.vgprs_per_lane) * u64::from(device.wave_size), "vector registers")
        }
        Resource::Sgpr => (granules.sgprs.into(), "scalar registers"),
        Resource::Waves => (1, "wave slots"),
        Resource::Workgroups => (1, "workgroup slots"),
        Resource::Barriers => (1, "barriers"),
        Resource::Grid => (1, "workgroups"),
        Resource::Cus => (1, "compute units"),
        _ => (1, "units"),
    }
}
