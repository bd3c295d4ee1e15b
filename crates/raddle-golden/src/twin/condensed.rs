//! In which packets does the policy `condensed` send launches, and what does each packet cost?
//!
//! The rules are those of seed 002 (tables 4 and 5, processes 300 and 600, figures 5 and 7) and of
//! `docs/policies/condensed-packets.md`. A launch is a list of field values, a reference table a
//! list of launches, a packet its number of half-words (16 bits): no bytes are written.
//!
//! Units: half-words, nanoseconds.

use std::collections::BTreeMap;

use raddle_policy::Launch;
use serde_json::Value;

/// Number of half-words (16 bits each) of a condensed packet that can hold launches. Each launch
/// takes a header and the fields in which it differs from a table entry (Table 4 of patent 002).
const ROOM: u64 = 31;

/// Most kernels without an entry in the reference table whose launches are counted. The counts
/// decide which of these kernels gets an entry.
const COUNTED: usize = 32;

/// Number of half-words (16 bits each) of each field in which two launches may differ: dimensions,
/// work-items, grid (x, y, z), local memory, kernel object, arguments, signal (Tables 1 and 5 of
/// patent 002). Scopes and scratch are equal for all launches.
const WIDTHS: [u64; 9] = [1, 1, 2, 2, 2, 2, 4, 4, 4];

/// Index of the kernel object among the fields of a launch.
const KERNEL: usize = 6;

/// Values of the fields of a launch, in the order of [`WIDTHS`].
type Fields = [u64; 9];

/// Size and cost of one submission of a launch, as (packets, bytes, cost in nanoseconds, cleanup in
/// nanoseconds).
pub(super) type Sent = (u32, u64, u64, u64);

/// Costs of sending a launch, in nanoseconds, with the letters of figures 5 and 7 in patent 002:
/// writing and reading a packet (E and P), scheduling (S), decoding one kernel, and cleanup (C).
#[derive(Clone, Copy, Debug)]
struct Costs {
    packet: u64,
    schedule: u64,
    decode: u64,
    cleanup: u64,
}

/// An entry of a reference table: a launch from which others are encoded.
#[derive(Clone, Copy, Debug)]
struct Entry {
    fields: Fields,
    /// Number of launches that were stored in this entry of the reference table, or sent as
    /// differences from it.
    uses: u64,
    /// Number of the last launch that was stored in this entry of the reference table, or sent as a
    /// difference from it.
    last: u64,
}

/// A reference table, and the packet that is being filled. The table holds launches; other launches
/// are sent as their differences from one of its entries.
#[derive(Clone, Debug, Default)]
struct Table {
    entries: Vec<Entry>,
    /// (launches, half-words of 16 bits) in the condensed packet that is being filled; 0 launches
    /// where no packet is.
    open: (u64, u64),
    /// (process, stream) of the latest launch that was sent with this table; `None` at first.
    queue: Option<(u16, u32)>,
    /// True if the time of the cleanup after the latest launch is not counted yet, because further
    /// launches may follow in the same packet.
    owes: bool,
    uses: u64,
    /// Kernels that have no entry in the reference table, each as (kernel, number of its launches).
    rare: Vec<(u64, u64)>,
}

/// Form in which a launch is sent: as an ordinary packet; stored in the reference table, in the
/// entry with this index; or encoded from an entry, as (index of the entry, cost in half-words of
/// 16 bits).
enum Way {
    Ordinary,
    Stored(usize),
    From(usize, u64),
}

/// Naive model of the policy `condensed`. The policy's answers in a log are compared with those of
/// the model.
#[derive(Debug)]
pub(super) struct Condensed {
    costs: Costs,
    keep: String,
    near: u64,
    entries: usize,
    scope: String,
    fixed: bool,
    signals: bool,
    ahead: u64,
    tables: BTreeMap<(u16, u32), Table>,
    launches: u64,
}

