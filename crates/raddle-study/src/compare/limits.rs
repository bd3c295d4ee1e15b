//! Do the changes of figures between compared results keep the limits of the user, and how is that
//! said?

use serde::Serialize;

/// Judgement of the changes in a comparison by one limit.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[serde(rename_all = "kebab-case")]
pub struct JudgedLimit {
    /// Text of the limit as the user wrote it, such as `decode p99 +5%`.
    pub limit: String,
    /// Changes that exceed the limit, a sentence each; empty where all changes are within it.
    pub broken: Vec<String>,
    /// True if some change exceeds the limit for all values within the error bounds of its figures;
    /// false if for every change in `broken` some values within the bounds keep the limit. `None`
    /// where nothing is broken, or no bounds are known.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub broken_surely: Option<bool>,
    /// Largest change of all figures that the limit is about; `None` where no figure stands in the
    /// first result and a later one, so that nothing was judged.
    pub largest: Option<LimitedChange>,
    /// Largest allowed increase of the figure over its value in the first result, in hundredths of
    /// a percent.
    #[serde(skip)]
    pub(crate) allowed: i64,
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
    /// Change as a fraction of the first value, before it was rounded to the value of `change`.
    #[serde(skip)]
    exact: f64,
}

impl LimitedChange {
    pub(crate) fn of(figure: String, first: f64, value: f64) -> Self {
        let exact = if value == first { 0.0 } else { (value - first) / first };
        // Four decimals, as every figure has; a smaller change keeps one digit, as it is not none.
        let round = |decimals: usize| format!("{exact:.decimals$}").parse().ok();
        let change = (4..=MOST_DECIMALS).filter_map(round).find(|change| *change != 0.0);
        let change = change.unwrap_or(exact);
        Self { figure, change: change.is_finite().then_some(change), exact }
    }

    /// Returns the larger of two changes; a change from 0 to any value is larger than all others.
    pub(super) fn larger(one: Option<Self>, other: Self) -> Option<Self> {
        let size = |it: &Self| it.change.unwrap_or(f64::INFINITY);
        match one {
            Some(one) if size(&one) >= size(&other) => Some(one),
            _ => Some(other),
        }
    }

    /// Returns the change that is farther from 0 %, whatever its sign; a change from a first value
    /// of 0 is farther than all others.
    pub(crate) fn farther(one: Option<Self>, other: Self) -> Option<Self> {
        let size = |it: &Self| it.change.map_or(f64::INFINITY, f64::abs);
        Some(one.filter(|one| size(one) >= size(&other)).unwrap_or(other))
    }

    /// Writes the change in percent. A change that lies near the limit `allowed` (hundredths of a
    /// percent) is written with at least two decimals, and with as many as tell it from the limit.
    pub(crate) fn text(&self, allowed: i64) -> String {
        let Self { figure, change, exact } = self;
        if change.is_none() {
            return format!("{figure}: from 0");
        }
        let (change, limit) = (exact * 100.0, allowed as f64 / 100.0);
        let is_near = (change - limit).abs() < 0.1;
        let least = if is_near { 2 } else { 1 };
        let written = |number: f64, decimals: usize| format!("{number:+.decimals$}");
        let read = |number: f64, decimals: usize| written(number, decimals).parse::<f64>().ok();
        let differs = |&decimals: &usize| read(change, decimals) != read(limit, decimals);
        let decimals = (least..=MOST_DECIMALS).find(|it| change == limit || differs(it));
        let text = written(change, decimals.unwrap_or(MOST_DECIMALS));
        format!("{figure}: {text}%")
    }
}

/// Largest number of decimals of a change: enough to tell a nanosecond in an hour.
const MOST_DECIMALS: usize = 14;

/// Largest number of broken limits that the answer names.
const NAMED: usize = 3;

/// Says, without a last full stop, whether changes keep their limits, and the largest changes.
pub(crate) fn told(limits: &[JudgedLimit]) -> String {
    let broken: Vec<&str> =
        limits.iter().flat_map(|limit| &limit.broken).map(String::as_str).collect();
    if !broken.is_empty() {
        let count = limits.iter().filter(|limit| !limit.broken.is_empty()).count();
        let words = match (count, limits.len()) {
            (1, 1) => "The limit is broken".to_owned(),
            (1, all) => format!("1 of {all} limits is broken"),
            (count, all) => format!("{count} of {all} limits are broken"),
        };
        let mut open = limits.iter().filter(|limit| !limit.broken.is_empty());
        let is_open = open.all(|limit| limit.broken_surely == Some(false));
        let words = if is_open { format!("{words}, but not surely") } else { words };
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
            broken_surely: (!broken.is_empty()).then_some(true),
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
        let open = JudgedLimit { broken_surely: Some(false), ..limit("end +1%", &["a"], None) };
        assert_eq!(told(&[open]), "The limit is broken, but not surely: a");
    }

    #[test]
    fn a_small_change_over_a_limit_is_not_written_as_the_limit() {
        let text = |first: f64, value: f64, allowed| {
            LimitedChange::of("e".to_owned(), first, value).text(allowed)
        };
        assert_eq!(text(1e9, 1_000_020_000.0, 0), "e: +0.002%", "not +0.00%");
        assert_eq!(text(3.6e12, 3.6e12 + 1.0, 0), "e: +0.00000000003%");
        assert_eq!(text(1e9, 1_050_000_100.0, 500), "e: +5.00001%", "not +5.00%");
        assert_eq!(text(1e9, 999_980_000.0, 0), "e: -0.002%");
        assert_eq!(text(1e9, 1e9, 0), "e: +0.00%");
        let small = LimitedChange::of("e".to_owned(), 1e9, 1_000_020_000.0);
        assert_eq!(small.change, Some(0.00002), "not 0");
    }
}
