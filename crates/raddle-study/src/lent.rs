//! How much do processes use beyond their own compute units, where idle units are lent to others?

use raddle_device::Device;
use raddle_policy::Tick;
use raddle_sim::{Seen, Watch, Workload};

use crate::recipes::NamedRecipe;
use crate::result::{Guarantee, GuaranteeOf};

/// Watcher that sums up during a simulation how much each process uses compute units of other
/// processes, which lend them while they are idle.
#[derive(Debug)]
pub(crate) struct Lent {
    /// Number of wave slots on the compute units of each process, by the index of the process.
    own: Vec<u64>,
    /// Number of wave slots that each process has had in use since the time `since`, by the index
    /// of the process.
    waves: Vec<u64>,
    since: Tick,
    /// Wave-slot time that each process used on compute units lent to it, in wave slots times ns,
    /// by the index of the process.
    beyond: Vec<u128>,
}

impl Lent {
    /// Makes the watcher for a recipe (set of policies); `None` where processes do not lend idle
    /// compute units to each other under the recipe.
    pub(crate) fn of(named: &NamedRecipe, workload: &Workload, target: &Device) -> Option<Self> {
        let shares: Vec<u32> = workload.processes.iter().map(|plan| plan.share).collect();
        let kept = Guarantee::new(&named.recipe, &shares)?;
        let slots = u64::from(target.shape.waves()) * u64::from(target.cus);
        let own = |part: &u64| {
            u64::try_from(u128::from(*part) * u128::from(slots) / u128::from(kept.all.max(1)))
        };
        (kept.of == GuaranteeOf::LentUnits).then(|| Self {
            own: kept.parts.iter().map(|part| own(part).unwrap_or(slots)).collect(),
            waves: vec![0; shares.len()],
            since: Tick::ZERO,
            beyond: vec![0; shares.len()],
        })
    }

    /// Returns the wave-slot time that each process used on compute units lent to it, in wave slots
    /// times ns, in the order of the processes.
    pub(crate) fn into_wave_ns(self) -> Vec<u128> {
        self.beyond
    }
}

impl Watch for Lent {
    fn see(&mut self, now: Tick, seen: &Seen<'_>) {
        let Seen::Settled { waves, .. } = *seen else { return };
        let ns = u128::from(now.since(self.since).0);
        for ((beyond, held), own) in self.beyond.iter_mut().zip(&self.waves).zip(&self.own) {
            *beyond += ns * u128::from(held.saturating_sub(*own));
        }
        self.waves.clear();
        self.waves.extend_from_slice(waves);
        self.since = now;
    }

    /// Returns `None`, which lets the simulation skip repetitive stretches without showing their
    /// events: the wave slots in use stay the same in them.
    fn sees_from(&self) -> Option<Tick> {
        None
    }
}
