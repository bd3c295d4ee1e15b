//! Which four policies does a dispatcher have, with which settings?
//!
//! A recipe is TOML or JSON. A missing slot means its default (ordinary, everyone, leftover,
//! never); an unknown key is an error that names the nearest one. Names are kebab-case, snake_case
//! is accepted.

use raddle_policy::{Allocate, CuShape, Cus, LaunchPath, Needs, Preempt, Turn};
use raddle_preempt::ResetScope;
use raddle_preempt::policy::DeviceCosts;
use serde::{Deserialize, Serialize, Serializer};
use serde_json::Value;

use crate::{Builder, Composed};
use raddle_read::read;

mod error;
mod explain;
mod line;
mod matching;
mod policies;
mod registry;
mod runtime;
mod sample;
mod slot;

use error::RecipeFault;

pub use error::RecipeError;
use line::{is_json, line_at};
pub use registry::Registry;
pub use runtime::PreemptRuntime;
use runtime::WrittenPreempt;
use slot::Given;
pub use slot::PolicySlot;

/// A recipe: the four policies of a dispatcher (launch path, turn, allocate, preempt) with their
/// settings, and the costs of preemption.
#[derive(Clone, Debug, PartialEq, Eq, Deserialize)]
#[serde(try_from = "Value")]
pub struct Recipe {
    /// The version of the recipe format, which is 1.
    #[doc(hidden)]
    pub raddle: u32,
    /// A description of the recipe in one line; `None` where the recipe has none.
    pub description: Option<String>,
    /// The submission window: the most launches that a process may have submitted and unfinished, 1
    /// or more (8 in patent 001). With `None`, each launch is submitted when it is ready, with no
    /// limit on their number.
    pub(crate) window: Option<u32>,
    /// True if copies and fills start as soon as they are ready, whichever process may issue
    /// launches. If false, they wait like launches until their process has the turn (the right to
    /// issue). Without a submission window they always start when they are ready.
    pub(crate) copies_apart: bool,
    /// The launch path policy, which decides how launches reach the device.
    pub(crate) launch_path: PolicySlot<dyn LaunchPath + Send>,
    /// The turn policy, which chooses the processes that may issue launches.
    pub(crate) turn: PolicySlot<dyn Turn + Send>,
    /// The allocate policy, which chooses the compute units on which workgroups start.
    pub(crate) allocate: PolicySlot<dyn Allocate + Send>,
    /// The preempt policy, which chooses how the work of a process leaves the device when the
    /// process loses the turn.
    pub(crate) preempt: PolicySlot<dyn Preempt + Send>,
    /// The costs of preemption, and the scope of a reset (which launches it kills).
    #[doc(hidden)]
    pub runtime: PreemptRuntime,
}

impl Recipe {
    /// Returns the submission window: the most launches that a process may have submitted and
    /// unfinished, 1 or more (8 in patent 001). With `None`, each launch is submitted when it is
    /// ready, with no limit on their number.
    #[must_use]
    pub const fn window(&self) -> Option<u32> {
        self.window
    }

    /// Returns the turn policy, which chooses the processes that may issue launches.
    #[must_use]
    pub const fn turn(&self) -> &PolicySlot<dyn Turn + Send> {
        &self.turn
    }

    /// Returns the allocate policy, which chooses the compute units on which workgroups start.
    #[must_use]
    pub const fn allocate(&self) -> &PolicySlot<dyn Allocate + Send> {
        &self.allocate
    }
}

impl Serialize for Recipe {
    fn serialize<S: Serializer>(&self, to: S) -> Result<S::Ok, S::Error> {
        #[derive(Serialize)]
        #[serde(rename_all = "kebab-case")]
        struct Written<'r> {
            raddle: u32,
            #[serde(skip_serializing_if = "Option::is_none")]
            description: Option<&'r str>,
            #[serde(skip_serializing_if = "Option::is_none")]
            window: Option<u32>,
            #[serde(skip_serializing_if = "std::ops::Not::not")]
            copies_apart: bool,
            launch_path: &'r PolicySlot<dyn LaunchPath + Send>,
            turn: &'r PolicySlot<dyn Turn + Send>,
            allocate: &'r PolicySlot<dyn Allocate + Send>,
            preempt: WrittenPreempt<'r>,
        }
        let Self { raddle, ref description, window, copies_apart, .. } = *self;
        let (launch_path, turn) = (&self.launch_path, &self.turn);
        let preempt = WrittenPreempt { slot: &self.preempt, runtime: self.runtime };
        let (description, allocate) = (description.as_deref(), &self.allocate);
        Written { raddle, description, window, copies_apart, launch_path, turn, allocate, preempt }
            .serialize(to)
    }
}

