//! How long does the replay of a real profile take?
//!
//! A V100 training run of 9,876 launches under `leftover`, on one thread. Skipped where the sample
//! is missing (`RADDLE_SAMPLES`). Goals: import, plan and replay in 1.5 s; the log adds at most 1
//! s.

#![allow(clippy::print_stderr, reason = "a skipped bench says so")]

use divan::Bencher;
use raddle_device::Device;
use raddle_dispatch::log::LogHeader;
use raddle_dispatch::{Composed, Dispatcher, Recipe};
use raddle_policy::{Free, Launch, Level, Rank, Ranked};
use raddle_sim::{Costs, EnergyModel, PlanConfig, ProcessPlan, SimConfig, Workload, plan, run};
use raddle_trace::{ImportConfig, Profile, open};
use raddle_workgroup::{BaselineConfig, Greedy};

const FILE: &str = "kineto_nvidia/hta_trace_diff_test_v100.json.gz";

fn main() {
    if raddle_testkit::samples().join(FILE).is_file() {
        divan::main();
    } else {
        eprintln!("skipped: {FILE} is not among the samples (set RADDLE_SAMPLES)");
    }
}

fn profile() -> Profile {
    open(&raddle_testkit::samples().join(FILE), &ImportConfig::default()).expect("it imports")
}

fn v100() -> Device {
    raddle_device::find("v100").expect("the device is in the table")
}

fn planned(profile: &Profile, device: &Device) -> ProcessPlan {
    let options = PlanConfig::new(device, device);
    plan(profile, &options, |_| Level(0))
}

/// Measures a replay of the V100 training run under the dispatcher that `build` returns.
fn replay(bencher: Bencher<'_, '_>, build: impl Fn(&Device) -> Box<dyn Dispatcher>) {
    let device = v100();
    let workload = Workload { processes: vec![planned(&profile(), &device)], repeat: false };
    let options = SimConfig {
        shape: device.shape,
        cus: device.cus,
        costs: Costs::of(&device),
        energy: EnergyModel::ASSUMED,
    };
    bencher.bench_local(|| {
        run(&workload, &mut *build(&device), &options, &mut |_| ()).expect("the policy is lawful")
    });
}

#[divan::bench]
fn import() -> Profile {
    profile()
}

#[divan::bench]
fn plan_only(bencher: Bencher<'_, '_>) {
    let (profile, device) = (profile(), v100());
    bencher.bench_local(|| planned(&profile, &device));
}

#[divan::bench]
fn replay_only(bencher: Bencher<'_, '_>) {
    replay(bencher, |device| {
        Box::new(Composed::builder(device.shape, device.cus).build().expect("it builds"))
    });
}

/// Measures a policy that a user wrote as an order of compute units (`Ranked`), to compare it with
/// the bundled `greedy` of the next benchmark.
#[divan::bench]
fn replay_best_fit(bencher: Bencher<'_, '_>) {
    #[derive(Clone, Debug)]
    struct BestFit;

    impl Rank for BestFit {
        fn unit(&self, _: &Launch, room: u32, _: &Free) -> u64 {
            room.into()
        }
    }

    replay(bencher, |device| {
        let builder = Composed::builder(device.shape, device.cus);
        Box::new(builder.allocate("best-fit", Ranked::new(BestFit)).build().expect("it builds"))
    });
}

#[divan::bench]
fn replay_greedy(bencher: Bencher<'_, '_>) {
    replay(bencher, |device| {
        let builder = Composed::builder(device.shape, device.cus);
        let greedy = Greedy::new(BaselineConfig::default());
        Box::new(builder.allocate("greedy", greedy).build().expect("it builds"))
    });
}

#[divan::bench]
fn replay_with_log(bencher: Bencher<'_, '_>) {
    replay(bencher, |device| {
        let header = LogHeader::new(Recipe::default(), &*device.id, device.shape, device.cus);
        let file = tempfile::tempfile().expect("a temporary file can be made");
        let to = std::io::BufWriter::with_capacity(1 << 16, file);
        let log = header.writer(Box::new(to));
        Box::new(Composed::builder(device.shape, device.cus).log(log).build().expect("it builds"))
    });
}
