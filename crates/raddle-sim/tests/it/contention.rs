//! Does a kernel last as much longer beside others as it is charged, and no longer?

use raddle_dispatch::Composed;
use raddle_policy::Preemption;
use raddle_sim::{
    Charge, Contention, ContentionTable, NeighbourClass, Outcome, ProcessPlan, Workload,
};
use raddle_trace::{ImportConfig, Profile, read};

use crate::kit::{SHAPE, end, kernel, preempting, run_default, try_run, workload};

/// Returns the contention of a kernel of this class, with its factors, in thousandths, beside a
/// neighbour that needs compute and one that needs memory.
fn charged(class: NeighbourClass, compute: u32, memory: u32) -> Contention {
    Contention { class, permille: [compute, memory, 1000, 1000] }
}

fn beside(mut workload: Workload, charges: Vec<Vec<Contention>>) -> Workload {
    for (plan, own) in workload.processes.iter_mut().zip(charges) {
        plan.contention = own;
    }
    workload
}

fn ends(outcome: &Outcome) -> Vec<u64> {
    (0..outcome.records.len()).map(|launch| end(outcome, launch)).collect()
}

#[test]
fn a_neighbour_costs_for_as_long_as_it_runs() {
    use NeighbourClass::Memory;
    let alone = workload(vec![vec![kernel(0, 1, 1, 1000)], vec![kernel(0, 1, 1, 500)]]);
    assert_eq!(ends(&run_default(&alone, 1)), [1000, 500]);
    // The first kernel has done half of its work when the second ends.
    let twice = charged(Memory, 1000, 2000);
    let one = beside(alone.clone(), vec![vec![twice], vec![charged(Memory, 1000, 1000)]]);
    assert_eq!(ends(&run_default(&one, 1)), [250 + 1000, 500]);
    let both = beside(alone.clone(), vec![vec![twice], vec![twice]]);
    assert_eq!(ends(&run_default(&both, 1)), [500 + 1000, 1000]);
    // The factor beside memory is not charged beside compute.
    let other = charged(NeighbourClass::Compute, 1000, 3000);
    let apart = beside(alone, vec![vec![charged(Memory, 1500, 9000)], vec![other]]);
    let ended = ends(&run_default(&apart, 1));
    // The second kernel lasts three times as long; in 1500 ticks the first has done 1000.
    assert_eq!(ended, [1500, 1500]);
}

#[test]
fn of_several_neighbours_the_worst_counts_and_those_of_the_same_process_do_not() {
    use NeighbourClass::{Compute, Memory};
    let own = charged(Memory, 1200, 2000);
    let three = workload(vec![
        vec![kernel(0, 1, 1, 1000), kernel(0, 1, 1, 1000)],
        vec![kernel(0, 1, 1, 600)],
        vec![kernel(0, 1, 1, 600)],
    ]);
    let free = |class| charged(class, 1000, 1000);
    let all = beside(three, vec![vec![own, own], vec![free(Compute)], vec![free(Memory)]]);
    // The kernels run beside each other for 600 ticks at half the pace.
    assert_eq!(ends(&run_default(&all, 2))[..2], [1300, 1300]);
    let one = workload(vec![vec![kernel(0, 1, 1, 1000), kernel(0, 1, 1, 1000)]]);
    let one = beside(one, vec![vec![own, own]]);
    assert_eq!(ends(&run_default(&one, 2)), [1000, 1000]);
}

#[test]
fn what_is_switched_costs_nobody_anything_and_keeps_what_it_had_done() {
    use NeighbourClass::Memory;
    let mut urgent = kernel(400, 1, 1, 100);
    urgent.level = raddle_policy::Level(0);
    let mut slow = kernel(0, 1, 1, 1000);
    slow.level = raddle_policy::Level(1);
    let plain = workload(vec![vec![slow], vec![urgent]]);
    let run = |workload: &Workload| {
        let dispatcher = preempting(1, Some(Preemption::Switch)).build().expect("it builds");
        ends(&try_run(workload, 1, dispatcher).expect("a lawful dispatcher"))
    };
    let twice = charged(Memory, 2000, 2000);
    let charged = beside(plain.clone(), vec![vec![twice], vec![twice]]);
    assert_eq!(run(&charged), run(&plain), "they never run at the same time");
    let side = Composed::builder(SHAPE, 1).build().expect("it builds");
    let side = ends(&try_run(&charged, 1, side).expect("a lawful dispatcher"));
    assert_eq!(side, [1100, 600], "200 at half the pace");
}

