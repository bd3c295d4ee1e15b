//! How is the result of a replay told to a person?

use std::path::Path;

use crate::args::RunArgs;
use crate::arrivals;
use crate::console::{alarm, heading};
use crate::devices::Found;
use crate::runs::LOG;
use crate::sources::Source;
use crate::summary::{RecipeResult, Refusal, Report, Unreported};
use crate::table::Table;
use crate::timelines::{PERFETTO, coarse};
use crate::units::{count, counted, duration, percent, plain, size, wrap};

/// Columns of a line of text.
const WIDTH: usize = 100;
/// Characters of the name of a profile, a recipe, a kernel.
const PROFILE: usize = 20;
const RECIPE: usize = 20;
const KERNEL: usize = 60;
/// Refusals and the like are listed up to so many lines.
const LISTED: usize = 12;

/// What the text says beside the result itself.
#[derive(Debug)]
pub(crate) struct Closing<'c> {
    /// Where the files are, if there are any.
    pub(crate) folder: Option<&'c Path>,
    /// What to try next, a command a line.
    pub(crate) next: &'c [String],
    /// What was asked for.
    pub(crate) run: &'c RunArgs,
}

/// The whole text.
pub(crate) fn render(report: &Report, closing: &Closing<'_>, colour: bool) -> String {
    let mut out = head(report);
    out.push('\n');
    out += &comparison(report).render(colour);
    out.push('\n');
    if let Some(table) = arrivals::table(report, RECIPE, PROFILE) {
        out += &format!("{}\n", table.render(colour));
    }
    if let Some(table) = turns(report) {
        out += &format!("{}\n", table.render(colour));
    }
    let mut reading = READING.to_owned() + arrivals::reading(report);
    if !report.stuck.is_empty() {
        reading += READING_STUCK;
    }
    section(&mut out, "Reading", reading, colour);
    section(&mut out, "Cost model", report.assumptions.join("; "), colour);
    list(&mut out, "Refused", refusals(report), colour);
    list(&mut out, "Stuck", stuck(report), colour);
    list(&mut out, "Met in the files", quirks(&report.profiles), colour);
    for warning in report.warnings.iter().chain(&capped(report)) {
        let text = wrap(&format!("warning: {}", plain(warning, 1000)), WIDTH, "  ");
        match text.strip_prefix("warning:") {
            Some(rest) => out += &format!("{}{rest}\n", alarm("warning:", colour)),
            None => out += &format!("{text}\n"),
        }
    }
    if let Some(folder) = closing.folder {
        out += &files(report, closing, folder, colour);
    }
    for (position, command) in closing.next.iter().enumerate() {
        let label = if position == 0 { heading("Next: ", colour) } else { "      ".into() };
        out += &format!("{label} {command}\n");
    }
    out
}

fn files(report: &Report, closing: &Closing<'_>, folder: &Path, colour: bool) -> String {
    let drawn = || {
        let results = report.recipes.iter();
        results.filter_map(|result| Some((result.name.as_str(), result.timeline.as_ref()?)))
    };
    let mut names: Vec<String> = logs(report).into_iter().collect();
    if drawn().next().is_some() {
        names.push(format!("{PERFETTO} (for ui.perfetto.dev)"));
    }
    let each = match names.as_slice() {
        [] => String::new(),
        names => format!(", and for each recipe {}", names.join(", ")),
    };
    let text = format!("{}: report.html, summary.json{each}", folder.display());
    let mut out = String::new();
    section(&mut out, "Files", text, colour);
    list(&mut out, "Timelines drawn coarser", coarse(closing.run, drawn()), colour);
    out
}

/// Decision logs that are larger than this together are told of with their size.
const LARGE: u64 = 1_000_000;

/// The decision logs, if there are any.
fn logs(report: &Report) -> Option<String> {
    let sizes = report.recipes.iter().filter_map(|result| result.log_bytes);
    let all = sizes.reduce(u64::saturating_add)?;
    Some(if all < LARGE {
        LOG.to_owned()
    } else {
        format!("{LOG} ({} in all; `--log none` writes none)", size(all))
    })
}

const READING: &str = "makespan = until every profile has ended once, which in an open loop mostly \
    follows the recorded arrivals; used = wave-slot time used of available; Jain = fairness of \
    wave-slot time while two or more were runnable, 1 is equal; launches = started, with \
    repetitions; p50 and p99 = latency, from ready to the first wave started; slowdown = \
    (end - ready) over the same launch alone here under the same recipe, geometric mean: many \
    short waits can raise it while the rare long ones, which p99 shows, are gone; refused = can \
    never run, in one repetition";

