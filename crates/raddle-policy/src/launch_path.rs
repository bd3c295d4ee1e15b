//! How do launches reach the device, and at what cost?

use alloc::boxed::Box;

use crate::{Fact, Launch, Tick, Ticks};

/// The cost of giving a launch to the device.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[cfg_attr(feature = "serde", serde(rename_all = "kebab-case"))]
pub struct Submission {
    /// The number of packets written to a queue of the device for this launch.
    pub packets: u32,
    /// The number of bytes written to a queue of the device for this launch.
    pub bytes: u64,
    /// The time that it takes to submit the launch, in ticks; the device can start it after that.
    pub cost: Ticks,
    /// The time in ticks from the end of the launch until its end is known. Work that waits for the
    /// launch is delayed by this time.
    pub cleanup: Ticks,
}

/// Answers how launches are sent to the device: in which packets, and at which cost.
///
/// # Laws
///
/// 1. The first launch takes a packet; later ones may share a packet with launches before them.
/// 2. The same memory and launch give the same answer.
/// 3. A policy that says that it does not mind refills
///    ([`minds_refills`](LaunchPath::minds_refills)) answers as if there had been none.
pub trait LaunchPath {
    /// Returns the cost of submitting this launch after those that were submitted before. The
    /// policy is asked once for each launch, in the order of submission, even if several launches
    /// are submitted together.
    fn submit(&mut self, launch: &Launch) -> Submission;

    /// Returns whether launches are given to the device while kernels run. If true, launches are
    /// submitted one at a time: each takes its `cost` after the one before it in its stream, and
    /// can start after that. If false, launches that are submitted together start together, once
    /// the costs of all of them have passed.
    fn overlaps(&self) -> bool {
        false
    }

    /// Returns whether later answers can depend on refills, in which ended workgroups are replaced
    /// at once by as many of the same launch
    /// ([`Allocate::minds_refills`](crate::Allocate::minds_refills)).
    fn minds_refills(&self) -> bool {
        true
    }

    /// Informs the policy of an event or of an answer carried out. The default does nothing.
    fn observe(&mut self, fact: &Fact<'_>, now: Tick) {
        let _ = (fact, now);
    }
}

macro_rules! through {
    ($($pointer:ty),*) => {$(
        impl<P: LaunchPath + ?Sized> LaunchPath for $pointer {
            fn submit(&mut self, launch: &Launch) -> Submission {
                (**self).submit(launch)
            }
            fn overlaps(&self) -> bool {
                (**self).overlaps()
            }
            fn minds_refills(&self) -> bool {
                (**self).minds_refills()
            }
            fn observe(&mut self, fact: &Fact<'_>, now: Tick) {
                (**self).observe(fact, now);
            }
        }
    )*};
}

through!(&mut P, Box<P>);

#[cfg(test)]
fn _object_safe(_: &mut dyn LaunchPath) {}
