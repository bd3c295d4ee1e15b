//! What does each variant of the search for free runs cost, and how often does it miss one? A table
//! for hardware teams.
//!
//! Gates have two inputs, registers are bits held between clocks; *drawn* is as the seed draws it,
//! *folded* without constants (`raddle_bitmap::circuit::Cost` has the formulas). A miss is a
//! request that fits and that the search refuses. The misses are computed for random bits, by an
//! exact recurrence, and counted under churn (requests and releases at random).

use raddle_bitmap::circuit::{Cost, Counting, Timing, Variant};
use raddle_bitmap::{
    Error, ErrorKind, Full, Grouped, Kind as Type, Layout, Sampled, Search, Shared,
};
use raddle_read::FaultKind;
use serde::{Deserialize, Serialize};
use serde_json::Value;

use super::miss::{Chance, Churn, missed, refused};
use crate::explanation::{Story, counted};
use crate::fault::{Fault, check, fault, read_at, within};
use crate::rtl::{RtlCircuit, RtlSearch, RtlSpec};
use crate::{ModelError, json};

/// Most blocks of a free map for which search costs are computed; a larger map would take seconds.
const MOST_BLOCKS: u64 = 4096;
/// Number of execution units (SIMDs) in one module (compute unit) in the example of seed 000, which
/// has `MODULES` modules.
const UNITS: u32 = 4;
const MODULES: u32 = 16;

/// Costs and misses of all variants of the search for free blocks, as the answer gives them in
/// JSON; the explanation shows them as tables.
#[derive(Debug, Serialize)]
struct SearchCosts {
    rows: Vec<VariantCost>,
    churn: ChurnRequests,
}

/// Costs and misses of one variant of the search for free blocks, whose circuit spreads the steps
/// of the search over clocks in one certain way.
#[derive(Debug, Serialize)]
#[serde(rename_all = "kebab-case")]
struct VariantCost {
    variant: String,
    /// Clocks of one use of the circuit (a period). In one use it searches one free map, or several
    /// side by side.
    clocks: u32,
    /// Number of uses of the circuit (periods) in which every free map is searched once.
    periods: usize,
    drawn: GateCounts,
    folded: GateCounts,
    /// Chance that a request for blocks is refused in a map of random bits, as text.
    refused: String,
    /// Chance that a request for blocks is refused in a map of random bits although it fits, as
    /// text.
    missed: String,
    /// Number of requests that the variant missed under churn (requests and releases at random).
    churn_missed: u64,
    /// Number of two-input gates that are added to the Verilog circuit to output the length of the
    /// longest free run and the start for a request; `None` unless the search takes one clock.
    #[serde(skip_serializing_if = "Option::is_none")]
    read_out_gates: Option<u64>,
}

#[derive(Clone, Copy, Debug, Default, Serialize)]
#[serde(rename_all = "kebab-case")]
struct GateCounts {
    and_gates: u64,
    or_gates: u64,
    register_bits: u64,
    depth: u32,
}

/// Numbers of requests under churn (requests and releases at random): all requests, those for which
/// no free run was long enough, and of the latter those for which the sum of free blocks was
/// enough.
#[derive(Debug, Serialize)]
struct ChurnRequests {
    asked: u64,
    refused: u64,
    fragmented: u64,
}

/// A variant of the search for free blocks: its name, and the circuits of which it consists. The
/// costs of these circuits are added up.
struct CostedVariant {
    name: String,
    circuits: Vec<CostedCircuit>,
    /// True if the circuit makes each window (run of blocks that is tested) of two halves, false if
    /// of the next shorter window and one block.
    doublings: bool,
    search: Box<dyn Search>,
}

enum CostedCircuit {
    Full(u32),
    Grouped(Grouped),
    Sampled(Sampled),
    Shared(Shared),
}

#[derive(Deserialize)]
struct CostQuestion {
    #[serde(deserialize_with = "within::<_, _, 2, MOST_BLOCKS>")]
    blocks: u32,
    want: u32,
}

