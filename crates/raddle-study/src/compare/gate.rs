//! By how much may a figure grow from one result to a later one, as a user writes that limit:
//! `decode p99 +5%`, `leftover:makespan +2%`?
//!
//! Such a limit is written as a goal is. The form of older raddles, `decode.request-p99 > +5%`, is
//! read too.

use std::fmt;
use std::str::FromStr;

use super::limits::{JudgedLimit, LimitedChange};
use super::metrics::{OF_PROCESS, slug};
use super::rows::{Comparison, MetricRow};
use crate::amount::hundredths;
use crate::answer::FigureBounds;
use crate::share::without_parameters;
use crate::units::{duration, plain};

/// Short names that a gate (a limit such as `decode p99 +5%`) may use for figures of requests:
/// (short name, full name).
const OF_REQUESTS: [(&str, &str); 3] =
    [("p50", "request-p50"), ("p99", "request-p99"), ("max", "request-longest")];

/// Limit on how much a figure may grow from the first to a later result of a comparison, such as
/// `decode p99 +5%`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Gate {
    text: String,
    /// Name of the recipe to which the limit applies; `None` means all recipes.
    recipe: Option<String>,
    /// Name of the process whose figure is limited; `None` for a figure of a recipe as a whole.
    process: Option<String>,
    metric: String,
    /// Largest allowed increase of a figure over its value in the first result, in hundredths of a
    /// percent: 500 for `+5%`.
    limit: i64,
}

/// Error of a text that is no gate (a limit such as `decode p99 +5%`). Holds the text.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct NoGate(String);

impl fmt::Display for NoGate {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(
            f,
            "`{}` is no limit: write [RECIPE:][PROCESS ]FIGURE +N%, such as `decode p99 +5%`",
            self.0
        )?;
        // The text may lack its limit, or the number its unit.
        let text = self.0.trim();
        let meant = match text.rsplit_once('>').or_else(|| text.rsplit_once('+')) {
            None => format!("{text} +5%"),
            Some((figure, limit)) => {
                let number = limit.trim().trim_start_matches('+');
                if !number.parse::<f64>().is_ok_and(|limit| limit >= 0.0) {
                    return Ok(());
                }
                format!("{} +{number}%", figure.trim())
            }
        };
        match meant.parse::<Gate>() {
            Ok(_) => write!(f, ". Did you mean `{meant}`?"),
            Err(_) => Ok(()),
        }
    }
}

impl std::error::Error for NoGate {}

impl FromStr for Gate {
    type Err = NoGate;

    fn from_str(text: &str) -> Result<Self, NoGate> {
        let bad = || NoGate(text.to_owned());
        let plus = || Some((text.rsplit_once('+')?, true)).filter(|((it, _), _)| it.ends_with(' '));
        let greater = text.rsplit_once('>').map(|parts| (parts, false));
        let ((figure, limit), as_goal) = greater.or_else(plus).ok_or_else(bad)?;
        let limit = limit.trim().strip_suffix('%').ok_or_else(bad)?;
        let limit = hundredths(limit).ok_or_else(bad)?;
        let figure = figure.trim();
        let (recipe, figure) = match figure.split_once(':') {
            Some((recipe, rest)) => (Some(recipe.to_owned()), rest),
            None => (None, figure),
        };
        let parts = if as_goal { split_off_metric(figure) } else { figure.rsplit_once('.') };
        let (process, metric) = match parts {
            Some((process, metric)) => (Some(process.trim().to_owned()), metric),
            None => (None, figure),
        };
        let metric = slug(metric);
        // As in goals, a percentile of a process is that of its requests.
        let of_requests = OF_REQUESTS.iter().find(|(word, _)| *word == metric);
        let metric = of_requests
            .filter(|_| process.is_some())
            .map_or(metric, |(_, name)| (*name).to_owned());
        if metric.is_empty() {
            return Err(bad());
        }
        Ok(Self { text: text.trim().to_owned(), recipe, process, metric, limit })
    }
}

/// Splits the text of a limit, such as `serve request p99`, into (process, name of a figure). The
/// figure is the longest known name at the end of the text, else its last word.
fn split_off_metric(text: &str) -> Option<(&str, &str)> {
    let spaces = || text.match_indices(' ').map(|(at, _)| (&text[..at], &text[at + 1..]));
    let known = |(_, metric): &(&str, &str)| OF_PROCESS.iter().any(|it| it.name == *metric);
    spaces().find(known).or_else(|| text.rsplit_once(' '))
}

impl Comparison {
    /// Judges the changes by limits. Must be called before [`Comparison::only_changes`], as that
    /// removes rows on which limits may be.
    ///
    /// # Errors
    /// When no figure has the name that a limit gives.
    pub fn limit(&mut self, gates: &[Gate]) -> Result<(), String> {
        let limits = gates.iter().map(|gate| gate.judge(self)).collect::<Result<_, _>>()?;
        self.limits = limits;
        Ok(())
    }
}

