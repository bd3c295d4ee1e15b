//! Which launches and barriers are to be sent?
//!
//! One object a line, or the whole document that `packet decode --format json` prints.

use raddle_packet::{Barrier, LaunchImage};
use serde_json::Value;

use crate::error::CliError;
use crate::golden::fault::{Fault, Kind};
use crate::golden::packet::{Aql, Packet, fault, launch, spelled};
use crate::golden::read::{Fields, integer, list};
use raddle_dispatch::read::{kebab, nearest};

/// What is to be sent.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Sent {
    /// A launch, in whatever packet.
    Launch(LaunchImage),
    /// A barrier, which is this packet.
    Barrier(Packet),
}

const SHAPE: &str = "Give one launch a line, such as {\"kernel_object\":\"0x1000\",\"grid_size_x\":256}, or {\"barrier\":true}";

/// The launches of a file.
pub(super) fn launches(bytes: &[u8], layout: &Aql, name: &str) -> Result<Vec<Sent>, CliError> {
    let decoded = serde_json::from_slice::<Value>(bytes).ok();
    if let Some(packets) = decoded.as_ref().and_then(|document| document.get("packets")) {
        let refused = decoded.as_ref().and_then(|document| document.get("refused"));
        return document(packets, refused, layout)
            .map_err(|fault| CliError::Refused(format!("{name}: {}", said(&fault, layout))));
    }
    let mut sent = Vec::new();
    let lines = (1..).zip(bytes.split(|&byte| byte == b'\n'));
    for (number, line) in lines.filter(|(_, line)| !line.trim_ascii().is_empty()) {
        let refused = |why: String| {
            let stop = if why.ends_with('?') { "" } else { "." };
            CliError::Refused(format!("{name}, line {number}: {why}{stop} {SHAPE}"))
        };
        let value: Value = serde_json::from_slice(line)
            .map_err(|error| refused(format!("it is not JSON ({error})")))?;
        sent.push(one(&value, "", layout).map_err(|fault| refused(said(&fault, layout)))?);
    }
    Ok(sent)
}

/// What `packet decode` told.
fn document(packets: &Value, refused: Option<&Value>, layout: &Aql) -> Result<Vec<Sent>, Fault> {
    if refused.is_some_and(|refused| !refused.is_null()) {
        let message =
            "`packet decode` refused a packet here, so launches would be missing: mend it";
        return Err(Fault::new(Kind::Inconsistent, "/refused", message));
    }
    let mut sent = Vec::new();
    for (packet, at) in list(packets, "/packets")? {
        if packet.is_string() {
            let message =
                "these are packets already: `raddle packet decode` tells what they launch";
            return Err(Fault::new(Kind::WrongType, &at, message));
        }
        let fields = Fields::of(packet, &at)?;
        if fields.get("barrier").is_ok() {
            let (value, at) = fields.get("barrier")?;
            sent.push(barrier(&Fields::of(value, &at)?, layout)?);
            continue;
        }
        let (launches, at) = fields.get("launches")?;
        for (value, at) in list(launches, &at)? {
            sent.push(one(value, &at, layout)?);
        }
    }
    Ok(sent)
}

/// A launch or a barrier.
fn one(value: &Value, at: &str, layout: &Aql) -> Result<Sent, Fault> {
    let fields = Fields::of(value, at)?;
    if fields.get("barrier").is_ok() {
        return barrier(&fields, layout);
    }
    known(&fields, layout)?;
    launch(&fields, layout).map(Sent::Launch)
}

/// Refuses what is no field, and says what it may have been.
fn known(fields: &Fields<'_>, layout: &Aql) -> Result<(), Fault> {
    let names = || layout.fields().iter().map(|field| field.name);
    for (key, _) in fields.entries() {
        let name = key.replace('-', "_");
        if name == "id" || names().any(|known| known == name) {
            continue;
        }
        let near = nearest(&kebab(&name), names())
            .or_else(|| names().find(|known| name.len() > 2 && known.starts_with(&name)));
        let hint = match (&*name, near) {
            ("fields" | "dispatch" | "reference", _) => {
                "; the fields of a launch stand in the line itself".to_owned()
            }
            (_, Some(near)) => format!("; did you mean `{near}`?"),
            (_, None) => format!("; the keys are {}", names().collect::<Vec<_>>().join(", ")),
        };
        let message = format!("`{key}` is not a key of a launch{hint}");
        return Err(Fault::new(Kind::UnknownField, &fields.pointer(key), message));
    }
    Ok(())
}

/// `{"barrier":"and","signals":[..],"completion_signal":..,"synch_scopes":..}`; `true` is `"and"`.
fn barrier(fields: &Fields<'_>, layout: &Aql) -> Result<Sent, Fault> {
    fields.only(&["barrier", "signals", "completion-signal", "synch-scopes"])?;
    let (value, at) = fields.get("barrier")?;
    let any = match value {
        Value::Bool(true) => false,
        Value::String(word) if word == "and" => false,
        Value::String(word) if word == "or" => true,
        _ => {
            let message = "`barrier` must be true, \"and\" or \"or\": leave it out of a launch";
            return Err(Fault::new(Kind::OutOfRange, &at, message));
        }
    };
    let mut barrier = Barrier { any, ..Barrier::default() };
    if let Ok((signals, at)) = fields.get("signals") {
        let signals = list(signals, &at)?;
        if signals.len() > barrier.dep_signal.len() {
            let message = format!("a barrier waits for 5 signals at most, not {}", signals.len());
            return Err(Fault::new(Kind::OutOfRange, &at, message));
        }
        for (place, (value, at)) in barrier.dep_signal.iter_mut().zip(signals) {
            *place = integer(value, &at, "signals", 0..=u64::MAX)?;
        }
    }
    if fields.get("completion-signal").is_ok() {
        barrier.completion_signal = fields.integer("completion-signal", 0..=u64::MAX)?;
    }
    if fields.get("synch-scopes").is_ok() {
        barrier.synch_scopes = fields.integer("synch-scopes", 0..=u8::MAX.into())? as u8;
    }
    let packet = barrier.emit(layout);
    packet.map(Sent::Barrier).map_err(|error| fault(&error, &at))
}

/// A fault with its place, and with keys spelled as they are printed.
fn said(fault: &Fault, layout: &Aql) -> String {
    let message = spelled(&fault.message, layout);
    match &*fault.at {
        "" => message,
        at => format!("{at}: {message}"),
    }
}
