//! Between which bounds does the true value of a figure lie?

use serde::{Deserialize, Serialize};

use super::row::FromIssue;
use super::{PolicyFigures, ProcessFigures};
use crate::units::{duration, in_unit_of};

/// Least and largest value, in nanoseconds, that the time by which a process is judged (such as the
/// 99th percentile of its latency) may truly have.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "kebab-case")]
pub struct FigureBounds {
    /// Least value, in nanoseconds, that the figure by which the process is judged may truly have.
    pub least_ns: u64,
    /// Largest value, in nanoseconds, that the figure by which the process is judged may truly
    /// have, as far as that is known.
    pub most_ns: u64,
    /// True if the requests are too few, or follow each other too closely, to give an upper bound.
    /// The process's figure may then also be above the bound `most_ns`.
    pub open: bool,
}

/// Figure by which a process is judged, with its bounds.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub struct DecidingFigure {
    /// Name of the process that is judged by the figure.
    pub process: String,
    /// Word for the figure by which the process is judged: `p99` of its requests, mean `step`, or
    /// `end`.
    pub figure: String,
    /// Value of the figure by which the process is judged, in nanoseconds, as the replay gives it;
    /// `None` where nothing of the process ended.
    pub ns: Option<u64>,
    /// Least value, in nanoseconds, that the figure by which the process is judged may truly have;
    /// `None` where nothing of the process ended.
    pub least_ns: Option<u64>,
    /// Largest value, in nanoseconds, that the figure by which the process is judged may truly
    /// have; `None` where no upper bound is known.
    pub most_ns: Option<u64>,
}

impl PolicyFigures {
    /// Returns the figures by which the processes are judged under the recipe with the index `row`.
    pub(super) fn deciding(&self, row: usize) -> Vec<DecidingFigure> {
        let figure = |at: usize| {
            let ns = self.rows[row].processes[at].decisive_ns;
            let bounds = self.bounds(row, at);
            DecidingFigure {
                process: self.processes[at].name.clone(),
                figure: self.processes[at].judged.word().to_owned(),
                ns,
                least_ns: bounds.map_or(ns, |it| Some(it.least_ns)),
                most_ns: bounds.map_or(ns, |it| (!it.open).then_some(it.most_ns)),
            }
        };
        (0..self.processes.len()).map(figure).collect()
    }
}

impl FigureBounds {
    /// Returns whether a time in nanoseconds lies within these bounds of a process's figure.
    #[must_use]
    pub const fn hold(&self, ns: u64) -> bool {
        self.least_ns <= ns && (self.open || ns <= self.most_ns)
    }

    /// Returns whether all values within the bounds lie on the same side of `limit_ns`, so that the
    /// limit is surely met or surely missed. A figure without an upper bound may be twice as long
    /// as the largest known value, `most_ns`.
    #[must_use]
    pub const fn is_sure(&self, limit_ns: u64) -> bool {
        let most_ns = if self.open { self.most_ns.saturating_mul(2) } else { self.most_ns };
        self.least_ns > limit_ns || most_ns <= limit_ns
    }

    /// Writes the bounds without their unit, which is the one in which `ns` nanoseconds are
    /// written: `11.2 to 13.1`, with a plus sign where the upper bound is open.
    #[must_use]
    pub fn in_unit_of(&self, ns: u64) -> String {
        let [least, most] = [self.least_ns, self.most_ns].map(|bound| in_unit_of(ns, bound));
        format!("{least} to {most}{}", if self.open { "+" } else { "" })
    }

    /// Writes the bounds with the unit of the upper one: `11.2 to 13.1 ms`, or `11.2 to 13.1+ ms`
    /// where the upper bound is open.
    #[must_use]
    pub fn text(&self) -> String {
        let most = duration(self.most_ns);
        let unit = most.rsplit_once(' ').map_or("ns", |(_, unit)| unit);
        format!("{} {unit}", self.in_unit_of(self.most_ns))
    }

    /// Returns the bounds of another figure of the same requests, such as their median, in
    /// proportion: `own_ns` is the value that these bounds are of, and `other_ns` that of the other
    /// figure. It is an estimate: what makes the one figure longer makes the other so.
    pub(crate) fn of_other(self, own_ns: u64, other_ns: u64) -> Self {
        let part = |bound: u64| {
            let scaled = u128::from(bound) * u128::from(other_ns) / u128::from(own_ns.max(1));
            u64::try_from(scaled).unwrap_or(u64::MAX)
        };
        Self { least_ns: part(self.least_ns), most_ns: part(self.most_ns), open: self.open }
    }

    /// Returns the narrowest bounds that enclose both these bounds and `other`.
    fn joined(self, other: Self) -> Self {
        Self {
            least_ns: self.least_ns.min(other.least_ns),
            most_ns: self.most_ns.max(other.most_ns),
            open: self.open || other.open,
        }
    }

