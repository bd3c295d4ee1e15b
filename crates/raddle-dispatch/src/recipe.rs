//! Which four policies, with which parameters?
//!
//! A recipe is TOML or JSON. A missing slot means its default (ordinary, everyone, leftover,
//! never); an unknown key is an error that names the nearest one. Names are kebab-case, snake_case
//! is accepted.

use raddle_policy::{CuShape, Preemption};
use raddle_workgroup::{
    Greedy, GreedyConfig, Leftover, LeftoverConfig, Matching, MatchingConfig, PlaceRule,
    RoundRobin, RoundRobinConfig, Spatial, SpatialConfig,
};
use serde::{Deserialize, Serialize};

#[cfg(feature = "preempt")]
use raddle_policy::Ticks;
#[cfg(feature = "preempt")]
use raddle_preempt::Abilities;
#[cfg(feature = "preempt")]
use raddle_preempt::policy::{self, ByRule};

use crate::slots::{
    Everyone, EveryoneConfig, HighestLevel, HighestLevelConfig, Never, NeverConfig, Ordinary,
    OrdinaryConfig,
};
use crate::{Builder, Composed, RecipeError};

mod node;
mod place;
mod read;
mod refused;
mod tell;

/// The line of a recipe's text on which a key stands, or that of what it would lie in.
pub(crate) fn line(text: &str, key: &str) -> Option<usize> {
    place::Path::of(key).line(text)
}

/// The four policies of a dispatcher.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case", deny_unknown_fields)]
pub struct Recipe {
    /// Version of the recipe format: 1.
    pub raddle: u32,
    /// One line for people.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub description: Option<String>,
    /// The submission window: launches that a process may have submitted and unfinished, 1 or more
    /// (8 in seed 001). Absent: each is submitted when it is ready, however many there are.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub window: Option<u32>,
    /// How launches reach the device.
    #[serde(default)]
    pub launch_path: LaunchPathRecipe,
    /// Which processes may issue.
    #[serde(default)]
    pub turn: TurnRecipe,
    /// Which workgroups go where.
    #[serde(default)]
    pub allocate: AllocateRecipe,
    /// How work leaves.
    #[serde(default)]
    pub preempt: PreemptRecipe,
}

impl Default for Recipe {
    fn default() -> Self {
        Self {
            raddle: 1,
            description: None,
            window: None,
            launch_path: LaunchPathRecipe::default(),
            turn: TurnRecipe::default(),
            allocate: AllocateRecipe::default(),
            preempt: PreemptRecipe::default(),
        }
    }
}

/// The launch path and its parameters.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(tag = "policy", rename_all = "kebab-case")]
#[non_exhaustive]
pub enum LaunchPathRecipe {
    /// One packet a launch.
    Ordinary(OrdinaryConfig),
    /// Many launches a packet, by a table of earlier ones (seed 002).
    #[cfg(feature = "packet")]
    Condensed(raddle_packet::CondensedConfig),
}

impl Default for LaunchPathRecipe {
    fn default() -> Self {
        Self::Ordinary(OrdinaryConfig::default())
    }
}

impl LaunchPathRecipe {
    /// Whether kernels are launched while others run.
    const fn overlaps(&self) -> bool {
        match self {
            Self::Ordinary(config) => config.overlap,
            #[cfg(feature = "packet")]
            Self::Condensed(config) => config.overlap,
        }
    }
}

/// The turn policy and its parameters.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(tag = "policy", rename_all = "kebab-case")]
#[non_exhaustive]
pub enum TurnRecipe {
    /// Everybody, always.
    Everyone(EveryoneConfig),
    /// Only the most urgent level present.
    HighestLevel(HighestLevelConfig),
    /// One process at a time, for a slice that follows from its weight.
    #[cfg(feature = "timeslice")]
    WeightedSlices(raddle_timeslice::WeightedSlicesConfig),
    /// One process at a time, equal slices.
    #[cfg(feature = "timeslice")]
    RoundRobin(raddle_timeslice::RoundRobinConfig),
    /// As many as fit; everybody leaves when a process appears.
    #[cfg(feature = "timeslice")]
    UnmapAll(raddle_timeslice::UnmapAllConfig),
    /// One process at a time: the one with the least run time, scaled by level.
    #[cfg(feature = "timeslice")]
    Vruntime(raddle_timeslice::VruntimeConfig),
}

