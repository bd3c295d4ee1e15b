//! Which files set up a way of sharing a device?
//!
//! Files for Kubernetes are JSON, which `kubectl` and the device plugin read as YAML. The tests of
//! `setup` check each file against its published schema, from `fixtures/modes`.

use serde_json::{Value, json};

use super::undo::WITHOUT_MIG;
use super::{NAME, ShareCandidate, Tenant};
use crate::result::SetUpFile;
use crate::units::{plain, quoted_posix};

/// Name of the Kubernetes resource claim that the pods of all tenants share.
const CLAIM: &str = "shared-gpu";

fn manifest(name: &'static str, what: &'static str, value: &Value) -> SetUpFile {
    SetUpFile { name, what, text: format!("{value:#}\n") }
}

/// Writes the settings of NVIDIA's device plugin for `tenants` pods on a device; `strategy` is
/// `timeSlicing` or `mps`. Under `mps` the plugin gives each pod an equal part of threads and
/// memory.
pub(super) fn device_plugin(strategy: &str, tenants: usize) -> SetUpFile {
    let resources = json!([{ "name": "nvidia.com/gpu", "replicas": tenants }]);
    let value = json!({ "version": "v1", "sharing": { strategy: { "resources": resources } } });
    manifest("device-plugin.json", "Kubernetes: settings of NVIDIA's device plugin", &value)
}

/// Returns the sharing settings of a Kubernetes claim with which NVIDIA's DRA driver sets the
/// default time slice.
pub(super) fn time_slices() -> Value {
    json!({ "strategy": "TimeSlicing", "timeSlicingConfig": { "interval": "Default" } })
}

/// Returns the sharing settings of a Kubernetes claim with which NVIDIA's DRA driver starts MPS.
/// Each client gets `percent` percent of the threads; `None` sets no percentage.
pub(super) fn mps(percent: Option<u32>) -> Value {
    match percent {
        Some(percent) => {
            json!({ "strategy": "MPS", "mpsConfig": { "defaultActiveThreadPercentage": percent } })
        }
        None => json!({ "strategy": "MPS" }),
    }
}

/// Returns a file with a Kubernetes claim of one device, which the pods of all tenants use;
/// `sharing` has the settings by which they share the device.
pub(super) fn resource_claim(sharing: &Value) -> SetUpFile {
    let parameters = json!({
        "apiVersion": "resource.nvidia.com/v1beta1", "kind": "GpuConfig", "sharing": sharing
    });
    let opaque = json!({ "driver": "gpu.nvidia.com", "parameters": parameters });
    claim(json!({
        "requests": [{ "name": "gpu", "exactly": { "deviceClassName": "gpu.nvidia.com" } }],
        "config": [{ "requests": ["gpu"], "opaque": opaque }],
    }))
}

/// Returns a file with a Kubernetes claim of several MIG instances of one device; the claim has one
/// request for each tenant.
pub(super) fn instances(profiles: &[&str]) -> SetUpFile {
    let request = |(at, profile): (usize, &&str)| {
        let chosen = format!("device.attributes['gpu.nvidia.com'].profile == '{profile}'");
        let selectors = json!([{ "cel": { "expression": chosen } }]);
        let exactly = json!({ "deviceClassName": "mig.nvidia.com", "selectors": selectors });
        json!({ "name": format!("tenant-{at}"), "exactly": exactly })
    };
    let requests: Vec<Value> = profiles.iter().enumerate().map(request).collect();
    claim(json!({
        "requests": requests,
        "constraints": [{ "matchAttribute": "gpu.nvidia.com/parentUUID" }],
    }))
}

