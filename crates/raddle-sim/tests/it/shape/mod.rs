//! How long does urgent work wait for the device under each way off, and does the way's shape hold?
//!
//! Simulated, not computed: on a V100 an endless row of launches of length T, issued far ahead,
//! fills the device; an urgent launch comes at 100 moments spread over T. Times are nanoseconds.

mod svg;

use std::fmt::Write as _;

use raddle_device::Device;
use raddle_dispatch::Recipe;
use raddle_policy::{Activity, Barrier, Demand, Idempotence, KernelCall, Level, StreamId, Ticks};
use raddle_sim::{
    Costs, EnergyModel, Outcome, ProcessPlan, Repetition, SimConfig, Task, Work, Workload,
    device_costs, device_runtime, run,
};
use raddle_testkit::{file_holds, page_holds};

const US: u64 = 1000;
/// Nanoseconds that each workgroup lasts: a launch of length T has T / 50 us rounds of them.
const WORKGROUP: u64 = 50 * US;
/// The lengths T of the low launches, in microseconds.
const LENGTHS: [u64; 6] = [50, 100, 200, 400, 800, 1600];
/// The number of urgent launches; the next constant is how long each lasts, in nanoseconds.
const ARRIVALS: u64 = 100;
const URGENT: u64 = 10 * US;
/// The window of seed 001: the most launches of a process that are submitted.
const WINDOW: u64 = 8;

/// The methods of preempting, each with the `[preempt]` table of its recipe.
const WAYS: [(&str, &str); 6] = [
    ("wait", "policy = \"wait\""),
    ("flag", "policy = \"flag\""),
    ("drain", "policy = \"drain\""),
    ("reset", "policy = \"reset\""),
    ("switch", "policy = \"switch\""),
    ("cheapest", "policy = \"cheapest\"\nbound-us = 30"),
];

/// Returns the V100 of the device table, changed so that a reset includes the exits of launches and
/// a flag costs no exit: their time would delay all later launches by another amount in each run.
fn v100() -> Device {
    let device = raddle_device::find("v100").expect("it is in the table");
    Device { exit_ns: None, reset_ns: raddle_device::MEASURED_RESET_NS, ..device }
}

/// Returns a kernel of workgroups of 8 waves with 32 registers a thread: 8 of them fill a compute
/// unit, 640 the device.
fn task(device: &Device, rounds: u64, lasts: u64, level: u8) -> Task {
    let demand = Demand { waves: 8, vgpr: 4, sgpr: 0, lds: 0, barriers: 0 };
    Task {
        stream: StreamId(0),
        level: Level(level),
        arrival: Ticks::ZERO,
        after: None,
        gap: None,
        idempotent: Idempotence::Idempotent,
        activity: Activity::UNKNOWN,
        call: KernelCall::UNKNOWN,
        peers: None,
        work: Work::Kernel {
            workgroups: rounds * 640,
            workgroup: Ticks(lasts),
            demand,
            barrier: Barrier::No,
            context_bytes: device.context_bytes(&demand),
        },
    }
}

/// The measurements of a run, for one method of preempting and one length T.
struct Measured {
    /// The latencies of the urgent launches, in nanoseconds, ascending.
    latencies: Vec<u64>,
    /// Nanoseconds until the last urgent launch had ended; the next field is the part of them that
    /// the low process used for launches that had ended by then, T each.
    passed: u64,
    done: u64,
    killed: u64,
}

impl Measured {
    /// Returns the latency in nanoseconds that this percentage of the urgent launches does not
    /// exceed (nearest rank).
    fn percentile(&self, percent: usize) -> u64 {
        let rank = (self.latencies.len() * percent).div_ceil(100).max(1);
        self.latencies[rank - 1]
    }
}

fn measure(preempt: &str, length_us: u64) -> Measured {
    let device = v100();
    let length = length_us * US;
    // Urgent launches come far enough apart for a full window, each at another moment of a low
    // launch.
    let at = |i: u64| (i + 1) * (WINDOW + 2) * length + (i * 61 % ARRIVALS) * length / ARRIVALS;
    let times: Vec<Ticks> = (0..ARRIVALS).map(|i| Ticks(at(i))).collect();
    let launches = (at(ARRIVALS) / length) as usize;
    let mut low = vec![task(&device, length / WORKGROUP, WORKGROUP, 5); launches];
    for position in 1..low.len() as u32 {
        low[position as usize].after = Some(position - 1);
    }
    let urgent = ProcessPlan {
        repetition: Repetition::At(times),
        ..ProcessPlan::new("urgent", vec![task(&device, 1, URGENT, 0)])
    };
    let workload =
        Workload { processes: vec![ProcessPlan::new("low", low), urgent], repeat: false };
    let outcome = simulate(preempt, &device, &workload);
    let mine = |process: u16| outcome.records.iter().filter(move |it| it.process == process);
    let mut latencies: Vec<u64> = mine(1)
        .map(|it| it.started.zip(it.ready).expect("it ran").0.since(it.ready.expect("so")).0)
        .collect();
    latencies.sort_unstable();
    assert_eq!(latencies.len() as u64, ARRIVALS);
    let last = mine(1).filter_map(|it| it.ended).max();
    let done = mine(0).filter(|it| it.ended <= last).count() as u64 * length;
    let passed = last.expect("it ran").0;
    Measured { latencies, passed, done, killed: outcome.counters.killed }
}

