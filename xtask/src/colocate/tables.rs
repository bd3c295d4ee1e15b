//! What do the tables of the page say?
//!
//! Figures are read as raddle prints them; rates are made here, a second = 10^9 ns of simulated time.

use std::fmt::Write as _;

use super::json::Json;
use super::recipes::{ALLOCATE, WAYS};

/// Positions of the processes: the training is given first.
const TRAINING: usize = 0;
const URGENT: usize = 1;

/// One run: one way under one allocation policy. Times are nanoseconds.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Cell {
    urgent: Process,
    training: Process,
    /// Requests that ended, the time of the last of these ends, and how long the longest took.
    requests: u64,
    requests_ns: u64,
    longest_ns: u64,
    /// One request alone.
    alone_ns: u64,
    /// Workgroups killed, and time spent moving.
    killed: u64,
    moved_ns: u64,
    /// The requests were stopped, as the training made no headway.
    stopped: bool,
}

/// One process of it.
#[derive(Clone, Debug, PartialEq)]
struct Process {
    ended: u64,
    end_ns: u64,
    median_ns: u64,
    p99_ns: u64,
    slowdown: f64,
    /// With a launch that was ready and had not ended.
    alive_ns: u64,
}

impl Process {
    fn read(summary: &Json, at: usize) -> Result<Self, String> {
        let own = |key: &str| format!("processes.{at}.{key}");
        Ok(Self {
            ended: summary.word(&own("ended"))?,
            end_ns: summary.word(&own("last-end-ns"))?,
            median_ns: summary.word(&own("levels.0.latency-p50-ns"))?,
            p99_ns: summary.word(&own("levels.0.latency-p99-ns"))?,
            slowdown: summary.word(&own("levels.0.slowdown"))?,
            alive_ns: summary.word(&format!("fairness.processes.{at}.alive-ns"))?,
        })
    }

    /// Launches that ended in a second of the time in which it had some.
    fn pace(&self) -> f64 {
        per_second(self.ended, self.alive_ns)
    }
}

impl Cell {
    /// The run of the recipe at a position.
    pub(super) fn read(report: &Json, recipe: usize) -> Result<Self, String> {
        let path = format!("recipes.{recipe}.summary");
        let summary = report.at(&path).ok_or_else(|| format!("raddle printed no {path}"))?;
        let training = Process::read(summary, TRAINING)?;
        let stuck: u64 = summary.word("stuck")?;
        let whole =
            summary.word("processes.0.launches").is_ok_and(|all: u64| all == training.ended);
        if stuck > 0 || !whole {
            return Err(format!("recipe {recipe}: the training did not end; the tables would lie"));
        }
        let requests = |key: &str| summary.word(&format!("processes.{URGENT}.requests.{key}"));
        Ok(Self {
            urgent: Process::read(summary, URGENT)?,
            training,
            requests: requests("ended")?,
            requests_ns: requests("last-end-ns")?,
            longest_ns: requests("latency-max-ns")?,
            alone_ns: requests("alone-ns")?,
            killed: summary.word("killed")?,
            moved_ns: summary.word("fairness.switch-ns")?,
            stopped: summary.word("repeat-capped")?,
        })
    }

    fn urgent(&self) -> String {
        let Process { p99_ns, slowdown, .. } = self.urgent;
        let rate = per_second(self.requests, self.requests_ns);
        let pace = thousands(self.urgent.pace());
        format!("{} us, {slowdown:.2}; {rate:.1}, {pace}", decimals(p99_ns, 1_000, 1))
    }

    /// `usual`: when the training ends where nothing holds it up.
    fn training(&self, usual: u64) -> String {
        let Process { ended, end_ns, slowdown, .. } = self.training;
        let rate = thousands(per_second(ended, end_ns));
        let mut cell = format!("{slowdown:.2}; {rate}, {}", thousands(self.training.pace()));
        if end_ns > usual + usual / 100 {
            let mark = if self.stopped { "*" } else { "" };
            write!(cell, "; {} s{mark}", decimals(end_ns, 1_000_000_000, 2)).expect("a string");
        }
        cell
    }
}

/// Figures of the prose that stand in no table: what, how much.
pub(super) struct Beside(Vec<(String, String)>);

