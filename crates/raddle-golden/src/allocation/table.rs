//! What does a line of a placement table (list of a dispatcher's events) say?
//!
//! Lines that begin with `#` declare the device; then a header names the columns, in any order. A
//! cell that an event does not need is left empty. Cells are numbers and words between commas,
//! without quotes, so each line is one row.

use std::fmt::Display;
use std::iter::Enumerate;
use std::slice::Split;

use super::event::{
    AllocationDevice, AllocationEvent, AllocationEventKind, Declared, MOST_BLOCKS, MOST_NUMBER,
    MOST_UNITS, TableFault, within,
};

/// First line of every placement table (list of a dispatcher's events).
const MARK: &str = "# raddle placement table 1";

/// Index of each column in a row of a placement table (list of a dispatcher's events); `None` for a
/// column that the table lacks.
#[derive(Debug)]
struct Columns {
    clock: usize,
    event: usize,
    workgroup: usize,
    unit: usize,
    waves: Option<usize>,
    wave: Option<usize>,
    tag: Option<usize>,
    parts: Vec<(usize, usize)>,
    many: usize,
}

/// Lines of a placement table (list of a dispatcher's events) as bytes, each with its number from
/// 0.
type Lines<'a> = Enumerate<Split<'a, u8, fn(&u8) -> bool>>;

/// A placement table (list of a dispatcher's events) that is read line by line.
pub(super) struct Table<'a> {
    device: AllocationDevice,
    columns: Columns,
    lines: Lines<'a>,
    row: Vec<&'a [u8]>,
    event: AllocationEvent,
}

/// Splits the next line of a placement table that is neither blank nor a remark into cells, and
/// writes them to `row`. Returns the line's number from 1; `None` at the end of the checked table
/// of events.
fn next_row<'a>(lines: &mut Lines<'a>, row: &mut Vec<&'a [u8]>) -> Option<u64> {
    let (at, line) = lines.find(|(_, line)| {
        let line = line.trim_ascii();
        !line.is_empty() && !line.starts_with(b"#")
    })?;
    row.clear();
    row.extend(line.split(|&byte| byte == b',').map(<[u8]>::trim_ascii));
    Some(at as u64 + 1)
}

impl<'a> Table<'a> {
    /// Reads the declarations of the device, and the header of the columns, of a placement table;
    /// the error names the line that cannot be read.
    pub(super) fn open(bytes: &'a [u8]) -> Result<Self, TableFault> {
        let device = device(bytes)?;
        let mut lines: Lines<'a> = bytes.split(is_end as fn(&u8) -> bool).enumerate();
        let mut row = Vec::new();
        let Some(line) = next_row(&mut lines, &mut row) else {
            let text = "there is no header: name the columns, `clock,event,unit,workgroup,..`";
            return Err(TableFault::new(1, text));
        };
        let columns = columns(&row, &device, line)?;
        let resources = device.resources.len();
        let event = AllocationEvent::new(0, AllocationEventKind::Request, 0, resources);
        Ok(Self { device, columns, lines, row, event })
    }

    pub(super) const fn device(&self) -> &AllocationDevice {
        &self.device
    }

    /// Reads the next event of the checked table of events; `None` at its end. The error names the
    /// line that cannot be read.
    pub(super) fn next_event(&mut self) -> Result<Option<&AllocationEvent>, TableFault> {
        let Some(line) = next_row(&mut self.lines, &mut self.row) else { return Ok(None) };
        let Self { row, columns, event, .. } = self;
        if row.len() != columns.many {
            let text = format!(
                "{} cells, and {} columns: leave cells empty, but none out",
                row.len(),
                columns.many
            );
            return Err(TableFault::new(line, text));
        }
        let needed = |column: usize, name: &str| {
            number(row, column, line, name)?.ok_or_else(|| {
                TableFault::new(line, format!("`{name}` is empty: every event has one"))
            })
        };
        let maybe = |column: Option<usize>, name: &str| {
            column.map_or(Ok(None), |column| number(row, column, line, name))
        };
        event.line = line;
        event.clock = needed(columns.clock, "clock")?;
        event.workgroup = needed(columns.workgroup, "workgroup")?;
        event.kind = kind(row.get(columns.event).copied().unwrap_or_default(), line)?;
        event.unit = number(row, columns.unit, line, "unit")?;
        event.waves = maybe(columns.waves, "waves")?;
        event.wave = maybe(columns.wave, "wave")?;
        event.tag = maybe(columns.tag, "tag")?;
        for (part, (&(start, size), resource)) in
            event.parts.iter_mut().zip(columns.parts.iter().zip(&self.device.resources))
        {
            let named = |column, what: &str| {
                number(row, column, line, format_args!("{}_{what}", resource.name))
            };
            *part = (named(start, "start")?, named(size, "size")?);
        }
        Ok(Some(event))
    }
}

const fn is_end(byte: &u8) -> bool {
    *byte == b'\n'
}

fn kind(word: &[u8], line: u64) -> Result<AllocationEventKind, TableFault> {
    Ok(match word {
        b"request" => AllocationEventKind::Request,
        b"place" => AllocationEventKind::Place,
        b"wave" => AllocationEventKind::Wave,
        b"end" => AllocationEventKind::End,
        b"free" => AllocationEventKind::Free,
        other => {
            let other: String = String::from_utf8_lossy(other).chars().take(40).collect();
            let text = format!("`{other}` is no event: give request, place, wave, end or free");
            return Err(TableFault::new(line, text));
        }
    })
}

