//! How far may a prediction be off before a check fails? `15%`, `serve 10%`, `serve p99 10%`.
//!
//! Errors are predicted / measured - 1; a limit holds for both signs.

use std::fmt;
use std::str::FromStr;

use super::{Check, CheckedTenant, TENANT};
use crate::compare::{JudgedLimit, LimitedChange};
use crate::units::plain;

/// Words for the figures by which a tenant is judged.
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
    /// Largest allowed error in hundredths of a percent: 1500 for `15%`.
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
        let most: f64 = most.parse().map_err(|_| bad())?;
        let most = (most * 100.0).round();
        // Whole numbers below 10^12 are exact in an `f64`.
        let most = (0.0..1e12).contains(&most).then_some(most as i64).ok_or_else(bad)?;
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
        let (mut broken, mut largest, mut is_sure) = (Vec::new(), None, false);
        for of in tenants {
            let figure = format!(
                "{} {} under {}",
                plain(&of.name, TENANT),
                of.judged.word(),
                plain(&check.recipe, 40)
            );
            let (Some(predicted), Some(error)) = (of.predicted_ns, of.error) else {
                // A figure that was not predicted is not right either.
                broken.push(format!("{figure}: nothing predicted, limit `{}`", self.text));
                is_sure = true;
                continue;
            };
            let change = LimitedChange::of(figure, of.measured_ns as f64, predicted as f64);
            // Exact, where the error of the tenant is rounded.
            let off = predicted as f64 / of.measured_ns as f64 - 1.0;
            if off.abs() * 10_000.0 > self.most as f64 {
                let signed = if error < 0.0 { -self.most } else { self.most };
                let is_within = of.within == Some(true);
                is_sure |= !is_within;
                let open = if is_within { " (within its interval)" } else { "" };
                broken.push(format!("{}{open}, limit `{}`", change.text(signed), self.text));
            }
            largest = LimitedChange::farther(largest, change);
        }
        let broken_surely = (!broken.is_empty()).then_some(is_sure);
        Ok(JudgedLimit {
            limit: self.text.clone(),
            broken,
            broken_surely,
            largest,
            allowed: self.most,
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

#[cfg(test)]
mod tests {
    use super::*;

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
