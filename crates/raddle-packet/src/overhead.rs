//! How much time does launching take besides the kernels themselves?
//!
//! The formulas are those of seed 002, figures 5 and 7. Times are in any one unit; sums saturate.

/// Parts of the time that a launch takes besides the run time of its kernel, in any one unit of
/// time (seed 002, a patent).
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Overhead {
    /// Time in which a packet is written and its queue is notified, in the caller's unit of time; E
    /// in seed 002, a patent.
    pub(crate) enqueue: u64,
    /// Time in which a packet is read, in the caller's unit of time; P in seed 002, a patent.
    pub(crate) processing: u64,
    /// Time in which one kernel of a condensed packet is decoded, in the caller's unit of time. It
    /// comes on top of `processing`.
    pub(crate) decode: u64,
    /// Time in which a kernel is passed to the compute units, in the caller's unit of time; S in
    /// seed 002, a patent.
    pub(crate) schedule: u64,
    /// Time of the work at the end of a kernel (signals and fences), in the caller's unit of time;
    /// C in seed 002, a patent.
    pub(crate) cleanup: u64,
}

impl Overhead {
    /// Sets the time in which a packet is written and its queue is notified, in the caller's unit
    /// of time; E in seed 002, a patent.
    #[must_use]
    pub const fn with_enqueue(mut self, enqueue: u64) -> Self {
        self.enqueue = enqueue;
        self
    }

    /// Sets the time in which a packet is read, in the caller's unit of time; P in seed 002, a
    /// patent.
    #[must_use]
    pub const fn with_processing(mut self, processing: u64) -> Self {
        self.processing = processing;
        self
    }

    /// Sets the time in which one kernel of a condensed packet is decoded, in the caller's unit of
    /// time. It comes on top of `processing`.
    #[must_use]
    pub const fn with_decode(mut self, decode: u64) -> Self {
        self.decode = decode;
        self
    }

    /// Sets the time in which a kernel is passed to the compute units, in the caller's unit of
    /// time; S in seed 002, a patent.
    #[must_use]
    pub const fn with_schedule(mut self, schedule: u64) -> Self {
        self.schedule = schedule;
        self
    }

    /// Sets the time of the work at the end of a kernel (signals and fences), in the caller's unit
    /// of time; C in seed 002, a patent.
    #[must_use]
    pub const fn with_cleanup(mut self, cleanup: u64) -> Self {
        self.cleanup = cleanup;
        self
    }
}

impl Overhead {
    /// Returns the total time if every kernel has a packet of its own (figure 5 of seed 002, a
    /// patent). `runs` are the run times of the kernels, in the caller's unit of time.
    #[must_use]
    pub fn ordinary(&self, runs: &[u64]) -> u64 {
        let each = [self.enqueue, self.processing, self.schedule, self.cleanup];
        let each = each.iter().fold(0, |sum: u64, part| sum.saturating_add(*part));
        sum(runs).saturating_add(each.saturating_mul(runs.len() as u64))
    }

    /// Returns the total time if all kernels share one condensed packet (figure 7 of seed 002, a
    /// patent). `runs` are the run times of the kernels, in the caller's unit of time. The packet
    /// has one cleanup at its end, and `own` kernels before the last have a further one each.
    /// Without kernels the time is 0.
    #[must_use]
    pub fn condensed(&self, runs: &[u64], own: u64) -> u64 {
        let kernels = runs.len() as u64;
        if kernels == 0 {
            return 0;
        }
        let once = self.enqueue.saturating_add(self.processing);
        let each = self.decode.saturating_add(self.schedule).saturating_mul(kernels);
        let cleanups = self.cleanup.saturating_mul(1 + own.min(kernels - 1));
        sum(runs).saturating_add(once).saturating_add(each).saturating_add(cleanups)
    }
}

fn sum(runs: &[u64]) -> u64 {
    runs.iter().fold(0, |sum, run| sum.saturating_add(*run))
}
