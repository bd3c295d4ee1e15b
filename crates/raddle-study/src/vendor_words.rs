//! How does a vendor call the parts of its devices?
//!
//! Tables and sentences for people use these words; results as data use the words of
//! docs/GLOSSARY.md for every vendor.

use raddle_device::Vendor;

/// The words of one vendor.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct VendorWords {
    /// Workgroups.
    pub workgroups: &'static str,
    /// Work-items.
    pub work_items: &'static str,
    /// One work-item.
    pub work_item: &'static str,
    /// Compute units.
    pub units: &'static str,
    /// One compute unit.
    pub unit: &'static str,
    /// Vector registers, as the title of a column.
    pub registers: &'static str,
    /// The memory that a workgroup shares, as the title of a column.
    pub shared: &'static str,
    /// The memory that a workgroup shares, in a sentence.
    pub shared_memory: &'static str,
    /// Waves.
    pub waves: &'static str,
}

const NVIDIA: VendorWords = VendorWords {
    workgroups: "blocks",
    work_items: "threads",
    work_item: "thread",
    units: "SMs",
    unit: "SM",
    registers: "registers",
    shared: "shared",
    shared_memory: "shared memory",
    waves: "warps",
};

const OTHERS: VendorWords = VendorWords {
    workgroups: "workgroups",
    work_items: "work-items",
    work_item: "work-item",
    units: "CUs",
    unit: "CU",
    registers: "VGPRs",
    shared: "LDS",
    shared_memory: "LDS",
    waves: "waves",
};

impl VendorWords {
    /// Returns the words of a vendor; those of AMD, which are also those of OpenCL, where the
    /// vendor is not known.
    #[must_use]
    pub const fn of(vendor: Option<Vendor>) -> Self {
        match vendor {
            Some(Vendor::Nvidia) => NVIDIA,
            _ => OTHERS,
        }
    }

    /// Returns the word for the resource that limits residency, which results call `limiter`.
    #[must_use]
    pub fn limiter(self, limiter: &'static str) -> &'static str {
        match limiter {
            "vgpr" => self.registers,
            "lds" => self.shared_memory,
            "waves" => self.waves,
            "workgroups" => self.workgroups,
            "sgpr" => "scalar registers",
            other => other,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_limiter_has_the_word_of_its_vendor() {
        let words = [Some(Vendor::Nvidia), Some(Vendor::Amd), None].map(VendorWords::of);
        assert_eq!(words.map(|it| it.limiter("vgpr")), ["registers", "VGPRs", "VGPRs"]);
        assert_eq!(words.map(|it| it.limiter("barriers")), ["barriers"; 3]);
    }
}
