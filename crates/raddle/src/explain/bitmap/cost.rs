//! What does each variant of the search cost, and what does it miss? The trade of a hardware team.
//!
//! Gates have two inputs, registers are bits held between clocks; *drawn* is as the seed draws it,
//! *folded* without constants (`raddle_bitmap::circuit::Cost` has the formulas). A miss is a wish
//! that fits and is not reported: by an exact recurrence for random bits, and counted under churn.

use raddle_bitmap::circuit::{Cost, Counting, Timing, Variant};
use raddle_bitmap::{Error, Full, Grouped, Kind as Type, Layout, Sampled, Search, Shared};
use raddle_golden::bitmap::miss::{Chance, Churn, missed, refused};
use serde::Serialize;

use super::methods::step;
use crate::explain::{Step, Told};
use crate::golden::fault::{Fault, Kind};
use crate::golden::read::Fields;
use crate::table::Table;
use crate::units::{count, counted, percent, share};

/// The seed's own numbers: 128 blocks, a wish of 4.
pub(in crate::explain) const EXAMPLE: &str = r#"{"blocks":128,"want":4}"#;

/// More would take seconds.
const MOST_BLOCKS: u64 = 4096;
/// A module of the seed's example has so many units, and there are so many modules.
const UNITS: u32 = 4;
const MODULES: u32 = 16;

/// The same as the tables, for a program.
#[derive(Debug, Serialize)]
struct Costs {
    rows: Vec<Row>,
    churn: Requests,
}

/// One variant in one timing.
#[derive(Debug, Serialize)]
#[serde(rename_all = "kebab-case")]
struct Row {
    variant: String,
    /// Clocks of one period, and periods of a round.
    clocks: u32,
    periods: usize,
    drawn: Counts,
    folded: Counts,
    /// Chances, with random bits.
    refused: String,
    missed: String,
    /// Requests missed under churn.
    churn_missed: u64,
}

#[derive(Clone, Copy, Debug, Default, Serialize)]
#[serde(rename_all = "kebab-case")]
struct Counts {
    and_gates: u64,
    or_gates: u64,
    register_bits: u64,
    depth: u32,
}

/// What was asked under churn, and what no search could have reported.
#[derive(Debug, Serialize)]
struct Requests {
    asked: u64,
    refused: u64,
    fragmented: u64,
}

/// A variant with its name; the circuits add up where there are several.
struct Candidate {
    name: String,
    circuits: Vec<Circuit>,
    search: Box<dyn Search>,
}

enum Circuit {
    Full(u32),
    Grouped(Grouped),
    Sampled(Sampled),
    Shared(Shared),
}

/// Costs and misses for maps of so many blocks.
pub(in crate::explain) fn cost(fields: &Fields<'_>) -> Result<Told, Fault> {
    fields.only(&["blocks", "want"])?;
    let blocks = fields.integer("blocks", 2..=MOST_BLOCKS)?;
    let want = fields.integer("want", 1..=blocks)?;
    // Within the ranges, so within the type.
    let (blocks, want) = (blocks as u32, want as u32);
    tables(blocks, want).map_err(|error| Fault::new(Kind::Inconsistent, "", error.to_string()))
}

