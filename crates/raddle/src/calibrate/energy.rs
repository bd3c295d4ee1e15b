//! Which energy for each kind of instruction explains measured power? `raddle calibrate energy`.

use std::fmt::Write as _;

use raddle_report::json;
use raddle_study::EnergyFile;
use raddle_study::{EnergyFit, KINDS, PowerReading};
use serde::Serialize;

use super::args::EnergyArgs;
use crate::Console;
use crate::args::Format;
use crate::error::CliError;
use crate::place;
use crate::units::quoted;

/// Result of `raddle calibrate energy`, as it is printed: the energy that one instruction of each
/// kind takes (its weight), and how well these weights explain the measured power.
#[derive(Serialize)]
#[serde(rename_all = "kebab-case")]
struct Calibrated<'c> {
    file: &'c EnergyFile,
    /// Kinds of instruction that no measured kernel issued, so that their weights are assumed.
    assumed: Vec<&'static str>,
    /// For each kernel its name, and its energy by the weights divided by the measured energy: 1 is
    /// a perfect fit.
    explained: Vec<(&'c str, f64)>,
    /// Line of TOML with the key `place` of a recipe, by which the recipe chooses compute units by
    /// these energy weights.
    place: String,
}

/// Carries out `raddle calibrate energy`: computes the energy that one instruction of each kind
/// takes from a table of measured power.
pub(super) fn verb(
    args: &EnergyArgs,
    format: Format,
    console: &mut Console,
) -> Result<(), CliError> {
    let name = args.table.display().to_string();
    args.save.as_deref().map_or(Ok(()), |save| place::check(save, &place::nothing))?;
    let text = std::fs::read_to_string(&args.table)
        .map_err(|cause| CliError::Unreadable { file: name.clone(), cause })?;
    if !text.ends_with('\n') {
        console.note(&format!(
            "warning: {name}: its last line has no line end. Is the file truncated there, its last value lacks digits"
        ));
    }
    let readings = readings(&text).map_err(|what| CliError::Refused(format!("{name}, {what}")))?;
    let fit = EnergyFit::of(&readings)
        .map_err(|error| CliError::Refused(format!("{name} gives no weights: {error}")))?;
    let file = EnergyFile { raddle_energy: 1, source: args.source.clone(), energy: fit.model() };
    let busy = readings.iter().filter(|reading| reading.counts != [0; 6]);
    let explained = busy.map(|reading| reading.kernel.as_str()).zip(fit.explained.iter().copied());
    let assumed = KINDS.into_iter().zip(fit.pj).filter(|(_, pj)| pj.is_none());
    let found = Calibrated {
        file: &file,
        assumed: assumed.map(|(kind, _)| kind).collect(),
        explained: explained.collect(),
        place: place(&file, fit.calls),
    };
    let toml = told(&found)?;
    if let Some(save) = &args.save {
        place::write(save, &toml, &place::nothing)?;
    }
    let text = match (format, &args.save) {
        (Format::Json, _) => json(&found),
        (Format::Text, None) => toml,
        (Format::Text, Some(save)) => format!(
            "Wrote {}: `raddle replay .. --energy --energy-weights {0}` counts by it\n",
            quoted(&save.display().to_string())
        ),
    };
    console.print(&text)
}

/// Returns the line of TOML (with the key `place`) by which a recipe chooses compute units by these
/// energy weights. `calls` is the number of instructions that each measured kernel issues; the line
/// names it as the number of ticks over which power counts (claim 4 of patent 000). With `None` the
/// line names no such number.
fn place(file: &EnergyFile, calls: Option<u64>) -> String {
    let window = calls.map_or_else(String::new, |calls| format!(", history-ticks = {calls}"));
    format!("place = {{ least-power = {{ weights = {:?}{window} }} }}", file.energy.pj)
}

fn told(found: &Calibrated<'_>) -> Result<String, CliError> {
    let mut text = String::from("# Weights of energy, by `raddle calibrate energy`.\n");
    let _ = writeln!(text, "# In a recipe: {}", found.place);
    for (kernel, share) in &found.explained {
        let _ = writeln!(text, "# {kernel}: {:.1} % of what was measured", share * 100.0);
    }
    if !found.assumed.is_empty() {
        let _ = writeln!(text, "# Not measured, so assumed: {}", found.assumed.join(", "));
    }
    let _ = writeln!(text, "# pj: move, load, store, matrix, compare, jump");
    let toml = toml::to_string(found.file).map_err(|error| CliError::Refused(error.to_string()))?;
    Ok(text + &toml)
}

/// Reads the rows of a table of measured power; the error says what is wrong with the table.
fn readings(text: &str) -> Result<Vec<PowerReading>, String> {
    let mut lines = (1..).zip(text.lines()).filter(|(_, line)| {
        let line = line.trim();
        !line.is_empty() && !line.starts_with('#')
    });
    let (_, head) = lines.next().ok_or("it is empty: the first line names the columns")?;
    let columns: Vec<&str> = head.split(',').map(str::trim).collect();
    let at = |name: &str| columns.iter().position(|column| *column == name);
    let needed = |name: &str| at(name).ok_or(format!("line 1: there is no column `{name}`"));
    let (kernel, ns, mw) = (needed("kernel")?, needed("ns")?, needed("mw")?);
    // A kind without a column is called by no kernel.
    let kinds = KINDS.map(at);
    if kinds.iter().all(Option::is_none) {
        return Err(format!("line 1: there is no column of {}", KINDS.join(", ")));
    }
    lines
        .map(|(number, line)| {
            let cells: Vec<&str> = line.split(',').map(str::trim).collect();
            let cell = |at: usize| cells.get(at).copied().unwrap_or_default();
            let count = |at: usize| {
                let digits = cell(at);
                digits.parse::<u64>().map_err(|_| {
                    format!("line {number}: `{digits}` in `{}` is no whole number", columns[at])
                })
            };
            let mut counts = [0; 6];
            for (to, kind) in counts.iter_mut().zip(kinds) {
                *to = kind.map_or(Ok(0), count)?;
            }
            let [ns, mw] = [count(ns)?, count(mw)?];
            Ok(PowerReading { kernel: cell(kernel).to_owned(), counts, ns, mw })
        })
        .collect()
}
