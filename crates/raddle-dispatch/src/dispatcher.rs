//! What does a simulator or a runtime see of a dispatcher?

use alloc::boxed::Box;
use alloc::string::String;

use raddle_policy::{Actions, CuId, Event, Free, FreeRun, LaunchId, ProcessId, Tick, WaitTally};

use crate::{DispatchError, PreemptionTally, Standstill, TurnTally};

/// A dispatcher, which takes events from a device and its hosts and returns actions for the device.
///
/// A caller passes all events that it knows of one tick, and then asks for one decision.
///
/// # Laws
///
/// 1. The same events at the same ticks give the same actions.
/// 2. No action over-commits a compute unit.
/// 3. An event that is refused with an error changes nothing.
/// 4. A decision without an event since the last one does nothing; a dispatcher that wants to act
///    later asks to be woken.
/// 5. A launch that waits for another one may be submitted, but no workgroup of it starts or is
///    assigned before the launch is ready.
pub trait Dispatcher {
    /// Returns whether the dispatcher wants to be told of launches that were issued but still wait
    /// for other work ([`Event::LaunchIssued`]). If false, it is told of each launch when the
    /// launch is ready.
    fn looks_ahead(&self) -> bool {
        false
    }

    /// Returns whether the dispatcher itself submits and starts copies ([`Event::CopyIssued`]). If
    /// false, copies start as soon as they are ready, without the dispatcher.
    fn takes_copies(&self) -> bool {
        self.looks_ahead()
    }

    /// Takes one event, which happened at the tick `now`.
    ///
    /// # Errors
    /// When the event contradicts earlier ones (such as an unknown launch, or the end of a
    /// workgroup that never started).
    fn event(&mut self, event: &Event<'_>, now: Tick) -> Result<(), DispatchError>;

    /// Decides what the device has to do now, and writes the actions to `actions`, which is empty
    /// at the call.
    ///
    /// # Errors
    /// When a policy broke a law of its trait, so that the run cannot continue.
    fn decide(&mut self, now: Tick, actions: &mut Actions) -> Result<(), DispatchError>;

    /// Returns the free resources of a compute unit in the dispatcher's own account, so that a
    /// caller can compare its own; `None` from a dispatcher without an account.
    fn free(&self, cu: CuId) -> Option<Free> {
        let _ = cu;
        None
    }

    /// Returns the number of consecutive compute units, from `cu` on, that are known to have equal
    /// free resources in the dispatcher's account; at least 1.
    #[doc(hidden)]
    fn alike(&self, cu: CuId) -> u16 {
        let _ = cu;
        1
    }

    /// Returns the most compute units, of `all` that the device has, that a process may ever use,
    /// as far as is known now; `None` where it may use all.
    #[doc(hidden)]
    fn most_units(&self, process: ProcessId, all: u16) -> Option<u16> {
        let _ = (process, all);
        None
    }

    /// Returns the free granules of vector registers, scalar registers and LDS on a compute unit,
    /// each in total and in the longest run (row of free granules); `None` if the policy tracks no
    /// addresses.
    #[doc(hidden)]
    fn free_runs(&self, cu: CuId) -> Option<[FreeRun; 3]> {
        let _ = cu;
        None
    }

    /// Returns how often the allocate policy left work waiting, one count for each pair of a
    /// lacking resource and a reason; empty from a dispatcher that does not count waits.
    #[doc(hidden)]
    fn waits(&self) -> &[WaitTally] {
        &[]
    }

    /// Returns the counts of lost turns (rights to issue launches), and of the ticks for which work
    /// outlasted its turn; all 0 from a dispatcher that does not count them.
    fn turns(&self) -> TurnTally {
        TurnTally::default()
    }

    /// Returns the counts of refused resets, and the time for which processes were preempted; all 0
    /// from a dispatcher that does not count them.
    fn preemptions(&self) -> PreemptionTally {
        PreemptionTally::default()
    }

    /// Returns a message for each policy that broke a law of its trait and was replaced, with its
    /// slot, the tick and the law.
    fn replaced(&self) -> &[String] {
        &[]
    }

    /// Returns the reason why no work continues although launches are left at the end of a run;
    /// `None` from a dispatcher that does not know.
    fn standstill(&self) -> Option<Standstill> {
        None
    }

    /// Marks a launch by storing the state of the device, so that [`Dispatcher::skip`] can skip
    /// ahead later, while workgroups of the launch end and are replaced by equally many. Returns
    /// false where `skip` can never return true.
    #[doc(hidden)]
    fn mark(&mut self, launch: LaunchId) -> bool {
        let _ = launch;
        false
    }

    /// Skips ahead by `workgroups` workgroups of the marked launch, as if they had started and
    /// ended like those since the mark, with no other event between. Returns whether it did: true
    /// only where all later answers are as if the skipped events had come.
    #[doc(hidden)]
    fn skip(&mut self, launch: LaunchId, workgroups: u64) -> bool {
        let _ = (launch, workgroups);
        false
    }

    /// Writes the last line of the log, and all lines that are still buffered.
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
