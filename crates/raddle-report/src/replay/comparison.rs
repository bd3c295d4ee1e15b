//! How fast were launches under each recipe, how did they reach the device, and how much energy did
//! the work take?

use std::collections::{BTreeMap, BTreeSet};

use raddle_policy::WaitReason;
use raddle_sim::LaunchingSummary;
use raddle_study::result::{RecipeResult, ReplayResult};
use raddle_study::units::{count, duration, percent, size};

use super::NAME;
use crate::document::{Block, Cell, Column, Document, Table};

/// Text in place of the makespan of a replay in which some launches never ended.
const STUCK: &str = "STUCK";
/// Title of the column with the longest time that a launch waited.
const LONGEST: &str = "longest";

const READING: &str = "launches = kernel launches that started, with repetitions; wait = from ready (issued, and everything it waits for has ended) to the first wave started; slowdown = (end - ready) over the same launch alone here under leftover, geometric mean; refused = launches that can never run here, in one repetition; makespan = until every profile has ended once, and every request whose time was given; used = wave-slot time used of that available within the makespan; Jain = 1 where all processes used equal wave-slot time, 1/n where one had all";

const ENERGY: &str = "work = what resident waves draw by weights of their instructions and of LDS and HBM; idle = what device and compute units draw beside it up to the last end; total at -50 % and +50 % = with all weights of the work so changed; energy x delay = total times the time to the last end; hottest = work of the compute unit that took most over the mean; Jain = 1 where all took the same; over time = standard deviation of the power of a compute unit over the mean power. Fit for comparing recipes with each other, not for a power budget.";

const FRAGMENTS: &str = "fragmented = share of what is free on the device that does not lie in the longest run of its SIMD, or of its compute unit for sgpr and lds; most = of the stretch with most, of at most 64; 1/8 to 8/8 = of the stretch at which each eighth of the run begins; refusals = questions in which a waiting workgroup lacked this first on the compute unit asked first: less free than it wants, enough in pieces too short, or a run that is not reported";

const PACKETS: &str = "those of all launches submitted, repetitions and those submitted again included; overhead = what the launch path takes, until launches can start and from their ends until anybody knows, summed over launches. No profile holds the addresses of kernels, arguments or signals: kernels are told by name, arguments lie as `arguments` of the launch path says";

pub(super) fn fill(document: &mut Document, result: &ReplayResult) {
    document.section("launches", "Launches, by process and level");
    document.table(table(result));
    let stuck = if result.stuck.is_empty() { "" } else { "; stuck = launches that never ended" };
    let longest = if levels(result) > 1 { "; longest = the longest wait of a launch" } else { "" };
    document.paragraph("Reading", format!("{READING}{longest}{stuck}"));
    let fragmented = fragmented(result);
    if !fragmented.is_empty() {
        document.page(Block::Heading("Fragmentation".to_owned()));
        document.table(fragmented);
        let waited = waited(result);
        if !waited.is_empty() {
            document.table(waited);
        }
        document.paragraph("Fragments", FRAGMENTS);
    }
    let launching = launching(result);
    if !launching.is_empty() {
        document.page(Block::Heading("Launching".to_owned()));
        document.table(launching);
        document.paragraph("Packets", PACKETS);
    }
    let energy = energy(result);
    if !energy.is_empty() {
        document.table(energy);
        document.paragraph("Energy", ENERGY);
    }
}

fn table(result: &ReplayResult) -> Table {
    let columns = [Column::name("recipe", NAME), Column::name("process", NAME)];
    let figures = [
        "level", "launches", "wait p50", "wait p99", LONGEST, "slowdown", "refused", "makespan",
        "used", "Jain", "stuck",
    ];
    let mut table = Table::new("Launches", columns).figures(figures);
    result.recipes.iter().for_each(|recipe| add_rows(&mut table, recipe));
    // The column of stuck launches is left out where it has zeros alone, as launches rarely get
    // stuck.
    let table = if result.stuck.is_empty() { table.without(&["stuck"]) } else { table };
    // The longest wait matters where one level may have to wait for another.
    if levels(result) > 1 { table } else { table.without(&[LONGEST]) }
}

