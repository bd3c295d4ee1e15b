//! How much power do the waves of a run draw?
//!
//! The model: each instruction of a wave costs a fixed energy by its kind; a load or a store also
//! costs the energy of the memory that it reaches, LDS or HBM. While a wave is resident, it draws
//! the sum of its rates times these energies, and a compute unit draws what its waves draw. The
//! device and each compute unit also draw idle power from the first event to the last end. No
//! decision depends on the power.
//!
//! Energy is in pJ for an instruction of a wave and else in fJ (uW x ns), power in uW and mW. With
//! rates in instructions a microsecond, rate x pJ is uW.

use std::ops::Range;

use raddle_policy::{Activity, InstructionKind, Tick};
use serde::{Deserialize, Serialize};

use crate::figures::round;

/// The energy of each kind of instruction (in the order of [`InstructionKind::ALL`]) and of memory
/// accesses, and the power that a device draws while no work runs.
///
/// ```
/// use raddle_sim::EnergyModel;
/// use raddle_policy::Activity;
///
/// let model = EnergyModel::of_instructions([60, 400, 400, 2000, 50, 30]);
/// let gemm = Activity([50, 20, 4, 32, 2, 4]);
/// assert_eq!(model.wave_uw(gemm, false), 76_820);
/// assert_eq!(model.cu_mw([(gemm, 16), (Activity([1000, 0, 0, 0, 0, 0]), 1)]), 1289);
/// let memory = EnergyModel { lds_pj: 200, hbm_pj: 4000, lds_percent: 75, ..model };
/// assert_eq!(memory.wave_uw(gemm, false), 76_820 + 24 * 4000, "all loads and stores reach HBM");
/// assert_eq!(memory.wave_uw(gemm, true), 76_820 + 24 * (150 + 1000), "three of four stay in LDS");
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case", deny_unknown_fields)]
pub struct EnergyModel {
    /// The energy of one instruction of a wave, in pJ, by kind of instruction.
    pub pj: [u32; 6],
    /// The energy in pJ that a load or store instruction of one wave costs in addition if it stays
    /// in LDS.
    #[serde(default)]
    pub lds_pj: u32,
    /// The energy in pJ that a load or store instruction of one wave costs in addition if it
    /// reaches HBM.
    #[serde(default)]
    pub hbm_pj: u32,
    /// The percentage of load and store instructions that stay in LDS, in workgroups that have LDS;
    /// all others reach HBM.
    #[serde(default)]
    pub lds_percent: u32,
    /// The power in mW that the device, without its compute units, draws while no work runs.
    #[serde(default)]
    pub idle_mw: u32,
    /// The power in mW that each compute unit draws while no work runs.
    #[serde(default)]
    pub cu_idle_mw: u32,
}

impl EnergyModel {
    /// Weights that are assumed for every device. The idle power is what AccelWattch (Kandiah et
    /// al., MICRO 2021) measured of a GV100; HBM2 takes 3.92 pJ a bit at 128 bytes an instruction
    /// of a wave (O'Connor et al., MICRO 2017); an access of 256 bits to on-chip SRAM takes 50 pJ
    /// (table 7 of BMC Bioinformatics 19:424, 2018). These figures were not checked against the
    /// papers again. The weights of instructions and `lds_percent` are our own round figures. All
    /// suit a comparison of policies, not a power budget.
    pub const ASSUMED: Self = Self {
        pj: [60, 400, 400, 2000, 50, 30],
        lds_pj: 200,
        hbm_pj: 4014,
        lds_percent: 75,
        idle_mw: 32_325,
        cu_idle_mw: 283,
    };

    /// A model in which no work draws power, so that the energy of a run is 0.
    pub const NONE: Self = Self::of_instructions([0; 6]);

    /// Returns a model in which each kind of instruction costs `pj` picojoules, and memory accesses
    /// and idle time cost nothing.
    #[must_use]
    pub const fn of_instructions(pj: [u32; 6]) -> Self {
        Self { pj, lds_pj: 0, hbm_pj: 0, lds_percent: 0, idle_mw: 0, cu_idle_mw: 0 }
    }

    /// Returns the power that one wave draws, in uW; `lds` is true if its workgroup has LDS.
    #[must_use]
    pub fn wave_uw(&self, activity: Activity, lds: bool) -> u64 {
        let each = activity.0.iter().zip(self.pj).zip(InstructionKind::ALL);
        let each = each.map(|((&rate, pj), kind)| {
            let memory = match kind {
                InstructionKind::Load | InstructionKind::Store => self.memory_pj(lds),
                _ => 0,
            };
            u64::from(rate) * (u64::from(pj) + memory)
        });
        each.fold(0, u64::saturating_add)
    }

