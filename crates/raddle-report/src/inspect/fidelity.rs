//! How is the agreement of a replay with its recording shown to a person?

use raddle_sim::HalvesFit;
use raddle_study::fidelity::{BusyTime, Fidelity, ModelError, Waits};
use raddle_study::inspect::SelfReplayed;
use raddle_study::units::{count, counted, duration, percent};

use crate::document::{Column, Document, Table};

/// Fraction of the recorded busy time in which kernels overlap, up to which the busy time of a
/// replay proves nothing: kernels that run one after the other have the recorded busy time under
/// any model.
const MUCH_OVERLAP: f64 = 0.01;

/// Adds to a document how well the replay of a profile agrees with its recording.
pub(super) fn fill(document: &mut Document, replayed: &SelfReplayed) {
    let fidelity = &replayed.after;
    document.paragraph("Self-replay", head(fidelity));
    document.paragraph("Model", model(replayed));
    match &fidelity.waits {
        Some(waits) => {
            document.paragraph("Waits", waits_text(waits));
            if waits.error_ns > 0 {
                document.table(wait_causes(waits));
                document.paragraph("Causes", wait_causes_note(waits));
            }
        }
        None => {
            document.paragraph("Waits", "no launch was recorded, so there is nothing to compare")
        }
    }
    document.paragraph("Busy", busy_text(&fidelity.busy));
    document.table(busy_causes(&fidelity.busy));
    document.paragraph("Order", order(fidelity));
    document.paragraph("Makespan", makespan(fidelity));
}

fn head(fidelity: &Fidelity) -> String {
    let mut text = format!(
        "alone on its own device under leftover (everyone, ordinary, never), against the \
         recording; {} of {} ran",
        count(fidelity.ran),
        counted(fidelity.kernels, "kernel", "kernels"),
    );
    if fidelity.assumed_durations > 0 {
        text += &format!(
            "; {} shorter than a step of the clock last half a step on both sides",
            count(fidelity.assumed_durations)
        );
    }
    text
}

fn model(replayed: &SelfReplayed) -> String {
    let SelfReplayed { before, after, latency, stream_waits: [recorded, inferred], .. } = replayed;
    let mut text = format!(
        "{}; before: {before}. It learned from the recording: where kernels ran side by side, rounds over the compute units that were left free; {} between streams, the source of {} inferred; launch latency, {} from launch to start and {} from one op to the next",
        ModelError::of(after),
        counted(recorded + inferred, "wait", "waits"),
        count(*inferred),
        duration(latency.launch_ns),
        duration(latency.handover_ns),
    );
    if let Some(HalvesFit { kernels, own, first }) = replayed.halves {
        text += &format!(
            ". Out of sample: fitted to the first half, {} of the {} of the second are within the goal, {} by their own fit (room left out)",
            percent(first),
            counted(kernels, "kernel", "kernels"),
            percent(own),
        );
    }
    if let Some(own) = replayed.in_sample {
        text += &format!(
            ". The latency is that of the file of --fit-from; by the fit to this one {} of waits are within the goal",
            percent(own)
        );
    }
    text
}

fn waits_text(waits: &Waits) -> String {
    let mut text = format!(
        "from launch to start, {}: recorded p50 {}, p95 {}; simulated off by p50 {} ({} of the \
         recorded), p95 {} ({}); {} start earlier, {} later. ",
        counted(waits.kernels, "kernel", "kernels"),
        duration(waits.recorded_p50_ns),
        duration(waits.recorded_p95_ns),
        duration(waits.error_p50_ns),
        percent(waits.relative_p50),
        duration(waits.error_p95_ns),
        percent(waits.relative_p95),
        count(waits.early),
        count(waits.late),
    );
    if waits.left_out > 0 {
        let left_out = counted(waits.left_out, "kernel", "kernels");
        text += &format!("{left_out} without a recorded launch left out. ");
    }
    if waits.zero_waits > 0 {
        let zero = counted(waits.zero_waits, "recorded wait", "recorded waits");
        text += &format!("{zero} of 0 have no relative error. ");
    }
    let kept = if waits.keep_goal() { "kept" } else { "missed" };
    text += &format!(
        "Goal, half of them off by at most 2 us + 5%: {kept}, {} of them are",
        percent(waits.within)
    );
    if waits.short > 0 && waits.short < waits.kernels {
        text += &format!(
            ", and {} of the {} that waited less than 100 us",
            percent(waits.short_within),
            count(waits.short)
        );
    }
    text
}

