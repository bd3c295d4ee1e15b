//! How does work leave the device and come back?
//!
//! Drain waits for the fronts, kill ends them after a fixed cost, save and restore move their
//! registers and LDS at the device's bandwidth, one launch after the other, and keep the time that
//! was left.

use std::collections::{BTreeMap, BTreeSet, VecDeque};

use raddle_policy::{CuId, Demand, LaunchId, Preemption, StreamId, Tick, Ticks, WaveSpan};

use super::neighbours::Neighbours;
use super::pace::WorkLeft;
use super::{Front, Live, LiveState, Machine};
use crate::SimError;
use crate::ledger::Ledger;
use crate::plan::Costs;
use crate::queue::{Due, Queue};

/// Returns the tick at which a save or restore that takes `cost` ticks is complete. It begins once
/// all that were ordered before it are complete, at the tick `moved`, which is then set to the new
/// tick.
fn behind(moved: &mut Tick, now: Tick, cost: Ticks) -> Tick {
    *moved = now.max(*moved) + cost;
    *moved
}

impl Machine {
    /// Begins to take a launch off the device by the preemption method `how`.
    pub(crate) fn take_off(
        &mut self,
        id: LaunchId,
        how: Preemption,
        now: Tick,
        queue: &mut Queue,
    ) -> Result<(), SimError> {
        let Some(live) = self.live.get_mut(id).filter(|live| live.state == LiveState::Running)
        else {
            return Err(Self::fault(now, id, "take off", self.live.get(id)));
        };
        // Waiting takes no launch off, and the flag none that has started.
        if how == Preemption::Wait || how == Preemption::Flag && live.started > 0 {
            let (what, state) = (how.name(), "already running");
            return Err(SimError::Action { at: now, launch: id, what, state });
        }
        live.state = LiveState::Leaving(how);
        self.counters.taken_off += 1;
        let (lane, bytes) = ((live.what.process, live.what.stream), context_bytes(live));
        let over = match how {
            Preemption::Flag => {
                let exits = self.exits.entry(lane).or_default();
                exits.push_back(id);
                if exits.len() == 1 {
                    self.next_exit(lane, now, queue);
                }
                return Ok(());
            }
            Preemption::Reset => {
                let thrown = live.since.map_or(Ticks::ZERO, |since| now.since(since));
                self.counters.thrown_ns += thrown.0;
                now + self.costs.reset
            }
            Preemption::Switch => {
                let cost = moving(&self.costs, &mut self.moving, (lane.0, bytes), now);
                self.counters.switch_ns += cost.0;
                behind(&mut self.moved, now, cost)
            }
            _ if live.is_drained() => now,
            // A drain is over when the last front has ended.
            _ => return Ok(()),
        };
        if how.stands_still() {
            stop_fronts(id, live, &mut self.fronts, &mut self.neighbours, now);
        }
        queue.push(over, Due::TakenOff(id));
        Ok(())
    }

    /// Completes the preemption of a launch. Returns (method by which it left, number of its
    /// workgroups that have ended, number of waves that it freed, process); `None` where the launch
    /// was not leaving.
    pub(crate) fn taken_off(
        &mut self,
        id: LaunchId,
        now: Tick,
        queue: &mut Queue,
    ) -> Option<(Preemption, u64, u64, u16)> {
        let live = self.live.get_mut(id)?;
        let LiveState::Leaving(how) = live.state else {
            return None;
        };
        if how.holds() && !how.frees_places() && !live.is_drained() {
            return None;
        }
        let (ended, process, waves) = (live.ended, live.what.process, live.resident_waves);
        let lane = (process, live.what.stream);
        live.state = LiveState::Off(how);
        match how {
            Preemption::Reset => {
                lift(live, &self.fronts, &mut self.ledger);
                // A workgroup that was cut is killed once, however many of its parts are.
                let mut cut = BTreeSet::new();
                for slot in std::mem::take(&mut live.fronts) {
                    let front = &self.fronts[slot as usize];
                    match front.waves {
                        WaveSpan::Cut { .. } => {
                            cut.extend(front.pieces.iter().flat_map(|piece| piece.workgroups()))
                        }
                        _ => self.counters.killed += front.groups,
                    }
                    self.spare.push(slot);
                }
                self.counters.killed += cut.len() as u64;
                self.live.remove(id);
                self.next_exit(lane, now, queue);
                Some((how, ended, waves, process))
            }
            _ if how.saves() => {
                lift(live, &self.fronts, &mut self.ledger);
                // A workgroup that is assigned and has not started holds nothing that could be
                // saved.
                live.assigned.clear();
                Some((how, ended, waves, process))
            }
            Preemption::Flag => {
                self.live.remove(id);
                self.exits.entry(lane).or_default().pop_front();
                self.next_exit(lane, now, queue);
                Some((how, ended, 0, process))
            }
            _ => Some((how, ended, 0, process)),
        }
    }

