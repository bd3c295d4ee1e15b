//! Which cases (combinations of the varied values) does a sweep have, in which order, and how are
//! they named?

use std::collections::BTreeSet;
use std::str::FromStr;

use serde::{Deserialize, Serialize};

use super::vary::Axis;
use crate::amount::rate;
use crate::answer::{Goal, TODAY};
use crate::arrivals::words;
use crate::error::StudyError;
use crate::files::{Files, base_name};
use crate::recipes;
use crate::rules::is_recipe_key;
use crate::study::{Study, Ways};

/// A study, and options of this study that take several values: each combination of values is a
/// case of the sweep.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(default, rename_all = "kebab-case", deny_unknown_fields)]
pub struct Sweep {
    /// Study from which all cases are made. If it has several recipes (sets of policies) or random
    /// seeds, these are varied too.
    pub study: Study,
    /// Options that are varied, each as `KEY=VALUE,VALUE` or `KEY=FROM..TO`; from one case to the
    /// next the last option changes first. A key is an option of `raddle replay`, a key of recipes
    /// (`turn.t0-us`), or `load`, the rate of requests.
    pub vary: Vec<String>,
    /// True if a search looks for the best case; it replays the device's default recipe by itself.
    /// False for a plain sweep, which adds that recipe only where a goal is relative to it.
    pub searched: bool,
}

/// Cases of a sweep; the study of a case is made only when it is asked for.
#[derive(Clone, Debug)]
pub struct Cases {
    base: Study,
    axes: Vec<Axis>,
    /// Values of each axis (varied option) in the form in which ids and rows name them: files
    /// without folders.
    shown: Vec<Vec<String>>,
    /// True if the device's default recipe was added to the recipes of the user, because a goal is
    /// relative to it.
    reference: bool,
    len: usize,
}

/// One case of a sweep: a combination of values of the varied options, and the study in which they
/// are set.
#[derive(Clone, Debug, PartialEq)]
pub struct Case {
    /// Id that tells the case from all others of the sweep: `load=40/s device=h100 recipe=leftover
    /// seed=3`.
    pub id: String,
    /// Varied options, each as (key, value in this case).
    pub values: Vec<(String, String)>,
    /// Study of the case, in which the varied options have the values of the case.
    pub study: Study,
}

/// Part of the cases of a sweep, to spread the sweep over several machines: every `of`th case,
/// beginning with case `number`, counted from 1. A text has the form `2/8`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(into = "String", try_from = "String")]
pub struct Shard {
    number: u32,
    of: u32,
}

impl Shard {
    /// Returns whether the case with the index `position`, from 0, belongs to the shard.
    #[must_use]
    pub const fn holds(self, position: usize) -> bool {
        position % self.of as usize == self.number as usize - 1
    }
}

impl FromStr for Shard {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        let both = text.split_once('/').and_then(|(number, of)| {
            let (number, of) = (number.trim().parse().ok()?, of.trim().parse().ok()?);
            (1 <= number && number <= of).then_some(Self { number, of })
        });
        both.ok_or_else(|| {
            let all = text.trim().parse::<u32>().ok().filter(|&of| of > 0);
            let meant = all.map(|of| format!("1/{of}"));
            let meant = crate::error::meant(meant.as_deref());
            format!("it is not I/N with I from 1 to N, such as 2/8.{meant}")
        })
    }
}

impl From<Shard> for String {
    fn from(shard: Shard) -> Self {
        format!("{}/{}", shard.number, shard.of)
    }
}

impl TryFrom<String> for Shard {
    type Error = String;

    fn try_from(text: String) -> Result<Self, String> {
        text.parse()
    }
}