/// Answers a question about free maps of a given size with the costs and misses of all search
/// variants. Returns a fault where the question cannot be answered.
pub(super) fn solve(value: &Value, story: &mut Story) -> Result<String, Fault> {
    let CostQuestion { blocks, want } = read_at(value, "")?;
    check(want.into(), &(1..=blocks.into()), "/want")?;
    tables(blocks, want, story).map_err(fault(FaultKind::Inconsistent, ""))
}

fn tables(blocks: u32, want: u32, story: &mut Story) -> Result<String, ModelError> {
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
            let read_out_gates = match timing {
                Timing::OneClock => Some(candidate.read_out()?),
                _ => None,
            };
            rows.push(VariantCost {
                variant: format!("{}{set}", candidate.name),
                clocks,
                periods: candidate.periods(),
                drawn,
                folded,
                refused: refused(&*candidate.search, blocks, want, half).to_string(),
                missed: missed(&*candidate.search, blocks, want, half).to_string(),
                churn_missed,
                read_out_gates,
            });
        }
    }
    let churn_counts = ChurnRequests {
        asked: churn.requests.into(),
        refused: count.refused,
        fragmented: count.fragmented,
    };
    cost_table(&rows, (blocks, want), &churn, &churn_counts, story);
    read_out_table(&rows, story);
    seed_table(&candidates, (blocks, want), half, story);
    Ok(json(&SearchCosts { rows, churn: churn_counts }))
}

/// Returns the search variants to compare: every search method of the patent that a map of
/// `blocks` blocks allows. Returns an error where the circuit of a search cannot be made.
fn candidates(blocks: u32) -> Result<Vec<CostedVariant>, Error> {
    let one = |name: String, circuit, search| CostedVariant {
        name,
        circuits: vec![circuit],
        doublings: false,
        search,
    };
    let full = |name: &str| one(name.to_owned(), CostedCircuit::Full(blocks), Box::new(Full));
    let doublings = CostedVariant { doublings: true, ..full("full, by doublings") };
    let mut all = vec![full("full"), doublings];
    for size in [2, 4, 8, 16] {
        let Ok(search) = Grouped::new(blocks, blocks / size) else { continue };
        if search.size() == size {
            let name = format!("groups of {size}");
            all.push(one(name, CostedCircuit::Grouped(search), Box::new(search)));
        }
    }
    let samples =
        [("steps", Sampled::steps(blocks)), ("no primes", Sampled::without_primes(blocks))];
    for (name, search) in samples {
        let search = search?;
        let samples = counted(search.amounts().len() as u64, "sample", "samples");
        let name = format!("{samples} ({name})");
        all.push(one(name, CostedCircuit::Sampled(search.clone()), Box::new(search)));
    }
    // The parts have the ratio of 128, 64 and 48 in the seed.
    let parts = [blocks, blocks / 2, blocks * 3 / 8];
    if parts[2] > 0 {
        let [whole, half, rest] = parts;
        let kinds = [(0, whole), (1, half), (2, rest)].map(|(id, blocks)| Type { id, blocks });
        let shared = Shared::new(blocks, blocks, &[&kinds[..1], &kinds[1..]], &Layout::Halves)?;
        let name = format!("shared: {whole}, {half} + {rest}");
        all.push(one(name, CostedCircuit::Shared(shared), Box::new(Full)));
        all.push(CostedVariant {
            name: format!("full: {whole} and {half} and {rest}"),
            circuits: parts.map(CostedCircuit::Full).into(),
            doublings: false,
            search: Box::new(Full),
        });
    }
    Ok(all)
}

