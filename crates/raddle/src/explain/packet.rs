//! What do the bytes of packets say, and what is launched by them (seed 002)?
//!
//! Each packet is drawn with its fields and half-words. Steps have the numbers of the seed's figures
//! 3 and 6.

use raddle_packet::{
    AQL_BYTES, AqlOptions, Condensed, CondensedKernel, Diff, HALF_WORDS, LaunchImage, PacketView,
};
use serde_json::value::RawValue;

use super::{Step, Told, few, step};
use crate::golden::fault::Fault;
use crate::golden::packet::{
    Aql, AqlTable, Asked, Packet, answer_of, condensed, decode, hex, question, spelled,
};
use crate::golden::read::Fields;
use crate::units::{counted, wrap};

/// The worked example of the spec: the packet of Table 6 on the sample entries.
pub(super) const EXAMPLE: &str = r#"{"decode":["06020480addeefbeedfead0b064034127856eddecefa000000000000000000000000000000000000000000000000000000000000000000000000000000000000"],"table":{"4":{"synch_scopes":21,"setup":1,"workgroup_size_x":256,"workgroup_size_y":1,"workgroup_size_z":1,"grid_size_x":66560,"grid_size_y":1,"grid_size_z":1,"group_segment_size":4096,"kernel_object":"0x7f0000400400","kernarg_address":"0x7f1000000100","completion_signal":"0x7f2000000100"},"6":{"synch_scopes":21,"setup":1,"workgroup_size_x":256,"workgroup_size_y":1,"workgroup_size_z":1,"grid_size_x":67072,"grid_size_y":1,"grid_size_z":1,"group_segment_size":6144,"kernel_object":"0x7f0000400600","kernarg_address":"0x7f1000000180","completion_signal":"0x7f2000000180"}}}"#;

/// Columns of a line behind its indent, and what the next one of the same begins with.
const WIDTH: usize = 77;
const INDENT: &str = "     ";
/// So many packets are drawn.
const MOST_PACKETS: usize = 20;

/// Explains one question.
pub(super) fn explain(fields: &Fields<'_>) -> Result<Told, Fault> {
    let usual = AqlOptions::default();
    let question = question(fields).map_err(|mut fault| {
        if let Ok(format) = Aql::new(&usual) {
            fault.message = spelled(&fault.message, &format);
        }
        fault
    })?;
    let format = &question.format;
    let mut steps = match &question.asked {
        Asked::Packet(packet) => vec![drawn(format, "302: the packet", packet)],
        Asked::Condensed(kernels) => encoding(format, kernels)?,
        Asked::Decode { packets, table } => decoding(format, packets, table)?,
    };
    if steps.len() > 2 * MOST_PACKETS {
        let more = counted((steps.len() - 2 * MOST_PACKETS) as u64, "more step", "more steps");
        steps.truncate(2 * MOST_PACKETS);
        steps.push(step(format!("and {more}"), Vec::new()));
    }
    // An object of strings and integers: always JSON.
    let answer = RawValue::from_string(answer_of(&question)?).unwrap_or_default();
    Ok(Told { steps, answer })
}

/// A packet with all it holds: byte, field, half-words, value.
fn drawn(format: &Aql, title: &str, packet: &Packet) -> Step {
    let view = PacketView::new(packet, format).to_string();
    let digits = hex(packet);
    // Two lines of half the packet each, as a terminal has 80 columns.
    let (first, second) = digits.split_at(AQL_BYTES);
    let mut lines = vec![first.to_owned(), second.to_owned()];
    // One line a field at most, and one for each half-word that begins a kernel.
    lines.extend(view.lines().map(str::to_owned));
    step(title, lines)
}

fn encoding(format: &Aql, kernels: &[CondensedKernel]) -> Result<Vec<Step>, Fault> {
    let line = |(number, kernel): (usize, &CondensedKernel)| {
        let CondensedKernel { ref_num, diff } = kernel;
        let (header, cost) = (format.pack(*ref_num, diff.vector), format.cost(diff.vector));
        let fields = changed(format, diff);
        let fields = if fields.is_empty() { "as it is".to_owned() } else { fields.join(", ") };
        let cost = counted(cost.into(), "half-word", "half-words");
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

/// Lines that fit a terminal.
fn wrapped(lines: &[String]) -> Vec<String> {
    let pieces = |line: &String| {
        wrap(line, WIDTH, INDENT).lines().map(str::to_owned).collect::<Vec<String>>()
    };
    lines.iter().flat_map(pieces).collect()
}

/// The fields of a difference with their values.
fn changed(format: &Aql, diff: &Diff) -> Vec<String> {
    let fields = format.fields().iter().enumerate();
    let named = fields.filter(|(number, _)| diff.vector >> number & 1 == 1);
    let value = |number| diff.values.get(number);
    named.map(|(number, field)| format!("{} = 0x{:x}", field.name, value(number))).collect()
}

fn decoding(format: &Aql, packets: &[Packet], table: &AqlTable) -> Result<Vec<Step>, Fault> {
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
    format: &Aql,
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
fn stored(before: &AqlTable, after: &AqlTable) -> String {
    let changed = after.entries().find(|(number, launch)| before.get(*number) != Some(*launch));
    match changed {
        Some((number, _)) => format!("the table holds it as entry {number} from now on"),
        None => "the table stays as it was".to_owned(),
    }
}
