//! Which figures are compared, where do they stand in a result, and which values are good?

use serde::Serialize;
use serde_json::Value;

/// What a value counts.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "kebab-case")]
pub(super) enum MetricUnit {
    Ns,
    /// 0 to 1, shown as percent.
    Share,
    /// A number without unit.
    Ratio,
    /// A ratio of which the fourth decimal says something.
    Index,
    Count,
}

/// Which values of a metric are good.
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
    /// Its path from what it is of; the value of an object is the sum of its values.
    path: &'static str,
}

impl Metric {
    const fn new(name: &'static str, unit: MetricUnit, good: Good, path: &'static str) -> Self {
        Self { name, unit, good, path }
    }

    /// Its value, of something that it is of.
    pub(super) fn of(&self, of: &Value) -> Option<f64> {
        match of.pointer(self.path)? {
            Value::Object(parts) => Some(parts.values().filter_map(Value::as_f64).sum()),
            value => value.as_f64(),
        }
    }
}

/// A figure's name as gates write it.
pub(super) fn slug(metric: &str) -> String {
    metric.trim().to_lowercase().replace(' ', "-")
}

use Good::{High, Low, Neither};
use MetricUnit::{Count, Index, Ns, Ratio, Share};

/// Of a recipe, where launches got stuck under it.
pub(super) const STUCK: Metric = Metric::new("stuck", Count, Low, "/stuck");
/// Of a recipe, where none did.
pub(super) const MAKESPAN: Metric = Metric::new("makespan", Ns, Low, "/makespan-ns");
/// Of a recipe.
pub(super) const OF_RECIPE: [Metric; 2] =
    [Metric::new("used", Share, High, "/utilisation"), Metric::new("Jain", Ratio, High, "/jain")];
/// Of a recipe, where launching costs anything under one of the results.
pub(super) const OF_LAUNCHING: [Metric; 3] = [
    Metric::new("packets", Count, Low, "/launching/packets"),
    Metric::new("packet bytes", Count, Low, "/launching/bytes"),
    LAUNCH_OVERHEAD,
];
pub(super) const LAUNCH_OVERHEAD: Metric =
    Metric::new("launch overhead", Ns, Low, "/launching/overhead-ns");
/// Of a recipe, where it is known what any wave does.
pub(super) const OF_ENERGY: [Metric; 6] = [
    Metric::new("energy uJ", Count, Low, "/energy/total-uj"),
    Metric::new("work uJ", Count, Low, "/energy/energy-uj"),
    Metric::new("energy delay uJ s", Ratio, Low, "/energy/energy-delay-uj-s"),
    Metric::new("hottest to mean", Ratio, Low, "/energy/hottest-to-mean"),
    Metric::new("energy Jain", Index, High, "/energy/jain"),
    Metric::new("power over time", Ratio, Low, "/energy/over-time"),
];
/// Of every result in which processes take turns.
pub(super) const TURNS_LOST: &str = "turns lost";
/// Of a recipe, where one of the results divides time by turns.
pub(super) const OF_TURNS: [Metric; 5] = [
    Metric::new("Jain of run", Index, High, "/fairness/jain-run"),
    Metric::new("Jain of run/alive", Index, High, "/fairness/jain-rate"),
    Metric::new("longest wait", Ns, Low, "/fairness/longest-wait-ns"),
    Metric::new(TURNS_LOST, Count, Low, "/fairness/switches"),
    Metric::new("switching", Ns, Low, "/fairness/switch-ns"),
];
/// Of a recipe, for the process that begins last, which need not be the same in all results.
pub(super) const OF_NEWCOMER: Metric =
    Metric::new("newcomer", Share, Neither, "/fairness/newcomer-share");
/// Of a process.
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
/// Of a level.
pub(super) const OF_LEVEL: [Metric; 4] = [
    Metric::new("launches", Count, Neither, "/launches"),
    Metric::new("p50", Ns, Low, "/latency-p50-ns"),
    Metric::new("p99", Ns, Low, "/latency-p99-ns"),
    Metric::new("slowdown", Ratio, Low, "/slowdown"),
];