impl Condensed {
    pub(super) fn new(settings: &Value) -> Self {
        let number = |key: &str, or| settings[key].as_u64().unwrap_or(or);
        let name = |key: &str, or: &str| settings[key].as_str().unwrap_or(or).to_owned();
        let packet = number("enqueue-ns", 0).saturating_add(number("processing-ns", 0));
        Self {
            costs: Costs {
                packet,
                schedule: number("schedule-ns", 0),
                decode: number("decode-ns", 0),
                cleanup: number("cleanup-ns", 0),
            },
            keep: name("keep", "frequency"),
            near: number("near", 9),
            entries: number("entries", 8) as usize,
            scope: name("scope", "queue"),
            fixed: settings["arguments"] == "fixed",
            signals: settings["signals"] == true,
            ahead: number("ahead", ROOM),
            tables: BTreeMap::new(),
            launches: 0,
        }
    }

    /// Returns the values of a launch's fields in its packet. Values are only compared, so the
    /// number of the launch stands for its arguments and its signal. Where the settings say so,
    /// arguments are fixed, and the number of the kernel stands for them; without signals, the
    /// signal is 0.
    fn fields(&self, launch: &Launch) -> Fields {
        let call = &launch.call;
        let kernel = u64::from(launch.process.0) << 32 | u64::from(call.kernel);
        let dimensions = if call.grid.z > 1 { 3 } else { 1 + u64::from(call.grid.y > 1) };
        let items = call.threads.min(u16::MAX.into());
        let along_x = call.grid.x.saturating_mul(call.threads);
        [
            dimensions,
            items.into(),
            along_x.into(),
            call.grid.y.into(),
            call.grid.z.into(),
            call.lds_bytes.into(),
            kernel,
            if self.fixed { kernel } else { self.launches },
            if self.signals { self.launches } else { 0 },
        ]
    }

    /// Returns what the submission of this launch must take by the policy's rules, as (packets,
    /// bytes, cost in nanoseconds, cleanup in nanoseconds).
    pub(super) fn of(&mut self, launch: &Launch) -> Sent {
        if launch.is_copy() {
            return (0, 0, 0, 0);
        }
        let fields = self.fields(launch);
        self.launches += 1;
        let queue = (launch.process.0, launch.stream.0);
        let shared_by = match self.scope.as_str() {
            "agent" => (0, 0),
            "process" => (queue.0, 0),
            _ => queue,
        };
        let table = self.tables.entry(shared_by).or_default();
        if table.queue != Some(queue) {
            // The cleanup of a packet of another queue is in no submission.
            (table.queue, table.open, table.owes) = (Some(queue), (0, 0), false);
        }
        if launch.call.behind_copy || table.open.0 >= self.ahead {
            table.open = (0, 0);
        }
        let way = match launch.call.is_unknown() {
            true => Way::Ordinary,
            false => table.way(&fields, &self.keep, self.near, self.entries),
        };
        let joined = table.takes(&fields, &way);
        // A packet is full if the smallest kernel does not fit: its header, with new arguments their address.
        let least = if self.fixed { 1 } else { 5 };
        let (launches, used) = table.open;
        let over = launches == 0 || launches >= self.ahead || used + least > ROOM;
        let cleans = over || self.signals;
        let late = std::mem::replace(&mut table.owes, !cleans) && !joined;
        let Costs { packet, schedule, decode, cleanup } = self.costs;
        let parts = [
            if joined { 0 } else { packet },
            if matches!(way, Way::From(..)) { decode } else { 0 },
            schedule,
            if late { cleanup } else { 0 },
        ];
        let cost = parts.into_iter().fold(0, u64::saturating_add);
        let (packets, bytes) = if joined { (0, 0) } else { (1, 64) };
        (packets, bytes, cost, if cleans { cleanup } else { 0 })
    }
}