/// The policies of two slots of a recipe: (turn policy, preempt policy).
#[doc(hidden)]
pub type TurnAndPreempt = (Box<dyn Turn + Send>, Box<dyn Preempt + Send>);

/// A recipe as parsed from its text, before its policies are looked up.
#[derive(Deserialize)]
struct RecipeDocument {
    raddle: u32,
    description: Option<String>,
    window: Option<u32>,
    #[serde(default)]
    copies_apart: bool,
    launch_path: Option<Value>,
    turn: Option<Value>,
    allocate: Option<Value>,
    preempt: Option<Value>,
}

impl Recipe {
    /// Reads a recipe: text that begins with `{` is JSON, any other text is TOML.
    ///
    /// ```
    /// use raddle_dispatch::Recipe;
    /// let recipe = Recipe::parse("demo", "raddle = 1\n[turn]\npolicy = \"highest_level\"")?;
    /// assert_eq!(recipe.policies(), ["ordinary", "highest-level", "leftover", "never"]);
    /// let error = Recipe::parse("demo", "raddle = 1\n[trun]\npolicy = \"everyone\"").unwrap_err();
    /// assert!(error.to_string().starts_with("recipe demo, line 2, `trun`: unknown key"));
    /// # Ok::<(), raddle_dispatch::RecipeError>(())
    /// ```
    ///
    /// # Errors
    /// When the text is neither JSON nor TOML, is of another version, names an unknown policy or
    /// key, or gives a key a value that it cannot have. `name` is for the message.
    pub fn parse(name: &str, text: &str) -> Result<Self, RecipeError> {
        Self::read(name, text, &registry::BUNDLED)
    }

    fn read(name: &str, text: &str, registry: &Registry) -> Result<Self, RecipeError> {
        let recipe = value(name, text)?;
        let read = Self::from_value(name, &recipe, is_json(text), registry);
        read.map_err(|error| error.of_file(name, text))
    }

    /// Reads a recipe from parsed JSON; the error names the key that is wrong.
    pub(crate) fn of_json(recipe: &Value, registry: &Registry) -> Result<Self, RecipeError> {
        Self::from_value("", recipe, true, registry)
    }

    fn from_value(
        name: &str,
        recipe: &Value,
        json: bool,
        registry: &Registry,
    ) -> Result<Self, RecipeError> {
        let version = recipe.get("raddle").unwrap_or(&Value::Null);
        if *version != 1 {
            let version = match version {
                Value::Null => "has no version".to_owned(),
                Value::Number(other) => format!("is of version {other}"),
                _ => "has a version that is no number".to_owned(),
            };
            let line = if json { "\"raddle\": 1" } else { "raddle = 1" };
            return Err(RecipeError(RecipeFault::Version { name: name.into(), version, line }));
        }
        let read = || {
            let mut document: RecipeDocument = read(recipe)?;
            let runtime = PreemptRuntime::take(&mut document.preempt)?;
            let mut recipe = Self {
                raddle: document.raddle,
                description: document.description,
                window: document.window,
                copies_apart: document.copies_apart,
                launch_path: registry.launch_path.read(document.launch_path)?,
                turn: registry.turn.read(document.turn)?,
                allocate: registry.allocate.read(document.allocate)?,
                preempt: registry.preempt.read(document.preempt)?,
                runtime,
            };
            recipe.fill_kills();
            Ok(recipe)
        };
        read().map_err(|error| explain::explain(&error, recipe, json, registry))
    }

