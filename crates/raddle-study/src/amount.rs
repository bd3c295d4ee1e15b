//! How are a time, a rate and an amount of memory read that a person wrote?
//!
//! Each is a decimal number and its unit: `20ms`, `1.5s`, `40/s`. Every option, goal, hint and
//! value of a sweep is read here. A time needs a unit, except 0 and where a setting's name ends
//! with one.

/// Unit of time that an amount such as `1.5ms` is written with.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum SpanUnit {
    /// Nanoseconds, written `ns`.
    Ns,
    /// Microseconds, written `us`.
    Us,
    /// Milliseconds, written `ms`.
    Ms,
    /// Seconds, written `s`.
    S,
}

impl SpanUnit {
    /// All units of time, in the order in which their names are compared with the end of a text.
    /// The second comes last, as the names of the other units end with its name `s` too.
    const ALL: [Self; 4] = [Self::Ns, Self::Us, Self::Ms, Self::S];

    /// Returns the name of the unit as it is written behind a number: `ns`, `us`, `ms` or `s`.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::Ns => "ns",
            Self::Us => "us",
            Self::Ms => "ms",
            Self::S => "s",
        }
    }

    /// Returns the number of decimals that an amount in this unit may have, down to one nanosecond:
    /// 3 for microseconds.
    const fn digits(self) -> usize {
        match self {
            Self::Ns => 0,
            Self::Us => 3,
            Self::Ms => 6,
            Self::S => 9,
        }
    }

    /// Returns the length of the unit in nanoseconds: 1,000 for microseconds.
    const fn ns(self) -> u64 {
        10_u64.pow(self.digits() as u32)
    }

    /// Returns the unit of time with which the name of an option or of a key ends, such as
    /// microseconds for `t0-us`; `None` where the name ends with no unit.
    #[must_use]
    pub fn of_name(name: &str) -> Option<Self> {
        let (_, last) = name.rsplit_once(['-', '_'])?;
        Self::ALL.into_iter().find(|unit| unit.name() == last)
    }
}

/// Error of a text that is no time, rate, amount of memory or percentage. Its message proposes what
/// the user likely meant, where that can be told.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{0}")]
pub struct AmountError(String);

/// Reads a time with its unit, such as `1.5ms`, and returns nanoseconds.
///
/// ```
/// use raddle_study::amount::time;
/// assert_eq!(time("1.5ms"), Ok(1_500_000));
/// assert_eq!(time("0"), Ok(0));
/// assert_eq!(time("20").unwrap_err().to_string(), "`20` has no unit: did you mean `20ms`?");
/// ```
///
/// # Errors
/// When the text is no number with a unit, no whole number of nanoseconds, or more than 2^64 ns
/// (584 years).
pub fn time(text: &str) -> Result<u64, AmountError> {
    read_time(text, None)
}

/// Reads a time and returns nanoseconds. `bare` is the unit of a number that stands without one;
/// with `None` such a number is an error, unless it is 0.
fn read_time(text: &str, bare: Option<SpanUnit>) -> Result<u64, AmountError> {
    let text = text.trim();
    let (number, unit) = match SpanUnit::ALL
        .iter()
        .find_map(|unit| Some((text.strip_suffix(unit.name())?, unit)))
    {
        Some((number, unit)) => (number.trim_end(), *unit),
        None => match bare {
            Some(unit) => (text, unit),
            None if is_number(text) && is_zero(text) => return Ok(0),
            None if is_number(text) => {
                return Err(AmountError(format!("`{text}` has no unit: did you mean `{text}ms`?")));
            }
            None => return Err(no_time(text)),
        },
    };
    match decimal(number, unit.digits()) {
        Some(ns) => Ok(ns),
        None if is_number(number) => {
            Err(AmountError(format!("`{text}` is no whole number of nanoseconds below 2^64")))
        }
        None => Err(no_time(text)),
    }
}

/// Names of units of time that are not accepted, each with the unit that an error message proposes
/// for them.
const LONG: [(&[&str], SpanUnit); 4] = [
    (&["nsec", "nanoseconds"], SpanUnit::Ns),
    (&["\u{b5}s", "\u{3bc}s", "usec", "microseconds"], SpanUnit::Us),
    (&["msec", "milliseconds"], SpanUnit::Ms),
    (&["sec", "secs", "second", "seconds"], SpanUnit::S),
];

