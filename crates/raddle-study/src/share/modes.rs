//! Which ways of sharing does a device offer these tenants (processes), and with which parameters
//! are they tried?

use raddle_device::{Device, Vendor};
use raddle_dispatch::Registry;

use super::ShareCandidate;
use super::mig::{self, MigProfile};
use super::parts::Tenants;
use crate::answer::today;
use crate::driver::DriverWay;
use crate::error::StudyError;
use crate::recipes::{self, NamedRecipe};
use crate::rules::Setting;

/// Name of the recipe of weighted time slices, which is also tried with slices of other lengths.
pub(super) const SLICES: &str = "weighted-slices";
/// Lengths of time slices, in us, with which the recipe [`SLICES`] is tried in addition to its own.
const SLICES_US: [u32; 4] = [1000, 2500, 5000, 20_000];

/// Names of the recipes by which less urgent launches make room for urgent ones: they start no
/// further workgroups (drain), stop when a flag in memory tells them to (flag), or are killed
/// (reset).
pub(super) const BY_LEVEL: [&str; 3] = ["leftover-drain", "leftover-flag", KILLS];
/// Name of the recipe (set of policies) that kills less urgent launches to make room for urgent
/// ones.
pub(super) const KILLS: &str = "leftover-reset";

/// Ways of sharing a device whose candidates have the values of their parameters in their names,
/// such as `partition-60-40`.
const WITH_PARAMETERS: [&str; 4] = ["partition", "mig", "request-limit", SLICES];

/// Returns the name of a way of sharing without the values of its parameters: `partition` for
/// `partition-60-40`. Any other name is returned as it is.
pub(crate) fn without_parameters(name: &str) -> &str {
    let has_values = |way: &&&str| {
        let values = name.strip_prefix(**way).and_then(|rest| rest.strip_prefix('-'));
        values.is_some_and(|values| values.starts_with(|c: char| c.is_ascii_digit()))
    };
    WITH_PARAMETERS.iter().find(has_values).map_or(name, |way| *way)
}

/// A way in which a device is shared, with its parameters.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Mode {
    /// Processes take turns on the device in the time slices of this vendor's driver.
    TimeSlice(Vendor),
    /// Processes run side by side under MPS; where the value is true, the most urgent waiting
    /// launch starts first.
    Mps(bool),
    /// Each tenant has fixed compute units of its own: (percent of the units, number of units).
    Partition(Vendor, Vec<(u32, u16)>),
    /// Each tenant has a MIG instance; the list has their kinds in the order of the tenants.
    Mig(Vec<MigProfile>),
    /// Each tenant has one of the equal partitions of an AMD device; holds the name of the mode,
    /// such as `CPX`.
    ComputePartition(&'static str),
    /// Each tenant has a guaranteed number of compute units, and may also use idle ones of other
    /// tenants up to a limit: (guarantee, limit), both in percent of all units.
    RequestLimit(Vec<(u32, u32)>),
    /// Processes run side by side in hardware queues of their own.
    Queues,
    /// Processes share the device as the recipe (set of policies) of this name says, which no
    /// driver offers.
    Recipe(&'static str),
}

impl Mode {
    /// Returns the name by which a user can ask for this way of sharing.
    pub(super) const fn name(&self) -> &'static str {
        match self {
            Self::TimeSlice(_) => "time-slice",
            Self::Mps(false) => "mps",
            Self::Mps(true) => "mps-priority",
            Self::Partition(..) => "partition",
            Self::Mig(_) => "mig",
            Self::ComputePartition(_) => "compute-partition",
            Self::Queues => "streams",
            Self::RequestLimit(_) => "request-limit",
            Self::Recipe(name) => name,
        }
    }

    /// Returns whether the device can be shared in this way: by its driver, or as it is.
    pub(super) const fn is_of_device(&self) -> bool {
        !matches!(self, Self::Recipe(_) | Self::RequestLimit(_))
    }

    /// Returns whether two ways of sharing a device differ at most in their parameters.
    pub(super) fn same_kind(&self, other: &Self) -> bool {
        self.name() == other.name()
    }
}

