//! Which words does a vendor use for the parts of its devices?
//!
//! Tables and sentences for people use these words; results as data use the words of
//! docs/GLOSSARY.md for every vendor.

use raddle_device::Vendor;

/// Words that one vendor uses for the parts of its devices and of launches, as the results for a
/// user of that vendor show them.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct VendorWords {
    /// Word for workgroups, such as "blocks".
    pub workgroups: &'static str,
    /// Word for work-items, such as "threads".
    pub work_items: &'static str,
    /// Word for one work-item, such as "thread".
    pub work_item: &'static str,
    /// Word for compute units, such as "SMs".
    pub units: &'static str,
    /// Word for one compute unit, such as "SM".
    pub unit: &'static str,
    /// Word for vector registers, as the title of a column.
    pub registers: &'static str,
    /// Word for the memory that the waves of a workgroup share, as the title of a column.
    pub shared: &'static str,
    /// Words for the memory that the waves of a workgroup share, in a sentence.
    pub shared_memory: &'static str,
    /// Word for waves, such as "warps".
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

    /// Returns the vendor's word for the resource that limits how many workgroups fit on a compute
    /// unit. `limiter` is the name of that resource in results, such as `lds`.
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
