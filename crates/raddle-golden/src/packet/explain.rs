//! What do the bytes of packets say, and what is launched by them (seed 002)?
//!
//! Each packet is drawn with its fields and half-words. Steps have the numbers of the seed's figures
//! 3 and 6.

use crate::Explained;
use raddle_packet::{
    AQL_BYTES, AqlFormat, AqlPacket, Condensed, CondensedKernel, Diff, HALF_WORDS, LaunchImage,
    PacketView, ReferenceTable,
};
use serde_json::Value;

use super::{AskedPackets, answer_of, condensed, decode, hex, question};
use crate::explanation::{ExplainedStep, counted, few, step};
use crate::fault::Fault;

/// The most steps that are shown.
const MOST_STEPS: usize = 40;

pub(super) fn explain(value: &Value) -> Result<Explained, Fault> {
    let question = question(value)?;
    let format = &question.format;
    let mut steps = match &question.asked {
        AskedPackets::One(packet) => vec![drawn(format, "302: the packet", packet)],
        AskedPackets::Condensed(kernels) => encoding(format, kernels)?,
        AskedPackets::Decode { packets, table } => decoding(format, packets, table)?,
    };
    if steps.len() > MOST_STEPS {
        let more = counted((steps.len() - MOST_STEPS) as u64, "more step", "more steps");
        steps.truncate(MOST_STEPS);
        steps.push(step(format!("and {more}"), Vec::new()));
    }
    Ok((steps, answer_of(&question)?))
}

/// A packet with all it holds: byte, field, half-words, value.
fn drawn(format: &AqlFormat, title: &str, packet: &AqlPacket) -> ExplainedStep {
    let view = PacketView::new(packet, format).to_string();
    let digits = hex(packet);
    // Two lines of half the packet each, as a terminal has 80 columns.
    let (first, second) = digits.split_at(AQL_BYTES);
    let mut lines = vec![first.to_owned(), second.to_owned()];
    // One line a field at most, and one for each half-word that begins a kernel.
    lines.extend(view.lines().map(str::to_owned));
    step(title, lines)
}

fn encoding(format: &AqlFormat, kernels: &[CondensedKernel]) -> Result<Vec<ExplainedStep>, Fault> {
    let line = |(number, kernel): (usize, &CondensedKernel)| {
        let CondensedKernel { ref_num, diff } = kernel;
        let (header, cost) = (format.pack(*ref_num, diff.vector), format.cost(diff.vector));
        let fields = changed(format, diff);
        let fields = if fields.is_empty() { "as it is".to_owned() } else { fields.join(", ") };
        let cost = counted(cost, "half-word", "half-words");
        format!("kernel {number}: entry {ref_num}, header 0x{header:04x}, {cost}: {fields}")
    };
    let mut lines = wrapped(&few(kernels.iter().enumerate().map(line).collect()));
    lines.push(format!("a packet has {HALF_WORDS} half-words; what does not fit begins another"));
    let kernels_told = counted(kernels.len() as u64, "kernel", "kernels");
    let mut steps = vec![step(format!("{kernels_told} as differences"), lines)];
    for (number, packet) in condensed(format, kernels)?.iter().enumerate() {
        steps.push(drawn(format, &format!("602: packet {number}"), packet));
    }
    Ok(steps)
}

/// Lines that fit a terminal of 80 columns behind an indent of 3.
fn wrapped(lines: &[String]) -> Vec<String> {
    let mut all = Vec::new();
    for line in lines {
        let mut open = String::new();
        for word in line.split(' ') {
            if !open.is_empty() && open.len() + 1 + word.len() > 77 {
                all.push(std::mem::replace(&mut open, "    ".to_owned()));
            }
            if !open.is_empty() {
                open.push(' ');
            }
            open += word;
        }
        all.push(open);
    }
    all
}

/// The fields of a difference with their values.
fn changed(format: &AqlFormat, diff: &Diff) -> Vec<String> {
    let fields = format.fields().iter().enumerate();
    let named = fields.filter(|(number, _)| diff.vector >> number & 1 == 1);
    let value = |number| diff.values.get(number);
    named.map(|(number, field)| format!("{} = 0x{:x}", field.name, value(number))).collect()
}

fn decoding(
    format: &AqlFormat,
    packets: &[AqlPacket],
    table: &ReferenceTable,
) -> Result<Vec<ExplainedStep>, Fault> {
    // As a whole first: nothing is told of a question that is refused.
    decode(format, packets, table)?;
    let (mut steps, mut table) = (Vec::new(), table.clone());
    for (number, packet) in packets.iter().enumerate() {
        let (launches, after) = decode(format, std::slice::from_ref(packet), &table)?;
        steps.push(drawn(format, &format!("602: packet {number}"), packet));
        let launches: Vec<LaunchImage> = launches.into_iter().flatten().collect();
        let mut lines = Vec::new();
        // What it says of each kernel; an ordinary packet says nothing of entries.
        let parsed = Condensed::parse(packet, format).ok();
        let kernels = parsed.iter().flat_map(|packet| packet.kernels(format));
        let mut kernels: Vec<Option<CondensedKernel>> = kernels.map(Some).collect();
        kernels.resize(launches.len(), None);
        for (number, (launch, kernel)) in launches.iter().zip(&kernels).enumerate() {
            let last = number + 1 == launches.len();
            lines.push(launched(format, (number, launch), kernel.as_ref(), last));
        }
        let mut lines = wrapped(&few(lines));
        lines.push(stored(&table, &after));
        let count = counted(launches.len() as u64, "launch", "launches");
        steps.push(step(format!("604 to 612: {count} of packet {number}"), lines));
        table = after;
    }
    Ok(steps)
}

/// One launch: which entry it is, with what changed, and how it is cleaned up.
fn launched(
    format: &AqlFormat,
    (number, launch): (usize, &LaunchImage),
    kernel: Option<&CondensedKernel>,
    last: bool,
) -> String {
    let like = kernel.map_or_else(String::new, |kernel| {
        let entry = kernel.ref_num;
        match changed(format, &kernel.diff) {
            fields if fields.is_empty() => format!(", entry {entry} as it is"),
            fields => format!(", entry {entry} with {}", fields.join(", ")),
        }
    });
    let cleanup = match (last, launch.asks_cleanup()) {
        (true, _) => "the cleanup of the last one",
        (false, true) => "a cleanup of its own: it has a signal or a release scope",
        (false, false) => "no cleanup",
    };
    let object = format.field("kernel_object").map_or(0, |number| launch.get(number));
    format!("launch {number}: kernel 0x{object:x}{like}; {cleanup}")
}

/// What the packet left in the table.
fn stored(before: &ReferenceTable, after: &ReferenceTable) -> String {
    let changed = after.entries().find(|(number, launch)| before.get(*number) != Some(*launch));
    match changed {
        Some((number, _)) => format!("the table holds it as entry {number} from now on"),
        None => "the table stays as it was".to_owned(),
    }
}
