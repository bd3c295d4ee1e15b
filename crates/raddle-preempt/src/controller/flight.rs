//! Which launches of a process are in the runtime, and which of them leave?
//!
//! A table has one slot for each launch, as many slots as the window. A launch's handle holds the
//! number of its slot, so no search is needed.

use alloc::vec::Vec;

use raddle_policy::StreamId;

use super::answers::LaunchHandle;
use super::waiting::WaitingLaunch;

/// State of a launch that was given to the driver and has not left the runtime. The enum has the
/// size of a whole word, which is copied faster than a byte.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(u32)]
pub(super) enum FlightState {
    /// The driver has the command to submit the launch, and has not reported that the submit call
    /// returned.
    Submitting,
    /// The submit call of the launch has returned, so the launch is in the runtime.
    Submitted,
    /// The launch was reported to have started, or at least to test the preemption flag.
    Started,
}

/// Launch that was given to the driver and has neither ended nor left the runtime.
#[derive(Clone, Debug)]
pub(super) struct FlyingLaunch<T> {
    pub(super) work: WaitingLaunch<T>,
    pub(super) stream: StreamId,
    pub(super) sequence: u64,
    pub(super) state: FlightState,
    pub(super) fate: LaunchFate,
}

/// Fate of a launch in the runtime when the preemption flag (tested by each launch at its start) is
/// raised, or a reset kills running launches. The enum has the size of a whole word, which is
/// copied faster than a byte.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[repr(u32)]
pub(super) enum LaunchFate {
    /// The launch runs to its end, even where a preemption flag (tested by each launch at its
    /// start) is raised.
    #[default]
    Stays,
    /// The launch leaves by the preemption flag when it starts.
    Leaves,
    /// The launch leaves by the preemption flag when it starts, and the driver has reported that it
    /// has not begun.
    Claimed,
    /// The launch leaves by the preemption flag (tested by each launch at its start) if it has not
    /// begun; the reset kills it if it runs.
    Hit,
}

#[derive(Clone, Debug)]
pub(super) struct Flight<T> {
    slots: Vec<Option<FlyingLaunch<T>>>,
    free: Vec<u32>,
    /// Indices of the used slots (one for each launch in the runtime), ordered by stream and then
    /// by submission. The list is made each time the preemption flag is raised.
    sorted: Vec<u32>,
    /// Number of launches in the state [`FlightState::Submitting`], whose submit calls have not
    /// returned.
    pub(super) unacknowledged: u32,
}

impl<T> Flight<T> {
    pub(super) const fn new() -> Self {
        Self { slots: Vec::new(), free: Vec::new(), sorted: Vec::new(), unacknowledged: 0 }
    }

    pub(super) fn len(&self) -> usize {
        self.slots.len() - self.free.len()
    }

    pub(super) fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// Adds a launch and returns its slot, a number that no other launch in the runtime has. There
    /// are never more slots than launches that a process may have in the runtime (its window).
    #[inline]
    pub(super) fn insert(&mut self, flying: FlyingLaunch<T>) -> u32 {
        if flying.state == FlightState::Submitting {
            self.unacknowledged += 1;
        }
        if let Some(slot) = self.free.pop() {
            if let Some(place) = self.slots.get_mut(slot as usize) {
                *place = Some(flying);
            }
            return slot;
        }
        self.slots.push(Some(flying));
        (self.slots.len() - 1) as u32
    }

    /// Returns the launch with the handle `handle`; `None` where that launch has left the runtime.
    pub(super) fn get_mut(&mut self, handle: LaunchHandle) -> Option<&mut FlyingLaunch<T>> {
        let flying = self.slots.get_mut(handle.slot as usize)?.as_mut()?;
        (flying.sequence == handle.sequence).then_some(flying)
    }

    pub(super) fn get(&self, handle: LaunchHandle) -> Option<&FlyingLaunch<T>> {
        let flying = self.slots.get(handle.slot as usize)?.as_ref()?;
        (flying.sequence == handle.sequence).then_some(flying)
    }

    /// Removes the launch with the handle `handle` and returns it, whatever its state is; `None`
    /// where that launch has left the runtime.
    #[inline]
    pub(super) fn remove(&mut self, handle: LaunchHandle) -> Option<FlyingLaunch<T>> {
        self.remove_if(handle, |_| true)
    }

