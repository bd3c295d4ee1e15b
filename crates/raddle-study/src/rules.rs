//! How are rules of the user, and values for profiles, written as text: `FILE=TIME`, `GLOB=LEVEL`?

use std::str::FromStr;

use raddle_policy::{Hint, Level, Ticks};
use raddle_read::nearest;
use raddle_trace::{IdempotenceRule, KernelNeed, NeedRule, PriorityRule, TraceError};
use serde::{Deserialize, Serialize};

use crate::amount::{AmountError, SpanUnit, is_meant, memory, percent, time, whole};

/// Value that the user gives a key of every recipe (set of scheduling policies), with the text in
/// which the user wrote it.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(into = "String", try_from = "String")]
pub struct Setting {
    /// Text of the setting as the user wrote it: `KEY=VALUE`, such as `turn.t0-us=5000`.
    pub text: String,
    /// Key as a path: the names from the outermost table of the recipe (set of policies) down to
    /// the key itself.
    path: Vec<String>,
    value: toml::Value,
}

/// Names of the tables of a recipe that a user can change, and `window`, the only key outside of
/// tables that a replay uses.
const RECIPE_KEYS: [&str; 5] = ["launch-path", "turn", "allocate", "preempt", "window"];

/// Returns whether a key, such as `turn.t0-us`, is a key of recipes (sets of policies).
pub(crate) fn is_recipe_key(key: &str) -> bool {
    let first = key.split('.').next().unwrap_or_default().replace('_', "-");
    RECIPE_KEYS.contains(&&*first)
}

impl Setting {
    /// Returns the name of the outermost table, or the key itself where it is in no table.
    pub(crate) fn table(&self) -> &str {
        self.path.first().map_or("", String::as_str)
    }

    /// Sets the key in a recipe. If a plain value stands where a table is needed, a table replaces
    /// it.
    pub(crate) fn apply(&self, recipe: &mut toml::Table) {
        let Some((last, tables)) = self.path.split_last() else { return };
        let mut at = recipe;
        for name in tables {
            let own = spelled(at, name);
            let inner = at.entry(own).or_insert_with(|| toml::Table::new().into());
            if !inner.is_table() {
                *inner = toml::Table::new().into();
            }
            let toml::Value::Table(inner) = inner else { return };
            at = inner;
        }
        at.insert(spelled(at, last), self.value.clone());
    }
}

/// Returns the key as the table of the recipe spells it, with `_` or with `-`; the key as given if
/// the table has neither.
fn spelled(table: &toml::Table, key: &str) -> String {
    let same = |own: &&String| own.replace('_', "-") == key;
    table.keys().find(same).cloned().unwrap_or_else(|| key.to_owned())
}

impl TryFrom<String> for Setting {
    type Error = String;

    fn try_from(text: String) -> Result<Self, String> {
        let (key, value) = text
            .split_once('=')
            .ok_or("there is no `=` in it: write KEY=VALUE, such as turn.t0-us=5000")?;
        let (key, value) = (key.trim().replace('_', "-"), value.trim());
        let path: Vec<String> = key.split('.').map(str::to_owned).collect();
        if !is_recipe_key(&key) || path.iter().any(String::is_empty) {
            return Err(format!(
                "`{key}` is no key of a recipe: they are window, and those of launch-path, turn, allocate and preempt, such as turn.policy"
            ));
        }
        // A value that is none of TOML is a time in the unit of the key, or a word.
        let read = toml::from_str::<toml::Table>(&format!("value = {value}")).ok();
        let read = read.and_then(|mut table| table.remove("value").filter(|_| table.is_empty()));
        let unit = SpanUnit::of_name(&key).filter(|_| is_meant(value));
        let value = match (read, unit) {
            (Some(read), _) => read,
            (None, Some(unit)) => in_unit(value, unit)?.into(),
            (None, None) => value.into(),
        };
        Ok(Self { text, path, value })
    }
}