fn no_time(text: &str) -> AmountError {
    let meant = number_in(text).and_then(|(number, rest)| {
        let rest = rest.trim().to_lowercase();
        let (_, unit) = LONG.iter().find(|(names, _)| names.contains(&rest.as_str()))?;
        decimal(number, unit.digits())?;
        Some(format!(": did you mean `{number}{}`?", unit.name()))
    });
    let write = || ": write a number and ns, us, ms or s, such as `20ms`".to_owned();
    AmountError(format!("`{text}` is no time{}", meant.unwrap_or_else(write)))
}

/// Reads a time above 0 with its unit, and returns nanoseconds.
///
/// # Errors
/// As [`time`], and for 0.
pub fn span(text: &str) -> Result<u64, AmountError> {
    match time(text)? {
        0 => Err(AmountError(format!("`{text}` is no time above 0, such as `20ms`"))),
        ns => Ok(ns),
    }
}

/// Reads a time and returns a whole number of `unit`, which is also the unit of a number that is
/// written without one. Use it for a setting whose name ends with its unit, such as `turn.t0-us`.
///
/// # Errors
/// As [`time`], and for parts of that unit.
pub fn whole(text: &str, unit: SpanUnit) -> Result<u64, AmountError> {
    let ns = read_time(text, Some(unit))?;
    if !ns.is_multiple_of(unit.ns()) {
        let unit = unit.name();
        return Err(AmountError(format!("`{text}` is no whole number of {unit}")));
    }
    Ok(ns / unit.ns())
}

/// Reads two times written as `FROM..TO` and returns (FROM, TO) in nanoseconds, where TO is at
/// least FROM. If FROM has no unit, it has that of TO.
///
/// # Errors
/// As for [`time`], and where the text does not hold two times, or TO is less than FROM.
pub fn between(text: &str) -> Result<(u64, u64), AmountError> {
    let no_range = || AmountError(format!("`{text}` is not FROM..TO, such as `100ms..120ms`"));
    let (from, to) = text.split_once("..").ok_or_else(no_range)?;
    let own = SpanUnit::ALL.into_iter().find(|unit| to.trim_end().ends_with(unit.name()));
    let (from, to) = (read_time(from, own)?, time(to)?);
    if from > to { Err(no_range()) } else { Ok((from, to)) }
}

/// Reads a rate written as `N/s` and returns the number of events in 10^9 seconds, so that `0.5/s`
/// is 500,000,000.
///
/// ```
/// use raddle_study::amount::rate;
/// assert_eq!(rate("0.5/s"), Ok(500_000_000));
/// assert_eq!(rate("40").unwrap_err().to_string(), "`40` has no unit: did you mean `40/s`?");
/// ```
///
/// # Errors
/// When it is no number with `/s`, is not above 0, or has more than nine decimals.
pub fn rate(text: &str) -> Result<u64, AmountError> {
    let text = text.trim();
    let said = |what: &str| AmountError(format!("`{text}` {what}"));
    let (number, rest) = number_in(text).ok_or_else(|| said("is no rate, such as `40/s`"))?;
    let rest = rest.trim();
    if number.starts_with('-') || is_zero(number.trim_start_matches('+')) {
        return Err(said("is no rate above 0, such as `40/s`"));
    }
    match decimal(number, 9) {
        Some(rate) if rest == "/s" => Ok(rate),
        None if rest == "/s" => {
            Err(said("is no rate below 18446744073/s of at most nine decimals"))
        }
        _ if rest.is_empty() => Err(said(&format!("has no unit: did you mean `{number}/s`?"))),
        _ => Err(said(&match a_second(number, rest) {
            Some(meant) => format!("is no rate a second: did you mean `{meant}/s`?"),
            None => "is no rate: write it per second, such as `40/s`".to_owned(),
        })),
    }
}

