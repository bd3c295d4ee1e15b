//! How long does a launch take, and into how many ranges of workgroups is it cut?
//!
//! Under a recipe that bounds the time of a preemption, as `cheapest` does, a launch that takes longer
//! is cut into ranges that take about that time. A cut has its price: each range is a launch more in
//! the runtime. So no range is so short that the price is more than a part of it, and each keeps all
//! compute units busy.

use std::sync::Mutex;
use std::time::Duration;

use crate::native::lock;

/// Estimated cost of one more launch in the runtime and the layer, which each cut of a launch adds.
const PRICE: Duration = Duration::from_micros(6);
/// Least time of a range of workgroups, as a multiple of [`PRICE`], the cost of a launch.
const WORTH: u32 = 16;
/// Least number of workgroups of a range for each compute unit of the device.
const OF_UNIT: u64 = 4;
/// Largest number of parts (ranges of workgroups) into which one launch is cut.
const MOST: u64 = 256;

/// Run time of the kernel's launches divided by their number of workgroups, averaged over launches,
/// in picoseconds; `None` before the first launch. Workgroups run side by side, so one takes longer
/// than that.
#[derive(Debug, Default)]
pub(super) struct Pace(Mutex<Option<u64>>);

impl Pace {
    /// Records that a launch of `workgroups` workgroups ran for the time `time`.
    pub(super) fn took(&self, workgroups: u64, time: Duration) {
        let ps = u64::try_from(time.as_nanos()).unwrap_or(u64::MAX).saturating_mul(1000);
        let each = ps / workgroups.max(1);
        let mut known = lock(&self.0);
        // The first launch of a kernel may have waited for its code to be made.
        *known = Some(known.map_or(each, |before| before / 2 + each / 2));
    }

    /// Returns the number of workgroups that take about the time `bound`: the size of the ranges of
    /// a launch with `workgroups` workgroups. The device has `units` compute units. `None` where
    /// the launch is better not cut.
    pub(super) fn range(&self, workgroups: u64, bound: Duration, units: u64) -> Option<u64> {
        let each = lock(&self.0).filter(|each| *each > 0)?;
        let bound = bound.max(PRICE * WORTH);
        let bound = u64::try_from(bound.as_nanos()).unwrap_or(u64::MAX).saturating_mul(1000);
        let fits = (bound / each).max(units.saturating_mul(OF_UNIT)).max(workgroups.div_ceil(MOST));
        (fits < workgroups).then_some(fits)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_range_takes_about_the_bound_and_is_worth_its_price() {
        let (ms, us) = (Duration::from_millis, Duration::from_micros);
        let pace = Pace::default();
        assert_eq!(pace.range(1000, ms(1), 2), None, "nothing is known");
        pace.took(1000, ms(20));
        assert_eq!(pace.range(1000, ms(1), 2), Some(50));
        assert_eq!(pace.range(1000, us(1), 2), Some(8), "each unit has four");
        assert_eq!(pace.range(100_000, us(1), 0), Some(391), "at most 256 ranges");
        assert_eq!(pace.range(1000, ms(30), 2), None, "it is short enough");
        pace.took(1000, ms(2));
        assert_eq!(pace.range(1000, ms(1), 2), Some(90));
        let short = Pace::default();
        short.took(1000, us(90));
        assert_eq!(short.range(1000, us(1), 2), None, "it is not worth its price");
    }
}
