//! May a kernel be killed part-way and run again, by the user's rules?
//!
//! No profile records whether a kernel may be run again, and nothing in one shows it: a rule is a
//! claim of the user.

use std::str::FromStr;

use raddle_policy::Idempotence;
use wildmatch::WildMatch;

use crate::error::TraceError;
use crate::profile::{OpKind, Profile};

/// A rule `GLOB=yes`, `GLOB=no` or `GLOB=unknown`: kernels whose names fit the glob are idempotent
/// (may be killed and run again), are not idempotent, or are not known to be, which counts as not
/// idempotent.
///
/// `*` in the glob stands for any characters, `?` for one.
///
/// ```
/// use raddle_trace::IdempotenceRule;
/// let rule: IdempotenceRule = "*gemm*=yes".parse()?;
/// assert!("*gemm*=perhaps".parse::<IdempotenceRule>().is_err());
/// # Ok::<(), raddle_trace::TraceError>(())
/// ```
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct IdempotenceRule {
    glob: String,
    verdict: Idempotence,
}

impl FromStr for IdempotenceRule {
    type Err = TraceError;

    fn from_str(rule: &str) -> Result<Self, TraceError> {
        let fail = |problem: &str| {
            let (rule, problem) = (rule.to_owned(), problem.to_owned());
            TraceError::IdempotenceRule { rule, problem }
        };
        // Names of kernels may hold a `=`.
        let Some((glob, verdict)) = rule.rsplit_once('=') else {
            if let verdict @ ("yes" | "no" | "unknown") = rule.trim() {
                return Err(fail(&format!(
                    "it names no kernel: write `*gemm*={verdict}`, or `*={verdict}` for every one"
                )));
            }
            let meant = format!("it has no `=yes` or `=no`: did you mean `{rule}=yes`?");
            return Err(fail(&meant));
        };
        if glob.trim().is_empty() {
            return Err(fail("it names no kernel; `*` means every one"));
        }
        let verdict = match verdict.trim() {
            "yes" => Idempotence::Idempotent,
            "no" => Idempotence::Not,
            "unknown" => Idempotence::Unknown,
            _ => return Err(fail("its verdict is none of yes, no and unknown")),
        };
        Ok(Self::new(glob.trim().to_owned(), verdict))
    }
}

impl IdempotenceRule {
    /// Builds the rule that gives `verdict` (idempotent, not idempotent or unknown) to kernels
    /// whose names fit `glob`.
    #[must_use]
    pub const fn new(glob: String, verdict: Idempotence) -> Self {
        Self { glob, verdict }
    }

    /// Sets the verdict of this rule for the launches of all kernels whose names fit its glob, and
    /// returns the number of these launches. Where several rules fit a kernel, the one applied last
    /// counts.
    pub fn apply(&self, profile: &mut Profile) -> u64 {
        let glob = WildMatch::new(&self.glob);
        let fits: Vec<bool> = profile.kernels.iter().map(|name| glob.matches(name)).collect();
        let mut launches = 0;
        for op in profile.ops.iter_mut().filter(|op| op.kind == OpKind::Kernel) {
            if fits.get(op.kernel as usize).copied().unwrap_or(false) {
                op.idempotent = self.verdict;
                launches += 1;
            }
        }
        launches
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{ImportConfig, read};

    fn verdicts(rules: &[&str]) -> (Vec<u64>, Vec<Idempotence>) {
        let mut text =
            "name,grid_x,grid_y,grid_z,block_x,block_y,block_z,start_ns,duration_ns,idempotent\n"
                .to_owned();
        for (at, (name, told)) in [("gemm", ""), ("a=b", "yes"), ("adam", "no")].iter().enumerate()
        {
            text += &format!("{name},1,1,1,32,1,1,{at}0,5,{told}\n");
        }
        let mut profile = read("t.csv", text.as_bytes(), &ImportConfig::default()).unwrap();
        let rules = rules.iter().map(|rule| rule.parse::<IdempotenceRule>().unwrap());
        let met = rules.map(|rule| rule.apply(&mut profile)).collect();
        (met, profile.ops.iter().map(|op| op.idempotent).collect())
    }

    #[test]
    fn the_last_rule_that_fits_wins_over_the_profile() {
        use Idempotence::{Idempotent, Not, Unknown};
        assert_eq!(verdicts(&[]), (vec![], vec![Unknown, Idempotent, Not]));
        assert_eq!(verdicts(&["*=yes"]), (vec![3], vec![Idempotent; 3]));
        assert_eq!(verdicts(&["*=yes", "a*=no"]), (vec![3, 2], vec![Idempotent, Not, Not]));
        assert_eq!(verdicts(&["a=b=unknown"]), (vec![1], vec![Unknown, Unknown, Not]));
        assert_eq!(verdicts(&["copy*=yes"]), (vec![0], vec![Unknown, Idempotent, Not]));
    }

    #[test]
    fn a_rule_that_says_nothing_is_refused_with_its_text() {
        for (bad, why) in [("gemm", "no `=yes`"), ("=yes", "names no kernel"), ("*=1", "none of")] {
            let error = bad.parse::<IdempotenceRule>().unwrap_err().to_string();
            assert!(error.contains(why) && error.contains(bad), "{error}");
        }
    }
}
