//! What does a daemon know of one program? Times are nanoseconds since the daemon started.

use std::collections::VecDeque;

use raddle_policy::{
    Demand, Hints, Launch, LaunchId, Level, ProcessId, ProcessState, Tick, Ticks, VictimLaunch,
};
use raddle_preempt::Standing;

use crate::LiveHint;
use crate::status::ProgramStanding;

const SECOND: u64 = 1_000_000_000;

/// Times, in nanoseconds, of the preemptions of a program in the last second. They tell whether one
/// more exceeds the limit.
#[derive(Debug, Default)]
pub(super) struct Allowance(VecDeque<u64>);

impl Allowance {
    /// Returns whether one more preemption of a program at the time `now`, in nanoseconds, keeps
    /// the limit of `most` preemptions in any second. If so, this call counts it.
    pub(super) fn take(&mut self, most: u32, now: u64) -> bool {
        while self.0.front().is_some_and(|&at| now.saturating_sub(at) >= SECOND) {
            self.0.pop_front();
        }
        let allowed = self.0.len() < most as usize;
        if allowed {
            self.0.push_back(now);
        }
        allowed
    }
}

#[derive(Debug)]
pub(super) struct Member {
    pub(super) level: Level,
    pub(super) share: u32,
    pub(super) hints: Hints,
    pub(super) device: u16,
    joined: u64,
    pub(super) runnable: Option<u64>,
    pub(super) in_flight: u64,
    alive: u64,
    /// Time for which the program has used the device, in nanoseconds: (sum of its past uses, begin
    /// of the present use). The begin is `None` while the program does not use the device.
    ran: (u64, Option<u64>),
    pub(super) allowance: Allowance,
    pub(super) held: bool,
    pub(super) held_back: u64,
    /// (right of the program to use its device, time in nanoseconds since which it has had that
    /// right).
    pub(super) standing: (ProgramStanding, u64),
}

impl Member {
    pub(super) fn new(level: Level, device: u16, now: u64) -> Self {
        Self {
            level,
            share: 1,
            hints: Hints::default(),
            device,
            joined: now,
            runnable: None,
            in_flight: 0,
            alive: 0,
            ran: (0, None),
            allowance: Allowance::default(),
            held: false,
            held_back: 0,
            standing: (ProgramStanding::Paused, now),
        }
    }

    /// Records that the program has no work any more. Returns whether it had work before.
    pub(super) fn idle(&mut self, now: u64) -> bool {
        self.in_flight = 0;
        let Some(since) = self.runnable.take() else { return false };
        self.alive = self.alive.saturating_add(now.saturating_sub(since));
        true
    }

    pub(super) fn hinted(&mut self, hint: LiveHint) {
        match hint {
            LiveHint::Level(level) => self.level = level,
            LiveHint::Share(share) => self.share = share.max(1),
            LiveHint::Policy(hint) => self.hints.take(hint),
        }
    }

    /// Records the present right of the program to use its device, and since when it has that
    /// right. Also updates the time for which the program has used the device.
    pub(super) fn stands(&mut self, right: Option<Standing>, now: u64) {
        let standing = match right {
            _ if self.held => ProgramStanding::Held,
            Some(Standing::HasTurn) => ProgramStanding::Turn,
            Some(Standing::Leaving(_) | Standing::Returning(_)) => ProgramStanding::Leaving,
            Some(Standing::Away) => ProgramStanding::Away,
            Some(Standing::Paused) | None => ProgramStanding::Paused,
        };
        if self.standing.0 != standing {
            self.standing = (standing, now);
        }
        // Nobody sees when waves of the program run: its time counts while it has work and the turn,
        // and until that work has left.
        let uses = matches!(standing, ProgramStanding::Turn | ProgramStanding::Leaving);
        match (self.ran.1, uses && self.runnable.is_some()) {
            (None, true) => self.ran.1 = Some(now),
            (Some(_), false) => self.ran = (self.ran(now).0, None),
            _ => {}
        }
    }

    fn ran(&self, now: u64) -> Ticks {
        let present = self.ran.1.map_or(0, |since| now.saturating_sub(since));
        Ticks(self.ran.0.saturating_add(present))
    }

    pub(super) fn state(&self, id: ProcessId, now: u64) -> Option<ProcessState> {
        let since = self.runnable.filter(|_| !self.held)?;
        let mut state = ProcessState::new(id, self.level, Tick(since));
        (state.share, state.joined, state.hints) = (self.share, Tick(self.joined), self.hints);
        state.alive = Ticks(self.alive.saturating_add(now.saturating_sub(since)));
        state.ran = self.ran(now);
        (state.resident_waves, state.submitted) = (self.in_flight, self.in_flight);
        // A daemon is not told what waits in the program, and in how many streams.
        (state.ready, state.streams) = (None, None);
        state.waiting_since = (self.in_flight == 0).then_some(Tick(since));
        Some(state)
    }

    /// Returns 1 to 64 entries, one for each submitted launch of the program. All are alike, as a
    /// daemon knows only the number of launches, and that may be out of date.
    pub(super) fn victims(&self, process: ProcessId) -> impl Iterator<Item = VictimLaunch> + use<> {
        let launch = Launch::new(LaunchId(0), process, 1, Demand::default()).with_level(self.level);
        let one =
            VictimLaunch::new(launch, Tick(self.joined)).with_unstarted(0).with_resident_waves(1);
        // The last number that the program told is old, so at least one launch counts.
        std::iter::repeat_n(one, self.in_flight.clamp(1, 64) as usize)
    }
}