impl Default for TurnRecipe {
    fn default() -> Self {
        Self::Everyone(EveryoneConfig::default())
    }
}

/// The allocation policy and its parameters.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(tag = "policy", rename_all = "kebab-case")]
#[non_exhaustive]
pub enum AllocateRecipe {
    /// Compute units in turn.
    RoundRobin(RoundRobinConfig),
    /// The lowest compute unit with room.
    Greedy(GreedyConfig),
    /// In arrival order, each launch on what the one before left over.
    Leftover(LeftoverConfig),
    /// A share of the compute units for each process.
    Spatial(SpatialConfig),
    /// Every channel's head against every compute unit.
    Matching(MatchingConfig),
    /// Whole blocks, else single warps, else a place in the queue behind lower work (seed 003).
    #[cfg(feature = "sm")]
    BlockWarp(raddle_sm::Options),
}

impl Default for AllocateRecipe {
    fn default() -> Self {
        Self::Leftover(LeftoverConfig::default())
    }
}

/// The preemption policy and its parameters.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(tag = "policy", rename_all = "kebab-case")]
#[non_exhaustive]
pub enum PreemptRecipe {
    /// What was submitted stays.
    Never(NeverConfig),
    /// Everything submitted runs to its end.
    #[cfg(feature = "preempt")]
    Wait(policy::WaitConfig),
    /// What has not started goes back to the buffer, what runs ends.
    #[cfg(feature = "preempt")]
    Flag(policy::FlagConfig),
    /// Resident workgroups finish, the rest is held.
    #[cfg(feature = "preempt")]
    Drain(policy::DrainConfig),
    /// What runs is killed if every submitted launch is idempotent, else as flag.
    #[cfg(feature = "preempt")]
    Reset(policy::ResetConfig),
    /// Resident workgroups are saved and later restored.
    #[cfg(feature = "preempt")]
    Switch(policy::SwitchConfig),
    /// What wastes least among what is over within a bound.
    #[cfg(feature = "preempt")]
    Cheapest(policy::CheapestConfig),
}

impl Default for PreemptRecipe {
    fn default() -> Self {
        Self::Never(NeverConfig::default())
    }
}

impl Recipe {
    /// Reads a recipe; text that begins with `{` is JSON, anything else TOML.
    ///
    /// ```
    /// use raddle_dispatch::{Recipe, TurnRecipe};
    /// let recipe = Recipe::parse("demo", "raddle = 1\n[turn]\npolicy = \"highest_level\"")?;
    /// assert!(matches!(recipe.turn, TurnRecipe::HighestLevel(_)));
    /// let error = Recipe::parse("demo", "raddle = 1\n[trun]\npolicy = \"everyone\"").unwrap_err();
    /// assert!(error.to_string().starts_with("recipe demo, line 2, `trun`: there is no such key; did you mean `turn`?"));
    /// # Ok::<(), raddle_dispatch::RecipeError>(())
    /// ```
    ///
    /// # Errors
    /// When it is neither, of another version, names what does not exist, or gives a key what it
    /// cannot have. `name` is for the message.
    pub fn parse(name: &str, text: &str) -> Result<Self, RecipeError> {
        read::parse(name, text)
    }

    /// The recipe as TOML, to start from.
    #[must_use]
    pub fn to_toml(&self) -> String {
        // Only tables, strings, booleans and integers: this cannot fail.
        toml::to_string(self).unwrap_or_default()
    }

