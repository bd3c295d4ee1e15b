//! Does a launch last as long beside others, and on fewer units, as its demand for memory says?

use raddle_device::MemoryRates;
use raddle_dispatch::Recipe;
use raddle_policy::{Preemption, Tick};
use raddle_sim::{
    DemandRule, Outcome, PlanConfig, ProcessDemand, ProcessPlan, Repetition, SimConfig, Task,
    TaskDemand, Workload, op_needs, plan, process_demand, run,
};
use raddle_testkit::samples;
use raddle_trace::{ImportConfig, KernelNeed, Profile, read};

use crate::kit::{
    SHAPE, at_level, copy, end, in_order, kernel, options, preempting, run_default, try_run,
    workload,
};

const MEMORY: MemoryRates = MemoryRates { peak: 1000, reached: 850, unit: 500, derived: false };

fn needs(need: KernelNeed, rate: u64, full: u64) -> TaskDemand {
    TaskDemand {
        need,
        rate,
        shared: rate,
        pipes: 0,
        pipes_there: 1_000_000,
        full,
        persistent: false,
    }
}

pub(crate) fn memory() -> TaskDemand {
    needs(KernelNeed::Memory, 800, 1)
}

fn compute(full: u64) -> TaskDemand {
    needs(KernelNeed::Compute, 250, full)
}

fn latency() -> TaskDemand {
    needs(KernelNeed::Latency, 0, 1)
}

/// Returns a workload of these processes, each given as its tasks with their demands for memory.
pub(crate) fn demanding(processes: Vec<Vec<(Task, TaskDemand)>>) -> Workload {
    let tasks = |all: &Vec<(Task, TaskDemand)>| all.iter().map(|(task, _)| *task).collect();
    let mut workload = workload(processes.iter().map(tasks).collect());
    for (plan, own) in workload.processes.iter_mut().zip(processes) {
        let tasks = own.into_iter().map(|(_, demand)| demand).collect();
        plan.demand =
            Some(ProcessDemand { tasks, memory: MEMORY, unit_beside: MEMORY.unit, apart: false });
    }
    workload
}

fn without(workload: &Workload) -> Workload {
    let mut plain = workload.clone();
    plain.processes.iter_mut().for_each(|plan| plan.demand = None);
    plain
}

fn ends(outcome: &Outcome) -> Vec<u64> {
    (0..outcome.records.len()).map(|launch| end(outcome, launch)).collect()
}

/// Returns the tick at which the first launch of each process ended.
fn firsts(outcome: &Outcome, processes: u16) -> Vec<u64> {
    let first = |process| outcome.records.iter().position(|record| record.process == process);
    (0..processes).map(|process| end(outcome, first(process).expect("it has one"))).collect()
}

#[test]
fn memory_is_shared_and_compute_only_loads_it() {
    // Both launches, on both units, want 800 bytes each of the 850 that memory moves.
    let two = |other| demanding(vec![vec![(kernel(0, 2, 1, 1000), memory())], vec![other]]);
    let both = two((kernel(0, 2, 1, 500), memory()));
    // The second launch lasts 500 x 1600 / 850 = 941.2 ticks; the first has done 499.9 by then.
    assert_eq!(ends(&run_default(&both, 2)), [1441, 941]);
    let beside = two((kernel(0, 2, 1, 5000), compute(2)));
    assert_eq!(ends(&run_default(&beside, 2)), [1235, 5000], "1000 x (800 + 250) / 850");
    // Half of the launch's workgroups load the memory by half: 925 of 850 are wanted.
    let half = two((kernel(0, 2, 1, 5000), compute(4)));
    assert_eq!(ends(&run_default(&half, 2)), [1088, 5000]);
    let unknown = two((kernel(0, 2, 1, 5000), needs(KernelNeed::Unknown, 0, 2)));
    assert_eq!(ends(&run_default(&unknown, 2)), [1000, 5000]);
}