/// Returns a recording of kernels, each (name, stream, start, duration in ns), on a V100 of which
/// each fills a quarter.
fn recording(rows: &[(&str, u32, u64, u64)]) -> Profile {
    let mut text = "# device = v100\nname,stream,grid_x,grid_y,grid_z,block_x,block_y,block_z,\
                    vgprs_per_thread,lds_bytes,start_ns,duration_ns\n"
        .to_owned();
    for (name, stream, start, duration) in rows {
        text += &format!("{name},{stream},20,1,1,1024,1,1,32,0,{start},{duration}\n");
    }
    read("t.csv", text.as_bytes(), &ImportConfig::default()).expect("a launch table")
}

#[test]
fn a_factor_is_of_the_same_kernel_with_and_without_a_neighbour() {
    let own = raddle_device::find("v100").expect("in the table");
    let profile = recording(&[
        ("reduce_a", 1, 0, 100),
        ("reduce_a", 1, 200, 110),
        ("reduce_a", 1, 400, 90),
        // The kernel takes 1.5 times as long beside a matrix product, and 3 times beside
        // communication.
        ("reduce_a", 1, 1000, 150),
        ("my_gemm", 2, 990, 400),
        ("reduce_a", 1, 2000, 300),
        ("ncclDevKernel_AllReduce", 2, 1990, 400),
        // The kernel `copy_b` never runs alone, so it gives no factor.
        ("copy_b", 1, 3000, 300),
        ("ncclDevKernel_AllReduce", 2, 2990, 400),
        // The kernel has a neighbour for less than half of its time, so it gives no factor.
        ("reduce_a", 1, 4000, 100),
        ("my_gemm", 2, 4060, 400),
    ]);
    let table = ContentionTable::learn([(&profile, &own, None)]);
    let permille = |kernel: &str, beside| table.factor(kernel, beside).map(|of| of.permille);
    use NeighbourClass::{Communication, Compute, Memory, Unknown};
    assert_eq!(permille("reduce_a", Compute), Some(1500));
    assert_eq!(permille("reduce_a", Communication), Some(3000));
    assert_eq!(permille("reduce_a", Memory), None, "nobody observed it");
    // A kernel that was not observed has the factor of its class; without a class it has no factor.
    assert_eq!(permille("layer_norm", Compute), Some(1500));
    assert_eq!(permille("my_gemm", Memory), None);
    assert_eq!(permille("k", Compute), None);
    assert_eq!((table.alone, table.beside, table.never_alone), (3, 2, 1));

    // An unknown factor costs nothing; under `Most` the kernel takes as many times as long as there
    // are processes.
    let stranger = recording(&[("softmax_c", 1, 0, 100), ("reduce_d", 1, 200, 100)]);
    let most = table.charges(&stranger, Charge::Most, 3);
    assert_eq!(most[0].permille, [3000; 4]);
    let factor = table.factor("reduce_d", Compute).expect("by its class");
    assert_eq!(most[1].permille[Compute as usize], factor.high);
    assert_eq!(most[1].permille[Unknown as usize], 3000);
    let expected = table.charges(&stranger, Charge::Expected, 3);
    assert_eq!(expected[0], Contention { class: Compute, permille: [1000; 4] });
    assert_eq!(expected[1].permille, [1500, 1000, 3000, 1000]);
}

#[test]
fn processes_that_are_charged_otherwise_are_not_alike() {
    let plan = ProcessPlan::new("a", vec![kernel(0, 1, 1, 10)]);
    let contention = vec![Contention { permille: [2000; 4], ..Contention::default() }];
    assert!(!plan.is_like(&ProcessPlan { contention, ..plan.clone() }));
}
