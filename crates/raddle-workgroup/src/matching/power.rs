//! What power did a compute unit draw lately, by the instructions of its waves (seed 000, E10)?
//!
//! A launch states the rate at which a wave issues instructions of each kind. So the power of a
//! compute unit is constant from one start or end of a workgroup to the next, and the power drawn
//! in a window of time is a sum over such stretches, exact in integers.
//!
//! Units: ticks; weighted instructions in 1,000 ticks, and in scores a thousandth of one.

use alloc::collections::VecDeque;

use raddle_policy::{Launch, Tick};

use crate::Error;
use crate::error::Reason;
use crate::place::Weights;

/// A stretch of time in which a compute unit draws constant power: from a tick until the next
/// stretch begins.
#[derive(Clone, Copy, Debug)]
struct PowerStretch {
    from: u64,
    power: u64,
    /// Sum, over all stretches before this one, of power (weighted instructions in 1,000 ticks)
    /// times length in ticks.
    before: u128,
}

impl PowerStretch {
    /// Returns the sum of power times ticks from the start of the log to `tick`, which must not be
    /// before this stretch.
    fn until(&self, tick: u64) -> u128 {
        let ticks = tick.saturating_sub(self.from);
        self.before.saturating_add(u128::from(self.power).saturating_mul(ticks.into()))
    }
}

/// The latest stretches of constant power of one compute unit: those that reach into the window,
/// the latest ticks, for which power counts.
#[derive(Clone, Debug)]
struct PowerLog {
    stretches: VecDeque<PowerStretch>,
}

impl PowerLog {
    /// Returns an empty log with memory for eight stretches of constant power; few logs need more.
    fn new() -> Self {
        Self { stretches: VecDeque::with_capacity(8) }
    }

    fn power(&self) -> u64 {
        self.stretches.back().map_or(0, |latest| latest.power)
    }

    fn set(&mut self, now: u64, power: u64, window: u64) {
        self.forget(now.saturating_sub(window));
        let before = self.stretches.back().map_or(0, |latest| latest.until(now));
        match self.stretches.back_mut() {
            // If time runs backwards, the present power changes, and the past stays.
            Some(latest) if latest.from >= now => latest.power = power,
            _ => self.stretches.push_back(PowerStretch { from: now, power, before }),
        }
    }

    /// Drops the stretches of constant power that ended before `start`, the begin of the window.
    fn forget(&mut self, start: u64) {
        while self.stretches.get(1).is_some_and(|next| next.from <= start) {
            self.stretches.pop_front();
        }
    }

    /// Returns the sum of power times ticks of the compute unit over the `window` ticks before
    /// `now`.
    fn drawn(&mut self, now: u64, window: u64) -> u128 {
        let start = now.saturating_sub(window);
        self.forget(start);
        let until = |stretch: Option<&PowerStretch>, tick| stretch.map_or(0, |it| it.until(tick));
        let (first, last) = (self.stretches.front(), self.stretches.back());
        until(last, now) - until(first, start).min(until(last, now))
    }

    /// Returns whether the sum of power times ticks over the window of time stays constant until a
    /// workgroup starts or ends.
    fn is_settled(&self, now: u64, window: u64) -> bool {
        let start = now.checked_sub(window);
        let covers = |all: &PowerStretch| start.is_some_and(|start| all.from <= start);
        self.stretches.len() <= 1 && self.stretches.front().is_none_or(covers)
    }
}

/// The power that every compute unit draws, in weighted instructions in 1,000 ticks.
#[derive(Clone, Debug)]
pub(super) struct Power {
    weights: Weights,
    window: u64,
    /// True if the window of time over which power is summed also reaches as far ahead of the
    /// present tick as it reaches back.
    ahead: bool,
    meters: alloc::vec::Vec<PowerLog>,
}

