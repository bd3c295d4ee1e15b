//! Does the occupancy that a profile states agree with the occupancy that raddle computes?
//!
//! Occupancies are in percent of the work-items that a compute unit has room for, rounded to whole
//! ones by the profiler; a difference of one percent is agreement.

use raddle_device::Device;
use raddle_trace::Profile;
use serde::Serialize;

/// Largest amount of shared memory per workgroup, in bytes, that a CUDA kernel may use without an
/// opt-in call. Profilers do not know that call: above this amount they state an occupancy of 0.
const ORDINARY_LDS_BYTES: u32 = 48 * 1024;
/// Difference of the stated and the computed occupancy, in tenths of a percent, up to which they
/// count as equal.
const TOLERANCE_TENTHS: u64 = 10;

/// Comparison of the occupancies that a profile states for launches with those that raddle
/// computes.
#[derive(Clone, Debug, Default, PartialEq, Serialize)]
#[serde(rename_all = "kebab-case")]
pub struct StatedOccupancy {
    /// Number of launches whose stated occupancy agrees with the computed one.
    pub agree: u64,
    /// Number of launches whose stated occupancy differs from the computed one, without those in
    /// `differ_above_48_kib`.
    pub differ: u64,
    /// Number of launches with more than 48 KiB of shared memory per workgroup for which the
    /// profile states an occupancy of 0 and raddle computes more. This is a gap in the profiler,
    /// which does not know such kernels.
    pub differ_above_48_kib: u64,
    /// Stated occupancy that differs most from the computed one, the first of equals; `None` where
    /// none differs.
    pub worst: Option<WorstClaim>,
}

/// Occupancy that a profile states for a launch, where it differs from the computed one.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[serde(rename_all = "kebab-case")]
pub struct WorstClaim {
    /// Name of the kernel whose occupancy the profile states.
    pub kernel: String,
    /// Occupancy of the kernel that the profile states, in tenths of a percent of the device's wave
    /// slots.
    pub claimed_tenths: u64,
    /// Occupancy of the kernel that raddle computes, in tenths of a percent of the device's wave
    /// slots; the profile claims another one.
    pub ours_tenths: u64,
}

impl StatedOccupancy {
    /// Compares the occupancies that a profile states with those that are computed for `own`, the
    /// device that it was recorded on; `None` where the profile states none.
    pub(super) fn of(profile: &Profile, own: &Device) -> Option<Self> {
        let percents = profile.ops.iter().enumerate().filter(|(_, op)| !op.is_opaque());
        let percents = percents.filter_map(|(at, op)| Some((at, u64::from(op.claimed_percent?))));
        Self::of_percents(profile, own, percents)
    }

    /// Compares claimed occupancies, each given as (index of a launch in the profile's ops,
    /// percent), with those computed for the device `own`; `None` where there is no claim.
    fn of_percents(
        profile: &Profile,
        own: &Device,
        claims: impl Iterator<Item = (usize, u64)>,
    ) -> Option<Self> {
        let mut found = Self::default();
        let mut any = false;
        for (position, percent) in claims {
            let Some(op) = profile.ops.get(position) else {
                continue;
            };
            any = true;
            let claimed = percent.saturating_mul(10);
            let ours = own.achieved_occupancy_tenths(&op.footprint, op.workgroups);
            let off = ours.abs_diff(claimed);
            if off <= TOLERANCE_TENTHS {
                found.agree += 1;
                continue;
            }
            if claimed == 0 && op.footprint.lds_bytes > ORDINARY_LDS_BYTES {
                found.differ_above_48_kib += 1;
                continue;
            }
            found.differ += 1;
            let worst = |worst: &WorstClaim| worst.ours_tenths.abs_diff(worst.claimed_tenths);
            if found.worst.as_ref().is_none_or(|before| worst(before) < off) {
                found.worst = Some(WorstClaim {
                    kernel: profile.kernels.get(op.kernel as usize).cloned().unwrap_or_default(),
                    claimed_tenths: claimed,
                    ours_tenths: ours,
                });
            }
        }
        any.then_some(found)
    }
}

#[cfg(test)]
mod tests {
    use raddle_trace::{ImportConfig, read};

    use super::*;

    /// Makes a profile whose kernels reach occupancies of 75.0, 12.5 and 6.2 percent, of which the
    /// last kernel uses more than 48 KiB of shared memory. Returns (the profile, its device).
    fn profile() -> (Profile, Device) {
        let mut text = "name,grid_x,grid_y,grid_z,block_x,block_y,block_z,lds_bytes,start_ns,\
                        duration_ns\n"
            .to_owned();
        for (name, workgroups, lds) in [("a", 960, 0), ("b", 160, 0), ("c", 160, 49_153)] {
            text += &format!("{name},{workgroups},1,1,128,1,1,{lds},0,1\n");
        }
        let profile = read("t.csv", text.as_bytes(), &ImportConfig::default()).unwrap();
        (profile, raddle_device::find("v100").unwrap())
    }

    fn claims(claims: &[(usize, u64)]) -> Option<StatedOccupancy> {
        let (profile, own) = profile();
        StatedOccupancy::of_percents(&profile, &own, claims.iter().copied())
    }

    #[test]
    fn a_percent_is_agreement_and_two_are_not() {
        // The first kernel fits 12 of 16 workgroups of 4 waves on a CU, the second 2 of 16, and the
        // third one workgroup, for its LDS.
        let found = claims(&[(0, 75), (0, 76), (0, 74), (1, 12), (1, 13), (2, 6)]).unwrap();
        assert_eq!((found.agree, found.differ, found.differ_above_48_kib), (6, 0, 0));
        let found = claims(&[(0, 77), (1, 20), (1, 5), (2, 0)]).unwrap();
        assert_eq!((found.agree, found.differ, found.differ_above_48_kib), (0, 3, 1));
        let worst = WorstClaim { kernel: "b".to_owned(), claimed_tenths: 200, ours_tenths: 125 };
        assert_eq!(found.worst, Some(worst), "the first of equals");
        // With much LDS too, a statement above 0 differs as any other; and so does 0 with little
        // LDS.
        let found = claims(&[(2, 0), (2, 100), (1, 0)]).unwrap();
        assert_eq!((found.agree, found.differ, found.differ_above_48_kib), (0, 2, 1));
    }

    #[test]
    fn no_claims_say_nothing() {
        assert_eq!(claims(&[]), None);
        assert_eq!(claims(&[(3, 50)]), None, "of no op of the profile");
    }
}
