//! Which ways of sharing does a device offer these tenants, and with which parameters are they tried?

use raddle_device::{Device, Vendor};
use raddle_dispatch::Registry;

use super::Candidate;
use super::mig::{self, MigProfile};
use crate::error::StudyError;
use crate::recipes::{self, NamedRecipe};

/// Tenants among which shares of a device are tried in steps; more get equal shares, or one twice
/// the others'.
const STEPPED: usize = 3;

/// A way of sharing.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Mode {
    /// One process at a time, by the driver of NVIDIA.
    TimeSlice,
    /// Side by side under MPS; `true`: the most urgent waiting launch first.
    Mps(bool),
    /// Fixed compute units for each tenant: how many percent of them, and how many.
    Partition(Vendor, Vec<(u32, u16)>),
    /// Instances of MIG.
    Mig(Vec<MigProfile>),
    /// Side by side in the queues of AMD.
    Queues,
    /// What no driver offers, by a recipe of that name.
    Recipe(&'static str),
}

impl Mode {
    /// Whether only parameters differ.
    pub(super) fn same_kind(&self, other: &Self) -> bool {
        match (self, other) {
            (Self::Mps(one), Self::Mps(another)) => one == another,
            (Self::Recipe(one), Self::Recipe(another)) => one == another,
            _ => core::mem::discriminant(self) == core::mem::discriminant(other),
        }
    }
}

/// Every mode with every parameter that is tried; the first is what happens where nobody sets anything.
///
/// `by_level`: whether some of the tenants are more urgent than others.
///
/// # Errors
/// When a recipe cannot be read, which none of these is meant to.
pub(crate) fn candidates(
    device: &Device,
    tenants: usize,
    by_level: bool,
    registry: &Registry,
) -> Result<Vec<Candidate>, StudyError> {
    let mut all = Vec::new();
    match device.vendor {
        Vendor::Nvidia => {
            all.push(bundled(Mode::TimeSlice, "time-slice", registry)?);
            all.push(bundled(Mode::Mps(false), "mps", registry)?);
            if by_level {
                all.push(bundled(Mode::Mps(true), "mps-priority", registry)?);
            }
        }
        _ => all.push(bundled(Mode::Queues, "leftover", registry)?),
    }
    if tenants > 1 {
        for percents in partitions(tenants) {
            all.push(partition(device, &percents, registry)?);
        }
        for set in mig::sets(device, tenants) {
            all.push(instances(device, set, registry)?);
        }
        let urgent = by_level.then_some("leftover-drain");
        let others = ["request-limit", "weighted-slices", "matching", "block-warp"];
        for name in urgent.into_iter().chain(others) {
            all.push(bundled(Mode::Recipe(name), name, registry)?);
        }
    }
    Ok(all)
}

fn bundled(mode: Mode, name: &str, registry: &Registry) -> Result<Candidate, StudyError> {
    let recipe = recipes::bundled(name, registry)?;
    Ok(Candidate { mode, recipe })
}

/// Percentages for each tenant that are tried; they add up to at most 100.
fn partitions(tenants: usize) -> Vec<Vec<u32>> {
    let step = if tenants == 2 { 10 } else { 20 };
    if tenants <= STEPPED {
        let mut found = Vec::new();
        split(tenants, 100, step, &mut Vec::new(), &mut found);
        return found;
    }
    let parts = tenants as u32;
    let equal = vec![100 / parts; tenants];
    let twice = (0..tenants).map(|larger| {
        let part = 100 / (parts + 1);
        (0..tenants).map(|at| if at == larger { 2 * part } else { part }).collect()
    });
    std::iter::once(equal).chain(twice).filter(|set: &Vec<u32>| set[0] > 0).collect()
}

fn split(parts: usize, left: u32, step: u32, set: &mut Vec<u32>, found: &mut Vec<Vec<u32>>) {
    if parts == 1 {
        found.push(set.iter().copied().chain([left]).collect());
        return;
    }
    let others = step * (parts as u32 - 1);
    for part in (step..=left.saturating_sub(others)).step_by(step as usize) {
        set.push(part);
        split(parts - 1, left - part, step, set, found);
        set.pop();
    }
}

fn partition(
    device: &Device,
    percents: &[u32],
    registry: &Registry,
) -> Result<Candidate, StudyError> {
    // At most all units of the device, which are a u16.
    let units = |percent: &u32| ((u32::from(device.cus) * percent / 100) as u16).max(1);
    let sets: Vec<(u32, u16)> = percents.iter().map(|percent| (*percent, units(percent))).collect();
    let name = percents.iter().map(u32::to_string).collect::<Vec<_>>().join("-");
    let what = format!("{} percent of the compute units", name.replace('-', ", "));
    let counts: Vec<u16> = sets.iter().map(|&(_, units)| units).collect();
    let recipe = fixed(&format!("partition-{name}"), &what, (&counts, device), registry)?;
    Ok(Candidate { mode: Mode::Partition(device.vendor, sets), recipe })
}

fn instances(
    device: &Device,
    set: Vec<MigProfile>,
    registry: &Registry,
) -> Result<Candidate, StudyError> {
    let name = set.iter().map(|one| one.name).collect::<Vec<_>>().join("+");
    let counts: Vec<u16> = set.iter().map(|one| one.units).collect();
    let mut recipe =
        fixed(&format!("mig-{name}"), "instances of MIG", (&counts, device), registry)?;
    recipe.apart = true;
    Ok(Candidate { mode: Mode::Mig(set), recipe })
}

/// So many compute units for each process.
fn fixed(
    name: &str,
    what: &str,
    (units, device): (&[u16], &Device),
    registry: &Registry,
) -> Result<NamedRecipe, StudyError> {
    let text = format!(
        "raddle = 1\ndescription = \"{what}\"\n\n[turn]\npolicy = \"everyone\"\n\n[allocate]\n\
         policy = \"spatial\"\nshares = {units:?}\nof = {}\n\n[preempt]\npolicy = \"never\"\n",
        device.cus
    );
    NamedRecipe::parse(name.to_owned(), name, text, registry)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn shares_are_tried_in_steps_and_add_up() {
        let two = partitions(2);
        assert_eq!((two.len(), &two[0], &two[8]), (9, &vec![10, 90], &vec![90, 10]));
        let three = partitions(3);
        assert_eq!((three.len(), &three[0]), (6, &vec![20, 20, 60]));
        assert_eq!(partitions(5).len(), 6);
        assert_eq!(partitions(5)[1], [32, 16, 16, 16, 16]);
        for tenants in 2..120 {
            for set in partitions(tenants) {
                assert_eq!(set.len(), tenants);
                assert!(set.iter().sum::<u32>() <= 100 && set.iter().all(|&part| part > 0));
            }
        }
    }

    #[test]
    fn fixed_units_are_those_of_the_device() {
        let device = raddle_device::find("a100").unwrap();
        let Candidate { mode, recipe } =
            partition(&device, &[70, 30], &Registry::bundled()).unwrap();
        assert_eq!(mode, Mode::Partition(Vendor::Nvidia, vec![(70, 75), (30, 32)]));
        assert_eq!(recipe.name, "partition-70-30");
        recipe.builder(&recipe.on(&device), &device).unwrap();
    }
}