/// Units of a rate that people write, each with the number of seconds over which the rate counts:
/// 60 for `/min`.
const PER: [(&[&str], u64); 3] = [
    (&["/s", "/sec", "/second", "rps", "qps", "hz"], 1),
    (&["/m", "/min", "/minute", "rpm"], 60),
    (&["/h", "/hr", "/hour", "rph"], 3600),
];

/// Converts a rate that has another unit than `/s` or an exponent, such as `2400` and `/min`, to
/// the number per second, for an error message. At most nine decimals are kept; `None` where the
/// unit is not known or the rate is 0.
fn a_second(number: &str, rest: &str) -> Option<String> {
    let rest = rest.to_ascii_lowercase();
    let (exponent, unit) = match rest.strip_prefix('e') {
        Some(behind) => {
            let digits = behind.trim_start_matches(['+', '-']);
            let end = behind.len() - digits.trim_start_matches(|c: char| c.is_ascii_digit()).len();
            (behind[..end].parse::<i32>().ok()?, &behind[end..])
        }
        None => (0, rest.as_str()),
    };
    let (_, seconds) = PER.iter().find(|(names, _)| unit.is_empty() || names.contains(&unit))?;
    let power = 10_u128.checked_pow(exponent.unsigned_abs())?;
    let billionths = u128::from(decimal(number.trim_start_matches('+'), 9)?);
    let (times, by) = if exponent < 0 { (1, power) } else { (power, 1) };
    let by = by.checked_mul(u128::from(*seconds))?;
    let billionths = billionths.checked_mul(times)?.checked_add(by / 2)? / by;
    let text = format!("{}.{:09}", billionths / 1_000_000_000, billionths % 1_000_000_000);
    let text = text.trim_end_matches('0').trim_end_matches('.');
    (!is_zero(text)).then(|| text.to_owned())
}

/// Units of memory, each with its number of bytes.
const MEMORY: [(&str, u64); 4] =
    [("GiB", 1 << 30), ("MiB", 1 << 20), ("GB", 1_000_000_000), ("MB", 1_000_000)];

/// Reads an amount of memory above 0, such as `40GB`, and returns whole bytes; a fraction of a byte
/// is cut off.
///
/// ```
/// use raddle_study::amount::memory;
/// assert_eq!(memory("1.5GiB"), Ok(1_610_612_736));
/// assert!(memory("40").is_err());
/// ```
///
/// # Errors
/// When the text is no number with a unit, is 0 or more than fits into 64 bits, or has more than
/// nine decimals.
pub fn memory(text: &str) -> Result<u64, AmountError> {
    let text = text.trim();
    let unit = MEMORY.iter().find_map(|(unit, bytes)| Some((text.strip_suffix(unit)?, *bytes)));
    let bytes = unit.and_then(|(number, bytes)| {
        let billionths = decimal(number.trim_end(), 9)?;
        u64::try_from(u128::from(billionths) * u128::from(bytes) / 1_000_000_000).ok()
    });
    bytes.filter(|&bytes| bytes > 0).ok_or_else(|| {
        let (number, rest) = number_in(text).unwrap_or(("", text));
        let unit = match rest.trim().to_ascii_lowercase().as_str() {
            "" | "g" | "gb" => "GB",
            "gi" | "gib" => "GiB",
            "m" | "mb" => "MB",
            "mi" | "mib" => "MiB",
            _ => "",
        };
        let meant = format!("{number}{unit}");
        AmountError(match meant != text && memory(&meant).is_ok() {
            true if rest.is_empty() => format!("`{text}` has no unit: did you mean `{meant}`?"),
            true => format!("`{text}` is no amount of memory: did you mean `{meant}`?"),
            false => format!("`{text}` is no amount of memory, such as `40GB`, `40GiB` or `900MB`"),
        })
    })
}

/// Reads a whole number of percent from 0 to 100; `%` may follow it.
///
/// # Errors
/// When the text is no whole number from 0 to 100.
pub fn percent(text: &str) -> Result<u16, AmountError> {
    let number = text.trim().trim_end_matches('%').trim_end();
    let of = number.parse().ok().filter(|&of| of <= 100);
    of.ok_or_else(|| {
        AmountError(format!("`{text}` is no whole number from 0% to 100%, such as `50%`"))
    })
}