/// Makes a table of the causes by which a replay differs from its recording, one row for each
/// (name, time in ns, percentage of all errors or of the busy time, explanation), if not 0 ns.
fn causes<'c>(
    label: &str,
    titles: [&str; 4],
    parts: impl Iterator<Item = (&'c str, i64, String, &'c str)>,
) -> Table {
    let [name, time, of, why] = titles;
    let columns = [Column::text(name), Column::figure(time), Column::figure(of), Column::text(why)];
    let mut table = Table::new(label, columns);
    for (name, ns, of, why) in parts.filter(|part| part.1 != 0) {
        table.row([name, &signed(ns), &of, why]);
    }
    table
}

fn wait_causes(waits: &Waits) -> Table {
    let titles = ["error by", "time", "share", "what held the recorded start"];
    let parts = waits.causes.iter();
    let parts = parts.map(|p| (p.cause, p.ns, percent(p.share), p.explanation));
    causes("Errors of waits", titles, parts)
}

fn wait_causes_note(waits: &Waits) -> String {
    let mut text = format!(
        "they add up to the errors of all these kernels, {}; {} of it a kernel has from the op that \
         it waits for, under the cause that it had there; what each adds: p50 {}, p95 {}",
        duration(waits.error_ns),
        percent(waits.carried),
        duration(waits.own_error_p50_ns),
        duration(waits.own_error_p95_ns),
    );
    let latencies = [
        (waits.launches, waits.launch_p50_ns, "from launch to start in an idle stream"),
        (waits.handovers, waits.handover_p50_ns, "from the end of an op to the next in its queue"),
    ];
    for (kernels, p50, what) in latencies.into_iter().filter(|(kernels, ..)| *kernels > 0) {
        text += &format!(
            "; recorded {what}, while nothing else ran: p50 {} ({})",
            duration(p50),
            counted(kernels, "kernel", "kernels")
        );
    }
    text
}

fn busy_text(busy: &BusyTime) -> String {
    let kept = if busy.keeps_goal() { "kept" } else { "missed" };
    let overlap = match busy.overlap {
        overlap if overlap > MUCH_OVERLAP => {
            format!("recorded kernels overlap for {}", percent(overlap))
        }
        _ => "recorded kernels overlap for 1% or less, so it agrees whatever the model".to_owned(),
    };
    format!(
        "recorded {}, simulated {}, {}; {overlap}. Goal, at most 5% off: {kept}",
        duration(busy.recorded_ns),
        duration(busy.simulated_ns),
        points(busy.difference),
    )
}

fn busy_causes(busy: &BusyTime) -> Table {
    let titles = ["changed by", "time", "of busy", "why"];
    let parts = busy.causes.iter();
    let parts = parts.map(|p| (p.cause, p.ns, points(p.share), p.explanation));
    causes("Changes of busy time", titles, parts)
}

fn order(fidelity: &Fidelity) -> String {
    let order = &fidelity.order;
    format!(
        "{} of {} by recorded start begin in the other order ({}), {} of them in one stream",
        count(order.inverted),
        counted(order.pairs, "pair of neighbours", "pairs of neighbours"),
        percent(order.share),
        count(order.inverted_in_stream),
    )
}

fn makespan(fidelity: &Fidelity) -> String {
    format!(
        "recorded {}, simulated {}, which proves nothing: in an open loop it follows the recorded \
         launches",
        duration(fidelity.recorded_makespan_ns),
        duration(fidelity.simulated_makespan_ns),
    )
}

fn signed(ns: i64) -> String {
    let sign = if ns < 0 { "-" } else { "" };
    format!("{sign}{}", duration(ns.unsigned_abs()))
}

/// Writes a change, given as a fraction, as percent with a sign and two decimals, as small changes
/// matter here.
fn points(share: f64) -> String {
    if share == 0.0 { "0.00%".to_owned() } else { format!("{:+.2}%", share * 100.0) }
}
