//! Which launch goes first, if the one that is nearly done should be out of the way?
//!
//! An allocation policy written outside raddle: it depends on `raddle-policy` alone.
#![forbid(unsafe_code)]
#![warn(missing_docs)]

use std::cmp::Reverse;

use raddle_policy::{Allocate, Answer, CuId, Cus, Demand, ReadyLaunch, ReadyView, Round, Tick};

/// Shortest job first: the launch with the fewest workgroups left starts one on the compute unit
/// with most room for it. One that does not fit lets the next smallest pass.
///
/// Ties go to the launch submitted first and to the lowest compute unit. Levels play no part.
///
/// ```
/// use outside_policy::SmallestFirst;
/// use raddle_testkit::{Scenario, render};
///
/// let table = render(&mut SmallestFirst, &Scenario::example())?;
/// // k0 has six workgroups, k1 three: k1 goes first, on one compute unit after the other.
/// assert_eq!(table.lines().nth(1), Some("   0  k1      start    w0@cu0"));
/// assert_eq!(table.lines().nth(2), Some("   0  k1      start    w1@cu1"));
/// # Ok::<(), raddle_testkit::Breach>(())
/// ```
#[derive(Clone, Copy, Debug, Default)]
pub struct SmallestFirst;

/// The compute unit on which most workgroups of this kind still fit, the lowest of several.
fn roomiest(cus: &Cus, demand: &Demand) -> Option<CuId> {
    let fits = cus.ids().filter(|&cu| cus.room(cu, demand) > 0);
    // Of several minima the first wins.
    fits.min_by_key(|&cu| Reverse(cus.room(cu, demand)))
}

impl Allocate for SmallestFirst {
    fn allocate(&mut self, ready: &ReadyView<'_>, _now: Tick, round: &mut Round) -> Answer {
        let waiting = ready.launches.iter().filter(|entry| entry.undistributed() > 0);
        let mut queue: Vec<&ReadyLaunch> = waiting.collect();
        // A stable sort: equals keep the order of their submission.
        queue.sort_by_key(|entry| entry.undistributed());
        for entry in queue {
            if let Some(cu) = roomiest(ready.cus, &entry.launch.demand) {
                return round.start_one(entry, cu);
            }
            round.refuse(ready.cus.refusal(CuId(0), &entry.launch));
        }
        Answer::WAIT
    }
}