    /// Begins to bring a launch back to the device. Returns (number of its waves that hold their
    /// slots again, process).
    pub(crate) fn restore(
        &mut self,
        id: LaunchId,
        now: Tick,
        queue: &mut Queue,
    ) -> Result<(u64, u16), SimError> {
        let allowed = |live: &&mut Live| match live.state {
            LiveState::Off(how) => how.holds(),
            LiveState::Leaving(how) => how.drains(),
            _ => false,
        };
        let Some(live) = self.live.get_mut(id).filter(allowed) else {
            return Err(Self::fault(now, id, "restore", self.live.get(id)));
        };
        let process = live.what.process;
        let saved = match live.state {
            LiveState::Off(how) if how.saves() => how,
            _ => {
                live.state = LiveState::Returning(Preemption::Drain);
                queue.push(now, Due::Restored(id));
                return Ok((0, process));
            }
        };
        live.state = LiveState::Returning(saved);
        // A restore of its work loads the process.
        self.loaded.process = Some(process);
        let overcommit = |cu| SimError::Overcommit { at: now, launch: id, cu };
        lower(live, &self.fronts, &mut self.ledger).map_err(overcommit)?;
        let bytes = context_bytes(live);
        let cost = moving(&self.costs, &mut self.moving, (process, bytes), now);
        self.counters.switch_ns += cost.0;
        queue.push(behind(&mut self.moved, now, cost), Due::Restored(id));
        Ok((live.resident_waves, process))
    }

    /// Lets the next launch of a stream that leaves by the preemption flag do so: it starts, sees
    /// the raised flag and leaves. Does nothing while another launch of the stream runs. `lane` is
    /// (process, stream).
    pub(super) fn next_exit(&mut self, lane: (u16, StreamId), now: Tick, queue: &mut Queue) {
        let Some(&first) = self.exits.get(&lane).and_then(VecDeque::front) else { return };
        let in_front = self.live.any(|live| {
            let runs = live.state == LiveState::Running && (live.started > 0 || live.is_bound());
            let killed = matches!(live.state, LiveState::Leaving(how) if how.begins_again());
            (live.what.process, live.what.stream) == lane && (runs || killed)
        });
        if !in_front {
            queue.push(now + self.costs.exit, Due::TakenOff(first));
        }
    }

    /// Completes the return of a launch to the device: its saved workgroups do the work that they
    /// had left. Returns whether the launch was coming back.
    pub(crate) fn restored(&mut self, id: LaunchId, now: Tick, queue: &mut Queue) -> bool {
        let Some(live) = self.live.get_mut(id) else {
            return false;
        };
        let LiveState::Returning(how) = live.state else {
            return false;
        };
        live.state = LiveState::Running;
        if how.saves() {
            let pace = self.neighbours.begin(&live.what, &mut live.load);
            for &slot in &live.fronts {
                let front = &mut self.fronts[slot as usize];
                if front.gathers {
                    continue;
                }
                self.neighbours.came(id, &live.what, &mut live.load, front);
                front.since = now;
                if front.endless {
                    continue;
                }
                front.ends = now + front.left.lasts(pace);
                front.due = front.ends;
                front.started = now;
                queue.push(front.ends, Due::Front(slot, front.generation));
            }
        }
        true
    }
}

/// Returns the ticks that one more save or restore, of `bytes` bytes, adds for a process. All saves
/// and restores of a process in one tick count as one, of at least `switch_bytes` bytes. `given`
/// holds (tick, bytes) of the latest ones of each process.
fn moving(
    costs: &Costs,
    given: &mut BTreeMap<u16, (Tick, u64)>,
    (process, bytes): (u16, u64),
    now: Tick,
) -> Ticks {
    let floor = |bytes: u64| costs.moving(bytes.max(costs.switch_bytes));
    match given.get_mut(&process).filter(|(at, _)| *at == now) {
        Some((_, before)) => {
            let all = before.saturating_add(bytes);
            let more = floor(all).0.saturating_sub(floor(*before).0);
            *before = all;
            Ticks(more)
        }
        None => {
            given.insert(process, (now, bytes));
            costs.switch + floor(bytes)
        }
    }
}

/// Stops the running workgroups of a launch: makes the queued events of their ends void, and stores
/// the work that is left.
fn stop_fronts(
    id: LaunchId,
    live: &mut Live,
    fronts: &mut [Front],
    neighbours: &mut Neighbours,
    now: Tick,
) {
    for &slot in &live.fronts {
        let front = &mut fronts[slot as usize];
        front.generation = front.generation.wrapping_add(1);
        if front.gathers {
            continue;
        }
        neighbours.went(id, &live.what, &mut live.load, front);
        // The end of a collective is that of its peers, which neighbours do not put off.
        let peers = front.endless || front.ends == live.what.until;
        front.left = match peers {
            true => WorkLeft::of(front.ends.since(now)),
            false => front.left.after(now.since(front.since), live.load.pace),
        };
    }
}