/// Returns every way of sharing the device that is tried for these tenants, with all values of its
/// parameters. The first is the way in which the device shares itself without any set-up.
///
/// # Errors
///
/// When a recipe cannot be read, which would be a fault of raddle itself.
pub(crate) fn candidates(
    device: &Device,
    all_tenants: &Tenants,
    registry: &Registry,
) -> Result<Vec<ShareCandidate>, StudyError> {
    let tenants = all_tenants.len();
    let mut all = of_driver(device, all_tenants, registry)?;
    if all.is_empty() {
        // Without a driver there is nothing to set up.
        all.push(bundled(Mode::Queues, DriverWay::Queues.recipe(), registry)?);
    }
    // The way of sharing of a device without any set-up comes first.
    let first = all.iter().position(|of| of.recipe.name == today(device, tenants));
    all.swap(0, first.unwrap_or(0));
    if tenants > 1 {
        for name in BY_LEVEL.iter().filter(|_| all_tenants.by_level) {
            all.push(own(name, registry)?);
        }
        let fits = |percent: u32| units(device, percent) > 0;
        let requests = all_tenants.request_limits().into_iter();
        for requests in requests.filter(|set| set.iter().all(|&(own, _)| fits(own))) {
            all.push(request_limit(device, requests, registry)?);
        }
        all.push(own(SLICES, registry)?);
        for us in SLICES_US {
            all.push(slices(us, registry)?);
        }
        for name in ["matching", "block-warp"] {
            all.push(own(name, registry)?);
        }
    }
    Ok(all)
}

/// Returns the ways of sharing that the driver of the device offers these tenants, with all values
/// of their parameters.
fn of_driver(
    device: &Device,
    all_tenants: &Tenants,
    registry: &Registry,
) -> Result<Vec<ShareCandidate>, StudyError> {
    let tenants = all_tenants.len();
    let mut all = Vec::new();
    for way in DriverWay::of(device.vendor) {
        match way {
            // One process has the device for itself, and its streams share it. On AMD the queues of
            // several processes do so too.
            DriverWay::Queues if tenants == 1 || device.vendor == Vendor::Amd => {
                all.push(bundled(Mode::Queues, way.recipe(), registry)?);
            }
            _ if tenants == 1 => {}
            DriverWay::TimeSlice => {
                let turns = bundled(Mode::TimeSlice(device.vendor), way.recipe(), registry)?;
                let recipe = turns.recipe.in_turns_of(device)?;
                all.push(ShareCandidate { recipe, ..turns });
            }
            DriverWay::Mps => all.push(bundled(Mode::Mps(false), way.recipe(), registry)?),
            DriverWay::MpsPriority if all_tenants.by_level => {
                all.push(bundled(Mode::Mps(true), way.recipe(), registry)?);
            }
            DriverWay::Partition => {
                let fits = |percent: u32| units(device, percent) > 0;
                let sets = all_tenants.partitions();
                for percents in sets.iter().filter(|set| set.iter().copied().all(fits)) {
                    all.push(partition(device, percents, registry)?);
                }
            }
            DriverWay::Mig => {
                let sets = mig::sets(device, tenants).into_iter();
                for set in sets.filter(|set| holds(set, all_tenants)) {
                    all.push(instances(device, set, registry)?);
                }
            }
            DriverWay::ComputePartition => {
                all.extend(compute_partition(device, tenants, registry).transpose()?);
            }
            DriverWay::Queues | DriverWay::MpsPriority => {}
        }
    }
    Ok(all)
}

/// Makes a way of sharing the device from the bundled recipe `name`, which no driver offers.
fn own(name: &'static str, registry: &Registry) -> Result<ShareCandidate, StudyError> {
    bundled(Mode::Recipe(name), name, registry)
}

/// Makes a way of sharing the device from the recipe of weighted time slices, in which the shortest
/// turn lasts `us` microseconds.
fn slices(us: u32, registry: &Registry) -> Result<ShareCandidate, StudyError> {
    let name = format!("{SLICES}-{us}us");
    varied(Mode::Recipe(SLICES), SLICES, &name, ("turn.t0-us", us), registry)
}

