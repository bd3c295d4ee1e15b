//! Which devices does the device table have?
//!
//! One row a device, in `table/`, one file a vendor. A row is constant data; [`table`] makes
//! devices of them.

mod amd;
mod nvidia;
mod seed;

use alloc::string::String;
use alloc::vec::Vec;

use raddle_policy::CuShape;

use crate::{Device, Granules, Vendor};

/// Entry of the device table: a device, and the names under which profiles list it.
pub(crate) struct DeviceRow {
    pub(crate) id: &'static str,
    pub(crate) product: &'static str,
    /// Lists of words, in lower case; a product name means this device if it contains the words of
    /// one list one after the other.
    pub(crate) named: &'static [&'static [&'static str]],
    /// Words that exclude this device where a product name contains them: they mean a variant of
    /// the product with other resources.
    pub(crate) not: &'static [&'static str],
    /// Name of the instruction set (AMD), such as `gfx942`; empty for other makers.
    pub(crate) arch: &'static str,
    vendor: Vendor,
    pub(crate) cus: u16,
    pub(crate) wave_size: u32,
    shape: CuShape,
    granules: Granules,
    max_threads_per_workgroup: u32,
    max_vgprs_per_thread: u32,
    memory_bytes_per_us: u64,
    unit_bytes_per_us: Option<u64>,
    clock_mhz: Option<u32>,
    exit_ns: Option<u64>,
    reset_ns: u64,
    switch_ns: Option<u64>,
    source: &'static str,
}

impl DeviceRow {
    pub(crate) fn device(&self) -> Device {
        Device {
            id: String::from(self.id),
            product: String::from(self.product),
            vendor: self.vendor,
            cus: self.cus,
            wave_size: self.wave_size,
            max_threads_per_workgroup: self.max_threads_per_workgroup,
            max_vgprs_per_thread: self.max_vgprs_per_thread,
            max_vgprs_per_workgroup: None,
            capacity_bytes: None,
            memory_bytes_per_us: self.memory_bytes_per_us,
            unit_bytes_per_us: self.unit_bytes_per_us,
            reached_bytes_per_us: None,
            memory_permille: None,
            compute_permille: None,
            clock_mhz: self.clock_mhz,
            flag_ns: None,
            exit_ns: self.exit_ns,
            check_ns: None,
            reset_ns: self.reset_ns,
            switch_ns: self.switch_ns,
            turn_ns: None,
            turn_switch_ns: None,
            percent_units: Vec::new(),
            source: String::from(self.source),
            shape: self.shape,
            granules: self.granules,
        }
    }
}

/// Returns the entries of all devices of the table, in the order of the table.
pub(crate) fn rows() -> impl Iterator<Item = &'static DeviceRow> {
    nvidia::ROWS.iter().chain(amd::ROWS).chain(seed::ROWS)
}

/// Returns every device of the table: NVIDIA by age, AMD by age, then the example of seed 000 (a
/// patent).
#[must_use]
pub fn table() -> Vec<Device> {
    rows().map(DeviceRow::device).collect()
}

/// Returns the ids of all devices of the table, in the order of the table.
pub fn ids() -> impl Iterator<Item = &'static str> {
    rows().map(|row| row.id)
}
