//! Which packets does a file hold?
//!
//! The file has lines of hexadecimal digits, the document that `packet encode --format json` prints
//! (or any object with `packets`, such as an answer of `golden packet`), or bytes.

use raddle_golden::packet::bytes;
use raddle_packet::AQL_BYTES;
use raddle_packet::AqlPacket;
use serde_json::Value;

use crate::error::CliError;

/// Reads the packets of a file: as text if all of it is printable ASCII, else as bytes.
pub(super) fn packets(content: &[u8], name: &str) -> Result<Vec<AqlPacket>, CliError> {
    let refused = |why: String| {
        CliError::Refused(format!(
            "{name}: {why}. Give a packet a line of 128 hexadecimal digits, or whole packets as bytes"
        ))
    };
    let is_text = |byte: &u8| byte.is_ascii_graphic() || byte.is_ascii_whitespace();
    if !content.iter().all(is_text) {
        let (packets, rest) = content.as_chunks::<AQL_BYTES>();
        if !rest.is_empty() {
            let length = content.len();
            return Err(refused(format!(
                "{length} bytes, not all of them text, are no whole packets of 64"
            )));
        }
        return Ok(packets.to_vec());
    }
    let text = String::from_utf8_lossy(content);
    if text.trim_start().starts_with('{') {
        return documents(&text).map_err(refused);
    }
    let lines = (1..).zip(text.lines()).filter(|(_, line)| !line.trim().is_empty());
    let packet = |(number, line): (usize, &str)| {
        digits(line).map_err(|why| refused(format!("line {number}{why}")))
    };
    lines.map(packet).collect()
}

/// Reads the packets of JSON documents (as `packet decode` prints them) that follow each other in a
/// text.
fn documents(text: &str) -> Result<Vec<AqlPacket>, String> {
    let mut packets = Vec::new();
    for document in serde_json::Deserializer::from_str(text).into_iter::<Value>() {
        let document = document.map_err(|error| format!("it is not JSON ({error})"))?;
        let Some(Value::Array(list)) = document.get("packets") else {
            return Err("it is JSON without a list `packets`".to_owned());
        };
        for (number, packet) in list.iter().enumerate() {
            // A document of `packet decode` has its packets one step further in.
            let Value::String(line) = packet.get("packet").unwrap_or(packet) else {
                return Err(format!("/packets/{number} is no string of digits"));
            };
            packets.push(digits(line).map_err(|why| format!("/packets/{number}{why}"))?);
        }
    }
    Ok(packets)
}

/// Reads a packet from a line of hexadecimal digits, with or without blanks between them; the error
/// says what is wrong, and where.
fn digits(line: &str) -> Result<AqlPacket, String> {
    let begin = line.len() - line.trim_start().len();
    let text = line.trim();
    let text = text.strip_prefix("0x").or_else(|| text.strip_prefix("0X")).unwrap_or(text);
    let first = begin + line.trim().len() - text.len();
    let strange = |c: &char| !c.is_ascii_hexdigit() && !c.is_ascii_whitespace();
    if let Some(place) = text.chars().position(|c| strange(&c)) {
        let place = first + place + 1;
        return Err(format!(", character {place}: it is no hexadecimal digit"));
    }
    let digits: String = text.split_ascii_whitespace().collect();
    bytes(&digits).map_err(|why| format!(": {why}"))
}
