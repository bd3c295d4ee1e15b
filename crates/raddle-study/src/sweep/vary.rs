//! Which values does a varied option take, such as `load=10..80/s`, `device=h100,b200` or
//! `turn.t0-us=100..6400:*2`?

use std::str::FromStr;

use crate::rules::is_recipe_key;

/// Number of values in a range `FROM..TO` that gives no step.
const STEPS: i128 = 8;
/// Largest number of values in a range `FROM..TO`; a range with more values is an error.
const MOST: usize = 100_000;

/// An option or recipe key that a sweep varies: its name, and the values that it takes in turn.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Axis {
    pub(crate) key: String,
    /// Values of the option in the order of the cases; `Cases` refuses to have two equal ones.
    pub(crate) values: Vec<String>,
}

impl FromStr for Axis {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        let (key, values) = text.split_once('=').ok_or(
            "there is no `=` in it: write KEY=VALUE,VALUE or KEY=FROM..TO, such as load=10..80/s",
        )?;
        let key = spelled(key.trim().trim_start_matches('-'));
        let mut all = Vec::new();
        for part in parts(values) {
            match range(part.trim()) {
                Some(range) => all.extend(range?),
                None => all.push(part.trim().to_owned()),
            }
        }
        if key.is_empty() || all.iter().any(String::is_empty) {
            return Err("write KEY=VALUE,VALUE or KEY=FROM..TO".to_owned());
        }
        // A key of a recipe takes a number in a unit of its own.
        let values = if is_recipe_key(&key) { all } else { in_the_last_unit(all) };
        Ok(Self { key, values })
    }
}

/// Units of the last of several values that numbers before it share, as in `10,20,40/s`.
const SHARED_UNITS: [&str; 5] = ["/s", "ns", "us", "ms", "s"];

/// Gives numbers without a unit the unit of the last value, where that is a rate or a time. Changes
/// nothing unless all values are numbers, each with that unit or without one.
fn in_the_last_unit(values: Vec<String>) -> Vec<String> {
    let unit = values.last().map(|last| with_unit(last).1).unwrap_or_default();
    let Some(&unit) = SHARED_UNITS.iter().find(|of| **of == unit) else { return values };
    let is_number = |value: &String| {
        let (number, own) = with_unit(value);
        Decimal::read(number).is_some() && (own.is_empty() || own == unit)
    };
    if !values.iter().all(is_number) {
        return values;
    }
    let with = |value: String| if value.ends_with(unit) { value } else { value + unit };
    values.into_iter().map(with).collect()
}

/// Returns a key in kebab-case. A name that the user chose, which follows the point in a key such
/// as `share.my_decode`, stays unchanged.
fn spelled(key: &str) -> String {
    let option = |(option, name): (&str, &str)| format!("{}.{name}", option.replace('_', "-"));
    match key.split_once('.').filter(|_| !is_recipe_key(key)) {
        Some(split) => option(split),
        None => key.replace('_', "-"),
    }
}

/// Splits a text at the commas that lie outside of brackets and quotes.
fn parts(text: &str) -> Vec<&str> {
    let (mut depth, mut quoted, mut from) = (0_u32, false, 0);
    let mut parts = Vec::new();
    for (at, c) in text.char_indices() {
        match c {
            '"' => quoted = !quoted,
            '[' | '{' if !quoted => depth += 1,
            ']' | '}' if !quoted => depth = depth.saturating_sub(1),
            ',' if !quoted && depth == 0 => {
                parts.push(&text[from..at]);
                from = at + 1;
            }
            _ => {}
        }
    }
    parts.push(&text[from..]);
    parts
}

/// Decimal number: its digits, and the number of digits behind the point.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Decimal {
    digits: i128,
    scale: u32,
}

