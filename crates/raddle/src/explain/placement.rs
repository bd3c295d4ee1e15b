//! Why does a workgroup lie where a baseline put it?
//!
//! Told from the rows of the replay: number, compute unit, and for each wave SIMD, vector registers,
//! scalar registers and LDS, as byte offsets.

use raddle_golden::placement::contract::{Algorithm, Outcome, Replay};
use raddle_policy::Demand;
use serde_json::value::RawValue;

use super::{Step, Told};
use crate::golden::fault::{Fault, Kind};
use crate::golden::placement::{answer_of, question, run};
use crate::golden::read::Fields;
use crate::units::{count, counted};

/// Round-robin with the largest of the contract's kernels, whose workgroup 600 the contract shows.
pub(super) const EXAMPLE: &str = r#"{"algorithm":"round-robin","cus":64,"groups":4000,"kernel":{"threads":128,"vgpr":128,"sgpr":96,"lds":8192}}"#;
const EXAMPLE_GROUP: u64 = 600;

/// So many workgroups are told from the beginning.
const FIRST: u64 = 3;

/// Bytes from one unit to the next, in rows.
const VGPR: u64 = 16;
const SGPR: u64 = 64;
const LDS: u64 = 256;

/// One placement, read back from its row.
#[derive(Clone, Debug, PartialEq, Eq)]
struct Placement {
    row: String,
    number: u64,
    cu: u64,
    /// SIMD, vector registers, scalar registers, LDS; the latter three as byte offsets.
    waves: Vec<[u64; 4]>,
    /// The compute unit of the workgroup before.
    before: Option<u64>,
}

/// What of a replay is worth telling.
#[derive(Default)]
struct Chosen {
    first: Vec<Placement>,
    /// The first one that did not go to the compute unit asked first.
    passed_on: Option<Placement>,
    example: Option<Placement>,
    last: Option<Placement>,
}

/// Explains one question.
pub(super) fn explain(fields: &Fields<'_>) -> Result<Told, Fault> {
    let replay = question(fields)?;
    let demand = replay.kernel.demand();
    let demand =
        demand.map_err(|error| Fault::new(Kind::Inconsistent, "/kernel", error.to_string()))?;
    let mut told = Chosen::default();
    let mut before = None;
    let outcome = run(&replay, &mut |row| {
        let Some(placement) = read(row, before) else { return };
        before = Some(placement.cu);
        told.take(placement, &replay);
    })?;
    let mut steps = vec![wanted(&replay, &demand)];
    let mut tell = |placement: &Placement| steps.push(place(placement, &replay, &demand));
    told.chosen().into_iter().for_each(&mut tell);
    steps.push(end(&outcome));
    // A string and an integer in an object: always JSON.
    let answer = RawValue::from_string(answer_of(&outcome)).unwrap_or_default();
    Ok(Told { steps, answer })
}

impl Chosen {
    fn take(&mut self, placement: Placement, replay: &Replay) {
        let asked_first = first_asked(&placement, replay);
        if placement.number < FIRST {
            self.first.push(placement.clone());
        } else if self.passed_on.is_none() && placement.cu != asked_first {
            self.passed_on = Some(placement.clone());
        }
        if placement.number == EXAMPLE_GROUP {
            self.example = Some(placement.clone());
        }
        self.last = Some(placement);
    }

    /// In order, each once.
    fn chosen(&self) -> Vec<&Placement> {
        let mut all: Vec<&Placement> = self.first.iter().collect();
        all.extend(self.passed_on.iter().chain(&self.example).chain(&self.last));
        all.sort_by_key(|placement| placement.number);
        all.dedup_by_key(|placement| placement.number);
        all
    }
}

fn read(row: &str, before: Option<u64>) -> Option<Placement> {
    let mut fields = row.split(',');
    let number = fields.next()?.parse().ok()?;
    let cu = fields.next()?.strip_prefix("CU")?.parse().ok()?;
    let wave = |text: &str| {
        let mut parts = text.split(':').map(|part| part.parse().ok());
        let mut next = || parts.next().flatten();
        Some([next()?, next()?, next()?, next()?])
    };
    Some(Placement {
        row: row.to_owned(),
        number,
        cu,
        waves: fields.map(wave).collect::<Option<_>>()?,
        before,
    })
}

