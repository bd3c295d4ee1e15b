//! Which key is it that a policy cannot use, and what would it take? In the units of the key.
//!
//! Policies speak of what they are given, ticks and all; who wrote a recipe knows its keys.

use raddle_policy::{CuShape, Resource};
use raddle_workgroup::{Error as WorkgroupError, MatchingConfig, PlaceRule, Search};

use super::AllocateRecipe;
use crate::RecipeError;

/// An error of one key of a slot; without a key, of all of it.
fn of(slot: &str, key: &str, message: String, example: &str) -> RecipeError {
    let dot = if key.is_empty() { "" } else { "." };
    let example = (!example.is_empty()).then(|| format!("`{example}`"));
    RecipeError::setting(&format!("{slot}{dot}{key}"), message, example)
}

/// A window of no launch.
pub(super) fn window() -> RecipeError {
    let message = "0 would never submit anything: give 1 or more (seed 001 has 8), or leave it out to submit each launch when it is ready";
    RecipeError::setting("window", message.to_owned(), Some("`window = 8`".to_owned()))
}

/// Launching beside what runs, of launches that nobody hears of before they can run.
pub(super) fn overlap_without_window() -> RecipeError {
    let message = "it is missing, and `launch-path.overlap` launches a kernel while the one before it runs: give how many launches of a process may be on their way or on the device (seed 001 has 8), or leave overlap out";
    RecipeError::setting("window", message.to_owned(), Some("`window = 8`".to_owned()))
}

/// What `cheapest` weighs is not known.
#[cfg(feature = "preempt")]
pub(super) fn no_costs() -> RecipeError {
    let message = "it is missing, and `cheapest` weighs what the device takes: give reset-ns, bytes-per-us, vgpr-bytes, sgpr-bytes and lds-bytes (`raddle replay` fills them in from its device table)";
    let example = "costs = { reset-ns = 10000, bytes-per-us = 1000000, vgpr-bytes = 1024, sgpr-bytes = 64, lds-bytes = 512 }";
    of("preempt", "costs", message.to_owned(), example)
}

/// A reset that needs a flag.
#[cfg(feature = "preempt")]
pub(super) fn reset_without_flag() -> RecipeError {
    let message = raddle_preempt::Error::ResetWithoutFlag.to_string();
    of("preempt", "abilities", message, "abilities = { can-flag = true, can-reset = true }")
}

/// Of the launch path `condensed`.
#[cfg(feature = "packet")]
pub(super) fn launch_path(error: raddle_packet::Error) -> RecipeError {
    match error {
        raddle_packet::Error::Setting { key, found, most } => {
            let message = format!("it cannot be {found}: give 1 to {most}");
            of("launch-path", key, message, &format!("{key} = {most}"))
        }
        other => of("launch-path", "", other.to_string(), ""),
    }
}

/// Of a turn policy, which knows its keys and their units.
#[cfg(feature = "timeslice")]
pub(super) fn turn(error: raddle_timeslice::Error) -> RecipeError {
    use raddle_timeslice::Error;
    match error {
        Error::Setting { key, given, least, most } => {
            let message = format!("it cannot be {given}: give {least} to {most}");
            let usual = match key {
                "capacity" => 8,
                "levels" => 16,
                _ => 40_000,
            };
            of("turn", key, message, &format!("{key} = {usual}"))
        }
        Error::LongestUsBelow { longest_us, t0_us } => {
            let message = format!(
                "{longest_us} microseconds are less than the smallest slice, `t0-us = {t0_us}`: give at least as much, or leave it out"
            );
            of("turn", "longest-us", message, &format!("longest-us = {t0_us}"))
        }
        other => of("turn", "", other.to_string(), ""),
    }
}

/// Of an allocation policy.
pub(super) fn allocate(
    recipe: &AllocateRecipe,
    shape: &CuShape,
    error: WorkgroupError,
) -> RecipeError {
    let refused = |key: &str, message: String, example: &str| of("allocate", key, message, example);
    match (recipe, error) {
        (AllocateRecipe::Spatial(config), WorkgroupError::ZeroShare { process }) => {
            let at = process.0 as usize;
            let mut better = config.shares.clone();
            better.iter_mut().for_each(|share| *share = (*share).max(1));
            let message = "a share of 0 leaves its process no compute unit: give 1 or more";
            let example = format!("shares = {better:?}");
            refused(&format!("shares[{at}]"), message.to_owned(), &example)
        }
        (AllocateRecipe::Matching(config), error) => matching(config, shape, error),
        (_, other) => refused("", other.to_string(), ""),
    }
}

