//! By how much does an op start at another time than recorded, and why?
//!
//! Start = the earliest possible start (issued, and the ops that it waits for have ended) + the
//! time that the op was held then, in the recording and in the simulation. So
//!
//! ```text
//! error = simulated start - recorded start
//!       = (simulated - recorded) time from which it could start     carried
//!       + simulated wait for room - recorded gap                    its own
//! ```
//!
//! The wait for room explains as much of the gap as it is long; the rest of the gap is split by the
//! ops that ran meanwhile (`gaps`). The carried error is the error of the op before it at its end,
//! or less of it where the arrival is later than that end; then its parts shrink alike. So each
//! error is a sum of [`WaitCause`]s, exactly. Times are ns.

use super::both::Both;
use super::cause::WaitCause;
use super::gaps::Gap;

/// Time in ns that each cause explains of an error, in the order of [`WaitCause::ALL`].
pub(super) type Parts = [i64; WaitCause::ALL.len()];

/// Error of the start of one op (launch, copy or fill) in the simulation, with its causes, in ns.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct StartError {
    /// Simulated start - recorded start of the op (launch, copy or fill), in ns; the sum of its
    /// causes.
    pub(super) start: i64,
    /// Part of the start error, in ns, that the op (launch, copy or fill) inherits from the ops
    /// that it waits for.
    pub(super) carried: i64,
    pub(super) parts: Parts,
}

/// Returns the error of the start of each op (launch, copy or fill): simulated - recorded, with its
/// causes; 0 where the op never started or ended in the simulation.
pub(super) fn all_off(ops: &[Both], gaps: &[Gap]) -> Vec<StartError> {
    let mut all: Vec<StartError> = Vec::with_capacity(ops.len());
    for (op, gap) in ops.iter().zip(gaps) {
        let found = off(op, gap, ops, &all);
        all.push(found);
    }
    all
}

fn off(op: &Both, gap: &Gap, ops: &[Both], all: &[StartError]) -> StartError {
    let Some(simulated) = op.simulated else {
        return StartError::default();
    };
    let (could, could_now) = (op.could_start(ops), op.could_start_now(ops));
    let carried = could_now - could;
    // The op before that decides: if `op` may start later, the last one to end in the simulation,
    // else the last one in the recording.
    let ends = |before: &Both| if carried > 0 { before.end_now() } else { before.recorded.end };
    let mut parts = Parts::default();
    if let Some((at, before)) = op.before(ops).max_by_key(|(_, before)| ends(before))
        && let Some(was) = all.get(at)
    {
        parts = shrink(at_end(before, was), before.end_now() - before.recorded.end, carried);
    }
    let waited = op.recorded.start - could;
    let room = simulated.start - could_now - op.latency;
    if waited < 0 {
        add(&mut parts, WaitCause::ClockStep, -waited);
        add(&mut parts, WaitCause::Launch, op.latency);
        add(&mut parts, WaitCause::Room, room);
    } else if op.latency >= waited {
        // The latency explains all of the wait, and more.
        add(&mut parts, WaitCause::Launch, op.latency - waited);
        add(&mut parts, WaitCause::Room, room);
    } else if room + op.latency >= waited {
        add(&mut parts, WaitCause::Room, room + op.latency - waited);
    } else if op.launch_known {
        missing(&mut parts, gap, room, op.latency);
    } else {
        add(&mut parts, WaitCause::AssumedArrival, room + op.latency - waited);
    }
    StartError { start: simulated.start - op.recorded.start, carried, parts }
}

fn add(parts: &mut Parts, cause: WaitCause, ns: i64) {
    let part = &mut parts[cause as usize];
    *part = part.saturating_add(ns);
}

/// Returns by how many ns each cause delays the end of an op (launch, copy or fill): the causes of
/// its late start, and those of its longer duration. Negative values mean an earlier end.
fn at_end(op: &Both, off: &StartError) -> Parts {
    let mut parts = off.parts;
    let Some(span) = op.simulated else {
        return Parts::default();
    };
    let recorded = op.recorded.ns();
    if op.refused {
        add(&mut parts, WaitCause::NotRun, -recorded);
    } else {
        add(&mut parts, WaitCause::ClockStep, op.own - recorded);
        add(&mut parts, WaitCause::Rounding, op.planned - op.own);
        add(&mut parts, WaitCause::Room, span.ns() - op.planned);
    }
    parts
}

/// Adds to `parts` how much of the recorded gap before an op (launch, copy or fill) the simulation
/// does not explain, in ns, split by what ran in the gap. The simulation explains `room` ns, for
/// which the op waited for free compute units, and `latency` ns of launch latency.
fn missing(parts: &mut Parts, gap: &Gap, room: i64, latency: i64) {
    let mut held = [
        (WaitCause::OtherKernels, gap.kernels),
        (WaitCause::OwnStream, gap.own),
        (WaitCause::OtherCopies, gap.copies),
        (WaitCause::Launch, gap.idle),
    ];
    let explain = |held: &mut i64, mut by: i64| {
        by = by.min(*held);
        *held -= by;
        by
    };
    let (mut room, mut latency) = (room, latency);
    held.iter_mut().rev().for_each(|(_, ns)| latency -= explain(ns, latency));
    held.iter_mut().for_each(|(_, ns)| room -= explain(ns, room));
    held.into_iter().for_each(|(cause, ns)| add(parts, cause, -ns));
}

/// Scales `parts`, whose sum is `whole`, to the sum `wanted`, which has the same sign and is no
/// larger. The largest part, of equal ones the first, gets what is lost to rounding.
fn shrink(parts: Parts, whole: i64, wanted: i64) -> Parts {
    if wanted == whole {
        return parts;
    }
    if wanted == 0 || whole == 0 {
        return Parts::default();
    }
    let scale = |ns: i64| i128::from(ns) * i128::from(wanted) / i128::from(whole);
    let mut parts = parts.map(|ns| i64::try_from(scale(ns)).unwrap_or(0));
    let left = parts.iter().fold(wanted, |left, &ns| left.saturating_sub(ns));
    let largest = (0..parts.len()).rev().max_by_key(|&at| parts[at].unsigned_abs());
    if let Some(largest) = largest {
        parts[largest] = parts[largest].saturating_add(left);
    }
    parts
}