/// Reads the cell `column` of a row as a whole number, decimal or `0x..`; `None` where the cell is
/// empty. Where the cell is not a number, the error names the line `line` and the column `name`.
fn number(
    row: &[&[u8]],
    column: usize,
    line: u64,
    name: impl Display,
) -> Result<Option<u64>, TableFault> {
    let cell = row.get(column).copied().unwrap_or_default();
    if cell.is_empty() {
        return Ok(None);
    }
    let text = std::str::from_utf8(cell).unwrap_or("?");
    let value = match text.strip_prefix("0x") {
        Some(digits) => u64::from_str_radix(digits, 16).ok(),
        None => text.parse::<u64>().ok(),
    };
    match value.filter(|&value| value <= MOST_NUMBER) {
        Some(value) => Ok(Some(value)),
        None => {
            let shown: String = text.chars().take(40).collect();
            let text = format!(
                "`{name}` is `{shown}`: give a whole number from 0 to 2^62 - 1, in decimals or as 0x.."
            );
            Err(TableFault::new(line, text))
        }
    }
}

/// Reads the declarations of the device, which are before the header of the checked table of
/// events; the error names the line that cannot be read.
fn device(bytes: &[u8]) -> Result<AllocationDevice, TableFault> {
    let mut device = AllocationDevice::default();
    let lines = (1..).zip(bytes.split(|&byte| byte == b'\n'));
    for (line, text) in lines {
        let text = String::from_utf8_lossy(text);
        let text = text.trim();
        // Lines of a file of another kind are not quoted.
        if line == 1 && text != MARK {
            return Err(TableFault::new(
                1,
                format!("this is no placement table: begin with `{MARK}`"),
            ));
        }
        if text.is_empty() {
            continue;
        }
        let Some(told) = text.strip_prefix('#') else { break };
        if let Some((key, value)) = told.split_once('=') {
            declare(&mut device, key.trim(), value.trim(), line)?;
        }
    }
    if device.units == 0 || device.resources.is_empty() {
        let text = "the device is not declared: `# units = 4` and a line `# resource vgpr = 256 per-wave` for each resource stand before the header";
        return Err(TableFault::new(1, text));
    }
    Ok(device)
}

fn declare(
    device: &mut AllocationDevice,
    key: &str,
    value: &str,
    line: u64,
) -> Result<(), TableFault> {
    let fault = |text| TableFault::new(line, text);
    let once = |known: u64| match known {
        0 => Ok(()),
        _ => Err(fault(format!("`{key}` is declared twice: declare it once"))),
    };
    let whole = |text: &str, most| within(key, text, most).map_err(fault);
    match key.split_once(' ') {
        None if key == "units" => {
            once(device.units)?;
            device.units = whole(value, MOST_UNITS)?;
        }
        None if key == "wave-slots" => {
            once(device.wave_slots)?;
            device.wave_slots = whole(value, MOST_BLOCKS)?;
        }
        Some(("resource", name)) => {
            let (blocks, word) = value.split_once(' ').unwrap_or((value, ""));
            let per_wave = match word.trim() {
                "per-wave" => true,
                "shared" => false,
                _ => {
                    let text = format!(
                        "resource `{name}` is `{value}`: give its blocks a unit and `per-wave` or `shared`, as in `256 per-wave`"
                    );
                    return Err(TableFault::new(line, text));
                }
            };
            let blocks = whole(blocks, MOST_BLOCKS)?;
            device.add(name.trim(), blocks, per_wave).map_err(fault)?;
        }
        _ => {
            let key: String = key.chars().take(40).collect();
            let text =
                format!("`{key}` is not known here: declare units, wave-slots and resources");
            return Err(TableFault::new(line, text));
        }
    }
    Ok(())
}

fn columns(row: &[&[u8]], device: &AllocationDevice, line: u64) -> Result<Columns, TableFault> {
    let place = |name: &str| row.iter().position(|cell| *cell == name.as_bytes());
    let needed = |name: &str| {
        place(name).ok_or_else(|| {
            TableFault::new(line, format!("the header has no column `{name}`: add it"))
        })
    };
    let known = ["clock", "event", "workgroup", "unit", "waves", "wave", "tag"];
    let names: Vec<String> = device
        .resources
        .iter()
        .flat_map(|it| [format!("{}_start", it.name), format!("{}_size", it.name)])
        .chain(known.map(str::to_owned))
        .collect();
    for (at, cell) in row.iter().enumerate() {
        if row[..at].contains(cell) {
            let cell = String::from_utf8_lossy(cell);
            return Err(TableFault::new(
                line,
                format!("column `{cell}` stands twice: name it once"),
            ));
        }
        if !names.iter().any(|name| name.as_bytes() == *cell) {
            let cell: String = String::from_utf8_lossy(cell).chars().take(40).collect();
            let text = format!(
                "column `{cell}` is not known: declare its resource, or leave it out (known: {})",
                names.join(", ")
            );
            return Err(TableFault::new(line, text));
        }
    }
    let part = |it: &Declared| {
        Ok((needed(&format!("{}_start", it.name))?, needed(&format!("{}_size", it.name))?))
    };
    Ok(Columns {
        many: row.len(),
        clock: needed("clock")?,
        event: needed("event")?,
        workgroup: needed("workgroup")?,
        unit: needed("unit")?,
        waves: place("waves"),
        wave: place("wave"),
        tag: place("tag"),
        parts: device.resources.iter().map(part).collect::<Result<_, TableFault>>()?,
    })
}