const READING_STUCK: &str = "; stuck = launches that never ended, although nothing more could happen: \
    there is no makespan, and all other figures of the recipe are of the rest";

/// What stands for the makespan of a run that has none.
pub(crate) const STUCK: &str = "STUCK";

fn section(out: &mut String, title: &str, text: String, colour: bool) {
    let text = wrap(&format!("{title}: {text}"), WIDTH, "  ");
    match text.strip_prefix(title) {
        Some(rest) => *out += &format!("{}{rest}\n", heading(title, colour)),
        None => *out += &format!("{text}\n"),
    }
}

fn list(out: &mut String, title: &str, lines: Vec<String>, colour: bool) {
    if lines.is_empty() {
        return;
    }
    *out += &format!("{}\n", heading(&format!("{title}:"), colour));
    for line in lines.iter().take(LISTED) {
        *out += &format!("  {}\n", wrap(line, WIDTH - 2, "    "));
    }
    if lines.len() > LISTED {
        *out += &format!("  and {} more in summary.json\n", count((lines.len() - LISTED) as u64));
    }
}

fn head(report: &Report) -> String {
    let mut out = format!(
        "{} on {}, {}\n",
        counted(report.profiles.len() as u64, "process", "processes"),
        report.device,
        counted(report.recipes.len() as u64, "recipe", "recipes"),
    );
    for source in &report.profiles {
        let line = format!(
            "{}: {} ({} workgroups), {} copies and fills, {}, {}, recorded on {}",
            plain(&source.name, PROFILE),
            counted(source.kernels, "kernel", "kernels"),
            count(source.workgroups),
            count(source.copies.saturating_add(source.sets)),
            counted(source.streams as u64, "stream", "streams"),
            duration(source.span_ns),
            match source.device.found {
                Found::StandIn => "an unknown device".to_owned(),
                _ => source.device.to_string(),
            },
        );
        out += &format!("  {}\n", wrap(&line, WIDTH - 2, "    "));
    }
    out
}

fn comparison(report: &Report) -> Table {
    let header = [
        "recipe", "makespan", "used", "Jain", "process", "level", "launches", "p50", "p99",
        "slowdown", "refused", "stuck",
    ];
    // Mostly nothing is.
    let stuck = !report.stuck.is_empty();
    let columns = header.len() - usize::from(!stuck);
    let mut table =
        Table::new(&header[..columns], &[1, 2, 3, 5, 6, 7, 8, 9, 10, 11][..columns - 2]);
    for result in &report.recipes {
        add_rows(&mut table, result, columns);
    }
    table
}

/// How time was divided, where a recipe divides it.
fn turns(report: &Report) -> Option<Table> {
    let divides = |result: &RecipeResult| {
        let [_, turn, ..] = result.recipe.policies();
        !["everyone", "highest-level"].contains(&turn)
    };
    if !report.recipes.iter().any(divides) {
        return None;
    }
    let header = [
        "taking turns",
        "Jain of run",
        "of run/alive",
        "newcomer",
        "longest wait",
        "turns lost",
        "switching",
        "overruns",
        "longest",
    ];
    let mut table = Table::new(&header, &[1, 2, 3, 4, 5, 6, 7, 8]);
    let mut any = false;
    for result in &report.recipes {
        let Some(fairness) = &result.summary.fairness else { continue };
        any = true;
        table.row(&[
            &plain(&result.name, RECIPE),
            &format!("{:.4}", fairness.jain_run),
            &format!("{:.4}", fairness.jain_rate),
            &fairness.newcomer_share.map_or_else(|| "-".to_owned(), percent),
            &duration(fairness.longest_wait_ns),
            &count(fairness.switches),
            &duration(fairness.switch_ns),
            &count(fairness.overruns),
            &duration(fairness.longest_overrun_ns),
        ]);
    }
    any.then_some(table)
}

