//! Which figures are compared, where do they stand in a result, and which values are valid?

use serde::Serialize;
use serde_json::Value;

/// Unit of the values of a compared figure.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum MetricUnit {
    /// The values are times in nanoseconds.
    Ns,
    /// The values of the compared figure are fractions, shown as percent.
    Share,
    /// The values are numbers without a unit, such as slowdowns.
    Ratio,
    /// The values of the compared figure are numbers without a unit whose fourth decimal matters,
    /// such as fairness indices.
    Index,
    /// The values are whole numbers, such as numbers of launches.
    Count,
}

/// Direction in which a compared figure improves: lower, higher, or neither.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Good {
    Low,
    High,
    Neither,
}

/// Description of a figure that is compared: its name, its unit, and where its value is in the JSON
/// of a result.
#[derive(Clone, Copy, Debug)]
pub(super) struct Metric {
    pub(super) name: &'static str,
    pub(super) unit: MetricUnit,
    pub(super) good: Good,
    /// JSON path of the figure's value within the object of a recipe, a process or an urgency
    /// level. Where the path leads to an object, the figure is the sum of the object's values.
    path: &'static str,
}

impl Metric {
    const fn new(name: &'static str, unit: MetricUnit, good: Good, path: &'static str) -> Self {
        Self { name, unit, good, path }
    }

    /// Checks that the figure has a possible value, if any, in the JSON object `of` of a recipe, a
    /// process or an urgency level: counts and times are whole numbers, and no value is below 0.
    /// The error names the path and the bad value.
    pub(super) fn check(&self, of: &Value) -> Result<(), String> {
        let counts = matches!(self.unit, MetricUnit::Ns | MetricUnit::Count);
        let good = |value: &Value| match counts {
            true => value.is_u64(),
            false => value.as_f64().is_some_and(|value| value >= 0.0),
        };
        let values = match of.pointer(self.path) {
            Some(Value::Object(parts)) => parts.values().collect(),
            found => found.into_iter().collect::<Vec<_>>(),
        };
        let bad = values.into_iter().find(|value| !value.is_null() && !good(value));
        let path = self.path.trim_start_matches('/').replace('/', ".");
        let kind = if counts { "no whole number from 0 on" } else { "no number from 0 on" };
        bad.map_or(Ok(()), |value| Err(format!("`{path}` is {value}, which is {kind}")))
    }

    /// Returns the value of the figure in the JSON object `of` of a recipe, a process or an urgency
    /// level; `None` where the object has no such value.
    pub(super) fn of(&self, of: &Value) -> Option<f64> {
        match of.pointer(self.path)? {
            Value::Object(parts) => Some(parts.values().filter_map(Value::as_f64).sum()),
            value => value.as_f64(),
        }
    }
}

/// Returns the descriptions of all figures that are compared, in three lists: figures of a recipe,
/// of a process, and of an urgency level.
pub(super) fn all() -> [Vec<Metric>; 3] {
    let of_recipe = [STUCK, MAKESPAN, OF_NEWCOMER].into_iter().chain(OF_RECIPE);
    let of_recipe = of_recipe.chain(OF_LAUNCHING).chain(OF_ENERGY).chain(OF_TURNS);
    [of_recipe.collect(), OF_PROCESS.to_vec(), OF_LEVEL.to_vec()]
}

/// Returns the name of a figure as limits of a comparison have it: `request-p99` for "request p99".
pub(super) fn slug(metric: &str) -> String {
    metric.trim().to_lowercase().replace(' ', "-")
}

use Good::{High, Low, Neither};
use MetricUnit::{Count, Index, Ns, Ratio, Share};

/// Number of launches that got stuck (never ended) under a recipe; compared where there are any in
/// at least one result.
pub(super) const STUCK: Metric = Metric::new("stuck", Count, Low, "/stuck");
/// Makespan under a recipe, in nanoseconds; a result in which launches got stuck has none.
pub(super) const MAKESPAN: Metric = Metric::new("makespan", Ns, Low, "/makespan-ns");
/// Figures of a whole recipe that every comparison has: utilisation and Jain's fairness index.
pub(super) const OF_RECIPE: [Metric; 2] =
    [Metric::new("used", Share, High, "/utilisation"), Metric::new("Jain", Ratio, High, "/jain")];
/// Figures of a recipe's launch path: the packets that launch work, and the time that launching
/// takes. Compared where launching takes time in at least one result.
pub(super) const OF_LAUNCHING: [Metric; 3] = [
    Metric::new("packets", Count, Low, "/launching/packets"),
    Metric::new("packet bytes", Count, Low, "/launching/bytes"),
    LAUNCH_OVERHEAD,
];
pub(super) const LAUNCH_OVERHEAD: Metric =
    Metric::new("launch overhead", Ns, Low, "/launching/overhead-ns");
/// Figures of a recipe's energy, known where the instructions that waves issue are known.
pub(super) const OF_ENERGY: [Metric; 6] = [
    Metric::new("energy uJ", Count, Low, "/energy/total-uj"),
    Metric::new("work uJ", Count, Low, "/energy/energy-uj"),
    Metric::new("energy delay uJ s", Ratio, Low, "/energy/energy-delay-uj-s"),
    Metric::new("hottest to mean", Ratio, Low, "/energy/hottest-to-mean"),
    Metric::new("energy Jain", Index, High, "/energy/jain"),
    Metric::new("power over time", Ratio, Low, "/energy/over-time"),
];
/// Name of the figure that counts how often a process lost its turn (time slice) on the device.
/// Every result in which processes take turns has this figure.
pub const TURNS_LOST: &str = "turns lost";
/// Figures of a recipe's turns (time slices of processes), compared where processes take turns in
/// at least one result.
pub(super) const OF_TURNS: [Metric; 5] = [
    Metric::new("Jain of run", Index, High, "/fairness/jain-run"),
    Metric::new("Jain of run/alive", Index, High, "/fairness/jain-rate"),
    Metric::new("longest wait", Ns, Low, "/fairness/longest-wait-ns"),
    Metric::new(TURNS_LOST, Count, Low, "/fairness/switches"),
    Metric::new("switching", Ns, Low, "/fairness/switch-ns"),
];
/// Run time of the process that joined last, as a fraction of the time for which it was runnable.
/// Results may differ in which process that is.
pub(super) const OF_NEWCOMER: Metric =
    Metric::new("newcomer", Share, Neither, "/fairness/newcomer-share");
/// Figures of a process that every comparison has, such as its requests, steps and end.
pub(super) const OF_PROCESS: [Metric; 8] = [
    Metric::new("refused", Count, Low, "/refused"),
    Metric::new("requests", Count, Neither, "/requests/arrived"),
    Metric::new("requests ended", Count, Neither, "/requests/ended"),
    Metric::new("request p50", Ns, Low, "/requests/latency-p50-ns"),
    Metric::new("request p99", Ns, Low, "/requests/latency-p99-ns"),
    Metric::new("request longest", Ns, Low, "/requests/latency-max-ns"),
    Metric::new("step", Ns, Low, "/steps/step-ns"),
    Metric::new("end", Ns, Low, "/last-end-ns"),
];
/// Compared figures of those launches of a process that have the same urgency level.
pub(super) const OF_LEVEL: [Metric; 4] = [
    Metric::new("launches", Count, Neither, "/launches"),
    Metric::new("wait p50", Ns, Low, "/latency-p50-ns"),
    Metric::new("wait p99", Ns, Low, "/latency-p99-ns"),
    Metric::new("slowdown", Ratio, Low, "/slowdown"),
];