/// Checks that launches that need compute get no more of their units' pipes than neighbours leave.
#[test]
fn compute_shares_the_pipes_of_its_units() {
    let chain = |pipes| TaskDemand { pipes, ..needs(KernelNeed::Compute, 0, 2) };
    let beside = |own, other| {
        let two = [own, other].map(|of| vec![(kernel(0, 2, 1, 1000), of)]);
        ends(&run_default(&demanding(two.to_vec()), 2))
    };
    assert_eq!(beside(chain(1_000_000), chain(1_000_000)), [2000, 2000]);
    assert_eq!(beside(chain(500_000), chain(500_000)), [1000, 1000], "each has its half");
    assert_eq!(beside(chain(500_001), chain(500_000)), [1000, 1000], "less than 1 ns more");
    assert_eq!(beside(chain(750_000), chain(500_000)), [1250, 1250]);
    assert_eq!(beside(chain(1_000_000), memory()), [1000, 1000], "memory leaves the pipes");
    // Two workgroups of four run, which is half of the pipes that all four use.
    let half = TaskDemand { full: 4, ..chain(1_000_000) };
    assert_eq!(beside(half, chain(1_000_000)), [1500, 1500]);
    // Launches of the same process wait for each other in the recording already.
    let own = vec![(kernel(0, 2, 1, 1000), chain(1_000_000)); 2];
    let idle = vec![(kernel(5000, 1, 1, 10), latency())];
    assert_eq!(ends(&run_default(&demanding(vec![own, idle]), 2)), [1000, 1000, 5010]);
}

/// Checks that processes with compute units of their own share no pipes.
#[test]
fn compute_on_units_of_its_own_shares_no_pipes() {
    let all = TaskDemand { pipes: 1_000_000, ..needs(KernelNeed::Compute, 0, 32) };
    let mut both = demanding(vec![vec![(kernel(0, 32, 1, 1000), all)]; 2]);
    (both.processes[0].share, both.processes[1].share) = (1, 3);
    let found = apart(&both, 4);
    assert_eq!(ends(&found), ends(&apart(&without(&both), 4)));
}

/// Checks that bytes that stay in caches cost no neighbour anything.
#[test]
fn what_stays_in_caches_loads_no_memory() {
    let cached = TaskDemand { shared: 0, ..memory() };
    let two = vec![vec![(kernel(0, 2, 1, 1000), cached)]; 2];
    assert_eq!(ends(&run_default(&demanding(two), 2)), [1000, 1000]);
}

#[test]
fn a_launch_wants_no_more_than_the_units_that_hold_it_move() {
    // Each launch is on one unit: 500 + 500 of 850 are wanted, not 800 + 800.
    let one = |_| vec![(kernel(0, 1, 8, 1000), memory())];
    assert_eq!(ends(&run_default(&demanding((0..2).map(one).collect()), 2)), [1176, 1176]);
}

#[test]
fn small_kernels_wait_for_loaded_memory() {
    let beside = |other| {
        let small = vec![(kernel(0, 1, 1, 100), latency())];
        ends(&run_default(&demanding(vec![small, vec![other]]), 2))[0]
    };
    assert_eq!(beside((kernel(0, 2, 1, 9000), memory())), 194, "100 x (850 + 800) / 850");
    assert_eq!(beside((kernel(0, 2, 1, 9000), compute(2))), 129);
    assert_eq!(beside((kernel(0, 2, 1, 9000), latency())), 100);
    assert_eq!(beside((copy(0, 9000), memory())), 194, "copies load the memory too");
}

#[test]
fn neighbours_of_the_same_process_are_in_its_recording() {
    let own = vec![(kernel(0, 2, 1, 1000), memory()), (kernel(0, 2, 1, 1000), memory())];
    let idle = vec![(kernel(5000, 1, 1, 10), memory())];
    assert_eq!(ends(&run_default(&demanding(vec![own, idle]), 2)), [1000, 1000, 5010]);
}

#[test]
fn instances_have_memory_of_their_own() {
    let mut both = demanding(vec![vec![(kernel(0, 2, 1, 1000), memory())]; 2]);
    for plan in &mut both.processes {
        plan.demand = plan.demand.take().map(|of| of.in_instance(4));
    }
    assert_eq!(ends(&run_default(&both, 2)), [1000, 1000]);
}

#[test]
fn the_order_of_processes_does_not_matter() {
    let of = |at: usize| match at {
        0 => vec![(kernel(0, 2, 1, 1013), memory())],
        1 => vec![(kernel(37, 2, 1, 777), memory())],
        _ => vec![(kernel(91, 1, 1, 333), latency())],
    };
    let run = |order: [usize; 3]| {
        let found = firsts(&run_default(&demanding(order.map(of).to_vec()), 2), 3);
        let mut sorted = [0; 3];
        order.iter().zip(found).for_each(|(&at, end)| sorted[at] = end);
        sorted
    };
    let expected = run([0, 1, 2]);
    for order in [[0, 2, 1], [1, 0, 2], [1, 2, 0], [2, 0, 1], [2, 1, 0]] {
        assert_eq!(run(order), expected, "{order:?}");
    }
}