/// Returns whether a text is meant as an amount, right or wrong, and not as the name of a file: it
/// begins with a number, and only letters, digits and slashes follow. A file with such a name is
/// written as `./40`.
#[must_use]
pub fn is_meant(text: &str) -> bool {
    let unit = |c: char| c.is_alphanumeric() || c == '/' || c == ' ';
    number_in(text.trim()).is_some_and(|(_, rest)| rest.chars().all(unit))
}

/// Splits a text into (the number with which it begins, with its sign; the rest behind that
/// number); `None` where it begins with no number.
fn number_in(text: &str) -> Option<(&str, &str)> {
    let digits = |text: &str| text.bytes().take_while(u8::is_ascii_digit).count();
    let sign = usize::from(text.starts_with(['-', '+']));
    let whole = digits(&text[sign..]);
    let mut end = sign + whole;
    if let Some(rest) = text[end..].strip_prefix('.') {
        let decimals = digits(rest);
        end += if decimals > 0 { 1 + decimals } else { 0 };
    }
    (whole > 0).then(|| text.split_at(end))
}

fn is_number(text: &str) -> bool {
    number_in(text).is_some_and(|(number, rest)| rest.is_empty() && !number.starts_with(['-', '+']))
}

/// Returns whether a decimal number without a sign, such as `0.00`, is 0.
fn is_zero(number: &str) -> bool {
    number.bytes().all(|byte| matches!(byte, b'0' | b'.'))
}

/// Returns a number of percent, such as `-0.5`, in hundredths of a percent, rounded; `None` where it
/// is no number, or one too large.
pub(crate) fn hundredths(percent: &str) -> Option<i64> {
    let percent: f64 = percent.trim().parse().ok()?;
    let hundredths = (percent * 100.0).round();
    // Whole numbers below 10^12 are exact in an `f64`.
    (hundredths.abs() < 1e12).then_some(hundredths as i64)
}