/// Reads a time as a whole number of `unit`, the unit that ends the name of a key, such as `us` in
/// `t0-us`; the error says in words what is wrong with the text.
fn in_unit(text: &str, unit: SpanUnit) -> Result<i64, String> {
    let amount = whole(text, unit).map_err(|error| error.to_string())?;
    i64::try_from(amount).map_err(|_| format!("`{text}` is more than a recipe can hold"))
}

impl From<Setting> for String {
    fn from(setting: Setting) -> Self {
        setting.text
    }
}

impl Named<u64> {
    /// Reads the time at which a profile begins, `FILE=TIME`, in nanoseconds.
    ///
    /// # Errors
    /// Returns what is wrong with the text.
    pub fn start(text: &str) -> Result<Self, String> {
        let (file, value) = of_profile(text, "5ms")?;
        let value = time(value).map_err(|error| error.to_string())?;
        Ok(Self { file: file.to_owned(), value })
    }

    /// Reads the device memory that a program needs, `FILE=40GB`, in bytes.
    ///
    /// # Errors
    /// Returns what is wrong with the text.
    pub fn memory(text: &str) -> Result<Self, String> {
        let (file, value) = of_profile(text, "40GB")?;
        let value = memory(value).map_err(|error| error.to_string())?;
        Ok(Self { file: file.to_owned(), value })
    }
}

impl Named<u32> {
    /// Reads the share of a profile, `FILE=N`, a whole number from 1 on.
    ///
    /// # Errors
    /// Returns what is wrong with the text.
    pub fn share(text: &str) -> Result<Self, String> {
        let (file, value) = of_profile(text, "2")?;
        let value = value.parse().ok().filter(|&share| share > 0);
        let value = value.ok_or("its share is no whole number from 1 to 4294967295")?;
        Ok(Self { file: file.to_owned(), value })
    }
}

impl Named<SaidHint> {
    /// Reads a hint that a program gives the scheduler about itself, `FILE=KIND:VALUE`.
    ///
    /// # Errors
    /// Returns what is wrong with the text.
    pub fn hint(text: &str) -> Result<Self, String> {
        let (file, value) = of_profile(text, "deadline:20ms")?;
        Ok(Self { file: file.to_owned(), value: value.to_owned().try_into()? })
    }
}

/// Splits `FILE=VALUE` into (file, value); the message of an error shows `example` as a value.
fn of_profile<'t>(text: &'t str, example: &str) -> Result<(&'t str, &'t str), String> {
    match text.rsplit_once('=') {
        None if is_meant(text) => {
            Err(format!("it names no profile: did you mean `NAME={}`?", text.trim()))
        }
        None => Err(format!("there is no `=` in it: did you mean `{text}={example}`?")),
        Some(("", value)) => {
            Err(format!("there is no file before the `=`: did you mean `NAME={}`?", value.trim()))
        }
        Some((file, value)) if value.trim().is_empty() => {
            Err(format!("there is nothing behind the `=`: did you mean `{file}={example}`?"))
        }
        Some((file, value)) => Ok((file, value.trim())),
    }
}

/// A value that the user gives one of the profiles by its name.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub struct Named<T> {
    /// Profile that the value is for, by its name or file.
    pub file: String,
    /// Value that the profile is given.
    pub value: T,
}

/// A rule that the user stated, with the text from which it was read.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(into = "String", try_from = "String")]
#[serde(bound = "R: Clone + FromStr<Err = TraceError>")]
pub struct SaidRule<R> {
    /// Text of the rule as the user wrote it.
    pub text: String,
    /// Rule that the text means.
    pub rule: R,
}

/// Rule for how urgent work is: `GLOB[:stream N]=LEVEL`. The glob fits names of profiles, and level
/// 0 is the most urgent.
pub type Rule = SaidRule<PriorityRule>;
/// Claim on whether kernels may be killed and run again: `GLOB=yes|no|unknown`. The glob fits names
/// of kernels.
pub type IdempotenceClaim = SaidRule<IdempotenceRule>;
/// Claim on the resource that kernels need most: `GLOB=memory|compute|latency|unknown`. The glob
/// fits names of kernels.
pub type NeedClaim = SaidRule<NeedRule>;

