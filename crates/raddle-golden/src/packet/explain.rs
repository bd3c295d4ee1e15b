//! What do the bytes of packets mean, and which launches do they cause (seed 002)?
//!
//! Each packet is drawn with its fields and half-words (16 bits). Steps have the numbers in the
//! seed's figures 3 and 6.

use raddle_packet::{
    AQL_BYTES, AqlFormat, AqlPacket, Condensed, CondensedKernel, Diff, HALF_WORDS, LaunchImage,
    PacketView, ReferenceTable,
};

use super::hex;
use crate::explanation::{Story, counted};

/// Adds a packet (launch encoded as 64 bytes) to the explanation under the heading `title`, one row
/// for each field: byte offset, name, half-words (16 bits each), value.
pub(super) fn drawn(format: &AqlFormat, title: &str, packet: &AqlPacket, story: &mut Story) {
    story.step(title);
    if story.shows() {
        let digits = hex(packet);
        // Two lines of half the packet each, as a terminal has 80 columns.
        let (first, second) = digits.split_at(AQL_BYTES);
        // One line a field at most, and one for each half-word that begins a kernel.
        let view = PacketView::new(packet, format).to_string();
        [first, second].into_iter().chain(view.lines()).for_each(|line| story.note(line));
    }
}

/// Explains the kernels that condensed packets hold, one line each: the number of the reference
/// table's entry from which the kernel is encoded, and the fields that differ from this entry.
pub(super) fn differences(format: &AqlFormat, kernels: &[CondensedKernel], story: &mut Story) {
    story.step(format!("{} as differences", counted(kernels.len() as u64, "kernel", "kernels")));
    for (number, kernel) in kernels.iter().enumerate() {
        let CondensedKernel { ref_num, diff } = kernel;
        let (header, cost) = (format.pack(*ref_num, diff.vector), format.cost(diff.vector));
        let fields = changed(format, diff).unwrap_or_else(|| "as it is".to_owned());
        let cost = counted(cost, "half-word", "half-words");
        story.line(wrapped(&format!(
            "kernel {number}: entry {ref_num}, header 0x{header:04x}, {cost}: {fields}"
        )));
    }
    story.note(format!("a packet has {HALF_WORDS} half-words; what does not fit begins another"));
}

/// Breaks a line of text so that it fits a terminal of 80 columns with an indent of 3.
fn wrapped(line: &str) -> String {
    let (mut all, mut width) = (String::new(), 0);
    for word in line.split(' ') {
        if width > 0 && width + 1 + word.len() > 77 {
            all += "\n    ";
            width = 4;
        }
        if width > 0 {
            all.push(' ');
            width += 1;
        }
        all += word;
        width += word.len();
    }
    all
}

/// Lists the fields of a launch that differ from the launch in the table entry, with their values;
/// `None` where no field differs.
fn changed(format: &AqlFormat, diff: &Diff) -> Option<String> {
    let fields = format.fields().iter().enumerate();
    let named = fields.filter(|(number, _)| diff.vector >> number & 1 == 1);
    let value = |number| diff.values.get(number);
    let named = named.map(|(number, field)| format!("{} = 0x{:x}", field.name(), value(number)));
    let named: Vec<String> = named.collect();
    (!named.is_empty()).then(|| named.join(", "))
}

/// Adds to the explanation which launches packet number `number` causes, and how it changes the
/// table of reference entries from `before` to `after`.
pub(super) fn launched(
    format: &AqlFormat,
    (number, packet): (usize, &AqlPacket),
    launches: &[LaunchImage],
    [before, after]: [&ReferenceTable; 2],
    story: &mut Story,
) {
    if !story.is_told() {
        return;
    }
    let count = counted(launches.len() as u64, "launch", "launches");
    story.step(format!("604 to 612: {count} of packet {number}"));
    // A condensed packet names the entry of each kernel; an ordinary packet names none.
    let parsed = Condensed::parse(packet, format).ok();
    let mut kernels = parsed.iter().flat_map(|packet| packet.kernels(format));
    let object = format.field("kernel_object").unwrap_or_default();
    for (number, launch) in launches.iter().enumerate() {
        let like = kernels.next().map_or_else(String::new, |kernel| {
            let entry = kernel.ref_num;
            match changed(format, &kernel.diff) {
                None => format!(", entry {entry} as it is"),
                Some(fields) => format!(", entry {entry} with {fields}"),
            }
        });
        let cleanup = match (number + 1 == launches.len(), launch.asks_cleanup()) {
            (true, _) => "the cleanup of the last one",
            (false, true) => "a cleanup of its own: it has a signal or a release scope",
            (false, false) => "no cleanup",
        };
        let object = launch.get(object);
        story.line(wrapped(&format!("launch {number}: kernel 0x{object:x}{like}; {cleanup}")));
    }
    let changed = after.entries().find(|(number, launch)| before.get(*number) != Some(*launch));
    story.note(match changed {
        Some((number, _)) => format!("the table holds it as entry {number} from now on"),
        None => "the table stays as it was".to_owned(),
    });
}
