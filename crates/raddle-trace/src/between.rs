//! How long does the host take between two steps or requests, where a profile holds several?
//!
//! A profile of one step does not hold that time: a replay that repeats it would begin the next step at once. The time
//! is known only where the host waits for the device at the end of each repetition.

use crate::profile::Profile;

/// Largest number of equal repetitions into which the ops (launches, copies and fills) of a profile
/// are divided.
const MOST: usize = 1000;

/// Returns, in rising order, the pauses in nanoseconds that the host makes between two repetitions
/// of the work in a profile. A pause lasts from the return of the last wait of one repetition to
/// the first launch of the next. Empty where the profile has only one repetition, or its host does
/// not wait between them.
///
/// Repetitions have the same ops in the same order of issue. Where a profile can be divided in
/// several ways, the one with most repetitions counts.
#[must_use]
pub fn between_repetitions(profile: &Profile) -> Vec<u64> {
    let order = by_arrival(profile);
    for parts in divisions(profile, &order) {
        let period = order.len() / parts;
        let gaps = (1..parts).map(|part| gap(profile, &order, part * period));
        if let Some(mut gaps) = gaps.collect::<Option<Vec<u64>>>() {
            gaps.sort_unstable();
            return gaps;
        }
    }
    Vec::new()
}

/// Returns how often a profile repeats one sequence of ops (steps or requests); 1 where the profile
/// does not repeat any. Where a profile can be divided in several ways, the one with most
/// repetitions counts.
#[must_use]
pub fn repetitions(profile: &Profile) -> usize {
    divisions(profile, &by_arrival(profile)).next().unwrap_or(1)
}

/// Returns the indices of a profile's ops, in the order in which the host issued them.
fn by_arrival(profile: &Profile) -> Vec<usize> {
    let mut order: Vec<usize> = (0..profile.ops.len()).collect();
    order.sort_by_key(|&at| (profile.ops[at].arrival_ns, at));
    order
}

/// Returns the numbers of equal repetitions into which the ops of a profile can be divided, the
/// largest first. `order` has the indices of the ops in the order in which the host issued them.
fn divisions<'p>(profile: &'p Profile, order: &'p [usize]) -> impl Iterator<Item = usize> {
    let all = order.len();
    let alike = move |a: usize, b: usize| {
        let (a, b) = (&profile.ops[order[a]], &profile.ops[order[b]]);
        (a.kernel, a.kind, a.workgroups) == (b.kernel, b.kind, b.workgroups)
    };
    let parts = (2..=all.min(MOST)).rev().filter(move |parts| all.is_multiple_of(*parts));
    parts.filter(move |parts| (all / parts..all).all(|at| alike(at, at - all / parts)))
}

/// Returns the nanoseconds from the host's last return from a wait to its launch of the op
/// `order[next]`; `None` where the host did not wait between that launch and the one before it.
fn gap(profile: &Profile, order: &[usize], next: usize) -> Option<u64> {
    let (before, next) = (&profile.ops[order[next - 1]], &profile.ops[order[next]]);
    let between = before.arrival_ns..=next.arrival_ns;
    let waits = profile.host_waits.iter().filter(|wait| wait.ops.is_some());
    let returned = waits.map(|wait| wait.end_ns).filter(|end| between.contains(end)).max()?;
    Some(next.arrival_ns - returned)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{ImportConfig, read};

    /// Builds a profile with one step for each entry of `pauses`: two kernels, and a wait of the
    /// host if `waits` is true. A pause is the time before the step, in nanoseconds.
    fn profile(pauses: &[u64], waits: bool) -> Profile {
        let mut text = "# device = v100\nname,kind,grid_x,grid_y,grid_z,block_x,block_y,block_z,\
                        vgprs_per_thread,lds_bytes,arrival_ns,start_ns,duration_ns\n"
            .to_owned();
        let mut at = 0;
        for pause in pauses {
            at += pause;
            text += &format!("a,kernel,80,1,1,1024,1,1,32,0,{at},{at},100\n");
            text += &format!("b,kernel,80,1,1,1024,1,1,32,0,{at},{},100\n", at + 100);
            if waits {
                text += &format!("wait,wait,,,,,,,,,{},{},200\n", at + 10, at + 10);
            }
            at += 210;
        }
        read("t.csv", text.as_bytes(), &ImportConfig::default()).expect("a launch table")
    }

    #[test]
    fn a_host_that_waits_between_repetitions_tells_how_long_it_takes() {
        assert_eq!(between_repetitions(&profile(&[0, 40, 30, 50], true)), [30, 40, 50]);
        assert!(between_repetitions(&profile(&[0], true)).is_empty(), "one repetition");
        assert!(between_repetitions(&profile(&[0, 40, 30], false)).is_empty(), "no wait");
    }

    #[test]
    fn repetitions_are_counted_with_and_without_waits() {
        for (pauses, waits) in [(&[0, 40, 30, 50][..], true), (&[0, 40, 30, 50], false)] {
            assert_eq!(repetitions(&profile(pauses, waits)), 4);
        }
        assert_eq!(repetitions(&profile(&[0], true)), 1);
    }
}
