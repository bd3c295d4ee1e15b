//! What ran on the device while an op could have started and had not yet?
//!
//! The ops are read in one pass over starts and ends in order of time. The time during which
//! kernels ran, or else copies, is summed up for the device; each stream sums up how much of it was
//! its own. The time in a gap is the difference of these sums at its end and its begin, so the cost
//! is O(n log n) for any number of streams.

use super::both::Both;

/// Time from when an op (launch, copy or fill) could have started to when it did in the recording,
/// in ns, split by what ran meanwhile.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct Gap {
    /// Part of the gap, in ns, in which another op (launch, copy or fill) of the same stream ran,
    /// for which this op need not wait.
    pub(super) own: i64,
    /// Part of the gap, in ns, in which a kernel of another stream ran, and no launch, copy or fill
    /// of the same stream.
    pub(super) kernels: i64,
    /// Part of the gap, in ns, in which a copy or fill of another stream ran, but no kernel and no
    /// op of the same stream.
    pub(super) copies: i64,
    /// Part of the gap, in ns, in which the device ran no kernel, copy or fill.
    pub(super) idle: i64,
}

impl Gap {
    /// Returns whether no kernel, copy or fill ran in the gap; true also for an empty gap.
    pub(super) const fn is_idle(&self) -> bool {
        self.own == 0 && self.kernels == 0 && self.copies == 0
    }
}

/// Kind of an event in a sweep over time spans in order of time. At the same instant, ends are
/// processed before starts, so that spans that only touch do not overlap.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
enum Edge {
    End,
    CouldStart,
    Start,
}

/// Sums of time since time 0, in ns, as one stream needs them: time with kernels on the device,
/// with copies but no kernels, and with neither. `own_kernels` and `own_copies` are the parts of
/// the first two in which the stream itself ran an op (launch, copy or fill).
#[derive(Clone, Copy, Debug, Default)]
struct Reading {
    kernels: i64,
    copies: i64,
    idle: i64,
    own_kernels: i64,
    own_copies: i64,
}

/// Times in which one stream ran an op (launch, copy or fill), in ns, separately for when kernels
/// were on the device and when only copies were.
#[derive(Clone, Copy, Debug, Default)]
struct StreamSums {
    running: u64,
    /// (time with kernels on the device, time with copies only) since time 0, in ns, at the moment
    /// when the stream last began to run an op.
    since: (i64, i64),
    own_kernels: i64,
    own_copies: i64,
}

#[derive(Debug, Default)]
struct Clock {
    at: i64,
    kernels_running: u64,
    copies_running: u64,
    kernels: i64,
    copies: i64,
    idle: i64,
    lanes: Vec<StreamSums>,
}

/// Returns for each op (launch, copy or fill) the gap between its earliest possible start and its
/// start in the recording; the gap is empty where the op started at once.
pub(super) fn gaps(ops: &[Both]) -> Vec<Gap> {
    let mut edges = Vec::with_capacity(3 * ops.len());
    for (position, op) in ops.iter().enumerate() {
        edges.push((op.recorded.start, Edge::Start, position));
        edges.push((op.recorded.end, Edge::End, position));
        let could = op.could_start(ops);
        if could < op.recorded.start {
            edges.push((could, Edge::CouldStart, position));
        }
    }
    edges.sort_unstable();
    let streams = ops.iter().map(|op| op.stream as usize + 1).max().unwrap_or(0);
    let mut clock = Clock { lanes: vec![StreamSums::default(); streams], ..Clock::default() };
    let mut began: Vec<Option<Reading>> = vec![None; ops.len()];
    let mut gaps = vec![Gap::default(); ops.len()];
    for (at, edge, position) in edges {
        let op = &ops[position];
        clock.advance(at);
        match edge {
            Edge::CouldStart => began[position] = Some(clock.read(op.stream)),
            Edge::Start => {
                if let Some(began) = began[position] {
                    gaps[position] = between(&began, &clock.read(op.stream));
                }
                clock.start(op);
            }
            Edge::End => clock.end(op),
        }
    }
    gaps
}

fn between(from: &Reading, to: &Reading) -> Gap {
    let own_kernels = to.own_kernels - from.own_kernels;
    let own_copies = to.own_copies - from.own_copies;
    Gap {
        own: own_kernels + own_copies,
        kernels: to.kernels - from.kernels - own_kernels,
        copies: to.copies - from.copies - own_copies,
        idle: to.idle - from.idle,
    }
}

impl Clock {
    fn advance(&mut self, to: i64) {
        let spent = to - self.at;
        self.at = to;
        if self.kernels_running > 0 {
            self.kernels += spent;
        } else if self.copies_running > 0 {
            self.copies += spent;
        } else {
            self.idle += spent;
        }
    }

    fn read(&self, stream: u32) -> Reading {
        let lane = self.lanes[stream as usize];
        let (mut own_kernels, mut own_copies) = (lane.own_kernels, lane.own_copies);
        if lane.running > 0 {
            own_kernels += self.kernels - lane.since.0;
            own_copies += self.copies - lane.since.1;
        }
        let Self { kernels, copies, idle, .. } = *self;
        Reading { kernels, copies, idle, own_kernels, own_copies }
    }

    fn start(&mut self, op: &Both) {
        let since = (self.kernels, self.copies);
        let lane = &mut self.lanes[op.stream as usize];
        if lane.running == 0 {
            lane.since = since;
        }
        lane.running += 1;
        let running = if op.kernel { &mut self.kernels_running } else { &mut self.copies_running };
        *running += 1;
    }

    fn end(&mut self, op: &Both) {
        let now = self.read(op.stream);
        let lane = &mut self.lanes[op.stream as usize];
        lane.running = lane.running.saturating_sub(1);
        if lane.running == 0 {
            (lane.own_kernels, lane.own_copies) = (now.own_kernels, now.own_copies);
        }
        let running = if op.kernel { &mut self.kernels_running } else { &mut self.copies_running };
        *running = running.saturating_sub(1);
    }
}