/// Figure that a limit compares in place of one that a later result lacks. That result has the way
/// of sharing with other parameters, such as `partition-60-40` for `partition-70-30`.
enum Stand<'c> {
    /// Value of the figure in the later result, and the row of the figure.
    In(f64, &'c MetricRow),
    /// No figure: the limit is judged in the row of other parameters of this way of sharing.
    None,
}

impl Gate {
    fn is_about(&self, row: &MetricRow) -> bool {
        slug(row.metric) == self.metric
            && row.process == self.process
            && self.recipe.as_ref().is_none_or(|recipe| *recipe == row.recipe)
    }

    /// Judges the changes of a comparison by the limit of the gate.
    ///
    /// # Errors
    /// When no figure has the name that the gate gives: such a gate would never fail.
    pub(super) fn judge(&self, comparison: &Comparison) -> Result<JudgedLimit, String> {
        let mut rows: Vec<&MetricRow> =
            comparison.rows.iter().filter(|row| self.is_about(row)).collect();
        if rows.is_empty() {
            return Err(self.unknown(comparison));
        }
        // A recipe that no driver offers is judged where the user names it, or where nothing else is
        // compared.
        if self.recipe.is_none() && rows.iter().any(|row| row.is_offered) {
            rows.retain(|row| row.is_offered);
        }
        let (mut broken, mut largest, mut surely) = (Vec::new(), None, Vec::new());
        for row in rows {
            let Some((first, others)) = row.values.split_first() else { continue };
            let results = comparison.results.iter().enumerate().skip(1);
            for (value, (at, origin)) in others.iter().zip(results) {
                let of =
                    if others.len() > 1 { format!(" in {}", origin.label) } else { String::new() };
                let figure = format!("{} under {}{of}", row.subject(), row.recipe);
                // The search of the later result may have chosen other parameters of this way.
                let (value, figure, later) = match self.with_other_parameters(comparison, row, at) {
                    None => (*value, figure, row),
                    Some(Stand::None) => continue,
                    Some(Stand::In(value, other)) => {
                        (Some(value), format!("{figure}, then {}", other.recipe), other)
                    }
                };
                match (*first, value) {
                    // A figure that is missing in a later result fails the gate, as it may hide a
                    // worse value.
                    (Some(_), None) => {
                        broken.push(format!("{figure}: missing"));
                        surely.push(Some(true));
                    }
                    (Some(first), Some(value)) => {
                        let limit = first + first.abs() * self.limit as f64 / 10_000.0;
                        let change = LimitedChange::of(figure, first, value);
                        if value > limit {
                            let bounds = |of: &MetricRow, at: usize| of.bounds.get(at).copied()?;
                            let open = bounds(row, 0).zip(bounds(later, at)).map(|(one, other)| {
                                left_open([first, value], [one, other], self.limit)
                            });
                            surely.push(open.as_ref().map(Option::is_none));
                            let open = open.flatten().unwrap_or_default();
                            broken.push(change.text(self.limit) + &open);
                        }
                        largest = LimitedChange::larger(largest, change);
                    }
                    (None, _) => {}
                }
            }
        }
        let limit = self.text.clone();
        broken.iter_mut().for_each(|it| it.push_str(&format!(", limit `{limit}`")));
        let is_sure = surely.contains(&Some(true));
        let is_open = !surely.is_empty() && surely.iter().all(|&it| it == Some(false));
        let broken_surely = (is_sure || is_open).then_some(is_sure);
        Ok(JudgedLimit { limit, broken, broken_surely, largest, allowed: self.limit })
    }

