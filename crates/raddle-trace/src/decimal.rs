//! How many nanoseconds does a decimal number in a text stand for, exactly?
//!
//! Profiles write microseconds as JSON numbers of up to 19 digits with three decimals. A double
//! would round them to a quarter of a microsecond, so the digits of the text are read.

use std::borrow::Cow;

use serde::de::{Deserialize, Deserializer, Error};

/// Reason why a text of a profile is not read as a number.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum DecimalError {
    /// A text that is no plain decimal number: digits with at most one point, and perhaps a minus
    /// in front.
    NotANumber,
    /// A large number in scientific notation that does not write all of its digits: the program
    /// that wrote it rounded it.
    Exponent,
    /// A time that does not fit into the range of nanoseconds, 292 years.
    TooLarge,
}

/// A time that was written as decimal microseconds.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Micros {
    /// Time in nanoseconds; digits below one nanosecond are dropped.
    pub(crate) nanos: i64,
    /// True if the text shows that the writer's clock is finer than a microsecond.
    pub(crate) fine: bool,
}

/// Reads a time in decimal microseconds, bare or as a JSON string; an exponent is allowed. The
/// error says why the text cannot be read.
pub(crate) fn micros(text: &str) -> Result<Micros, DecimalError> {
    let text = unquote(text);
    let plain = match text.bytes().any(|b| matches!(b, b'e' | b'E')) {
        true => Cow::Owned(without_exponent(text)?),
        false => Cow::Borrowed(text),
    };
    let DecimalNumber { value, decimals, whole } = fixed(&plain, 3)?;
    Ok(Micros { nanos: value, fine: decimals >= 3 || !whole })
}

/// Largest number of digits before the decimal point with which a number in scientific notation is
/// accepted although it does not write all of them: `1.5e8` writes two of nine. A larger number
/// counts as a rounded time stamp, and is refused.
const SURE_DIGITS: usize = 9;

/// Converts a number with an exponent to plain decimal digits; an error where the text is no
/// number, or does not write all of its digits.
fn without_exponent(text: &str) -> Result<String, DecimalError> {
    let number = || {
        let (mantissa, exponent) = text.split_once(['e', 'E'])?;
        let power: i32 = exponent.parse().ok().filter(|power: &i32| power.abs() < 64)?;
        let (sign, mantissa) = mantissa.split_at(usize::from(mantissa.starts_with('-')));
        let (whole, fraction) = mantissa.split_once('.').unwrap_or((mantissa, ""));
        let digits = format!("{whole}{fraction}");
        let plain = !whole.is_empty() && digits.bytes().all(|b| b.is_ascii_digit());
        let point = i32::try_from(whole.len()).ok()?.checked_add(power)?;
        plain.then_some((sign, digits, point))
    };
    let (sign, digits, point) = number().ok_or(DecimalError::NotANumber)?;
    let Ok(point) = usize::try_from(point) else {
        return Ok(format!("{sign}0.{}{digits}", "0".repeat(point.unsigned_abs() as usize)));
    };
    let (whole, fraction) = digits.split_at(point.min(digits.len()));
    let lost = point - whole.len();
    let leading = whole.len() - whole.trim_start_matches('0').len();
    if lost > 0 && point - leading > SURE_DIGITS {
        return Err(DecimalError::Exponent);
    }
    Ok(format!("{sign}0{whole}{}.{fraction}0", "0".repeat(lost)))
}

/// A decimal number, stored as a whole number of a small unit such as a thousandth.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct DecimalNumber {
    /// The number times ten to the power of `places`, the argument of [`fixed`]: 1.5 with three
    /// places is 1500. Further digits are cut off.
    pub(crate) value: i64,
    /// Number of digits that are written behind the decimal point.
    pub(crate) decimals: usize,
    /// True if all digits behind the decimal point are 0.
    pub(crate) whole: bool,
}

