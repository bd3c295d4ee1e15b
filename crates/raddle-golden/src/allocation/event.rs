//! Which device does a check of placements know, and which events does it take?

/// The most units.
pub(super) const MOST_UNITS: u64 = 65_536;
/// The most blocks of a resource, and the most wave slots.
pub(super) const MOST_BLOCKS: u64 = u32::MAX as u64;
/// The largest number of an event: sums of two of them stay within the type.
pub(super) const MOST_NUMBER: u64 = u64::MAX / 4;

/// The reason why a table cannot be read, or why an event is refused.
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

/// The units that are checked, and the resources of each.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct AllocationDevice {
    pub(super) units: u64,
    /// The most waves of a unit at once; 0 for any number.
    pub(super) wave_slots: u64,
    pub(super) resources: Vec<Declared>,
}

impl AllocationDevice {
    /// Returns a device of 1 to 65,536 units without resources. `wave_slots` are the most waves of a
    /// unit at once, up to `u32::MAX`; 0 is any number.
    ///
    /// # Errors
    /// A text that names the number which is out of range.
    pub fn new(units: u64, wave_slots: u64) -> Result<Self, String> {
        let mut device = Self { wave_slots, ..Self::default() };
        device.units = within("units", &units.to_string(), MOST_UNITS)?;
        if wave_slots > 0 {
            within("wave-slots", &wave_slots.to_string(), MOST_BLOCKS)?;
        }
        Ok(device)
    }

    /// Adds a resource: `blocks` in each unit, 1 to `u32::MAX`. The waves of a workgroup divide a
    /// `per_wave` part equally, in the order of their numbers; all use the whole of another one.
    ///
    /// # Errors
    /// A text where the name is none or taken, or the number is out of range.
    pub fn add(&mut self, name: &str, blocks: u64, per_wave: bool) -> Result<(), String> {
        if name.is_empty() || name.contains([',', '\n']) {
            return Err(format!("`{name}` is no name of a resource: give a word without a comma"));
        }
        if self.resources.iter().any(|known| known.name == name) {
            return Err(format!("resource `{name}` is declared twice: declare each once"));
        }
        let blocks = within(&format!("resource {name}"), &blocks.to_string(), MOST_BLOCKS)?;
        self.resources.push(Declared { name: name.to_owned(), blocks, per_wave });
        Ok(())
    }

    /// Returns the names of the resources, in the order in which an event gives its parts.
    pub fn names(&self) -> impl Iterator<Item = &str> {
        self.resources.iter().map(|it| &*it.name)
    }
}

/// Reads a whole number from 1 to `most`.
pub(super) fn within(key: &str, text: &str, most: u64) -> Result<u64, String> {
    let value = text.parse::<u64>().ok().filter(|value| (1..=most).contains(value));
    value.ok_or_else(|| {
        let text: String = text.chars().take(40).collect();
        format!("`{key}` is `{text}`: give a whole number from 1 to {most}")
    })
}

/// The kinds of events.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum AllocationEventKind {
    /// A workgroup waits for a place.
    Request,
    /// A workgroup gets a part of a unit.
    Place,
    /// A wave starts.
    Wave,
    /// A wave ends, or all of a workgroup where neither wave nor tag is given.
    End,
    /// A workgroup gives its part back.
    Free,
}

/// One thing that a dispatcher does. Numbers go up to 2^62 - 1; docs/rtl.md says which event needs
/// which.
#[derive(Clone, Debug)]
pub struct AllocationEvent {
    /// The number of the line, or of the event, from 1.
    pub(super) line: u64,
    /// The clock, never smaller than that of the event before.
    pub clock: u64,
    /// The kind of the event.
    pub kind: AllocationEventKind,
    /// The number of the workgroup.
    pub workgroup: u64,
    /// The unit, from 0.
    pub unit: Option<u64>,
    /// The number of waves of the workgroup.
    pub waves: Option<u64>,
    /// The number of a wave within its workgroup, from 0.
    pub wave: Option<u64>,
    /// The name of the wave on its unit.
    pub tag: Option<u64>,
    /// Start and size of each resource, in blocks, in the order in which the device has them.
    pub parts: Vec<(Option<u64>, Option<u64>)>,
}

impl AllocationEvent {
    /// Returns an event that names a workgroup alone, on a device with this many resources.
    #[must_use]
    pub fn new(clock: u64, kind: AllocationEventKind, workgroup: u64, resources: usize) -> Self {
        Self {
            line: 0,
            clock,
            kind,
            workgroup,
            unit: None,
            waves: None,
            wave: None,
            tag: None,
            parts: vec![(None, None); resources],
        }
    }

    /// Refuses numbers that are too large, and parts of other resources than the device has.
    pub(super) fn check(&self, device: &AllocationDevice) -> Result<(), TableFault> {
        let (given, wanted) = (self.parts.len(), device.resources.len());
        if given != wanted {
            let text = format!(
                "the event has parts of {given} resources, of {wanted}: give a start and a size for each"
            );
            return Err(TableFault::new(self.line, text));
        }
        let named = [
            ("clock", Some(self.clock)),
            ("workgroup", Some(self.workgroup)),
            ("unit", self.unit),
            ("waves", self.waves),
            ("wave", self.wave),
            ("tag", self.tag),
        ];
        let parts = self.parts.iter().flat_map(|part| [("start", part.0), ("size", part.1)]);
        for (name, number) in named.into_iter().chain(parts) {
            if let Some(number) = number.filter(|&number| number > MOST_NUMBER) {
                let text = format!("`{name}` is {number}: give a whole number from 0 to 2^62 - 1");
                return Err(TableFault::new(self.line, text));
            }
        }
        Ok(())
    }
}
