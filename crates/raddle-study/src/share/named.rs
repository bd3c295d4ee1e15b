//! Which way of sharing a device, with its parameters, does a name such as `partition-30-70` mean?

use raddle_device::Device;
use raddle_dispatch::Registry;

use super::{ShareCandidate, mig, modes};
use crate::answer::today;
use crate::error::StudyError;
use crate::files::Files;
use crate::recipes::{self, NamedRecipe};
use crate::rules::Setting;

/// Returns the way of sharing the device whose parameters are in its name: the percentages of a
/// partition, the kinds of MIG instances, or the mode of AMD's compute partitions. `None` where the
/// device offers no way of this name to that number of tenants.
///
/// # Errors
/// When a recipe cannot be read, which would be a fault of raddle itself.
pub(super) fn named(
    name: &str,
    (device, tenants): (&Device, usize),
    registry: &Registry,
) -> Result<Option<ShareCandidate>, StudyError> {
    if tenants < 2 {
        return Ok(None);
    }
    if let Some(parts) = name.strip_prefix("partition-") {
        let percents: Option<Vec<u32>> = parts.split('-').map(|part| part.parse().ok()).collect();
        let fits = |percents: &Vec<u32>| {
            let all: u64 = percents.iter().map(|&percent| u64::from(percent)).sum();
            percents.len() == tenants
                && all <= 100
                && percents.iter().all(|&percent| modes::units(device, percent) > 0)
        };
        let way = percents.filter(fits).map(|it| modes::partition(device, &it, registry));
        // One way has one name: `030` is no percentage.
        return Ok(way.transpose()?.filter(|way| way.recipe.name == name));
    }
    let instances = mig::sets(device, tenants).into_iter();
    let instances = instances.map(|set| modes::instances(device, set, registry));
    let mut all = instances.chain(modes::compute_partition(device, tenants, registry));
    all.find(|of| of.as_ref().map_or(true, |of| of.recipe.name == name)).transpose()
}

/// Reads the recipes that the user asked for, as [`recipes::choose`] does. A name may also be that
/// of a way of sharing the device with its parameters, such as `partition-30-70`, if the device
/// offers it to this number of processes.
pub(crate) fn choose(
    wanted: &[String],
    (device, processes): (&Device, usize),
    settings: &[Setting],
    (registry, files): (&Registry, &dyn Files),
) -> Result<Vec<NamedRecipe>, StudyError> {
    let ways = wanted.iter().map(|name| {
        // A recipe or a file of that name comes first.
        match recipes::text_of(name).is_some() || files.has(name) {
            true => Ok(None),
            false => named(name, (device, processes), registry),
        }
    });
    let ways: Vec<Option<ShareCandidate>> = ways.collect::<Result<_, _>>()?;
    if ways.iter().flatten().next().is_some() && !settings.is_empty() {
        let text = "--set is for recipes: a way of sharing has its parameters in its name";
        return Err(StudyError::Usage(text.to_owned()));
    }
    let twice = |(at, way): (usize, &Option<ShareCandidate>)| {
        way.is_some() && wanted[..at].contains(&wanted[at])
    };
    if let Some(at) = ways.iter().enumerate().position(twice) {
        let text = format!("the recipe {} is named twice: name each once", wanted[at]);
        return Err(StudyError::Usage(text));
    }
    let plain = wanted.iter().zip(&ways).filter(|(_, way)| way.is_none());
    let plain: Vec<String> = plain.map(|(name, _)| name.clone()).collect();
    let today = today(device, processes);
    let mut plain = recipes::choose(&plain, today, settings, (registry, files))?.into_iter();
    let chosen = ways.into_iter().map(|way| match way {
        Some(way) => Some(way.recipe),
        None => plain.next(),
    });
    Ok(chosen.flatten().collect())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::files::MemoryFiles;

    fn names(wanted: &[&str], device: &str, processes: usize) -> Result<Vec<String>, String> {
        let device = raddle_device::find(device).expect("it is known");
        let wanted: Vec<String> = wanted.iter().map(|&name| name.to_owned()).collect();
        let (registry, files) = (Registry::bundled(), MemoryFiles::default());
        let chosen = choose(&wanted, (&device, processes), &[], (&registry, &files));
        let names = |all: Vec<NamedRecipe>| all.into_iter().map(|of| of.name).collect();
        chosen.map(names).map_err(|error| error.to_string())
    }

    #[test]
    fn a_way_with_its_parameters_is_a_recipe() {
        let wanted = ["mps", "partition-33-66", "today", "mig-3g.71gb+4g.71gb"];
        let found = ["mps", "partition-33-66", "time-slice", "mig-3g.71gb+4g.71gb"];
        assert_eq!(names(&wanted, "h200", 2).unwrap(), found);
        let cpx = ["compute-partition-cpx"];
        assert_eq!(names(&cpx, "mi300x", 5).unwrap(), cpx);
    }

    #[test]
    fn a_way_that_the_device_does_not_offer_is_no_recipe() {
        let none = ["partition-30-80", "partition-30", "partition-0-50", "partition-030-+70"];
        for name in
            none.iter().chain(&["partition-4294967295-2", "mig-9g", "compute-partition-cpx"])
        {
            let error = names(&[name], "h200", 2).unwrap_err();
            assert!(error.contains(&format!("there is no recipe {name}")), "{error}");
        }
        assert!(names(&["partition-30-70"], "h200", 3).is_err());
        let twice = names(&["partition-30-70", "mps", "partition-30-70"], "h200", 2).unwrap_err();
        assert_eq!(twice, "the recipe partition-30-70 is named twice: name each once");
    }
}
