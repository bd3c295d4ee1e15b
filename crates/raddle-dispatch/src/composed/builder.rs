//! How is a dispatcher built from four policies and a device?

use alloc::boxed::Box;
use alloc::collections::{BTreeMap, BTreeSet, VecDeque};
use alloc::vec::Vec;

use crate::book::FreeUnits;
use raddle_preempt::{Abilities, ControllerConfig, Declared, Driver, ResetScope};

use raddle_policy::{Allocate, CuShape, Cus, LaunchPath, Preempt, Tick, Turn};

use super::control::SteppedRuntime;
use super::journal::{Journal, Listeners};
use super::lists::Lists;
use super::policies::{NamedPolicy, Policies};
use super::ready::Ready;
use super::{Checker, Composed, Preemptions, Transit, Turns};
use crate::DispatchError;
use crate::error::DispatchReason;

const OVERLAP_WITHOUT_WINDOW: &str = "it launches a kernel while the one before it runs, and there is no window: give `Builder::window` how many launches of a process may be on their way or on the device (seed 001 has 8)";

/// A builder of a dispatcher from four policies, one for each slot (question that the dispatcher
/// asks): launch path, turn, allocate and preempt. The default policies are `ordinary`, `everyone`,
/// `leftover` and `never`, in this order.
pub struct Builder {
    shape: CuShape,
    cus: u16,
    policies: Policies,
    window: Option<u32>,
    copies_apart: bool,
    scope: ResetScope,
    most_kills: Option<u32>,
    abilities: Abilities,
    log: Listeners,
}

impl core::fmt::Debug for Builder {
    fn fmt(&self, f: &mut core::fmt::Formatter<'_>) -> core::fmt::Result {
        f.debug_struct("Builder").field("cus", &self.cus).finish_non_exhaustive()
    }
}

impl Builder {
    pub(super) fn new(shape: CuShape, cus: u16) -> Self {
        Self {
            shape,
            cus,
            policies: Policies::default(),
            window: None,
            copies_apart: false,
            scope: ResetScope::Process,
            most_kills: None,
            abilities: Abilities::ALL,
            log: Listeners::default(),
        }
    }

    /// Sets the launch path policy, which decides how launches reach the device; the log calls it
    /// `name`.
    #[must_use]
    pub fn launch_path(mut self, name: &str, policy: impl LaunchPath + Send + 'static) -> Self {
        self.policies.path = NamedPolicy::new(name, Box::new(policy));
        self
    }

    /// Sets the turn policy, which chooses the processes that may issue launches; the log calls it
    /// `name`.
    #[must_use]
    pub fn turn(mut self, name: &str, policy: impl Turn + Send + 'static) -> Self {
        self.policies.turn = NamedPolicy::new(name, Box::new(policy));
        self
    }

    /// Sets the allocate policy, which chooses the compute units of workgroups; the log calls it
    /// `name`.
    #[must_use]
    pub fn allocate(mut self, name: &str, policy: impl Allocate + Send + 'static) -> Self {
        self.policies.allocate = NamedPolicy::new(name, Box::new(policy));
        self
    }

    /// Sets all four policies with their names: launch path, turn, allocate, preempt.
    #[cfg(feature = "recipes")]
    pub(crate) fn policies(
        self,
        [path_name, turn_name, allocate_name, preempt_name]: [&str; 4],
        path: Box<dyn LaunchPath + Send>,
        turn: Box<dyn Turn + Send>,
        allocate: Box<dyn Allocate + Send>,
        preempt: Box<dyn Preempt + Send>,
    ) -> Self {
        self.launch_path(path_name, path)
            .turn(turn_name, turn)
            .allocate(allocate_name, allocate)
            .preempt(preempt_name, preempt)
    }

    /// Sets whether copies start as soon as they are ready, without the dispatcher, even if their
    /// process does not have the turn (the right to issue launches). By default copies are
    /// submitted like launches, while their process has the turn.
    #[must_use]
    pub const fn copies_apart(mut self, apart: bool) -> Self {
        self.copies_apart = apart;
        self
    }

    /// Sets the submission window: the most launches (1 or more) that each process may have
    /// submitted and unfinished. A process then submits its launches in the order in which its host
    /// has issued them, even before the work for which they wait has ended. Without a window, each
    /// launch is submitted when it is ready, with no limit on their number.
    #[must_use]
    pub const fn window(mut self, launches: u32) -> Self {
        self.window = Some(launches);
        self
    }