impl NeedClaim {
    /// Returns the resource that a kernel needs most, as the last claim about that kernel says;
    /// `None` where no claim is about it.
    #[must_use]
    pub fn last(claims: &[Self], kernel: &str) -> Option<KernelNeed> {
        claims.iter().rev().find_map(|claim| claim.rule.need_of(kernel))
    }
}

/// A hint that a program gives the scheduler about itself, with the text from which it was read.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(into = "String", try_from = "String")]
pub struct SaidHint {
    /// Text of the hint as the user wrote it: `KIND:VALUE`, such as `deadline:20ms`.
    pub text: String,
    /// Hint that the text means.
    pub hint: Hint,
}

/// Kinds of hints, each with an example of its value.
const HINTS: [(&str, &str); 5] = [
    ("priority", "2"),
    ("deadline", "20ms"),
    ("laxity", "5ms"),
    ("utilisation", "50%"),
    ("custom", "1"),
];

impl TryFrom<String> for SaidHint {
    type Error = String;

    fn try_from(text: String) -> Result<Self, String> {
        let kinds =
            "priority:LEVEL, deadline:TIME, laxity:TIME, utilisation:PERCENT, custom:NUMBER";
        let none = || format!("its hint is none of {kinds}, such as deadline:20ms");
        let (kind, value) = text.split_once(':').unwrap_or((&text, ""));
        let (kind, value) = (kind.trim(), value.trim());
        let told = |error: AmountError| error.to_string();
        if let Some((_, example)) = HINTS.iter().find(|(name, _)| *name == kind && value.is_empty())
        {
            return Err(format!("`{kind}` has no value: did you mean `{kind}:{example}`?"));
        }
        let hint = match kind {
            "priority" => value.parse().ok().map(|level| Hint::Priority(Level(level))),
            "deadline" => Some(Hint::Deadline(Ticks(time(value).map_err(told)?))),
            "laxity" => Some(Hint::Laxity(Ticks(time(value).map_err(told)?))),
            "utilisation" => Some(Hint::Utilisation(percent(value).map_err(told)?)),
            "custom" => value.parse().ok().map(Hint::Custom),
            _ => {
                let near = nearest(kind, HINTS.map(|(name, _)| name));
                return Err(format!("{}.{}", none(), crate::error::meant(near)));
            }
        };
        let hint = hint.ok_or_else(none)?;
        Ok(Self { text, hint })
    }
}

impl From<SaidHint> for String {
    fn from(said: SaidHint) -> Self {
        said.text
    }
}

impl<R: FromStr<Err = TraceError>> TryFrom<String> for SaidRule<R> {
    type Error = TraceError;

    fn try_from(text: String) -> Result<Self, TraceError> {
        let rule = text.parse()?;
        Ok(Self { text, rule })
    }
}

