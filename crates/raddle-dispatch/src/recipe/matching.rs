//! Which key of an allocation policy cannot be used, and why? In the units of the key.

use raddle_policy::{CuShape, Resource, SettingError};
use raddle_workgroup::{Error, MatchingConfig, PlaceRule, SearchRule};

/// Settings that can be used, for examples.
pub(super) const SAMPLES: &[&str] = &[
    "search = \"full\"
     order = \"static\"
     pick = \"lowest\"
     balance = \"tail\"
     place = \"lowest-index\"
     split = { threshold = 4, retry-us = 10 }
     channels = 8",
    "search = { grouped = { groups = 4 } }
     order = { windows = { windows-us = [800, 400, 200] } }
     pick = { seeded = { seed = 7 } }
     place = { most-free = { waves = 1, vgpr = 1, sgpr = 1, lds = 1, amounts = \"free\" } }",
    "search = { sampled = { amounts = [1, 4, 16, 64] } }
     place = { least-power = { weights = [1, 1, 4, 4, 8, 1], history-ticks = 1024 } }",
    "search = { shared = { width = 1024 } }
     place = { mix = { free = { waves = 1, lds = 1 }, power = { weights = [1, 1, 4, 4, 8, 1], history-ticks = 1024 }, shares = [1, 1] } }",
];

/// What is wrong with the shares of a policy, or with all of its settings.
pub(super) fn told(error: Error) -> SettingError {
    match error {
        Error::ZeroShare { process } => SettingError::new(
            format!("shares[{}]", process.0),
            "a share of 0 leaves its process no compute unit: give 1 or more",
        ),
        other => SettingError::new("", other),
    }
}

pub(super) fn refused(config: &MatchingConfig, shape: &CuShape, error: Error) -> SettingError {
    match error {
        Error::SearchRule { resource, .. } => search(&config.search, shape, resource)
            .unwrap_or_else(|| SettingError::new("search", error)),
        Error::NoRetry => SettingError::new("split.retry-us", error),
        Error::NoChannels => SettingError::new("channels", error),
        Error::NoWindows => {
            let message = "there are none: give one for each level, in microseconds";
            SettingError::new("order.windows.windows-us", message)
        }
        Error::ZeroWindow { at } => {
            let message = "0 microseconds are no window: give 1 or more";
            SettingError::new(format!("order.windows.windows-us[{at}]"), message)
        }
        Error::NoShare => {
            let message = "both are 0, so nothing counts: give at least one";
            SettingError::new("place.mix.shares", message)
        }
        Error::NoCycles => {
            let key = match config.place {
                PlaceRule::Mix { .. } => "place.mix.power.history-ticks",
                _ => "place.least-power.history-ticks",
            };
            SettingError::new(key, "0 ticks see nothing: give 1 or more")
        }
        Error::NoWeight | Error::Score { .. } => SettingError::new(weights(&config.place), error),
        other => told(other),
    }
}

/// The key of a search that cannot be used; `None` where it is all of it.
fn search(search: &SearchRule, shape: &CuShape, resource: Resource) -> Option<SettingError> {
    let granules = |resource| match resource {
        Resource::Sgpr if shape.sgpr == u16::MAX => 0,
        Resource::Sgpr => u32::from(shape.sgpr),
        Resource::Vgpr => u32::from(shape.vgpr_per_simd),
        _ => shape.lds,
    };
    let (name, has) = (resource.name(), granules(resource));
    match search {
        SearchRule::Sampled { amounts } => {
            let at = |at: usize| format!("search.sampled.amounts[{at}]");
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
            Some(SettingError::new("search.sampled.amounts", message))
        }
        SearchRule::Shared { width } => {
            let all = [Resource::Vgpr, Resource::Sgpr, Resource::Lds];
            let least = all.into_iter().map(granules).max()?;
            let message = format!(
                "{name} has {has} granules, more than one finder of {width} can take in: give {least} or more"
            );
            let refused = SettingError::new("search.shared.width", message);
            Some(refused.example(format!("width = {least}")))
        }
        _ => None,
    }
}

/// The weights that are all 0, or too large to add up. Those of power are never too large.
fn weights(place: &PlaceRule) -> &'static str {
    match place {
        PlaceRule::LeastPower(_) => "place.least-power.weights",
        PlaceRule::Mix { power, .. } if power.weights == [0; 6] => "place.mix.power.weights",
        PlaceRule::Mix { .. } => "place.mix.free",
        _ => "place.most-free",
    }
}