/// Writes a pod for each tenant. It uses the tenant's MIG instance, by the claim that [`instances`]
/// writes.
pub(super) fn mig_pods(tenants: &[Tenant<'_>]) -> SetUpFile {
    let what = "Kubernetes 1.34: pods, each with its instance of the claim";
    claim_pods(
        ("mig-pods.json", what),
        tenants,
        |at| json!({ "resources": { "claims": [{ "name": "gpu", "request": format!("tenant-{at}") }] } }),
    )
}

/// Writes the script that makes MIG instances and prints which tenant runs on which. `profiles` has
/// the kinds of the instances in the order of the tenants, `cut` in the order in which the script
/// makes them.
pub(super) fn mig_script(profiles: &[&str], cut: &str, tenants: &[Tenant<'_>]) -> SetUpFile {
    let own = |(at, tenant): (usize, &Tenant<'_>)| {
        let (profile, number) = (profiles[at], nth(profiles, at));
        let name = quoted_posix(&plain(tenant.name, NAME));
        format!(
            "uuid=$(instance {profile} {number})\nprintf '%s: CUDA_VISIBLE_DEVICES=%s\\n' {name} \"$uuid\"\n"
        )
    };
    let own: String = tenants.iter().enumerate().map(own).collect();
    let undo = WITHOUT_MIG.map(|line| format!("#   {line}\n")).concat();
    let text = include_str!("mig.sh").replace("@PROFILES@", cut).replace("@TENANTS@\n", &own);
    let text = text.replace("@UNDO@\n", &undo);
    SetUpFile { name: "mig.sh", what: "the two commands, and which program gets which", text }
}

/// Returns the number of an instance among the instances of its kind, counted from 1 in the order
/// of the tenants; `at` is its index among all instances.
pub(super) fn nth(profiles: &[&str], at: usize) -> usize {
    profiles[..=at].iter().filter(|own| **own == profiles[at]).count()
}

fn claim(devices: Value) -> SetUpFile {
    let value = json!({
        "apiVersion": "resource.k8s.io/v1",
        "kind": "ResourceClaim",
        "metadata": { "name": CLAIM },
        "spec": { "devices": devices },
    });
    manifest("resource-claim.json", "Kubernetes 1.34: a claim for NVIDIA's DRA driver", &value)
}

/// Writes a pod for each tenant; all pods use the claim of [`resource_claim`] under MPS. In each
/// pod the environment variable `variable` has the value that `value` returns for the index of the
/// tenant.
pub(super) fn mps_pods(
    tenants: &[Tenant<'_>],
    variable: &str,
    value: impl Fn(usize) -> u32,
) -> SetUpFile {
    let what = "Kubernetes 1.34: pods that share the claim under MPS";
    claim_pods(("mps-pods.json", what), tenants, |at| {
        json!({
            "env": [{ "name": variable, "value": value(at).to_string() }],
            "resources": { "claims": [{ "name": "gpu" }] },
        })
    })
}

/// Writes a pod for each tenant, all of which use the claim [`CLAIM`]. `own` returns the JSON of
/// the container for the tenant with an index; name and image are added to it.
fn claim_pods(
    (name, what): (&'static str, &'static str),
    tenants: &[Tenant<'_>],
    own: impl Fn(usize) -> Value,
) -> SetUpFile {
    let pod = |(at, tenant): (usize, &Tenant<'_>)| {
        let mut container = own(at);
        container["name"] = json!("tenant");
        container["image"] = json!(format!("IMAGE OF {}", tenant.name));
        json!({
            "apiVersion": "v1",
            "kind": "Pod",
            "metadata": { "name": format!("tenant-{at}") },
            "spec": {
                "resourceClaims": [{ "name": "gpu", "resourceClaimName": CLAIM }],
                "containers": [container],
            },
        })
    };
    list(name, what, tenants.iter().enumerate().map(pod).collect())
}

fn list(name: &'static str, what: &'static str, pods: Vec<Value>) -> SetUpFile {
    manifest(name, what, &json!({ "apiVersion": "v1", "kind": "List", "items": pods }))
}

/// Writes pods for the KAI Scheduler of Kubernetes, one for each tenant of one device. The fraction
/// that each pod asks for is a fraction of the device's memory only; compute time is divided by the
/// driver.
pub(super) fn kai(tenants: &[Tenant<'_>]) -> SetUpFile {
    // Fractions are rounded down to hundredths, so that all pods fit.
    let fraction = format!("{:.2}", (100 / tenants.len().max(1)) as f64 / 100.0);
    let pod = |(at, tenant): (usize, &Tenant<'_>)| {
        json!({
            "apiVersion": "v1",
            "kind": "Pod",
            "metadata": {
                "name": format!("tenant-{at}"),
                "labels": { "kai.scheduler/queue": "default-queue" },
                "annotations": { "gpu-fraction": fraction },
            },
            "spec": {
                "schedulerName": "kai-scheduler",
                "containers": [{ "name": "tenant", "image": format!("IMAGE OF {}", tenant.name) }],
            },
        })
    };
    let pods = tenants.iter().enumerate().map(pod).collect();
    list("kai-pods.json", "Kubernetes: pods for KAI Scheduler", pods)
}

/// Returns a file with the recipe (set of scheduling policies) that simulates a way of sharing the
/// device.
pub(super) fn recipe(chosen: &ShareCandidate) -> SetUpFile {
    let text = chosen.recipe.text().to_owned();
    SetUpFile { name: "recipe.toml", what: "the recipe, also for raddle replay --recipe", text }
}

/// Returns lines for a comment in C, one for each tenant: its name, and the text that `what`
/// returns for its index.
fn comment(tenants: &[Tenant<'_>], what: impl Fn(usize) -> String) -> String {
    let plain = |name: &str| -> String {
        let kept = |c: char| c.is_ascii_alphanumeric() || "-_. ".contains(c);
        name.chars().map(|c| if kept(c) { c } else { '?' }).collect()
    };
    let line = |(at, tenant): (usize, &Tenant<'_>)| {
        format!("   streams[{at}]: {}, {}\n", plain(tenant.name), what(at))
    };
    tenants.iter().enumerate().map(line).collect()
}

/// Writes a C program that makes one CUDA execution context for each tenant in one process, each
/// with a stream. `sets` has for each tenant (percent, number of multiprocessors).
pub(super) fn contexts(sets: &[(u32, u16)], tenants: &[Tenant<'_>]) -> SetUpFile {
    let units: Vec<String> = sets.iter().map(|(_, units)| units.to_string()).collect();
    let told = comment(tenants, |at| format!("{} multiprocessors", sets[at].1));
    let text = include_str!("contexts.c")
        .replace("@COUNT@", &sets.len().to_string())
        .replace("@UNITS@", &units.join(", "))
        .replace("@TENANTS@\n", &told);
    let what = "CUDA 12.4: execution contexts, where tenants are streams of one process";
    SetUpFile { name: "execution-contexts.c", what, text }
}

/// Writes the lines of Python that give each tenant of one PyTorch process a green context. `sets`
/// has for each tenant (percent, number of multiprocessors).
pub(super) fn green_contexts(sets: &[(u32, u16)], tenants: &[Tenant<'_>]) -> SetUpFile {
    let units: Vec<String> = sets.iter().map(|(_, units)| units.to_string()).collect();
    let told = comment(tenants, |at| format!("{} multiprocessors", sets[at].1));
    let text = include_str!("green_contexts.py")
        .replace("@UNITS@", &units.join(", "))
        .replace("@TENANTS@\n", &told.replace("   streams", "# streams"));
    let what = "PyTorch 2.12: green contexts, where tenants are threads of one process";
    SetUpFile { name: "green-contexts.py", what, text }
}

/// Writes a C program that makes one stream for each tenant in one HIP process, each with a mask of
/// compute units. `masks` has for each tenant (first unit, last unit).
pub(super) fn unit_masks(masks: &[(u16, u16)], tenants: &[Tenant<'_>]) -> SetUpFile {
    let told = comment(tenants, |at| format!("compute units {} to {}", masks[at].0, masks[at].1));
    let last = masks.last().map_or(0, |&(_, last)| last);
    let words = usize::from(last) / 32 + 1;
    let row = |&(first, last): &(u16, u16)| {
        let word = |at: usize| {
            let bits = (0..32).filter(|bit| (first..=last).contains(&((at * 32 + bit) as u16)));
            format!("0x{:08x}", bits.fold(0u32, |mask, bit| mask | 1 << bit))
        };
        format!("        {{ {} }},\n", (0..words).map(word).collect::<Vec<_>>().join(", "))
    };
    let rows: String = masks.iter().map(row).collect();
    let text = include_str!("unit_masks.c")
        .replace("@COUNT@", &masks.len().to_string())
        .replace("@WORDS@", &words.to_string())
        .replace("        @MASKS@\n", &rows)
        .replace("@TENANTS@\n", &told);
    let what = "HIP: masks of compute units, where tenants are streams of one process";
    SetUpFile { name: "unit-masks.c", what, text }
}
