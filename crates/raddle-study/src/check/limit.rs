//! How far may a prediction be off before a check fails? `15%`, `serve 10%`, `serve p99 10%`.
//!
//! Errors are predicted / measured - 1; a limit holds for both signs.

use std::cmp::Ordering;
use std::fmt;
use std::str::FromStr;

use super::{Check, CheckedTenant, TENANT};
use crate::amount::hundredths;
use crate::compare::{JudgedLimit, LimitedChange};
use crate::units::plain;

/// Words for the figures by which a tenant (a process of the prediction) is judged.
const FIGURES: [&str; 3] = ["p99", "step", "end"];

/// Largest error of a prediction that a user allows, such as `15%`, or `serve p99 10%` for one
/// tenant.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ErrorLimit {
    text: String,
    /// Name of the tenant that the limit is about; `None` means all of them.
    tenant: Option<String>,
    /// Word for the figure that the limit is about; `None` means that by which the tenant is judged.
    figure: Option<&'static str>,
    /// Largest allowed error of a prediction, against the measurement, in hundredths of a percent:
    /// 1500 for `15%`.
    most: i64,
}

/// Error of a text that is no limit on errors. Holds the text.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct NoErrorLimit(String);

impl fmt::Display for NoErrorLimit {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "`{}` is no limit: write [TENANT [FIGURE]] N%, such as `15%`", self.0)?;
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
        let rest = whole.strip_suffix('%').ok_or_else(bad)?.trim_end();
        let (of, most) = rest.rsplit_once(' ').unwrap_or(("", rest));
        let most = hundredths(most).filter(|most| *most >= 0).ok_or_else(bad)?;
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
            if let Some(side) = self.broken_by(predicted, of.measured_ns) {
                let signed = if side == Ordering::Less { -self.most } else { self.most };
                let is_sure = self.surely_broken(of, side);
                let open = match (is_sure, of.within) {
                    (Some(false), Some(true)) => " (within its interval)",
                    (Some(false), _) => " (not surely, by its interval)",
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
            allowed: self.most,
        })
    }

    /// Returns whether a predicted time breaks the limit as too short (`Less`) or too long
    /// (`Greater`); `None` where it keeps the limit. Counts in whole numbers, as a limit that holds
    /// exactly is not broken.
    fn broken_by(&self, predicted_ns: u64, measured_ns: u64) -> Option<Ordering> {
        let off = u128::from(predicted_ns.abs_diff(measured_ns)) * 10_000;
        let most = u128::from(measured_ns) * u128::from(self.most.unsigned_abs());
        (off > most).then(|| predicted_ns.cmp(&measured_ns))
    }

    /// Returns whether each time within the predicted interval breaks the limit on the given side;
    /// `None` where the prediction has no interval.
    fn surely_broken(&self, of: &CheckedTenant, side: Ordering) -> Option<bool> {
        let breaks = |ns: u64| self.broken_by(ns, of.measured_ns) == Some(side);
        // An open interval has times that are as long as one likes.
        let is_open = of.open && side == Ordering::Less;
        of.between_ns.map(|ends| !is_open && ends.into_iter().all(breaks))
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

#[cfg(test)]
mod tests {
    use super::*;
    use crate::answer::JudgedBy;

    /// Judges by a limit a prediction with an interval, each in ms, of what took `measured` ms.
    fn judged(
        limit: &str,
        predicted: u64,
        between: Option<[u64; 2]>,
        measured: u64,
    ) -> JudgedLimit {
        let ns = |ms: u64| ms * 1_000_000;
        let tenant = CheckedTenant {
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
        };
        let check = Check {
            raddle_check: 1,
            recipe: "mps".to_owned(),
            tenants: vec![tenant],
            unmeasured: Vec::new(),
            overturning: Vec::new(),
            limits: Vec::new(),
        };
        let limit: ErrorLimit = limit.parse().expect("it is a limit");
        limit.judge(&check).expect("the tenant is measured")
    }

    #[test]
    fn a_limit_that_holds_exactly_is_not_broken() {
        for (predicted, measured) in [(110, 100), (90, 100), (11, 10), (33, 30), (27, 30)] {
            let found = judged("10%", predicted, None, measured);
            assert_eq!(found.broken, [""; 0], "{predicted} for {measured}");
            assert_eq!(judged("9.99%", predicted, None, measured).broken.len(), 1);
        }
    }

    /// Checks that a limit is surely broken only where no time within the interval keeps it, and
    /// that nothing is said of it without an interval.
    #[test]
    fn a_limit_is_surely_broken_where_the_whole_interval_breaks_it() {
        let of = |between| {
            let found = judged("15%", 120, between, 100);
            (found.broken_surely, found.broken.concat())
        };
        let told = |open: &str| format!("serve p99 under mps: +20.0%{open}, limit `15%`");
        let open = told(" (not surely, by its interval)");
        assert_eq!(of(Some([114, 126])), (Some(false), open.clone()));
        assert_eq!(of(Some([116, 126])), (Some(true), told("")));
        let within = told(" (within its interval)");
        assert_eq!(of(Some([99, 126])), (Some(false), within.clone()));
        assert_eq!(of(Some([80, 126])), (Some(false), within), "broken on both sides");
        assert_eq!(of(None), (None, told("")));
        let told = super::super::told(&[judged("15%", 120, None, 100)]);
        assert!(told.starts_with("The limit is broken: "), "{told}");
        let told = super::super::told(&[judged("15%", 120, Some([114, 126]), 100)]);
        assert!(told.starts_with("The limit is broken, but not surely: "), "{told}");
        let low = judged("15%", 80, Some([70, 84]), 100);
        assert_eq!(low.broken_surely, Some(true));
    }

    #[test]
    fn limits_read_as_they_are_written() {
        let of = |text: &str| {
            let limit: ErrorLimit = text.parse().expect("it is a limit");
            (limit.tenant, limit.figure, limit.most)
        };
        let named = |name: &str| Some(name.to_owned());
        assert_eq!(of("15%"), (None, None, 1500));
        assert_eq!(of(" 0.5 %"), (None, None, 50));
        assert_eq!(of("+15%"), (None, None, 1500));
        assert_eq!(of("serve 10%"), (named("serve"), None, 1000));
        assert_eq!(of("my serve p99 10%"), (named("my serve"), Some("p99"), 1000));
        assert_eq!(of("step 10%"), (None, Some("step"), 1000));
        for bad in ["", "%", "15", "-1%", "serve p99", "nan%"] {
            assert!(bad.parse::<ErrorLimit>().is_err(), "{bad}");
        }
        let told = "serve p99 15".parse::<ErrorLimit>().unwrap_err().to_string();
        assert!(told.ends_with("Did you mean `serve p99 15%`?"), "{told}");
    }
}