    /// Returns these bounds for a device on which all times are between `least` and `most` times as
    /// long as on the device of the replay.
    pub(crate) fn scaled(self, [least, most]: [f64; 2]) -> Self {
        // Times of runs are far below 2^53 ns.
        let by = |ns: u64, factor: f64| (ns as f64 * factor).round() as u64;
        Self { least_ns: by(self.least_ns, least), most_ns: by(self.most_ns, most), ..self }
    }
}

impl ProcessFigures {
    /// Returns the bounds of the figure by which the process is judged; `None` where the figure is
    /// exact or missing. True times are taken to be between `factors[0]` and `factors[1]` times
    /// those of a replay, or equal to them for `None`.
    pub(crate) fn bounds_by(&self, factors: Option<[f64; 2]>) -> Option<FigureBounds> {
        let exact = |ns: u64| FigureBounds { least_ns: ns, most_ns: ns, open: false };
        let plain = self.bounds().or(self.decisive_ns.map(exact))?;
        let bounds = factors.map_or(plain, |factors| plain.scaled(factors));
        (bounds.open || bounds.least_ns < bounds.most_ns).then_some(bounds)
    }

    /// Returns the figures of the process with its requests counted from the issue of their first
    /// launch; `None` where these times are not known.
    pub(crate) fn counted_from_issue(&self) -> Option<Self> {
        let FromIssue { time, between_ns } = self.from_issue?;
        Some(Self {
            decisive_ns: Some(time.p99_ns),
            sampled: time.interval,
            between_ns,
            max_ns: None,
            ..*self
        })
    }

    /// Returns the bounds of the figure by which the process is judged, from three uncertainties:
    /// the sample of requests or steps, contention, and the cost of time slices. `None` where no
    /// bounds are known for any of them.
    fn bounds(&self) -> Option<FigureBounds> {
        let sampled = self.sampled.and_then(|it| {
            // Without an upper bound, times as long as that of the slowest request are known to occur.
            let most_ns = it.most_ns.or(self.max_ns).or(self.decisive_ns)?;
            Some(FigureBounds { least_ns: it.least_ns, most_ns, open: it.most_ns.is_none() })
        });
        let of = |[least_ns, most_ns]: [u64; 2]| FigureBounds { least_ns, most_ns, open: false };
        match (sampled, self.between_ns.map(of)) {
            (Some(one), Some(other)) => Some(one.joined(other)),
            (one, other) => one.or(other),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::super::tests::{row, serve_and_train};
    use super::*;
    use crate::answer::PolicyFigures;

    #[test]
    fn a_sample_without_an_upper_bound_leaves_the_bounds_that_are_known() {
        let of = |least_ns, most_ns| ProcessFigures {
            decisive_ns: Some(16_000),
            sampled: Some(raddle_sim::Interval { least_ns, most_ns }),
            between_ns: Some([15_000, 19_000]),
            ..ProcessFigures::default()
        };
        let bounds = |figures: ProcessFigures| figures.bounds().expect("it has some").text();
        assert_eq!(bounds(of(9_000, Some(17_000))), "9.0 to 19.0 us");
        assert_eq!(bounds(of(9_000, None)), "9.0 to 19.0+ us");
        let alone = ProcessFigures { sampled: None, ..of(9_000, None) };
        assert_eq!(bounds(alone), "15.0 to 19.0 us");
        let unknown = ProcessFigures { between_ns: None, ..of(9_000, None) };
        assert_eq!(bounds(unknown), "9.0 to 16.0+ us");
        let slow = ProcessFigures { max_ns: Some(40_000), ..of(9_000, None) };
        assert_eq!(bounds(slow), "9.0 to 40.0+ us");
        let open = of(9_000, None).bounds().expect("it has some");
        assert!(open.hold(90_000) && open.hold(9_000) && !open.hold(8_999));
        assert_eq!(open.in_unit_of(16_000), "9.0 to 19.0+");
        let closed = of(9_000, Some(17_000)).bounds().expect("it has some");
        assert!(closed.hold(19_000) && !closed.hold(19_001));
    }

    /// Checks that the gain of a recipe that no driver offers is stated with an interval. It is
    /// called sure only if the whole interval is better than the best recipe that a driver offers.
    #[test]
    fn what_no_driver_offers_has_an_interval_too() {
        let told = |most_ms: u64| {
            let mut rows =
                vec![row("mps", &[30.0, 30.0], 1.0), row("leftover-drain", &[15.0, 30.0], 0.1)];
            rows[1].offered = false;
            rows[1].processes[0].between_ns = Some([12_000_000, most_ms * 1_000_000]);
            PolicyFigures::new("mps", serve_and_train(), rows, Vec::new()).not_offered()
        };
        let begin = |gives| format!("leftover-drain {gives} give decode p99 15.0 ms");
        let end = "train step 30.0 ms; no driver offers it";
        assert_eq!(told(20), Some(format!("{} (12.0 to 20.0 ms), {end}", begin("would"))));
        assert_eq!(told(40), Some(format!("{} (12.0 to 40.0 ms), {end}", begin("might"))));
    }
}
