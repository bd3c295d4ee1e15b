//! How many clocks does a decision about the placing of a workgroup take, and at which tick is it
//! made (seed 000, E4 to E7)?
//!
//! The clocks are those of the search circuits of `raddle-bitmap`. Every resource of a compute unit
//! has a circuit of its own, or one circuit searches the resources in turn. Units: clocks, ticks.

use std::collections::BTreeSet;

use raddle_bitmap::circuit::{Cost, Counting, Timing, Variant};
use raddle_bitmap::{FreeMap, Kind, Layout, Shared};
use raddle_read::{FaultKind, shown};
use raddle_workgroup::{DecisionTime, ResourceSearch, SearchRule, SearchTiming};
use serde::Serialize;

use super::model::{Cu, Stock};
use super::search::searched;
use crate::explanation::{Story, counted, listed};
use crate::fault::{Fault, fault};

/// Clock frequency in MHz at which one clock takes one tick (1 ns).
const ONE_A_TICK: u32 = 1000;

/// Time in the hardware of one decision on which workgroup goes to which compute unit.
#[derive(Clone, Copy, Debug, Serialize)]
pub(super) struct MatchClocks {
    clocks: u64,
    /// Tick at which the decision is made, after the clocks that it takes.
    pub(super) t: u64,
    #[serde(skip)]
    mhz: u32,
    #[serde(skip)]
    timing: SearchTiming,
}

impl MatchClocks {
    /// Counts the clocks of a decision that begins at tick `now`. The compute units are searched at
    /// the same time, so the clocks are those of the slowest search. Returns a fault where the
    /// search does not suit the maps.
    pub(super) fn new(
        time: DecisionTime,
        search: &SearchRule,
        cus: &[Cu<String>],
        now: u64,
    ) -> Result<Self, Fault> {
        let mhz = time.clock_mhz.unwrap_or(ONE_A_TICK);
        if mhz == 0 {
            let message = "a clock of 0 MHz never ticks: give 1 or more";
            return Err(Fault::new(FaultKind::OutOfRange, "/decision/clock-mhz", message));
        }
        let clocks = match *search {
            SearchRule::Shared { width } => {
                let most = cus.iter().map(|cu| periods(cu, width).len() as u64).max();
                of_period(width, time.timing)? * most.unwrap_or(0).max(1)
            }
            _ => of_finders(search, cus, time.timing)?,
        };
        let late = || {
            let ticks = clocks.checked_mul(ONE_A_TICK.into())?.div_ceil(mhz.into());
            now.checked_add(ticks)
        };
        let t = late().ok_or_else(|| {
            let message = "the decision is made after the end of time: give a lower `now`";
            Fault::new(FaultKind::Overflow, "/now", message)
        })?;
        Ok(Self { clocks, t, mhz, timing: time.timing })
    }

    /// Adds to the explanation how many clocks one decision (a round) takes, and how they are
    /// computed.
    pub(super) fn tell(
        &self,
        search: &SearchRule,
        cus: &[Cu<String>],
        now: u64,
        story: &mut Story,
    ) {
        story.step("a2: the clocks of the round");
        let each = match self.timing {
            SearchTiming::OneClock => "all steps of a search in 1 clock",
            SearchTiming::ThreeClocks => "shift, combine and reduce in 3 clocks",
            SearchTiming::Reused => {
                "the three steps one after the other on one set of gates, 3 clocks"
            }
        };
        match *search {
            SearchRule::Shared { width } => {
                story.note(format!("E7: one finder of {width} positions a CU, {each} a period"));
                for (cu, on) in cus.iter().enumerate() {
                    for (period, maps) in (1..).zip(periods(on, width)) {
                        let maps = maps.iter().map(|(place, _)| place);
                        story.line(format!("CU {cu}, period {period}: {}", listed(maps, ", ")));
                    }
                }
            }
            _ => story.note(format!("a finder for every resource, side by side: {each}")),
        }
        let clocks = counted(self.clocks, "clock", "clocks");
        story.note(format!(
            "{clocks} at {} MHz from tick {now} on: the decision is made at tick {}",
            self.mhz, self.t
        ));
    }
}