#[test]
fn what_is_switched_loads_no_memory_and_keeps_what_it_had_done() {
    let slow = at_level(1, vec![kernel(0, 1, 1, 1000)])[0];
    let both = demanding(vec![vec![(slow, memory())], vec![(kernel(400, 1, 1, 100), memory())]]);
    let run = |workload: &Workload| {
        let dispatcher = preempting(2, Some(Preemption::Switch)).build().expect("it builds");
        ends(&try_run(workload, 2, dispatcher).expect("a lawful dispatcher"))
    };
    assert_eq!(run(&both), run(&without(&both)), "they never run at the same time");
}

/// Checks that the dispatcher is not asked when an end that was put off is due at its old tick.
#[test]
fn ends_that_are_put_off_are_no_decisions() {
    let short = |at: u64| (kernel(at * 150, 2, 1, 60), memory());
    let all =
        demanding(vec![vec![(kernel(0, 2, 1, 9000), memory())], (0..40).map(short).collect()]);
    let (with, plain) = (run_default(&all, 2), run_default(&without(&all), 2));
    assert!(end(&with, 0) > end(&plain, 0) + 500);
    assert_eq!(with.counters.decisions, plain.counters.decisions);
    assert_eq!(with, run_default(&all, 2));
}

/// Runs a workload under `spatial`, which gives each process compute units by its share.
fn apart(workload: &Workload, cus: u16) -> Outcome {
    let recipe = "raddle = 1\n[allocate]\npolicy = \"spatial\"";
    let recipe = Recipe::parse("test", recipe).expect("a recipe");
    let built = recipe.builder(SHAPE, cus).expect("it fits").build();
    try_run(workload, cus, built.expect("it builds")).expect("a lawful dispatcher")
}

#[test]
fn a_persistent_grid_shrinks_with_the_units_and_the_dispatcher_hears_it() {
    let persistent = TaskDemand { persistent: true, ..compute(32) };
    let mut both = demanding(vec![
        vec![(kernel(0, 32, 1, 1000), persistent)],
        vec![(kernel(0, 1, 1, 10), latency())],
    ]);
    both.processes[0].share = 3;
    let found = apart(&both, 4);
    // On 3 of 4 units the launch has 24 workgroups of 4 / 3 of the length, in one round instead of
    // two.
    assert_eq!(ends(&found)[0], 1333);
    assert_eq!(end(&apart(&without(&both), 4), 0), 2000);
    let record = &found.records[0];
    assert_eq!((record.workgroups, record.units), (24, 3));
    assert_eq!(found.counters.workgroups, 24 + 1);
    // With all units the launch has its own grid.
    let alone = run_default(&both, 4);
    assert_eq!((alone.records[0].workgroups, end(&alone, 0)), (32, 1000));
}

#[test]
fn fewer_units_cost_memory_only_what_they_cannot_move() {
    let idle = vec![(kernel(0, 1, 1, 10), latency())];
    let mut both = demanding(vec![vec![(kernel(0, 32, 1, 1000), memory())], idle]);
    both.processes[0].share = 1;
    // Two of four units move 1000 of the 800 that the launch wants: it lasts as long, in two rounds
    // of half.
    assert_eq!(end(&apart(&both, 4), 0), 1000);
    both.processes[1].share = 3;
    // One unit moves 500 of 800: the launch lasts 1.6 times as long, in four rounds.
    assert_eq!(end(&apart(&both, 4), 0), 1600);
}

#[test]
fn a_host_that_thinks_between_repetitions_begins_the_next_one_later() {
    let run = |think: u64| {
        let tasks = vec![kernel(0, 1, 1, 100)];
        let pause = raddle_sim::HostPause {
            begins: raddle_policy::Ticks(1),
            returns: raddle_policy::Ticks(110),
            tail: raddle_policy::Ticks(10),
            tasks: vec![0],
        };
        let mut one = ProcessPlan::new("p", tasks).closed(vec![pause]);
        one.repetition = Repetition::At([0, 5, 1000].map(raddle_policy::Ticks).to_vec());
        one.think = raddle_policy::Ticks(think);
        ends(&run_default(&Workload { processes: vec![one], repeat: true }, 1))
    };
    assert_eq!(run(0), [100, 210, 1100]);
    assert_eq!(run(40), [100, 250, 1100], "a request that comes later finds the host idle");
}

