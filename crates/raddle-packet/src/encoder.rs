//! How does a stream of launches become as few packets as it can?
//!
//! In order: a launch goes behind the last one in the open condensed packet while it fits, else that
//! packet is sent and another one begins (B7). Ordinary, reference and barrier packets close the
//! open one. What the table of the agent holds is known from what was sent.

use core::slice;

use crate::condensed::Condensed;
use crate::error::Error;
use crate::format::Format;
use crate::keep::{Ask, Keep, Nearest, Way};
use crate::launch::Launch;
use crate::run::Run;
use crate::table::Table;

/// The sending side of one table.
///
/// Its size depends most on what it keeps: for AQL packets and 8 entries 2,944 bytes with
/// [`Frequency`](crate::Frequency) on a 64-bit machine and 2,560 on a 32-bit one (others are in the
/// README of the crate).
#[derive(Clone, Debug)]
pub struct Encoder<const BYTES: usize, const ENTRIES: usize, K> {
    format: Format<BYTES>,
    keep: K,
    table: Table<BYTES, ENTRIES>,
    vacant: Option<u16>,
    open: Condensed<BYTES>,
    tally: Tally,
    run: Run<BYTES>,
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
            run: Run::new(&format),
            format,
        })
    }

    /// What was sent; launches of an open packet count, the packet does not yet.
    #[must_use]
    pub const fn tally(&self) -> Tally {
        self.tally
    }

    /// Half-words left in the open packet; 0 if none is open.
    #[must_use]
    pub const fn room(&self) -> u16 {
        match self.open.used() {
            0 => 0,
            used => self.format.capacity() - used,
        }
    }

    /// What the agent holds once it has seen every packet.
    #[must_use]
    pub const fn table(&self) -> &Table<BYTES, ENTRIES> {
        &self.table
    }

    /// Takes a launch. `send` gets each packet that is complete by it.
    #[inline]
    pub fn launch(&mut self, launch: &Launch<BYTES>, send: &mut impl FnMut(&[u8; BYTES])) {
        self.launches(slice::from_ref(launch), send);
    }

    /// Takes launches, in order; the same as one by one, and the quickest way for many. `send` gets
    /// each packet that is complete by them.
    #[inline]
    pub fn launches(&mut self, launches: &[Launch<BYTES>], send: &mut impl FnMut(&[u8; BYTES])) {
        let mut left = launches;
        loop {
            let Self { format, keep, table, vacant, open, run, tally } = self;
            let mut complete = |open: &mut Condensed<BYTES>| complete(open, format, tally, send);
            let (taken, next) =
                run.fill((format, table), (keep, *vacant), (open, &mut complete), left);
            self.tally.condensed += taken as u64;
            let Some((launch, rest)) = left.get(taken..).and_then(<[_]>::split_first) else {
                return;
            };
            match next {
                Some((near, way)) => self.go(launch, Some(near), way, send),
                None => self.search_and_go(launch, send),
            }
            left = rest;
        }
    }

    #[inline(never)]
    fn search_and_go(&mut self, launch: &Launch<BYTES>, send: &mut impl FnMut(&[u8; BYTES])) {
        let (nearest, room) = (self.search(launch), self.room());
        let Self { format, keep, vacant, .. } = self;
        let way = keep.way(&Ask { format, launch, nearest, vacant: *vacant, room });
        self.go(launch, nearest, way, send);
    }

    /// Sends a launch the way that was decided.
    #[inline]
    fn go(
        &mut self,
        launch: &Launch<BYTES>,
        nearest: Option<Nearest>,
        way: Way,
        send: &mut impl FnMut(&[u8; BYTES]),
    ) {
        let room = self.room();
        let Self { format, keep, vacant, .. } = self;
        let ask = Ask { format, launch, nearest, vacant: *vacant, room };
        match (way, nearest) {
            (Way::Condense, Some(near)) => {
                keep.used(&ask, near.ref_num);
                self.condense(launch, near, send);
            }
            (Way::Store(ref_num), _) if ref_num < format.entries() => {
                keep.used(&ask, ref_num);
                self.store(launch, ref_num, send);
            }
            // Where both have one type, an ordinary packet fills the entry that it names: 0 (B11).
            _ if format.types.dispatch == format.types.reference => {
                keep.used(&ask, 0);
                self.store(launch, 0, send);
            }
            _ => self.send_ordinary(launch, send),
        }
    }

    #[inline(never)]
    fn send_ordinary(&mut self, launch: &Launch<BYTES>, send: &mut impl FnMut(&[u8; BYTES])) {
        self.flush(send);
        self.tally.ordinary += 1;
        send(&launch.dispatch(&self.format));
    }

    #[inline]
    fn condense(
        &mut self,
        launch: &Launch<BYTES>,
        near: Nearest,
        send: &mut impl FnMut(&[u8; BYTES]),
    ) {
        self.run.turn_to(&self.format, near.vector);
        let Self { format, open, run, tally, .. } = self;
        if open.push_planned(format, near.ref_num, run.plan(), launch).is_err() {
            complete(open, format, tally, send);
            // All fields of one launch have room in an empty packet: a format is checked for it.
            let _ = open.push_planned(format, near.ref_num, run.plan(), launch);
        }
        self.tally.condensed += 1;
    }

    #[inline(never)]
    fn store(&mut self, launch: &Launch<BYTES>, ref_num: u16, send: &mut impl FnMut(&[u8; BYTES])) {
        self.flush(send);
        // The caller has looked whether there is such an entry.
        if let Ok(packet) = launch.reference(&self.format, ref_num) {
            send(&packet);
        }
        let _ = self.table.store(&self.format, ref_num, launch);
        self.tally.reference += 1;
        self.vacant = self.table.vacant(&self.format);
        self.run.learn(&self.format, &self.table);
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
        if !self.open.is_empty() {
            complete(&mut self.open, &self.format, &mut self.tally, send);
        }
    }

    /// The nearest of all entries.
    #[inline(never)]
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

/// Sends a condensed packet, and begins another.
#[inline]
fn complete<const BYTES: usize>(
    open: &mut Condensed<BYTES>,
    format: &Format<BYTES>,
    tally: &mut Tally,
    send: &mut impl FnMut(&[u8; BYTES]),
) {
    send(open.bytes(format));
    tally.condensed_packets += 1;
    tally.half_words += u64::from(open.used());
    *open = Condensed::new(format);
}
