//! How do launches reach the device, and at what cost?

use alloc::boxed::Box;

use crate::{Fact, Launch, Tick, Ticks};

/// What it costs to hand a launch to the device.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[cfg_attr(feature = "serde", serde(rename_all = "kebab-case"))]
pub struct Submission {
    /// Packets written to the queue.
    pub packets: u32,
    /// Bytes written to the queue.
    pub bytes: u64,
    /// Time until the device can start it.
    pub cost: Ticks,
    /// Time from its end until anybody knows of it: who waits for it waits so much longer.
    pub cleanup: Ticks,
}

/// Answers how launches go to the device.
///
/// # Laws
///
/// 1. The first launch of all takes a packet; later ones may go into one that was sent before.
/// 2. The same memory and launch give the same answer.
pub trait LaunchPath {
    /// The cost of submitting this launch, behind those that were submitted before. Each is asked for
    /// by itself, in the order of submission, also where several are submitted together: what it costs
    /// is its own, and so is its cleanup.
    fn submit(&mut self, launch: &Launch) -> Submission;

    /// Whether launching goes on beside what runs, a launch at a time. Then each launch is submitted
    /// by itself, takes its `cost` behind the one before it of its stream, and can start when that
    /// has passed. Else those submitted together can start together, when all of them are launched.
    fn overlaps(&self) -> bool {
        false
    }

    /// Hears what happened; for policies that keep tables.
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
            fn observe(&mut self, fact: &Fact<'_>, now: Tick) {
                (**self).observe(fact, now);
            }
        }
    )*};
}

through!(&mut P, Box<P>);

#[cfg(test)]
fn _object_safe(_: &mut dyn LaunchPath) {}