    /// Returns the mean energy in pJ that a load or store instruction costs for its access to
    /// memory; `lds` is true for a workgroup that has LDS.
    fn memory_pj(&self, lds: bool) -> u64 {
        let [lds_pj, hbm_pj] = [self.lds_pj, self.hbm_pj].map(u64::from);
        let stay = if lds { u64::from(self.lds_percent.min(100)) } else { 0 };
        (stay * lds_pj + (100 - stay) * hbm_pj) / 100
    }

    /// Returns the power in mW, rounded down and without idle power, of a compute unit with these
    /// waves, given as (activity, number of waves); their workgroups have no LDS.
    #[must_use]
    pub fn cu_mw(&self, waves: impl IntoIterator<Item = (Activity, u64)>) -> u64 {
        let of = |(activity, waves)| self.wave_uw(activity, false).saturating_mul(waves);
        waves.into_iter().map(of).fold(0, u64::saturating_add) / 1000
    }
}

impl Default for EnergyModel {
    fn default() -> Self {
        Self::ASSUMED
    }
}

/// The energy that the work of a run drew, by compute unit, and the idle power of the device.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Energy {
    /// The energy in fJ that work drew, by compute unit.
    pub cu_fj: Vec<u128>,
    /// The highest power in uW, held for at least a nanosecond, that work drew on each compute
    /// unit.
    pub cu_peak_uw: Vec<u64>,
    /// The highest power in uW, held for at least a nanosecond, that work drew on all compute units
    /// together.
    pub peak_uw: u64,
    /// The square of the power that work drew, integrated over time, in mW^2 ns, by compute unit.
    pub cu_squared: Vec<u128>,
    /// The power in uW that the device with its compute units draws while no work runs.
    pub idle_uw: u64,
}

impl Energy {
    /// Returns the energy in fJ that work drew on all compute units.
    #[must_use]
    pub fn total_fj(&self) -> u128 {
        self.cu_fj.iter().sum()
    }
}

/// The energy and the power of a run, rounded to the units in which results show them.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub struct EnergySummary {
    /// The energy in uJ that the work of the run drew, without idle energy.
    pub energy_uj: u64,
    /// The idle energy of the run in uJ: the idle power of the device times the length of the run,
    /// whether work runs or not.
    #[serde(default)]
    pub idle_uj: u64,
    /// The energy of the work and the idle energy together, in uJ.
    #[serde(default)]
    pub total_uj: u64,
    /// The total energy in uJ if all weights of instructions and memory accesses were half as
    /// large.
    #[serde(default)]
    pub total_low_uj: u64,
    /// The total energy in uJ if all weights of instructions and memory accesses were one and a
    /// half times as large.
    #[serde(default)]
    pub total_high_uj: u64,
    /// The energy-delay product in uJ s: the total energy times the time from the first event to
    /// the end of the last work.
    #[serde(default)]
    pub energy_delay_uj_s: f64,
    /// The mean power in mW that work drew, from the first event to the end of the last work,
    /// without idle power.
    pub mean_mw: u64,
    /// The highest power in mW that work drew on the whole device at any time.
    pub peak_mw: u64,
    /// The highest power in mW that work drew on any one compute unit at any time.
    pub cu_peak_mw: u64,
    /// The energy in uJ that work drew on the compute unit where it drew the most.
    pub(crate) cu_most_uj: u64,
    /// The ratio of the highest energy of a compute unit to the mean over all compute units; 1
    /// where all drew equally much.
    #[serde(default)]
    pub hottest_to_mean: f64,
    /// Jain's fairness index of the energy that each compute unit drew; 1 where all drew equally
    /// much.
    #[serde(default)]
    pub jain: f64,
    /// The variation of power over time: the standard deviation of the power of one compute unit,
    /// divided by the mean power of one compute unit. The deviations of all compute units are
    /// combined as root mean square.
    #[serde(default)]
    pub over_time: f64,
}

