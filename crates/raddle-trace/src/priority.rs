//! How urgent is the work of a stream, by the user's rules or else by the profile's priorities?

use std::str::FromStr;

use raddle_policy::Level;
use wildmatch::WildMatch;

use crate::error::TraceError;
use crate::profile::{Op, OpKind, Profile};

/// A rule `GLOB[:stream N]=LEVEL`: work of profiles whose names fit the glob, or of one of their
/// streams, gets this level of urgency (0 is the most urgent).
///
/// The glob is compared with the profile's name and with the file's name; `*` stands for any
/// characters, `?` for one. Where several rules fit, the last one counts.
///
/// ```
/// use raddle_trace::PriorityRule;
/// let rule: PriorityRule = "serve*.json:stream 7=0".parse()?;
/// assert!("serve.json:stream 7=256".parse::<PriorityRule>().is_err());
/// # Ok::<(), raddle_trace::TraceError>(())
/// ```
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PriorityRule {
    glob: String,
    stream: Option<String>,
    level: Level,
}

impl FromStr for PriorityRule {
    type Err = TraceError;

    fn from_str(rule: &str) -> Result<Self, TraceError> {
        let fail = |problem: &str| {
            let (rule, problem) = (rule.to_owned(), problem.to_owned());
            TraceError::PriorityRule { rule, problem }
        };
        let Some((target, level)) = rule.rsplit_once('=') else {
            if rule.trim().parse::<u8>().is_ok() {
                let rule = rule.trim();
                return Err(fail(&format!(
                    "it names no profile: write `train={rule}`, by its name"
                )));
            }
            let meant = format!("it has no `=LEVEL`: did you mean `{rule}=5`?");
            return Err(fail(&meant));
        };
        let (glob, stream) = match target.rsplit_once(":stream ") {
            Some((glob, stream)) => (glob, Some(stream.trim())),
            None => (target, None),
        };
        if glob.trim().is_empty() {
            return Err(fail("it names no profile; `*` means every one"));
        }
        if stream == Some("") {
            return Err(fail("`:stream` is followed by no stream"));
        }
        let level =
            level.trim().parse().map_err(|_| fail("its level is no number from 0 to 255"))?;
        let stream = stream.map(str::to_owned);
        Ok(Self { glob: glob.trim().to_owned(), stream, level: Level(level) })
    }
}

impl PriorityRule {
    fn fits(&self, target: LevelTarget<'_>) -> bool {
        let glob = WildMatch::new(&self.glob);
        let named = glob.matches(target.profile) || glob.matches(target.file);
        named && self.stream.as_deref().is_none_or(|stream| stream == target.stream)
    }
}

/// The stream of a profile for which a level of urgency is to be decided, with the names that rules
/// are compared with.
#[derive(Clone, Copy, Debug)]
pub struct LevelTarget<'a> {
    /// Name of the profile.
    pub profile: &'a str,
    /// Name of the profile's file, without folders.
    pub file: &'a str,
    /// Label of the stream, as the profile names it, such as `7`.
    pub stream: &'a str,
}

/// Returns the level of urgency of the work in a stream, 0 the most urgent. The last rule that fits
/// the stream decides. Without such a rule it is `rank`, the level that follows from the priorities
/// in the profile (see [`Ranks`]), or the most urgent level for `None`.
#[must_use]
pub fn level_of(rules: &[PriorityRule], target: LevelTarget<'_>, rank: Option<Level>) -> Level {
    let rule = rules.iter().rfind(|rule| rule.fits(target));
    rule.map(|rule| rule.level).or(rank).unwrap_or(Level::MOST_URGENT)
}

/// Distinct priorities of the kernels of a profile, the most urgent first; an op's level of urgency
/// is the index of its priority.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Ranks(Vec<i32>);

