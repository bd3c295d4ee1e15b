//! How do launches become packets?

use raddle_packet::{
    AQL_BYTES, Barrier, Encoder, Error, Item, Keep, Limits, Scripted, Tally, optimal,
};
use serde::Serialize;

use super::args::EncodeArgs;
use crate::Console;
use crate::args::Format;
use crate::error::CliError;
use crate::golden::fault::Fault;
use crate::golden::packet::{Aql, Packet, hex, launch};
use crate::golden::read::Fields;
use crate::table::json;

/// What became of the launches.
#[derive(Debug, Serialize)]
#[serde(rename_all = "kebab-case")]
struct Report {
    packets: Vec<String>,
    launches: u64,
    ordinary: u64,
    reference: u64,
    condensed: u64,
    condensed_packets: u64,
    barriers: u64,
    bytes: u64,
    /// What ordinary packets alone would take.
    ordinary_bytes: u64,
}

/// The verb `packet encode`.
pub(super) fn verb(
    args: &EncodeArgs,
    format: Format,
    console: &mut Console,
) -> Result<(), CliError> {
    let layout = args.layout.format()?;
    let bytes = super::read(&args.file, console)?;
    let name = super::name(&args.file);
    let items = items(&bytes, &layout, &name)?;
    let (packets, tally) = encode(args, &layout, &items)
        .map_err(|error| CliError::Refused(format!("{name}: {error}")))?;
    let packets: Vec<String> = packets.iter().map(hex).collect();
    let text = match format {
        Format::Text => packets.iter().map(|packet| format!("{packet}\n")).collect(),
        Format::Json => json(&Report {
            launches: tally.launches(),
            ordinary: tally.ordinary,
            reference: tally.reference,
            condensed: tally.condensed,
            condensed_packets: tally.condensed_packets,
            barriers: tally.barriers,
            bytes: (AQL_BYTES * packets.len()) as u64,
            ordinary_bytes: AQL_BYTES as u64 * (tally.launches() + tally.barriers),
            packets,
        }),
    };
    console.stdout.write_all(text.as_bytes()).map_err(CliError::printing)
}

fn encode(
    args: &EncodeArgs,
    layout: &Aql,
    items: &[Item<AQL_BYTES>],
) -> Result<(Vec<Packet>, Tally), Error> {
    match args.keep.keep.rule() {
        Some(rule) => run(layout, rule.keeper::<8>(args.keep.near), items),
        None => {
            run(layout, Scripted::new(&optimal(layout, items, &Limits::default())?.ways), items)
        }
    }
}

fn run(
    layout: &Aql,
    keep: impl Keep<AQL_BYTES>,
    items: &[Item<AQL_BYTES>],
) -> Result<(Vec<Packet>, Tally), Error> {
    let mut encoder = Encoder::<AQL_BYTES, 8, _>::new(*layout, keep)?;
    let mut packets = Vec::new();
    let mut send = |packet: &Packet| packets.push(*packet);
    for item in items {
        match item {
            Item::Launch(launch) => encoder.launch(launch, &mut send),
            Item::Barrier => {
                encoder.barrier(&Barrier::default().emit(layout)?, &mut send);
            }
        }
    }
    encoder.flush(&mut send);
    Ok((packets, encoder.tally()))
}

/// The launches of a file.
fn items(bytes: &[u8], layout: &Aql, name: &str) -> Result<Vec<Item<AQL_BYTES>>, CliError> {
    let mut items = Vec::new();
    let lines = (1..).zip(bytes.split(|&byte| byte == b'\n'));
    for (number, line) in lines.filter(|(_, line)| !line.trim_ascii().is_empty()) {
        let refused = |why: String| {
            CliError::Refused(format!(
                "{name}, line {number}: {why}. Give one launch a line, such as {{\"kernel_object\":\"0x1000\",\"grid_size_x\":256}}, or {{\"barrier\":true}}"
            ))
        };
        let value: serde_json::Value = serde_json::from_slice(line)
            .map_err(|error| refused(format!("it is not JSON ({error})")))?;
        let fault = |fault: Fault| match &*fault.at {
            "" => refused(fault.message),
            at => refused(format!("{at}: {}", fault.message)),
        };
        let fields = Fields::of(&value, "").map_err(fault)?;
        if value.get("barrier") == Some(&serde_json::Value::Bool(true)) {
            fields.only(&["barrier"]).map_err(fault)?;
            items.push(Item::Barrier);
            continue;
        }
        items.push(Item::Launch(launch(&fields, layout).map_err(fault)?));
    }
    Ok(items)
}