impl Cases {
    /// Makes the cases of a sweep.
    ///
    /// # Errors
    /// When an option cannot be varied, or two cases would have the same id.
    pub fn new(sweep: &Sweep, files: &dyn Files) -> Result<Self, StudyError> {
        let mut base = sweep.study.clone();
        if base.ways == Ways::Modes {
            let text = "a sweep is about recipes, and not about the ways of sharing of `share`";
            return Err(StudyError::Usage(text.to_owned()));
        }
        let mut axes: Vec<Axis> = Vec::new();
        for text in &sweep.vary {
            let axis = text.parse::<Axis>();
            let axis = axis.map_err(|why| StudyError::Usage(format!("--vary {text}: {why}")))?;
            match axes.iter_mut().find(|other| other.key == axis.key) {
                Some(other) => other.values.extend(axis.values),
                None => axes.push(axis),
            }
        }
        let given = |key: &str, axes: &[Axis]| axes.iter().any(|axis| axis.key == key);
        if !given("recipe", &axes) {
            let values = recipes::names(base.ways == Ways::All, &base.recipes);
            axes.push(Axis { key: "recipe".to_owned(), values });
        }
        let measured = !sweep.searched && base.goals.iter().any(Goal::is_over_today);
        let reference = measured && add_today(&mut axes);
        if let Some(seeds) = base.load.seeds.take().filter(|_| !given("seed", &axes)) {
            let first = base.load.seed.unwrap_or(0);
            let values = (0..u64::from(seeds)).map(|more| first.wrapping_add(more).to_string());
            axes.push(Axis { key: "seed".to_owned(), values: values.collect() });
        }
        (base.ways, base.recipes) = (Ways::Asked, Vec::new());
        let shown = axes.iter().map(|axis| shown(axis, files)).collect::<Result<Vec<_>, _>>()?;
        let len = axes.iter().try_fold(1_usize, |all, axis| all.checked_mul(axis.values.len()));
        let len = len.filter(|&len| len <= u32::MAX as usize).ok_or_else(|| {
            StudyError::Usage("there are more cases than can be counted: vary less".to_owned())
        })?;
        let cases = Self { base, axes, shown, reference, len };
        cases.check()?;
        Ok(cases)
    }

    /// Checks that every value of each varied option can be set in the study; the error names the
    /// first value that cannot.
    fn check(&self) -> Result<(), StudyError> {
        for axis in &self.axes {
            for value in &axis.values {
                apply(&mut self.base.clone(), &axis.key, value)?;
            }
        }
        Ok(())
    }

    /// Returns the number of cases of the sweep.
    #[must_use]
    pub const fn len(&self) -> usize {
        self.len
    }

    /// Returns whether the sweep has no cases; always false, as a sweep has at least one.
    #[must_use]
    pub const fn is_empty(&self) -> bool {
        self.len == 0
    }

    /// Returns the study from which all cases are made, without the recipes (sets of policies),
    /// which are varied.
    pub(super) const fn base(&self) -> &Study {
        &self.base
    }

    /// Returns the axes of the sweep: the keys that are varied, each with its values as the user
    /// gave them.
    pub(super) fn varied(&self) -> &[Axis] {
        &self.axes
    }

    /// Returns the axes (varied options), each as (key, values as rows show them). The axis whose
    /// value changes least often from case to case comes first.
    pub fn axes(&self) -> impl Iterator<Item = (&str, &[String])> {
        self.axes.iter().zip(&self.shown).map(|(axis, shown)| (&*axis.key, shown.as_slice()))
    }

    /// Returns the goals of the user, which are equal in all cases.
    #[must_use]
    pub fn goals(&self) -> &[Goal] {
        &self.base.goals
    }

    /// Returns, for the case with the index `position`, the index of its value on each axis (varied
    /// option).
    #[must_use]
    pub fn places(&self, position: usize) -> Vec<usize> {
        let mut left = position;
        let mut places: Vec<usize> = self
            .axes
            .iter()
            .rev()
            .map(|axis| {
                let place = left % axis.values.len();
                left /= axis.values.len();
                place
            })
            .collect();
        places.reverse();
        places
    }

