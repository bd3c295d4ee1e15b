//! How are the device and the events of a placement check described?

/// Most units that the device of a placement check may have; a unit is a compute unit or a SIMD,
/// whichever the placement table lists.
pub(super) const MOST_UNITS: u64 = 65_536;
/// Most blocks (smallest amounts that are handed out) that one resource of a unit may have; also
/// the most wave slots of a unit.
pub(super) const MOST_BLOCKS: u64 = u32::MAX as u64;
/// Largest number that an event may give; larger ones are refused, so that the sum of two of them
/// stays within `u64`.
pub(super) const MOST_NUMBER: u64 = u64::MAX / 4;

/// Reason why a placement table cannot be read, or why an event is refused.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("line {line}: {message}")]
pub struct TableFault {
    /// Line of the placement table, from 1; where events come one by one without a table, the
    /// number of the event, from 1.
    pub line: u64,
    /// Message that tells a person what is wrong with the checked table of events, or with one
    /// event, and what is expected.
    pub message: String,
}

impl TableFault {
    pub(super) fn new(line: u64, message: impl Into<String>) -> Self {
        Self { line, message: message.into() }
    }
}

/// A resource that every compute unit of the checked device has.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Declared {
    pub(super) name: String,
    /// Number of blocks (smallest amounts that are handed out) of the resource in each compute
    /// unit.
    pub(super) blocks: u64,
    /// True if the waves of a workgroup divide the blocks that it holds of the resource; false if
    /// every wave uses all of these blocks.
    pub(super) per_wave: bool,
}

/// Device whose placements are checked: the number of its compute units, and the resources of each.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct AllocationDevice {
    pub(super) units: u64,
    /// Most waves that may run on a compute unit at once; 0 for any number.
    pub(super) wave_slots: u64,
    pub(super) resources: Vec<Declared>,
}

impl AllocationDevice {
    /// Returns a device of 1 to 65,536 compute units without resources. `wave_slots` is the most
    /// waves that a unit may run at once, up to `u32::MAX`; 0 stands for any number.
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

    /// Adds a resource with 1 to `u32::MAX` blocks in each unit. Where `per_wave` is true, the
    /// waves of a workgroup divide equally the blocks that the workgroup holds, in the order of
    /// their numbers; else every wave uses all of these blocks.
    ///
    /// # Errors
    /// A text for the user where the name is empty, contains a comma or a line end, or is taken
    /// already, or where the number of blocks is out of range.
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

    /// Returns the names of the device's resources, in the order of the field `parts` of an event.
    pub fn names(&self) -> impl Iterator<Item = &str> {
        self.resources.iter().map(|it| &*it.name)
    }
}

/// Reads a whole number from 1 to `most` from `text`; the error calls the number `key`.
pub(super) fn within(key: &str, text: &str, most: u64) -> Result<u64, String> {
    let value = text.parse::<u64>().ok().filter(|value| (1..=most).contains(value));
    value.ok_or_else(|| {
        let text: String = text.chars().take(40).collect();
        format!("`{key}` is `{text}`: give a whole number from 1 to {most}")
    })
}

/// Kinds of events of a dispatcher (part of a GPU that places workgroups) whose placements are
/// checked.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum AllocationEventKind {
    /// The event that a workgroup is ready to start and waits for room.
    Request,
    /// The event that a workgroup gets neighbouring blocks of each resource of a compute unit.
    Place,
    /// The event that a wave of a placed workgroup starts to run.
    Wave,
    /// The event that a wave ends; or, where it names neither a wave nor a tag, all waves of a
    /// workgroup end.
    End,
    /// The event that a workgroup gives back all blocks that it holds on its compute unit.
    Free,
}

/// One event of a dispatcher, as a placement table (list of such events) has it. Numbers go up to
/// 2^62 - 1; docs/rtl.md says which fields each kind of event needs.
#[derive(Clone, Debug)]
pub struct AllocationEvent {
    /// Line of the event in the placement table, or number of the event where there is no table;
    /// from 1.
    pub(super) line: u64,
    /// Clock cycle of the event, not smaller than that of the previous event.
    pub clock: u64,
    /// Kind of the event, such as a request or a placement.
    pub kind: AllocationEventKind,
    /// Number of the workgroup that the event is about.
    pub workgroup: u64,
    /// Number of the compute unit on which the event happens, from 0; `None` where the event names
    /// none.
    pub unit: Option<u64>,
    /// Number of waves of the workgroup; `None` where the event does not give it.
    pub waves: Option<u64>,
    /// Number of the wave within its workgroup, from 0; `None` where the event names none.
    pub wave: Option<u64>,
    /// Tag of the wave, the number that stands for it in the compute unit while it runs; `None`
    /// where the event names none.
    pub tag: Option<u64>,
    /// For each resource of the device, in the order of the device's list, the neighbouring blocks
    /// that the workgroup holds, as (first block, number of blocks); `None` where a value is not
    /// given.
    pub parts: Vec<(Option<u64>, Option<u64>)>,
}

impl AllocationEvent {
    /// Returns an event that has only a clock cycle, a kind and a workgroup, on a device with
    /// `resources` resources; all other numbers of the event are `None`.
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

    /// Checks the event without the events before it: a number that is too large is a fault, and so
    /// is a list of resources whose length differs from the device's.
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