/// Makes a way of sharing the device from a bundled recipe in which the key `key` has the value
/// `value`.
fn varied(
    mode: Mode,
    recipe: &str,
    name: &str,
    (key, value): (&str, u32),
    registry: &Registry,
) -> Result<ShareCandidate, StudyError> {
    let other = Setting::try_from(format!("{key}={value}")).map_err(StudyError::Usage)?;
    let text = recipes::text_of(recipe).unwrap_or_default().to_owned();
    let recipe =
        NamedRecipe::parse(name.to_owned(), name, recipes::with(text, &[other]), registry)?;
    Ok(ShareCandidate { mode, recipe })
}

fn bundled(mode: Mode, name: &str, registry: &Registry) -> Result<ShareCandidate, StudyError> {
    let recipe = recipes::bundled(name, registry)?;
    Ok(ShareCandidate { mode, recipe })
}

/// Returns whether each MIG instance of a set has at least the memory that its tenant needs, as far
/// as that is known; instances and tenants are in the same order.
fn holds(set: &[MigProfile], tenants: &Tenants) -> bool {
    set.iter().zip(&tenants.memory).all(|(one, &held)| one.most_memory_bytes() >= held)
}

/// Returns the reasons, one sentence each, why some ways of sharing this device are left out: the
/// device offers them only to fewer or to smaller tenants than these.
pub(crate) fn left_out(device: &Device, tenants: &Tenants) -> Vec<String> {
    let (all, tenants) = (tenants, tenants.len());
    let mut told = Vec::new();
    let part = all.partitions().first().and_then(|set| set.iter().copied().min());
    if tenants > 1 && part.is_none_or(|percent| units(device, percent) == 0) {
        told.push(format!(
            "no partition and no request-limit: {tenants} tenants have {}% of {} compute units each, less than one",
            100 / tenants,
            device.cus
        ));
    }
    told.extend(without_instances(device, all));
    let most = partition_modes(device).last().map(|&(_, parts)| parts);
    if let Some(most) = most.filter(|&most| tenants > usize::from(most)) {
        told.push(format!(
            "no compute-partition: {tenants} tenants, and the device has at most {most} parts"
        ));
    }
    told
}

/// Returns whether an AMD device can be split into equal partitions.
pub(super) fn has_compute_partitions(device: &Device) -> bool {
    !partition_modes(device).is_empty()
}

/// Returns the reason why a device with MIG offers no instances to these tenants; `None` where it
/// offers them some, or has no MIG.
fn without_instances(device: &Device, tenants: &Tenants) -> Option<String> {
    let (all, tenants) = (tenants, tenants.len());
    let most = mig::most(device).filter(|_| tenants > 1)?;
    if tenants > most {
        return Some(format!(
            "no mig: {tenants} tenants, and the device has at most {most} instances"
        ));
    }
    let sets = mig::sets(device, tenants);
    if sets.is_empty() {
        return Some(format!(
            "no mig: the compute units of {} instances of {} are not published",
            if mig::some_known(device) { "the larger" } else { "the" },
            device.id
        ));
    }
    if sets.iter().any(|set| holds(set, all)) {
        return None;
    }
    let gigabytes = |bytes: u64| bytes.div_ceil(1_000_000_000);
    let held: Vec<String> = all.memory.iter().map(|&it| gigabytes(it).to_string()).collect();
    Some(format!(
        "no mig: the tenants hold {} GB, and no {tenants} instances that {} has at once hold that",
        held.join(" and "),
        device.id
    ))
}

pub(super) fn partition(
    device: &Device,
    percents: &[u32],
    registry: &Registry,
) -> Result<ShareCandidate, StudyError> {
    let sets = parts(device, percents);
    let name = joined(percents.iter());
    let what = format!("{} percent of the compute units", name.replace('-', ", "));
    let counts: Vec<u16> = sets.iter().map(|&(_, units)| units).collect();
    let recipe = fixed(&format!("partition-{name}"), &what, (&counts, device), "", registry)?;
    Ok(ShareCandidate { mode: Mode::Partition(device.vendor, sets), recipe })
}

/// Returns the number of compute units in `percent` percent of a device, rounded down.
pub(super) fn units(device: &Device, percent: u32) -> u16 {
    // The result is at most the number of all units, which is a u16.
    (u32::from(device.cus) * percent / 100) as u16
}

