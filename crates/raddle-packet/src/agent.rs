//! Which launches does a packet stand for?
//!
//! All or nothing: a packet is checked to its end before its first launch is given out. Packets of
//! a queue are decoded in order.

use crate::condensed::Walk;
use crate::diff::Plan;
use crate::error::Error;
use crate::format::Format;
use crate::launch::Launch;
use crate::table::Table;

/// The packet processor of one table: the receiving side.
#[derive(Clone, Debug)]
pub struct Agent<const BYTES: usize, const ENTRIES: usize> {
    format: Format<BYTES>,
    table: Table<BYTES, ENTRIES>,
    /// For the fields in which the last kernel differed; the next mostly differs in the same.
    plan: Plan,
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
        Ok(Self::with_table(format, Table::new(&format)?))
    }

    /// With what was stored before; what lies beyond the entries of the format is forgotten.
    #[must_use]
    pub fn with_table(format: Format<BYTES>, mut table: Table<BYTES, ENTRIES>) -> Self {
        table.forget_from(format.entries());
        Self { table, plan: format.plan(0), format }
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
        let Self { format, table, .. } = self;
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
            return Err(Error::Type { found: kind, types });
        }
        Ok(Received::Launches(Launches { format, table, packet, at, left, single }))
    }

    /// Decodes a packet into a list, which is the quickest way; how many launches it holds then.
    /// What lies behind them in the list is of no meaning, and so is all of it after an error.
    ///
    /// # Errors
    /// Those of [`receive`](Self::receive), and [`Error::Short`] where the list has fewer places
    /// than the packet has launches.
    #[inline]
    pub fn receive_into(
        &mut self,
        packet: &[u8; BYTES],
        launches: &mut [Launch<BYTES>],
    ) -> Result<usize, Error> {
        if packet[0] != self.format.types.condensed {
            return self.receive_one(packet, launches);
        }
        if let Some(count) = self.decode_words(packet, launches) {
            return Ok(count);
        }
        let decoded = self.decode(packet, launches);
        let Some((count, plan)) = decoded else { return Err(self.why(packet, launches.len())) };
        // Written only when it is another: a plan just written is slow to be read whole.
        if plan.vector != self.plan.vector {
            self.plan = plan;
        }
        Ok(count)
    }

    /// An ordinary, reference or barrier packet.
    #[inline]
    fn receive_one(
        &mut self,
        packet: &[u8; BYTES],
        launches: &mut [Launch<BYTES>],
    ) -> Result<usize, Error> {
        if packet[0] == self.format.types.dispatch && packet[0] != self.format.types.reference {
            let short = Error::Short { places: 0, wanted: 1 };
            launches.first_mut().ok_or(short)?.read(packet, &self.format)?;
            return Ok(1);
        }
        let wanted = usize::from(packet[0] == self.format.types.reference);
        if launches.len() < wanted {
            return Err(Error::Short { places: 0, wanted });
        }
        match self.receive(packet)? {
            Received::Barrier => Ok(0),
            Received::Launches(found) => {
                Ok(launches.iter_mut().zip(found).map(|(to, launch)| *to = launch).count())
            }
        }
    }

    /// Decodes a condensed packet of the default layout in which every kernel differs in the one
    /// field of 64 bits that the last one differed in, as in a loop with new arguments; `None` where
    /// it is another, whatever it is.
    #[inline]
    fn decode_words(&self, packet: &[u8; BYTES], launches: &mut [Launch<BYTES>]) -> Option<usize> {
        let (format, plan) = (&self.format, &self.plan);
        let (number, vector) = plan.word?;
        let kernels = usize::from(*packet.get(format.num_kernels_at)?);
        // A header and four half-words each.
        let (words, _) = packet.get(format.diff_values_at..)?.as_chunks::<10>();
        let (words, launches) = (words.get(..kernels)?, launches.get_mut(..kernels)?);
        if number >= BYTES / 8 {
            return None;
        }
        // As a difference from the header of entry 0 the number is what is left.
        let entry = |[low, high, ..]: &[u8; 10]| u16::from_le_bytes([*low, *high]) ^ vector;
        // Looked at when all is written, which has a meaning only if all is good.
        let (mut numbers, mut full) = (0, true);
        for (from, launch) in words.iter().zip(launches) {
            let ref_num = entry(from);
            numbers |= ref_num;
            full &= self.table.is_full(ref_num % 8);
            *launch = *self.table.place(ref_num % 8)?;
            launch.image.as_chunks_mut::<8>().0[number] = *from.last_chunk::<8>()?;
        }
        if numbers >= 8 || !full {
            return None;
        }
        (kernels > 0).then_some(kernels)
    }

    /// Decodes a condensed packet; `None` where anything in it is malformed.
    ///
    /// In one go: what has been written is of no meaning unless all of it is good. Kernels mostly
    /// differ in the same fields as the one before, so how those are copied is worked out once.
    fn decode(
        &self,
        packet: &[u8; BYTES],
        launches: &mut [Launch<BYTES>],
    ) -> Option<(usize, Plan)> {
        let (format, table, mut plan) = (&self.format, &self.table, self.plan);
        let kernels = usize::from(*packet.get(format.num_kernels_at)?);
        let header = 2 * usize::from(format.header());
        let mut at = format.diff_values_at;
        for launch in launches.get_mut(..kernels)? {
            let (ref_num, vector) = format.unpack(format.take_header(packet, at)?);
            if vector != plan.vector {
                // A bit that names no field.
                if vector & !format.whole() != 0 {
                    return None;
                }
                plan = format.plan(vector);
            }
            *launch = *table.get(ref_num)?;
            // What lies past the end is not there to be read.
            format.take_checked(packet, at + header, vector, launch)?;
            at += plan.bytes;
        }
        (kernels > 0).then_some((kernels, plan))
    }

    /// Why a condensed packet was not decoded.
    #[cold]
    fn why(&self, packet: &[u8; BYTES], places: usize) -> Error {
        match check(packet, &self.format, &self.table) {
            Ok(kernels) => Error::Short { places, wanted: kernels.into() },
            Err(error) => error,
        }
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
        self.clone().with_cleanups().filter(|(_, cleans)| *cleans).count() as u32
    }

    /// The launches not yet taken, each with whether a cleanup follows it (B13).
    pub fn with_cleanups(self) -> impl Iterator<Item = (Launch<BYTES>, bool)> {
        let (format, mut left) = (self.format, self.len());
        self.map(move |launch| {
            left = left.saturating_sub(1);
            (launch, left == 0 || launch.asks_cleanup(format))
        })
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
