//! How does a stream of launches become as few packets as it can?
//!
//! Launches keep their order: a launch joins the condensed packet that is being filled while it
//! fits, else that packet is sent and another one begins (reading B7 of seed 002). Ordinary,
//! reference and barrier packets end the condensed packet before them. The encoder knows the
//! agent's reference table from the packets that it has sent.

use crate::condensed::Condensed;
use crate::launch::LaunchImage;
use crate::layout::{AqlFormat, KERNEL_OBJECT};
use crate::packet_types::{AqlPacket, HALF_WORDS};
use crate::replacement::{LaunchRequest, NearestEntry, PacketChoice, ReplacementPolicy};
use crate::table::ReferenceTable;

/// Encoder: the side that sends packets. It makes packets of launches for an agent (the reader of
/// the packets), and tracks which launches the agent has stored in its reference table.
#[derive(Clone, Debug)]
pub struct Encoder<P> {
    format: AqlFormat,
    policy: P,
    table: ReferenceTable,
    vacant: Option<u16>,
    open: Condensed,
    tally: PacketTally,
}

/// Numbers of launches and packets that an encoder has made so far.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct PacketTally {
    pub(crate) ordinary: u64,
    pub(crate) reference: u64,
    pub(crate) condensed: u64,
    pub(crate) condensed_packets: u64,
    pub(crate) half_words: u64,
    pub(crate) barriers: u64,
}

impl PacketTally {
    /// Returns the number of launches sent as ordinary packets.
    #[must_use]
    pub const fn ordinary(&self) -> u64 {
        self.ordinary
    }

    /// Returns the number of launches that were sent as reference packets, which store the whole
    /// launch in the agent's table.
    #[must_use]
    pub const fn reference(&self) -> u64 {
        self.reference
    }

    /// Returns the number of launches sent in condensed packets.
    #[must_use]
    pub const fn condensed(&self) -> u64 {
        self.condensed
    }

    /// Returns the number of condensed packets that were sent.
    #[must_use]
    pub const fn condensed_packets(&self) -> u64 {
        self.condensed_packets
    }

    /// Returns the number of half-words (16 bits) used in all condensed packets.
    #[must_use]
    pub const fn half_words(&self) -> u64 {
        self.half_words
    }

    /// Returns the number of barrier packets that were sent.
    #[must_use]
    pub const fn barriers(&self) -> u64 {
        self.barriers
    }
}

impl PacketTally {
    /// Returns the number of all launches that were sent, in packets of any kind.
    #[must_use]
    pub const fn launches(&self) -> u64 {
        self.ordinary + self.reference + self.condensed
    }

    /// Returns the number of packets that were sent, of any kind but barriers.
    #[must_use]
    pub const fn packets(&self) -> u64 {
        self.ordinary + self.reference + self.condensed_packets
    }
}

impl<P: ReplacementPolicy> Encoder<P> {
    /// Returns an encoder for an agent that has no launch in its reference table (of stored
    /// launches) yet.
    #[must_use]
    pub fn new(format: AqlFormat, policy: P) -> Self {
        Self {
            policy,
            table: ReferenceTable::default(),
            vacant: Some(0),
            open: Condensed::new(&format),
            tally: PacketTally::default(),
            format,
        }
    }

    /// Returns the numbers of launches and packets so far. The launches in the condensed packet
    /// that is being filled are counted, but not yet the packet itself.
    #[must_use]
    pub const fn tally(&self) -> PacketTally {
        self.tally
    }

    /// Returns the number of half-words that are free in the condensed packet that is being filled;
    /// 0 if no packet is being filled.
    #[must_use]
    pub(crate) const fn room(&self) -> u16 {
        match self.open.used() {
            0 => 0,
            used => HALF_WORDS as u16 - used,
        }
    }

    /// Returns the reference table that the agent has once it has read every packet so far.
    #[must_use]
    pub const fn table(&self) -> &ReferenceTable {
        &self.table
    }