fn simulate(preempt: &str, device: &Device, workload: &Workload) -> Outcome {
    let text = format!(
        "raddle = 1\nwindow = {WINDOW}\n[turn]\npolicy = \"highest-level\"\n[preempt]\n{preempt}"
    );
    let mut recipe = Recipe::parse("shape", &text).expect("a recipe");
    recipe.fill_costs(device_costs(device), device_runtime(device));
    let mut dispatcher =
        recipe.builder(device.shape, device.cus).expect("it builds").build().expect("it builds");
    let options = SimConfig {
        shape: device.shape,
        cus: device.cus,
        costs: Costs::of(device),
        energy: EnergyModel::ASSUMED,
    };
    run(workload, &mut dispatcher, &options, &mut |_| ()).expect("lawful")
}

/// Returns the measurements of each method: (its name, one entry for each length T).
fn all() -> Vec<(&'static str, Vec<Measured>)> {
    let row = |&(name, text): &(&'static str, &str)| {
        (name, LENGTHS.map(|length| measure(text, length)).into_iter().collect())
    };
    WAYS.iter().map(row).collect()
}

fn p99(rows: &[(&str, Vec<Measured>)], way: &str) -> Vec<u64> {
    let row = rows.iter().find(|(name, _)| *name == way).expect("it was measured");
    row.1.iter().map(|measured| measured.percentile(99)).collect()
}

#[test]
fn each_way_has_its_shape_and_the_page_shows_it() {
    let rows = all();
    let device = v100();
    for (position, length) in LENGTHS.map(|us| us * US).into_iter().enumerate() {
        let of = |way| p99(&rows, way)[position];
        let near = |latency: u64, whole: u64| latency <= whole && latency >= whole * 95 / 100;
        assert!(near(of("wait"), WINDOW * length), "wait: {} of {length}", of("wait"));
        assert!(near(of("flag"), length), "flag: {} of {length}", of("flag"));
        assert!(near(of("drain"), WORKGROUP), "drain: {}", of("drain"));
        assert_eq!(of("reset"), device.reset_ns);
        let bytes = 640 * device.context_bytes(&Demand { waves: 8, vgpr: 4, ..Demand::default() });
        assert_eq!(of("switch"), device.moving(bytes).0);
        assert!(of("cheapest") <= 30 * US, "its bound: {}", of("cheapest"));
        let moved = device.moving(bytes).0;
        for (way, row) in &rows {
            // An urgent launch costs the low process, beside its own time, nothing where it waits
            // for that process; else the part of a launch that was thrown away, or a save and a
            // restore.
            let lost = match *way {
                "wait" | "flag" | "drain" => 0,
                "reset" => length + device.reset_ns,
                "switch" => 2 * moved,
                _ => (length + device.reset_ns).max(2 * moved),
            };
            let Measured { passed, done, killed, .. } = row[position];
            let accounted = done + (lost + URGENT) * ARRIVALS + 2 * length;
            assert!(done <= passed && accounted >= passed, "{way} at {length}: {done} of {passed}");
            assert!((killed > 0) == (*way == "reset"), "{way} killed {killed}");
        }
    }
    file_holds("docs/images/preempt-latency.svg", &svg::plot(&rows));
    page_holds("docs/policies/preempt.md", "latencies", &table(&rows));
}

/// Returns the table of the 99th percentile of the latency, in microseconds: a row for each method,
/// a column for each length.
fn table(rows: &[(&str, Vec<Measured>)]) -> String {
    let mut table = String::from("| way |");
    for length in LENGTHS {
        write!(table, " T = {length} us |").expect("a string");
    }
    table += "\n|---|";
    table += &"---|".repeat(LENGTHS.len());
    for (way, row) in rows {
        write!(table, "\n| `{way}` |").expect("a string");
        for measured in row {
            let us = |ns: u64| format!("{}.{}", ns / US, ns % US / 100);
            write!(table, " {} |", us(measured.percentile(99))).expect("a string");
        }
    }
    table + "\n"
}

#[test]
fn a_policy_is_told_of_a_device_what_the_table_says() {
    for id in raddle_device::ids() {
        let device = raddle_device::find(id).expect("it is listed");
        let costs = device_costs(&device);
        assert_eq!(
            (costs.reset_ns, costs.bytes_per_us),
            (device.reset_ns, device.memory_bytes_per_us)
        );
        for (waves, vgpr, sgpr, lds) in
            [(1, 1, 1, 0), (8, 4, 0, 3), (16, 64, 13, 400), (3, 0, 0, 1)]
        {
            let demand = Demand { waves, vgpr, sgpr, lds, barriers: 1 };
            assert_eq!(costs.context_bytes(&demand), device.context_bytes(&demand), "{id}");
        }
    }
}