/// Returns a decimal number times ten to the power of `digits`, exactly; `None` where it is no
/// number without a sign, has more decimals than `digits`, or does not fit.
pub(crate) fn decimal(text: &str, digits: usize) -> Option<u64> {
    let (whole, fraction) = text.split_once('.').unwrap_or((text, ""));
    let plain = |part: &str| part.bytes().all(|byte| byte.is_ascii_digit());
    if whole.is_empty() || fraction.len() > digits || !plain(whole) || !plain(fraction) {
        return None;
    }
    format!("{whole}{fraction:0<digits$}").parse().ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn amounts_of_memory_have_a_unit() {
        assert_eq!(memory("40GB"), Ok(40_000_000_000));
        assert_eq!(memory(" 900 MB"), Ok(900_000_000));
        for bad in ["", "40", "GB", "-1GB", "0GB", "0.0GiB", "1.2.3GB", "99999999999GB", "0"] {
            assert!(memory(bad).is_err(), "{bad}");
        }
        for (text, meant) in
            [("40", "40GB"), ("1.5gib", "1.5GiB"), ("40 G", "40GB"), ("900mb", "900MB")]
        {
            let told = memory(text).unwrap_err().to_string();
            assert!(told.contains(&format!("did you mean `{meant}`?")), "{told}");
        }
    }

    #[test]
    fn times_are_exact_and_bare_numbers_only_where_they_are_taken() {
        let cases = [
            ("7ns", 7),
            ("2.5us", 2500),
            ("1.000001ms", 1_000_001),
            ("1.5 s", 1_500_000_000),
            (" 20ms ", 20_000_000),
            ("18446744073.709551615s", u64::MAX),
        ];
        for (text, ns) in cases {
            assert_eq!(time(text), Ok(ns), "{text}");
            assert_eq!(read_time(text, Some(SpanUnit::Us)), Ok(ns), "{text}");
        }
        assert_eq!((time("0"), time("0.0"), time("0ms")), (Ok(0), Ok(0), Ok(0)));
        assert!(span("0ms").is_err() && span("0").is_err());
        for bad in [
            "",
            "ms",
            "-1ms",
            "+1ms",
            "1e3ms",
            ".5s",
            "x",
            "1 2ms",
            "1h",
            "1.0000001ms",
            "18446744073.709551616s",
        ] {
            assert!(time(bad).is_err() && read_time(bad, Some(SpanUnit::Ms)).is_err(), "{bad}");
        }
        assert_eq!(whole("1.5ms", SpanUnit::Us), Ok(1500));
        assert_eq!(whole("7", SpanUnit::Us), Ok(7));
        assert!(whole("1ns", SpanUnit::Us).is_err());
    }

    #[test]
    fn a_wrong_amount_says_what_was_meant() {
        let time = |text: &str| time(text).unwrap_err().to_string();
        assert!(time("20").contains("did you mean `20ms`?"));
        assert!(time("3 days").contains("ns, us, ms or s"));
        for (text, meant) in [("2 sec", "2s"), ("3\u{b5}s", "3us"), ("1.5 Milliseconds", "1.5ms")] {
            assert!(time(text).contains(&format!("did you mean `{meant}`?")), "{text}");
        }
        assert!(time("1.0000001ms").contains("whole number of nanoseconds"));
        let rate = |text: &str| rate(text).unwrap_err().to_string();
        assert!(rate("40").contains("has no unit: did you mean `40/s`?"));
        for (text, meant) in [
            ("40rps", "40/s"),
            ("40/sec", "40/s"),
            ("40 hz", "40/s"),
            ("40/m", "0.666666667/s"),
            ("90/min", "1.5/s"),
            ("9/hour", "0.0025/s"),
            ("1e3/s", "1000/s"),
            ("2.5e-1", "0.25/s"),
            ("6E1/min", "1/s"),
        ] {
            assert!(rate(text).contains(&format!("did you mean `{meant}`?")), "{text}");
        }
        for text in ["40 apples", "1e99/s", "1e-12/s", "1e/s", "40s"] {
            let told = rate(text);
            assert!(told.contains("per second") && !told.contains("did you mean"), "{told}");
        }
        for text in ["0/s", "-4/s", "0", "0.00/s", "-4"] {
            assert!(rate(text).contains("above 0"), "{text}");
        }
        assert!(rate("0.0000000001/s").contains("nine decimals"));
        assert!(rate("fast").contains("`40/s`"));
    }

    #[test]
    fn a_range_has_the_unit_of_its_end() {
        assert_eq!(between("1..8ms"), Ok((1_000_000, 8_000_000)));
        assert_eq!(between("500us..1s"), Ok((500_000, 1_000_000_000)));
        assert_eq!(between("0..2us"), Ok((0, 2000)));
        for bad in ["", "1ms", "2ms..1ms", "..", "1ms..", "1..2"] {
            assert!(between(bad).is_err(), "{bad}");
        }
    }

    #[test]
    fn percentages_are_read_in_hundredths() {
        let of = |text: &str| hundredths(text);
        assert_eq!([of("15"), of(" 0.5 "), of("+5")], [Some(1500), Some(50), Some(500)]);
        assert_eq!([of("-0.29"), of("0.004")], [Some(-29), Some(0)]);
        for bad in ["", "nan", "inf", "1e10", "-1e300", "x", "5%"] {
            assert_eq!(of(bad), None, "{bad}");
        }
    }

    #[test]
    fn a_number_is_never_a_file() {
        for text in ["40", "40/s", "0.5", "40rps", "-4/s", "+4", "40/sec", "1e3/s"] {
            assert!(is_meant(text), "{text}");
        }
        for text in ["load.json", "40.json", "2024-load.csv", "./40", "", "x40", "1.5.csv", "-"] {
            assert!(!is_meant(text), "{text}");
        }
    }

    #[test]
    fn keys_name_their_unit() {
        assert_eq!(SpanUnit::of_name("turn.t0-us"), Some(SpanUnit::Us));
        assert_eq!(SpanUnit::of_name("check_ns"), Some(SpanUnit::Ns));
        assert_eq!(SpanUnit::of_name("levels"), None);
        assert_eq!(SpanUnit::of_name("us"), None);
    }
}