impl Ranks {
    /// Collects the priorities of a profile's kernels; empty where no kernel has one.
    #[must_use]
    pub fn of(profile: &Profile) -> Self {
        let kernels = || profile.ops.iter().filter(|op| op.kind == OpKind::Kernel);
        if kernels().all(|op| op.priority.is_none()) {
            return Self::default();
        }
        let mut seen: Vec<i32> = kernels().map(effective).collect();
        // In CUDA the lower number is the more urgent one.
        seen.sort_unstable();
        seen.dedup();
        Self(seen)
    }

    /// Returns the level of urgency of an op: the rank of its priority among those of the profile,
    /// 0 for the most urgent, at most 255; `None` where the profile has no priorities.
    #[must_use]
    pub fn level(&self, op: &Op) -> Option<Level> {
        if self.0.is_empty() {
            return None;
        }
        let rank = self.0.partition_point(|&seen| seen < effective(op)).min(self.0.len() - 1);
        Some(Level(u8::try_from(rank).unwrap_or(u8::MAX)))
    }
}

/// Returns the priority of an op in the profile; for an op without one, CUDA's default, 0.
fn effective(op: &Op) -> i32 {
    op.priority.unwrap_or(0)
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn rules(texts: &[&str]) -> Vec<PriorityRule> {
        texts.iter().map(|text| text.parse().unwrap()).collect()
    }

    fn train(stream: &str) -> LevelTarget<'_> {
        LevelTarget { profile: "train", file: "train.json.gz", stream }
    }

    #[test]
    fn the_last_rule_that_fits_wins() {
        let rules = rules(&["*=9", "train*.gz=5", "train:stream 7=0", "serve=1"]);
        assert_eq!(level_of(&rules, train("7"), None), Level(0));
        assert_eq!(level_of(&rules, train("14"), None), Level(5));
        assert_eq!(level_of(&rules[..1], train("7"), Some(Level(3))), Level(9));
        assert_eq!(level_of(&rules[3..], train("7"), Some(Level(3))), Level(3));
        assert_eq!(level_of(&[], train("7"), None), Level(0));
    }

    #[test]
    fn an_equals_sign_in_the_glob_is_no_level() {
        assert_eq!(
            level_of(&rules(&["a=b=4"]), LevelTarget { profile: "a=b", ..train("") }, None),
            Level(4)
        );
    }

    #[test]
    fn malformed_rules_say_what_is_wrong() {
        let said = |rule: &str| rule.parse::<PriorityRule>().unwrap_err().to_string();
        assert!(said("train").contains("no `=LEVEL`"));
        assert!(said("train=256").contains("0 to 255"));
        assert!(said("train=").contains("0 to 255"));
        assert!(said("=3").contains("no profile"));
        assert!(said("train:stream =3").contains("no stream"));
    }

    #[test]
    fn globs() {
        for (glob, text) in [("*", ""), ("a*b*c", "a-b-b-c"), ("?", "é"), ("**x", "x"), ("", "")] {
            assert!(WildMatch::new(glob).matches(text), "{glob} {text}");
        }
        for (glob, text) in [("a", ""), ("a*b", "a-c"), ("?", ""), ("a", "ab"), ("", "a")] {
            assert!(!WildMatch::new(glob).matches(text), "{glob} {text}");
        }
    }

    /// Returns whether a glob fits a text, by plain recursion over the glob's characters. The fast
    /// matcher is tested against this slow one.
    fn naive(glob: &[char], text: &[char]) -> bool {
        match (glob.split_first(), text.split_first()) {
            (None, None) => true,
            (Some(('*', rest)), None) => naive(rest, text),
            (Some(('*', rest)), Some((_, tail))) => naive(rest, text) || naive(glob, tail),
            (Some((c, rest)), Some((d, tail))) => (*c == '?' || c == d) && naive(rest, tail),
            _ => false,
        }
    }

    proptest! {
        #[test]
        fn globs_agree_with_the_naive_matcher(glob in "[ab*?]{0,8}", text in "[ab]{0,8}") {
            let chars = |s: &str| s.chars().collect::<Vec<_>>();
            prop_assert_eq!(WildMatch::new(&glob).matches(&text), naive(&chars(&glob), &chars(&text)));
        }
    }
}