impl Power {
    /// Returns the logs of power of `cus` compute units with room for `waves` waves each; `window`
    /// is in ticks.
    ///
    /// # Errors
    /// For weights that are all 0, or so large that the power of these waves at the highest rates
    /// is beyond u64, and for a window of 0 ticks.
    pub(super) fn new(
        weights: &[u64; 6],
        window: u64,
        cus: usize,
        waves: u32,
    ) -> Result<Self, Error> {
        if window == 0 {
            return Err(Error(Reason::NoCycles));
        }
        let weights = Weights::new(weights)?;
        let highest = weights.score(&[u32::MAX.into(); 6])?;
        highest.checked_mul(waves.into()).ok_or(Error(Reason::Score { row: 0 }))?;
        // Each log is made by itself, as a copy of an empty list has no room.
        let meters = (0..cus).map(|_| PowerLog::new()).collect();
        Ok(Self { weights, window, ahead: false, meters })
    }

    /// Makes the window of time over which power is summed also reach into the future, as far as it
    /// reaches back, as if no workgroup ended.
    pub(super) const fn with_what_comes(mut self) -> Self {
        self.ahead = true;
        self
    }

    pub(super) fn len(&self) -> usize {
        self.meters.len()
    }

    /// Returns the power that `waves` waves of a launch draw, at most `u64::MAX`.
    fn of(&self, launch: &Launch, waves: u16) -> u64 {
        let each = self.weights.score(&launch.activity.0.map(u64::from)).unwrap_or(u64::MAX);
        each.saturating_mul(waves.into())
    }

    /// Adds the power of `waves` waves of a launch, which start at tick `now`, to a compute unit.
    pub(super) fn start(&mut self, cu: usize, launch: &Launch, waves: u16, now: Tick) {
        let more = self.of(launch, waves);
        if let Some(meter) = self.meters.get_mut(cu).filter(|_| more > 0) {
            meter.set(now.0, meter.power().saturating_add(more), self.window);
        }
    }

    /// Subtracts the power of `waves` waves, which end at tick `now`, from a compute unit.
    pub(super) fn end(&mut self, cu: usize, launch: &Launch, waves: u16, now: Tick) {
        let less = self.of(launch, waves);
        if let Some(meter) = self.meters.get_mut(cu).filter(|_| less > 0) {
            meter.set(now.0, meter.power().saturating_sub(less), self.window);
        }
    }

    /// Returns the score of a compute unit for the power that its waves drew lately (TB in patent
    /// 000): the sum of power times ticks over the window of time, at most `u64::MAX`.
    pub(super) fn score(&mut self, cu: usize, now: Tick) -> u64 {
        let (window, ahead) = (self.window, self.ahead);
        let score = self.meters.get_mut(cu).map_or(0, |meter| {
            let next = if ahead { u128::from(meter.power()) * u128::from(window) } else { 0 };
            meter.drawn(now.0, window).saturating_add(next)
        });
        u64::try_from(score).unwrap_or(u64::MAX)
    }

    /// Returns whether the power score of a compute unit stays the same until a workgroup starts or
    /// ends on it.
    pub(super) fn is_settled(&self, cu: usize, now: Tick) -> bool {
        self.meters.get(cu).is_none_or(|meter| meter.is_settled(now.0, self.window))
    }
}

#[cfg(test)]
mod tests {
    use alloc::vec;

    use super::*;
    use crate::order::Seeded;

    #[test]
    fn a_window_is_the_sum_of_its_ticks() {
        let mut draws = Seeded::new(1);
        for window in [1, 2, 7, 50] {
            let (mut meter, mut now, mut ticks) = (PowerLog::new(), 0, vec![]);
            for _ in 0..400 {
                let (skip, power) = (draws.next() % 5, draws.next() % 9);
                ticks.resize((now + skip) as usize, meter.power());
                now += skip;
                let first = now.saturating_sub(window) as usize;
                let expected: u64 = ticks[first..].iter().sum();
                assert_eq!(meter.drawn(now, window), expected.into(), "{window} before {now}");
                meter.set(now, power, window);
            }
            assert!(meter.stretches.len() <= window as usize + 2, "old ones are forgotten");
        }
    }
}