    /// Returns the names of the four policies: launch path, turn, allocate, preempt.
    #[must_use]
    pub fn policies(&self) -> [&'static str; 4] {
        [
            self.launch_path.policy(),
            self.turn.policy(),
            self.allocate.policy(),
            self.preempt.policy(),
        ]
    }

    /// Returns the optional fields of a launch that at least one policy reads. Only these fields
    /// are written to a log.
    pub(crate) fn reads(&self) -> Needs {
        let all = self.needs();
        let estimate = all.iter().any(|needs| needs.has(Needs::ESTIMATE));
        let reads = [
            (all[0].has(Needs::CALL), Needs::CALL),
            (all[2].has(Needs::ACTIVITY), Needs::ACTIVITY),
            (estimate, Needs::ESTIMATE),
        ];
        let read = reads.into_iter().filter(|&(is_read, _)| is_read);
        read.fold(Needs::NONE, |all, (_, need)| all.and(need))
    }

    /// Returns the needs of each of the four policies (launch path, turn, allocate, preempt): the
    /// optional fields of launches that it reads, and its use of preemption flags, time slices and
    /// kills.
    fn needs(&self) -> [Needs; 4] {
        [self.launch_path.needs(), self.turn.needs(), self.allocate.needs(), self.preempt.needs()]
    }

    /// Returns whether the allocate policy may split a workgroup whose waves are independent, and
    /// start the waves on different compute units of the device.
    pub(crate) fn cuts(&self, device: &Cus) -> bool {
        self.allocate.make(device).is_ok_and(|policy| policy.cuts())
    }

    /// Returns whether the preempt policy needs launches to test a preemption flag at their start.
    /// True also for a policy that does not tell what it needs.
    #[must_use]
    #[doc(hidden)]
    pub fn tests_flag(&self) -> bool {
        self.preempt.needs().has(Needs::FLAG)
    }

    /// Returns whether the preempt policy may save the work of a process and restore it later. True
    /// also for a policy that does not tell what it needs.
    #[must_use]
    #[doc(hidden)]
    pub fn switches(&self) -> bool {
        self.preempt.needs().has(Needs::SWITCHES)
    }

    /// Returns the scope of a reset: the set of launches that it kills.
    pub(crate) fn scope(&self) -> ResetScope {
        self.runtime.scope.unwrap_or(ResetScope::Process)
    }

    /// Returns the most times that resets may kill one launch; `None` where there is no limit.
    pub(crate) fn most_kills(&self) -> Option<u32> {
        self.preempt.needs().most_kills()
    }

    /// Limits the number of times that one launch may be killed, where the recipe sets no limit and
    /// the turn policy has time slices. Without a limit, a launch longer than its slice would be
    /// killed at the end of every slice and never end. Under other turn policies there is no limit,
    /// as in patent 001.
    fn fill_kills(&mut self) {
        if self.turn.needs().has(Needs::SLICES) {
            let most_kills = Some(raddle_preempt::MOST_KILLS);
            self.preempt.fill(&Given { most_kills, ..Given::default() });
        }
    }

    /// Returns only the turn and preempt policies, for a caller that does not place workgroups.
    ///
    /// # Errors
    /// When a policy cannot use its settings.
    #[doc(hidden)]
    pub fn turn_and_preempt(&self) -> Result<TurnAndPreempt, RecipeError> {
        // Turn and preempt policies do not look at the device, so any shape will do.
        let shape = CuShape {
            simds: 1,
            waves_per_simd: 1,
            vgpr_per_simd: 1,
            sgpr: u16::MAX,
            lds: 1,
            workgroups: 1,
            barriers: 1,
        };
        let device = Cus::new(shape, 1);
        Ok((made("turn", &self.turn, &device)?, made("preempt", &self.preempt, &device)?))
    }