/// Counts the different levels of urgency among all launches.
fn levels(result: &ReplayResult) -> usize {
    let recipes = result.recipes.iter();
    let processes = recipes.flat_map(|recipe| &recipe.summary.processes);
    let levels = processes.flat_map(|process| process.levels.iter().map(|level| level.level));
    levels.collect::<BTreeSet<u8>>().len()
}

fn time(ns: u64) -> Cell {
    Cell::ranked(duration(ns), Some(ns as f64))
}

fn ratio(value: Option<f64>) -> Cell {
    let text = value.map_or_else(|| "-".to_owned(), |value| format!("{value:.2}"));
    Cell::ranked(text, value)
}

fn add_rows(table: &mut Table, result: &RecipeResult) {
    let summary = &result.summary;
    let makespan = if summary.stuck > 0 { STUCK.into() } else { time(summary.makespan_ns) };
    for process in &summary.processes {
        let mut row = |own: [Cell; 6]| {
            let names = [&result.name, &process.name].map(|name| Cell::from(name.as_str()));
            let whole = [
                count(process.refused.values().sum()).into(),
                makespan.clone(),
                percent(summary.utilisation).into(),
                ratio(summary.jain),
                count(result.stuck_of(&process.name)).into(),
            ];
            table.row(names.into_iter().chain(own).chain(whole));
        };
        for level in &process.levels {
            row([
                level.level.to_string().into(),
                count(level.launches).into(),
                time(level.latency_p50_ns),
                time(level.latency_p99_ns),
                time(level.latency_max_ns),
                ratio(level.slowdown),
            ]);
        }
        if process.levels.is_empty() {
            row(["-", "0", "-", "-", "-", "-"].map(Cell::from));
        }
    }
}

/// Makes the table of fragmentation over time: the fraction of free granules outside the longest
/// free run of each compute unit. It has one row for each resource under each recipe (way of
/// sharing the device) whose allocate policy knows which granules are free.
fn fragmented(result: &ReplayResult) -> Table {
    let names = [Column::name("recipe", NAME), Column::name("resource", 10)];
    let figures = ["fragmented", "most", "1/8", "2/8", "3/8", "4/8", "5/8", "6/8", "7/8", "8/8"];
    let mut table = Table::new("Fragmentation", names).figures(figures);
    for recipe in &result.recipes {
        for of in recipe.summary.addresses.iter().flat_map(|it| &it.fragmentation) {
            let mut row: Vec<Cell> = vec![recipe.name.as_str().into(), of.resource.as_str().into()];
            row.push(Cell::ranked(percent(of.mean), Some(of.mean)));
            row.push(percent(of.most).into());
            let bins = of.over_time.len().max(1);
            row.extend((0..8).map(|eighth| {
                let at = (eighth * bins / 8).min(bins - 1);
                of.over_time.get(at).map_or_else(|| "-".to_owned(), |share| percent(*share)).into()
            }));
            table.row(row);
        }
    }
    table
}

/// Makes the table of the reasons why waiting workgroups did not start: one row for each resource
/// that was lacking, under each recipe (way of sharing the device) that counts these reasons.
fn waited(result: &ReplayResult) -> Table {
    let names = [Column::name("recipe", NAME), Column::name("lacking", 10)];
    let mut table = Table::new("Refusals", names).figures(["not enough", "in pieces", "not seen"]);
    for recipe in &result.recipes {
        let causes = recipe.summary.addresses.iter().flat_map(|it| &it.waits);
        let mut by_resource: BTreeMap<&str, [u64; 3]> = BTreeMap::new();
        for cause in causes {
            let at = match cause.reason {
                WaitReason::NotEnough => 0,
                WaitReason::InPieces => 1,
                WaitReason::NotSeen => 2,
            };
            by_resource.entry(&cause.resource).or_default()[at] += cause.count;
        }
        for (resource, counts) in by_resource {
            let names = [recipe.name.as_str().into(), resource.into()];
            table.row(names.into_iter().chain(counts.map(|of| Cell::from(count(of)))));
        }
    }
    table
}