    /// Returns the figure that the limit compares in place of that of `row`, where the result with
    /// the index `at` lacks the row's recipe and has its way of sharing with other parameters.
    /// `None` where the limit names a recipe, or that result has no such figure.
    fn with_other_parameters<'c>(
        &self,
        comparison: &'c Comparison,
        row: &MetricRow,
        at: usize,
    ) -> Option<Stand<'c>> {
        if self.recipe.is_some() || row.has_other_parameters.get(at) != Some(&true) {
            return None;
        }
        let way = without_parameters(&row.recipe);
        let own = comparison.rows.iter().filter(|other| {
            self.is_about(other)
                && other.level == row.level
                && without_parameters(&other.recipe) == way
        });
        let own: Vec<&MetricRow> = own.collect();
        let value = |row: &MetricRow, at: usize| row.values.get(at).copied().flatten();
        // The parameters that a result recommends, else those with the least figure.
        let chosen = |at: usize| {
            let recommended = comparison.recommended(at);
            let all = own.iter().filter_map(|&row| Some((value(row, at)?, row)));
            all.min_by(|(a, one), (b, other)| {
                let is_other = |row: &MetricRow| recommended != Some(&*row.recipe);
                is_other(one).cmp(&is_other(other)).then(a.total_cmp(b))
            })
        };
        let is_chosen = chosen(0).is_some_and(|(_, own)| own.recipe == row.recipe);
        // Without any figure of the way in the later result, this one is missing.
        let (value, other) = chosen(at)?;
        Some(if is_chosen { Stand::In(value, other) } else { Stand::None })
    }

    /// Returns the limit with its recipe, process and figure spelled as in the comparison; `None`
    /// where the comparison has no similar names, or the user spelled them so.
    fn meant(&self, comparison: &Comparison) -> Option<String> {
        let rows = &comparison.rows;
        let near = |name: &str, all: &mut dyn Iterator<Item = &str>| {
            let all: Vec<String> = all.map(str::to_owned).collect();
            let known = all.iter().find(|known| *known == name).map(String::as_str);
            known
                .or_else(|| raddle_read::nearest(name, all.iter().map(String::as_str)))
                .map(str::to_owned)
        };
        let mut meant = self.clone();
        if let Some(recipe) = &self.recipe {
            meant.recipe = Some(near(recipe, &mut rows.iter().map(|row| &*row.recipe))?);
        }
        if let Some(process) = &self.process {
            let mut known = rows.iter().filter_map(|row| row.process.as_deref());
            meant.process = Some(near(process, &mut known)?);
        }
        let is_recipe =
            |row: &&MetricRow| meant.recipe.as_ref().is_none_or(|recipe| *recipe == row.recipe);
        let own = rows.iter().filter(|row| row.process == meant.process).filter(is_recipe);
        let names: Vec<String> = own.map(|row| slug(row.metric)).collect();
        // The short names are known too, and shown as the user wrote them.
        let short = OF_REQUESTS.iter().filter(|(_, name)| names.iter().any(|it| it == name));
        let mut known = names.iter().map(String::as_str).chain(short.map(|(word, _)| *word));
        meant.metric = near(&self.metric, &mut known)?;
        if meant == *self {
            return None;
        }
        let metric = OF_REQUESTS.iter().find(|(_, name)| *name == meant.metric);
        let metric = metric.map_or(&*meant.metric, |(word, _)| word);
        let recipe = meant.recipe.map_or_else(String::new, |name| format!("{name}:"));
        let process = meant.process.map_or_else(String::new, |name| format!("{name} "));
        Some(format!("{recipe}{process}{metric} {:+}%", self.limit as f64 / 100.0))
    }

    fn unknown(&self, comparison: &Comparison) -> String {
        if let Some(meant) = self.meant(comparison) {
            let meant = crate::error::meant(Some(&plain(&meant, 160)));
            return format!("`{}`: there is no such figure.{meant}", self.text);
        }
        // Where the recipe is there, only its own figures help.
        let of =
            self.recipe.as_ref().filter(|of| comparison.rows.iter().any(|it| it.recipe == **of));
        let own = comparison.rows.iter().filter(|row| of.is_none_or(|of| row.recipe == *of));
        let mut names: Vec<String> = own.map(MetricRow::gate_name).collect();
        names.sort();
        names.dedup();
        let names: Vec<String> = names.iter().map(|name| plain(name, 80)).collect();
        let under = of.map_or_else(String::new, |of| format!("under {} ", plain(of, 80)));
        format!("`{}`: there is no such figure; {under}there are {}", self.text, names.join(", "))
    }
}