    /// The names of the four policies: launch path, turn, allocate, preempt.
    #[must_use]
    pub fn policies(&self) -> [&'static str; 4] {
        [
            match self.launch_path {
                LaunchPathRecipe::Ordinary(_) => "ordinary",
                #[cfg(feature = "packet")]
                LaunchPathRecipe::Condensed(_) => "condensed",
            },
            match self.turn {
                TurnRecipe::Everyone(_) => "everyone",
                TurnRecipe::HighestLevel(_) => "highest-level",
                #[cfg(feature = "timeslice")]
                TurnRecipe::WeightedSlices(_) => "weighted-slices",
                #[cfg(feature = "timeslice")]
                TurnRecipe::RoundRobin(_) => "round-robin",
                #[cfg(feature = "timeslice")]
                TurnRecipe::UnmapAll(_) => "unmap-all",
                #[cfg(feature = "timeslice")]
                TurnRecipe::Vruntime(_) => "vruntime",
            },
            match self.allocate {
                AllocateRecipe::RoundRobin(_) => "round-robin",
                AllocateRecipe::Greedy(_) => "greedy",
                AllocateRecipe::Leftover(_) => "leftover",
                AllocateRecipe::Spatial(_) => "spatial",
                AllocateRecipe::Matching(_) => "matching",
                #[cfg(feature = "sm")]
                AllocateRecipe::BlockWarp(_) => "block-warp",
            },
            match self.preempt {
                PreemptRecipe::Never(_) => "never",
                #[cfg(feature = "preempt")]
                PreemptRecipe::Wait(_) => "wait",
                #[cfg(feature = "preempt")]
                PreemptRecipe::Flag(_) => "flag",
                #[cfg(feature = "preempt")]
                PreemptRecipe::Drain(_) => "drain",
                #[cfg(feature = "preempt")]
                PreemptRecipe::Reset(_) => "reset",
                #[cfg(feature = "preempt")]
                PreemptRecipe::Switch(_) => "switch",
                #[cfg(feature = "preempt")]
                PreemptRecipe::Cheapest(_) => "cheapest",
            },
        ]
    }

    /// Whether an answer may depend on what waves do ([`raddle_policy::Launch::activity`]). Only
    /// then the log holds it.
    #[must_use]
    pub const fn reads_activity(&self) -> bool {
        let AllocateRecipe::Matching(config) = &self.allocate else { return false };
        matches!(config.place, PlaceRule::LeastPower(_) | PlaceRule::Mix { .. })
    }

    /// The dispatcher of this recipe over a device, not yet built: a slot may still be replaced.
    ///
    /// # Errors
    /// When a policy cannot use its parameters.
    pub fn builder(&self, shape: CuShape, cus: u16) -> Result<Builder, RecipeError> {
        let [path, turn, allocate, preempt] = self.policies();
        let mut builder = Composed::builder(shape, cus);
        if let Some(window) = self.window {
            if window == 0 {
                return Err(refused::window());
            }
            builder = builder.window(window);
        } else if self.launch_path.overlaps() {
            return Err(refused::overlap_without_window());
        }
        let builder = match self.launch_path {
            LaunchPathRecipe::Ordinary(config) => builder.launch_path(path, Ordinary::new(config)),
            #[cfg(feature = "packet")]
            LaunchPathRecipe::Condensed(config) => {
                let policy = raddle_packet::CondensedPath::new(config);
                let bad = refused::launch_path;
                builder.launch_path(path, policy.map_err(bad)?)
            }
        };
        let builder = self.add_turn(builder, turn)?;
        let builder = self.add_preempt(builder, preempt)?;
        self.add_allocate(builder, allocate, (shape, cus))
    }

