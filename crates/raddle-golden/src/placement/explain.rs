//! Why does a workgroup lie where a baseline put it?
//!
//! From the rows of the replay: number, compute unit, and for each wave SIMD, vector registers,
//! scalar registers and LDS, as byte offsets.

use crate::Explained;
use raddle_dispatch::read::FaultKind;
use raddle_policy::Demand;
use serde_json::Value;

use super::contract::{Algorithm, PlacementOutcome, Replay};
use super::{answer_of, question, run};
use crate::explanation::{ExplainedStep, counted, step};
use crate::fault::{Fault, fault};

/// This workgroup of the worked example is shown in the contract.
const EXAMPLE_GROUP: u64 = 600;
/// So many workgroups are shown from the beginning.
const FIRST: u64 = 3;

/// One placement, read back from its row.
#[derive(Clone, Debug)]
struct PlacedRow {
    row: String,
    number: u64,
    cu: u64,
    /// SIMD, vector registers, scalar registers, LDS; the latter three as byte offsets.
    waves: Vec<[u64; 4]>,
    /// The compute unit that is asked first.
    asked: u64,
}

pub(super) fn explain(value: &Value) -> Result<Explained, Fault> {
    let replay = question(value)?;
    let demand = replay.kernel.demand().map_err(fault(FaultKind::Inconsistent, "/kernel"))?;
    let (mut shown, mut last, mut next, mut passed_on) = (Vec::new(), None, 0, false);
    let outcome = run(&replay, &mut |row| {
        let Some(placed) = read(row, next) else { return };
        if replay.algorithm == Algorithm::RoundRobin {
            next = (placed.cu + 1) % u64::from(replay.cus);
        }
        let passes_on = !passed_on && placed.number >= FIRST && placed.cu != placed.asked;
        passed_on |= passes_on;
        last = if passes_on || placed.number < FIRST || placed.number == EXAMPLE_GROUP {
            shown.push(placed);
            None
        } else {
            Some(placed)
        };
    })?;
    let mut steps = vec![wanted(&replay, &demand)];
    steps.extend(shown.iter().chain(&last).map(|placed| place(placed, &replay, &demand)));
    steps.push(end(&outcome));
    Ok((steps, answer_of(&outcome)))
}

fn read(row: &str, asked: u64) -> Option<PlacedRow> {
    let mut fields = row.split(',');
    let number = fields.next()?.parse().ok()?;
    let cu = fields.next()?.strip_prefix("CU")?.parse().ok()?;
    let wave = |text: &str| {
        let parts: Option<Vec<u64>> = text.split(':').map(|part| part.parse().ok()).collect();
        <[u64; 4]>::try_from(parts?).ok()
    };
    let waves = fields.map(wave).collect::<Option<_>>()?;
    Some(PlacedRow { row: row.to_owned(), number, cu, waves, asked })
}

fn wanted(replay: &Replay, demand: &Demand) -> ExplainedStep {
    let kernel = replay.kernel;
    let units = |n: u32| counted(n, "unit", "units");
    let lines = vec![
        format!("{} threads are {} of 64", kernel.threads, counted(demand.waves, "wave", "waves")),
        format!("{} vector registers are {} of 4 for each wave", kernel.vgpr, units(demand.vgpr.into())),
        format!("{} scalar registers are {} of 16 for each wave", kernel.sgpr, units(demand.sgpr.into())),
        format!("{} bytes of LDS are {} of 256 for the workgroup", kernel.lds, units(demand.lds)),
        "An empty compute unit has 4 SIMDs with 10 wave slots and 64 vector units each, 200 scalar units, 256 LDS units".to_owned(),
    ];
    let groups = counted(replay.groups, "workgroup", "workgroups");
    step(format!("The demand of one of the {groups}, rounded up to units"), lines)
}

fn place(placed: &PlacedRow, replay: &Replay, demand: &Demand) -> ExplainedStep {
    let run = |start: u64, unit_bytes: u64, length: u32| {
        let first = start / unit_bytes;
        match length {
            0 => "nothing".to_owned(),
            1 => format!("unit {first} (from byte {start})"),
            _ => format!("units {first}..{} (from byte {start})", first + u64::from(length) - 1),
        }
    };
    let each = |text: &dyn Fn(&[u64; 4]) -> String| {
        let waves = placed.waves.iter().enumerate();
        waves.map(|(n, wave)| format!("wave {n} {}", text(wave))).collect::<Vec<_>>().join("; ")
    };
    let lds = placed.waves.first().map_or(0, |wave| wave[3]);
    let lines = vec![
        asked(placed, replay),
        format!("A, scalar registers: {}", each(&|wave| run(wave[2], 64, demand.sgpr.into()))),
        format!("B, LDS: {}, for every wave", run(lds, 256, demand.lds)),
        format!(
            "C, SIMD and vector registers: {}",
            each(&|wave| format!("on SIMD {}, {}", wave[0], run(wave[1], 16, demand.vgpr.into())))
        ),
        format!("Row: {}", placed.row),
    ];
    step(format!("Workgroup {} goes to CU{}", placed.number, placed.cu), lines)
}

/// The compute units that were asked before, and why this one.
fn asked(placed: &PlacedRow, replay: &Replay) -> String {
    let PlacedRow { cu, asked, .. } = *placed;
    let cus = u64::from(replay.cus);
    let begin = match replay.algorithm {
        Algorithm::Greedy => "Greedy asks from CU0".to_owned(),
        Algorithm::RoundRobin => format!("The cursor stands at CU{asked}"),
    };
    match (cu + cus - asked) % cus {
        0 => format!("{begin}, which accepts"),
        1 => format!("{begin}, which refuses; the next one accepts"),
        n => format!("{begin}; {n} compute units refuse, CU{cu} accepts"),
    }
}

fn end(outcome: &PlacementOutcome) -> ExplainedStep {
    let lines = vec![
        "At most 8 are placed and 8 completions taken a tick; each lasts 500 to 1499 cycles, by a fixed generator".to_owned(),
        format!(
            "The dispatcher ticked {} times, the last at cycle {}",
            outcome.ticks,
            outcome.cycles.saturating_sub(1)
        ),
        "The answer's hash is FNV-1a over all rows, each with its line end".to_owned(),
    ];
    step(format!("All {} placed", counted(outcome.placed, "workgroup is", "workgroups are")), lines)
}