/// Reads a decimal number, and returns it times ten to the power of `places`, as a whole number.
/// The error says why the text cannot be read.
pub(crate) fn fixed(text: &str, places: u32) -> Result<DecimalNumber, DecimalError> {
    let text = text.as_bytes();
    let (negative, digits) = match text.strip_prefix(b"-") {
        Some(rest) => (true, rest),
        None => (false, text),
    };
    let point = digits.iter().position(|&b| b == b'.');
    let (whole, fraction) = match point {
        Some(at) => (&digits[..at], &digits[at + 1..]),
        None => (digits, [].as_slice()),
    };
    let plain = |part: &[u8]| part.iter().all(u8::is_ascii_digit);
    let given = !whole.is_empty() && (point.is_none() || !fraction.is_empty());
    if !given || !plain(whole) || !plain(fraction) {
        let exponent = digits.first().is_some_and(u8::is_ascii_digit)
            && digits.iter().any(|b| matches!(b, b'e' | b'E'));
        return Err(if exponent { DecimalError::Exponent } else { DecimalError::NotANumber });
    }
    let below = fraction.iter().chain(core::iter::repeat(&b'0')).take(places as usize);
    let value = whole.iter().chain(below).try_fold(0_i64, |value, &digit| {
        value.checked_mul(10)?.checked_add(i64::from(digit - b'0'))
    });
    let value = value.ok_or(DecimalError::TooLarge)?;
    Ok(DecimalNumber {
        value: if negative { -value } else { value },
        decimals: fraction.len(),
        whole: fraction.iter().all(|&b| b == b'0'),
    })
}

/// Reads a whole number from a JSON text, for the grid, workgroup or resources of a kernel. A
/// number below 0 or above 32 bits becomes `u32::MAX`, which no device has. `None` where the text
/// is no whole number.
pub(crate) fn figure(text: &str) -> Option<u32> {
    let text = unquote(text);
    match text.strip_prefix('-').map(natural) {
        Some(Some(0)) => Some(0),
        Some(number) => number.map(|_| u32::MAX),
        None => natural(text).map(|number| u32::try_from(number).unwrap_or(u32::MAX)),
    }
}

/// Reads a whole number from 0, bare or as a JSON string; `17.0` counts as 17. `None` where the
/// text is no such number.
pub(crate) fn natural(text: &str) -> Option<u64> {
    let text = unquote(text).as_bytes();
    let whole = match text.iter().position(|&b| b == b'.') {
        Some(at) => {
            let fraction = &text[at + 1..];
            if fraction.is_empty() || fraction.iter().any(|&b| b != b'0') {
                return None;
            }
            &text[..at]
        }
        None => text,
    };
    let digit = |n: u64, &b: &u8| {
        let digit = b.is_ascii_digit().then(|| u64::from(b - b'0'))?;
        n.checked_mul(10)?.checked_add(digit)
    };
    if whole.is_empty() { None } else { whole.iter().try_fold(0, digit) }
}

/// A whole number from 0 in a cell of a table; `17.0` counts as 17.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Natural(pub(crate) u64);

impl<'de> Deserialize<'de> for Natural {
    fn deserialize<D: Deserializer<'de>>(cell: D) -> Result<Self, D::Error> {
        let text = <&str>::deserialize(cell)?;
        natural(text).map(Self).ok_or_else(|| D::Error::custom("no natural number"))
    }
}

/// Returns whether a text is a number with an exponent, as spreadsheets write large times; such a
/// number has lost digits.
pub(crate) fn is_rounded(text: &str) -> bool {
    let number = |text: &str| {
        text.bytes().any(|b| b.is_ascii_digit())
            && text.bytes().all(|b| b.is_ascii_digit() || b"+-.,".contains(&b))
    };
    text.split_once(['e', 'E']).is_some_and(|(mantissa, power)| number(mantissa) && number(power))
}

