//! Which key of the settings of the policy `matching` cannot be used, and why?
//!
//! Messages state values in the unit of the key.

use alloc::format;
use alloc::string::String;

use raddle_policy::{Configured, CuShape, Cus, Needs, Resource, SettingError};

use super::{ByResource, LevelOrder, Matching, MatchingConfig, PlaceRule, SearchRule};
use crate::Error;
use crate::error::Reason;

impl Configured for Matching {
    const NAME: &'static str = "matching";
    const EXAMPLES: &'static [&'static str] = &[
    "search = \"full\"
     order = \"static\"
     pick = \"lowest\"
     balance = \"tail\"
     place = \"lowest-index\"
     split = { threshold = 4, retry-ns = 100 }
     fit = \"first\"
     channels = 8",
    "search = { grouped = { size = 4 } }
     order = { windows = { windows-ns = [8000, 4000, 2000] } }
     split = { threshold = 4, retry-us = 10 }
     pick = { seeded = { seed = 7 } }
     place = { most-free = { waves = 1, vgpr = 1, sgpr = 1, lds = 1, amounts = \"free\" } }",
    "search = { sampled = { amounts = [1, 4, 16, 64] } }
     order = { windows = { windows-us = [800, 400, 200] } }
     place = { least-power = { weights = [1, 1, 4, 4, 8, 1], history-ticks = 1024 } }",
    "search = { grouped = { groups = 4 } }
     place = { least-power = { weights = [1, 1, 4, 4, 8, 1], history-log2 = 10 } }",
    "decision = { timing = \"one-clock\", clock-mhz = 1755 }",
    "search = { sampled = { excluding = \"primes\" } }",
    "search = { grouped = { size = { vgpr = 4, sgpr = 4, lds = 16 } } }",
    "search = { shared = { width = 1024 } }
     place = { mix = { free = { waves = 1, lds = 1 }, power = { weights = [1, 1, 4, 4, 8, 1], history-ticks = 1024 }, shares = [1, 1] } }",
];

    type Config = MatchingConfig;

    fn make(config: &MatchingConfig, device: &Cus) -> Result<Self, SettingError> {
        let cus = u16::try_from(device.len()).unwrap_or(u16::MAX);
        Self::new(config.clone(), *device.shape(), cus)
            .map_err(|error| refused(config, (device.shape(), device.len()), error))
    }

    /// Returns which facts the policy needs to be told: the activity of waves (instructions that
    /// they issue) where compute units are chosen by power.
    fn needs(config: &MatchingConfig) -> Needs {
        match config.place {
            PlaceRule::LeastPower(_) | PlaceRule::Mix { .. } => Needs::ACTIVITY,
            _ => Needs::NONE,
        }
    }
}

/// Returns the error for settings that `Matching` refused for `cus` compute units of this shape.
pub(super) fn refused(
    config: &MatchingConfig,
    (shape, cus): (&CuShape, usize),
    error: Error,
) -> SettingError {
    match error.0 {
        Reason::SearchRule { resource, .. } => search(&config.search, shape, resource)
            .unwrap_or_else(|| SettingError::new("search", error)),
        Reason::SearchKeys { .. } => {
            let grouped = matches!(config.search, SearchRule::Grouped { .. });
            let key = if grouped { "search.grouped" } else { "search.sampled" };
            SettingError::new(key, error)
        }
        Reason::NoGroups => SettingError::new("search.grouped", error),
        Reason::NoClock => SettingError::new("decision.clock-mhz", error),
        Reason::NoRetry => {
            let ns = config.split.is_some_and(|split| split.retry_ns.is_some());
            SettingError::new(if ns { "split.retry-ns" } else { "split.retry-us" }, error)
        }
        Reason::TwoUnits { keys } => SettingError::new(twice(config, keys), error),
        Reason::History { .. } => SettingError::new(history(config, "history-log2"), error),
        Reason::NoChannels => SettingError::new("channels", error),
        Reason::NoWindows => {
            let message = "there are none: give one for each level, in nanoseconds";
            SettingError::new("order.windows.windows-ns", message)
        }
        Reason::ZeroWindow { at } => {
            let ns = matches!(&config.order, LevelOrder::Windows(it) if !it.windows_ns.is_empty());
            let (key, unit) = if ns { ("ns", "nanoseconds") } else { ("us", "microseconds") };
            let message = format!("0 {unit} are no window: give 1 or more");
            SettingError::new(format!("order.windows.windows-{key}[{at}]"), message)
        }
        Reason::NoShare => {
            let message = "both are 0, so nothing counts: give at least one";
            SettingError::new("place.mix.shares", message)
        }
        Reason::NoCycles => SettingError::new(
            history(config, "history-ticks"),
            "0 ticks see nothing: give 1 or more",
        ),
        Reason::NoWeight | Reason::Score { .. } => {
            SettingError::new(weights(config, (shape, cus)), error)
        }
        other => Error(other).into(),
    }
}

/// Returns the error that names the key of the search rule whose value cannot be used for a
/// resource; `None` where no single key is at fault.
fn search(search: &SearchRule, shape: &CuShape, resource: Resource) -> Option<SettingError> {
    let granules = |resource| match resource {
        Resource::Sgpr if shape.sgpr == u16::MAX => 0,
        Resource::Sgpr => u32::from(shape.sgpr),
        Resource::Vgpr => u32::from(shape.vgpr_per_simd),
        _ => shape.lds,
    };
    let (name, has) = (resource.name(), granules(resource));
    match search {
        SearchRule::Sampled { amounts: Some(given), .. } => {
            let (amounts, key) = (
                given.of(resource)?,
                match given {
                    ByResource::All(_) => String::new(),
                    ByResource::Each(_) => format!(".{name}"),
                },
            );
            let at = |at: usize| format!("search.sampled.amounts{key}[{at}]");
            if let Some(zero) = amounts.iter().position(|&amount| amount == 0) {
                return Some(SettingError::new(at(zero), "0 granules are no run: give 1 or more"));
            }
            if let Some(before) = amounts.windows(2).position(|pair| pair[0] >= pair[1]) {
                let message = format!(
                    "{} is not above the {} before it: the amounts ascend, none of them twice",
                    amounts[before + 1],
                    amounts[before]
                );
                return Some(SettingError::new(at(before + 1), message));
            }
            let message = format!(
                "{name} has {has} granules, and no amount is so small: no run of it would be reported, give smaller ones too"
            );
            Some(SettingError::new(format!("search.sampled.amounts{key}"), message))
        }
        SearchRule::Shared { width } => {
            let all = [Resource::Vgpr, Resource::Sgpr, Resource::Lds];
            let least = all.into_iter().map(granules).max()?;
            let message = format!(
                "{name} has {has} granules, more than one finder of {width} can take in: give {least} or more"
            );
            let refused = SettingError::new("search.shared.width", message);
            Some(refused.with_example(format!("width = {least}")))
        }
        _ => None,
    }
}

/// Returns the path, in the recipe, of the setting `key` for placing by power, such as the time for
/// which past instructions count: in `place.mix.power` or in `place.least-power`.
fn history(config: &MatchingConfig, key: &str) -> String {
    match config.place {
        PlaceRule::Mix { .. } => format!("place.mix.power.{key}"),
        _ => format!("place.least-power.{key}"),
    }
}

/// Returns the path, in the recipe, of the second of two keys that exclude each other, for the
/// error that both are given.
fn twice(config: &MatchingConfig, [_, key]: [&str; 2]) -> String {
    match key {
        "retry-us" => format!("split.{key}"),
        "windows-us" => format!("order.windows.{key}"),
        _ => history(config, key),
    }
}

/// Returns the path, in the recipe, of the weights that were refused, as all are 0 or they are too
/// large to add up. In a mix, the weights of free resources are tested alone: if they pass, the
/// weights of power are at fault.
fn weights(config: &MatchingConfig, (shape, cus): (&CuShape, usize)) -> &'static str {
    match &config.place {
        PlaceRule::LeastPower(_) => "place.least-power.weights",
        PlaceRule::Mix { free, .. } => {
            let place = PlaceRule::MostFree(*free);
            let alone = MatchingConfig { place, ..config.clone() };
            match Matching::new(alone, *shape, u16::try_from(cus).unwrap_or(u16::MAX)) {
                Ok(_) => "place.mix.power.weights",
                Err(_) => "place.mix.free",
            }
        }
        _ => "place.most-free",
    }
}