    /// Returns the id of the case with the index `position`, such as `load=40/s recipe=leftover`.
    #[must_use]
    pub fn id(&self, position: usize) -> String {
        let places = self.places(position);
        let all = self.axes.iter().zip(&self.shown).zip(places);
        // An option with one value is left out of the id, unless there is one case in all.
        let told = all.filter(|((axis, _), _)| axis.values.len() > 1 || self.len == 1);
        let told = told.map(|((axis, shown), place)| format!("{}={}", axis.key, shown[place]));
        told.collect::<Vec<_>>().join(" ")
    }

    /// Returns the id of a case without its random seed; cases that differ only in the seed share
    /// it.
    #[must_use]
    pub(crate) fn group_id(&self, position: usize) -> String {
        let id = self.id(position);
        id.rsplit_once(" seed=").map_or(id.clone(), |(group, _)| group.to_owned())
    }

    /// Returns the number of random seeds in the sweep; 1 where seeds are not varied.
    ///
    /// # Errors
    /// When seeds are varied, but not as the last axis, the one that changes from case to case.
    pub(crate) fn seeds(&self) -> Result<usize, StudyError> {
        let at = self.axes.iter().position(|axis| axis.key == "seed");
        match at {
            Some(at) if at + 1 == self.axes.len() => Ok(self.axes[at].values.len()),
            None => Ok(1),
            Some(_) => Err(StudyError::Usage(
                "--vary seed: a search spends seeds, so say how many with --seeds N".to_owned(),
            )),
        }
    }

    /// Returns the case with the index `position`.
    ///
    /// # Errors
    /// When an option does not accept its value; [`Cases::new`] has checked that each does.
    pub fn get(&self, position: usize) -> Result<Case, StudyError> {
        let mut study = self.base.clone();
        let mut values = Vec::with_capacity(self.axes.len());
        for ((axis, shown), place) in self.axes.iter().zip(&self.shown).zip(self.places(position)) {
            apply(&mut study, &axis.key, &axis.values[place])?;
            values.push((axis.key.clone(), shown[place].clone()));
        }
        if self.reference && study.recipes.iter().any(|name| name == TODAY) {
            // Keys that are set are for the recipes that were asked for.
            study.settings.clear();
        }
        Ok(Case { id: self.id(position), values, study })
    }
}

/// Adds the device's default recipe to the recipes that are varied, unless it is one of them.
/// Returns whether it was added.
fn add_today(axes: &mut [Axis]) -> bool {
    let recipes = axes.iter_mut().find(|axis| axis.key == "recipe");
    let recipes = recipes.filter(|axis| axis.values.iter().all(|value| value != TODAY));
    recipes.map(|axis| axis.values.push(TODAY.to_owned())).is_some()
}

/// Varied options whose values are paths of files, or plain names. Ids of cases show such values
/// without folders. They do so even while a file does not exist, so that making the file changes no
/// id.
const FILES: [&str; 4] = ["recipe", "energy-weights", "shapes-from", "idempotent-from"];

/// Returns the values of an axis (varied option) in the form in which ids of cases show them; an
/// error where two of them are then equal.
fn shown(axis: &Axis, files: &dyn Files) -> Result<Vec<String>, StudyError> {
    let file = FILES.contains(&&*axis.key);
    let is_file = |value: &str| {
        let table = axis.key == "device" && (value.ends_with(".toml") || value.ends_with(".json"));
        // Beside a file named 40, `40/s` would be taken for a file in that archive.
        file || table || rate(value).is_err() && files.has(value)
    };
    let bare = |value: &String| if is_file(value) { base_name(value) } else { value.clone() };
    let shown: Vec<String> = axis.values.iter().map(bare).collect();
    let mut seen = BTreeSet::new();
    match shown.iter().find(|value| !seen.insert(*value)) {
        Some(twice) => Err(StudyError::Usage(format!(
            "--vary {}: {twice} stands there twice, and two cases cannot have one name",
            axis.key
        ))),
        None => Ok(shown),
    }
}

