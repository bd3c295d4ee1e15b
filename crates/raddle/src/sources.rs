//! What should a reader of results know of each profile that was replayed?
//!
//! Shares are of 0 to 1; times are nanoseconds. Nothing here comes from a file's metadata: names of
//! profiles are file names, and the rest are figures.

use raddle_policy::Barrier;
use raddle_trace::{Field, Op, OpKind, Origin, Profile};
use serde::Serialize;

use crate::arrivals;
use crate::devices::Told;
use crate::profiles::Loaded;
use crate::units::share;

/// One profile.
#[derive(Debug, Serialize)]
#[serde(rename_all = "kebab-case")]
pub(crate) struct Source {
    pub(crate) name: String,
    pub(crate) format: &'static str,
    /// The device whose figures turn launch durations into workgroup durations.
    pub(crate) device: Told,
    /// Whether that is the device replayed on.
    pub(crate) at_home: bool,
    pub(crate) events: u64,
    pub(crate) kernels: u64,
    pub(crate) copies: u64,
    pub(crate) sets: u64,
    pub(crate) workgroups: u64,
    pub(crate) streams: usize,
    /// Summed over kernel launches.
    pub(crate) kernel_ns: u64,
    pub(crate) span_ns: u64,
    pub(crate) resolution_ns: u64,
    pub(crate) start_ns: u64,
    pub(crate) share: u32,
    /// Where the arrival times of kernels come from: shares of the launches.
    pub(crate) arrivals: Arrivals,
    /// The share of kernel time that lies in launches whose barriers are assumed.
    pub(crate) barrier_assumed: f64,
    /// The share of kernel time that lies in launches whose activity is assumed by their names.
    pub(crate) activity_assumed: f64,
    /// The share of kernel time during which another kernel ran: there, workgroup times are upper
    /// bounds.
    pub(crate) overlapped: f64,
    /// Communication kernels; absent where there are none.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) communication: Option<Communication>,
    /// The requests that run it, if any do.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) requests: Option<arrivals::Told>,
    /// What was met in the file.
    pub(crate) quirks: Vec<QuirkMet>,
}

/// Communication kernels of a profile: how many, and their share of kernel time.
#[derive(Clone, Copy, Debug, Serialize)]
#[serde(rename_all = "kebab-case")]
pub(crate) struct Communication {
    pub(crate) launches: u64,
    /// As recorded.
    pub(crate) recorded: f64,
    /// As replayed, of the kernel time as recorded.
    pub(crate) replayed: f64,
}

impl Communication {
    fn of(found: raddle_trace::Communication) -> Option<Self> {
        let of = |part: u64| share(u128::from(part), u128::from(found.kernel_ns));
        (found.launches > 0).then(|| Self {
            launches: found.launches,
            recorded: of(found.recorded_ns),
            replayed: of(found.replayed_ns),
        })
    }
}

/// Shares of the kernel launches, by origin of their arrival.
#[derive(Clone, Copy, Debug, Serialize)]
pub(crate) struct Arrivals {
    pub(crate) measured: f64,
    pub(crate) joined: f64,
    pub(crate) assumed: f64,
}

/// Something in a file that a reader should know.
#[derive(Debug, Serialize)]
pub(crate) struct QuirkMet {
    pub(crate) name: &'static str,
    pub(crate) count: u64,
    pub(crate) explanation: &'static str,
}

