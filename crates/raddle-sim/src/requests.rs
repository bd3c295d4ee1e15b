//! How long did requests take, and for what did the slowest of them wait?
//!
//! A request is one repetition of a profile that began at a time of its own. A request arrives when
//! its repetition begins, so the recorded time before its first launch counts, and has ended when
//! all of its work has. Times are in nanoseconds.

use raddle_policy::Tick;
use serde::{Deserialize, Serialize};

use crate::device_time::TimeSpent;
use crate::figures::percentile;
use crate::histogram::LatencyHistogram;
use crate::interval::{Interval, mean};
use crate::outcome::{Outcome, RequestMarks};
use crate::workload::Workload;

/// The number of slowest requests that results list one by one.
const SLOWEST: usize = 10;

/// The figures of the requests of one process: how many arrived and ended, and how long they took.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub struct RequestSummary {
    /// The number of requests of the process that arrived.
    pub arrived: u64,
    /// The number of requests that arrived and ended; a request ends also where some of its
    /// launches can never run.
    pub ended: u64,
    /// The time in ns at which the last request ended; 0 if none ended.
    #[serde(default)]
    pub last_end_ns: u64,
    /// The number of earlier requests that had not ended when the last request arrived.
    #[serde(default)]
    pub waiting: u64,
    /// The number of first requests that the latencies here leave out, as the device was empty
    /// before them.
    #[serde(default)]
    pub warm_up: u32,
    /// The mean time in ns from the arrival of a request to its end.
    #[serde(default)]
    pub latency_mean_ns: u64,
    /// The median time in ns from the arrival of a request to its end.
    pub latency_p50_ns: u64,
    /// The 95 % confidence interval of the median latency; `None` for fewer than ten requests.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub p50_interval: Option<Interval>,
    /// The 90th percentile, nearest rank, of the time in ns from the arrival of a request to its
    /// end.
    #[serde(default)]
    pub latency_p90_ns: u64,
    /// The 95th percentile, nearest rank, of the time in ns from the arrival of a request to its
    /// end.
    #[serde(default)]
    pub latency_p95_ns: u64,
    /// The 99th percentile, nearest rank, of the time in ns from the arrival of a request to its
    /// end.
    pub latency_p99_ns: u64,
    /// The 95 % confidence interval of the 99th percentile of latency; `None` for fewer than ten
    /// requests.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub p99_interval: Option<Interval>,
    /// The longest time in ns from the arrival of a request to its end.
    pub latency_max_ns: u64,
    /// The 99th percentile of the time from the issue of the first launch of a request to its end,
    /// which leaves out the wait for earlier requests before that; `None` where none ended.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub from_issue: Option<TimeFromIssue>,
    /// The time in ns from arrival to end of one request that runs alone on the device; `None`
    /// where no such run was given.
    pub alone_ns: Option<u64>,
    /// The time in ns from arrival to end of each request, in the order of arrival. The list is not
    /// written to result files.
    #[serde(skip)]
    pub in_order_ns: Vec<u64>,
    /// The histogram of the times in ns from the arrival of a request to its end.
    #[serde(default)]
    pub latencies: LatencyHistogram,
    /// The slowest requests of the process, the slowest first; of equally slow ones the earlier
    /// first.
    #[serde(default)]
    pub slowest: Vec<SlowRequest>,
}

/// The 99th percentile of the time from the issue of the first launch of a request to its end. A
/// recording of a program on a device tells this time, but not when a request arrived.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub struct TimeFromIssue {
    /// The 99th percentile in ns, nearest rank.
    pub p99_ns: u64,
    /// The 95 % confidence interval of `p99_ns`; `None` for fewer than ten requests.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub interval: Option<Interval>,
}

/// One of the slowest requests of a process, with the times that it spent running and waiting.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub struct SlowRequest {
    /// The number of the request in the order of arrival at its process, from 0.
    pub number: u32,
    /// The time in ns at which the request arrived.
    pub arrival_ns: u64,
    /// The time in ns at which the last work of the request ended.
    pub end_ns: u64,
    /// The time in ns from the arrival of the request to its end.
    pub latency_ns: u64,
    /// The latency of the request split by what its time was spent on; the parts add up to
    /// `latency_ns`.
    pub waits: TimeSpent,
}

