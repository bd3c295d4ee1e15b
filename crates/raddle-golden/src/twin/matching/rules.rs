//! Which of the compute units that a workgroup fits is taken, and how much power has each drawn
//! lately (seed 000, E9, E10)?

use std::collections::BTreeMap;

use num_bigint::BigInt;
use raddle_policy::Launch;
use serde_json::Value;

use super::{Cu, Matching};

/// Rule that picks one of the compute units that a workgroup fits.
#[derive(Clone, Debug)]
pub(super) struct PlaceRule {
    /// Rule for free resources, as (weights of wave slots, vector registers, scalar registers and
    /// LDS; true if only the longest free runs count, false if all free granules do). `None` where
    /// free resources do not count.
    free: Option<([u64; 4], bool)>,
    /// Rule for power, as (weight of each kind of instruction; length of the window in ticks; true
    /// if the window also reaches as far into the future). `None` where power does not count.
    power: Option<([u64; 6], u64, bool)>,
    shares: [u64; 2],
    round_robin: bool,
    /// For each compute unit the waves that draw power on it, or have drawn power within the
    /// window.
    drawn: Vec<Vec<Drawn>>,
    cursor: usize,
}

/// Waves on a compute unit that draw the power `power` (weighted instructions) in each tick from
/// tick `from` until tick `to`, `None` while they run.
#[derive(Clone, Copy, Debug)]
struct Drawn {
    from: u64,
    to: Option<u64>,
    power: u128,
}

fn list<const N: usize>(value: &Value) -> [u64; N] {
    std::array::from_fn(|at| value[at].as_u64().unwrap_or(0))
}

impl PlaceRule {
    /// Makes the rule for the setting `place` of a recipe (file that chooses the policies of a
    /// run), on a device of `cus` compute units; `None` for a rule that the model does not know.
    pub(super) fn of(place: &Value, cus: usize) -> Option<Self> {
        let free = |rule: &Value| {
            let weight = |name: &str| rule[name].as_u64().unwrap_or(0);
            let weights = ["waves", "vgpr", "sgpr", "lds"].map(weight);
            Some((weights, rule["amounts"] == "longest-run"))
        };
        let power = |rule: &Value| {
            let ticks = rule["history-ticks"].as_u64();
            let log2 = rule["history-log2"].as_u64().map(|log2| 1u64 << log2.min(63));
            let window = ticks.or(log2).unwrap_or(1024);
            Some((list(&rule["weights"]), window, rule["ahead"] == true))
        };
        let none = Self {
            free: None,
            power: None,
            shares: [0, 0],
            round_robin: false,
            drawn: vec![Vec::new(); cus],
            cursor: 0,
        };
        Some(match place {
            Value::Null => none,
            Value::String(name) => match name.as_str() {
                "lowest-index" => none,
                "round-robin" => Self { round_robin: true, ..none },
                "most-waves" => Self { free: Some(([1, 0, 0, 0], false)), ..none },
                _ => return None,
            },
            rule if rule.get("most-free").is_some() => {
                Self { free: free(&rule["most-free"]), ..none }
            }
            rule if rule.get("least-power").is_some() => {
                Self { power: power(&rule["least-power"]), ..none }
            }
            rule if rule.get("mix").is_some() => {
                let rule = &rule["mix"];
                let shares = list(&rule["shares"]);
                Self { free: free(&rule["free"]), power: power(&rule["power"]), shares, ..none }
            }
            _ => return None,
        })
    }