impl Table {
    /// Decides how a launch is sent: as an ordinary packet, stored in an entry of the reference
    /// table, or encoded from an entry. An entry of the same kernel is used if encoding from it
    /// takes at most `near` half-words (16 bits each). The table has at most `most` entries, and
    /// `keep` names the rule that picks the one to be replaced.
    fn way(&mut self, fields: &Fields, keep: &str, near: u64, most: usize) -> Way {
        let far = |entry: &Entry| {
            let differ = (0..WIDTHS.len()).filter(|&at| entry.fields[at] != fields[at]);
            let payload: u64 = differ.map(|at| WIDTHS[at]).sum();
            (1 + payload, entry.fields[KERNEL] != fields[KERNEL])
        };
        // The nearest entry: fewest half-words, then the same kernel, then the lowest number.
        let nearest = self.entries.iter().map(far).zip(0..).min();
        if let Some(((cost, false), at)) = nearest.filter(|it| it.0.0 <= near) {
            return Way::From(at, cost);
        }
        if self.entries.len() < most {
            return Way::Stored(self.entries.len());
        }
        let least = |of: fn(&Entry) -> u64| (0..most).min_by_key(|&at| of(&self.entries[at]));
        let replaced = match keep {
            "first" => None,
            "most-recent" => least(|entry| entry.last),
            _ => least(|entry| entry.uses).filter(|&at| self.is_rarer(at, fields[KERNEL])),
        };
        match (replaced, nearest) {
            (Some(at), _) => Way::Stored(at),
            // Two such launches fit into a packet, or this one into the open packet.
            (_, Some(((cost, _), at))) if 2 * cost <= ROOM || self.has_room(cost) => {
                Way::From(at, cost)
            }
            _ => Way::Ordinary,
        }
    }

    /// Counts a launch of `kernel`, which has no entry in the table. Returns whether the kernel has
    /// now been launched more often than the entry `entry` was used. If so, the kernel of that
    /// entry takes its place among the counted kernels without an entry.
    fn is_rarer(&mut self, entry: usize, kernel: u64) -> bool {
        let known = self.rare.iter().position(|it| it.0 == kernel);
        let at = known.unwrap_or_else(|| {
            if self.rare.len() < COUNTED {
                self.rare.push((kernel, 0));
                return self.rare.len() - 1;
            }
            (0..COUNTED).min_by_key(|&at| self.rare[at].1).unwrap_or(0)
        });
        let launches = self.rare[at].1 + 1;
        self.rare[at] = (kernel, launches);
        let Entry { fields, uses, .. } = &mut self.entries[entry];
        if launches <= *uses {
            return false;
        }
        self.rare[at] = (fields[KERNEL], *uses);
        // The launch itself is counted when it is stored.
        *uses = launches - 1;
        true
    }

    const fn has_room(&self, cost: u64) -> bool {
        self.open.0 > 0 && self.open.1 + cost <= ROOM
    }

    /// Updates the reference table by a launch that is sent, and returns whether the launch goes
    /// into the packet that is being filled.
    fn takes(&mut self, fields: &Fields, way: &Way) -> bool {
        self.uses += 1;
        let (at, cost) = match *way {
            Way::Ordinary => {
                self.open = (0, 0);
                return false;
            }
            Way::Stored(at) => {
                let uses = self.entries.get(at).map_or(0, |entry| entry.uses);
                let entry = Entry { fields: *fields, uses: uses + 1, last: self.uses };
                match self.entries.get_mut(at) {
                    Some(place) => *place = entry,
                    None => self.entries.push(entry),
                }
                self.open = (0, 0);
                return false;
            }
            Way::From(at, cost) => (at, cost),
        };
        let entry = &mut self.entries[at];
        (entry.uses, entry.last) = (entry.uses + 1, self.uses);
        let joined = self.has_room(cost);
        let (launches, used) = if joined { self.open } else { (0, 0) };
        self.open = (launches + 1, used + cost);
        joined
    }
}