impl RequestSummary {
    /// Returns the figures of the requests of a process; `None` where its profile is repeated back
    /// to back, so that it has no requests.
    pub(crate) fn new(
        workload: &Workload,
        outcome: &Outcome,
        alone: Option<&Outcome>,
        process: usize,
    ) -> Option<Self> {
        if !workload.processes[process].has_requests() {
            return None;
        }
        let served = served(outcome, process);
        let ended: Vec<Served> = served.iter().copied().flatten().collect();
        let warm_up = outcome.warm_up[process];
        let counted = served.iter().skip(warm_up as usize).copied().flatten();
        let in_order_ns: Vec<u64> = counted.map(|it| it.latency_ns).collect();
        let mut latencies = in_order_ns.clone();
        latencies.sort_unstable();
        let last_arrival = outcome.began[process].iter().max().copied().unwrap_or_default();
        let is_over = |it: &&Option<Served>| it.is_some_and(|it| it.end <= last_arrival);
        let waiting = served.len() - served.iter().filter(is_over).count();
        Some(Self {
            arrived: u64::from(outcome.iterations[process]),
            ended: ended.len() as u64,
            last_end_ns: ended.iter().map(|it| it.end.0).max().unwrap_or(0),
            waiting: waiting.saturating_sub(1) as u64,
            warm_up,
            latency_mean_ns: libm::round(mean(&latencies)) as u64,
            latency_p50_ns: percentile(&latencies, 50),
            p50_interval: Interval::of_percentile(&in_order_ns, 50),
            latency_p90_ns: percentile(&latencies, 90),
            latency_p95_ns: percentile(&latencies, 95),
            latency_p99_ns: percentile(&latencies, 99),
            p99_interval: Interval::of_percentile(&in_order_ns, 99),
            latency_max_ns: latencies.last().copied().unwrap_or(0),
            from_issue: TimeFromIssue::new(&served, &outcome.requests[process], warm_up),
            alone_ns: alone.and_then(Outcome::first_latency_ns),
            in_order_ns,
            latencies: LatencyHistogram::of(&latencies),
            slowest: slowest(&served, &outcome.requests[process]),
        })
    }
}

impl TimeFromIssue {
    /// Returns the percentile of the requests in `served` that have ended, without the first
    /// `warm_up` ones; `None` where there are none, or where the issue of some was not recorded.
    fn new(served: &[Option<Served>], marks: &[RequestMarks], warm_up: u32) -> Option<Self> {
        if marks.len() < served.len() {
            return None;
        }
        let of = |(own, mark): (&Option<Served>, &RequestMarks)| {
            let (end, issued) = (own.as_ref()?.end, mark.issued.0);
            Some(end.0.saturating_sub(issued.0))
        };
        let counted = served.iter().zip(marks).skip(warm_up as usize);
        let in_order: Vec<u64> = counted.filter_map(of).collect();
        let mut sorted = in_order.clone();
        sorted.sort_unstable();
        (!sorted.is_empty()).then(|| Self {
            p99_ns: percentile(&sorted, 99),
            interval: Interval::of_percentile(&in_order, 99),
        })
    }
}

impl Outcome {
    /// Returns the time in ns from arrival to end of the first repetition of the first process;
    /// `None` where it did not end.
    #[must_use]
    pub fn first_latency_ns(&self) -> Option<u64> {
        served(self, 0).first().copied().flatten().map(|served| served.latency_ns)
    }
}

fn slowest(served: &[Option<Served>], marks: &[RequestMarks]) -> Vec<SlowRequest> {
    let ended = (0u32..).zip(served).filter_map(|(number, it)| Some((number, (*it)?)));
    let mut ended: Vec<(u32, Served)> = ended.collect();
    ended.sort_by_key(|(number, it)| (std::cmp::Reverse(it.latency_ns), *number));
    ended.truncate(SLOWEST);
    let told = |(number, it): (u32, Served)| {
        let arrival_ns = it.end.0 - it.latency_ns;
        Some(SlowRequest {
            number,
            arrival_ns,
            end_ns: it.end.0,
            latency_ns: it.latency_ns,
            waits: waits(arrival_ns, it.end.0, marks, number as usize)?,
        })
    };
    ended.into_iter().filter_map(told).collect()
}