/// Makes the table of the costs of handing launches to the device in packets, one row for each
/// recipe (way of sharing the device); empty where launching costs no time.
fn launching(result: &ReplayResult) -> Table {
    let figures = ["submitted", "packets", "a packet", "bytes", "overhead", "a launch"];
    let columns = [Column::name("launching", NAME), Column::name("path", NAME)];
    let mut table = Table::new("Launching", columns).figures(figures);
    let costs = |recipe: &RecipeResult| recipe.summary.launching.overhead_ns > 0;
    if !result.recipes.iter().any(costs) {
        return table;
    }
    for recipe in &result.recipes {
        let [path, ..] = recipe.recipe.policies();
        let LaunchingSummary { submitted, packets, bytes, overhead_ns } = recipe.summary.launching;
        let a_packet = submitted as f64 / packets.max(1) as f64;
        table.row([
            recipe.name.as_str().into(),
            path.into(),
            count(submitted).into(),
            Cell::ranked(count(packets), Some(packets as f64)),
            format!("{a_packet:.2}").into(),
            size(bytes).into(),
            time(overhead_ns),
            duration(overhead_ns / submitted.max(1)).into(),
        ]);
    }
    table
}

/// Makes the table of energy, one row for each recipe (way of sharing the device); empty if energy
/// is not counted, or if no wave's instructions are known.
fn energy(result: &ReplayResult) -> Table {
    let figures = [
        "work",
        "idle",
        "total",
        "at -50 %",
        "at +50 %",
        "energy x delay",
        "peak power",
        "hottest",
        "Jain",
        "over time",
    ];
    let mut table = Table::new("Energy", [Column::name("recipe", NAME)]).figures(figures);
    for recipe in &result.recipes {
        if let Some(energy) = &recipe.summary.energy {
            table.row([
                recipe.name.as_str().into(),
                joules(energy.energy_uj).into(),
                joules(energy.idle_uj).into(),
                Cell::ranked(joules(energy.total_uj), Some(energy.total_uj as f64)),
                joules(energy.total_low_uj).into(),
                joules(energy.total_high_uj).into(),
                Cell::ranked(
                    format!("{} mJ s", three_digits(energy.energy_delay_uj_s / 1000.0)),
                    Some(energy.energy_delay_uj_s),
                ),
                watts(energy.peak_mw).into(),
                ratio(Some(energy.hottest_to_mean)),
                ratio(Some(energy.jain)),
                ratio(Some(energy.over_time)),
            ]);
        }
    }
    table
}

/// Writes microjoules as mJ or J with only three digits, as the assumed energy weights allow no
/// more.
fn joules(uj: u64) -> String {
    let (of, unit) = if uj >= 1_000_000 { (1e6, "J") } else { (1e3, "mJ") };
    format!("{} {unit}", three_digits(uj as f64 / of))
}

/// Writes milliwatts as W with three digits.
fn watts(mw: u64) -> String {
    format!("{} W", three_digits(mw as f64 / 1e3))
}

/// Writes a number with at least three digits in all: with decimals where fewer than three stand
/// before the point.
fn three_digits(value: f64) -> String {
    let decimals = match value {
        _ if value >= 99.95 => 0,
        _ if value >= 9.995 => 1,
        _ => 2,
    };
    format!("{value:.decimals$}")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn figures_have_three_digits_and_a_unit() {
        assert_eq!([0, 999, 999_499].map(joules), ["0.00 mJ", "1.00 mJ", "999 mJ"]);
        assert_eq!([1_000_000, 12_345_678].map(joules), ["1.00 J", "12.3 J"]);
        assert_eq!([7, 12_345, 882_748].map(watts), ["0.01 W", "12.3 W", "883 W"]);
    }
}