fn tables(blocks: u32, want: u32) -> Result<Told, Error> {
    let candidates = candidates(blocks)?;
    let churn = Churn::typical(blocks);
    let searches: Vec<&dyn Search> = candidates.iter().map(|it| &*it.search).collect();
    let count = churn.run(&searches)?;
    let half = Chance::new(1, 2)?;
    let mut rows = Vec::new();
    for (candidate, &churn_missed) in candidates.iter().zip(&count.missed) {
        for timing in [Timing::OneClock, Timing::ThreeClocks, Timing::Reused] {
            let Some((drawn, folded, clocks)) = candidate.cost(timing)? else { continue };
            let set = if timing == Timing::Reused { ", one set" } else { "" };
            rows.push(Row {
                variant: format!("{}{set}", candidate.name),
                clocks,
                periods: candidate.periods(),
                drawn,
                folded,
                refused: refused(&*candidate.search, blocks, want, half).to_string(),
                missed: missed(&*candidate.search, blocks, want, half).to_string(),
                churn_missed,
            });
        }
    }
    let churn_counts = Requests {
        asked: count.exact.asked,
        refused: count.exact.refused,
        fragmented: count.exact.fragmented,
    };
    let steps = vec![
        cost_table(&rows, blocks, want, &churn, &churn_counts),
        seed_table(&candidates, blocks, want, half),
    ];
    let answer = serde_json::value::to_raw_value(&Costs { rows, churn: churn_counts });
    // Strings and integers: this cannot fail.
    Ok(Told { steps, answer: answer.unwrap_or_default() })
}

/// What is compared: every method of the seed that so many blocks allow.
fn candidates(blocks: u32) -> Result<Vec<Candidate>, Error> {
    let one = |name: String, circuit, search| Candidate { name, circuits: vec![circuit], search };
    let mut all = vec![one("full".to_owned(), Circuit::Full(blocks), Box::new(Full))];
    for size in [2, 4, 8, 16] {
        let Ok(search) = Grouped::new(blocks, blocks / size) else { continue };
        if search.size() == size {
            let name = format!("groups of {size}");
            all.push(one(name, Circuit::Grouped(search), Box::new(search)));
        }
    }
    let samples =
        [("steps", Sampled::steps(blocks)), ("no primes", Sampled::without_primes(blocks))];
    for (name, search) in samples {
        let search = search?;
        let samples = counted(search.amounts().len() as u64, "sample", "samples");
        let name = format!("{samples} ({name})");
        all.push(one(name, Circuit::Sampled(search.clone()), Box::new(search)));
    }
    // As 128, 64 and 48 of the seed.
    let parts = [blocks, blocks / 2, blocks * 3 / 8];
    if parts[2] > 0 {
        let [whole, half, rest] = parts;
        let kinds = [(0, whole), (1, half), (2, rest)].map(|(id, blocks)| Type { id, blocks });
        let shared = Shared::new(blocks, blocks, &[&kinds[..1], &kinds[1..]], &Layout::Halves)?;
        let name = format!("shared: {whole}, {half} + {rest}");
        all.push(one(name, Circuit::Shared(shared), Box::new(Full)));
        all.push(Candidate {
            name: format!("full: {whole} and {half} and {rest}"),
            circuits: parts.map(Circuit::Full).into(),
            search: Box::new(Full),
        });
    }
    Ok(all)
}

impl Candidate {
    /// Drawn, folded, and clocks; `None` for a timing that the seed does not have.
    fn cost(&self, timing: Timing) -> Result<Option<(Counts, Counts, u32)>, Error> {
        let (mut drawn, mut folded, mut clocks) = (Counts::default(), Counts::default(), 0);
        for circuit in &self.circuits {
            for (counting, sum) in [(Counting::Drawn, &mut drawn), (Counting::Folded, &mut folded)]
            {
                let cost = match Cost::of(circuit.variant(), timing, counting) {
                    Err(Error::NoSuchTiming) => return Ok(None),
                    cost => cost?,
                };
                sum.add(&cost);
                clocks = cost.clocks;
            }
        }
        Ok(Some((drawn, folded, clocks)))
    }

    fn periods(&self) -> usize {
        match self.circuits.first() {
            Some(Circuit::Shared(search)) => search.periods(),
            _ => 1,
        }
    }
}

impl Circuit {
    fn variant(&self) -> Variant<'_> {
        match self {
            Self::Full(blocks) => Variant::Full { blocks: *blocks },
            Self::Grouped(search) => Variant::Grouped(search),
            Self::Sampled(search) => Variant::Sampled(search),
            Self::Shared(search) => Variant::Shared(search),
        }
    }
}