/// Counts the clocks of the searches where every map has a circuit of its own and all work at the
/// same time: the clocks of the slowest circuit. Returns a fault where a search does not suit its
/// map, or where the timing `timing` does not exist for it.
fn of_finders(search: &SearchRule, cus: &[Cu<String>], timing: SearchTiming) -> Result<u64, Fault> {
    let stocks = cus.iter().flat_map(|cu| cu.simds.iter().chain([&cu.shared]).flatten());
    let runs = stocks.filter_map(|(name, stock)| match stock {
        Stock::Run { map, .. } => Some((name, map.blocks())),
        Stock::Count(_) => None,
    });
    let mut clocks = 1;
    // Equal maps have equal finders.
    for (name, blocks) in runs.collect::<BTreeSet<_>>() {
        let search =
            searched(search, name, blocks).map_err(fault(FaultKind::OutOfRange, "/search"))?;
        let variant = match &search {
            ResourceSearch::Grouped(groups) => Variant::Grouped(groups),
            ResourceSearch::Sampled(samples) => Variant::Sampled(samples),
            _ => Variant::Full { blocks },
        };
        clocks = clocks.max(clocks_of(variant, timing, "/search")?);
    }
    Ok(clocks)
}

/// Counts the clocks of one use of a search circuit that all resources share; a use searches
/// `width` blocks, which may be several maps. Returns a fault where the timing `timing` does not
/// exist for such a circuit.
fn of_period(width: u32, timing: SearchTiming) -> Result<u64, Fault> {
    let at = "/search/shared/width";
    let finder = Shared::new(width, width, &[[Kind { id: 0, blocks: width }]], &Layout::Packed);
    let finder = finder.map_err(fault(FaultKind::OutOfRange, at))?;
    clocks_of(Variant::Shared(&finder), timing, at)
}

/// Counts the clocks of a search circuit for free runs; `at` is its place in the question, which a
/// fault names.
fn clocks_of(variant: Variant<'_>, timing: SearchTiming, at: &str) -> Result<u64, Fault> {
    let timing = match timing {
        SearchTiming::OneClock => Timing::OneClock,
        SearchTiming::ThreeClocks => Timing::ThreeClocks,
        SearchTiming::Reused => Timing::Reused,
    };
    let cost = Cost::of(variant, timing, Counting::Folded);
    let at = match &cost {
        Err(error) if error.kind() == raddle_bitmap::ErrorKind::Unsupported => "/decision/timing",
        _ => at,
    };
    cost.map(|cost| cost.clocks.into()).map_err(fault(FaultKind::OutOfRange, at))
}

/// Divides the maps of a compute unit over the uses (periods) of one search circuit. The circuit is
/// `width` blocks wide, and each use takes as many maps as fit. Returns for each use its maps, as
/// (name, map): first those of the SIMDs, then those that the SIMDs share.
fn periods(cu: &Cu<String>, width: u32) -> Vec<Vec<(String, &FreeMap)>> {
    // The order in which a recipe's finder goes through its resources, the others behind.
    let rank = |name: &str| ["vgpr", "sgpr", "lds"].iter().position(|it| *it == name).unwrap_or(3);
    let (mut periods, mut left) = (Vec::<Vec<(String, &FreeMap)>>::new(), 0);
    for (simd, stocks) in (0..).map(Some).zip(&cu.simds).chain([(None, &cu.shared)]) {
        let runs = stocks.iter().filter_map(|(name, stock)| match stock {
            Stock::Run { map, .. } => Some((name, map)),
            Stock::Count(_) => None,
        });
        let mut runs: Vec<_> = runs.collect();
        runs.sort_by_key(|(name, _)| rank(name));
        for (name, map) in runs {
            let place = simd.map_or_else(String::new, |simd: usize| format!("SIMD {simd} "));
            let map_in_place = (format!("{place}{}", shown(name)), map);
            match periods.last_mut() {
                Some(period) if map.blocks() <= left => period.push(map_in_place),
                _ => {
                    left = width;
                    periods.push(vec![map_in_place]);
                }
            }
            left = left.saturating_sub(map.blocks());
        }
    }
    periods
}
