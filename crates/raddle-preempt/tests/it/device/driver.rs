//! How does the simulated driver hear of the GPU, and how does it carry out the controller's
//! commands?
//!
//! Reports reach it late, and the commands take effect late.

use super::{Device, Lane, Report};
use crate::control::{Control, Order};

impl<C: Control> Device<'_, C> {
    fn late(&mut self, most: u64) -> u64 {
        self.now + self.random.to(most)
    }

    /// Sends a report about a launch that arrives late, but not before an earlier one of that
    /// launch.
    pub(super) fn report(&mut self, process: usize, sequence: u64, report: Report) {
        let at = self.late(self.schedule.setup.late.report);
        let at = at.max(self.last.get(&(process, sequence)).copied().unwrap_or(0));
        self.last.insert((process, sequence), at);
        self.made += 1;
        self.reports.insert((at, self.made), (process, report));
    }

    /// Delivers all reports that are due by now. Returns whether there was one.
    pub(super) fn deliver(&mut self) -> bool {
        let mut any = false;
        while let Some(entry) = self.reports.first_entry()
            && entry.key().0 <= self.now
        {
            let (process, report) = entry.remove();
            any = true;
            match report {
                Report::Arrived { sequence, stream, job } => {
                    self.arrive(process, stream, (sequence, job));
                }
                Report::Submitted(sequence) => {
                    self.history.early += u64::from(self.known.contains(&(process, sequence)));
                    // If the process has left meanwhile, `stale` makes this report in its place.
                    if self.gpus[process].there {
                        self.control.submitted(process, sequence);
                    }
                }
                Report::Started(sequence) => self.started(process, sequence),
                Report::Finished(sequence) => {
                    self.known.insert((process, sequence));
                    self.control.finished(process, sequence);
                }
                Report::Exited(sequence) => {
                    self.known.insert((process, sequence));
                    let asked = self.control.exited(process, sequence);
                    self.history.faults.unasked += u64::from(!asked);
                }
            }
        }
        any
    }

    pub(super) fn started(&mut self, process: usize, sequence: u64) {
        self.known.insert((process, sequence));
        self.control.started(process, sequence);
    }

    /// Puts a launch into the queue of the runtime.
    fn arrive(&mut self, process: usize, stream: usize, launch: (u64, usize)) {
        self.gpus[process].lanes[stream].queue.push_back(launch);
        let lanes = self.gpus[process].lanes.iter();
        let there = lanes.map(|lane| lane.queue.len() + lane.running.iter().len()).sum();
        self.history.in_flight(self.schedule, there);
    }

    /// Begins a submit call for a launch, which returns later, or is refused without delay.
    fn submit(&mut self, process: usize, stream: usize, (sequence, job): (u64, usize)) {
        let late = self.schedule.setup.late;
        if self.random.percent(late.refused) {
            // Submit calls that are refused return at once.
            return self.control.not_submitted(process, sequence);
        }
        // Submit calls of a stream return in their order, however long each of them takes.
        let returns = self.late(late.submit);
        let returns = returns.max(self.last.get(&(process, u64::MAX)).copied().unwrap_or(0));
        self.last.insert((process, u64::MAX), returns);
        let wait = returns - self.now;
        let early = wait > 0 && self.random.percent(50);
        let arrives = if early { self.late(wait) } else { returns };
        let lane = &mut self.gpus[process].lanes[stream];
        lane.newest = lane.newest.max(arrives);
        let arrives = lane.newest;
        let arrived = Report::Arrived { sequence, stream, job };
        for (at, report) in [(arrives, arrived), (returns, Report::Submitted(sequence))] {
            self.made += 1;
            self.reports.insert((at, self.made), (process, report));
        }
        self.deliver();
    }

    /// Carries out the commands of all processes until there is none. Returns whether there was
    /// one.
    pub(super) fn ask(&mut self) -> bool {
        let mut any = false;
        loop {
            let mut asked = false;
            for process in 0..self.gpus.len() {
                while self.gpus[process].there
                    && let Some(order) = self.control.next(process)
                {
                    asked = true;
                    self.obey(process, order);
                }
            }
            any |= asked;
            if !asked {
                return any;
            }
        }
    }

    fn obey(&mut self, process: usize, order: Order) {
        self.check(process, &order);
        self.history.orders.push((self.now, process, order.clone()));
        let late = self.schedule.setup.late;
        match order {
            Order::Submit { sequence, stream, job } => {
                self.submit(process, stream, (sequence, job))
            }
            Order::Raise { cuts } => {
                let at = self.late(late.flag);
                self.gpus[process].raising = true;
                self.store(process, at, Some(cuts));
            }
            Order::Lower => {
                let at = self.late(late.flag);
                self.store(process, at, None);
            }
            Order::Reset => {
                self.gpus[process].reset_at = Some(self.late(late.reset));
                self.believes();
                self.hit(process);
            }
            Order::Hold => {
                (self.gpus[process].held, self.gpus[process].removing) = (true, true);
                self.removed(process);
            }
            Order::Save => {
                let at = self.now + self.schedule.setup.save;
                self.gpus[process].still = true;
                (self.gpus[process].saved_at, self.gpus[process].removing) = (Some(at), true);
                self.removed(process);
            }
            Order::Release => self.gpus[process].held = false,
            Order::Restore => self.gpus[process].still = false,
            Order::Drained { resumed } => {
                self.history.latencies.push(self.now - self.gpus[process].begun);
                self.gpus[process].preempted = !resumed;
            }
        }
    }

    /// Checks that a command comes when it may, as far as the host knows.
    fn check(&mut self, process: usize, order: &Order) {
        // A submit call whose launch was reported otherwise need not return first.
        let known = |it: u64| self.known.contains(&(process, it));
        let old = |report: &Report| matches!(report, Report::Submitted(it) if known(*it));
        let mine = self.reports.values().filter(|(whose, _)| *whose == process);
        let heard: Vec<Report> = mine.map(|it| it.1).filter(|report| !old(report)).collect();
        let idle = self.gpus[process].lanes.iter().all(Lane::is_empty) && heard.is_empty();
        let calls = heard.iter().any(|report| matches!(report, Report::Submitted(_)));
        let wished = &mut self.gpus[process].wished;
        let faults = &mut self.history.faults;
        match order {
            Order::Submit { .. } => faults.pause += wished.submits(),
            Order::Raise { .. } | Order::Hold | Order::Save => faults.pause += u64::from(calls),
            Order::Reset => faults.idle += u64::from(idle),
            Order::Lower | Order::Release | Order::Restore | Order::Drained { .. } => {}
        }
        faults.wish += wished.carries_out(order);
    }
}
