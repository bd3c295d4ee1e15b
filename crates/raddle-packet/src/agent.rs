//! Which launches does a packet stand for?
//!
//! All or nothing: a packet is checked to its end before its first launch is given out. Packets of
//! a queue are decoded in order.

use crate::condensed::Walk;
use crate::error::Error;
use crate::format::Format;
use crate::launch::Launch;
use crate::table::Table;

/// The packet processor of one table: the receiving side.
#[derive(Clone, Debug)]
pub struct Agent<const BYTES: usize, const ENTRIES: usize> {
    format: Format<BYTES>,
    table: Table<BYTES, ENTRIES>,
}

/// What a packet stands for.
#[derive(Clone, Debug)]
pub enum Received<'p, const BYTES: usize, const ENTRIES: usize> {
    /// Launches, in order.
    Launches(Launches<'p, BYTES, ENTRIES>),
    /// A barrier; its bytes are the packet.
    Barrier,
}

/// The launches of one packet, in order; each is made when it is asked for.
#[derive(Clone, Debug)]
pub struct Launches<'p, const BYTES: usize, const ENTRIES: usize> {
    format: &'p Format<BYTES>,
    table: &'p Table<BYTES, ENTRIES>,
    packet: &'p [u8; BYTES],
    /// The byte of the next header.
    at: usize,
    left: u8,
    single: bool,
}

impl<const BYTES: usize, const ENTRIES: usize> Agent<BYTES, ENTRIES> {
    /// With an empty table.
    ///
    /// # Errors
    /// When the format has more entries than `ENTRIES`.
    pub fn new(format: Format<BYTES>) -> Result<Self, Error> {
        Ok(Self { table: Table::new(&format)?, format })
    }

    /// With what was stored before.
    #[must_use]
    pub const fn with_table(format: Format<BYTES>, table: Table<BYTES, ENTRIES>) -> Self {
        Self { format, table }
    }

    /// The layout that it decodes.
    #[must_use]
    pub const fn format(&self) -> &Format<BYTES> {
        &self.format
    }

    /// What has been stored.
    #[must_use]
    pub const fn table(&self) -> &Table<BYTES, ENTRIES> {
        &self.table
    }

    /// Decodes a packet; a reference packet is stored.
    ///
    /// # Errors
    /// When anything in it is malformed, or it names an entry that holds nothing; then nothing of
    /// it is launched and nothing is stored.
    #[inline]
    pub fn receive<'p>(
        &'p mut self,
        packet: &'p [u8; BYTES],
    ) -> Result<Received<'p, BYTES, ENTRIES>, Error> {
        let Self { format, table } = self;
        let (types, kind) = (format.types, packet[0]);
        let (at, mut left, mut single) = (format.diff_values_at, 1, true);
        if kind == types.condensed {
            (left, single) = (check(packet, format, table)?, false);
        } else if kind == types.reference {
            let number = packet.get(format.ref_num_at..).and_then(<[u8]>::first_chunk::<2>);
            let ref_num = number.map_or(u16::MAX, |bytes| u16::from_le_bytes(*bytes));
            let launch = Launch::of(packet, format)?;
            table.store(format, ref_num, &launch)?;
        } else if kind == types.dispatch {
            Launch::of(packet, format)?;
        } else if types.barrier_and == Some(kind) || types.barrier_or == Some(kind) {
            return Ok(Received::Barrier);
        } else {
            return Err(Error::Type { found: kind });
        }
        Ok(Received::Launches(Launches { format, table, packet, at, left, single }))
    }

    /// As [`receive`](Self::receive), for bytes of any length.
    ///
    /// # Errors
    /// Those of `receive`, and bytes of another length.
    pub fn receive_bytes<'p>(
        &'p mut self,
        bytes: &'p [u8],
    ) -> Result<Received<'p, BYTES, ENTRIES>, Error> {
        let wrong = Error::Length { found: bytes.len(), wanted: BYTES };
        self.receive(bytes.try_into().map_err(|_| wrong)?)
    }
}

/// Checks a condensed packet to its end; how many kernels it has.
#[inline]
fn check<const BYTES: usize, const ENTRIES: usize>(
    packet: &[u8; BYTES],
    format: &Format<BYTES>,
    table: &Table<BYTES, ENTRIES>,
) -> Result<u8, Error> {
    let walk = Walk::begin(packet, format)?;
    let kernels = walk.kernels;
    for (kernel, step) in (0..).zip(walk) {
        let ref_num = step?.ref_num;
        if table.get(ref_num).is_none() {
            return Err(Error::EmptyEntry { kernel, ref_num });
        }
    }
    Ok(kernels)
}

impl<const BYTES: usize, const ENTRIES: usize> Launches<'_, BYTES, ENTRIES> {
    /// Cleanups of the launches not yet taken: 1 + m (B13). The last launch has one, each other
    /// one that asks has its own.
    #[must_use]
    pub fn cleanups(&self) -> u32 {
        let (format, mut left) = (self.format, self.len());
        let asks = self.clone().filter(|launch| {
            left -= 1;
            left == 0 || launch.asks_cleanup(format)
        });
        asks.count() as u32
    }
}

impl<const BYTES: usize, const ENTRIES: usize> Iterator for Launches<'_, BYTES, ENTRIES> {
    type Item = Launch<BYTES>;

    #[inline]
    fn next(&mut self) -> Option<Launch<BYTES>> {
        self.left = self.left.checked_sub(1)?;
        let Self { format, packet, .. } = *self;
        if self.single {
            return Launch::of(packet, format).ok();
        }
        let (ref_num, vector) = format.unpack(format.take_header(packet, self.at)?);
        let mut launch = *self.table.get(ref_num)?;
        format.take(packet, self.at + 2 * usize::from(format.header()), vector, &mut launch)?;
        self.at += 2 * usize::from(format.cost(vector));
        Some(launch)
    }

    fn size_hint(&self) -> (usize, Option<usize>) {
        (self.left.into(), Some(self.left.into()))
    }
}

impl<const BYTES: usize, const ENTRIES: usize> ExactSizeIterator for Launches<'_, BYTES, ENTRIES> {}