/// Returns the bytes of registers and LDS that a save or restore of a launch moves. Its waves on
/// the device are counted as whole workgroups, rounded up. Thus the LDS of a workgroup whose waves
/// are on several compute units counts once.
fn context_bytes(live: &Live) -> u64 {
    let waves = u64::from(live.what.demand.waves).max(1);
    live.resident_waves.div_ceil(waves).saturating_mul(live.what.context_bytes)
}

/// Returns the resources that a launch holds, each entry as (compute unit, demand of a workgroup,
/// number of waves, number of workgroups that hold a slot, barriers and LDS).
fn holdings(live: &Live, fronts: &[Front]) -> Vec<(CuId, Demand, u64, u64)> {
    let demand = live.what.demand;
    let mut held = Vec::new();
    for &slot in &live.fronts {
        let front = &fronts[slot as usize];
        let (_, count) = front.waves.bounds(demand.waves);
        for piece in &front.pieces {
            let n = u64::from(piece.count);
            let groups = if matches!(front.waves, WaveSpan::Range { .. }) { 0 } else { n };
            held.push((piece.cu, demand.of(front.waves), n * u64::from(count), groups));
        }
    }
    // A partly started workgroup holds its LDS, barrier and slot even while no wave of it runs.
    held.extend(live.partial.values().map(|&(cu, _)| (cu, demand, 0, 1)));
    held
}

/// Frees all resources that a launch holds, and keeps the list of its workgroups, so that [`lower`]
/// can take the resources again.
fn lift(live: &Live, fronts: &[Front], ledger: &mut Ledger) {
    for (cu, demand, waves, groups) in holdings(live, fronts) {
        let unit = cu.index()..cu.index() + 1;
        ledger.give(unit.clone(), &demand, waves, groups);
        ledger.power.went(unit, live.what.draw(waves));
    }
}

/// Takes again all resources that [`lift`] freed. The error is the first compute unit on which they
/// are no longer free.
fn lower(live: &Live, fronts: &[Front], ledger: &mut Ledger) -> Result<(), CuId> {
    for (cu, demand, waves, groups) in holdings(live, fronts) {
        let unit = cu.index()..cu.index() + 1;
        ledger.take(unit.clone(), &demand, waves, groups)?;
        ledger.power.came(unit, live.what.draw(waves));
    }
    Ok(())
}

/// Returns the number of workgroup slots that `n` workgroups take as their waves `waves` start. The
/// first waves of a workgroup take a slot, with its barriers and LDS. Later waves take none, as the
/// workgroup holds its slot already.
pub(super) const fn shares(waves: WaveSpan, n: u64) -> u64 {
    match waves {
        WaveSpan::Range { first: 1.., .. } => 0,
        _ => n,
    }
}

/// Frees the resources of a front (workgroups or waves that end together). Returns the number of
/// workgroups whose last wave has ended.
pub(super) fn give_back(live: &mut Live, front: &Front, ledger: &mut Ledger) -> u64 {
    let (demand, waves) = (live.what.demand, front.waves);
    let (_, count) = waves.bounds(demand.waves);
    let mut groups = 0;
    for (units, n) in front.units.iter().cloned() {
        let n = u64::from(n);
        let ended = n * u64::from(count);
        ledger.power.went(units.clone(), live.what.draw(ended));
        if waves == WaveSpan::All {
            groups += n * units.len() as u64;
            ledger.give(units, &demand, ended, n);
        }
    }
    if waves == WaveSpan::All {
        return groups;
    }
    for piece in &front.pieces {
        let unit = piece.cu.index()..piece.cu.index() + 1;
        for workgroup in piece.workgroups() {
            if let WaveSpan::Cut { .. } = waves {
                ledger.give(unit.clone(), &demand.of(waves), u64::from(count), 1);
                let ended = live.cut.entry(workgroup).or_insert(0);
                *ended += count;
                if *ended >= demand.waves {
                    live.cut.remove(&workgroup);
                    groups += 1;
                }
                continue;
            }
            let entry = live.partial.entry(workgroup).or_insert((piece.cu, 0));
            entry.1 += count;
            let done = entry.1 >= demand.waves;
            ledger.give(unit.clone(), &demand, u64::from(count), u64::from(done));
            groups += u64::from(done);
            if done {
                live.partial.remove(&workgroup);
            }
        }
    }
    groups
}
