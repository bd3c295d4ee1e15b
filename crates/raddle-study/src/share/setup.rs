//! What does one run or write to share a device in a given way?
//!
//! Commands and keys are those of docs/modes.md, with their sources.

use raddle_device::Vendor;

use super::modes::Mode;

/// Who shares the device.
#[derive(Clone, Copy, Debug)]
pub(super) struct Tenant<'t> {
    pub(super) name: &'t str,
    /// Whether none is more urgent.
    pub(super) urgent: bool,
}

/// A line a command; the tenants stand in angle brackets where their own command belongs.
pub(super) fn lines(mode: &Mode, recipe: &str, tenants: &[Tenant<'_>]) -> Vec<String> {
    match mode {
        Mode::TimeSlice => with_plugin(
            vec!["nvidia-smi compute-policy -i 0 --set-timeslice 0    the default; no MPS, no MIG"],
            "timeSlicing",
            tenants.len(),
        ),
        Mode::Mps(false) => with_plugin(vec!["nvidia-cuda-mps-control -d"], "mps", tenants.len()),
        Mode::Mps(true) => {
            mps(tenants, |at| format!("CUDA_MPS_CLIENT_PRIORITY={}", u8::from(!tenants[at].urgent)))
        }
        Mode::Partition(Vendor::Nvidia, sets) => {
            mps(tenants, |at| format!("CUDA_MPS_ACTIVE_THREAD_PERCENTAGE={}", sets[at].0))
        }
        Mode::Partition(_, sets) => {
            let mut first = 0;
            let masks = tenants.iter().zip(sets).map(|(tenant, &(_, units))| {
                let last = first + units - 1;
                let line = format!("HSA_CU_MASK=0:{first}-{last} <{}>", tenant.name);
                first = last + 1;
                line
            });
            masks.collect()
        }
        Mode::Mig(set) => {
            let names: Vec<&str> = set.iter().map(|one| one.name).collect();
            let mut lines = vec![
                "nvidia-smi -i 0 -mig 1".to_owned(),
                format!("nvidia-smi mig -i 0 -cgi {} -C", names.join(",")),
            ];
            lines.extend(tenants.iter().zip(&names).map(|(tenant, name)| {
                format!(
                    "CUDA_VISIBLE_DEVICES=MIG-UUID_OF_{name} <{}>    nvidia-smi -L names it",
                    tenant.name
                )
            }));
            lines
        }
        Mode::Queues => {
            vec![
                "nothing to set: processes share the device through queues of their own".to_owned(),
            ]
        }
        Mode::Recipe("leftover-drain" | "weighted-slices") => vec![
            format!("raddle recipes --show {recipe} --save share.toml"),
            "raddle live serve --recipe share.toml    OpenCL programs, docs/live.md".to_owned(),
        ],
        Mode::Recipe(_) => {
            vec![format!("no device offers {recipe}: it needs a dispatcher of its own")]
        }
    }
}

/// Each tenant under MPS, with a variable.
fn mps(tenants: &[Tenant<'_>], variable: impl Fn(usize) -> String) -> Vec<String> {
    let own = tenants.iter().enumerate();
    let own = own.map(|(at, tenant)| format!("{} <{}>", variable(at), tenant.name));
    std::iter::once("nvidia-cuda-mps-control -d".to_owned()).chain(own).collect()
}

/// Commands, and the same for NVIDIA's device plugin for Kubernetes.
fn with_plugin(commands: Vec<&str>, strategy: &str, tenants: usize) -> Vec<String> {
    let plugin = format!(
        "Kubernetes, device plugin: {{version: v1, sharing: {{{strategy}: {{resources: [{{name: nvidia.com/gpu, replicas: {tenants}}}]}}}}}}"
    );
    commands.into_iter().map(str::to_owned).chain([plugin]).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::share::mig::sets;

    #[test]
    fn commands_of_every_mode() {
        let tenants =
            [Tenant { name: "decode", urgent: true }, Tenant { name: "train", urgent: false }];
        let device = raddle_device::find("h100").unwrap();
        let modes = [
            Mode::TimeSlice,
            Mode::Mps(false),
            Mode::Mps(true),
            Mode::Partition(Vendor::Nvidia, vec![(70, 92), (30, 39)]),
            Mode::Partition(Vendor::Amd, vec![(70, 212), (30, 91)]),
            Mode::Mig(sets(&device, 2).remove(0)),
            Mode::Queues,
            Mode::Recipe("leftover-drain"),
            Mode::Recipe("matching"),
        ];
        let recipe = |mode: &Mode| match mode {
            Mode::Recipe(name) => name,
            _ => "",
        };
        let said: Vec<String> =
            modes.iter().map(|mode| lines(mode, recipe(mode), &tenants).join("\n")).collect();
        insta::assert_snapshot!(said.join("\n\n"));
    }
}
