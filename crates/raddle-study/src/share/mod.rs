//! Which way of sharing a device suits these tenants (processes), with which parameters, and how is
//! it set up?

mod absent;
mod files;
mod mig;
mod modes;
mod named;
mod parts;
mod setup;
mod undo;

use modes::{BY_LEVEL, KILLS, Mode};
use raddle_device::Device;
use raddle_dispatch::Registry;
use raddle_trace::PriorityRule;

use crate::answer::TODAY;
use crate::error::StudyError;
use crate::profiles::Loaded;
use crate::recipes::NamedRecipe;
use crate::result::SetUp;
pub(crate) use absent::not_tried;
pub(crate) use modes::{candidates, without_parameters};
pub(crate) use named::choose;
pub(crate) use parts::Tenants;

/// Largest number of characters of a tenant's name in a command; a longer name loses its middle.
const NAME: usize = 80;

/// A way of sharing the device, such as MPS, with its parameters, and the recipe (set of scheduling
/// policies) by which it is simulated.
#[derive(Clone, Debug)]
pub(crate) struct ShareCandidate {
    mode: Mode,
    pub(crate) recipe: NamedRecipe,
}

impl ShareCandidate {
    /// Returns whether one of the names in `wanted`, which the user gave, means this way of sharing
    /// the device with its parameters, such as `partition-30-70`.
    pub(crate) fn is_named_in(&self, wanted: &[String]) -> bool {
        let name = &self.recipe.name;
        name != self.mode.name() && wanted.contains(name)
    }

    /// Returns whether this way of sharing a device is simulated where the user names none: a
    /// driver offers it, or it shows what preemption of work would gain. `kills` is true if some
    /// launch may be killed. If none may be, the recipe that kills is left out, as it would equal
    /// the one that stops launches by a flag.
    fn is_tried_unasked(&self, kills: bool) -> bool {
        match &self.mode {
            Mode::Recipe(KILLS) => kills,
            mode => mode.is_of_device() || BY_LEVEL.contains(&mode.name()),
        }
    }
}

/// A process that shares the device (a tenant), with the facts about it that set-up commands need.
#[derive(Clone, Copy, Debug)]
struct Tenant<'t> {
    name: &'t str,
    /// True if no other tenant is more urgent than this one.
    urgent: bool,
}

/// Returns for each candidate (way of sharing the device, with parameters) the number of its kind,
/// counted from 0 in the order of the candidates. Candidates of one kind differ only in their
/// parameters.
pub(crate) fn kinds(candidates: &[ShareCandidate]) -> Vec<usize> {
    let mut firsts: Vec<&Mode> = Vec::new();
    let mut kinds = Vec::with_capacity(candidates.len());
    for ShareCandidate { mode, .. } in candidates {
        let known = firsts.iter().position(|first| first.same_kind(mode));
        kinds.push(known.unwrap_or(firsts.len()));
        if known.is_none() {
            firsts.push(mode);
        }
    }
    kinds
}

/// Keeps the ways of sharing the device that `wanted` names, with or without their parameters. If
/// it names none, keeps those that drivers offer, and those that show what preemption of work would
/// gain. `kills` is true if some launch may be killed.
///
/// # Errors
///
/// If the device does not offer a wanted way of sharing for this number of tenants; the error lists
/// the ways that it offers.
pub(crate) fn only(
    mut candidates: Vec<ShareCandidate>,
    wanted: &[String],
    (device, tenants): (&Device, &Tenants),
    (kills, registry): (bool, &Registry),
) -> Result<Vec<ShareCandidate>, StudyError> {
    let mut names: Vec<&str> = candidates.iter().map(|of| of.mode.name()).collect();
    names.dedup();
    for name in wanted {
        if !candidates.iter().any(|of| of.recipe.name == *name) {
            candidates.extend(named::named(name, (device, tenants.len()), registry)?);
        }
    }
    // The ways of sharing are compared that drivers offer, whoever names them.
    candidates.iter_mut().for_each(|of| of.recipe.asked = false);
    let exact = |name: &str| candidates.iter().any(|of| of.recipe.name == name);
    // The way of a device without any set-up comes first.
    // People write MPS and MIG.
    let is = |wanted: &str, name: &str| {
        wanted.eq_ignore_ascii_case(name) || (wanted == TODAY && names[0] == name)
    };
    let known = |wanted: &&String| exact(wanted) || names.iter().any(|name| is(wanted, name));
    if let Some(name) = wanted.iter().find(|name| !known(name)) {
        let why: String =
            not_tried(device, tenants).iter().map(|told| format!(" ({told})")).collect();
        return Err(StudyError::Usage(format!(
            "--recipe {name}: {} has no such way of sharing for {} tenants; it has {}{why}.{}",
            device.id,
            tenants.len(),
            names.join(", "),
            crate::error::meant(raddle_read::nearest(name, names.iter().copied()))
        )));
    }
    let asked = |of: &ShareCandidate| match wanted {
        [] => of.is_tried_unasked(kills),
        _ => wanted.iter().any(|it| is(it, of.mode.name()) || *it == of.recipe.name),
    };
    Ok(candidates.into_iter().filter(asked).collect())
}

/// Returns the commands and files that set up a way of sharing the device for these tenants, and the
/// commands that undo it.
pub(crate) fn setup(chosen: &ShareCandidate, tenants: &[Loaded], rules: &[PriorityRule]) -> SetUp {
    let levels: Vec<u8> = tenants.iter().map(|it| it.most_urgent(rules)).collect();
    let most = levels.iter().min().copied().unwrap_or_default();
    let tenants = tenants.iter().zip(&levels);
    let tenants: Vec<Tenant<'_>> = tenants
        .map(|(loaded, level)| Tenant { name: &loaded.name, urgent: *level == most })
        .collect();
    let (lines, files) = setup::set_up(chosen, &tenants);
    SetUp { lines, undo: undo::undo(chosen, &files), files }
}
