//! Which policies does a dispatcher ask, and under which names?

use alloc::boxed::Box;
use alloc::string::String;
use core::any::Any;

use raddle_policy::{Allocate, Fact, LaunchPath, Preempt, Tick, Turn};
use raddle_workgroup::Leftover;

use crate::DispatchError;
use crate::error::DispatchReason;
use crate::slots::{Everyone, Never, Ordinary};

macro_rules! any {
    ($($Any:ident: $Slot:ident),*) => {$(
        /// A policy of one slot, as a trait object that can be cast back to the type of the policy.
        pub(crate) trait $Any: $Slot + Any + Send {}
        impl<P: $Slot + Any + Send> $Any for P {}
    )*};
}

any!(AnyLaunchPath: LaunchPath, AnyTurn: Turn, AnyAllocate: Allocate, AnyPreempt: Preempt);

/// The policies of the four slots: launch path, turn, allocate, preempt.
pub(super) struct Policies {
    pub(super) path: NamedPolicy<dyn AnyLaunchPath>,
    pub(super) turn: NamedPolicy<dyn AnyTurn>,
    pub(super) allocate: NamedPolicy<dyn AnyAllocate>,
    pub(super) preempt: NamedPolicy<dyn AnyPreempt>,
}

/// A policy, and the name under which the log prints its answers.
pub(super) struct NamedPolicy<P: ?Sized> {
    pub(super) name: String,
    pub(super) policy: Box<P>,
}

impl<P: ?Sized> NamedPolicy<P> {
    pub(super) fn new(name: &str, policy: Box<P>) -> Self {
        Self { name: name.into(), policy }
    }

    /// Returns the error that the policy of `slot` (such as `turn`) broke a law of its trait;
    /// `what` says how.
    pub(super) fn broke(&self, slot: &'static str, what: impl Into<String>) -> DispatchError {
        DispatchError(DispatchReason::Policy { slot, policy: self.name.clone(), what: what.into() })
    }
}

impl Default for Policies {
    fn default() -> Self {
        Self {
            path: NamedPolicy::new("ordinary", Box::new(Ordinary::default())),
            turn: NamedPolicy::new("everyone", Box::new(Everyone)),
            allocate: NamedPolicy::new("leftover", Box::new(Leftover::default())),
            preempt: NamedPolicy::new("never", Box::new(Never)),
        }
    }
}

impl Policies {
    /// Returns the names of the policies: launch path, turn, allocate, preempt.
    pub(super) fn names(&self) -> [&str; 4] {
        [&self.path.name, &self.turn.name, &self.allocate.name, &self.preempt.name]
    }

    /// Returns the first policy that has this type; `None` where none has.
    pub(super) fn of_type<P: 'static>(&self) -> Option<&P> {
        let all: [&dyn Any; 4] =
            [&*self.path.policy, &*self.turn.policy, &*self.allocate.policy, &*self.preempt.policy];
        all.into_iter().find_map(|policy| policy.downcast_ref())
    }

    /// Returns whether some policy minds refills: workgroups that end and are followed by as many of
    /// the same launch on the same compute units.
    pub(super) fn mind_refills(&self) -> bool {
        self.path.policy.minds_refills()
            || self.turn.policy.minds_refills()
            || self.allocate.policy.minds_refills()
            || self.preempt.policy.minds_refills()
    }

    /// Tells every policy a fact: an event, or an answer that was carried out.
    pub(super) fn tell(&mut self, fact: &Fact<'_>, now: Tick) {
        self.path.policy.observe(fact, now);
        self.turn.policy.observe(fact, now);
        self.allocate.policy.observe(fact, now);
        self.preempt.policy.observe(fact, now);
    }
}
