//! By how much does an op start at another time than recorded, and why?
//!
//! Start = when it could start (issued, and what it waits for has ended) + what held it then, in
//! both worlds. So
//!
//! ```text
//! error = simulated start - recorded start
//!       = (simulated - recorded) time from which it could start     carried
//!       + simulated wait for room - recorded gap                    its own
//! ```
//!
//! The wait for room explains as much of the gap as it is long; the rest of the gap is split by
//! what ran meanwhile (`gaps`). What is carried is what the op before it was off by at its end, or
//! less of it where the arrival is later than that end; then its parts shrink alike. So each error
//! is a sum of [`WaitCause`]s, exactly. Times are ns.

use super::both::Both;
use super::cause::WaitCause;
use super::gaps::Gap;

/// A time of each cause.
pub(super) type Parts = [i64; WaitCause::ALL.len()];

/// By how much one op is off, and why.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct StartError {
    /// Simulated start - recorded start; the sum of `parts`.
    pub(super) start: i64,
    /// How much of it comes from the op before it.
    pub(super) carried: i64,
    pub(super) parts: Parts,
}

/// By how much each op is off; nothing where it never ran.
pub(super) fn all_off(ops: &[Both], gaps: &[Gap]) -> Vec<StartError> {
    let mut all: Vec<StartError> = Vec::with_capacity(ops.len());
    for (op, gap) in ops.iter().zip(gaps) {
        let before = op.after.and_then(|at| Some((&ops[at], all.get(at)?)));
        all.push(off(op, gap, before));
    }
    all
}

fn off(op: &Both, gap: &Gap, before: Option<(&Both, &StartError)>) -> StartError {
    let Some(simulated) = op.simulated else {
        return StartError::default();
    };
    let (mut could, mut could_now, mut parts) = (op.arrival, op.arrival, Parts::default());
    if let Some((before, was)) = before {
        let recorded = before.recorded.end;
        let run = before.simulated.map_or(recorded, |span| span.end);
        could = could.max(recorded);
        could_now = could_now.max(run);
        parts = shrink(at_end(before, was), run - recorded, could_now - could);
    }
    let carried = could_now - could;
    let waited = op.recorded.start - could;
    let room = simulated.start - could_now;
    if waited < 0 {
        add(&mut parts, WaitCause::ClockStep, -waited);
        add(&mut parts, WaitCause::Room, room);
    } else if room >= waited {
        add(&mut parts, WaitCause::Room, room - waited);
    } else if op.launch_known {
        missing(&mut parts, gap, room);
    } else {
        add(&mut parts, WaitCause::AssumedArrival, room - waited);
    }
    StartError { start: simulated.start - op.recorded.start, carried, parts }
}

fn add(parts: &mut Parts, cause: WaitCause, ns: i64) {
    let part = &mut parts[cause as usize];
    *part = part.saturating_add(ns);
}

/// The causes at an op's end: those of its start, and of its duration.
fn at_end(op: &Both, off: &StartError) -> Parts {
    let mut parts = off.parts;
    let Some(span) = op.simulated else {
        return Parts::default();
    };
    let recorded = op.recorded.ns();
    if op.refused {
        add(&mut parts, WaitCause::NotRun, -recorded);
    } else {
        add(&mut parts, WaitCause::Rounding, op.planned - recorded);
        add(&mut parts, WaitCause::Room, span.ns() - op.planned);
    }
    parts
}

/// What is left of a gap when that much of it was spent waiting for room too.
fn missing(parts: &mut Parts, gap: &Gap, room: i64) {
    let held = [
        (WaitCause::OtherKernels, gap.kernels),
        (WaitCause::OwnStream, gap.own),
        (WaitCause::OtherCopies, gap.copies),
        (WaitCause::Launch, gap.idle),
    ];
    let mut room = room;
    for (cause, ns) in held {
        let explained = ns.min(room);
        room -= explained;
        add(parts, cause, explained - ns);
    }
}

/// Parts that add up to `whole`, shrunk alike so that they add up to `wanted`, which has the same
/// sign and is no larger. What division leaves over goes to the largest, the first of equals.
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
