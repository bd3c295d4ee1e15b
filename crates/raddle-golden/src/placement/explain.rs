//! Why does a workgroup lie where an algorithm of the placement contract (a fixed test run) put it?
//!
//! Each step is a workgroup, with the addresses of each wave in granules and in bytes.

use raddle_policy::Demand;

use super::contract::{Algorithm, PlacedWorkgroup, PlacementOutcome, PlacementReplay};
use crate::explanation::{Story, counted};

/// Number of the workgroup in the worked example of the placement contract (a fixed test run).
const EXAMPLE_GROUP: u64 = 600;
/// Number of workgroups that the explanation of a replay shows from its beginning.
const FIRST: u64 = 3;

/// Explains a replay of the placement contract (a fixed test run) while it runs. Explained are the
/// workgroups placed first, the first one refused by the compute unit that was tried first, the one
/// of the contract's worked example, and the last one.
pub(super) struct PlacementTeller<'q> {
    replay: &'q PlacementReplay,
    demand: Demand,
    story: &'q mut Story,
    /// Compute unit that will be tried first for the next workgroup.
    asked: u64,
    passed_on: bool,
    /// (last workgroup of the replay, compute unit that was tried first for it), until it is
    /// explained; else `None`.
    last: Option<(PlacedWorkgroup, u64)>,
}

impl<'q> PlacementTeller<'q> {
    pub(super) fn new(replay: &'q PlacementReplay, demand: Demand, story: &'q mut Story) -> Self {
        let kernel = replay.kernel;
        let units = |n: u32| counted(n, "unit", "units");
        let groups = counted(replay.groups, "workgroup", "workgroups");
        story.step(format!("The demand of one of the {groups}, rounded up to units"));
        let waves = counted(demand.waves, "wave", "waves");
        story.note(format!("{} threads are {waves} of 64", kernel.threads));
        let (vgpr, sgpr) = (units(demand.vgpr.into()), units(demand.sgpr.into()));
        story.note(format!("{} vector registers are {vgpr} of 4 for each wave", kernel.vgpr));
        story.note(format!("{} scalar registers are {sgpr} of 16 for each wave", kernel.sgpr));
        let lds = units(demand.lds);
        story.note(format!("{} bytes of LDS are {lds} of 256 for the workgroup", kernel.lds));
        story.note("An empty compute unit has 4 SIMDs with 10 wave slots and 64 vector units each, 200 scalar units, 256 LDS units");
        Self { replay, demand, story, asked: 0, passed_on: false, last: None }
    }

    pub(super) fn add(&mut self, placed: &PlacedWorkgroup) {
        if !self.story.is_told() {
            return;
        }
        let (number, cu) = (placed.number, u64::from(placed.cu.0));
        let passes_on = !self.passed_on && number >= FIRST && cu != self.asked;
        self.passed_on |= passes_on;
        self.last = None;
        if passes_on || number < FIRST || number == EXAMPLE_GROUP {
            self.tell(placed, self.asked);
        } else {
            self.last = Some((placed.clone(), self.asked));
        }
        if self.replay.algorithm == Algorithm::RoundRobin {
            self.asked = (cu + 1) % u64::from(self.replay.cus);
        }
    }

    fn tell(&mut self, placed: &PlacedWorkgroup, asked: u64) {
        let run = |start: u64, unit_bytes: u64, length: u32| {
            let first = start / unit_bytes;
            match length {
                0 => "nothing".to_owned(),
                1 => format!("unit {first} (from byte {start})"),
                _ => {
                    format!("units {first}..{} (from byte {start})", first + u64::from(length) - 1)
                }
            }
        };
        let each = |text: &dyn Fn([u64; 4]) -> String| {
            let waves = placed.waves().enumerate();
            waves.map(|(n, wave)| format!("wave {n} {}", text(wave))).collect::<Vec<_>>().join("; ")
        };
        let Demand { vgpr, sgpr, lds, .. } = self.demand;
        let lds_at = placed.waves().next().map_or(0, |wave| wave[3]);
        let reasons = self.reasons(placed, asked);
        let story = &mut self.story;
        story.step(format!("Workgroup {} goes to CU{}", placed.number, placed.cu.0));
        story.note(reasons);
        let scalar = each(&|wave| run(wave[2], 64, sgpr.into()));
        story.note(format!("A, scalar registers: {scalar}"));
        story.note(format!("B, LDS: {}, for every wave", run(lds_at, 256, lds)));
        let vector = |wave: [u64; 4]| run(wave[1], 16, vgpr.into());
        let vector = each(&|wave| format!("on SIMD {}, {}", wave[0], vector(wave)));
        story.note(format!("C, SIMD and vector registers: {vector}"));
        story.note(format!("Row: {placed}"));
    }

    /// Describes how a workgroup found its compute unit: how many units refused it, beginning with
    /// the unit `asked`, which was tried first, and which unit took it.
    fn reasons(&self, placed: &PlacedWorkgroup, asked: u64) -> String {
        let (cu, cus) = (u64::from(placed.cu.0), u64::from(self.replay.cus));
        let begin = match self.replay.algorithm {
            Algorithm::Greedy => "Greedy asks from CU0".to_owned(),
            Algorithm::RoundRobin => format!("The cursor stands at CU{asked}"),
        };
        match (cu + cus - asked) % cus {
            0 => format!("{begin}, which accepts"),
            1 => format!("{begin}, which refuses; the next one accepts"),
            n => format!("{begin}; {n} compute units refuse, CU{cu} accepts"),
        }
    }

    pub(super) fn end(mut self, outcome: &PlacementOutcome) {
        if let Some((placed, asked)) = self.last.take() {
            self.tell(&placed, asked);
        }
        let placed = counted(outcome.placed, "workgroup is", "workgroups are");
        self.story.end(format!("All {placed} placed"));
        self.story.note("At most 8 are placed and 8 completions taken a tick; each lasts 500 to 1499 cycles, by a fixed generator");
        self.story.note(format!(
            "The dispatcher ticked {} times, the last at cycle {}",
            outcome.ticks,
            outcome.cycles.saturating_sub(1)
        ));
        self.story.note("The answer's hash is FNV-1a over all rows, each with its line end");
    }
}
