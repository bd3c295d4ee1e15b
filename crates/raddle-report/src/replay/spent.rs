//! What did a request spend its time on, as a bar?

use raddle_sim::{SlowRequest, TimeSpent};
use raddle_study::units::duration;

use crate::document::{BarPart, ChartBar};

/// Legend of the bars that divide the time of requests by cause: (index of the colour or pattern,
/// meaning). A cause has the same colour as in the bars of idle time.
const LEGEND: [(usize, &str); 6] = [
    (8, "queued behind earlier requests"),
    (6, "host"),
    (2, "dependency: copies or own work"),
    (1, "turn"),
    (3, "room"),
    (9, "running"),
];

/// Returns the time of a request divided by cause, in the order of [`LEGEND`], in nanoseconds.
fn parts(waits: &TimeSpent) -> [u64; 6] {
    let running = waits.beside_ns.saturating_add(waits.alone_ns);
    [waits.behind_ns, waits.host_ns, waits.dependency_ns, waits.turn_ns, waits.room_ns, running]
}

/// Returns the legend of the bars of these requests, without the causes on which none of them spent
/// time.
pub(super) fn legend<'w>(
    requests: impl Iterator<Item = &'w SlowRequest> + Clone,
) -> Vec<(usize, &'static str)> {
    let seen = |at: &usize| requests.clone().any(|slow| parts(&slow.waits)[*at] > 0);
    (0..LEGEND.len()).filter(seen).map(|at| LEGEND[at]).collect()
}

/// Draws the time of a request as a bar divided by cause; `full_ns` nanoseconds fill the whole
/// width.
pub(super) fn bar(name: String, note: String, slow: &SlowRequest, full_ns: u64) -> ChartBar {
    let part = |((look, _), ns): ((usize, &str), u64)| BarPart {
        look,
        share: ns as f64 / full_ns.max(1) as f64,
        text: duration(ns),
    };
    let parts = LEGEND.into_iter().zip(parts(&slow.waits)).map(part).collect();
    ChartBar { name, note, parts }
}