impl Counts {
    /// Circuits side by side.
    fn add(&mut self, cost: &Cost) {
        self.and_gates = self.and_gates.saturating_add(cost.and_gates);
        self.or_gates = self.or_gates.saturating_add(cost.or_gates);
        self.register_bits = self.register_bits.saturating_add(cost.register_bits);
        self.depth = self.depth.max(cost.depth);
    }

    fn cells(&self) -> [String; 4] {
        let [and, or, bits] = [self.and_gates, self.or_gates, self.register_bits].map(count);
        [and, or, bits, self.depth.to_string()]
    }
}

fn cost_table(rows: &[Row], blocks: u32, want: u32, churn: &Churn, asked: &Requests) -> Step {
    const HEADER: [&str; 13] = [
        "variant", "clocks", "AND", "OR", "bits", "depth", "f.AND", "f.OR", "f.bits", "f.depth",
        "refused", "missed", "churn",
    ];
    let right: Vec<usize> = (1..HEADER.len()).collect();
    let mut table = Table::new(&HEADER, &right);
    for row in rows {
        let clocks = match row.periods {
            1 => row.clocks.to_string(),
            periods => format!("{periods} x {}", row.clocks),
        };
        let mut cells = vec![row.variant.clone(), clocks];
        cells.extend(row.drawn.cells());
        cells.extend(row.folded.cells());
        let churn = percent(share(row.churn_missed.into(), asked.asked.into()));
        cells.extend([row.refused.clone(), row.missed.clone(), churn]);
        table.row(&cells.iter().map(String::as_str).collect::<Vec<_>>());
    }
    let mut lines: Vec<String> = table.render(false).lines().map(str::to_owned).collect();
    let (least, most) = churn.want;
    let (low, high) = churn.used_percent;
    lines.extend([
        String::new(),
        "AND, OR: gates with two inputs; bits: held between clocks; depth: gates one behind the other in a clock".to_owned(),
        "first as drawn in the seed, then (f.) folded: without constants and equal registers, as synthesis leaves it".to_owned(),
        "one set: the same gates serve every step, so each can be AND and OR and stands under AND".to_owned(),
        format!(
            "refused: {} in a row not reported, where each of {blocks} is free with chance 1/2; missed: though they are there",
            counted(want.into(), "block", "blocks")
        ),
        format!(
            "churn: missed of {} requests for {least} to {most} blocks at {low} to {high}% use; no search could have met {} more, for {} of which enough was free in pieces",
            count(asked.asked), count(asked.refused), count(asked.fragmented)
        ),
        "not counted, for all alike: loading the map, reading the sequence".to_owned(),
    ]);
    step(format!("Cost and misses for {blocks} blocks"), lines)
}

/// Paragraphs 151 to 154 of the seed, and what they leave out.
fn seed_table(candidates: &[Candidate], blocks: u32, want: u32, half: Chance) -> Step {
    let units = format!("one of {UNITS} units");
    let modules = format!("all {MODULES} modules");
    let mut table = Table::new(&["variant", "one unit", &units, &modules], &[1, 2, 3]);
    for candidate in candidates.iter().filter(|it| it.circuits.len() == 1 && it.periods() == 1) {
        let unit = refused(&*candidate.search, blocks, want, half);
        let module = unit.any_of(UNITS);
        let cells = [unit, module, module.all_of(MODULES)].map(|chance| chance.to_string());
        table.row(&[&candidate.name, &cells[0], &cells[1], &cells[2]]);
    }
    let mut lines: Vec<String> = table.render(false).lines().map(str::to_owned).collect();
    lines.push(String::new());
    lines.push("0 is below 1e-19".to_owned());
    let title = format!(
        "Chance that {} in a row are not reported: by one unit, by one of a module's {UNITS}, in every one of {MODULES} modules",
        counted(want.into(), "block", "blocks")
    );
    step(title, lines)
}
