//! What does `SmallestFirst` do with a profile, beside raddle's own `leftover`?
//!
//! `cargo run --release --example replay -- PROFILE DEVICE`, for instance
//! `../../fixtures/pair/infer.csv b200`.

use std::error::Error;
use std::path::Path;

use outside_policy::SmallestFirst;
use raddle_dispatch::{Builder, Composed};
use raddle_policy::{Level, Ticks};
use raddle_sim::{Costs, EnergyModel, Options, PlanOptions, Summary, Workload, plan, run};
use raddle_trace::{ImportOptions, open};

fn main() -> Result<(), Box<dyn Error>> {
    let args: Vec<String> = std::env::args().skip(1).collect();
    let [file, device] = args.as_slice() else {
        return Err("give PROFILE DEVICE, such as infer.csv b200".into());
    };
    let device = raddle_device::find(device).ok_or("no such device: see `raddle devices`")?;
    let profile = open(Path::new(file), &ImportOptions::default())?;
    let from = PlanOptions { own: &device, target: &device, start: Ticks(0), share: 1 };
    let process = plan(&profile, &from, |_| Level(0));
    let workload = Workload { processes: vec![process], repeat: false };
    workload.check(&device)?;
    let options = Options {
        shape: device.shape,
        cus: device.cus,
        costs: Costs::of(&device),
        energy: EnergyModel::ASSUMED,
    };
    let replay = |name: &str, builder: Builder| -> Result<(), Box<dyn Error>> {
        let outcome = run(&workload, &mut builder.build(), &options, &mut |_| ())?;
        let summary = Summary::new(&workload, &outcome, &[]);
        let level = summary.processes[0].levels.first().ok_or("nothing started")?;
        println!("{name:15} makespan {} ns, p99 {} ns", summary.makespan_ns, level.latency_p99_ns);
        Ok(())
    };
    let empty = || Composed::builder(device.shape, device.cus);
    replay("leftover", empty())?;
    replay("smallest-first", empty().allocate("smallest-first", SmallestFirst))
}
