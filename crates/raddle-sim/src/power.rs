//! How much power does the work draw?
//!
//! The model: each instruction of a wave costs a fixed energy by its kind, so a wave draws the sum
//! of its rates times these energies for as long as it is resident, and a compute unit what its
//! waves draw. Idle power is left out. Decisions never see it: it is counted beside the run.
//!
//! Units: pJ an instruction of a wave, uW and mW, fJ (uW x ns). With rates in instructions a
//! microsecond, rate x pJ is uW.

use raddle_policy::{Activity, CuId, Tick};
use serde::{Deserialize, Serialize};

/// What one instruction of each kind costs, in the order of
/// [`InstructionKind::ALL`](raddle_policy::InstructionKind::ALL).
///
/// ```
/// use raddle_sim::EnergyModel;
/// use raddle_policy::Activity;
///
/// let model = EnergyModel { pj: [60, 400, 400, 2000, 50, 30] };
/// let gemm = Activity([50, 20, 4, 32, 2, 4]);
/// assert_eq!(model.wave_uw(gemm), 76_820);
/// assert_eq!(model.cu_mw([(gemm, 16), (Activity([1000, 0, 0, 0, 0, 0]), 1)]), 1289);
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct EnergyModel {
    /// In pJ.
    pub pj: [u32; 6],
}

impl EnergyModel {
    /// Assumed, the same for every device: round figures of our own in the order of magnitude that
    /// is usual for a wave of 32 to 64 lanes. Fit for comparing policies, not for a power budget.
    pub const ASSUMED: Self = Self { pj: [60, 400, 400, 2000, 50, 30] };

    /// What one wave draws, in uW.
    #[must_use]
    pub fn wave_uw(&self, activity: Activity) -> u64 {
        let each =
            activity.0.iter().zip(self.pj).map(|(&rate, pj)| u64::from(rate) * u64::from(pj));
        each.fold(0, u64::saturating_add)
    }

    /// What a compute unit draws that has so many waves of each activity, in mW, rounded down.
    #[must_use]
    pub fn cu_mw(&self, waves: impl IntoIterator<Item = (Activity, u64)>) -> u64 {
        let of = |(activity, waves)| self.wave_uw(activity).saturating_mul(waves);
        waves.into_iter().map(of).fold(0, u64::saturating_add) / 1000
    }
}

impl Default for EnergyModel {
    fn default() -> Self {
        Self::ASSUMED
    }
}

/// What a run drew.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Energy {
    /// By compute unit, in fJ.
    pub cu_fj: Vec<u128>,
    /// The most that each compute unit drew for a nanosecond or longer, in uW.
    pub cu_peak_uw: Vec<u64>,
    /// The same of all of them together.
    pub peak_uw: u64,
}

impl Energy {
    /// Of all compute units, in fJ.
    #[must_use]
    pub fn total_fj(&self) -> u128 {
        self.cu_fj.iter().sum()
    }
}

/// The energy of a run in few figures.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub struct EnergySummary {
    /// In all, in uJ.
    pub energy_uj: u64,
    /// In all over the time from the first event to the last end, in mW.
    pub mean_mw: u64,
    /// The most that the device drew, in mW.
    pub peak_mw: u64,
    /// The most that one compute unit drew, in mW.
    pub cu_peak_mw: u64,
    /// The energy of the compute unit that took most of it, in uJ.
    pub cu_most_uj: u64,
}

impl EnergySummary {
    /// Of a run that lasted so long; `None` where nothing is known to have drawn any.
    pub(crate) fn new(energy: &Energy, lasted_ns: u64) -> Option<Self> {
        let total = energy.total_fj();
        let narrow = |value: u128| u64::try_from(value).unwrap_or(u64::MAX);
        let uj = |fj: u128| narrow(fj / 1_000_000_000);
        let most = |values: &[u64]| values.iter().copied().max().unwrap_or_default();
        (total > 0).then(|| Self {
            energy_uj: uj(total),
            mean_mw: narrow(total / u128::from(lasted_ns.max(1)) / 1000),
            peak_mw: energy.peak_uw / 1000,
            cu_peak_mw: most(&energy.cu_peak_uw) / 1000,
            cu_most_uj: uj(energy.cu_fj.iter().copied().max().unwrap_or_default()),
        })
    }
}

/// What is drawn now, since when, and what was drawn before.
#[derive(Clone, Copy, Debug, Default)]
struct Drawn {
    uw: u64,
    since: Tick,
    fj: u128,
    peak_uw: u64,
}

impl Drawn {
    /// Counts up to `now`. What is drawn for no time at all is no peak.
    fn settle(&mut self, now: Tick) {
        let span = now.since(self.since).0;
        if span > 0 {
            self.fj = self.fj.saturating_add(u128::from(self.uw) * u128::from(span));
            self.peak_uw = self.peak_uw.max(self.uw);
            self.since = now;
        }
    }
}

/// Counts while a run goes.
#[derive(Debug)]
pub(crate) struct PowerMeter {
    cus: Vec<Drawn>,
    all: Drawn,
    pub(crate) now: Tick,
}

impl PowerMeter {
    pub(crate) fn new(cus: u16) -> Self {
        let cus = vec![Drawn::default(); usize::from(cus)];
        Self { cus, all: Drawn::default(), now: Tick::ZERO }
    }

    /// Waves came to a compute unit that draw so much together.
    pub(crate) fn came(&mut self, cu: CuId, uw: u64) {
        self.change(cu, uw, |drawn| drawn.saturating_add(uw));
    }

    /// Waves left a compute unit that drew so much together.
    pub(crate) fn went(&mut self, cu: CuId, uw: u64) {
        self.change(cu, uw, |drawn| drawn.saturating_sub(uw));
    }

    fn change(&mut self, cu: CuId, uw: u64, to: impl Fn(u64) -> u64) {
        // Nothing is known of most profiles.
        if uw == 0 {
            return;
        }
        if let Some(drawn) = self.cus.get_mut(cu.index()) {
            for drawn in [drawn, &mut self.all] {
                drawn.settle(self.now);
                drawn.uw = to(drawn.uw);
            }
        }
    }

    /// What was drawn up to now.
    pub(crate) fn finish(mut self) -> Energy {
        let now = self.now;
        self.cus.iter_mut().chain([&mut self.all]).for_each(|drawn| drawn.settle(now));
        Energy {
            cu_fj: self.cus.iter().map(|drawn| drawn.fj).collect(),
            cu_peak_uw: self.cus.iter().map(|drawn| drawn.peak_uw).collect(),
            peak_uw: self.all.peak_uw,
        }
    }
}
