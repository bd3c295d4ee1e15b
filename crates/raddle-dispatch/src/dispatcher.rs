//! What does a simulator or a runtime see of a dispatcher?

use alloc::boxed::Box;
use alloc::string::String;

use raddle_policy::{Actions, CuId, Event, Free, FreeRun, LaunchId, ProcessId, Tick, WaitTally};

use crate::{DispatchError, PreemptionTally, Standstill, TurnTally};

/// A dispatcher, which takes events from a device and its hosts and returns actions for the device.
///
/// A caller passes all events of one tick that it knows, and then asks for one decision.
///
/// # Laws
///
/// 1. The same events at the same ticks give the same actions.
/// 2. No action over-commits a compute unit.
/// 3. An event that is refused with an error has changed nothing.
/// 4. A decision without an event since the last one does nothing; what is to happen later is asked
///    for by a wake.
/// 5. A launch that waits for another one may be submitted, but no workgroup of it starts or is
///    assigned before it is ready.
pub trait Dispatcher {
    /// Returns whether the dispatcher wants the events of launches that were issued and wait for
    /// others ([`Event::LaunchIssued`]). If false, it gets the event of each launch when the launch is
    /// ready.
    fn looks_ahead(&self) -> bool {
        false
    }

    /// Returns whether the dispatcher submits and starts copies ([`Event::CopyIssued`]). If false,
    /// copies start without the dispatcher, when they are ready.
    fn takes_copies(&self) -> bool {
        self.looks_ahead()
    }

    /// Takes one event.
    ///
    /// # Errors
    /// If the event contradicts earlier ones (an unknown launch, the end of a workgroup that never
    /// started).
    fn event(&mut self, event: &Event<'_>, now: Tick) -> Result<(), DispatchError>;

    /// Decides what the device has to do now, and writes the actions to `actions`, which is empty
    /// at the call.
    ///
    /// # Errors
    /// When a policy broke one of its laws; the run cannot go on.
    fn decide(&mut self, now: Tick, actions: &mut Actions) -> Result<(), DispatchError>;

    /// Returns the free resources of a compute unit in the dispatcher's own account, to compare
    /// with another account; `None` from a dispatcher that keeps none.
    fn free(&self, cu: CuId) -> Option<Free> {
        let _ = cu;
        None
    }

    /// Returns the length of a run of compute units that begins at `cu` and is known to have equal
    /// free resources in the dispatcher's account; at least 1.
    #[doc(hidden)]
    fn alike(&self, cu: CuId) -> u16 {
        let _ = cu;
        1
    }

    /// Returns the most compute units, of `all`, that a process may ever use, as far as is known
    /// now; `None` where it may use any of them.
    #[doc(hidden)]
    fn most_units(&self, process: ProcessId, all: u16) -> Option<u16> {
        let _ = (process, all);
        None
    }

    /// Returns the free granules, in total and in the longest run, of vector registers, scalar
    /// registers and LDS on a compute unit; `None` if no addresses are kept.
    #[doc(hidden)]
    fn free_runs(&self, cu: CuId) -> Option<[FreeRun; 3]> {
        let _ = cu;
        None
    }

    /// Returns the counts of how often work waited, one for each resource that was lacking and each
    /// reason; empty from a dispatcher that does not count.
    #[doc(hidden)]
    fn waits(&self) -> &[WaitTally] {
        &[]
    }

    /// Returns how often processes lost the turn (the right to issue launches), and by how many
    /// ticks their work outlasted it; all 0 from a dispatcher that does not count.
    fn turns(&self) -> TurnTally {
        TurnTally::default()
    }

    /// Returns the refused resets and the time for which processes were preempted; all 0 from a
    /// dispatcher that does not count.
    fn preemptions(&self) -> PreemptionTally {
        PreemptionTally::default()
    }

    /// Returns a text for each policy that broke a law of its trait and was replaced: slot, tick
    /// and law.
    fn replaced(&self) -> &[String] {
        &[]
    }

    /// Returns the reason why no work goes on, for a run that ends with launches left; `None` from
    /// a dispatcher that does not know.
    fn standstill(&self) -> Option<Standstill> {
        None
    }

    /// Notes how the device stands, before a launch starts workgroups where as many of it ended.
    /// Returns whether [`Dispatcher::skip`] may ever return true.
    #[doc(hidden)]
    fn mark(&mut self, launch: LaunchId) -> bool {
        let _ = launch;
        false
    }

    /// Moves the marked launch on by `workgroups` workgroups, as if they had started and ended as
    /// those since the mark did, of which there were no other events. Returns whether it did: true
    /// only where all later answers are those that the skipped events would have led to.
    #[doc(hidden)]
    fn skip(&mut self, launch: LaunchId, workgroups: u64) -> bool {
        let _ = (launch, workgroups);
        false
    }

    /// Writes the last line of the log and all lines that are still in memory.
    ///
    /// # Errors
    /// When the log could not be written, now or earlier.
    fn finish(&mut self) -> Result<(), DispatchError> {
        Ok(())
    }
}

macro_rules! through {
    ($($pointer:ty),*) => {$(
        impl<D: Dispatcher + ?Sized> Dispatcher for $pointer {
            fn looks_ahead(&self) -> bool {
                (**self).looks_ahead()
            }
            fn takes_copies(&self) -> bool {
                (**self).takes_copies()
            }
            fn event(&mut self, event: &Event<'_>, now: Tick) -> Result<(), DispatchError> {
                (**self).event(event, now)
            }
            fn decide(&mut self, now: Tick, actions: &mut Actions) -> Result<(), DispatchError> {
                (**self).decide(now, actions)
            }
            fn free(&self, cu: CuId) -> Option<Free> {
                (**self).free(cu)
            }
            fn alike(&self, cu: CuId) -> u16 {
                (**self).alike(cu)
            }
            fn most_units(&self, process: ProcessId, all: u16) -> Option<u16> {
                (**self).most_units(process, all)
            }
            fn free_runs(&self, cu: CuId) -> Option<[FreeRun; 3]> {
                (**self).free_runs(cu)
            }
            fn waits(&self) -> &[WaitTally] {
                (**self).waits()
            }
            fn turns(&self) -> TurnTally {
                (**self).turns()
            }
            fn preemptions(&self) -> PreemptionTally {
                (**self).preemptions()
            }
            fn replaced(&self) -> &[String] {
                (**self).replaced()
            }
            fn standstill(&self) -> Option<Standstill> {
                (**self).standstill()
            }
            fn mark(&mut self, launch: LaunchId) -> bool {
                (**self).mark(launch)
            }
            fn skip(&mut self, launch: LaunchId, workgroups: u64) -> bool {
                (**self).skip(launch, workgroups)
            }
            fn finish(&mut self) -> Result<(), DispatchError> {
                (**self).finish()
            }
        }
    )*};
}

through!(&mut D, Box<D>);
