//! How many gates, bits and clocks do the finders of free runs of a compute unit need, by the
//! circuit model of `raddle-bitmap`?

use raddle_policy::CuShape;

use super::config::SearchTiming;
use super::search::SearchRule;
use crate::Error;

/// The hardware cost of the circuits (finders) that search free runs of granules on one compute
/// unit. Either the registers of each SIMD, the scalar registers and LDS have a finder each, which
/// work side by side; or one finder serves them all in turn. Gates with a constant input are not
/// counted, as synthesis removes them.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[doc(hidden)]
pub struct SearchCost {
    /// The number of gates with two inputs in the search circuits.
    pub(crate) gates: u64,
    /// The number of bits that the search circuits keep in registers from one clock cycle to the
    /// next.
    pub(crate) register_bits: u64,
    /// The number of clock cycles that one decision takes: as many as the slowest search circuit
    /// needs. If one circuit searches the resources in turn, it is the cycles of one search times
    /// the number of searches.
    pub(crate) clocks: u32,
}

impl SearchCost {
    /// Returns the number of gates with two inputs in the search circuits.
    #[must_use]
    pub const fn gates(&self) -> u64 {
        self.gates
    }

    /// Returns the number of bits that the search circuits keep in registers from one clock cycle
    /// to the next.
    #[must_use]
    pub const fn register_bits(&self) -> u64 {
        self.register_bits
    }

    /// Returns the number of clock cycles that one decision takes: as many as the slowest search
    /// circuit needs. If one circuit searches the resources in turn, it is the cycles of one search
    /// times the number of searches.
    #[must_use]
    pub const fn clocks(&self) -> u32 {
        self.clocks
    }
}

impl SearchCost {
    /// Returns the hardware cost of a search on a compute unit of this shape.
    ///
    /// # Errors
    /// [`Unsupported`](crate::ErrorKind::Unsupported) without the feature `circuit`. Other errors
    /// where a resource cannot be searched by this rule, or where the steps of the search cannot be
    /// spread over clock cycles as `timing` says.
    #[cfg(feature = "circuit")]
    pub fn new(search: &SearchRule, timing: SearchTiming, shape: &CuShape) -> Result<Self, Error> {
        use raddle_bitmap::circuit::Variant;
        use raddle_policy::Resource;

        use super::fit::{ResourceSearch, shared_finder};

        let mut all = Self { clocks: 1, ..Self::default() };
        if let SearchRule::Shared { width } = *search {
            if let Some(finder) = shared_finder(width, shape)? {
                all.add(Variant::Shared(&finder), timing, (Resource::Vgpr, 1))?;
                all.clocks = all.clocks.saturating_mul(finder.periods() as u32);
            }
            return Ok(all);
        }
        let sgpr = if shape.sgpr == u16::MAX { 0 } else { u32::from(shape.sgpr) };
        let finders = [
            (Resource::Vgpr, u32::from(shape.vgpr_per_simd), shape.simds),
            (Resource::Sgpr, sgpr, 1),
            (Resource::Lds, shape.lds, 1),
        ];
        for (resource, blocks, count) in finders.into_iter().filter(|finder| finder.1 > 0) {
            let search = search.of(resource, blocks)?;
            let variant = match &search {
                ResourceSearch::Exact => Variant::Full { blocks },
                ResourceSearch::Grouped(search) => Variant::Grouped(search),
                ResourceSearch::Sampled(search) => Variant::Sampled(search),
            };
            all.add(variant, timing, (resource, count))?;
        }
        Ok(all)
    }

    /// Returns an error, as the circuit model is not built in.
    ///
    /// # Errors
    /// [`Unsupported`](crate::ErrorKind::Unsupported), always.
    #[cfg(not(feature = "circuit"))]
    pub const fn new(_: &SearchRule, _: SearchTiming, _: &CuShape) -> Result<Self, Error> {
        Err(Error(crate::error::Reason::NoCircuit))
    }

    /// Adds the cost of `count` finders (search circuits) of one resource, which work beside the
    /// finders added before. Returns the error of the circuit model, with the resource.
    #[cfg(feature = "circuit")]
    fn add(
        &mut self,
        variant: raddle_bitmap::circuit::Variant<'_>,
        timing: SearchTiming,
        (resource, count): (raddle_policy::Resource, u8),
    ) -> Result<(), Error> {
        use raddle_bitmap::circuit::{Cost, Counting, Timing};

        let timing = match timing {
            SearchTiming::OneClock => Timing::OneClock,
            SearchTiming::ThreeClocks => Timing::ThreeClocks,
            SearchTiming::Reused => Timing::Reused,
        };
        let cost = Cost::of(variant, timing, Counting::Folded);
        let cost = cost.map_err(|cause| Error::search(resource, cause))?;
        let times = |one: u64| one.saturating_mul(count.into());
        self.gates = self.gates.saturating_add(times(cost.gates()));
        self.register_bits = self.register_bits.saturating_add(times(cost.register_bits));
        self.clocks = self.clocks.max(cost.clocks);
        Ok(())
    }
}

#[cfg(all(test, feature = "circuit"))]
mod tests {
    use super::*;

    /// Checks the cost of all finders (search circuits) of a compute unit against the formulas of
    /// `raddle_bitmap::circuit::Cost`, for two SIMDs of 8 granules, no scalar registers, and 16
    /// granules of LDS.
    #[test]
    fn finders_of_a_compute_unit_add_up() {
        let shape = CuShape {
            simds: 2,
            waves_per_simd: 8,
            vgpr_per_simd: 8,
            sgpr: u16::MAX,
            lds: 16,
            workgroups: 16,
            barriers: 16,
        };
        let cost = |search: &SearchRule, timing| SearchCost::new(search, timing, &shape);
        // N (N - 1) gates each: 2 * 56 + 240; three clocks hold N + N (N + 1) / 2 bits: 2 * 44 + 152.
        assert_eq!(
            cost(&SearchRule::Full, SearchTiming::OneClock),
            Ok(SearchCost { gates: 352, register_bits: 0, clocks: 1 })
        );
        assert_eq!(
            cost(&SearchRule::Full, SearchTiming::ThreeClocks),
            Ok(SearchCost { gates: 352, register_bits: 240, clocks: 3 })
        );
        // Groups of 4: N - Z gates, then Z (Z - 1): 2 * (6 + 2) + (12 + 12).
        let grouped = cost(&SearchRule::size(4), SearchTiming::OneClock);
        assert_eq!(grouped.map(|cost| (cost.gates, cost.clocks)), Ok((40, 1)));
        // One finder of 16 positions: both SIMDs in the first period, LDS in the second.
        let shared = cost(&SearchRule::Shared { width: 16 }, SearchTiming::OneClock);
        assert_eq!(shared.map(|cost| cost.clocks), Ok(2));
        assert!(cost(&SearchRule::Full, SearchTiming::Reused).is_err());
        assert!(cost(&SearchRule::size(3), SearchTiming::OneClock).is_err());
    }
}