fn matching(config: &MatchingConfig, shape: &CuShape, error: WorkgroupError) -> RecipeError {
    let refused = |key: &str, message: String, example: &str| of("allocate", key, message, example);
    match error {
        WorkgroupError::Search { resource, .. } => {
            let found = search(&config.search, shape, resource);
            let whole = || refused("search", error.to_string(), "search = \"full\"");
            found.map_or_else(whole, |(key, message, example)| refused(&key, message, &example))
        }
        WorkgroupError::NoRetry => refused("split.retry-us", error.to_string(), "retry-us = 10"),
        WorkgroupError::NoChannels => refused("channels", error.to_string(), "channels = 8"),
        WorkgroupError::NoWindows => {
            let message = "there are none: give one for each level, in microseconds".to_owned();
            refused("order.windows.windows-us", message, "windows-us = [800, 400, 200]")
        }
        WorkgroupError::ZeroWindow { at } => {
            let message = "0 microseconds are no window: give 1 or more".to_owned();
            let key = format!("order.windows.windows-us[{at}]");
            refused(&key, message, "windows-us = [800, 400, 200]")
        }
        WorkgroupError::NoShare => {
            let message = "both are 0, so nothing counts: give at least one".to_owned();
            refused("place.mix.shares", message, "shares = [1, 1]")
        }
        WorkgroupError::NoCycles => {
            let key = match config.place {
                PlaceRule::Mix { .. } => "place.mix.power.history-ticks",
                _ => "place.least-power.history-ticks",
            };
            let message = "0 ticks see nothing: give 1 or more".to_owned();
            refused(key, message, "history-ticks = 1024")
        }
        WorkgroupError::NoWeight | WorkgroupError::Score { .. } => {
            let (key, example) = weights(&config.place);
            refused(key, error.to_string(), example)
        }
        other => refused("", other.to_string(), ""),
    }
}

/// What of a search cannot be used: its key, why, and an example. `None` where it is all of it.
fn search(
    search: &Search,
    shape: &CuShape,
    resource: Resource,
) -> Option<(String, String, String)> {
    let granules = |resource| match resource {
        Resource::Sgpr if shape.sgpr == u16::MAX => 0,
        Resource::Sgpr => u32::from(shape.sgpr),
        Resource::Vgpr => u32::from(shape.vgpr_per_simd),
        _ => shape.lds,
    };
    let (name, has) = (resource.name(), granules(resource));
    match search {
        Search::Sampled { amounts } => {
            let at = amounts.iter().position(|&amount| amount == 0);
            let falls = || amounts.windows(2).position(|pair| pair[0] >= pair[1]).map(|at| at + 1);
            let key = |at: usize| format!("search.sampled.amounts[{at}]");
            let (key, message) = match (at, falls()) {
                (Some(at), _) => (key(at), "0 granules are no run: give 1 or more".to_owned()),
                (_, Some(at)) => {
                    let (before, given) = (amounts[at - 1], amounts[at]);
                    let message = "the amounts ascend, none of them twice";
                    (key(at), format!("{given} is not above the {before} before it: {message}"))
                }
                _ => {
                    let message = format!(
                        "{name} has {has} granules, and no amount is so small: no run of it would be reported, give smaller ones too"
                    );
                    ("search.sampled.amounts".to_owned(), message)
                }
            };
            Some((key, message, "amounts = [1, 4, 16, 64]".to_owned()))
        }
        Search::Shared { width } => {
            let all = [Resource::Vgpr, Resource::Sgpr, Resource::Lds];
            let least = all.into_iter().map(granules).max()?;
            let message = format!(
                "{name} has {has} granules, more than one finder of {width} can take in: give {least} or more"
            );
            Some(("search.shared.width".to_owned(), message, format!("width = {least}")))
        }
        _ => None,
    }
}

/// The weights that cannot be used: all 0, or too large to add up. Those of power are never too large.
fn weights(place: &PlaceRule) -> (&'static str, &'static str) {
    const POWER: &str = "weights = [1, 1, 4, 4, 8, 1]";
    match place {
        PlaceRule::LeastPower(_) => ("place.least-power.weights", POWER),
        PlaceRule::Mix { power, .. } if power.weights == [0; 6] => {
            ("place.mix.power.weights", POWER)
        }
        PlaceRule::Mix { .. } => ("place.mix.free", "free = { waves = 1, lds = 1 }"),
        _ => ("place.most-free", "most-free = { waves = 1, lds = 1 }"),
    }
}