impl Source {
    pub(crate) fn new(loaded: &Loaded, device: Told, at_home: bool) -> Self {
        let profile = &loaded.profile;
        let report = &profile.report;
        let quirks = report.quirks().map(|(quirk, count)| QuirkMet {
            name: quirk.name(),
            count,
            explanation: quirk.explanation(),
        });
        let kernels: Vec<&Op> = kernels(profile).collect();
        let assumed = |op: &&&Op| op.footprint.barrier == Barrier::Assumed;
        let named = |op: &&&Op| op.provenance.of(Field::Activity) == Origin::Assumed;
        let kernel_ns = time(kernels.iter().copied());
        let (overlapped, sum) = overlap(&kernels);
        Self {
            name: loaded.name.clone(),
            format: profile.format.name(),
            device,
            at_home,
            events: report.events,
            kernels: report.kernels,
            copies: report.copies,
            sets: report.sets,
            workgroups: kernels.iter().fold(0, |sum, op| op.workgroups.saturating_add(sum)),
            streams: profile.streams.len(),
            kernel_ns: u64::try_from(kernel_ns).unwrap_or(u64::MAX),
            span_ns: profile.span_ns,
            resolution_ns: profile.resolution_ns,
            start_ns: loaded.start_ns,
            share: loaded.share,
            arrivals: Arrivals::of(&kernels),
            barrier_assumed: share(time(kernels.iter().filter(assumed).copied()), kernel_ns),
            activity_assumed: share(time(kernels.iter().filter(named).copied()), kernel_ns),
            overlapped: share(overlapped, sum),
            communication: Communication::of(loaded.communication),
            requests: loaded.requests.as_ref().map(|requests| requests.told.clone()),
            quirks: quirks.collect(),
        }
    }
}

fn kernels(profile: &Profile) -> impl Iterator<Item = &Op> {
    profile.ops.iter().filter(|op| op.kind == OpKind::Kernel)
}

fn time<'o>(ops: impl Iterator<Item = &'o Op>) -> u128 {
    ops.map(|op| u128::from(op.duration_ns)).sum()
}

impl Arrivals {
    fn of(kernels: &[&Op]) -> Self {
        let of = |origin| {
            let from = |op: &&&Op| op.provenance.of(Field::Arrival) == origin;
            share(kernels.iter().filter(from).count() as u128, kernels.len() as u128)
        };
        Self {
            measured: of(Origin::Measured),
            joined: of(Origin::Joined),
            assumed: of(Origin::Assumed),
        }
    }
}

/// Kernel time during which another kernel ran, and all kernel time.
fn overlap(kernels: &[&Op]) -> (u128, u128) {
    let mut edges: Vec<(u64, i64)> = Vec::with_capacity(2 * kernels.len());
    for op in kernels {
        edges.push((op.start_ns, 1));
        edges.push((op.end_ns(), -1));
    }
    // At one instant, ends before starts: touching is no overlap.
    edges.sort_unstable();
    let (mut running, mut since) = (0_i64, 0_u64);
    let (mut overlapped, mut all) = (0_u128, 0_u128);
    for (at, change) in edges {
        // Starts come before their ends, so there are never fewer than none.
        let spent = u128::from(at - since) * u128::from(running.unsigned_abs());
        all += spent;
        if running > 1 {
            overlapped += spent;
        }
        running += change;
        since = at;
    }
    (overlapped, all)
}

#[cfg(test)]
mod tests {
    use raddle_trace::{ImportOptions, read};

    use super::*;

    fn shares(rows: &[(u64, u64)]) -> (u128, u128) {
        let mut text =
            "name,grid_x,grid_y,grid_z,block_x,block_y,block_z,start_ns,duration_ns\n".to_owned();
        for (start, duration) in rows {
            text += &format!("k,1,1,1,32,1,1,{start},{duration}\n");
        }
        let profile = read("t.csv", text.as_bytes(), &ImportOptions::default()).unwrap();
        let kernels: Vec<&Op> = kernels(&profile).collect();
        overlap(&kernels)
    }

    #[test]
    fn quirk_21_only_time_shared_with_another_kernel_counts() {
        assert_eq!(shares(&[(0, 10), (10, 10)]), (0, 20));
        assert_eq!(shares(&[(0, 10), (5, 10)]), (10, 20));
        assert_eq!(shares(&[(0, 100), (10, 10), (15, 10)]), (15 + 20, 120));
        assert_eq!(shares(&[(0, 10), (0, 10)]), (20, 20));
    }
}
