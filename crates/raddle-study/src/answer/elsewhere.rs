//! How wrong may figures be where a profile was recorded on another device than that of the replay?

/// Least and largest error of replayed busy times, as fractions (-0.35 is 35 % too short), where
/// the profile was recorded on another device of the same vendor than that of the replay.
///
/// An error is predicted over recorded time, less 1. Measured with two runs of one model on a V100
/// and an A100, and one benchmark on an MI100 and an MI210, each replayed on the other device,
/// unscaled and scaled by bandwidth (docs/fidelity.md).
pub(crate) const SAME_VENDOR: [f64; 2] = [-0.35, 0.59];

/// Least and largest error of replayed busy times where the profile was recorded on a device of
/// another vendor than the device of the replay, as fractions of the recorded time. Measured with
/// five models on an H100 and an MI300X, each replayed on the other device.
pub(crate) const OTHER_VENDOR: [f64; 2] = [-0.8, 0.68];

/// Relation of the device on which a profile was recorded to the device of the replay.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum RecordedOn {
    /// The profile was recorded on the device of the replay.
    ThisDevice,
    /// The profile was recorded on another device than that of the replay, of the same vendor.
    SameVendor,
    /// The profile was recorded on a device of another vendor than that of the replay, which runs
    /// other kernels.
    OtherVendor,
}

impl RecordedOn {
    /// Returns the least and the largest factor by which the true times may differ from those of a
    /// replay; `None` where the profile was recorded on the device of the replay.
    pub(crate) fn factors(self) -> Option<[f64; 2]> {
        let [least, most] = match self {
            Self::ThisDevice => return None,
            Self::SameVendor => SAME_VENDOR,
            Self::OtherVendor => OTHER_VENDOR,
        };
        Some(
            [1.0 / (1.0 + most), 1.0 / (1.0 + least)]
                .map(|factor| (factor * 100.0).round() / 100.0),
        )
    }
}

#[cfg(test)]
mod tests {
    use super::RecordedOn;

    #[test]
    fn a_time_that_comes_out_too_long_is_shorter_in_truth() {
        assert_eq!(RecordedOn::SameVendor.factors(), Some([0.63, 1.54]));
        assert_eq!(RecordedOn::OtherVendor.factors(), Some([0.6, 5.0]));
        assert_eq!(RecordedOn::ThisDevice.factors(), None);
    }
}
