//! How does a stream of launches become as few packets as it can?
//!
//! In order: a launch goes behind the last one in the open condensed packet while it fits, else that
//! packet is sent and another one begins (B7). Ordinary, reference and barrier packets close the
//! open one. What the table of the agent holds is known from what was sent.

use crate::condensed::Condensed;
use crate::diff::Plan;
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
    /// The entry that is the only one of its kernel, by a hash of that; [`NOBODY`] elsewhere.
    finder: [u16; SLOTS],
    /// For the fields in which the last launch differed; the next mostly differs in the same.
    plan: Plan,
    /// Whether that plan is a single field of 64 bits which leaves no doubt; see `quick`.
    sure: bool,
    /// Which word that field is.
    word: usize,
    /// Where that field is, every bit is 0; everywhere else, 1.
    beside: [u8; BYTES],
}

/// No entry.
const NOBODY: u16 = u16::MAX;
/// Places of the finder, a power of two.
const SLOTS: usize = 64;

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
            finder: [NOBODY; SLOTS],
            plan: format.plan(0),
            sure: false,
            word: 0,
            beside: [u8::MAX; BYTES],
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

    /// Half-words of the last difference, its header included.
    pub(crate) const fn last_cost(&self) -> u16 {
        self.plan.cost
    }

    /// What the agent holds once it has seen every packet.
    #[must_use]
    pub const fn table(&self) -> &Table<BYTES, ENTRIES> {
        &self.table
    }

    /// Takes a launch. `send` gets each packet that is complete by it.
    #[inline]
    pub fn launch(&mut self, launch: &Launch<BYTES>, send: &mut impl FnMut(&[u8; BYTES])) {
        match self.quick(launch) {
            Some(near) => self.take(launch, Some(near), send),
            None => self.take_searched(launch, send),
        }
    }

    #[inline(never)]
    fn take_searched(&mut self, launch: &Launch<BYTES>, send: &mut impl FnMut(&[u8; BYTES])) {
        let nearest = self.search(launch);
        self.take(launch, nearest, send);
    }

    /// Takes a launch whose nearest entry is known.
    #[inline(always)]
    fn take(
        &mut self,
        launch: &Launch<BYTES>,
        nearest: Option<Nearest>,
        send: &mut impl FnMut(&[u8; BYTES]),
    ) {
        let room = self.room();
        let Self { format, keep, vacant, .. } = self;
        let ask = Ask { format, launch, nearest, vacant: *vacant, room };
        let way = keep.way(&ask);
        if let (Way::Condense, Some(near)) = (way, nearest) {
            keep.used(&ask, near.ref_num);
            self.condense(launch, near, send);
            return;
        }
        match way {
            Way::Store(ref_num) if ref_num < format.entries() => {
                keep.used(&ask, ref_num);
                self.store(launch, ref_num, send);
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

    #[inline(always)]
    fn condense(
        &mut self,
        launch: &Launch<BYTES>,
        near: Nearest,
        send: &mut impl FnMut(&[u8; BYTES]),
    ) {
        if near.vector != self.plan.vector {
            self.plan(near.vector);
        }
        if self.open.push_planned(&self.format, near.ref_num, &self.plan, launch).is_err() {
            self.flush(send);
            // All fields of one launch have room in an empty packet: a format is checked for it.
            let _ = self.open.push_planned(&self.format, near.ref_num, &self.plan, launch);
        }
        self.tally.condensed += 1;
    }

    /// Works out how differences of this vector are copied, and whether `quick` can find more.
    #[inline(never)]
    fn plan(&mut self, vector: u32) {
        self.plan = self.format.plan(vector);
        let name = self.format.cost(1 << self.format.kernel());
        let other = vector >> self.format.kernel() & 1 == 0;
        self.sure = other && self.plan.cost <= name && self.plan.word_at.is_some();
        if let (true, Some(at)) = (self.sure, self.plan.word_at) {
            self.word = at / 8;
            self.beside = [u8::MAX; BYTES];
            self.beside.iter_mut().skip(at).take(8).for_each(|byte| *byte = 0);
        }
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
        let kernel = |launch: &Launch<BYTES>| self.format.kernel_word(launch);
        self.finder = [NOBODY; SLOTS];
        for (number, entry) in self.table.entries() {
            let same = self.table.entries().filter(|(_, other)| kernel(other) == kernel(entry));
            if same.count() == 1 {
                self.finder[slot(kernel(entry))] = number;
            }
        }
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
        send(self.open.bytes(&self.format));
        self.tally.condensed_packets += 1;
        self.tally.half_words += u64::from(self.open.used());
        self.open = Condensed::new(&self.format);
    }

    /// The nearest entry, if it is one that differs as the last one did: in one field of 64 bits
    /// which is not the kernel.
    ///
    /// Where the entry is the only one of this launch's kernel, every other one differs in the
    /// kernel, which takes as many half-words at least, so none is nearer.
    #[inline]
    fn quick(&self, launch: &Launch<BYTES>) -> Option<Nearest> {
        if !self.sure {
            return None;
        }
        let ref_num = self.finder[slot(self.format.kernel_word(launch))];
        let entry = self.table.place(ref_num)?;
        let mut beside = 0;
        for ((ours, theirs), mask) in launch.image.iter().zip(&entry.image).zip(&self.beside) {
            beside |= (ours ^ theirs) & mask;
        }
        let field = |launch: &Launch<BYTES>| launch.word(self.word);
        let found = beside == 0 && field(launch) != field(entry);
        found.then_some(Nearest { ref_num, vector: self.plan.vector, cost: self.plan.cost })
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

/// The place of a kernel in the finder.
#[inline]
const fn slot(kernel: u64) -> usize {
    // Fibonacci hashing: the highest bits of the product depend on all bits of the address.
    (kernel.wrapping_mul(0x9e37_79b9_7f4a_7c15) >> (u64::BITS - SLOTS.ilog2())) as usize
}
