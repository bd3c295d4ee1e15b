//! Which figures are compared, where do they stand in a result, and which values are good?

use serde::Serialize;
use serde_json::Value;

/// The unit of a value.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum MetricUnit {
    /// Nanoseconds.
    Ns,
    /// A share from 0 to 1, shown as percent.
    Share,
    /// A number without unit.
    Ratio,
    /// A ratio whose fourth decimal matters.
    Index,
    /// A whole number.
    Count,
}

/// The direction in which a metric gets better.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Good {
    Low,
    High,
    Neither,
}

/// A figure that is compared.
#[derive(Clone, Copy, Debug)]
pub(super) struct Metric {
    pub(super) name: &'static str,
    pub(super) unit: MetricUnit,
    pub(super) good: Good,
    /// The path of the value from the recipe, process or level that has it; an object counts as the
    /// sum of its values.
    path: &'static str,
}

impl Metric {
    const fn new(name: &'static str, unit: MetricUnit, good: Good, path: &'static str) -> Self {
        Self { name, unit, good, path }
    }

    /// Checks that a value of a recipe, process or level is one that the metric can have: what
    /// counts is whole, and nothing is below 0. The error is what stands there.
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

    /// Returns the value of the metric in a recipe, process or level; `None` where there is no such
    /// value.
    pub(super) fn of(&self, of: &Value) -> Option<f64> {
        match of.pointer(self.path)? {
            Value::Object(parts) => Some(parts.values().filter_map(Value::as_f64).sum()),
            value => value.as_f64(),
        }
    }
}

/// Returns all figures that are compared, by what has them: a recipe, a process or a level.
pub(super) fn all() -> [Vec<Metric>; 3] {
    let of_recipe = [STUCK, MAKESPAN, OF_NEWCOMER].into_iter().chain(OF_RECIPE);
    let of_recipe = of_recipe.chain(OF_LAUNCHING).chain(OF_ENERGY).chain(OF_TURNS);
    [of_recipe.collect(), OF_PROCESS.to_vec(), OF_LEVEL.to_vec()]
}

/// Returns the name of a figure as gates write it.
pub(super) fn slug(metric: &str) -> String {
    metric.trim().to_lowercase().replace(' ', "-")
}

use Good::{High, Low, Neither};
use MetricUnit::{Count, Index, Ns, Ratio, Share};

/// The stuck launches of a recipe, where launches got stuck under it.
pub(super) const STUCK: Metric = Metric::new("stuck", Count, Low, "/stuck");
/// The makespan of a recipe, where no launch got stuck.
pub(super) const MAKESPAN: Metric = Metric::new("makespan", Ns, Low, "/makespan-ns");
/// The figures of every recipe.
pub(super) const OF_RECIPE: [Metric; 2] =
    [Metric::new("used", Share, High, "/utilisation"), Metric::new("Jain", Ratio, High, "/jain")];
/// The figures of a recipe where launching costs time in at least one of the results.
pub(super) const OF_LAUNCHING: [Metric; 3] = [
    Metric::new("packets", Count, Low, "/launching/packets"),
    Metric::new("packet bytes", Count, Low, "/launching/bytes"),
    LAUNCH_OVERHEAD,
];
pub(super) const LAUNCH_OVERHEAD: Metric =
    Metric::new("launch overhead", Ns, Low, "/launching/overhead-ns");
/// The figures of a recipe where it is known what any wave does.
pub(super) const OF_ENERGY: [Metric; 6] = [
    Metric::new("energy uJ", Count, Low, "/energy/total-uj"),
    Metric::new("work uJ", Count, Low, "/energy/energy-uj"),
    Metric::new("energy delay uJ s", Ratio, Low, "/energy/energy-delay-uj-s"),
    Metric::new("hottest to mean", Ratio, Low, "/energy/hottest-to-mean"),
    Metric::new("energy Jain", Index, High, "/energy/jain"),
    Metric::new("power over time", Ratio, Low, "/energy/over-time"),
];
/// The name of a figure that every result has in which processes take turns.
pub const TURNS_LOST: &str = "turns lost";
/// The figures of a recipe where one of the results divides time by turns.
pub(super) const OF_TURNS: [Metric; 5] = [
    Metric::new("Jain of run", Index, High, "/fairness/jain-run"),
    Metric::new("Jain of run/alive", Index, High, "/fairness/jain-rate"),
    Metric::new("longest wait", Ns, Low, "/fairness/longest-wait-ns"),
    Metric::new(TURNS_LOST, Count, Low, "/fairness/switches"),
    Metric::new("switching", Ns, Low, "/fairness/switch-ns"),
];
/// The figure of the process that begins last, which need not be the same in all results.
pub(super) const OF_NEWCOMER: Metric =
    Metric::new("newcomer", Share, Neither, "/fairness/newcomer-share");
/// The figures of a process.
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
/// The figures of a level.
pub(super) const OF_LEVEL: [Metric; 4] = [
    Metric::new("launches", Count, Neither, "/launches"),
    Metric::new("p50", Ns, Low, "/latency-p50-ns"),
    Metric::new("p99", Ns, Low, "/latency-p99-ns"),
    Metric::new("slowdown", Ratio, Low, "/slowdown"),
];
