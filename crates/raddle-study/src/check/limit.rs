//! How is a limit written that fails the check of a prediction whose error is too large?
//!
//! `15%` and `serve 10%` limit the error of all tenants or of the tenant `serve`, `serve p99 10%`
//! names the figure too, and `interval` demands that measurements lie within predicted intervals.
//! An error is predicted / measured - 1; a limit holds for both signs.

use std::cmp::Ordering;
use std::fmt;
use std::str::FromStr;

use super::{Check, CheckedTenant, TENANT};
use crate::amount::hundredths;
use crate::compare::{JudgedLimit, LimitedChange};
use crate::units::{duration, plain};

/// Words for the figures by which a tenant (a process of the prediction) is judged.
const FIGURES: [&str; 3] = ["p99", "step", "end"];

/// Word of a limit that allows errors within the predicted interval.
const INTERVAL: &str = "interval";

/// Largest error of a prediction that a user allows, such as `15%`, or `serve p99 10%` for one
/// tenant; `interval` allows what lies within the predicted interval.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ErrorLimit {
    text: String,
    /// Name of the tenant that the limit is about; `None` means all of them.
    tenant: Option<String>,
    /// Word for the figure that the limit is about; `None` means that by which the tenant is judged.
    figure: Option<&'static str>,
    /// Largest allowed error of a prediction, against the measurement, in hundredths of a percent:
    /// 1500 for `15%`. `None` allows the predicted interval.
    most: Option<i64>,
}

/// Error of a text that is no limit on errors. Holds the text.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct NoErrorLimit(String);

impl fmt::Display for NoErrorLimit {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(
            f,
            "`{}` is no limit: write [TENANT [FIGURE]] N%, such as `15%`, or `interval`",
            self.0
        )?;
        match format!("{}%", self.0.trim()).parse::<ErrorLimit>() {
            Ok(meant) => write!(f, ". Did you mean `{}`?", meant.text),
            Err(_) => Ok(()),
        }
    }
}

impl std::error::Error for NoErrorLimit {}

impl FromStr for ErrorLimit {
    type Err = NoErrorLimit;

    fn from_str(text: &str) -> Result<Self, NoErrorLimit> {
        let bad = || NoErrorLimit(text.to_owned());
        let whole = text.trim();
        let (of, most) = whole.rsplit_once(' ').unwrap_or(("", whole));
        let (of, most) = match (most, most.strip_suffix('%').map(str::trim)) {
            (INTERVAL, _) => (of, None),
            // The number may be apart from its unit.
            (_, Some("")) => {
                let (of, most) = of.trim().rsplit_once(' ').unwrap_or(("", of.trim()));
                (of, Some(most))
            }
            (_, Some(most)) => (of, Some(most)),
            (_, None) => return Err(bad()),
        };
        let number = |text| hundredths(text).filter(|most| *most >= 0).ok_or_else(bad);
        let most = most.map(number).transpose()?;
        let of = of.trim();
        let (tenant, last) = of.rsplit_once(' ').unwrap_or(("", of));
        let figure = FIGURES.into_iter().find(|figure| *figure == last);
        let tenant = if figure.is_some() { tenant } else { of };
        let tenant = Some(tenant.trim().to_owned()).filter(|tenant| !tenant.is_empty());
        Ok(Self { text: whole.to_owned(), tenant, figure, most })
    }
}

impl Check {
    /// Judges the errors of the prediction by limits.
    ///
    /// # Errors
    /// When no measured tenant has the name or the figure that a limit gives: such a limit would
    /// never fail.
    pub fn limit(&mut self, limits: &[ErrorLimit]) -> Result<(), String> {
        self.limits = limits.iter().map(|limit| limit.judge(self)).collect::<Result<_, _>>()?;
        Ok(())
    }

    /// Returns the errors that exceed a limit, a sentence each.
    #[must_use]
    pub fn failures(&self) -> Vec<String> {
        self.limits.iter().flat_map(|limit| limit.broken.iter().cloned()).collect()
    }
}

impl ErrorLimit {
    fn is_about(&self, of: &CheckedTenant) -> bool {
        self.tenant.as_ref().is_none_or(|name| *name == of.name)
            && self.figure.is_none_or(|figure| figure == of.judged.word())
    }