fn add_rows(table: &mut Table, result: &RecipeResult, columns: usize) {
    let summary = &result.summary;
    let number = |x: Option<f64>| x.map_or_else(|| "-".to_owned(), |x| format!("{x:.2}"));
    let mut left = [
        plain(&result.name, RECIPE),
        if summary.stuck > 0 { STUCK.to_owned() } else { duration(summary.makespan_ns) },
        percent(summary.utilisation),
        number(summary.jain),
    ];
    for process in &summary.processes {
        let mut name = plain(&process.name, PROFILE);
        let mut refused = count(process.refused.values().sum());
        let mut stuck = count(result.stuck_of(&process.name));
        let mut row = |right: [String; 5]| {
            let [level, launches, p50, p99, slowdown] = &right;
            let [recipe, makespan, used, jain] = &left;
            let cells: [&str; 12] = [
                recipe, makespan, used, jain, &name, level, launches, p50, p99, slowdown, &refused,
                &stuck,
            ];
            table.row(&cells[..columns]);
            // Only the first row of a recipe and of a process says what holds for all of it.
            left = Default::default();
            name.clear();
            refused.clear();
            stuck.clear();
        };
        for level in &process.levels {
            row([
                level.level.to_string(),
                count(level.launches),
                duration(level.latency_p50_ns),
                duration(level.latency_p99_ns),
                number(level.slowdown),
            ]);
        }
        if process.levels.is_empty() {
            row(["-", "0", "-", "-", "-"].map(str::to_owned));
        }
    }
}

/// What can be told of every recipe is told once.
fn by_recipe<T: PartialEq>(
    report: &Report,
    items: impl Fn(&RecipeResult) -> &[T],
    line: impl Fn(&T) -> String,
) -> Vec<String> {
    let Some(first) = report.recipes.first() else {
        return Vec::new();
    };
    if report.recipes.iter().all(|result| items(result) == items(first)) {
        return items(first).iter().map(line).collect();
    }
    let of = |result: &RecipeResult| {
        let name = plain(&result.name, RECIPE);
        let lines = items(result).iter().map(&line);
        lines.map(|line| format!("{name}: {line}")).collect::<Vec<_>>()
    };
    report.recipes.iter().flat_map(of).collect()
}

fn refusals(report: &Report) -> Vec<String> {
    by_recipe(
        report,
        |result| &result.refusals,
        |refusal: &Refusal| {
            format!(
                "{} of `{}` in {}: {}",
                counted(refusal.launches, "launch", "launches"),
                plain(&refusal.kernel, KERNEL),
                plain(&refusal.profile, PROFILE),
                why(refusal),
            )
        },
    )
}

/// What such a launch lacks.
pub(crate) fn why(refusal: &Refusal) -> String {
    let Refusal { resource, wanted, available, unit, unreported, .. } = refusal;
    match *resource {
        "grid" if *available == 0 => "its grid or its workgroup is empty".to_owned(),
        "grid" => format!(
            "grid: it has {} workgroups, at most {} can have run in its duration",
            count(*wanted),
            count(*available)
        ),
        "cus" => "the policy gives its process no compute unit".to_owned(),
        _ => {
            let (wanted, available) = (count(*wanted), count(*available));
            match unreported {
                None => {
                    format!(
                        "{resource}: a workgroup wants {wanted} {unit}, at most {available} can be had"
                    )
                }
                Some(Unreported { search, there_is }) => format!(
                    "{resource}: a workgroup wants {wanted} {unit}; an empty compute unit has {} in one run, but the search `{search}` of the recipe reports only {available} of it: with `search = \"full\"` it would run",
                    count(*there_is)
                ),
            }
        }
    }
}

fn stuck(report: &Report) -> Vec<String> {
    by_recipe(
        report,
        |result| &result.stuck,
        |stuck| {
            format!(
                "{} of `{}` in {} never ended, and nothing more could happen",
                counted(stuck.launches, "launch", "launches"),
                plain(&stuck.kernel, KERNEL),
                plain(&stuck.profile, PROFILE),
            )
        },
    )
}

fn quirks(profiles: &[Source]) -> Vec<String> {
    let of = |source: &Source| {
        let name = plain(&source.name, PROFILE);
        let quirks = source.quirks.iter();
        quirks
            .map(|met| format!("{name}: {} {}: {}", met.name, count(met.count), met.explanation))
            .collect::<Vec<_>>()
    };
    profiles.iter().flat_map(of).collect()
}

/// The recipes under which the shorter profiles could not repeat to the end.
pub(crate) fn capped(report: &Report) -> Vec<String> {
    let capped = report.recipes.iter().filter(|result| result.summary.repeat_capped);
    let names: Vec<String> = capped.map(|result| plain(&result.name, RECIPE)).collect();
    if names.is_empty() {
        return Vec::new();
    }
    vec![format!(
        "under {} the shorter profiles stopped repeating before the longest one had ended, because it made no headway beside them: its last part ran without company (`--once` lets nothing repeat)",
        names.join(", ")
    )]
}