    /// Adds a launch to the packets, in the kind of packet that the replacement policy chooses, and
    /// passes each packet that this completes to `send`.
    pub fn launch(&mut self, launch: &LaunchImage, send: &mut impl FnMut(&AqlPacket)) {
        let (nearest, room) = (self.nearest(launch), self.room());
        let Self { format, policy, vacant, .. } = self;
        let request = LaunchRequest { format, launch, nearest, vacant: *vacant, room };
        match (policy.choose(&request), nearest) {
            (PacketChoice::Condense, Some(near)) => {
                policy.used(&request, near.ref_num);
                self.condense(launch, near, send);
            }
            (PacketChoice::Store(ref_num), _) if ref_num < format.entries() => {
                policy.used(&request, ref_num);
                self.store(launch, ref_num, send);
            }
            _ => {
                // An ordinary packet then fills entry 0 (B11), so the policy is told of the use.
                if format.types().dispatch == format.types().reference {
                    policy.used(&request, 0);
                }
                self.ordinary(launch, send);
            }
        }
    }

    /// Adds a launch as an ordinary packet, whatever the policy would choose, and passes each
    /// packet that this completes to `send`.
    pub(crate) fn ordinary(&mut self, launch: &LaunchImage, send: &mut impl FnMut(&AqlPacket)) {
        // Where dispatch and reference packets share one type, an ordinary packet fills the entry
        // that it names: 0 (B11).
        if self.format.types().dispatch == self.format.types().reference {
            return self.store(launch, 0, send);
        }
        self.flush(send);
        self.tally.ordinary += 1;
        send(&launch.dispatch(&self.format));
    }

    fn condense(
        &mut self,
        launch: &LaunchImage,
        near: NearestEntry,
        send: &mut impl FnMut(&AqlPacket),
    ) {
        let NearestEntry { ref_num, vector, .. } = near;
        if self.open.push(&self.format, ref_num, vector, launch).is_err() {
            self.flush(send);
            // All fields of one launch have room in an empty packet.
            let _ = self.open.push(&self.format, ref_num, vector, launch);
        }
        self.tally.condensed += 1;
    }

    fn store(&mut self, launch: &LaunchImage, ref_num: u16, send: &mut impl FnMut(&AqlPacket)) {
        self.flush(send);
        // The caller has checked that the table has this entry.
        if let Ok(packet) = launch.reference(&self.format, ref_num) {
            send(&packet);
        }
        let _ = self.table.store(&self.format, ref_num, launch);
        self.tally.reference += 1;
        self.vacant = self.table.vacant(&self.format);
    }

    /// Sends a packet of the caller, such as a barrier: passes the condensed packet that is being
    /// filled to `send`, and then this packet.
    pub fn barrier(&mut self, packet: &AqlPacket, send: &mut impl FnMut(&AqlPacket)) {
        self.flush(send);
        self.tally.barriers += 1;
        send(packet);
    }

    /// Passes the condensed packet that is being filled to `send`, and begins an empty one; does
    /// nothing if the packet has no launch.
    pub fn flush(&mut self, send: &mut impl FnMut(&AqlPacket)) {
        if self.open.is_empty() {
            return;
        }
        send(self.open.emit());
        self.tally.condensed_packets += 1;
        self.tally.half_words += u64::from(self.open.used());
        self.open = Condensed::new(&self.format);
    }

    /// Returns the entry of the agent's reference table from which the launch differs least; `None`
    /// where the table is empty.
    fn nearest(&self, launch: &LaunchImage) -> Option<NearestEntry> {
        let near = |(ref_num, entry): (u16, &LaunchImage)| {
            let vector = launch.differs(entry);
            NearestEntry { ref_num, vector, cost: self.format.cost(vector) }
        };
        let other_kernel = |near: &NearestEntry| near.vector >> KERNEL_OBJECT & 1;
        let key = |near: &NearestEntry| (near.cost, other_kernel(near), near.ref_num);
        let same = |(_, entry): &(u16, &LaunchImage)| entry.kernel() == launch.kernel();
        let nearest = self.table.entries().filter(same).map(near).min_by_key(key);
        // No entry of another kernel is nearer than the difference in the kernel object alone.
        if nearest.is_some_and(|near| near.cost <= self.format.cost(1 << KERNEL_OBJECT)) {
            return nearest;
        }
        self.table.entries().map(near).min_by_key(key)
    }
}
