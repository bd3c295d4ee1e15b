//! How is a decimal text read as an exact rate or a whole number?

use core::fmt;

use serde::de::{Deserialize, Deserializer, Error};
use serde_json::value::RawValue;

use crate::decimal::{DecimalError, fixed, unquote};
use crate::error::shown;

/// Rate at which requests arrive, in requests per 10^9 seconds; at 0 no request arrives.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Rate(u64);

/// Largest rate at which requests may arrive, in requests per second: one request per nanosecond.
const MOST_PER_SECOND: u64 = 1_000_000_000;

impl Rate {
    /// Makes a rate of this many requests in 10^9 seconds, so 10^9 is one request a second; `None`
    /// for 0 and for more than one request a nanosecond.
    #[must_use]
    pub const fn per_giga_second(requests: u64) -> Option<Self> {
        if requests == 0 || requests > MOST_PER_SECOND * 1_000_000_000 {
            return None;
        }
        Some(Self(requests))
    }

    /// Makes a rate of this many requests a second; more than 10^9 count as 10^9, and at 0 no
    /// request arrives.
    #[must_use]
    pub const fn per_second(requests: u32) -> Self {
        let most = MOST_PER_SECOND as u32;
        let requests = if requests > most { most } else { requests };
        Self(requests as u64 * 1_000_000_000)
    }

    /// Returns the rate as a number of requests in 10^9 seconds.
    #[must_use]
    pub(crate) const fn in_giga_second(self) -> u64 {
        self.0
    }

    /// Reads a rate, a decimal number of requests per second; digits behind the ninth decimal are
    /// cut off. A rate of 0 or above 10^9 is an error.
    fn parse(text: &str) -> Result<Self, String> {
        Self::per_giga_second(scaled(text, 9)?).ok_or_else(|| {
            format!("{} requests a second: above 0 and at most 10^9 are wanted", shown(text))
        })
    }
}

impl fmt::Display for Rate {
    /// Writes the rate as a decimal number of requests in a second.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (whole, rest) = (self.0 / 1_000_000_000, self.0 % 1_000_000_000);
        if rest == 0 {
            return write!(f, "{whole}");
        }
        write!(f, "{whole}.{}", format!("{rest:09}").trim_end_matches('0'))
    }
}

impl<'de> Deserialize<'de> for Rate {
    fn deserialize<D: Deserializer<'de>>(json: D) -> Result<Self, D::Error> {
        let rate = Self::parse(Box::<RawValue>::deserialize(json)?.get());
        rate.map_err(|problem| Error::custom(format!("`frequency`: {problem}")))
    }
}

/// Reads a decimal number of 0 or more, and returns it times 10^`places`, rounded down to a whole
/// number; the error says what is wrong with the text.
pub(super) fn scaled(text: &str, places: u32) -> Result<u64, String> {
    let number = fixed(unquote(text), places);
    let value =
        number.and_then(|number| u64::try_from(number.value).map_err(|_| DecimalError::NotANumber));
    value.map_err(|error| {
        let problem = match error {
            DecimalError::NotANumber => "is no decimal number that is not negative",
            DecimalError::Exponent => {
                "is written with an exponent, so digits may be gone: write it out"
            }
            DecimalError::TooLarge => "is too large",
        };
        format!("{} {problem}", shown(text))
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn amounts_are_exact() {
        assert_eq!(scaled("59987", 6), Ok(59_987_000_000));
        assert_eq!(scaled("0.000001", 6), Ok(1));
        assert_eq!(scaled("1.0000019", 6), Ok(1_000_001));
        assert_eq!(scaled("\"12.5\"", 9), Ok(12_500_000_000));
        assert_eq!(scaled("9223372036.854775807", 9), Ok(i64::MAX.unsigned_abs()));
        for bad in ["", "-1", "+1", "1.", ".5", "x", "1.2.3", "0x1", "null", "NaN", "e5", "true"] {
            assert!(scaled(bad, 6).unwrap_err().contains("no decimal number"), "{bad}");
        }
        assert!(scaled("1e3", 6).unwrap_err().contains("exponent"));
        assert!(scaled("9223372036.854775808", 9).unwrap_err().contains("too large"));
        assert!(scaled("99999999999999999999", 0).unwrap_err().contains("too large"));
    }

    #[test]
    fn rates() {
        assert_eq!(Rate::parse("20").map(|rate| rate.to_string()), Ok("20".to_owned()));
        assert_eq!(Rate::parse("0.125").map(|rate| rate.to_string()), Ok("0.125".to_owned()));
        assert_eq!(
            Rate::parse("1000000000").map(Rate::in_giga_second),
            Ok(1_000_000_000_000_000_000)
        );
        for bad in ["0", "0.0", "1000000000.1", "8446744073"] {
            assert!(Rate::parse(bad).unwrap_err().contains("at most 10^9"), "{bad}");
        }
    }
}