impl CostedVariant {
    /// Returns the costs of the variant as (cost of all gates that the patent draws; cost of the
    /// gates that remain when those with constant inputs are removed; clocks of one use of the
    /// circuit). `None` for a timing that does not exist for this variant.
    fn cost(&self, timing: Timing) -> Result<Option<(GateCounts, GateCounts, u32)>, Error> {
        let (mut drawn, mut folded, mut clocks) = (GateCounts::default(), GateCounts::default(), 0);
        for circuit in &self.circuits {
            for (counting, sum) in [(Counting::Drawn, &mut drawn), (Counting::Folded, &mut folded)]
            {
                let of = if self.doublings { Cost::by_doublings } else { Cost::of };
                let cost = match of(circuit.variant(), timing, counting) {
                    Err(error) if error.kind() == ErrorKind::Unsupported => return Ok(None),
                    cost => cost?,
                };
                sum.add(&cost);
                clocks = cost.clocks;
            }
        }
        Ok(Some((drawn, folded, clocks)))
    }

    /// Counts the gates that are added to the circuits to output the length of the longest free run
    /// and the start for a request; returns an error where a circuit cannot be written.
    fn read_out(&self) -> Result<u64, ModelError> {
        let mut added = 0;
        for circuit in &self.circuits {
            let doublings = self.doublings;
            let alone = RtlSpec { doublings, ..RtlSpec::new(circuit.written()) };
            let read = RtlSpec { read_out: true, ..alone.clone() };
            let [read, alone] = [RtlCircuit::new(&read)?, RtlCircuit::new(&alone)?];
            added += read.gates.gates() - alone.gates.gates();
        }
        Ok(added)
    }

    fn periods(&self) -> usize {
        match self.circuits.first() {
            Some(CostedCircuit::Shared(search)) => search.periods(),
            _ => 1,
        }
    }
}

impl CostedCircuit {
    fn written(&self) -> RtlSearch {
        match self {
            Self::Full(blocks) => RtlSearch::Full(*blocks),
            Self::Grouped(search) => RtlSearch::Grouped(*search),
            Self::Sampled(search) => RtlSearch::Sampled(search.clone()),
            Self::Shared(search) => RtlSearch::Shared(search.clone()),
        }
    }

    fn variant(&self) -> Variant<'_> {
        match self {
            Self::Full(blocks) => Variant::Full { blocks: *blocks },
            Self::Grouped(search) => Variant::Grouped(search),
            Self::Sampled(search) => Variant::Sampled(search),
            Self::Shared(search) => Variant::Shared(search),
        }
    }
}

impl GateCounts {
    /// Adds the gates of a circuit that works at the same time as the circuits added before; the
    /// depth becomes that of the deepest circuit.
    fn add(&mut self, cost: &Cost) {
        self.and_gates = self.and_gates.saturating_add(cost.and_gates);
        self.or_gates = self.or_gates.saturating_add(cost.or_gates);
        self.register_bits = self.register_bits.saturating_add(cost.register_bits);
        self.depth = self.depth.max(cost.depth);
    }

    const fn gates(self) -> u64 {
        self.and_gates.saturating_add(self.or_gates)
    }

    fn cells(&self) -> [String; 4] {
        let Self { and_gates, or_gates, register_bits, depth } = self;
        [and_gates.to_string(), or_gates.to_string(), register_bits.to_string(), depth.to_string()]
    }
}