/// Returns each percentage as (percent, number of compute units). The number is the one that MPS
/// gives for the percentage. If these numbers add up to more units than the device has, each
/// percentage is rounded down instead, so that the parts do not overlap.
fn parts(device: &Device, percents: &[u32]) -> Vec<(u32, u16)> {
    let of = |units: &dyn Fn(u32) -> u16| -> Vec<(u32, u16)> {
        percents.iter().map(|&percent| (percent, units(percent))).collect()
    };
    let measured = of(&|percent| device.units_of_percent(percent));
    let all: u32 = measured.iter().map(|&(_, units)| u32::from(units)).sum();
    if all <= u32::from(device.cus) { measured } else { of(&|percent| units(device, percent)) }
}

fn joined<'p>(percents: impl Iterator<Item = &'p u32>) -> String {
    percents.map(u32::to_string).collect::<Vec<_>>().join("-")
}

fn request_limit(
    device: &Device,
    requests: Vec<(u32, u32)>,
    registry: &Registry,
) -> Result<ShareCandidate, StudyError> {
    let counts: Vec<u16> = requests.iter().map(|&(own, _)| units(device, own)).collect();
    let own = joined(requests.iter().map(|(own, _)| own));
    let most = joined(requests.iter().map(|(_, most)| most));
    let limits: Vec<u16> = requests.iter().map(|&(_, most)| units(device, most)).collect();
    let limited = requests.iter().any(|&(_, most)| most < 100);
    let name = format!(
        "request-limit-{own}{}",
        if limited { format!("-to-{most}") } else { String::new() }
    );
    let what = format!(
        "{} percent of the compute units guaranteed, at most {}, idle ones lent",
        own.replace('-', ", "),
        most.replace('-', ", ")
    );
    let keys = format!("lend = true\nlimits = {limits:?}\n");
    let recipe = fixed(&name, &what, (&counts, device), &keys, registry)?;
    Ok(ShareCandidate { mode: Mode::RequestLimit(requests), recipe })
}

pub(super) fn instances(
    device: &Device,
    set: Vec<MigProfile>,
    registry: &Registry,
) -> Result<ShareCandidate, StudyError> {
    let name = set.iter().map(|one| one.name).collect::<Vec<_>>().join("+");
    let counts: Vec<u16> = set.iter().map(|one| one.units).collect();
    let mut recipe =
        fixed(&format!("mig-{name}"), "instances of MIG", (&counts, device), "", registry)?;
    recipe.memory_eighths = set.iter().map(|one| mig::memory_eighths(device, one)).collect();
    Ok(ShareCandidate { mode: Mode::Mig(set), recipe })
}

/// Modes of AMD's compute partitions on devices with eight accelerator dies: (name, number of equal
/// parts into which the mode divides the device).
const EIGHT: [(&str, u16); 3] = [("DPX", 2), ("QPX", 4), ("CPX", 8)];
/// Modes of AMD's compute partitions on the six accelerator dies of an MI300A: (name, number of
/// equal parts).
const SIX: [(&str, u16); 2] = [("TPX", 3), ("CPX", 6)];

fn partition_modes(device: &Device) -> &'static [(&'static str, u16)] {
    match device.id.as_str() {
        "mi300x" | "mi325x" | "mi350x" | "mi355x" => &EIGHT,
        "mi300a" => &SIX,
        _ => &[],
    }
}

/// Returns the way of sharing the device by AMD's compute partitions: each tenant has one of the
/// largest equal partitions of which there are enough. `None` where there are too few. Partitions
/// share memory, so contention between them is charged.
pub(super) fn compute_partition(
    device: &Device,
    tenants: usize,
    registry: &Registry,
) -> Option<Result<ShareCandidate, StudyError>> {
    let mut modes = partition_modes(device).iter();
    let &(mode, parts) = modes.find(|&&(_, parts)| usize::from(parts) >= tenants)?;
    let units = vec![device.cus / parts; tenants];
    let name = format!("compute-partition-{}", mode.to_lowercase());
    let what = format!("{mode}: one of {parts} equal partitions each");
    let recipe = fixed(&name, &what, (&units, device), "", registry);
    Some(recipe.map(|recipe| ShareCandidate { mode: Mode::ComputePartition(mode), recipe }))
}