    /// Removes the launch with the handle `handle` and returns it if `such` returns true for it;
    /// otherwise `None`.
    #[inline]
    pub(super) fn remove_if(
        &mut self,
        handle: LaunchHandle,
        such: impl Fn(&FlyingLaunch<T>) -> bool,
    ) -> Option<FlyingLaunch<T>> {
        let place = self.slots.get_mut(handle.slot as usize)?;
        let flying = place.take_if(|it| it.sequence == handle.sequence && such(it))?;
        self.free.push(handle.slot);
        if flying.state == FlightState::Submitting {
            self.unacknowledged -= 1;
        }
        Some(flying)
    }

    /// Notes that a launch was submitted or has started, as `state` says. Returns whether the
    /// launch is still in the runtime.
    pub(super) fn acknowledge(&mut self, handle: LaunchHandle, state: FlightState) -> bool {
        let Some(flying) = self.get_mut(handle) else { return false };
        let before = flying.state;
        if before != FlightState::Started {
            flying.state = state;
        }
        if before == FlightState::Submitting {
            self.unacknowledged -= 1;
        }
        true
    }

    /// Returns (slot of the table, launch) for every launch in the runtime, in the order of slots.
    pub(super) fn iter(&self) -> impl Iterator<Item = (u32, &FlyingLaunch<T>)> {
        (0..).zip(&self.slots).filter_map(|(slot, flying)| Some((slot, flying.as_ref()?)))
    }

    /// Returns the number of slots (places for launches in the runtime), used or free: the largest
    /// slot index plus one.
    pub(super) fn slots(&self) -> usize {
        self.slots.len()
    }

    /// Returns the stream of the launch in the table's slot `slot` if a reset could kill that
    /// launch: it leaves by the preemption flag (tested by each launch at its start) and may have
    /// begun. Otherwise `None`.
    pub(super) fn target(&self, slot: usize) -> Option<StreamId> {
        let flying = self.slots.get(slot)?.as_ref()?;
        matches!(flying.fate, LaunchFate::Leaves | LaunchFate::Hit).then_some(flying.stream)
    }

    /// Records that the coming reset kills the launch in the table's slot `slot` if it is running.
    pub(super) fn hit(&mut self, slot: usize) {
        if let Some(Some(flying)) = self.slots.get_mut(slot) {
            flying.fate = LaunchFate::Hit;
        }
    }

    pub(super) fn has_stream(&self, stream: StreamId) -> bool {
        self.iter().any(|(_, flying)| flying.stream == stream)
    }

    /// Decides for each launch whether it leaves by the preemption flag (tested by each launch at
    /// its start), stream by stream in the order of submission. The second argument of `leaves` is
    /// true where the launch before it in the stream leaves. A launch that stays makes all earlier
    /// launches of its stream stay, since it would overtake them.
    pub(super) fn flag(&mut self, leaves: impl Fn(&FlyingLaunch<T>, bool) -> bool) {
        let Self { slots, sorted, .. } = self;
        sorted.clear();
        sorted.extend((0..).zip(slots.iter()).filter_map(|(at, it)| it.as_ref().and(Some(at))));
        let place = |at: u32| slots.get(at as usize).and_then(Option::as_ref);
        sorted.sort_unstable_by_key(|&at| place(at).map(|it| (it.stream, it.sequence)));
        let (mut stream, mut first) = (None, 0);
        for at in 0..sorted.len() {
            let Some(flying) = nth(slots, sorted, at) else { continue };
            if stream != Some(flying.stream) {
                (stream, first) = (Some(flying.stream), at);
            }
            flying.fate = LaunchFate::Leaves;
            if leaves(flying, at > first) {
                continue;
            }
            for stays in first..=at {
                if let Some(flying) = nth(slots, sorted, stays) {
                    flying.fate = LaunchFate::Stays;
                }
            }
            first = at + 1;
        }
    }

    /// Returns (order of capture, payload) of every launch, in no particular order. The order of
    /// capture is the number of the launch among all captured work of its process, the payload the
    /// host's own data.
    pub(super) fn into_payloads(self) -> impl Iterator<Item = (u64, T)> {
        self.slots.into_iter().flatten().map(|flying| (flying.work.order, flying.work.payload))
    }
}

/// Returns the launch in the slot whose index is `sorted[at]`; `None` where the slot is free.
fn nth<'s, T>(
    slots: &'s mut [Option<FlyingLaunch<T>>],
    sorted: &[u32],
    at: usize,
) -> Option<&'s mut FlyingLaunch<T>> {
    slots.get_mut(*sorted.get(at)? as usize)?.as_mut()
}