/// Returns the runs of a profile alone on its device: [with its demand for memory, without].
fn alone(profile: &Profile, device: &raddle_device::Device) -> [Outcome; 2] {
    let planned = plan(profile, &PlanConfig::new(device, device), |_| raddle_policy::Level(0));
    let needs = op_needs(profile, device, |_| None);
    [false, true].map(|charged| {
        let mut one = planned.clone();
        let demand = process_demand(profile, &needs, (device, device), &DemandRule::EXPECTED);
        one.demand = charged.then_some(demand);
        let workload = Workload { processes: vec![one], repeat: false };
        let built = raddle_dispatch::Composed::builder(device.shape, device.cus).build();
        let options = SimConfig { shape: device.shape, cus: device.cus, ..options(1) };
        run(&workload, &mut built.expect("it builds"), &options, &mut |_| ()).expect("lawful")
    })
}

/// The most ops of a sample that is replayed; larger samples of the same kinds add only time.
const MOST_OPS: usize = 20_000;

#[test]
fn profiles_alone_take_as_long_as_without_the_model() {
    let demo = concat!(env!("CARGO_MANIFEST_DIR"), "/../raddle/data/demo");
    let mut files = vec![format!("{demo}/decode.csv"), format!("{demo}/train.csv")];
    for folder in ["kineto_nvidia", "kineto_amd", "nsys", "rocprof", "jax", "rpd"] {
        let Ok(found) = std::fs::read_dir(samples().join(folder)) else { continue };
        files.extend(found.flatten().map(|file| file.path().display().to_string()));
    }
    files.sort();
    if files.len() == 2 {
        raddle_testkit::absent("the folder of samples");
    }
    let mut replayed = 0;
    for file in files {
        let Ok(bytes) = std::fs::File::open(&file) else { continue };
        let Ok(profile) = read(&file, bytes, &ImportConfig::default()) else { continue };
        if profile.ops.is_empty() || profile.ops.len() > MOST_OPS {
            continue;
        }
        let device = profile.device.as_ref().and_then(|own| {
            raddle_device::find_product(&own.name).or_else(|| raddle_device::find(&own.name))
        });
        let device = device.unwrap_or_else(|| raddle_device::find("h200").expect("in the table"));
        let [plain, charged] = alone(&profile, &device);
        let times = |of: &Outcome| -> Vec<(Option<Tick>, Option<Tick>)> {
            of.records.iter().map(|record| (record.started, record.ended)).collect()
        };
        assert_eq!(times(&plain), times(&charged), "{file}");
        assert_eq!(plain, charged, "{file}");
        replayed += 1;
    }
    assert!(replayed >= 2, "{replayed}");
}

#[test]
fn a_stream_alone_in_its_process_keeps_its_times_beside_an_idle_one() {
    let tasks = in_order(vec![kernel(0, 5, 2, 100), kernel(10, 40, 1, 7), copy(20, 3)]);
    let charged = tasks.into_iter().zip([memory(), compute(16), memory()]).collect();
    let idle = vec![(kernel(100_000, 1, 1, 1), memory())];
    let both = demanding(vec![charged, idle]);
    assert_eq!(ends(&run_default(&both, 2)), ends(&run_default(&without(&both), 2)));
}