/// Returns the time of a request from `arrival` to `end`, split by what it was spent on; the time
/// until all earlier requests had ended counts as waiting for them. `None` where the times of the
/// request were not recorded.
fn waits(arrival: u64, end: u64, marks: &[RequestMarks], number: usize) -> Option<TimeSpent> {
    let own = marks.get(number)?;
    let (_, at_end) = own.ended?;
    let before = marks[..number].iter().filter_map(|mark| mark.ended).max_by_key(|mark| mark.0);
    let before = before.filter(|(ended, _)| ended.0 > arrival);
    let ended = before.map_or(arrival, |(ended, _)| ended.0.min(end));
    let behind_ns = ended - arrival;
    let mut spent = match before {
        Some((ended, _)) if ended.0 >= end => TimeSpent::default(),
        Some((ended, then)) if ended > own.issued.0 => at_end.since(then),
        _ => {
            let mut spent = at_end.since(own.issued.1);
            spent.host_ns += own.issued.0.0.saturating_sub(ended);
            spent
        }
    };
    spent.behind_ns = behind_ns;
    Some(spent)
}

/// A completed repetition of the profile of a process.
#[derive(Clone, Copy)]
pub(crate) struct Served {
    pub(crate) end: Tick,
    /// The time in ns from the arrival of the repetition to its end.
    latency_ns: u64,
}

/// Returns the end and the latency of each repetition of a process; `None` for a repetition that
/// did not end, or of which no launch ran.
pub(crate) fn served(outcome: &Outcome, process: usize) -> Vec<Option<Served>> {
    #[derive(Clone, Copy, Default)]
    struct RequestEnd {
        arrival: Tick,
        end: Option<Tick>,
        left: bool,
    }
    let mut requests: Vec<RequestEnd> = Vec::new();
    let own = outcome.records.iter().filter(|record| usize::from(record.process) == process);
    for record in own {
        let at = record.iteration as usize;
        if at >= requests.len() {
            requests.resize(at + 1, RequestEnd::default());
        }
        let request = &mut requests[at];
        request.arrival = outcome.began[process].get(at).copied().unwrap_or_default();
        request.end = request.end.max(record.ended);
        request.left |= record.ended.is_none() && !record.refused;
    }
    let served = |request: &RequestEnd| {
        let end = request.end.filter(|_| !request.left)?;
        Some(Served { end, latency_ns: end.since(request.arrival).0 })
    };
    requests.iter().map(served).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Checks that the wait for an earlier request counts where requests are timed from their
    /// arrival, and not where they are timed from their issue.
    #[test]
    fn a_queue_before_the_issue_is_left_out() {
        let spent = TimeSpent::default();
        let of = |issued: u64, end: u64| {
            let served = Served { end: Tick(end), latency_ns: end };
            (Some(served), RequestMarks { issued: (Tick(issued), spent), ended: None })
        };
        // Four requests arrive at 0; a host serves one after the other, 10 ns each.
        let all: Vec<_> = (0..4).map(|at| of(at * 10, at * 10 + 10)).collect();
        let (mut served, marks): (Vec<_>, Vec<_>) = all.into_iter().unzip();
        let told = |served: &[Option<Served>], warm_up| {
            TimeFromIssue::new(served, &marks, warm_up).map(|of| (of.p99_ns, of.interval))
        };
        assert_eq!(told(&served, 1), Some((10, None)));
        served[2] = Some(Served { end: Tick(45), latency_ns: 45 });
        assert_eq!(told(&served, 1), Some((25, None)));
        assert_eq!(told(&served, 3), Some((10, None)), "the first three are warm-up");
        assert_eq!(told(&served, 4), None);
        assert_eq!(told(&[None; 4], 0), None, "none has ended");
        let few = TimeFromIssue::new(&served, &marks[..3], 0);
        assert_eq!(few, None, "the issue of the last is not known");
    }
}
