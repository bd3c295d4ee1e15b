//! How much memory bandwidth do launches need, and by how much does sharing it slow them down?

use raddle_device::Device;
use raddle_sim::{DemandRule, ProcessDemand, Workload, op_needs, process_demand};
use raddle_trace::KernelNeed;

use crate::devices::{self, Chosen};
use crate::profiles::Loaded;
use crate::rules::NeedClaim;
use crate::runs::Charges;
use crate::study::Study;
use crate::units::percent;

impl Study {
    /// Gives each process the demand of its launches for memory bandwidth, by which launches that
    /// run side by side slow each other down. Returns (these demands as estimated for the least and
    /// for the most slowdown, words for the data on which they rest).
    pub(crate) fn demand(
        &self,
        profiles: &[Loaded],
        target: &Chosen,
        workload: &mut Workload,
    ) -> (Vec<Charges>, String) {
        let owns: Vec<Device> = profiles
            .iter()
            .map(|loaded| {
                devices::own(&loaded.profile).map_or_else(|_| target.device.clone(), |it| it.device)
            })
            .collect();
        let said = |kernel: &str| NeedClaim::last(&self.needs, kernel);
        let needs: Vec<_> = profiles
            .iter()
            .zip(&owns)
            .map(|(loaded, own)| op_needs(&loaded.profile, own, said))
            .collect();
        let by = |rule: &DemandRule| -> Charges {
            let of = |((loaded, needs), own): ((&Loaded, &Vec<_>), &Device)| {
                Some(process_demand(&loaded.profile, needs, (own, &target.device), rule))
            };
            let demand: Vec<Option<ProcessDemand>> =
                profiles.iter().zip(&needs).zip(&owns).map(of).collect();
            Charges { learnt: Vec::new(), demand }
        };
        by(&DemandRule::expected(&target.device)).give(workload);
        let bounds = DemandRule::bounds(&target.device).iter().map(by).collect();
        let (mut unknown, mut all) = (0u128, 0u128);
        for (loaded, needs) in profiles.iter().zip(&needs) {
            for (op, need) in loaded.profile.ops.iter().zip(needs) {
                let ns = u128::from(op.duration_ns);
                all += ns;
                unknown += if need.need == KernelNeed::Unknown { ns } else { 0 };
            }
        }
        let unknown = if all == 0 { 0.0 } else { unknown as f64 / all as f64 };
        (bounds, told(unknown, target) + &missing(profiles, workload))
    }
}

fn told(unknown: f64, target: &Chosen) -> String {
    let rates = target.device.memory_rates();
    let gbps = |bytes_per_us: u64| bytes_per_us / 1000;
    format!(
        "neighbours and fewer units by demand for the memory (docs/demand.md): {} of kernel time of unknown need, which costs nothing; a compute unit moves {} GB/s{}, all of them {}",
        percent(unknown),
        gbps(rates.unit),
        if rates.derived { " (derived from the peak)" } else { "" },
        gbps(rates.reached),
    )
}

/// Names in words the processes whose pause between two steps or requests is unknown; empty where
/// there are none.
fn missing(profiles: &[Loaded], workload: &Workload) -> String {
    let unknown = profiles.iter().enumerate().filter(|&(at, loaded)| {
        let known = loaded.think_ns.or(loaded.profile.between_ns).is_some();
        let repeats = workload.repeats(at) || workload.processes[at].has_requests();
        !known && repeats
    });
    let names: Vec<&str> = unknown.map(|(_, loaded)| loaded.name.as_str()).collect();
    match names.as_slice() {
        [] => String::new(),
        names => format!(
            "; the time between two steps or requests of {} is unknown and taken as none: profiles of one do not hold it (`--think NAME=TIME`)",
            names.join(", ")
        ),
    }
}