impl Decimal {
    fn read(text: &str) -> Option<Self> {
        let (whole, fraction) = text.split_once('.').unwrap_or((text, ""));
        let plain = |part: &str| part.bytes().all(|byte| byte.is_ascii_digit());
        if whole.is_empty() || whole.len() > 18 || fraction.len() > 9 {
            return None;
        }
        let both = plain(whole) && plain(fraction);
        let digits = format!("{whole}{fraction}").parse().ok().filter(|_| both)?;
        Some(Self { digits, scale: fraction.len() as u32 })
    }

    /// Returns the number times ten to the power of `scale`, an integer, as `scale` is at least the
    /// number of its decimals.
    const fn at(self, scale: u32) -> i128 {
        self.digits * 10_i128.pow(scale - self.scale)
    }
}

fn written(digits: i128, scale: u32, unit: &str) -> String {
    let width = scale as usize + 1;
    let text = format!("{digits:0>width$}");
    let (whole, fraction) = text.split_at(text.len() - scale as usize);
    let fraction = fraction.trim_end_matches('0');
    let point = if fraction.is_empty() { "" } else { "." };
    format!("{whole}{point}{fraction}{unit}")
}

/// Splits a text such as `16ms` into (number, unit); a `*` before the number stays with it.
fn with_unit(text: &str) -> (&str, &str) {
    let number = text.trim_start_matches('*');
    let star = text.len() - number.len();
    let end = number.find(|c: char| !c.is_ascii_digit() && c != '.').unwrap_or(number.len());
    text.split_at(star + end)
}

/// Returns the values of a range `FROM..TO[UNIT][:STEP|:*FACTOR]`, or a message that says what is
/// wrong with it; `None` if the text is no range.
fn range(text: &str) -> Option<Result<Vec<String>, String>> {
    let (from, rest) = text.split_once("..")?;
    let (from, before) = with_unit(from);
    let from = Decimal::read(from)?;
    let (rest, step) = rest.split_once(':').map_or((rest, None), |(rest, step)| (rest, Some(step)));
    let (to, unit) = with_unit(rest);
    let to = Decimal::read(to)?;
    let (step, own) = step.map(with_unit).unzip();
    let unit = if unit.is_empty() { own.unwrap_or_default() } else { unit };
    if !before.is_empty() && before != unit {
        let why = format!("{text}: write both ends with one unit, such as 1ms..16ms or 10..80/s");
        return Some(Err(why));
    }
    Some(values((from, to), unit, step).map_err(|why| format!("{text}: {why}")))
}

