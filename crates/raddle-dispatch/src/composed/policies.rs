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
        /// A policy of one slot as a trait object, which can be cast back to the policy's own type.
        pub(crate) trait $Any: $Slot + Any + Send {}
        impl<P: $Slot + Any + Send> $Any for P {}
    )*};
}

any!(AnyLaunchPath: LaunchPath, AnyTurn: Turn, AnyAllocate: Allocate, AnyPreempt: Preempt);

/// The dispatcher's policies, one for each slot: launch path, turn, allocate, preempt.
pub(super) struct Policies {
    pub(super) path: NamedPolicy<dyn AnyLaunchPath>,
    pub(super) turn: NamedPolicy<dyn AnyTurn>,
    pub(super) allocate: NamedPolicy<dyn AnyAllocate>,
    pub(super) preempt: NamedPolicy<dyn AnyPreempt>,
}

/// A policy, and the name by which the log calls it.
pub(super) struct NamedPolicy<P: ?Sized> {
    pub(super) name: String,
    pub(super) policy: Box<P>,
}

impl<P: ?Sized> NamedPolicy<P> {
    pub(super) fn new(name: &str, policy: Box<P>) -> Self {
        Self { name: name.into(), policy }
    }

    /// Returns the error that this policy, in the slot `slot` (such as `turn`), broke a law of its
    /// trait; `what` says which law and how.
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
    /// Returns the names of the four policies: launch path, turn, allocate, preempt.
    pub(super) fn names(&self) -> [&str; 4] {
        [&self.path.name, &self.turn.name, &self.allocate.name, &self.preempt.name]
    }

    /// Returns the first of the four policies that has the type `P`; `None` where no policy has it.
    pub(super) fn of_type<P: 'static>(&self) -> Option<&P> {
        let all: [&dyn Any; 4] =
            [&*self.path.policy, &*self.turn.policy, &*self.allocate.policy, &*self.preempt.policy];
        all.into_iter().find_map(|policy| policy.downcast_ref())
    }

    /// Returns whether some policy needs to see each refill: workgroups that end and are replaced
    /// at once by equally many of the same launch on the same compute units.
    pub(super) fn mind_refills(&self) -> bool {
        self.path.policy.minds_refills()
            || self.turn.policy.minds_refills()
            || self.allocate.policy.minds_refills()
            || self.preempt.policy.minds_refills()
    }

    /// Tells every policy a fact: an event, or an answer that the dispatcher has carried out.
    pub(super) fn tell(&mut self, fact: &Fact<'_>, now: Tick) {
        self.path.policy.observe(fact, now);
        self.turn.policy.observe(fact, now);
        self.allocate.policy.observe(fact, now);
        self.preempt.policy.observe(fact, now);
    }
}
