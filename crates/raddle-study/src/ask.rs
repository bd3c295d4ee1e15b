//! How does a program build a study, without the texts of a command line?

use std::time::Duration;

use raddle_trace::arrivals::Rate;

use crate::answer::{Goal, GoalLimit, GoalMetric};
use crate::arrivals::Load;
use crate::rules::{Named, Rule};
use crate::study::{Study, Ways};

impl Study {
    /// Makes a study in which the programs of these profiles run beside each other. Profiles are
    /// given by the names of their files.
    ///
    /// ```
    /// use raddle_study::{Load, Rate, Study};
    ///
    /// let study = Study::of(["serve.json.gz", "train.json.gz"])
    ///     .device("h100")
    ///     .load(Load::requests("serve", Rate::per_second(40)));
    /// assert_eq!(study.load.requests, ["serve=40/s"]);
    /// ```
    #[must_use]
    pub fn of<N: Into<String>>(profiles: impl IntoIterator<Item = N>) -> Self {
        let profiles = profiles.into_iter().map(Into::into).collect();
        Self { profiles, ..Self::default() }
    }

    /// Sets the device to replay on, by its id, its product name, or a file that describes it.
    #[must_use]
    pub fn device(self, device: impl Into<String>) -> Self {
        Self { device: Some(device.into()), ..self }
    }

    /// Adds a recipe to compare: the name of a bundled one, or a file.
    #[must_use]
    pub fn recipe(mut self, recipe: impl Into<String>) -> Self {
        self.recipes.push(recipe.into());
        self
    }

    /// Makes the study compare the ways of sharing that the device offers, as `raddle share` does,
    /// instead of recipes.
    #[must_use]
    pub fn ways_of_sharing(self) -> Self {
        Self { ways: Ways::Modes, ..self }
    }

    /// Sets the load: which requests arrive, and when. A load that was set before is replaced;
    /// [`Load::and_requests`] adds the requests of a second profile.
    #[must_use]
    pub fn load(self, load: Load) -> Self {
        Self { load, ..self }
    }

    /// Adds a goal, such as `serve p99 20ms`; the verdict of the study says which recipes meet it.
    #[must_use]
    pub fn goal(mut self, goal: Goal) -> Self {
        self.goals.push(goal);
        self
    }

    /// Adds a rule for the urgency of launches, such as `train*=5`, where a smaller level is more
    /// urgent.
    #[must_use]
    pub fn priority(mut self, rule: Rule) -> Self {
        self.priorities.push(rule);
        self
    }

    /// Sets the share of a profile: the weight of its time slices, or of its part of the device.
    #[must_use]
    pub fn share(mut self, profile: impl Into<String>, share: u32) -> Self {
        self.shares.push(Named { file: profile.into(), value: share });
        self
    }

    /// Sets how much device memory the program of a profile holds, in bytes.
    #[must_use]
    pub fn memory(mut self, profile: impl Into<String>, bytes: u64) -> Self {
        self.memory.push(Named { file: profile.into(), value: bytes });
        self
    }
}

impl Load {
    /// Makes a load of one profile whose requests arrive at random, `rate` of them per second on
    /// average. A study refuses a rate of 0 when it runs.
    #[must_use]
    pub fn requests(profile: &str, rate: Rate) -> Self {
        Self::default().and_requests(profile, rate)
    }

    /// Adds requests of another profile that arrive at random, `rate` of them per second on
    /// average.
    #[must_use]
    pub fn and_requests(mut self, profile: &str, rate: Rate) -> Self {
        self.requests.push(format!("{profile}={rate}/s"));
        self
    }

    /// Sets the end of arrivals, as a time since the start of the replay. Without an end, each
    /// replay draws as many requests as its figures need, which may take minutes at low rates.
    /// Times of 2^64 ns and more count as 2^64 - 1 ns.
    #[must_use]
    pub fn until(self, end: Duration) -> Self {
        Self { until: Some(u64::try_from(end.as_nanos()).unwrap_or(u64::MAX)), ..self }
    }
}

impl Goal {
    /// Makes a goal: a figure of a process must be at most `limit`. Limits of 2^64 ns and more
    /// count as 2^64 - 1 ns.
    ///
    /// ```
    /// use std::time::Duration;
    /// use raddle_study::answer::{Goal, GoalMetric};
    ///
    /// let goal = Goal::at_most("serve", GoalMetric::P99, Duration::from_millis(20));
    /// assert_eq!(goal.to_string(), "serve p99 20ms");
    /// ```
    #[must_use]
    pub fn at_most(process: impl Into<String>, metric: GoalMetric, limit: Duration) -> Self {
        let ns = u64::try_from(limit.as_nanos()).unwrap_or(u64::MAX);
        Self { process: process.into(), metric, limit: GoalLimit::Ns(ns) }
    }

    /// Makes a goal: 99 of 100 requests of a process must take at most `limit`.
    #[must_use]
    pub fn p99(process: impl Into<String>, limit: Duration) -> Self {
        Self::at_most(process, GoalMetric::P99, limit)
    }
}
