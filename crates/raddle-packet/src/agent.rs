//! Which launches does a packet make the device run, and which does the agent store?
//!
//! A malformed packet has no effect: it launches and stores nothing. Packets of a queue are decoded
//! in order.

use crate::condensed::KernelHeaders;
use crate::error::PacketError;
use crate::error::Reason;
use crate::launch::LaunchImage;
use crate::layout::{AqlFormat, REF_NUM_AT};
use crate::packet_types::{AqlPacket, HALF_WORDS};
use crate::table::ReferenceTable;

/// Content of a packet that an agent (the part of a device that reads packets) has received.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Received<'l> {
    /// Launches, at least one, that the packet makes the device run.
    Launches(&'l [LaunchImage]),
    /// A barrier: packets behind it wait for the signals that the barrier names.
    /// [`BarrierPacket`](crate::BarrierPacket) reads its fields.
    Barrier,
    /// A packet of a type that the packet format does not have, such as a vendor's packet, with its
    /// type number. The agent cannot process the packet, so the caller has to.
    Foreign(u8),
}

impl<'l> Received<'l> {
    /// Returns the launches of the packet. A barrier packet has none, nor has a packet of a type
    /// that the packet format does not have.
    #[must_use]
    pub const fn launches(self) -> &'l [LaunchImage] {
        match self {
            Self::Launches(launches) => launches,
            Self::Barrier | Self::Foreign(_) => &[],
        }
    }

    /// Returns the launches of the packet; a packet of a type that the packet format does not have
    /// is an error.
    ///
    /// # Errors
    /// [`OutOfRange`](crate::ErrorKind::OutOfRange) for a packet of such a type.
    #[doc(hidden)]
    pub const fn of_format(self, format: &AqlFormat) -> Result<&'l [LaunchImage], PacketError> {
        match self {
            Self::Foreign(found) => Err(PacketError(Reason::Type { found, types: format.types() })),
            known => Ok(known.launches()),
        }
    }
}

/// Agent: the part of a device that reads packets. It has one table of launches: reference packets
/// store launches in it, and condensed packets refer to these.
#[derive(Clone, Debug, Default)]
pub struct Agent {
    format: AqlFormat,
    table: ReferenceTable,
}

impl Agent {
    /// Returns an agent that has no launch in its reference table (of stored launches) yet.
    #[must_use]
    pub fn new(format: AqlFormat) -> Self {
        Self { format, table: ReferenceTable::default() }
    }

    /// Returns an agent with a table of launches that was filled before. Entries beyond the number
    /// of entries in the packet format are emptied.
    #[must_use]
    #[doc(hidden)]
    pub fn with_table(format: AqlFormat, mut table: ReferenceTable) -> Self {
        table.forget_from(format.entries());
        Self { format, table }
    }

    /// Returns the packet format that the agent decodes.
    #[must_use]
    pub const fn format(&self) -> &AqlFormat {
        &self.format
    }

    /// Returns the table of the launches that reference packets have stored.
    #[must_use]
    pub const fn table(&self) -> &ReferenceTable {
        &self.table
    }

    /// Decodes a packet into the first elements of `launches`, and returns those elements: the
    /// launches that the packet makes the device run. The launch of a reference packet is also
    /// stored in the agent's reference table.
    ///
    /// # Errors
    /// When anything in the packet is malformed, or it names an empty entry of the agent's table.
    /// Then nothing is stored in the table, and `launches` has arbitrary contents.
    #[inline]
    pub fn receive<'l>(
        &mut self,
        packet: &AqlPacket,
        launches: &'l mut [LaunchImage; HALF_WORDS],
    ) -> Result<Received<'l>, PacketError> {
        let (types, found) = (self.format.types(), packet[0]);
        let count = if found == types.condensed {
            self.decode(packet, launches)?
        } else if found == types.reference {
            launches[0].read(packet, &self.format)?;
            let ref_num = u16::from_le_bytes([packet[REF_NUM_AT], packet[REF_NUM_AT + 1]]);
            self.table.store(&self.format, ref_num, &launches[0])?;
            1
        } else if found == types.dispatch {
            launches[0].read(packet, &self.format)?;
            1
        } else if [types.barrier_and, types.barrier_or].contains(&Some(found)) {
            return Ok(Received::Barrier);
        } else {
            return Ok(Received::Foreign(found));
        };
        Ok(Received::Launches(&launches[..count]))
    }

    /// Decodes a condensed packet into the first elements of `launches`, and returns the number of
    /// its launches; an error where the packet is malformed or names an empty entry of the agent's
    /// reference table.
    #[inline]
    fn decode(
        &self,
        packet: &AqlPacket,
        launches: &mut [LaunchImage; HALF_WORDS],
    ) -> Result<usize, PacketError> {
        let mut count = 0;
        for kernel in KernelHeaders::new(packet, &self.format)? {
            let kernel = kernel?;
            let empty =
                PacketError(Reason::EmptyEntry { kernel: count as u16, ref_num: kernel.ref_num });
            let entry = self.table.get(kernel.ref_num).ok_or(empty)?;
            // Every kernel takes at least one half-word, so each has a place in the list.
            launches[count] = *entry;
            launches[count].read_diff(&self.format, kernel.vector, kernel.values);
            count += 1;
        }
        Ok(count)
    }
}
