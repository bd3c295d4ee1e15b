//! What limits the work where every process takes the same time under all recipes?

use super::either::if_queued;
use super::words::{percent, time};
use super::{JudgedBy, JudgedProcess, PolicyFigures};

/// Fraction of time for which a device must be idle before the verdict names a cause: a slow host,
/// where no work had been issued, or copies, where work waited for them.
const SLOW_HOST: f64 = 0.2;

/// Ratio above which the verdict warns of the baseline recipe: the longest possible time of a
/// process under it, over the longest possible time under another recipe. 1.1 means a tenth longer.
const DEARER: f64 = 1.1;

/// Slowdown from which on requests count as queueing behind each other: their 99th percentile over
/// the time of one request alone. Random arrivals at half of the rate that a device can serve are
/// slowed down that much.
const QUEUEING: f64 = 3.3;

/// Returns (name of the process whose requests queue behind each other most, the ratio of their
/// 99th percentile to the time of one request alone). `None` where no requests queue, or where they
/// may wait for a process without requests instead.
fn queueing(figures: &PolicyFigures) -> Option<(&str, f64)> {
    if figures.processes.iter().any(|it| it.judged != JudgedBy::Requests) {
        return None;
    }
    let of = |(at, process): (usize, &JudgedProcess)| {
        let slowdown = figures.slowdown(figures.baseline, at)?;
        let queues = process.judged == JudgedBy::Requests && slowdown >= QUEUEING;
        queues.then_some((at, slowdown))
    };
    let all = figures.processes.iter().enumerate().filter_map(of);
    let (at, slowdown) = all.max_by(|(_, one), (_, other)| one.total_cmp(other))?;
    Some((&figures.processes[at].name, slowdown))
}

/// Writes the verdict that no way of sharing changes anything: what limits the work instead, and in
/// which cases a way may make a difference after all.
pub(super) fn no_effect(figures: &PolicyFigures) -> String {
    let more = [if_queued(figures), if_dearer(figures)].into_iter().flatten();
    limited(figures) + &more.collect::<String>()
}

/// Writes the verdict that no way of sharing changes anything, and what limits the work instead.
/// Where a file does not say when work was issued, the text says that the cause of idle time is
/// assumed.
fn limited(figures: &PolicyFigures) -> String {
    let row = &figures.rows[figures.baseline];
    let rows = figures.rows.len();
    if figures.processes.iter().any(|it| it.times_apart) {
        return format!(
            "Under all {rows} policies every process takes the same time to within 1 %."
        );
    }
    let idle = percent(row.idle);
    let served = |it: &JudgedProcess| it.judged == JudgedBy::Requests;
    let told = if let Some((process, slowdown)) = queueing(figures) {
        format!(
            "requests of {process} queue behind each other (their p99 is {slowdown:.1} times that of one alone), whatever the policy, and the GPU is idle {idle} of the time. Fewer requests a second, several at once in a batch, or faster ones will."
        )
    } else if row.idle_host >= SLOW_HOST && figures.processes.iter().all(served) {
        format!(
            "the GPU is idle {idle} of the time, mostly as no request is there. It has room for more load, or for another process."
        )
    } else if let Some(process) = figures.processes.iter().find(|it| it.idle_issued > 0.5)
        && row.idle_host >= SLOW_HOST
    {
        format!(
            "the GPU is idle {idle} of the time. In the recording of {} it was mostly so while work was issued and had not begun: calls that launch for long, such as the first ones, or waits of streams (`raddle inspect` shows where).",
            process.name
        )
    } else if row.idle_host >= SLOW_HOST {
        format!(
            "the host is too slow, the GPU is idle {idle} of the time. CUDA graphs, larger batches or {} process will.",
            if figures.processes.len() > 1 { "one more" } else { "a second" }
        )
    } else if row.idle_copies >= SLOW_HOST {
        format!(
            "work waits for copies, the GPU is idle {idle} of the time. Fewer or pinned copies, or copies beside kernels, will."
        )
    } else {
        format!(
            "under all {rows} policies every process takes the same time to within 1 %. The GPU is idle {idle} of the time."
        )
    };
    match figures.gaps_told() {
        None => format!("Scheduling will not help: {told}"),
        Some(gaps) => format!(
            "Scheduling will not help (assumed): {told} The {gaps}: record the launches too."
        ),
    }
}

/// Warns of a process whose longest possible time under the baseline recipe is at least a tenth
/// longer than under another recipe; `None` where there is none. The longest possible times allow
/// for what is unknown of contention and time slices.
fn if_dearer(figures: &PolicyFigures) -> Option<String> {
    let base = figures.baseline;
    let most = |row: usize, at: usize| figures.rows[row].processes[at].most_ns();
    let others =
        || (0..figures.rows.len()).filter(|&row| row != base && figures.rows[row].complete);
    let dearer = (0..figures.processes.len()).filter_map(|at| {
        let own = most(base, at)?;
        let (ns, other) = others().filter_map(|row| Some((most(row, at)?, row))).min()?;
        (own as f64 > ns as f64 * DEARER).then_some((own as f64 / ns as f64, at, own, other))
    });
    let (_, at, own, other) = dearer.max_by(|one, other| one.0.total_cmp(&other.0))?;
    let JudgedProcess { name, judged, .. } = &figures.processes[at];
    let ns = most(other, at)?;
    let [base, other] = [base, other].map(|row| &figures.rows[row].recipe);
    Some(format!(
        " By what is unknown of turns and neighbours, {name} {} may take up to {} under {base}, {} under {other}.",
        judged.word(),
        time(own),
        time(ns)
    ))
}