/// Returns the profile of one kernel of 100 us on a V100, launched by a product of matrices of
/// floats: (m, k) by (k, n).
fn product(kernel: &str, [m, k, n]: [u64; 3]) -> Profile {
    let event = |cat: &str, name: &str, ts: u64, rest: String| {
        format!(r#"{{"ph":"X","cat":"{cat}","name":"{name}","pid":0,"tid":7,"ts":{ts},{rest}}}"#)
    };
    let dims = format!(
        r#""dur":50,"args":{{"Input Dims":[[{m},{k}],[{k},{n}]],"Input type":["float","float"]}}"#
    );
    let args = r#""dur":100,"args":{"device":0,"stream":7,"correlation":1,"grid":[4000,1,1],"block":[64,1,1],"registers per thread":32,"shared memory":0}"#;
    let events = [
        event("cpu_op", "aten::mm", 1, dims),
        event("cuda_runtime", "cudaLaunchKernel", 2, r#""dur":1,"args":{"correlation":1}"#.into()),
        event("kernel", kernel, 100, args.into()),
    ];
    let text = format!(r#"{{"traceEvents":[{}]}}"#, events.join(","));
    let options = ImportConfig { op_shapes: true, ..ImportConfig::default() };
    read("a.json", text.as_bytes(), &options).expect("a trace")
}

/// Checks that shapes of tensors give need and rate, that the range holds what the name tells too,
/// and that neither the user's word nor the size of a launch is overruled.
#[test]
fn shapes_tell_need_and_rate_and_the_range_holds_the_name_too() {
    use KernelNeed::{Compute, Memory};
    // A V100 moves at most 900,000 bytes in a microsecond.
    let device = raddle_device::find("v100").expect("in the table");
    let found = |kernel: &str, sides: [u64; 3], said: Option<KernelNeed>| {
        let profile = product(kernel, sides);
        let needs = op_needs(&profile, &device, |_| said);
        let [least, most] = DemandRule::bounds(&device);
        let of = |rule: &DemandRule| {
            let task = process_demand(&profile, &needs, (&device, &device), rule).tasks[0];
            (task.need, task.rate)
        };
        (needs[0].source.name(), [of(&least), of(&DemandRule::expected(&device)), of(&most)])
    };
    let [wide, narrow] = ["volta_sgemm_128x64_tn", "volta_sgemm_128x8_tn"];
    // 4 x (2 x 1,000,000 + 1,000,000) bytes in 100 us: 120,000 bytes a microsecond.
    let square = [1000; 3];
    let both = [(Compute, 0), (Compute, 119_700), (Compute, 450_000)];
    assert_eq!(found(wide, square, None), ("shapes", both));
    // Many operations for each byte, where the name tells memory.
    let other = [(Compute, 0), (Compute, 119_700), (Memory, 720_000)];
    assert_eq!(found(narrow, square, None), ("shapes", other));
    // Few rows, where the name tells compute: 4 x (16,000 + 8,000,000 + 8,000) bytes.
    let thin = [4, 4000, 2000];
    let few = [(Compute, 0), (Memory, 320_400), (Memory, 720_000)];
    assert_eq!(found(wide, thin, None), ("shapes", few));
    let alike = [(Memory, 320_400), (Memory, 320_400), (Memory, 720_000)];
    assert_eq!(found(narrow, thin, None).1, alike);
    assert_eq!(found(wide, square, Some(Memory)).0, "said");
    assert_eq!(found("nobody_knows_it", thin, None).1[1], (Memory, 320_400));
    assert_eq!(found("ncclDevKernel_AllReduce", thin, None).0, "nothing");
}

/// Returns, for a sample that was recorded on a device: (part of the kernel time whose need shapes
/// tell; mean rate by shapes, in thousandths of the peak, of these launches that need memory by their
/// name; the same of those that need compute by their name), times weighing.
fn by_shapes(file: &std::path::Path, device: &str) -> [u64; 3] {
    let options = ImportConfig { op_shapes: true, ..ImportConfig::default() };
    let profile = raddle_trace::open(file, &options).expect("a sample");
    let device = raddle_device::find(device).expect("in the table");
    let needs = op_needs(&profile, &device, |_| None);
    let mut sums = [[0, 0]; 3];
    for (op, need) in profile.ops.iter().zip(&needs) {
        if op.kind != raddle_trace::OpKind::Kernel {
            continue;
        }
        let ns = u128::from(op.duration_ns);
        let permille = need.permille.map(u128::from);
        let named = need.named.unwrap_or(need.need);
        let own = [true, named == KernelNeed::Memory, named == KernelNeed::Compute];
        sums[0][1] += ns;
        sums[0][0] += permille.map_or(0, |_| ns * 1000);
        for at in [1, 2] {
            let Some(permille) = permille.filter(|_| own[at]) else { continue };
            sums[at][0] += ns * permille;
            sums[at][1] += ns;
        }
    }
    sums.map(|[part, all]| u64::try_from(part / all.max(1)).expect("a part"))
}

/// Checks how much of samples shapes tell, and at which rates, beside those that names imply: 800
/// where a name tells memory, 250 where it tells compute. Small tensors move less.
#[test]
fn shapes_of_samples_tell_rates() {
    for (file, device, known) in [
        ("kineto_nvidia/hta_trace_diff_control_a100.json.gz", "a100", [295, 583, 332]),
        ("kineto_nvidia/hta_trace_diff_test_v100.json.gz", "v100", [55, 564, 94]),
        ("kineto_nvidia/hta_timeline_sampled_rank0.json.gz", "a100", [123, 606, 426]),
        ("kineto_nvidia/tracelens_b200_eager.json.gz", "b200", [138, 175, 277]),
        ("kineto_amd/tracelens_mi300x_resnet_act_checkpoint.json.gz", "mi300x", [19, 129, 32]),
        ("kineto_amd/tracelens_mi_vllm_decode_hipgraph.json.gz", "mi300x", [25, 0, 795]),
    ] {
        let Some(path) = raddle_testkit::sample(file) else { continue };
        assert_eq!(by_shapes(&path, device), known, "{file}");
    }
}
