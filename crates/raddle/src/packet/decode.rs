//! What do packets launch?
//!
//! Packets are drawn one after the other, up to the first that is malformed; that one is drawn too.

use raddle_packet::{AQL_BYTES, Agent, Launch, Received, View};
use serde::Serialize;

use super::args::DecodeArgs;
use crate::Console;
use crate::args::Format;
use crate::error::CliError;
use crate::golden::packet::{Aql, Packet, Told, bytes, hex};
use crate::table::json;
use crate::units::counted;

/// One packet, decoded.
#[derive(Serialize)]
#[serde(rename_all = "kebab-case")]
struct Decoded<'l> {
    packet: String,
    kind: &'static str,
    launches: Vec<Told<'l>>,
    /// How many cleanups its launches have: 1 and one for each other that asks.
    cleanups: u32,
}

#[derive(Serialize)]
struct Report<'l> {
    packets: Vec<Decoded<'l>>,
}

/// The verb `packet decode`.
pub(super) fn verb(
    args: &DecodeArgs,
    format: Format,
    console: &mut Console,
) -> Result<(), CliError> {
    let layout = args.layout.format()?;
    let content = super::read(&args.file, console)?;
    let name = super::name(&args.file);
    let packets = packets(&content, &name)?;
    let mut agent = Agent::<AQL_BYTES, 8>::new(layout)
        .map_err(|error| CliError::Refused(format!("{name}: {error}")))?;
    let (mut text, mut report) = (String::new(), Report { packets: Vec::new() });
    let mut refused = None;
    for (number, packet) in packets.iter().enumerate() {
        text += &format!("packet {number}: {}", View::new(packet, &layout));
        match decoded(&mut agent, &layout, packet) {
            Ok(decoded) => {
                text += &told(&decoded);
                report.packets.push(decoded);
            }
            Err(error) => {
                refused = Some(CliError::Refused(format!("{name}, packet {number}: {error}")));
                break;
            }
        }
    }
    if format == Format::Json {
        text = json(&report);
    }
    console.stdout.write_all(text.as_bytes()).map_err(CliError::printing)?;
    refused.map_or(Ok(()), Err)
}

fn decoded<'l>(
    agent: &mut Agent<AQL_BYTES, 8>,
    layout: &'l Aql,
    packet: &Packet,
) -> Result<Decoded<'l>, raddle_packet::Error> {
    let kind = View::new(packet, layout).kind().name();
    let (launches, cleanups) = match agent.receive(packet)? {
        Received::Launches(launches) => (launches.clone().collect(), launches.cleanups()),
        Received::Barrier => (Vec::<Launch<AQL_BYTES>>::new(), 0),
    };
    let launches = launches.into_iter().map(|launch| Told(layout, launch)).collect();
    Ok(Decoded { packet: hex(packet), kind, launches, cleanups })
}

fn told(decoded: &Decoded<'_>) -> String {
    let launches = counted(decoded.launches.len() as u64, "launch", "launches");
    let cleanups = counted(decoded.cleanups.into(), "cleanup", "cleanups");
    let mut text = format!("{launches}, {cleanups}\n");
    for launch in &decoded.launches {
        // An object of integers and strings: always JSON.
        text += &format!("   {}\n", serde_json::to_string(launch).unwrap_or_default());
    }
    text + "\n"
}

/// The packets of a file: lines of digits where it is such text, else its bytes.
fn packets(content: &[u8], name: &str) -> Result<Vec<Packet>, CliError> {
    let refused = |why: String| {
        CliError::Refused(format!(
            "{name}: {why}. Give a packet a line of 128 hexadecimal digits, or whole packets as bytes"
        ))
    };
    let is_text = |byte: &u8| byte.is_ascii_hexdigit() || byte.is_ascii_whitespace();
    if content.iter().all(is_text) {
        let lines = (1..).zip(content.split(|&byte| byte == b'\n'));
        let lines = lines.map(|(number, line)| (number, line.trim_ascii()));
        let packet = |(number, line): (usize, &[u8])| {
            let packet = bytes(&String::from_utf8_lossy(line));
            packet.map_err(|why| refused(format!("line {number}: {why}")))
        };
        return lines.filter(|(_, line)| !line.is_empty()).map(packet).collect();
    }
    let (packets, rest) = content.as_chunks::<AQL_BYTES>();
    if !rest.is_empty() {
        return Err(refused(format!("{} bytes are no whole packets of 64", content.len())));
    }
    Ok(packets.to_vec())
}