/// Returns the text without the quotes of a JSON string and without blanks around it.
pub(crate) fn unquote(text: &str) -> &str {
    let text = text.trim_ascii();
    match text.strip_prefix('"').and_then(|t| t.strip_suffix('"')) {
        Some(inner) => inner.trim_ascii(),
        None => text,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn nineteen_digits_keep_every_nanosecond() {
        let read = micros("1712195495519689.047").unwrap();
        assert_eq!(read, Micros { nanos: 1_712_195_495_519_689_047, fine: true });
    }

    #[test]
    fn one_zero_decimal_is_still_a_whole_microsecond() {
        assert_eq!(micros("17.0").unwrap(), Micros { nanos: 17_000, fine: false });
        assert_eq!(micros("17.000").unwrap(), Micros { nanos: 17_000, fine: true });
        assert_eq!(micros("\"17.5\"").unwrap(), Micros { nanos: 17_500, fine: true });
        assert_eq!(micros("-0.25").unwrap().nanos, -250);
        assert_eq!(micros("0.0019").unwrap().nanos, 1);
    }

    #[test]
    fn what_is_no_exact_number_is_refused() {
        for text in ["1.7e15", "1.71219549e15", "1e10"] {
            assert_eq!(micros(text), Err(DecimalError::Exponent), "{text}");
        }
        for text in ["e3", "1e", "1e1.5", "1ee3", "-e3", "1e99", ".5e1", "1e+", "1x2e3", "-1-1e2"] {
            assert_eq!(micros(text), Err(DecimalError::NotANumber), "{text}");
        }
        for text in ["", "-", ".5", "5.", "1.2.3", "inf", "NaN", "0x10", "1_000", "+1", "null"] {
            assert_eq!(micros(text), Err(DecimalError::NotANumber), "{text}");
        }
        assert_eq!(micros("9223372036854776"), Err(DecimalError::TooLarge));
        assert_eq!(micros("99999999999999999999"), Err(DecimalError::TooLarge));
    }

    #[test]
    fn exponents_that_lose_no_digit_are_numbers() {
        for (text, nanos) in [
            ("1.5e3", 1_500_000),
            ("1.5E+3", 1_500_000),
            ("15e-1", 1_500),
            ("-2.5e-3", -2),
            ("0e0", 0),
            ("1e8", 100_000_000_000),
            ("\"1.712195495519689e15\"", 1_712_195_495_519_689_000),
            ("1.712195495519689047e15", 1_712_195_495_519_689_047),
        ] {
            assert_eq!(micros(text).unwrap().nanos, nanos, "{text}");
        }
    }

    #[test]
    fn numbers_of_spreadsheets_are_told() {
        for text in ["8.1097E+14", "1e15", "1.62068E+14"] {
            assert!(is_rounded(text), "{text}");
        }
        for text in ["", "E", "E+14", "810970000000000", "8.1097E", "fe12"] {
            assert!(!is_rounded(text), "{text}");
        }
    }

    #[test]
    fn naturals() {
        assert_eq!(natural("128"), Some(128));
        assert_eq!(natural("\"128\""), Some(128));
        assert_eq!(natural("128.0"), Some(128));
        for text in ["", "-1", "1.5", "inf", "1.", "1e3", "99999999999999999999"] {
            assert_eq!(natural(text), None, "{text}");
        }
    }

    #[test]
    fn figures_that_cannot_be_are_the_largest() {
        let read = ["12", "-0", "-1", "-1.0", "4294967296", "1.5", "-x"].map(figure);
        let most = Some(u32::MAX);
        assert_eq!(read, [Some(12), Some(0), most, most, most, None, None]);
    }

    proptest! {
        #[test]
        fn agrees_with_whole_number_arithmetic(whole in 0i64..9_000_000_000_000_000, ns in 0i64..1000) {
            let text = format!("{whole}.{ns:03}");
            prop_assert_eq!(micros(&text).unwrap().nanos, whole * 1000 + ns);
        }
    }
}