impl<R> From<SaidRule<R>> for String {
    fn from(said: SaidRule<R>) -> Self {
        said.text
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn set(recipe: &str, settings: &[&str]) -> String {
        let mut table: toml::Table = toml::from_str(recipe).unwrap();
        for text in settings {
            Setting::try_from((*text).to_owned()).unwrap().apply(&mut table);
        }
        toml::to_string(&table).unwrap()
    }

    #[test]
    fn keys_of_recipes_are_set_added_and_replaced() {
        let recipe = "raddle = 1\nwindow = 8\n[turn]\npolicy = \"x\"\nt0_us = 1\n";
        assert_eq!(
            set(recipe, &["turn.t0-us=5", "window=2", "turn.rule=min-one"]),
            "raddle = 1\nwindow = 2\n\n[turn]\npolicy = \"x\"\nrule = \"min-one\"\nt0_us = 5\n"
        );
        let nested = ["allocate.search=ring", "allocate.search.grouped.size=4"];
        assert!(set("raddle = 1", &nested).ends_with("[allocate.search.grouped]\nsize = 4\n"));
        assert!(set("raddle = 1", &["allocate.shares=[3, 1]"]).ends_with("shares = [3, 1]\n"));
    }

    #[test]
    fn a_time_is_set_in_the_unit_of_its_key() {
        let times =
            ["turn.t0-us=5ms", "turn.slice_us=0.5 s", "preempt.flag-ns=2us", "turn.rule=min-one"];
        let found: toml::Table = toml::from_str(&set("raddle = 1", &times)).unwrap();
        let right = "raddle = 1\n[turn]\nt0-us = 5000\nslice-us = 500000\nrule = \"min-one\"\n\
            [preempt]\nflag-ns = 2000\n";
        assert_eq!(found, toml::from_str(right).unwrap());
        for bad in ["turn.t0-us=1ns", "turn.t0-us=5rps", "turn.t0-us=9223372036854775s"] {
            assert!(Setting::try_from(bad.to_owned()).is_err(), "{bad}");
        }
    }

    #[test]
    fn hints_say_what_was_meant() {
        let wrong = |text: &str| Named::hint(text).unwrap_err();
        assert_eq!(
            Named::hint("a=deadline:1.5ms").unwrap().value.hint,
            Hint::Deadline(Ticks(1_500_000))
        );
        assert!(wrong("a=deadline:20").contains("did you mean `20ms`?"));
        assert!(wrong("a=dedline:20ms").contains("Did you mean `deadline`?"));
        assert!(wrong("a=priority:x").contains("priority:LEVEL"));
        for kind in HINTS.map(|(name, _)| name) {
            let example = HINTS.iter().find(|(name, _)| *name == kind).unwrap().1;
            let meant = format!("did you mean `{kind}:{example}`?");
            for text in [format!("a={kind}"), format!("a={kind}:")] {
                assert!(wrong(&text).contains(&meant), "{text}: {}", wrong(&text));
            }
            assert!(Named::hint(&format!("a={kind}:{example}")).is_ok(), "{kind}");
        }
        let part = |text: &str| Named::hint(text).map(|named| named.value.hint);
        for half in ["a=utilisation:50%", "a=utilisation:50", "a=utilisation: 50 %"] {
            assert_eq!(part(half), Ok(Hint::Utilisation(50)), "{half}");
        }
        assert!(wrong("a=utilisation:101%").contains("from 0% to 100%"));
    }

    #[test]
    fn what_is_no_key_of_a_recipe_is_refused() {
        for bad in ["", "turn", "raddle=2", "description=x", "tern.policy=x", "turn.=1", "=1"] {
            assert!(Setting::try_from(bad.to_owned()).is_err(), "{bad}");
        }
    }

    #[test]
    fn starts_are_exact() {
        let ns = |text: &str| Named::start(text).map(|named| named.value);
        assert_eq!(ns("a.csv=2ms"), Ok(2_000_000));
        assert_eq!(ns("a=b.csv=2.000001ms"), Ok(2_000_001));
        assert_eq!(ns("a=0.5ms"), Ok(500_000));
        assert_eq!((ns("a=2us"), ns("a=1.5s")), (Ok(2_000), Ok(1_500_000_000)));
        for bad in
            ["a", "=1", "a=", "a=-1ms", "a=1.0000001ms", "a=1e3ms", "a=2", "a=x", "a=.5", "a=1h"]
        {
            assert!(Named::start(bad).is_err(), "{bad}");
        }
        assert!(Named::start("a=18446744073709551615ms").is_err());
    }

    #[test]
    fn memory_is_of_a_profile() {
        assert_eq!(Named::memory("a=b=40GB").map(|named| named.value), Ok(40_000_000_000));
        for bad in ["40GB", "=40GB", "a=", "a=40"] {
            assert!(Named::memory(bad).is_err(), "{bad}");
        }
    }

    #[test]
    fn shares_are_whole_and_positive() {
        assert_eq!(Named::share("a=3").map(|named| named.value), Ok(3));
        for bad in ["a=0", "a=1.5", "a", "a=4294967296"] {
            assert!(Named::share(bad).is_err(), "{bad}");
        }
    }
}
