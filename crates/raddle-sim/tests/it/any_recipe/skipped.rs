//! Is a run whose periods are skipped the run that it would have been, under any recipe and beside
//! neighbours that cost?

use proptest::prelude::*;
use proptest::sample::select;
use raddle_device::MemoryRates;
use raddle_dispatch::Registry;
use raddle_dispatch::log::LogHeader;
use raddle_sim::{
    Contention, EnergyModel, NeighbourClass, Outcome, ProcessDemand, SimConfig, SimError,
    TaskDemand, Watch, Work, Workload, run_watched,
};
use raddle_trace::KernelNeed;

use super::recipes::{self, Chosen};
use super::{bounded, costs, workloads};
use crate::kit::Sees;

const NEEDS: [KernelNeed; 4] =
    [KernelNeed::Memory, KernelNeed::Compute, KernelNeed::Latency, KernelNeed::Unknown];

const MEMORY: MemoryRates = MemoryRates { peak: 1000, reached: 850, unit: 200, derived: false };

/// Runs a recipe on a workload without a log. Returns the outcome, or why the run ended.
fn ran(chosen: &Chosen, workload: &Workload, watch: &mut impl Watch) -> Result<Outcome, SimError> {
    let registry = Registry::bundled();
    let recipe = registry.recipe("any", &chosen.recipe).expect("it was drawn from valid ones");
    let &Chosen { shape, cus, .. } = chosen;
    let header = LogHeader::new(recipe, "any", shape, cus);
    let builder = header.recipe().builder(shape, cus).expect("it was drawn from valid ones");
    let mut dispatcher = builder.build().expect("it was drawn from valid ones");
    let energy = EnergyModel::of_instructions(EnergyModel::ASSUMED.pj);
    let options = SimConfig { shape, cus, costs: costs(&header), energy };
    run_watched(workload, &mut dispatcher, &options, watch, &mut bounded())
}

/// The costs of neighbours for one task: its need, the bytes that it moves in a microsecond, its
/// class, and the factor beside compute in thousandths.
type Cost = (KernelNeed, u64, NeighbourClass, u32);

/// Draws the costs of neighbours for each task of a workload, from a few kinds.
fn charged() -> impl Strategy<Value = Vec<Cost>> {
    let one = (
        select(&NEEDS[..]),
        select(&[0u64, 300, 700][..]),
        select(&[NeighbourClass::Compute, NeighbourClass::Memory][..]),
        select(&[1000u32, 1337, 2000][..]),
    );
    prop::collection::vec(one, 5)
}

/// Gives a workload grids of many rounds, and neighbours that cost: by demand, or as learnt.
fn given(mut workload: Workload, rounds: u64, charged: &[Cost], learnt: bool) -> Workload {
    for (process, plan) in workload.processes.iter_mut().enumerate() {
        for (at, task) in plan.tasks.iter_mut().enumerate() {
            if let Work::Kernel { workgroups, .. } = &mut task.work {
                *workgroups *= if at % 2 == process % 2 { rounds } else { 1 };
            }
        }
        let kinds = (0..plan.tasks.len()).map(|at| charged[(at + process) % charged.len()]);
        if learnt {
            let cost = |(_, _, class, slow): Cost| {
                let permille = [slow, 1000, 1500, 1000];
                Contention { class, permille }
            };
            plan.contention = kinds.map(cost).collect();
        } else {
            let demand = |(need, rate, ..): Cost| TaskDemand {
                need,
                rate,
                shared: rate,
                pipes: rate * 1000,
                pipes_there: 1_000_000,
                full: 8,
                persistent: false,
            };
            let tasks = kinds.map(demand).collect();
            let (memory, unit_beside) = (MEMORY, MEMORY.unit);
            plan.demand = Some(ProcessDemand { tasks, memory, unit_beside, apart: false });
        }
    }
    workload
}

proptest! {
    #![proptest_config(super::cases())]

    #[test]
    fn what_is_skipped_changes_nothing(
        chosen in recipes::chosen(),
        workload in workloads::workload(),
        (rounds, charged, learnt) in (select(&[1u64, 9, 40][..]), charged(), any::<bool>()),
    ) {
        let workload = given(workload, rounds, &charged, learnt);
        match ran(&chosen, &workload, &mut Sees) {
            // Processes that repeat may run for too long for a test.
            Err(SimError::Cancelled { .. }) => {}
            Err(why) => prop_assert!(false, "{why}\n{}", chosen.recipe),
            Ok(seen) => {
                let mut blind = ran(&chosen, &workload, &mut ()).expect("it ran before");
                blind.skipped = 0;
                prop_assert!(seen == blind, "{}", chosen.recipe);
            }
        }
    }
}