fn values(
    (from, to): (Decimal, Decimal),
    unit: &str,
    step: Option<&str>,
) -> Result<Vec<String>, String> {
    let (factor, by) = match step {
        None => (false, None),
        Some(text) => {
            let factor = text.strip_prefix('*');
            let by = Decimal::read(factor.unwrap_or(text));
            (factor.is_some(), Some(by.ok_or("its step is no number, such as :5 or :*2")?))
        }
    };
    let scale = [Some(from), Some(to), by].iter().flatten().map(|it| it.scale).max().unwrap_or(0);
    let (low, high) = (from.at(scale), to.at(scale));
    if low >= high {
        return Err("its end is not above its beginning".to_owned());
    }
    let mut all = Vec::new();
    match by {
        None => all.extend((0..STEPS).map(|n| {
            // Values are rounded to the decimals that the user wrote.
            (low * (STEPS - 1) + (high - low) * n + (STEPS - 1) / 2) / (STEPS - 1)
        })),
        Some(by)
            if by.digits == 0 || factor && (by.at(scale) <= 10_i128.pow(scale) || low == 0) =>
        {
            return Err("with that step it has no end".to_owned());
        }
        Some(by) => {
            let mut at = low;
            while at <= high && all.len() <= MOST {
                all.push(at);
                at =
                    if factor { at * by.digits / 10_i128.pow(by.scale) } else { at + by.at(scale) };
            }
        }
    }
    all.dedup();
    if all.len() > MOST {
        return Err(format!("it has more than {MOST} values"));
    }
    Ok(all.into_iter().map(|digits| written(digits, scale, unit)).collect())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn of(text: &str) -> Vec<String> {
        text.parse::<Axis>().unwrap().values
    }

    #[test]
    fn ranges_have_eight_values_or_the_steps_that_are_said() {
        assert_eq!(of("load=10..80/s").join(" "), "10/s 20/s 30/s 40/s 50/s 60/s 70/s 80/s");
        assert_eq!(of("x=0..1:0.25"), ["0", "0.25", "0.5", "0.75", "1"]);
        assert_eq!(of("x=100..1000:*3"), ["100", "300", "900"]);
        assert_eq!(of("x=0..3"), ["0", "1", "2", "3"], "whole numbers stay whole");
        assert_eq!(of("x=1..2ms:0.5,7ms"), ["1ms", "1.5ms", "2ms", "7ms"]);
        assert_eq!(of("x=10..20:5/s"), ["10/s", "15/s", "20/s"]);
        assert_eq!(of("x=10/s..20/s:5"), ["10/s", "15/s", "20/s"]);
        assert_eq!(of("x=1ms..4ms:*2"), ["1ms", "2ms", "4ms"]);
    }

    #[test]
    fn numbers_without_a_unit_have_that_of_the_last_value() {
        assert_eq!(of("load=10,20,40/s"), ["10/s", "20/s", "40/s"]);
        assert_eq!(of("x=1..2:1,5ms"), ["1ms", "2ms", "5ms"]);
        assert_eq!(of("x=1us,2,4us"), ["1us", "2us", "4us"]);
        assert_eq!(of("x=1us,2,4ms"), ["1us", "2", "4ms"], "two units leave the number unclear");
        assert_eq!(of("x=10/s,20"), ["10/s", "20"], "a last number without a unit has none");
        for unchanged in [
            "device=a100,4,h100",
            "device=100,200x",
            "recipe=1,2,3b.toml",
            "arrivals=1,2.csv",
            "share.decode=1,2,1/2",
            "load.decode=10,20,1e2/s",
            // Keys of recipes have units of their own: these are microseconds.
            "turn.slice-us=1000,2000,5ms",
            "turn.slice-us=1000,2000,10_000",
        ] {
            let (_, values) = unchanged.split_once('=').unwrap();
            assert_eq!(of(unchanged).join(","), values);
        }
    }

    #[test]
    fn names_of_processes_stay_as_they_are_written() {
        let key = |text: &str| text.parse::<Axis>().expect("an axis").key;
        assert_eq!(key("share.my_decode=1,2"), "share.my_decode");
        assert_eq!(key("--think.a_b=1ms,2ms"), "think.a_b");
        assert_eq!(key("turn.t0_us=100,200"), "turn.t0-us");
        assert_eq!(key("launch_latency=fitted,none"), "launch-latency");
    }

    #[test]
    fn lists_are_split_at_their_own_commas() {
        assert_eq!(of("device=h100, b200"), ["h100", "b200"]);
        assert_eq!(of("allocate.shares=[1,2],[2, 1]"), ["[1,2]", "[2, 1]"]);
        assert_eq!(of("x={a=1,b=2},\"p,q\""), ["{a=1,b=2}", "\"p,q\""]);
        assert_eq!(of("recipe=../a.toml"), ["../a.toml"]);
        assert_eq!("launch_latency=none".parse::<Axis>().unwrap().key, "launch-latency");
    }

    #[test]
    fn ranges_without_an_end_are_refused() {
        for bad in [
            "x",
            "=1",
            "x=",
            "x=1,",
            "x=2..1",
            "x=1..2:0",
            "x=1..2:*1",
            "x=0..2:*2",
            "x=1..2:a",
            "x=1us..2ms",
        ] {
            assert!(bad.parse::<Axis>().is_err(), "{bad}");
        }
        assert!("x=0..9999999:1".parse::<Axis>().is_err());
    }
}