fn cost_table(
    rows: &[VariantCost],
    (blocks, want): (u32, u32),
    churn: &Churn,
    asked: &ChurnRequests,
    story: &mut Story,
) {
    const HEADER: [&str; 13] = [
        "variant", "clocks", "AND", "OR", "bits", "depth", "f.AND", "f.OR", "f.bits", "f.depth",
        "refused", "missed", "churn",
    ];
    let mut table = vec![HEADER.map(str::to_owned).to_vec()];
    for row in rows {
        let clocks = match row.periods {
            1 => row.clocks.to_string(),
            periods => format!("{periods} x {}", row.clocks),
        };
        let mut cells = vec![row.variant.clone(), clocks];
        cells.extend(row.drawn.cells());
        cells.extend(row.folded.cells());
        let churn = format!("{:.1}%", 100.0 * row.churn_missed as f64 / asked.asked.max(1) as f64);
        cells.extend([row.refused.clone(), row.missed.clone(), churn]);
        table.push(cells);
    }
    let (least, most) = churn.want;
    let (low, high) = churn.used_percent;
    let wanted = counted(want, "block", "blocks");
    let ChurnRequests { asked, refused, fragmented } = asked;
    story.step(format!("Cost and misses for {blocks} blocks"));
    aligned(&table, story);
    for text in [
        "",
        "AND, OR: gates with two inputs; bits: held between clocks; depth: gates one behind the other in a clock",
        "first as drawn in the seed, then (f.) folded: without constants and equal registers, as synthesis leaves it",
        "one set: the same gates serve every step, so each can be AND and OR and stands under AND",
        &format!(
            "refused: {wanted} in a row not reported, where each of {blocks} is free with chance 1/2; missed: though they are there"
        ),
        &format!(
            "churn: missed of {asked} requests for {least} to {most} blocks at {low} to {high}% use; no search could have met {refused} more, for {fragmented} of which enough was free in pieces"
        ),
        "not counted here: loading the map, and reading the sequence, which the next table counts",
    ] {
        story.note(text);
    }
}

/// Writes into the explanation the table of what each search variant costs together with its
/// read-out (the gates that give length and start).
fn read_out_table(rows: &[VariantCost], story: &mut Story) {
    let header = ["variant", "search", "read-out", "both", "of full"].map(str::to_owned);
    let mut table = vec![header.to_vec()];
    let both = |row: &VariantCost| Some((row.folded.gates(), row.read_out_gates?));
    let whole = rows.first().and_then(both).map_or(1, |(search, read)| search + read);
    for row in rows {
        let Some((search, read)) = both(row) else { continue };
        let share = format!("{:.1}%", 100.0 * (search + read) as f64 / whole as f64);
        let counts = [search, read, search + read].map(|gates| gates.to_string());
        table.push([vec![row.variant.clone()], counts.to_vec(), vec![share]].concat());
    }
    story.step("Gates with the answer read out, folded, in one clock");
    aligned(&table, story);
    for text in [
        "",
        "read-out: the length in binary, whether a wish fits, and the lowest start where it does (`raddle circuit --read-out`)",
        "a start of groups is the number of a group",
    ] {
        story.note(text);
    }
}

/// Writes a table into the explanation, with its first column aligned to the left and the other
/// columns to the right.
fn aligned(rows: &[Vec<String>], story: &mut Story) {
    let width = |at: usize| rows.iter().map(|row| row[at].chars().count()).max().unwrap_or(0);
    for row in rows {
        let cells = row.iter().enumerate().map(|(at, cell)| match at {
            0 => format!("{cell:<0$}", width(0)),
            _ => format!("{cell:>0$}", width(at)),
        });
        story.note(cells.collect::<Vec<_>>().join("  "));
    }
}

/// Writes a table into the explanation: the chance that a search does not find `want` free blocks
/// in a row in a map of `blocks` blocks, each free with the chance `half`. The table of the patent
/// (paragraphs 151 to 154) has fewer search variants.
fn seed_table(
    candidates: &[CostedVariant],
    (blocks, want): (u32, u32),
    half: Chance,
    story: &mut Story,
) {
    let units = format!("one of {UNITS} units");
    let modules = format!("all {MODULES} modules");
    let mut table = vec![vec!["variant".to_owned(), "one unit".to_owned(), units, modules]];
    for candidate in candidates.iter().filter(|it| it.circuits.len() == 1 && it.periods() == 1) {
        let unit = refused(&*candidate.search, blocks, want, half);
        let module = unit.any_of(UNITS);
        let cells = [unit, module, module.all_of(MODULES)].map(|chance| chance.to_string());
        table.push([vec![candidate.name.clone()], cells.to_vec()].concat());
    }
    let wanted = counted(want, "block", "blocks");
    story.step(format!(
        "Chance that {wanted} in a row are not reported: by one unit, by one of a module's {UNITS}, in every one of {MODULES} modules",
    ));
    aligned(&table, story);
    story.note("");
    story.note("0 is below 1e-19");
}