/// Returns a recipe whose allocate policy `spatial` gives each process its own compute units:
/// `units` has their number for each process. `what` is the description of the recipe, `keys` are
/// further lines of the policy's table.
fn fixed(
    name: &str,
    what: &str,
    (units, device): (&[u16], &Device),
    keys: &str,
    registry: &Registry,
) -> Result<NamedRecipe, StudyError> {
    let text = format!(
        "raddle = 1\ndescription = \"{what}\"\n\n[turn]\npolicy = \"everyone\"\n\n[allocate]\n\
         policy = \"spatial\"\nshares = {units:?}\nof = {}\n{keys}\n[preempt]\npolicy = \"never\"\n",
        device.cus
    );
    NamedRecipe::parse(name.to_owned(), name, text, registry)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::answer::Offered;
    use crate::driver;

    fn strangers(tenants: usize) -> Tenants {
        Tenants::strangers(tenants, false)
    }

    /// Checks of every candidate that its name without parameters is the name of its way of sharing,
    /// unless the way has one candidate alone.
    #[test]
    fn names_of_candidates_tell_the_way_of_sharing() {
        for (id, count) in [("h200", 2), ("a100", 3), ("mi300x", 2)] {
            let device = raddle_device::find(id).expect("it is a device");
            let all = candidates(&device, &strangers(count), &Registry::bundled());
            let all = all.expect("bundled recipes are valid");
            for ShareCandidate { mode, recipe } in &all {
                let alone = all.iter().filter(|it| it.mode.same_kind(mode)).count() == 1;
                let own = without_parameters(&recipe.name);
                assert!(own == mode.name() || alone, "{} on {id}", recipe.name);
            }
        }
        assert_eq!(without_parameters("mine-2"), "mine-2");
        assert_eq!(without_parameters("partition"), "partition");
    }

    /// Checks on every device that a row of the comparison counts as offered where the candidate is a
    /// way of the driver. A device without a driver has no way but the one that it has by itself.
    #[test]
    fn every_way_of_the_driver_counts_as_offered_and_no_other() {
        for device in raddle_device::table() {
            for tenants in [1, 2, 3] {
                let all = candidates(&device, &strangers(tenants), &Registry::bundled());
                for ShareCandidate { mode, recipe } in all.expect("bundled recipes are valid") {
                    let found = driver::offered(&recipe.recipe, &device) == Offered::Here;
                    let expected = mode.is_of_device() && device.vendor != Vendor::Seed;
                    assert_eq!(found, expected, "{} on {}", recipe.name, device.id);
                }
            }
        }
        let seed = raddle_device::find("seed-000").expect("it is a device");
        let all = candidates(&seed, &strangers(2), &Registry::bundled()).unwrap();
        let ways = all.iter().filter(|of| of.mode.is_of_device());
        let ways: Vec<&str> = ways.map(|of| of.mode.name()).collect();
        assert_eq!(ways, ["streams"]);
    }

    #[test]
    fn guarantees_and_limits_are_units_of_the_device() {
        let device = raddle_device::find("a100").unwrap();
        let limits = vec![(20, 60), (80, 100)];
        let ShareCandidate { recipe, .. } =
            request_limit(&device, limits, &Registry::bundled()).unwrap();
        assert_eq!(recipe.name, "request-limit-20-80-to-60-100");
        let settings = serde_json::to_value(&recipe.recipe).unwrap();
        assert_eq!(settings["allocate"]["shares"], serde_json::json!([21, 86]));
        assert_eq!(settings["allocate"]["limits"], serde_json::json!([64, 108]));
        recipe.builder(&recipe.on(&device), &device).unwrap();
    }

    #[test]
    fn tenants_that_hold_more_than_instances_are_told_so() {
        let held = |gigabytes: [u64; 2]| {
            let mut tenants = strangers(2);
            tenants.memory = gigabytes.map(|it| it * 1_000_000_000).to_vec();
            tenants
        };
        let h200 = raddle_device::find("h200").unwrap();
        assert!(left_out(&h200, &held([60, 71])).is_empty());
        let told = [
            "no mig: the tenants hold 61 and 80 GB, and no 2 instances that h200 has at once hold that",
        ];
        assert_eq!(left_out(&h200, &held([61, 80])), told);
        let b200 = raddle_device::find("b200").unwrap();
        let told = ["no mig: the compute units of the larger instances of b200 are not published"];
        assert_eq!(left_out(&b200, &strangers(2)), told);
    }

    #[test]
    fn tenants_that_fit_no_part_are_told_with_the_numbers() {
        let device = |name: &str| raddle_device::find(name).unwrap();
        let names = |name: &str, tenants| -> Vec<&'static str> {
            let found =
                candidates(&device(name), &strangers(tenants), &Registry::bundled()).unwrap();
            let mut names: Vec<&str> = found.iter().map(|of| of.mode.name()).collect();
            names.dedup();
            names
        };
        assert!(
            left_out(&device("h100"), &strangers(7)).is_empty()
                && names("h100", 7).contains(&"mig")
        );
        let mig = "no mig: 8 tenants, and the device has at most 7 instances";
        assert_eq!(left_out(&device("h100"), &strangers(8)), [mig]);
        assert!(!names("h100", 8).contains(&"mig") && names("h100", 8).contains(&"partition"));
        // One percent of 80 units is less than one unit.
        let told = left_out(&device("v100"), &strangers(90));
        let none = "no partition and no request-limit: 90 tenants have 1% of 80 compute units each, less than one";
        assert_eq!(told, [none]);
        let left = names("v100", 90);
        assert_eq!(left, ["time-slice", "mps", "weighted-slices", "matching", "block-warp"]);
        assert_eq!(left_out(&device("v100"), &strangers(120)).len(), 1, "not a percent each");
        assert!(left_out(&device("v100"), &strangers(1)).is_empty());
    }

    #[test]
    fn tenants_have_the_largest_equal_parts_that_amd_offers() {
        let of = |name: &str, tenants| {
            let device = raddle_device::find(name).unwrap();
            let found = compute_partition(&device, tenants, &Registry::bundled())?.unwrap();
            let settings = serde_json::to_value(&found.recipe.recipe).unwrap();
            Some((found.recipe.name, settings["allocate"]["shares"].to_string()))
        };
        let named = |name: &str, shares: &str| Some((name.to_owned(), shares.to_owned()));
        assert_eq!(of("mi300x", 2), named("compute-partition-dpx", "[152,152]"));
        assert_eq!(of("mi300x", 3), named("compute-partition-qpx", "[76,76,76]"));
        assert_eq!(of("mi300a", 2), named("compute-partition-tpx", "[76,76]"));
        assert_eq!(of("mi355x", 5), named("compute-partition-cpx", "[32,32,32,32,32]"));
        assert_eq!((of("mi300x", 9), of("mi210", 2), of("h100", 2)), (None, None, None));
        let told = left_out(&raddle_device::find("mi300x").unwrap(), &strangers(9));
        assert_eq!(told, ["no compute-partition: 9 tenants, and the device has at most 8 parts"]);
    }

    #[test]
    fn amd_takes_turns_where_processes_are_isolated() {
        let device = raddle_device::find("mi300x").unwrap();
        let found = candidates(&device, &strangers(2), &Registry::bundled()).unwrap();
        assert_eq!(found[0].mode, Mode::Queues, "what happens where nobody sets anything");
        let turns = found.iter().find(|of| of.mode == Mode::TimeSlice(Vendor::Amd)).unwrap();
        let settings = serde_json::to_value(&turns.recipe.recipe).unwrap();
        assert_eq!(settings["turn"]["slice-us"], 10_000);
        assert_eq!(settings["preempt"]["policy"], "switch");
    }

    #[test]
    fn fixed_units_are_those_of_the_device() {
        let device = raddle_device::find("a100").unwrap();
        let ShareCandidate { mode, recipe } =
            partition(&device, &[70, 30], &Registry::bundled()).unwrap();
        assert_eq!(mode, Mode::Partition(Vendor::Nvidia, vec![(70, 75), (30, 32)]));
        assert_eq!(recipe.name, "partition-70-30");
        recipe.builder(&recipe.on(&device), &device).unwrap();
    }
}