    /// Sets the scope of a reset, which is the set of launches that it kills; by default the
    /// launches of one process.
    #[must_use]
    pub const fn scope(mut self, scope: ResetScope) -> Self {
        self.scope = scope;
        self
    }

    /// Sets the preemption methods that the device has; by default all of them. Where the preempt
    /// policy asks for a method that the device does not have, the next gentler one is used
    /// (`Preemption::gentler`); waiting is always possible. The header of the decision log lists
    /// the methods unless the device has all, and a replay of the log uses them.
    #[must_use]
    pub const fn abilities(mut self, abilities: Abilities) -> Self {
        self.abilities = abilities;
        self
    }

    /// Sets the most times that resets may kill one launch; `None`, the default, is no limit.
    /// Without a limit, a launch that takes longer than each turn may be killed again and again and
    /// never end.
    #[must_use]
    pub const fn most_kills(mut self, most: Option<u32>) -> Self {
        self.most_kills = most;
        self
    }

    /// Sets the preempt policy, which chooses how work leaves the device when its process loses the
    /// turn; the log calls it `name`.
    #[must_use]
    pub fn preempt(mut self, name: &str, policy: impl Preempt + Send + 'static) -> Self {
        self.policies.preempt = NamedPolicy::new(name, Box::new(policy));
        self
    }

    /// Sets the log to which events and answers are written.
    #[cfg(feature = "recipes")]
    #[must_use]
    pub fn log(mut self, log: crate::log::LogWriter) -> Self {
        self.log.writer = log;
        self
    }

    /// Sets a function that is called with each event and each answer, in the order and form of the
    /// log. Unlike the log, it needs no standard library.
    #[must_use]
    pub fn observe(mut self, observer: impl FnMut(&crate::ToldLine<'_>) + Send + 'static) -> Self {
        self.log.observer = Some(Box::new(observer));
        self
    }

    /// Returns the dispatcher, for a device on which nothing runs.
    ///
    /// # Errors
    /// When the shape of the compute units is impossible, when there are no compute units, when the
    /// window is 0, when the device can reset and has no preemption flag, and when launching
    /// overlaps with running kernels ([`LaunchPath::overlaps`]) without a window.
    pub fn build(mut self) -> Result<Composed, DispatchError> {
        self.shape.check().map_err(|error| DispatchError(DispatchReason::Shape(error)))?;
        if self.cus == 0 {
            return Err(DispatchError(DispatchReason::NoComputeUnits));
        }
        if self.window == Some(0) {
            return Err(DispatchError(DispatchReason::NoWindow));
        }
        if self.window.is_none() && self.policies.path.policy.overlaps() {
            return Err(self.policies.path.broke("launch path", OVERLAP_WITHOUT_WINDOW));
        }
        let declared = Declared {
            abilities: self.abilities,
            latched: true,
            withdraws: true,
            scope: self.scope,
        };
        let options = ControllerConfig::default()
            .with_window(self.window.unwrap_or(u32::MAX))
            .with_most_kills(self.most_kills);
        let cuts = self.policies.allocate.policy.cuts();
        let live = Checker::live(self.window, self.most_kills, self.scope);
        let rules = Checker::of_dispatcher(cuts, Cus::new(self.shape, 1), live);
        let driver = Driver::new(SteppedRuntime(declared), options)?;
        self.log.open(self.abilities);
        Ok(Composed {
            cuts,
            by_stream: self.policies.turn.policy.by_stream(),
            policies: self.policies,
            ahead: self.window.is_some(),
            copies_apart: self.copies_apart,
            driver,
            preemptions: Preemptions::default(),
            units: FreeUnits::new(self.shape, self.cus),
            processes: BTreeMap::new(),
            launches: crate::ByLaunch::default(),
            turns: Turns::default(),
            transit: Transit::default(),
            ready: Ready::default(),
            copies: BTreeSet::new(),
            allocate_stale: false,
            refused: Vec::new(),
            wakes: VecDeque::new(),
            orders: 0,
            submissions: 0,
            heard: false,
            gave_up: false,
            now: Tick::ZERO,
            lists: Lists::default(),
            mark: None,
            journal: Journal { log: self.log, rules, step: 0 },
            replaced: Vec::new(),
        })
    }
}
