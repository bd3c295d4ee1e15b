//! Who chooses the way off, and by which rule?

use raddle_policy::{Preemption, Ticks};

use super::{Abilities, Costs, Victim};

/// Chooses how a victim leaves.
///
/// # Laws
///
/// 1. The same memory and arguments give the same answer.
/// 2. The answer is a way that the runtime can do ([`Abilities::can`]).
/// 3. [`Preemption::Reset`] is answered only where all that is submitted may be killed.
///
/// [`Fixed`] keeps one more:
///
/// 4. Its way is answered wherever it may be taken.
///
/// [`Cheapest`] keeps two more:
///
/// 5. Where a way that may be taken is over within the bound, the one answered is.
/// 6. No way that may be taken and is over within the bound wastes less; where none is, none has a
///    shorter latency.
pub trait Choose {
    /// The way off for `victim`.
    fn choose(&mut self, victim: &Victim, abilities: Abilities, costs: &Costs) -> Preemption;
}

/// Whether a way may be taken: the runtime can do it, and it kills nothing that may not be killed.
fn may(way: Preemption, victim: &Victim, abilities: Abilities) -> bool {
    abilities.can(way) && (way != Preemption::Reset || victim.killable)
}

/// One way, whatever it costs. Where it may not be taken: instead of a reset the flag, as in seed 001
/// (S3.3, S3.2); instead of anything else, waiting.
///
/// The default is the rule of the seed: reset where that is allowed, else the flag; on a runtime
/// without a flag, wait.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Fixed(pub Preemption);

impl Default for Fixed {
    fn default() -> Self {
        Self(Preemption::Reset)
    }
}

impl Choose for Fixed {
    fn choose(&mut self, victim: &Victim, abilities: Abilities, _: &Costs) -> Preemption {
        let instead = if self.0 == Preemption::Reset { Preemption::Flag } else { Preemption::Wait };
        let mut ways = [self.0, instead].into_iter();
        ways.find(|&way| may(way, victim, abilities)).unwrap_or(Preemption::Wait)
    }
}

/// What wastes least among what is over within a bound; without a bound, among all.
///
/// Equal waste: the shorter latency, then the gentler way ([`Preemption::ALL`]). Where nothing is over
/// within the bound: the shortest latency, then the least waste, then the gentler way. Latencies
/// that nobody knows are the longest; among them a drain comes first, then the flag, then waiting:
/// each of them is over no later than the next.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[cfg_attr(feature = "serde", serde(rename_all = "kebab-case", default, deny_unknown_fields))]
pub struct Cheapest {
    /// The longest latency that is wanted.
    pub bound: Option<Ticks>,
}

impl Cheapest {
    /// The cheapest that is over within `bound`.
    #[must_use]
    pub const fn within(bound: Ticks) -> Self {
        Self { bound: Some(bound) }
    }
}

/// A latency, to be compared.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum Known {
    In(Ticks),
    No(u8),
}

/// The place of a way among those whose latency nobody knows.
const fn unknown(way: Preemption) -> u8 {
    match way {
        Preemption::Drain => 0,
        Preemption::Flag => 1,
        Preemption::Wait => 2,
        // Nothing to save with.
        Preemption::Reset | Preemption::Switch => 3,
    }
}

impl Choose for Cheapest {
    fn choose(&mut self, victim: &Victim, abilities: Abilities, costs: &Costs) -> Preemption {
        let rank = |&way: &Preemption| {
            let price = victim.price(way, costs);
            let (late, waste) = (!price.within(self.bound), price.waste);
            let latency = price.latency.map_or_else(|| Known::No(unknown(way)), Known::In);
            // Too late: latency before waste. In time: waste before latency.
            (late, late.then_some(latency), waste, latency, way)
        };
        let ways = Preemption::ALL.into_iter().filter(|&way| may(way, victim, abilities));
        ways.min_by_key(rank).unwrap_or(Preemption::Wait)
    }
}
