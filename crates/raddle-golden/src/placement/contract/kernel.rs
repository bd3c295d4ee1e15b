//! How much does a workgroup take, in the granules of the placement contract (a fixed test run)?
//!
//! The numbers are those of the contract, whatever a device table says.

use raddle_policy::{Barrier, CuShape, Cus, Demand, Launch, LaunchId, ProcessId};

use crate::ModelError;

/// Number of work-items of a wave in the placement contract (a fixed test run).
const WAVE: u32 = 64;
/// Number of vector registers of each work-item in one granule (smallest amount that is handed out)
/// of the placement contract (a fixed test run).
const VGPR: u32 = 4;
/// Number of scalar registers in a granule of the placement contract (a fixed test run).
const SGPR: u32 = 16;
/// Number of bytes in an LDS granule of the placement contract (a fixed test run).
const LDS: u32 = 256;

/// Compute unit of the placement contract's device (a fixed test run on an AMD R9 Nano), in
/// granules. Workgroup slots and barriers never limit, since the unit has as many of each as it has
/// wave slots, and every workgroup has at least one wave.
pub const SHAPE: CuShape = CuShape {
    simds: 4,
    waves_per_simd: 10,
    vgpr_per_simd: 64,
    sgpr: 200,
    lds: 256,
    workgroups: 40,
    barriers: 40,
};

/// A kernel as the placement contract (a fixed test run with known results) describes it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, serde::Serialize, serde::Deserialize)]
#[serde(deny_unknown_fields)]
pub struct ContractKernel {
    /// Number of work-items (threads) of a workgroup, at least 1.
    pub threads: u32,
    /// Number of 32-bit vector registers of one work-item.
    pub vgpr: u32,
    /// Number of 32-bit scalar registers of one wave.
    pub sgpr: u32,
    /// Number of bytes of LDS of one workgroup.
    pub lds: u32,
}

impl ContractKernel {
    /// Returns the demand of one workgroup in granules, every amount rounded up.
    ///
    /// # Errors
    /// When the kernel has no thread, or more of a resource than a [`Demand`] can hold.
    pub fn demand(&self) -> Result<Demand, ModelError> {
        if self.threads == 0 {
            return Err(ModelError::NoThreads);
        }
        let granules = |what, given: u32, granule| {
            let granules = u16::try_from(given.div_ceil(granule));
            granules.map_err(|_| ModelError::TooLarge { what, given })
        };
        Ok(Demand {
            waves: granules("threads", self.threads, WAVE)?,
            vgpr: granules("vgpr", self.vgpr, VGPR)?,
            sgpr: granules("sgpr", self.sgpr, SGPR)?,
            lds: self.lds.div_ceil(LDS),
            barriers: 0,
        })
    }

    /// Makes a launch of this kernel with `groups` workgroups, for a device of `cus` compute units.
    ///
    /// # Errors
    /// The errors of [`ContractKernel::demand`]; also when not even an empty device of `cus`
    /// compute units has room for one workgroup.
    pub fn launch(&self, id: LaunchId, groups: u64, cus: u16) -> Result<Launch, ModelError> {
        // An empty grid is no fault here, a kernel that does not fit is; so the check is made with
        // one workgroup at least.
        let mut launch =
            Launch::new(id, ProcessId(0), groups.max(1), self.demand()?).with_barrier(Barrier::No);
        if let Some(refusal) = Cus::new(SHAPE, cus).never(&launch) {
            return Err(ModelError::NeverFits(refusal));
        }
        launch.workgroups = groups;
        Ok(launch)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn kernel([threads, vgpr, sgpr, lds]: [u32; 4]) -> ContractKernel {
        ContractKernel { threads, vgpr, sgpr, lds }
    }

    #[test]
    fn every_part_is_rounded_up() {
        for (given, waves, vgpr, sgpr, lds, fill) in [
            ([256, 32, 16, 4096], 4, 8, 1, 16, 8),
            ([64, 24, 32, 0], 1, 6, 2, 0, 40),
            ([512, 64, 48, 16384], 8, 16, 3, 64, 2),
            ([128, 128, 96, 8192], 2, 32, 6, 32, 4),
            ([150, 21, 250, 300], 3, 6, 16, 2, 4),
        ] {
            let demand = kernel(given).demand().unwrap();
            let barriers = 0;
            assert_eq!(demand, Demand { waves, vgpr, sgpr, lds, barriers });
            assert_eq!(Cus::new(SHAPE, 1).room(raddle_policy::CuId(0), &demand), fill);
        }
    }

    #[test]
    fn what_can_never_run_is_an_error() {
        let launch = |given, cus| kernel(given).launch(LaunchId(0), 5, cus);
        assert_eq!(launch([0, 1, 1, 1], 64), Err(ModelError::NoThreads));
        let error = ModelError::TooLarge { what: "vgpr", given: u32::MAX };
        assert_eq!(launch([1, u32::MAX, 1, 1], 64), Err(error));
        for given in [[2561, 0, 0, 0], [1, 257, 0, 0], [64, 0, 3201, 0], [1, 0, 0, 65537]] {
            assert!(matches!(launch(given, 64), Err(ModelError::NeverFits(_))), "{given:?}");
        }
        assert!(
            matches!(launch([1, 0, 0, 0], 0), Err(ModelError::NeverFits(_))),
            "no compute unit"
        );
        assert!(launch([2560, 24, 80, 65536], 1).is_ok());
    }
}