impl EnergySummary {
    /// Returns the energy and the power of a run that lasted `lasted_ns` nanoseconds; `None` where
    /// no work of a known energy ran.
    pub(crate) fn new(energy: &Energy, lasted_ns: u64) -> Option<Self> {
        let total = energy.total_fj();
        if total == 0 {
            return None;
        }
        let narrow = |value: u128| u64::try_from(value).unwrap_or(u64::MAX);
        let uj = |fj: u128| narrow(fj / 1_000_000_000);
        let most = |values: &[u64]| values.iter().copied().max().unwrap_or_default();
        let idle = u128::from(energy.idle_uw) * u128::from(lasted_ns);
        let hottest = energy.cu_fj.iter().copied().max().unwrap_or_default();
        let lasted = lasted_ns.max(1) as f64;
        let cus = energy.cu_fj.len().max(1) as f64;
        let heats = || energy.cu_fj.iter().map(|&fj| fj as f64);
        let squares: f64 = heats().map(|fj| fj * fj).sum();
        let all = total as f64;
        // In mW: of each compute unit, and of all of them on average.
        let mean = all / cus / lasted / 1000.0;
        let variance = energy.cu_squared.iter().zip(heats()).map(|(&squared, fj)| {
            let own = fj / lasted / 1000.0;
            (squared as f64 / lasted - own * own).max(0.0)
        });
        let variance: f64 = variance.sum::<f64>() / cus;
        Some(Self {
            energy_uj: uj(total),
            idle_uj: uj(idle),
            total_uj: uj(total + idle),
            total_low_uj: uj(total / 2 + idle),
            total_high_uj: uj(total / 2 * 3 + idle),
            energy_delay_uj_s: round((total + idle) as f64 / 1e9 * lasted / 1e9),
            mean_mw: narrow(total / u128::from(lasted_ns.max(1)) / 1000),
            peak_mw: energy.peak_uw / 1000,
            cu_peak_mw: most(&energy.cu_peak_uw) / 1000,
            cu_most_uj: uj(hottest),
            hottest_to_mean: round(hottest as f64 * cus / all),
            jain: round(all * all / squares / cus),
            over_time: round(variance.sqrt() / mean),
        })
    }
}

/// The power that waves draw now, and the energy that they drew earlier: `uw` microwatts since the
/// tick `since`, and `fj` femtojoules up to that tick.
#[derive(Clone, Copy, Debug, Default)]
struct Drawn {
    uw: u64,
    since: Tick,
    fj: u128,
    peak_uw: u64,
    /// The square of the device's power, integrated over time up to `since`, in mW^2 ns.
    squared: u128,
}

impl Drawn {
    /// Adds the energy drawn from `since` to `now`. Power that was drawn for less than a nanosecond
    /// does not count as a peak.
    fn settle(&mut self, now: Tick) {
        let span = now.since(self.since).0;
        if span > 0 {
            self.fj = self.fj.saturating_add(u128::from(self.uw) * u128::from(span));
            self.peak_uw = self.peak_uw.max(self.uw);
            let mw = u128::from(self.uw / 1000);
            self.squared = self.squared.saturating_add(mw * mw * u128::from(span));
            self.since = now;
        }
    }
}

/// A meter of the power that the waves on each compute unit draw while a run goes on.
#[derive(Debug)]
pub(crate) struct PowerMeter {
    cus: Vec<Drawn>,
    all: Drawn,
    idle_uw: u64,
    pub(crate) now: Tick,
}

impl PowerMeter {
    pub(crate) fn new(cus: u16) -> Self {
        let cus = vec![Drawn::default(); usize::from(cus)];
        Self { cus, all: Drawn::default(), idle_uw: 0, now: Tick::ZERO }
    }

    /// Sets the power that the device draws while no work runs, by an energy model.
    pub(crate) fn idle(&mut self, model: &EnergyModel) {
        let cus = (self.cus.len() as u64).saturating_mul(model.cu_idle_mw.into());
        self.idle_uw = cus.saturating_add(model.idle_mw.into()).saturating_mul(1000);
    }

    /// Records that waves started on the compute units `units`. The new waves on each unit draw
    /// `uw` microwatts together.
    pub(crate) fn came(&mut self, units: Range<usize>, uw: u64) {
        self.change(units, uw, u64::saturating_add);
    }

    /// Records that waves left the compute units `units`. The waves that left each unit drew `uw`
    /// microwatts together.
    pub(crate) fn went(&mut self, units: Range<usize>, uw: u64) {
        self.change(units, uw, u64::saturating_sub);
    }

    fn change(&mut self, units: Range<usize>, uw: u64, to: impl Fn(u64, u64) -> u64) {
        // Nobody asked for the energy, or what the waves draw is unknown, which counts as 0.
        if uw == 0 {
            return;
        }
        let (now, of_all) = (self.now, uw.saturating_mul(units.len() as u64));
        let Some(cus) = self.cus.get_mut(units) else { return };
        for drawn in cus {
            drawn.settle(now);
            drawn.uw = to(drawn.uw, uw);
        }
        self.all.settle(now);
        self.all.uw = to(self.all.uw, of_all);
    }

    /// Returns the energy that the work of a run drew, up to the end of the run.
    pub(crate) fn finish(mut self) -> Energy {
        let now = self.now;
        self.cus.iter_mut().chain([&mut self.all]).for_each(|drawn| drawn.settle(now));
        Energy {
            cu_fj: self.cus.iter().map(|drawn| drawn.fj).collect(),
            cu_peak_uw: self.cus.iter().map(|drawn| drawn.peak_uw).collect(),
            peak_uw: self.all.peak_uw,
            cu_squared: self.cus.iter().map(|drawn| drawn.squared).collect(),
            idle_uw: self.idle_uw,
        }
    }
}
