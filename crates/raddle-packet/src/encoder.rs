//! How does a stream of launches become as few packets as it can?
//!
//! In order: a launch goes behind the last one in the open condensed packet while it fits, else that
//! packet is sent and another one begins (B7). Ordinary, reference and barrier packets close the
//! open one. What the table of the agent holds is known from what was sent.

use crate::condensed::Condensed;
use crate::error::Error;
use crate::format::Format;
use crate::keep::{Ask, Keep, Nearest, Way};
use crate::launch::Launch;
use crate::table::Table;

/// The sending side of one table.
#[derive(Clone, Debug)]
pub struct Encoder<const BYTES: usize, const ENTRIES: usize, K> {
    format: Format<BYTES>,
    keep: K,
    table: Table<BYTES, ENTRIES>,
    vacant: Option<u16>,
    open: Condensed<BYTES>,
    tally: Tally,
    /// The entry that followed each one last time.
    follows: [u16; ENTRIES],
    last: u16,
    /// Entries that are the only one of their kernel.
    alone: [bool; ENTRIES],
}

/// What an encoder has made so far.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Tally {
    /// Launches sent as ordinary packets.
    pub ordinary: u64,
    /// Launches sent as reference packets.
    pub reference: u64,
    /// Launches sent in condensed packets: those for which the table had something.
    pub condensed: u64,
    /// Condensed packets.
    pub condensed_packets: u64,
    /// Half-words used in them.
    pub half_words: u64,
    /// Barriers.
    pub barriers: u64,
}

impl Tally {
    /// All launches.
    #[must_use]
    pub const fn launches(&self) -> u64 {
        self.ordinary + self.reference + self.condensed
    }

    /// All packets but barriers.
    #[must_use]
    pub const fn packets(&self) -> u64 {
        self.ordinary + self.reference + self.condensed_packets
    }
}

impl<const BYTES: usize, const ENTRIES: usize, K: Keep<BYTES>> Encoder<BYTES, ENTRIES, K> {
    /// For an agent with an empty table.
    ///
    /// # Errors
    /// When the format has more entries than `ENTRIES`.
    pub fn new(format: Format<BYTES>, keep: K) -> Result<Self, Error> {
        Ok(Self {
            keep,
            table: Table::new(&format)?,
            vacant: Some(0),
            open: Condensed::new(&format),
            tally: Tally::default(),
            follows: [0; ENTRIES],
            last: 0,
            alone: [true; ENTRIES],
            format,
        })
    }

    /// What was sent; launches of an open packet count, the packet does not yet.
    #[must_use]
    pub const fn tally(&self) -> Tally {
        self.tally
    }

    /// What the agent holds once it has seen every packet.
    #[must_use]
    pub const fn table(&self) -> &Table<BYTES, ENTRIES> {
        &self.table
    }

    /// Takes a launch. `send` gets each packet that is complete by it.
    #[inline]
    pub fn launch(&mut self, launch: &Launch<BYTES>, send: &mut impl FnMut(&[u8; BYTES])) {
        let nearest = self.nearest(launch);
        let open = !self.open.is_empty();
        let room = if open { self.format.capacity() - self.open.used() } else { 0 };
        let Self { format, keep, vacant, .. } = self;
        let ask = Ask { format, launch, nearest, vacant: *vacant, room };
        let way = keep.way(&ask);
        match (way, nearest) {
            (Way::Condense, Some(near)) => {
                keep.used(&ask, near.ref_num);
                self.condense(launch, near, send);
            }
            (Way::Store(ref_num), _) if ref_num < format.entries() => {
                keep.used(&ask, ref_num);
                self.store(launch, ref_num, send);
            }
            _ => {
                self.flush(send);
                self.tally.ordinary += 1;
                send(&launch.dispatch(&self.format));
            }
        }
    }

    #[inline]
    fn condense(
        &mut self,
        launch: &Launch<BYTES>,
        near: Nearest,
        send: &mut impl FnMut(&[u8; BYTES]),
    ) {
        let Nearest { ref_num, vector, cost } = near;
        if self.open.push_known(&self.format, ref_num, vector, cost, launch).is_err() {
            self.flush(send);
            // All fields of one launch have room in an empty packet: a format is checked for it.
            let _ = self.open.push_known(&self.format, ref_num, vector, cost, launch);
        }
        self.tally.condensed += 1;
        self.follow(ref_num);
    }

    fn store(&mut self, launch: &Launch<BYTES>, ref_num: u16, send: &mut impl FnMut(&[u8; BYTES])) {
        self.flush(send);
        // The caller has looked whether there is such an entry.
        if let Ok(packet) = launch.reference(&self.format, ref_num) {
            send(&packet);
        }
        let _ = self.table.store(&self.format, ref_num, launch);
        self.tally.reference += 1;
        self.vacant = self.table.vacant(&self.format);
        self.follow(ref_num);
        let kernel = |launch: &Launch<BYTES>| launch.get(&self.format, self.format.kernel());
        for (number, alone) in (0..).zip(&mut self.alone) {
            let Some(ours) = self.table.get(number).map(kernel) else { continue };
            let same = self.table.entries().filter(|(_, launch)| kernel(launch) == ours);
            *alone = same.count() == 1;
        }
    }

    /// Notes what came after the last entry.
    #[inline]
    fn follow(&mut self, ref_num: u16) {
        if let Some(next) = self.follows.get_mut(usize::from(self.last)) {
            *next = ref_num;
        }
        self.last = ref_num;
    }

    /// Takes a packet that keeps the order, such as a barrier.
    pub fn barrier(&mut self, packet: &[u8; BYTES], send: &mut impl FnMut(&[u8; BYTES])) {
        self.flush(send);
        self.tally.barriers += 1;
        send(packet);
    }

    /// Sends the open condensed packet, if there is one.
    #[inline]
    pub fn flush(&mut self, send: &mut impl FnMut(&[u8; BYTES])) {
        if self.open.is_empty() {
            return;
        }
        send(self.open.bytes());
        self.tally.condensed_packets += 1;
        self.tally.half_words += u64::from(self.open.used());
        self.open = Condensed::new(&self.format);
    }

    /// The nearest entry.
    ///
    /// Launches come in loops, so the entry that followed last time is looked at first. Where it is
    /// the only one of this launch's kernel and differs by no more than a kernel's name takes, no
    /// other entry is nearer.
    #[inline]
    fn nearest(&self, launch: &Launch<BYTES>) -> Option<Nearest> {
        let format = &self.format;
        let guess = self.follows.get(usize::from(self.last)).copied().unwrap_or(0);
        if let Some(entry) = self.table.get(guess) {
            let vector = launch.differs(entry, format);
            let cost = format.cost(vector);
            let sure = format.cost(1 << format.kernel());
            let alone = self.alone.get(usize::from(guess)).copied().unwrap_or(false);
            if alone && cost <= sure && vector >> format.kernel() & 1 == 0 {
                return Some(Nearest { ref_num: guess, vector, cost });
            }
        }
        self.search(launch)
    }

    /// The nearest of all entries.
    fn search(&self, launch: &Launch<BYTES>) -> Option<Nearest> {
        let format = &self.format;
        let near = |(ref_num, entry): (u16, &Launch<BYTES>)| {
            let vector = launch.differs(entry, format);
            Nearest { ref_num, vector, cost: format.cost(vector) }
        };
        let other = |near: &Nearest| near.vector >> format.kernel() & 1;
        self.table.entries().map(near).min_by_key(|near| (near.cost, other(near), near.ref_num))
    }
}
