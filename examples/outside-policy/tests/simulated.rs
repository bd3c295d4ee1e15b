//! What does a policy from outside do inside the simulated GPU, beside one of raddle's own?

use outside_policy::SmallestFirst;
use raddle_dispatch::Composed;
use raddle_policy::{Activity, Barrier, Idempotence, KernelCall, Level, Ranked, StreamId, Ticks};
use raddle_sim::{Costs, EnergyModel, ProcessPlan, SimConfig, Task, Work, Workload, run};
use raddle_testkit::{SMALL_CU, demand};

/// Returns a launch that arrives at the tick `arrival`, of `workgroups` workgroups of two waves,
/// which take 100 ticks each.
fn launch(stream: u32, arrival: u64, workgroups: u64) -> Task {
    Task {
        stream: StreamId(stream),
        level: Level(0),
        arrival: Ticks(arrival),
        after: None,
        gap: None,
        idempotent: Idempotence::Unknown,
        activity: Activity::UNKNOWN,
        call: KernelCall::UNKNOWN,
        peers: None,
        work: Work::Kernel {
            workgroups,
            workgroup: Ticks(100),
            demand: demand(2, 1),
            barrier: Barrier::No,
            context_bytes: 0,
        },
    }
}

fn ends(name: &str, builder: raddle_dispatch::Builder) -> String {
    let tasks = vec![launch(0, 0, 40), launch(1, 10, 20), launch(2, 20, 3)];
    let workload = Workload { processes: vec![ProcessPlan::new("p", tasks)], repeat: false };
    let costs = Costs { reset: Ticks(1), context_bytes_per_us: 1, ..Costs::default() };
    let options = SimConfig { shape: SMALL_CU, cus: 2, costs, energy: EnergyModel::ASSUMED };
    let mut dispatcher = builder.build().expect("it builds");
    let outcome = run(&workload, &mut dispatcher, &options, &mut |_| ()).expect("a lawful policy");
    let ends = outcome.records.iter().map(|r| r.ended.map_or(0, |at| at.0));
    let ends: Vec<String> = ends.map(|at| format!("{at:5}")).collect();
    format!("{name:15} {}\n", ends.join(" "))
}

#[test]
fn the_small_launch_no_longer_waits_for_the_large_ones() {
    let device = || Composed::builder(SMALL_CU, 2);
    let mine =
        ends("smallest-first", device().allocate("smallest-first", Ranked::new(SmallestFirst)));
    let table = format!("ends of             k0    k1    k2\n{}{mine}", ends("leftover", device()));
    insta::assert_snapshot!(table, @r"
    ends of             k0    k1    k2
    leftover          500   800   800
    smallest-first    800   400   200
    ");
}
