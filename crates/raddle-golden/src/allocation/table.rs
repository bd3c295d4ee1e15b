//! What does a line of a placement table say?
//!
//! Lines that begin with `#` declare the device; then a header names the columns, in any order. A
//! cell that an event does not need is left empty. Cells are numbers and words between commas, so a
//! line is a row.

use std::fmt::Display;
use std::iter::Enumerate;
use std::slice::Split;

/// The first line of every table.
const MARK: &str = "# raddle placement table 1";
/// The most units, and the most blocks of a resource.
const MOST_UNITS: u64 = 65_536;

/// The reason why a table cannot be read.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("line {line}: {message}")]
pub struct TableFault {
    /// The line, from 1.
    pub line: u64,
    /// A message that tells what is wrong and what is meant.
    pub message: String,
}

impl TableFault {
    pub(super) fn new(line: u64, message: impl Into<String>) -> Self {
        Self { line, message: message.into() }
    }
}

/// A resource of every unit.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Declared {
    pub(super) name: String,
    /// Blocks of a unit.
    pub(super) blocks: u64,
    /// True if the waves of a workgroup share its part out; false if all use the whole.
    pub(super) per_wave: bool,
}

/// The units of a table.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct Device {
    pub(super) units: u64,
    /// The most waves of a unit at once.
    pub(super) wave_slots: u64,
    pub(super) resources: Vec<Declared>,
}

/// The kinds of events.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Kind {
    Request,
    Place,
    Wave,
    End,
    Free,
}

/// One line.
#[derive(Clone, Debug)]
pub(super) struct Event {
    pub(super) line: u64,
    pub(super) clock: u64,
    pub(super) kind: Kind,
    pub(super) workgroup: u64,
    pub(super) unit: Option<u64>,
    pub(super) waves: Option<u64>,
    pub(super) wave: Option<u64>,
    pub(super) tag: Option<u64>,
    /// Start and size of each resource.
    pub(super) parts: Vec<(Option<u64>, Option<u64>)>,
}

/// The columns of a table by their places.
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
    /// The number of all columns.
    many: usize,
}

/// The lines of a file, from 0.
type Lines<'a> = Enumerate<Split<'a, u8, fn(&u8) -> bool>>;

/// A table that is read line by line.
pub(super) struct Table<'a> {
    device: Device,
    columns: Columns,
    lines: Lines<'a>,
    row: Vec<&'a [u8]>,
    event: Event,
    clock: u64,
}

/// Splits the next line that is neither blank nor a remark into cells; returns its number, from 1.
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
    /// Reads the declarations and the header.
    pub(super) fn open(bytes: &'a [u8]) -> Result<Self, TableFault> {
        let device = device(bytes)?;
        let mut lines: Lines<'a> = bytes.split(is_end as fn(&u8) -> bool).enumerate();
        let mut row = Vec::new();
        let Some(line) = next_row(&mut lines, &mut row) else {
            let text = "there is no header: name the columns, `clock,event,unit,workgroup,..`";
            return Err(TableFault::new(1, text));
        };
        let columns = columns(&row, &device, line)?;
        let event = Event {
            line,
            clock: 0,
            kind: Kind::Request,
            workgroup: 0,
            unit: None,
            waves: None,
            wave: None,
            tag: None,
            parts: vec![(None, None); device.resources.len()],
        };
        Ok(Self { device, columns, lines, row, event, clock: 0 })
    }

    pub(super) const fn device(&self) -> &Device {
        &self.device
    }

    /// Reads the next line; `None` at the end.
    pub(super) fn next_event(&mut self) -> Result<Option<&Event>, TableFault> {
        let Some(line) = next_row(&mut self.lines, &mut self.row) else { return Ok(None) };
        let Self { row, columns, event, .. } = self;
        if row.len() > columns.many {
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
        if event.clock < self.clock {
            let text = format!(
                "clock {} is before clock {} of the line above: record events in the order of their clocks",
                event.clock, self.clock
            );
            return Err(TableFault::new(line, text));
        }
        self.clock = event.clock;
        Ok(Some(event))
    }
}

const fn is_end(byte: &u8) -> bool {
    *byte == b'\n'
}

fn kind(word: &[u8], line: u64) -> Result<Kind, TableFault> {
    Ok(match word {
        b"request" => Kind::Request,
        b"place" => Kind::Place,
        b"wave" => Kind::Wave,
        b"end" => Kind::End,
        b"free" => Kind::Free,
        other => {
            let other: String = String::from_utf8_lossy(other).chars().take(40).collect();
            let text = format!("`{other}` is no event: give request, place, wave, end or free");
            return Err(TableFault::new(line, text));
        }
    })
}

/// Reads a cell as a whole number, also as `0x..`; `None` where it is empty.
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
    // Sums of two of them stay within the type.
    match value.filter(|&value| value <= u64::MAX / 4) {
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

/// Reads the declarations before the header.
fn device(bytes: &[u8]) -> Result<Device, TableFault> {
    let mut device = Device::default();
    let lines = (1..).zip(bytes.split(|&byte| byte == b'\n'));
    let mut marked = false;
    for (line, text) in lines {
        let text = String::from_utf8_lossy(text);
        let text = text.trim();
        if line == 1 {
            marked = text == MARK;
        }
        if text.is_empty() {
            continue;
        }
        let Some(told) = text.strip_prefix('#') else { break };
        if let Some((key, value)) = told.split_once('=') {
            declare(&mut device, key.trim(), value.trim(), line)?;
        }
    }
    if !marked {
        return Err(TableFault::new(1, format!("this is no placement table: begin with `{MARK}`")));
    }
    if device.units == 0 || device.resources.is_empty() {
        let text = "the device is not declared: `# units = 4` and a line `# resource vgpr = 256 per-wave` for each resource stand before the header";
        return Err(TableFault::new(1, text));
    }
    Ok(device)
}

fn declare(device: &mut Device, key: &str, value: &str, line: u64) -> Result<(), TableFault> {
    let whole = |text: &str, most: u64| {
        let value = text.parse::<u64>().ok().filter(|value| (1..=most).contains(value));
        value.ok_or_else(|| {
            let text: String = text.chars().take(40).collect();
            let text = format!("`{key}` is `{text}`: give a whole number from 1 to {most}");
            TableFault::new(line, text)
        })
    };
    match key.split_once(' ') {
        None if key == "units" => device.units = whole(value, MOST_UNITS)?,
        None if key == "wave-slots" => device.wave_slots = whole(value, u64::from(u32::MAX))?,
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
            let name = name.trim().to_owned();
            if device.resources.iter().any(|known| known.name == name) {
                let text = format!("resource `{name}` is declared twice: declare each once");
                return Err(TableFault::new(line, text));
            }
            let blocks = whole(blocks, u64::from(u32::MAX))?;
            device.resources.push(Declared { name, blocks, per_wave });
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

fn columns(row: &[&[u8]], device: &Device, line: u64) -> Result<Columns, TableFault> {
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
    for cell in row {
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