/// Which compute unit the algorithm asks first.
fn first_asked(placement: &Placement, replay: &Replay) -> u64 {
    match (replay.algorithm, placement.before) {
        (Algorithm::RoundRobin, Some(before)) => (before + 1) % u64::from(replay.cus),
        _ => 0,
    }
}

fn wanted(replay: &Replay, demand: &Demand) -> Step {
    let kernel = replay.kernel;
    let lines = vec![
        format!("{} threads are {} of 64", count(kernel.threads.into()), waves(demand)),
        format!("{} vector registers are {} of 4 for each wave", kernel.vgpr, units(demand.vgpr.into())),
        format!("{} scalar registers are {} of 16 for each wave", kernel.sgpr, units(demand.sgpr.into())),
        format!("{} bytes of LDS are {} of 256 for the workgroup", kernel.lds, units(demand.lds)),
        "An empty compute unit has 4 SIMDs with 10 wave slots and 64 vector units each, 200 scalar units, 256 LDS units".to_owned(),
    ];
    Step {
        title: format!(
            "What one of the {} wants, rounded up to units",
            counted(replay.groups, "workgroup", "workgroups")
        ),
        lines,
    }
}

fn waves(demand: &Demand) -> String {
    counted(demand.waves.into(), "wave", "waves")
}

fn units(n: u32) -> String {
    counted(n.into(), "unit", "units")
}

fn place(placement: &Placement, replay: &Replay, demand: &Demand) -> Step {
    let mut lines = vec![asked(placement, replay)];
    let run = |start: u64, unit_bytes: u64, length: u32| {
        if length == 0 {
            return "nothing".to_owned();
        }
        let first = start / unit_bytes;
        let last = first + u64::from(length) - 1;
        let units =
            if first == last { format!("unit {first}") } else { format!("units {first}..{last}") };
        format!("{units} (from byte {start})")
    };
    let each = |text: &dyn Fn(&[u64; 4]) -> String| -> Vec<String> {
        let waves = (0..).zip(&placement.waves);
        waves.map(|(n, wave): (u64, _)| format!("wave {n} {}", text(wave))).collect()
    };
    let scalar = each(&|wave| run(wave[2], SGPR, demand.sgpr.into()));
    lines.push(format!("A, scalar registers: {}", scalar.join("; ")));
    let lds = placement.waves.first().map_or(0, |wave| wave[3]);
    lines.push(format!("B, LDS: {}, for every wave", run(lds, LDS, demand.lds)));
    let vector =
        each(&|wave| format!("on SIMD {}, {}", wave[0], run(wave[1], VGPR, demand.vgpr.into())));
    lines.push(format!("C, SIMD and vector registers: {}", vector.join("; ")));
    lines.push(format!("Row: {}", placement.row));
    Step { title: format!("Workgroup {} goes to CU{}", placement.number, placement.cu), lines }
}

/// Who was asked before, and why this one.
fn asked(placement: &Placement, replay: &Replay) -> String {
    let cus = u64::from(replay.cus);
    let first = first_asked(placement, replay);
    let refused = (placement.cu + cus - first) % cus;
    let begin = match (replay.algorithm, placement.before) {
        (Algorithm::Greedy, _) => "Greedy asks from CU0".to_owned(),
        (Algorithm::RoundRobin, None) => "The cursor stands at CU0".to_owned(),
        (Algorithm::RoundRobin, Some(before)) => {
            format!("The cursor stands at CU{first}, behind CU{before}")
        }
    };
    match refused {
        0 => format!("{begin}, which accepts"),
        1 => format!("{begin}, which refuses; the next one accepts"),
        n => format!("{begin}; {n} compute units refuse, CU{} accepts", placement.cu),
    }
}

fn end(outcome: &Outcome) -> Step {
    Step {
        title: format!("All {} placed", counted(outcome.placed, "workgroup is", "workgroups are")),
        lines: vec![
            "At most 8 are placed and 8 completions taken a tick; each lasts 500 to 1499 cycles, by a fixed generator".to_owned(),
            format!(
                "The dispatcher ticked {} times, the last at cycle {}",
                count(outcome.ticks),
                count(outcome.cycles.saturating_sub(1))
            ),
            "The answer's hash is FNV-1a over all rows, each with its line end".to_owned(),
        ],
    }
}