    fn add_turn(&self, builder: Builder, name: &str) -> Result<Builder, RecipeError> {
        Ok(match self.turn {
            TurnRecipe::Everyone(_) => builder.turn(name, Everyone),
            TurnRecipe::HighestLevel(_) => builder.turn(name, HighestLevel),
            #[cfg(feature = "timeslice")]
            TurnRecipe::WeightedSlices(config) => {
                let bad = refused::turn;
                builder.turn(name, raddle_timeslice::WeightedSlices::new(config).map_err(bad)?)
            }
            #[cfg(feature = "timeslice")]
            TurnRecipe::RoundRobin(config) => {
                let bad = refused::turn;
                builder.turn(name, raddle_timeslice::RoundRobin::new(config).map_err(bad)?)
            }
            #[cfg(feature = "timeslice")]
            TurnRecipe::UnmapAll(config) => {
                let bad = refused::turn;
                builder.turn(name, raddle_timeslice::UnmapAll::new(config).map_err(bad)?)
            }
            #[cfg(feature = "timeslice")]
            TurnRecipe::Vruntime(config) => {
                let bad = refused::turn;
                builder.turn(name, raddle_timeslice::Vruntime::new(config).map_err(bad)?)
            }
        })
    }

    fn add_preempt(&self, builder: Builder, name: &str) -> Result<Builder, RecipeError> {
        Ok(match self.preempt {
            PreemptRecipe::Never(_) => builder.preempt(name, Never),
            #[cfg(feature = "preempt")]
            PreemptRecipe::Wait(_) => builder.preempt(name, ByRule::fixed(Preemption::Wait)),
            #[cfg(feature = "preempt")]
            PreemptRecipe::Flag(_) => builder.preempt(name, ByRule::fixed(Preemption::Flag)),
            #[cfg(feature = "preempt")]
            PreemptRecipe::Drain(_) => builder.preempt(name, ByRule::fixed(Preemption::Drain)),
            #[cfg(feature = "preempt")]
            PreemptRecipe::Reset(config) => {
                builder.preempt(name, ByRule::fixed(Preemption::Reset).sparing(config.most_kills))
            }
            #[cfg(feature = "preempt")]
            PreemptRecipe::Switch(_) => builder.preempt(name, ByRule::fixed(Preemption::Switch)),
            #[cfg(feature = "preempt")]
            PreemptRecipe::Cheapest(config) => {
                let costs = config.costs.ok_or_else(refused::no_costs)?;
                let bound = Ticks(config.bound_us.saturating_mul(1000));
                let abilities = config.abilities.unwrap_or(Abilities::ALL);
                if abilities.can_reset && !abilities.can_flag {
                    return Err(refused::reset_without_flag());
                }
                let policy = ByRule::cheapest(bound, abilities, costs);
                builder.preempt(name, policy.sparing(config.most_kills))
            }
        })
    }

    /// Fills in what a device takes to let work go, where a policy weighs it and the recipe does
    /// not say it. A log then holds it, and can be replayed without the device.
    #[cfg(feature = "preempt")]
    pub fn fill_costs(&mut self, costs: policy::DeviceCosts) {
        if let PreemptRecipe::Cheapest(config) = &mut self.preempt {
            config.costs.get_or_insert(costs);
        }
    }

    fn add_allocate(
        &self,
        builder: Builder,
        name: &str,
        (shape, cus): (CuShape, u16),
    ) -> Result<Builder, RecipeError> {
        let bad = |error| refused::allocate(&self.allocate, &shape, error);
        Ok(match self.allocate.clone() {
            AllocateRecipe::RoundRobin(config) => {
                builder.allocate(name, RoundRobin::new(config).map_err(bad)?)
            }
            AllocateRecipe::Greedy(config) => {
                builder.allocate(name, Greedy::new(config).map_err(bad)?)
            }
            AllocateRecipe::Leftover(config) => {
                builder.allocate(name, Leftover::new(config).map_err(bad)?)
            }
            AllocateRecipe::Spatial(config) => {
                builder.allocate(name, Spatial::new(config).map_err(bad)?)
            }
            AllocateRecipe::Matching(config) => {
                let builder = if config.split.is_some() { builder.cuts() } else { builder };
                builder.allocate(name, Matching::new(config, shape, cus).map_err(bad)?)
            }
            #[cfg(feature = "sm")]
            AllocateRecipe::BlockWarp(options) => {
                builder.allocate(name, raddle_sm::BlockWarp::new(options))
            }
        })
    }
}
