//! Do the changes keep the limits of the user, and how is that said?

use serde::Serialize;

/// Judgement of the changes in a comparison by one limit.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[serde(rename_all = "kebab-case")]
pub struct JudgedLimit {
    /// Text of the limit as the user wrote it, such as `decode p99 +5%`.
    pub limit: String,
    /// Changes that exceed the limit, a sentence each; empty where all changes are within it.
    pub broken: Vec<String>,
    /// Largest change of all figures that the limit is about; `None` where no figure stands in the
    /// first result and a later one, so that nothing was judged.
    pub largest: Option<LimitedChange>,
    /// Largest allowed increase over the first result, in hundredths of a percent.
    #[serde(skip)]
    pub(super) allowed: i64,
}

/// Change of one figure that a limit is about.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[serde(rename_all = "kebab-case")]
pub struct LimitedChange {
    /// Name of the figure and of its recipe, such as `decode request p99 under leftover`.
    pub figure: String,
    /// Change as a fraction of the first value: 0.05 for an increase by 5 %; `None` where the first
    /// value is 0 and the later one is not.
    pub change: Option<f64>,
}

impl LimitedChange {
    pub(super) fn of(figure: String, first: f64, value: f64) -> Self {
        let change = if value == first { 0.0 } else { (value - first) / first };
        // Four decimals, as every figure has.
        let change = (change * 10_000.0).round() / 10_000.0;
        Self { figure, change: change.is_finite().then_some(change) }
    }

    /// Returns the larger of two changes; one from 0 is larger than all others.
    pub(super) fn larger(one: Option<Self>, other: Self) -> Option<Self> {
        let size = |it: &Self| it.change.unwrap_or(f64::INFINITY);
        match one {
            Some(one) if size(&one) >= size(&other) => Some(one),
            _ => Some(other),
        }
    }

    /// Writes the change in percent. A change that comes near the limit `allowed` (hundredths of a
    /// percent) has a second decimal, as it would else look like the limit.
    pub(super) fn text(&self, allowed: i64) -> String {
        match self.change.map(|change| change * 100.0) {
            Some(change) if (change - allowed as f64 / 100.0).abs() < 0.1 => {
                format!("{}: {change:+.2}%", self.figure)
            }
            Some(change) => format!("{}: {change:+.1}%", self.figure),
            None => format!("{}: from 0", self.figure),
        }
    }
}

/// Largest number of broken limits that the answer names.
const NAMED: usize = 3;

/// Says, without a last full stop, whether changes keep their limits, and what the largest changes
/// are.
pub(super) fn told(limits: &[JudgedLimit]) -> String {
    let broken: Vec<&str> =
        limits.iter().flat_map(|limit| &limit.broken).map(String::as_str).collect();
    if !broken.is_empty() {
        let count = limits.iter().filter(|limit| !limit.broken.is_empty()).count();
        let words = match (count, limits.len()) {
            (1, 1) => "The limit is broken".to_owned(),
            (1, all) => format!("1 of {all} limits is broken"),
            (count, all) => format!("{count} of {all} limits are broken"),
        };
        let named = broken.iter().take(NAMED).copied().collect::<Vec<_>>().join("; ");
        return match broken.len().saturating_sub(NAMED) {
            0 => format!("{words}: {named}"),
            more => format!("{words}: {named}; and {more} more"),
        };
    }
    let largest = limits.iter().map(|limit| match &limit.largest {
        Some(largest) => format!("{}, limit `{}`", largest.text(limit.allowed), limit.limit),
        None => format!("`{}` is not judged, as the first result has no such figure", limit.limit),
    });
    let words = match limits {
        limits if limits.iter().any(|limit| limit.largest.is_none()) => "No limit is broken",
        [_] => "The limit holds",
        _ => "All limits hold",
    };
    format!("{words}: {}", largest.collect::<Vec<String>>().join("; "))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn limits_are_told_with_the_largest_change() {
        let change = |figure: &str, first: f64, value: f64| {
            LimitedChange::of(figure.to_owned(), first, value)
        };
        let largest = LimitedChange::larger(Some(change("a", 10.0, 9.0)), change("b", 10.0, 10.2));
        let limit = |limit: &str, broken: &[&str], largest: Option<LimitedChange>| JudgedLimit {
            limit: limit.to_owned(),
            broken: broken.iter().map(|&it| it.to_owned()).collect(),
            largest,
            allowed: 500,
        };
        let kept = limit("p99 +5%", &[], largest.clone());
        assert_eq!(told(std::slice::from_ref(&kept)), "The limit holds: b: +2.0%, limit `p99 +5%`");
        let other = limit("end +1%", &["end: +4.0%, limit `end +1%`"], largest.clone());
        assert_eq!(
            told(std::slice::from_ref(&other)),
            "The limit is broken: end: +4.0%, limit `end +1%`"
        );
        let unjudged = limit("end +1%", &[], None);
        let words = "No limit is broken: b: +2.0%, limit `p99 +5%`; `end +1%` is not judged, as the \
                     first result has no such figure";
        assert_eq!(told(&[kept.clone(), unjudged]), words);
        let many = limit("end +1%", &["a", "b", "c", "d", "e"], largest.clone());
        assert_eq!(told(&[many]), "The limit is broken: a; b; c; and 2 more");
        let both = "1 of 2 limits is broken: end: +4.0%, limit `end +1%`";
        assert_eq!(told(&[kept.clone(), other]), both);
        assert!(told(&[kept.clone(), kept]).starts_with("All limits hold: b: +2.0%"));
        let zero = LimitedChange::larger(Some(change("c", 0.0, 1.0)), change("d", 1.0, 9.0));
        assert_eq!(zero.unwrap().text(500), "c: from 0");
        assert_eq!(change("e", 0.0, 0.0).change, Some(0.0));
        assert_eq!(change("f", 1e6, 1_049_600.0).text(500), "f: +4.96%", "not +5.0%");
        assert_eq!(change("f", 3.0, 4.0).change, Some(0.3333));
    }
}