/// Returns a remark that the figures [first, later] break a limit (hundredths of a percent), but
/// that values within their error bounds would keep it. `None` where all values within the bounds
/// break it.
fn left_open(
    [first, value]: [f64; 2],
    [one, other]: [FigureBounds; 2],
    limit: i64,
) -> Option<String> {
    // Times of runs are far below 2^53 ns.
    let (most, least) = (one.most_ns as f64, other.least_ns as f64);
    if !one.open && least > most + most.abs() * limit as f64 / 10_000.0 {
        return None;
    }
    let told = |bounds: FigureBounds, ns: f64| match bounds.least_ns == bounds.most_ns {
        true if !bounds.open => duration(ns as u64),
        _ => bounds.text(),
    };
    Some(format!(" (not surely: {}, then {})", told(one, first), told(other, value)))
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeMap;

    use super::*;
    use crate::compare::MetricUnit;

    #[test]
    fn bounds_may_leave_open_whether_a_limit_is_broken() {
        let of = |[least, most]: [u64; 2], open| {
            let [least_ns, most_ns] = [least, most].map(|ms| ms * 1_000_000);
            FigureBounds { least_ns, most_ns, open }
        };
        let exact = |ms| of([ms, ms], false);
        let told = |one, other| left_open([20e6, 30e6], [one, other], 500);
        assert_eq!(told(exact(20), exact(30)), None);
        assert_eq!(told(of([19, 21], false), of([29, 31], false)), None);
        let open = " (not surely: 19.0 to 28.0 ms, then 29.0 to 31.0 ms)";
        // 28 ms and a twentieth are more than 29 ms.
        assert_eq!(told(of([19, 28], false), of([29, 31], false)).as_deref(), Some(open));
        let open = " (not surely: 19.0 to 21.0+ ms, then 30.0 ms)";
        assert_eq!(told(of([19, 21], true), exact(30)).as_deref(), Some(open));
        let open = " (not surely: 20.0 ms, then 21.0 to 31.0 ms)";
        assert_eq!(told(exact(20), of([21, 31], false)).as_deref(), Some(open));
    }

    #[test]
    fn a_figure_that_another_recipe_alone_has_is_not_meant() {
        let row = |recipe: &str, metric: &'static str| MetricRow {
            recipe: recipe.to_owned(),
            process: Some("train".to_owned()),
            level: None,
            metric,
            unit: MetricUnit::Ns,
            values: vec![Some(1.0), Some(1.0)],
            bounds: Vec::new(),
            changes: Vec::new(),
            is_offered: true,
            is_compared: true,
            has_other_parameters: Vec::new(),
        };
        let comparison = Comparison {
            results: Vec::new(),
            advice: None,
            differences: Vec::new(),
            inputs_that_differ: Vec::new(),
            overturning: Vec::new(),
            beside_the_program: None,
            limits: Vec::new(),
            rows: vec![row("time-slice", "step"), row("time-slice", "end"), row("mps", "end")],
            figures: 3,
            of_other_recipes: 0,
            is_whole: true,
            verdicts: BTreeMap::new(),
        };
        let told = |text: &str| {
            let gate: Gate = text.parse().expect("it is a limit");
            gate.judge(&comparison).expect_err("there is no such figure")
        };
        let own = "`mps:train step +5%`: there is no such figure; under mps there are train end";
        assert_eq!(told("mps:train step +5%"), own);
        let told = told("mps:trian end +5%");
        assert!(told.ends_with("Did you mean `mps:train end +5%`?"), "{told}");
    }

    #[test]
    fn gates_read_as_they_are_written() {
        let gate: Gate = "leftover:my.decode p99 +5%".parse().unwrap();
        assert_eq!(gate.recipe.as_deref(), Some("leftover"));
        assert_eq!(gate.process.as_deref(), Some("my.decode"));
        let gate: Gate = "makespan +0.5 %".parse().unwrap();
        assert_eq!((gate.process, gate.metric.as_str(), gate.limit), (None, "makespan", 50));
        // As older raddles took it.
        let gate: Gate = "leftover:my.decode.request-p99 > +5%".parse().unwrap();
        assert_eq!(gate.recipe.as_deref(), Some("leftover"));
        assert_eq!(gate.process.as_deref(), Some("my.decode"));
        assert_eq!((gate.metric.as_str(), gate.limit), ("request-p99", 500));
        let gate: Gate = "makespan > -0.5 %".parse().unwrap();
        assert_eq!((gate.process, gate.metric.as_str(), gate.limit), (None, "makespan", -50));
        let goal: Gate = "my decode p99 +5%".parse().unwrap();
        assert_eq!(goal.process.as_deref(), Some("my decode"));
        assert_eq!((goal.metric.as_str(), goal.limit), ("request-p99", 500));
        // As the table of a comparison writes them.
        for text in ["my decode request p99 +5%", "my decode requests ended +5%"] {
            let goal: Gate = text.parse().unwrap();
            assert_eq!(goal.process.as_deref(), Some("my decode"), "{text}");
        }
        let gate: Gate = "decode max +5%".parse().unwrap();
        assert_eq!(gate.metric, "request-longest");
        let gate: Gate = "decode.p99 > 5%".parse().unwrap();
        assert_eq!(gate.metric, "request-p99", "not the wait of launches");
        for bad in ["makespan", "makespan > 5", "> 5%", "makespan > x%", "makespan < 5%"] {
            assert!(bad.parse::<Gate>().is_err(), "{bad}");
        }
        for (bad, meant) in [
            ("makespan", "`makespan +5%`"),
            ("makespan > 5", "`makespan +5%`"),
            ("decode p99 +5", "`decode p99 +5%`"),
            ("decode p99", "`decode p99 +5%`"),
        ] {
            let told = bad.parse::<Gate>().unwrap_err().to_string();
            assert!(told.ends_with(&format!("Did you mean {meant}?")), "{told}");
        }
    }
}
