//! How do packets wait between a host and an agent?
//!
//! Packets wait in a ring of slots, as in a user-mode queue of HSA. The write index and the read
//! index count packets since the beginning and never wrap; packet `n` lies in slot `n` modulo the
//! number of slots. A producer reserves packets, fills them in any order and publishes each; the
//! agent takes them in order, up to the first one that is not published. Type 1
//! (`HSA_PACKET_TYPE_INVALID`) marks a slot without a published packet.

use crate::error::PacketError;
use crate::error::Reason;
use crate::packet_types::{AQL_BYTES, AqlPacket};

/// Packet type that marks a slot of the ring as empty.
const INVALID: u8 = 1;

/// Ring buffer of packets in a borrowed slice, which a host writes and an agent reads.
///
/// ```
/// use raddle_packet::{Agent, AqlFormat, HALF_WORDS, KernelDispatch, LaunchImage, PacketRing, Received};
///
/// let format = AqlFormat::default();
/// let mut slots = [[0; 64]; 4];
/// let mut ring = PacketRing::new(&mut slots)?;
/// let (first, second) = (ring.reserve().unwrap(), ring.reserve().unwrap());
/// // Two producers: the second one is faster. A packet of a vendor, of type 0, waits for the first.
/// ring.publish(second, &[0; 64])?;
/// assert_eq!(ring.take(), None);
/// let launch = KernelDispatch { kernel_object: 0x1000, ..KernelDispatch::default() };
/// ring.publish(first, &launch.emit(&format)?)?;
///
/// let (mut agent, mut list) = (Agent::new(format), [LaunchImage::default(); HALF_WORDS]);
/// let packet = ring.take().unwrap();
/// assert_eq!(agent.receive(&packet, &mut list)?.launches().len(), 1);
/// let packet = ring.take().unwrap();
/// assert_eq!(agent.receive(&packet, &mut list)?, Received::Foreign(0));
/// assert_eq!((ring.write_index(), ring.read_index()), (2, 2));
/// # Ok::<(), raddle_packet::PacketError>(())
/// ```
#[derive(Debug)]
pub struct PacketRing<'m> {
    slots: &'m mut [AqlPacket],
    write: u64,
    read: u64,
}

impl<'m> PacketRing<'m> {
    /// Returns an empty ring over `slots`, a slice whose length is a power of two.
    ///
    /// # Errors
    /// [`OutOfRange`](crate::ErrorKind::OutOfRange) for another number of slots.
    pub fn new(slots: &'m mut [AqlPacket]) -> Result<Self, PacketError> {
        if !slots.len().is_power_of_two() {
            return Err(PacketError(Reason::Slots(slots.len())));
        }
        slots.fill(Self::EMPTY);
        Ok(Self { slots, write: 0, read: 0 })
    }

    const EMPTY: AqlPacket = {
        let mut empty = [0; AQL_BYTES];
        empty[0] = INVALID;
        empty
    };

    /// Returns the number of packets that were reserved so far; the next packet has this index.
    #[must_use]
    pub const fn write_index(&self) -> u64 {
        self.write
    }

    /// Returns the number of packets that were taken so far; the next packet taken has this index.
    #[must_use]
    pub const fn read_index(&self) -> u64 {
        self.read
    }

    /// Reserves the next packet and returns its index; `None` while every slot has a packet that
    /// the device has not taken.
    pub const fn reserve(&mut self) -> Option<u64> {
        let index = self.write;
        if index - self.read >= self.slots.len() as u64 {
            return None;
        }
        self.write += 1;
        Some(index)
    }

    /// Writes a packet into the slot of the ring that was reserved under the index `index`, so that
    /// the agent may read it.
    ///
    /// # Errors
    /// When the packet was not reserved, or was published before, or is of the type that marks an
    /// empty slot; nothing has changed then.
    pub fn publish(&mut self, index: u64, packet: &AqlPacket) -> Result<(), PacketError> {
        let reserved = (self.read..self.write).contains(&index);
        let slot = self.slot(index);
        if !reserved || slot[0] != INVALID {
            return Err(PacketError(Reason::NotReserved { index }));
        }
        if packet[0] == INVALID {
            return Err(PacketError(Reason::EmptySlot));
        }
        *slot = *packet;
        Ok(())
    }

    /// Takes the next packet out of the ring; `None` until that packet is published.
    pub fn take(&mut self) -> Option<AqlPacket> {
        let slot = self.slot(self.read);
        if slot[0] == INVALID {
            return None;
        }
        let packet = core::mem::replace(slot, Self::EMPTY);
        self.read += 1;
        Some(packet)
    }

    fn slot(&mut self, index: u64) -> &mut AqlPacket {
        // The remainder is below the number of slots.
        let at = index % self.slots.len() as u64;
        &mut self.slots[at as usize]
    }
}