    fn judge(&self, check: &Check) -> Result<JudgedLimit, String> {
        let tenants: Vec<&CheckedTenant> =
            check.tenants.iter().filter(|of| self.is_about(of)).collect();
        if tenants.is_empty() {
            return Err(self.unknown(check));
        }
        let (mut broken, mut largest, mut sure) = (Vec::new(), None, Vec::new());
        for of in tenants {
            let figure = format!(
                "{} {} under {}",
                plain(&of.name, TENANT),
                of.judged.word(),
                plain(&check.recipe, 40)
            );
            let Some(predicted) = of.predicted_ns else {
                // A figure that was not predicted is not right either.
                broken.push(format!("{figure}: nothing predicted, limit `{}`", self.text));
                sure.push(Some(true));
                continue;
            };
            let change = LimitedChange::of(figure, of.measured_ns as f64, predicted as f64);
            let Some(most) = self.most else {
                if let Some(why) = outside(of) {
                    broken.push(format!("{}{why}, limit `{}`", change.text(0), self.text));
                    sure.push(Some(true));
                }
                largest = LimitedChange::farther(largest, change);
                continue;
            };
            if let Some(side) = broken_by(most, predicted, of.measured_ns) {
                let signed = if side == Ordering::Less { -most } else { most };
                let is_sure = surely_broken(most, of, side);
                let open = match (is_sure, of.within) {
                    (Some(false), Some(true)) => " (within its interval)",
                    (Some(false), _) => " (one end of its interval is within the limit)",
                    _ => "",
                };
                broken.push(format!("{}{open}, limit `{}`", change.text(signed), self.text));
                sure.push(is_sure);
            }
            largest = LimitedChange::farther(largest, change);
        }
        // One that is surely broken suffices, and one of which nobody knows leaves all unknown.
        let is_any = sure.contains(&Some(true));
        let broken_surely = match is_any || !sure.contains(&None) {
            true => (!broken.is_empty()).then_some(is_any),
            false => None,
        };
        Ok(JudgedLimit {
            limit: self.text.clone(),
            broken,
            broken_surely,
            largest,
            allowed: self.most.unwrap_or(0),
        })
    }

    fn unknown(&self, check: &Check) -> String {
        let names = || check.tenants.iter().map(|of| &*of.name);
        let near = self.tenant.as_ref().map(|tenant| {
            if names().any(|name| name == *tenant) {
                return None;
            }
            raddle_read::nearest(tenant, names())
        });
        let of = check.tenants.iter().map(|of| format!("{} {}", of.name, of.judged.word()));
        let of = of.collect::<Vec<_>>().join(", ");
        format!(
            "`{}`: no such figure was measured; measured are {}.{}",
            plain(&self.text, 80),
            plain(&of, 400),
            crate::error::meant(near.flatten())
        )
    }
}

/// Says that a measured time lies outside of its predicted interval, or that no interval was
/// predicted; `None` where it lies within. Where the interval has no upper end, twice its upper
/// value counts as its end, as for goals: else the limit could not be broken by a long time.
fn outside(of: &CheckedTenant) -> Option<String> {
    match (of.within, of.interval()) {
        (Some(true), Some(bounds)) if of.open && of.measured_ns / 2 > bounds.most_ns => {
            let measured = duration(of.measured_ns);
            Some(format!(", {measured} measured beyond twice {}", bounds.text()))
        }
        (Some(true), _) => None,
        (_, Some(bounds)) => {
            Some(format!(", {} measured outside of {}", duration(of.measured_ns), bounds.text()))
        }
        (_, None) => Some(", with no predicted interval".to_owned()),
    }
}

/// Returns how a predicted time breaks the limit `most` (hundredths of a percent): `Less` where it
/// is too short, `Greater` where it is too long; `None` where it keeps the limit. Counts in whole
/// numbers, so that an error equal to the limit breaks nothing.
fn broken_by(most: i64, predicted_ns: u64, measured_ns: u64) -> Option<Ordering> {
    let off = u128::from(predicted_ns.abs_diff(measured_ns)) * 10_000;
    let most = u128::from(measured_ns) * u128::from(most.unsigned_abs());
    (off > most).then(|| predicted_ns.cmp(&measured_ns))
}