/// Options that name a profile after a dot, such as `share.train`.
const OF_PROFILES: [&str; 7] =
    ["start", "think", "share", "priority", "idempotent", "memory", "hint"];

/// Sets the option with the key `key` to a value in the study of a case.
pub(super) fn apply(study: &mut Study, key: &str, value: &str) -> Result<(), StudyError> {
    let varied = |taken: Result<(), String>| {
        taken.map_err(|why| StudyError::Usage(format!("--vary {key}={value}: {why}")))
    };
    if is_recipe_key(key) {
        return varied(study.take("set", &format!("{key}={value}")));
    }
    let load = key == "load" || key.starts_with("load.");
    if let Some(why) = words::wrong(value).filter(|_| load) {
        return varied(Err(why));
    }
    match key.split_once('.') {
        None if key == "load" => {
            let name = loaded(study)?;
            varied(study.take("requests", &format!("{name}{value}")))
        }
        Some(("load", name)) => varied(study.take("requests", &format!("{name}={value}"))),
        Some((option, name)) if OF_PROFILES.contains(&option) => {
            varied(study.take(option, &format!("{name}={value}")))
        }
        _ if ["goal", "seeds", "all", "jobs", "out"].contains(&key) => Err(StudyError::Usage(
            format!("--vary {key}: that is said once for all cases, as --{key}"),
        )),
        _ => varied(study.take(key, value)),
    }
}

