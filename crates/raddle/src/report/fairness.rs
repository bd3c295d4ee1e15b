//! How was time divided between processes, and what did taking turns cost?

use raddle_sim::Fairness;

use super::Source;
use super::comparison::{best, time};
use super::html::{self, figure, name};
use crate::units::{count, percent};

const HEADER: [&str; 9] = [
    "recipe",
    "#Jain, run time",
    "#Jain, run / alive",
    "#newcomer",
    "#longest wait",
    "#turns lost",
    "#saving, restoring",
    "#overruns",
    "#longest",
];

const WORDS: &str = "<p class=\"small\">Run time is the time with waves on the device, alive time that with a launch ready that has not ended, a wait is alive without waves. The newcomer is the process that begins last, if one does: its share of the run times of all while it was alive. An overrun is the time for which a process still has waves on the device after its turn; it is charged to the process.</p>\n";

/// One row a recipe; nothing where there is one process.
pub(crate) fn table(source: &Source<'_>) -> String {
    let recipes = &source.report.recipes;
    let all = || recipes.iter().filter_map(|result| result.summary.fairness.as_ref());
    let best_wait = best(all().map(|fairness| time(fairness.longest_wait_ns)));
    let row = |result: &crate::summary::RecipeResult| {
        let fairness = result.summary.fairness.as_ref()?;
        Some(cells(&result.name, fairness, best_wait.as_deref()))
    };
    let rows: Vec<Vec<String>> = recipes.iter().filter_map(row).collect();
    if rows.is_empty() {
        return String::new();
    }
    format!("<h3>Taking turns</h3>\n{}{WORDS}", html::table("Taking turns", &HEADER, &rows))
}

fn cells(recipe: &str, fairness: &Fairness, best_wait: Option<&str>) -> Vec<String> {
    let wait = time(fairness.longest_wait_ns).text;
    let newcomer = fairness.newcomer_share.map_or_else(|| "–".to_owned(), percent);
    let bold = best_wait == Some(&*wait);
    vec![
        name(recipe),
        format!("{:.4}", fairness.jain_run),
        format!("{:.4}", fairness.jain_rate),
        newcomer,
        if bold { format!("<b>{}</b>", figure(&wait)) } else { figure(&wait) },
        count(fairness.switches),
        figure(&time(fairness.switch_ns).text),
        count(fairness.overruns),
        figure(&time(fairness.longest_overrun_ns).text),
    ]
}