/// Returns whether each time within the predicted interval breaks the limit `most` (hundredths of a
/// percent) on one side: `Less` for too short, `Greater` for too long. `None` where the prediction
/// has no interval.
fn surely_broken(most: i64, of: &CheckedTenant, side: Ordering) -> Option<bool> {
    let breaks = |ns: u64| broken_by(most, ns, of.measured_ns) == Some(side);
    // An open interval has times that are as long as one likes.
    let is_open = of.open && side == Ordering::Less;
    of.between_ns.map(|ends| !is_open && ends.into_iter().all(breaks))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::answer::JudgedBy;

    /// Judges a predicted time and its interval, both in ms, against a measured time in ms, by a
    /// limit on the error.
    fn judged(
        limit: &str,
        predicted: u64,
        between: Option<[u64; 2]>,
        measured: u64,
    ) -> JudgedLimit {
        let check = Check {
            raddle_check: 1,
            recipe: "mps".to_owned(),
            or: None,
            tenants: vec![tenant(predicted, between, measured)],
            unmeasured: Vec::new(),
            overturning: Vec::new(),
            limits: Vec::new(),
        };
        let limit: ErrorLimit = limit.parse().expect("it is a limit");
        limit.judge(&check).expect("the tenant is measured")
    }

    fn tenant(predicted: u64, between: Option<[u64; 2]>, measured: u64) -> CheckedTenant {
        let ns = |ms: u64| ms * 1_000_000;
        CheckedTenant {
            name: "serve".to_owned(),
            judged: JudgedBy::Requests,
            repetitions: 100,
            predicted_ns: Some(ns(predicted)),
            between_ns: between.map(|ends| ends.map(ns)),
            open: false,
            measured_ns: ns(measured),
            from_issue: false,
            with_queue: false,
            error: Some(predicted as f64 / measured as f64 - 1.0),
            within: between.map(|[least, most]| (least..=most).contains(&measured)),
        }
    }

    #[test]
    fn a_limit_that_holds_exactly_is_not_broken() {
        for (predicted, measured) in [(110, 100), (90, 100), (11, 10), (33, 30), (27, 30)] {
            let found = judged("10%", predicted, None, measured);
            assert_eq!(found.broken, [""; 0], "{predicted} for {measured}");
            assert_eq!(judged("9.99%", predicted, None, measured).broken.len(), 1);
        }
    }

    #[test]
    fn a_limit_is_surely_broken_where_the_whole_interval_breaks_it() {
        let of = |between| {
            let found = judged("15%", 120, between, 100);
            (found.broken_surely, found.broken.concat())
        };
        let told = |open: &str| format!("serve p99 under mps: +20.0%{open}, limit `15%`");
        let open = told(" (one end of its interval is within the limit)");
        assert_eq!(of(Some([114, 126])), (Some(false), open.clone()));
        assert_eq!(of(Some([116, 126])), (Some(true), told("")));
        let within = told(" (within its interval)");
        assert_eq!(of(Some([99, 126])), (Some(false), within.clone()));
        assert_eq!(of(Some([80, 126])), (Some(false), within), "broken on both sides");
        assert_eq!(of(None), (None, told("")));
        let told = crate::compare::told(&[judged("15%", 120, None, 100)]);
        assert!(told.starts_with("The limit is broken: "), "{told}");
        let told = crate::compare::told(&[judged("15%", 120, Some([114, 126]), 100)]);
        assert!(told.starts_with("The limit is broken, but not surely: "), "{told}");
        let low = judged("15%", 80, Some([70, 84]), 100);
        assert_eq!(low.broken_surely, Some(true));
    }

    #[test]
    fn a_limit_may_be_the_predicted_interval() {
        let of = |between, measured| {
            let found = judged("interval", 120, between, measured);
            (found.broken_surely, found.broken.concat())
        };
        assert_eq!(of(Some([100, 126]), 100), (None, String::new()));
        let text = "serve p99 under mps: +21.2%, 99.0 ms measured outside of 100 to 126 ms, limit `interval`";
        assert_eq!(of(Some([100, 126]), 99), (Some(true), text.to_owned()));
        let open = |measured_ns: u64| {
            let tenant = CheckedTenant { open: true, ..tenant(120, Some([100, 126]), 1) };
            outside(&CheckedTenant { measured_ns, within: Some(true), ..tenant })
        };
        assert_eq!(open(252_000_000), None, "it has no upper end");
        let text = ", 254 ms measured beyond twice 100 to 126+ ms";
        assert_eq!(open(254_000_000).as_deref(), Some(text));
        let text = "serve p99 under mps: +20.0%, with no predicted interval, limit `interval`";
        assert_eq!(of(None, 100), (Some(true), text.to_owned()));
    }

    #[test]
    fn limits_read_as_they_are_written() {
        let of = |text: &str| {
            let limit: ErrorLimit = text.parse().expect("it is a limit");
            (limit.tenant, limit.figure, limit.most)
        };
        let named = |name: &str| Some(name.to_owned());
        assert_eq!(of("15%"), (None, None, Some(1500)));
        assert_eq!(of(" 0.5 %"), (None, None, Some(50)));
        assert_eq!(of("+15%"), (None, None, Some(1500)));
        assert_eq!(of("serve 10%"), (named("serve"), None, Some(1000)));
        assert_eq!(of("my serve p99 10%"), (named("my serve"), Some("p99"), Some(1000)));
        assert_eq!(of("step 10%"), (None, Some("step"), Some(1000)));
        assert_eq!(of("interval"), (None, None, None));
        assert_eq!(of("my serve p99 interval"), (named("my serve"), Some("p99"), None));
        for bad in ["", "%", "15", "intervals", "-1%", "serve p99", "nan%"] {
            assert!(bad.parse::<ErrorLimit>().is_err(), "{bad}");
        }
        let told = "serve p99 15".parse::<ErrorLimit>().unwrap_err().to_string();
        assert!(told.ends_with("Did you mean `serve p99 15%`?"), "{told}");
    }
}
