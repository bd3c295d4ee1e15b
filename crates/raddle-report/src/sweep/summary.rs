//! What does a sweep say as a whole? `raddle sweep --format json`.

use serde::Serialize;

use crate::answer::{Goal, mean_within};

/// The rows of a sweep, seeds taken together.
#[derive(Clone, Debug, Serialize)]
#[serde(rename_all = "kebab-case")]
pub struct SweepSummary {
    /// What was varied, without the seed.
    pub axes: Vec<String>,
    /// Cases that there are.
    pub cases: u64,
    /// Cases that have a row.
    pub rows: u64,
    /// Of these, cases that have an error instead of figures.
    pub failed: u64,
    /// What was asked of the processes.
    pub goals: Vec<Goal>,
    /// The position of the axis along which curves go, and its values as numbers.
    pub along: Option<(usize, Vec<(String, f64)>)>,
    /// By what each process is judged.
    pub judged: Vec<JudgedFigure>,
    /// One entry for each set of values.
    pub groups: Vec<GroupSummary>,
    /// How far along each of the others is good.
    pub reaches: Vec<Reach>,
}

/// By what a process is judged.
#[derive(Clone, Debug, Serialize)]
#[serde(rename_all = "kebab-case")]
pub struct JudgedFigure {
    /// Its name.
    pub process: String,
    /// `p99`, `step` or `end`.
    pub figure: &'static str,
    #[serde(skip)]
    pub(super) at: usize,
}

/// What came of one set of values.
#[derive(Clone, Debug, Serialize)]
#[serde(rename_all = "kebab-case")]
pub struct GroupSummary {
    /// The value on each axis.
    pub values: Vec<String>,
    /// Cases with figures.
    pub seeds: u64,
    /// Cases with an error.
    pub failed: u64,
    /// The first of these.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub error: Option<String>,
    /// Whether all launches ended in all cases.
    pub complete: bool,
    /// What each process is judged by, in nanoseconds.
    pub figures: Vec<Option<Within>>,
    /// In nanoseconds.
    pub makespan: Option<Within>,
    /// Whether the means meet all goals; absent where there are none, or a figure is missing.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub goals_met: Option<bool>,
}

/// A mean, and half of its 95 % confidence interval where there were several seeds.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
#[serde(rename_all = "kebab-case")]
pub struct Within {
    /// The mean.
    pub mean: f64,
    /// With 95 % confidence it is off by no more.
    pub within: Option<f64>,
}

impl Within {
    /// Of values that are one a seed; `None` without any.
    pub(super) fn of(values: &[f64]) -> Option<Self> {
        match values {
            [] => None,
            [one] => Some(Self { mean: *one, within: None }),
            several => {
                let (mean, within) = mean_within(several);
                Some(Self { mean, within: Some(within) })
            }
        }
    }
}

/// Up to where one set of the other values is good.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "kebab-case")]
pub struct Reach {
    /// The value on each of the other axes.
    pub values: Vec<String>,
    /// The highest value up to which every one is good; `None`: not even the lowest.
    pub up_to: Option<String>,
    /// Whether that is the highest of all.
    pub all: bool,
}
