//! How do launches reach the device, and at what cost?

use alloc::boxed::Box;

use crate::{Fact, Launch, Tick, Ticks};

/// The cost of giving a launch to the device.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[cfg_attr(feature = "serde", serde(rename_all = "kebab-case"))]
pub struct Submission {
    /// Packets written to the queue.
    pub packets: u32,
    /// Bytes written to the queue.
    pub bytes: u64,
    /// Time until the device can start the launch.
    pub cost: Ticks,
    /// Time from the end of the launch until its end is known: work that waits for the launch waits
    /// that much longer.
    pub cleanup: Ticks,
}

/// Answers how launches go to the device.
///
/// # Laws
///
/// 1. The first launch takes a packet; later ones may share a packet with launches before them.
/// 2. The same memory and launch give the same answer.
pub trait LaunchPath {
    /// Returns the cost of submitting this launch after those that were submitted before. The
    /// policy is asked for each launch separately, in the order of submission, even if several are
    /// submitted together; the cost and the cleanup are those of this launch alone.
    fn submit(&mut self, launch: &Launch) -> Submission;

    /// Returns whether launching overlaps with running kernels. If so, launches are submitted one
    /// at a time, each takes its `cost` after the one before it in its stream, and can start when
    /// that time has passed. If not, launches that are submitted together can start together, when
    /// all of them are launched.
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