    /// Returns a builder of a dispatcher with the policies of this recipe; the caller may still
    /// replace single policies.
    ///
    /// # Errors
    /// When a policy cannot use its settings. When the submission window is 0, or missing although
    /// the launch path overlaps launches and needs one.
    pub fn builder(&self, shape: CuShape, cus: u16) -> Result<Builder, RecipeError> {
        let device = &Cus::new(shape, cus);
        let path = made("launch-path", &self.launch_path, device)?;
        let window = |message| RecipeError::setting("window", message, Some("`window = 8`".into()));
        let mut builder = Composed::builder(shape, cus);
        match self.window {
            Some(0) => return Err(window(NO_WINDOW)),
            Some(launches) => builder = builder.window(launches),
            None if path.overlaps() => return Err(window(WINDOW_MISSING)),
            None => {}
        }
        let turn = made("turn", &self.turn, device)?;
        let preempt = made("preempt", &self.preempt, device)?;
        let allocate = made("allocate", &self.allocate, device)?;
        builder = builder.most_kills(self.most_kills()).scope(self.scope());
        builder = builder.copies_apart(self.copies_apart);
        Ok(builder.policies(self.policies(), path, turn, allocate, preempt))
    }

    /// Sets the clock, in MHz, by which an allocate policy counts the time of its own decisions, if
    /// the recipe gives none; `None` where the device's clock is unknown. The recipe in a log then
    /// contains the clock, and a replay needs no device.
    #[doc(hidden)]
    pub fn fill_clock(&mut self, mhz: Option<u32>) {
        self.allocate.fill(&Given { clock_mhz: mhz, ..Given::default() });
    }

    /// Sets each cost of preemption that the recipe does not give to that of a device; does nothing
    /// for the policy `never`. The recipe in a log then contains the costs, and a replay needs no
    /// device.
    #[doc(hidden)]
    pub fn fill_costs(&mut self, costs: DeviceCosts, runtime: PreemptRuntime) {
        if self.preempt.policy() == "never" {
            return;
        }
        self.runtime = self.runtime.or(runtime);
        let PreemptRuntime { flag_ns, exit_ns, reset_ns, switch_ns, switch_bytes, .. } =
            self.runtime;
        let reset_ns = reset_ns.unwrap_or(costs.reset_ns);
        let costs = DeviceCosts { flag_ns, exit_ns, reset_ns, switch_ns, switch_bytes, ..costs };
        self.preempt.fill(&Given { costs: Some(costs), ..Given::default() });
    }
}

const NO_WINDOW: &str = "0 would never submit anything: give 1 or more (seed 001 has 8), or leave it out to submit each launch when it is ready";
const WINDOW_MISSING: &str = "it is missing, and `launch-path.overlap` launches a kernel while the one before it runs: give how many launches of a process may be on their way or on the device (seed 001 has 8), or leave overlap out";

impl Default for Recipe {
    fn default() -> Self {
        // A test makes this recipe, so it is known to be valid.
        Self::of_json(&serde_json::json!({ "raddle": 1 }), &registry::BUNDLED)
            .expect("the first policy of each slot needs no settings")
    }
}

impl TryFrom<Value> for Recipe {
    type Error = RecipeError;

    fn try_from(recipe: Value) -> Result<Self, RecipeError> {
        Self::of_json(&recipe, &registry::BUNDLED)
    }
}

/// Returns the policy of a slot, made from its settings for a device; the error names the setting
/// that is wrong. `name` is the slot, such as `turn`.
fn made<P: ?Sized>(name: &str, slot: &PolicySlot<P>, device: &Cus) -> Result<Box<P>, RecipeError> {
    slot.make(device).map_err(|error| RecipeError::in_slot(&error, name, slot.samples()))
}

/// Parses the text of a recipe as JSON or TOML. The error has the line, and the recipe's name
/// `name`.
fn value(name: &str, text: &str) -> Result<Value, RecipeError> {
    let syntax = |format, line: usize, message: &str| {
        let message = message.trim().replace('\n', ", ");
        RecipeError(RecipeFault::Syntax { name: name.into(), format, line, message })
    };
    if is_json(text) {
        return serde_json::from_str(text).map_err(|error| {
            let told = error.to_string();
            // The line number stands at the beginning of the message already, so it is cut off
            // here.
            let message = told.rsplit_once(" at line ").map_or(&*told, |(message, _)| message);
            syntax("JSON", error.line(), message)
        });
    }
    toml::from_str(text).map_err(|error: toml::de::Error| {
        let line = error.span().map_or(1, |span| line_at(text, span.start));
        syntax("TOML", line, error.message())
    })
}
