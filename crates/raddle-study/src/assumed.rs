//! Why is a device of the table taken for one that a profile describes?

use raddle_device::{Device, SourceDevice};

use crate::VendorWords;
use crate::units::plain;

/// Finds the device of the bundled table whose id or product name is `name`; `None` where there is
/// none.
pub(crate) fn find(name: &str) -> Option<Device> {
    raddle_device::find(name).or_else(|| raddle_device::find_product(name))
}

/// Returns all devices of the bundled table that have as many compute units as `device`, of the
/// same kind, and so also `device`: MI210 and one die of an MI250, for instance. A profile that
/// describes only its compute units may come from any of them.
pub(crate) fn twins(device: &Device) -> Vec<Device> {
    let unit = |device: &Device| (device.cus, device.wave_size, device.shape);
    let alike = |other: &Device| unit(other) == unit(device);
    raddle_device::table().into_iter().filter(alike).collect()
}

/// Explains in words why the device with the id `id` of the bundled table was assumed for a
/// profile. `source` is the profile's own description of its device; `None` means that the user
/// named the device by its instruction set. Returns `None` where the table has no such device.
pub(crate) fn why_assumed(id: &str, source: Option<&SourceDevice>) -> Option<String> {
    let device = raddle_device::find(id)?;
    let units = VendorWords::of(Some(device.vendor)).units;
    let Some(source) = source else {
        return Some("the only device of the table with that instruction set".to_owned());
    };
    let name = plain(&source.name, 60);
    if let Some(sms) = source.sms.filter(|&sms| sms != u32::from(device.cus)) {
        return Some(format!("`{name}` with {sms} {units} is not in the table"));
    }
    let twins: Vec<String> = twins(&device).into_iter().map(|twin| twin.id).collect();
    if find(&source.name).is_some_and(|named| named.id == id) || twins.len() < 2 {
        return Some(format!("the nearest in the table to `{name}`"));
    }
    Some(format!("{} {units}, as {} have", device.cus, twins.join(", ")))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_reason_names_twins_units_or_the_name_in_the_file() {
        let called = |name: &str, sms| SourceDevice {
            name: name.to_owned(),
            sms,
            ..SourceDevice::default()
        };
        let why = |id, source: &SourceDevice| why_assumed(id, Some(source)).unwrap();
        let vague = called("AMD Instinct MI250X / MI250", Some(104));
        assert_eq!(why("mi210", &vague), "104 CUs, as mi210, mi250 have");
        let smaller = called("Tesla V100", Some(72));
        assert_eq!(why("v100", &smaller), "`Tesla V100` with 72 SMs is not in the table");
        let larger = called("NVIDIA A100-SXM-64GB", None);
        assert_eq!(why("a100", &larger), "the nearest in the table to `NVIDIA A100-SXM-64GB`");
    }
}
