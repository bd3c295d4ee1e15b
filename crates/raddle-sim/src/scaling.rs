//! How long do the workgroups of a profile last on another device than that of the recording?
//!
//! How many workgroups the other device holds at once follows from its compute units; a scale says
//! how long one workgroup lasts there. Copies and fills are not scaled.

use raddle_device::Device;

use crate::SimError;

/// The property of devices by which recorded times of workgroups are scaled to another device.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, serde::Serialize, serde::Deserialize)]
#[serde(rename_all = "kebab-case")]
#[non_exhaustive]
pub enum Scaling {
    /// No scaling: a workgroup lasts as long as on the device of the recording.
    #[default]
    None,
    /// Times are scaled by the clocks of the compute units, which suits work that computes.
    Clock,
    /// Times are scaled by the memory bandwidth per compute unit, which suits work that moves data.
    Bandwidth,
}

/// The factor by which recorded times are scaled: how long a workgroup lasts on the device of the
/// replay, over how long on the device of the recording.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct TimeScale {
    times: u128,
    over: u128,
}

impl Default for TimeScale {
    fn default() -> Self {
        Self { times: 1, over: 1 }
    }
}

impl TimeScale {
    /// Returns the factor from times on the device `own`, on which a profile was recorded, to times
    /// on the device `target`, on which it is replayed.
    ///
    /// # Errors
    /// When times are scaled by the clock, and the clock of either device is unknown.
    pub fn of(scaling: Scaling, own: &Device, target: &Device) -> Result<Self, SimError> {
        let clock = |device: &Device| {
            let unknown = || SimError::NoClock { device: device.id.clone() };
            device.clock_mhz.map(u128::from).ok_or_else(unknown)
        };
        let share = |of: &Device, units: &Device| {
            u128::from(of.memory_bytes_per_us).saturating_mul(u128::from(units.cus))
        };
        let (times, over) = match scaling {
            Scaling::None => return Ok(Self::default()),
            _ if own.is_same_kind(target) => return Ok(Self::default()),
            Scaling::Clock => (clock(own)?, clock(target)?),
            Scaling::Bandwidth => (share(own, target), share(target, own)),
        };
        Ok(Self { times: times.max(1), over: over.max(1) })
    }

    /// Returns a recorded time in ns scaled to the device of the replay, rounded to whole
    /// nanoseconds, at least 1.
    pub(crate) fn apply(self, ns: u64) -> u64 {
        let Self { times, over } = self;
        if times == over {
            return ns.max(1);
        }
        let scaled = u128::from(ns).saturating_mul(times).saturating_add(over / 2) / over;
        u64::try_from(scaled).unwrap_or(u64::MAX).max(1)
    }
}

impl std::fmt::Display for TimeScale {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "{:.3}", self.times as f64 / self.over as f64)
    }
}

impl Scaling {
    /// Returns the word by which options and results name the property by which times are scaled.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::None => "none",
            Self::Clock => "clock",
            Self::Bandwidth => "bandwidth",
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn times_follow_the_clock_or_the_bandwidth_of_a_unit() {
        let device = |id| raddle_device::find(id).expect("in the table");
        let (mi210, mi300x, h100) = (device("mi210"), device("mi300x"), device("h100"));
        let scaled = |scaling, to| Ok(TimeScale::of(scaling, &mi210, to)?.apply(2_100_000));
        let ns = |scaling, to| scaled(scaling, to).map_err(|error: SimError| error.to_string());
        assert_eq!(ns(Scaling::None, &mi300x), Ok(2_100_000));
        assert_eq!(ns(Scaling::Clock, &mi300x), Ok(1_700_000));
        // 1638.4 GB/s for 104 units against 5324.8 GB/s for 304: 0.8994 times as long.
        assert_eq!(ns(Scaling::Bandwidth, &mi300x), Ok(1_888_757));
        assert_eq!(ns(Scaling::Clock, &mi210), Ok(2_100_000));
        let why = ns(Scaling::Clock, &h100).expect_err("its clock is unknown");
        assert!(why.contains("h100") && why.contains("clock-mhz"), "{why}");
    }
}
