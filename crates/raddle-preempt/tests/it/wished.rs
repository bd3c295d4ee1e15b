//! Which state do the wishes for a process lead to, in which order?
//!
//! The rules of A15 (the latest of preempt and resume wins) by themselves: the answer that each
//! wish must get, and the commands that may follow, without any launch.

use crate::control::Order;

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
enum At {
    #[default]
    Running,
    Draining,
    Preempted,
}

/// The measure that the driver took against a process and has not undone yet.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Done {
    Raised,
    Held,
    Saved,
}

/// The state of a process to which the wishes lead. Every method returns the number of faults
/// found, 0 or 1.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Wished {
    at: At,
    /// True if the latest wish is that the process goes on.
    on: bool,
    done: Option<Done>,
    /// True if the measure taken against the process is to be undone.
    undo: bool,
}

impl Wished {
    pub(crate) fn preempt(&mut self, became: &str) -> u64 {
        // The runtime lacks the method, or the levels forbid it: nothing has changed.
        if became.starts_with("missing") || became == "NotOutranked" {
            return 0;
        }
        let waits = self.at == At::Draining && self.on;
        let wanted = match self.at {
            At::Running => "Begun",
            _ if waits => "ResumeCancelled",
            _ => "Already",
        };
        if self.at == At::Running {
            self.at = At::Draining;
        }
        self.on = false;
        u64::from(became != wanted)
    }

    pub(crate) fn resume(&mut self, became: &str) -> u64 {
        let wanted = match self.at {
            At::Running => "Running",
            At::Draining => "Waits",
            At::Preempted => "Now",
        };
        self.on = true;
        if self.at == At::Preempted {
            self.goes_on();
        }
        u64::from(became != wanted)
    }

    fn goes_on(&mut self) {
        (self.at, self.undo) = (At::Running, self.done.is_some());
    }

    /// Returns 1 if a submission comes during a preemption or before its measure is undone; else 0.
    pub(crate) fn submits(&self) -> u64 {
        u64::from(self.at != At::Running || self.done.is_some())
    }

    pub(crate) fn carries_out(&mut self, order: &Order) -> u64 {
        let done = match *order {
            Order::Submit { .. } => return 0,
            Order::Reset => {
                return u64::from(self.at != At::Draining || self.done != Some(Done::Raised));
            }
            Order::Drained { resumed } => {
                let right = self.at == At::Draining && resumed == self.on;
                self.at = At::Preempted;
                if resumed {
                    self.goes_on();
                }
                return u64::from(!right);
            }
            Order::Raise { .. } | Order::Lower => Done::Raised,
            Order::Hold | Order::Release => Done::Held,
            Order::Save | Order::Restore => Done::Saved,
        };
        if matches!(*order, Order::Lower | Order::Release | Order::Restore) {
            let right = self.undo && self.done == Some(done);
            (self.undo, self.done) = (false, None);
            return u64::from(!right);
        }
        let right = self.at == At::Draining && self.done.is_none();
        self.done = Some(done);
        u64::from(!right)
    }
}