/// Returns how a value of the option `--requests` begins for the profile whose rate of requests the
/// key `load` varies, such as `serve=`; empty where no name is needed. An error where there are
/// several profiles and none is named.
fn loaded(study: &Study) -> Result<String, StudyError> {
    match (study.load.requests.as_slice(), study.profiles.as_slice()) {
        ([only], _) => {
            Ok(only.rsplit_once('=').map_or_else(String::new, |(name, _)| format!("{name}=")))
        }
        ([], [_]) => Ok(String::new()),
        _ => Err(StudyError::Usage(
            "--vary load: whose requests? Write load.NAME, or give --requests NAME=10/s for one profile"
                .to_owned(),
        )),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::files::MemoryFiles;

    fn cases(study: &str, vary: &[&str]) -> Result<Cases, String> {
        let study = serde_json::from_str(study).unwrap();
        let vary = vary.iter().map(|text| (*text).to_owned()).collect();
        let sweep = Sweep { study, vary, searched: false };
        Cases::new(&sweep, &MemoryFiles::default()).map_err(|it| it.to_string())
    }

    #[test]
    fn the_last_option_varies_fastest_and_seeds_after_all() {
        let study =
            r#"{"profiles": ["a", "b"], "load": {"requests": ["a=1/s"], "seed": 5, "seeds": 2}}"#;
        let cases = cases(study, &["load=10..20/s:10", "recipe=greedy,spatial"]).unwrap();
        let ids: Vec<String> = (0..cases.len()).map(|at| cases.id(at)).collect();
        assert_eq!(ids.len(), 8);
        assert_eq!(
            ids[..3],
            [
                "load=10/s recipe=greedy seed=5",
                "load=10/s recipe=greedy seed=6",
                "load=10/s recipe=spatial seed=5",
            ]
        );
        let last = cases.get(7).unwrap();
        assert_eq!(last.id, "load=20/s recipe=spatial seed=6");
        assert_eq!((&*last.study.recipes[0], last.study.load.seed), ("spatial", Some(6)));
        assert_eq!(last.study.load.requests, ["a=20/s"]);
        assert_eq!(last.study.load.seeds, None);
    }

    #[test]
    fn what_nobody_varies_has_one_value() {
        let one = cases(r#"{"profiles": ["a"], "recipes": ["greedy"]}"#, &[]).unwrap();
        assert_eq!((one.len(), &*one.id(0)), (1, "recipe=greedy"));
        let four = cases(r#"{"profiles": ["a"]}"#, &["device=h100"]).unwrap();
        assert_eq!((four.len(), &*four.id(0)), (4, "recipe=today"));
        assert_eq!(four.get(0).unwrap().values[0], ("device".to_owned(), "h100".to_owned()));
    }

    /// Checks that a goal in percent adds the recipe of today (the device's default), which runs
    /// without the keys that the user sets.
    #[test]
    fn the_way_of_today_runs_where_a_goal_is_an_increase_over_it() {
        let study = |goal: &str, recipes: &str| {
            format!(r#"{{"profiles": ["a"], "recipes": {recipes}, "goals": ["{goal}"]}}"#)
        };
        let vary = ["turn.t0-us=10,20"];
        let of = |goal, recipes| cases(&study(goal, recipes), &vary).unwrap();
        assert_eq!(of("a end 5ms", r#"["weighted-slices"]"#).len(), 2);
        let four = of("a end +5%", r#"["weighted-slices"]"#);
        let ids: Vec<String> = (0..four.len()).map(|at| four.id(at)).collect();
        assert_eq!(
            ids[..2],
            ["turn.t0-us=10 recipe=weighted-slices", "turn.t0-us=10 recipe=today"]
        );
        let settings = |at: usize| four.get(at).unwrap().study.settings.len();
        assert_eq!([0, 1, 2, 3].map(settings), [1, 0, 1, 0]);
        let asked = of("a end +5%", r#"["today"]"#);
        assert_eq!((asked.len(), asked.get(0).unwrap().study.settings.len()), (2, 1));
    }

    #[test]
    fn keys_of_profiles_and_recipes_are_told_apart() {
        let cases = cases(
            r#"{"profiles": ["a", "b"], "recipes": ["greedy"]}"#,
            &[
                "share.b=1,3",
                "priority.a=0,5",
                "turn.t0-us=10,20",
                "load.a=5/s",
                "hint.b=priority:1",
            ],
        );
        let last = cases.unwrap().get(7).unwrap().study;
        assert_eq!(last.hints[0].value.text, "priority:1");
        assert_eq!((&*last.shares[0].file, last.shares[0].value), ("b", 3));
        assert_eq!(last.priorities[0].text, "a=5");
        assert_eq!(last.settings[0].text, "turn.t0-us=20");
        assert_eq!(last.load.requests, ["a=5/s"]);
    }

    #[test]
    fn what_cannot_be_varied_is_told_at_once() {
        let two = r#"{"profiles": ["a", "b"]}"#;
        let wrong = |vary: &str| cases(two, &[vary]).unwrap_err();
        assert!(wrong("load=1/s").contains("whose requests"));
        let unit = "--vary load.a=20: `20` has no unit: did you mean `20/s`?";
        assert_eq!(wrong("load.a=20,30"), unit);
        let one = cases(r#"{"profiles": ["a"]}"#, &["load=20..40:20"]).unwrap_err();
        assert_eq!(one, unit.replace("load.a", "load"));
        assert!(wrong("device=h100,h100").contains("twice"));
        assert!(wrong("goal=x p99 5ms").contains("--goal"));
        assert!(wrong("speed=1").contains("no such option"));
        assert!(wrong("share.a=0").contains("whole number"));
        assert!(wrong("lod=5/s").starts_with("--vary lod=5/s: there is no such option. Did you"));
        assert!(wrong("sed=1").contains("Did you mean `seed`?"));
        assert!(wrong("device.a=h100").contains("leave `.a` out"));
        assert!(wrong("think.a=1").contains("did you mean `1ms`?"));
        assert!(wrong("device").contains("no `=`"));
    }

    #[test]
    fn shards_part_the_cases() {
        let shards: Vec<Shard> = (1..=3).map(|n| format!("{n}/3").parse().unwrap()).collect();
        for position in 0..10 {
            assert_eq!(shards.iter().filter(|shard| shard.holds(position)).count(), 1);
        }
        for bad in ["0/3", "4/3", "1", "1/0", "a/b"] {
            assert!(bad.parse::<Shard>().is_err(), "{bad}");
        }
    }
}