impl Beside {
    pub(super) fn read(
        alone: &Json,
        verdict: &Cell,
        columns: &[Vec<Cell>],
    ) -> Result<Self, String> {
        let first = columns.first().ok_or("no column")?;
        let of = |name: &str| {
            let found = WAYS.iter().zip(first).find(|(way, _)| way.name == name);
            found.map(|(_, cell)| cell).ok_or_else(|| format!("no way {name}"))
        };
        let p99: u64 = alone.word("recipes.0.summary.processes.0.levels.0.latency-p99-ns")?;
        let kernels: u64 = alone.word("profiles.0.kernel-ns")?;
        let ms = |ns: u64| format!("{} ms", decimals(ns, 1_000_000, 1));
        let us = |ns: u64| format!("{} us", decimals(ns, 1_000, 1));
        let all = || columns.iter().flatten();
        let medians = all().filter(|cell| cell.killed == 0).map(|cell| cell.urgent.median_ns);
        let end = all().map(|cell| cell.training.end_ns).min().unwrap_or(0);
        let killed = |name: &str| of(name).map(|cell| millions(cell.killed));
        let rows = [
            ("a request alone: 99th percentile of the launch latency", us(p99)),
            ("a request alone: from its arrival to its end", ms(first[0].alone_ns)),
            ("a request alone: its kernels one after the other", ms(kernels)),
            (
                "the longest request in any run of the tables",
                ms(all().map(|cell| cell.longest_ns).max().unwrap_or(0)),
            ),
            ("the training ends in any run, where no time is given", ms(end)),
            (
                "the largest median launch latency of urgent work in any run where nothing was killed",
                us(medians.max().unwrap_or(0)),
            ),
            ("`switch`: time spent moving", ms(of("`switch`")?.moved_ns)),
            ("`cheapest`: time spent moving", ms(of("`cheapest`")?.moved_ns)),
            ("`reset`: workgroups killed, in millions", killed("`reset`")?),
            ("`reset`, `most-kills = 16`: the same", killed("`reset`, `most-kills = 16`")?),
            ("`reset`, `most-kills = 4`: the same", killed("`reset`, `most-kills = 4`")?),
            (
                "`reset` with the verdicts below: the training ends",
                format!("{} s", decimals(verdict.training.end_ns, 1_000_000_000, 2)),
            ),
            (
                "`reset` with the verdicts below: median launch latency of urgent work",
                us(verdict.urgent.median_ns),
            ),
            ("`reset` with the verdicts below: 99th percentile of it", us(verdict.urgent.p99_ns)),
        ];
        Ok(Self(rows.into_iter().map(|(what, figure)| (what.to_owned(), figure)).collect()))
    }
}

/// The page with everything between its marks.
///
/// # Errors
/// When a mark is missing.
pub(super) fn fill(
    page: &str,
    commit: &str,
    columns: &[Vec<Cell>],
    Beside(beside): &Beside,
) -> Result<String, String> {
    let usual = columns.iter().flatten().map(|cell| cell.training.end_ns).min().unwrap_or(0);
    let urgent = table(columns, Cell::urgent);
    let training = table(columns, |cell| cell.training(usual));
    let mut figures =
        String::from("| figure, of `leftover` unless it says otherwise | |\n|---|---|\n");
    for (what, figure) in beside {
        writeln!(figures, "| {what} | {figure} |").expect("a string");
    }
    let measured = format!("Measured by `cargo xtask colocate` at {commit}.\n");
    let parts = [
        ("colocated commit", measured),
        ("colocated urgent", urgent),
        ("colocated training", training),
        ("colocated figures", figures),
    ];
    parts.iter().try_fold(page.to_owned(), |page, (mark, text)| between(&page, mark, text))
}

fn table(columns: &[Vec<Cell>], shown: impl Fn(&Cell) -> String) -> String {
    let mut table = String::from("| way |");
    ALLOCATE.iter().for_each(|name| write!(table, " `{name}` |").expect("a string"));
    table += "\n|---|";
    table += &"---|".repeat(ALLOCATE.len());
    for (at, way) in WAYS.iter().enumerate() {
        write!(table, "\n| {} |", way.name).expect("a string");
        for cell in columns.iter().filter_map(|column| column.get(at)) {
            write!(table, " {} |", shown(cell)).expect("a string");
        }
    }
    table + "\n"
}