    pub(super) const fn label(&self) -> &'static str {
        match (&self.free, &self.power) {
            (None, None) => "E1: a4",
            (Some(_), None) => "E9",
            (None, Some(_)) => "E10",
            (Some(_), Some(_)) => "E9, E10",
        }
    }

    /// Picks one of the compute units `fits`, which are ascending; `None` for an empty list.
    pub(super) fn pick(&self, fits: &[usize], cus: &[Cu], now: u64) -> Option<usize> {
        if self.round_robin {
            let behind = fits.iter().find(|&&cu| cu >= self.cursor);
            return behind.or(fits.first()).copied();
        }
        if self.free.is_none() && self.power.is_none() {
            return fits.first().copied();
        }
        let free: BTreeMap<usize, u64> = fits.iter().map(|&cu| (cu, self.free(&cus[cu]))).collect();
        let power: BTreeMap<usize, u64> =
            fits.iter().map(|&cu| (cu, self.power(cu, now))).collect();
        let most =
            |of: &BTreeMap<usize, u64>| BigInt::from(of.values().max().map_or(1, |&it| it.max(1)));
        let (most_free, most_power) = (most(&free), most(&power));
        let score = |cu: usize| match (&self.free, &self.power) {
            (_, None) => BigInt::from(free[&cu]),
            (None, Some(_)) => -BigInt::from(power[&cu]),
            (Some(_), Some(_)) => {
                let [a, b] = self.shares;
                BigInt::from(a) * free[&cu] * &most_power
                    - BigInt::from(b) * power[&cu] * &most_free
            }
        };
        // The unit with the greatest score is taken, the lowest of several.
        fits.iter().copied().reduce(|best, cu| if score(cu) > score(best) { cu } else { best })
    }

    /// Returns the sum of a compute unit's free amounts, each times its weight.
    fn free(&self, cu: &Cu) -> u64 {
        let Some((weights, longest)) = &self.free else { return 0 };
        let row = if *longest { cu.reported() } else { cu.free() };
        let sum = weights.iter().zip(row).map(|(weight, amount)| weight.saturating_mul(amount));
        sum.fold(0, u64::saturating_add)
    }

    /// Returns the power score of a compute unit: the weighted instructions of its waves in the
    /// window of time before `now`.
    fn power(&self, cu: usize, now: u64) -> u64 {
        let Some((_, window, ahead)) = self.power else { return 0 };
        let begin = now.saturating_sub(window);
        let of = |it: &Drawn| {
            let ticks = it.to.unwrap_or(now).saturating_sub(it.from.max(begin));
            let ahead = if ahead && it.to.is_none() { window } else { 0 };
            it.power.saturating_mul(u128::from(ticks) + u128::from(ahead))
        };
        let drawn = self.drawn.get(cu).into_iter().flatten();
        let sum = drawn.map(of).fold(0, u128::saturating_add);
        u64::try_from(sum).unwrap_or(u64::MAX)
    }

    fn draws(&self, launch: &Launch, waves: u16) -> u128 {
        let Some((weights, ..)) = &self.power else { return 0 };
        let rates = weights.iter().zip(launch.activity.0);
        let each: u128 = rates.map(|(&weight, rate)| u128::from(weight) * u128::from(rate)).sum();
        each.saturating_mul(waves.into())
    }

    pub(super) fn placed(&mut self, cu: usize) {
        self.cursor = (cu + 1) % self.drawn.len().max(1);
    }

    pub(super) fn starts(&mut self, cu: usize, launch: &Launch, waves: u16, now: u64) {
        let power = self.draws(launch, waves);
        if power > 0 && cu < self.drawn.len() {
            let begin = now.saturating_sub(self.power.map_or(0, |it| it.1));
            self.drawn[cu].retain(|it| it.to.is_none_or(|to| to > begin));
            self.drawn[cu].push(Drawn { from: now, to: None, power });
        }
    }

    pub(super) fn ends(&mut self, cu: usize, launch: &Launch, waves: u16, now: u64) {
        let power = self.draws(launch, waves);
        // If several entries are equal, it does not matter for a sum which of them ends.
        let mut all = self.drawn.get_mut(cu).into_iter().flatten();
        let it = all.find(|it| it.to.is_none() && it.power == power);
        if let Some(it) = it.filter(|_| power > 0) {
            it.to = Some(now);
        }
    }
}

impl Matching {
    /// Lists the steps of the patent (seed 000) for which the settings of a recipe (file that
    /// chooses the policies of a run) ask.
    pub(in crate::twin) fn steps(settings: &Value) -> String {
        let search = &settings["search"];
        let mut steps = vec!["E8"];
        steps.push(match () {
            () if search.get("grouped").is_some() => "E5",
            () if search.get("sampled").is_some() => "E6",
            () if search.get("shared").is_some() => "E7",
            () => "E4",
        });
        if settings["order"].get("windows").is_some() {
            steps.push("E2");
        }
        if settings.get("split").is_some() {
            steps.push("E3");
        }
        steps.push("E1");
        let label = PlaceRule::of(&settings["place"], 0).map_or("", |rule| rule.label());
        if label.starts_with("E9") || label.starts_with("E10") {
            steps.push(label);
        }
        steps.join("-")
    }
}