/// The page with this between the lines `<!-- MARK -->` and `<!-- end of MARK -->`.
fn between(page: &str, mark: &str, text: &str) -> Result<String, String> {
    let (begin, end) = (format!("<!-- {mark} -->\n"), format!("<!-- end of {mark} -->\n"));
    let parts = page.split_once(&begin).and_then(|(before, rest)| {
        rest.split_once(&end).map(|(_, after)| format!("{before}{begin}{text}{end}{after}"))
    });
    parts.ok_or_else(|| format!("the page lacks the lines {} and {}", begin.trim(), end.trim()))
}

fn per_second(count: u64, ns: u64) -> f64 {
    if ns == 0 { 0.0 } else { count as f64 * 1e9 / ns as f64 }
}

fn thousands(value: f64) -> String {
    format!("{:.1}k", value / 1000.0)
}

fn millions(count: u64) -> String {
    format!("{:.2}", count as f64 / 1e6)
}

fn decimals(ns: u64, unit: u64, digits: usize) -> String {
    format!("{:.digits$}", ns as f64 / unit as f64)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// As raddle prints it, shortened.
    const REPORT: &str = r#"{"recipes": [{"name": "x", "summary": {
        "processes": [
            {"launches": 10, "ended": 10, "last-end-ns": 2000000000,
             "levels": [{"latency-p50-ns": 0, "latency-p99-ns": 7, "slowdown": 1.0449}]},
            {"launches": 30, "ended": 30, "last-end-ns": 1900000000,
             "levels": [{"latency-p50-ns": 32000, "latency-p99-ns": 424250, "slowdown": 1.325}],
             "requests": {"ended": 3, "last-end-ns": 1500000000, "latency-max-ns": 9, "alone-ns": 8}}
        ],
        "killed": 0, "stuck": 0, "repeat-capped": true,
        "fairness": {"switch-ns": 5, "processes": [{"alive-ns": 4000000}, {"alive-ns": 3000000}]}
    }}]}"#;

    fn cell(report: &str) -> Result<Cell, String> {
        Cell::read(&Json::parse(report).expect("JSON"), 0)
    }

    #[test]
    fn a_cell_says_latency_slowdown_and_both_rates() {
        let cell = cell(REPORT).expect("every figure is there");
        assert_eq!(cell.urgent(), "424.2 us, 1.32; 2.0, 10.0k");
        // 10 launches in 2 s, and in 4 ms of having some.
        assert_eq!(cell.training(2_000_000_000), "1.04; 0.0k, 2.5k");
        assert_eq!(cell.training(1_500_000_000), "1.04; 0.0k, 2.5k; 2.00 s*");
    }

    #[test]
    fn a_run_that_did_not_end_gives_no_table() {
        let unfinished = REPORT.replacen("\"ended\": 10", "\"ended\": 9", 1);
        assert!(cell(&unfinished).is_err_and(|why| why.contains("did not end")));
        let stuck = REPORT.replace("\"stuck\": 0", "\"stuck\": 1");
        assert!(cell(&stuck).is_err_and(|why| why.contains("did not end")));
        let lacking = REPORT.replace("alive-ns", "living-ns");
        assert!(cell(&lacking).is_err_and(|why| why.contains("alive-ns")));
    }

    #[test]
    fn tables_have_a_row_a_way_and_a_column_a_policy() {
        let cell = cell(REPORT).expect("every figure is there");
        let columns = vec![vec![cell; WAYS.len()]; ALLOCATE.len()];
        let table = table(&columns, Cell::urgent);
        assert_eq!(table.lines().count(), 2 + WAYS.len());
        assert!(table.lines().all(|line| line.matches('|').count() == ALLOCATE.len() + 2));
    }

    #[test]
    fn the_page_keeps_what_stands_outside_the_marks() {
        let page = "a\n<!-- x -->\nold\n<!-- end of x -->\nb\n";
        let filled = between(page, "x", "new\n").expect("it has the marks");
        assert_eq!(filled, "a\n<!-- x -->\nnew\n<!-- end of x -->\nb\n");
        assert_eq!(between(&filled, "x", "new\n").as_ref(), Ok(&filled));
        assert!(between(page, "y", "").is_err_and(|why| why.contains("<!-- end of y -->")));
    }
}
