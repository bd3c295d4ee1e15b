//! What does a condensed packet say, apart from any table?

use crate::diff::{Diff, Plan};
use crate::error::Error;
use crate::format::Format;
use crate::launch::Launch;

/// A condensed packet, whole or while it is filled.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Condensed<const BYTES: usize> {
    packet: [u8; BYTES],
    kernels: u8,
    used: u16,
}

/// One kernel of a condensed packet.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Kernel<const BYTES: usize> {
    /// The entry that it is launched by.
    pub ref_num: u16,
    /// What differs from that entry.
    pub diff: Diff<BYTES>,
}

impl<const BYTES: usize> Condensed<BYTES> {
    /// A packet without kernels; it is not to be sent so.
    #[must_use]
    #[inline]
    pub fn new(format: &Format<BYTES>) -> Self {
        let mut packet = [0; BYTES];
        packet[0] = format.types.condensed;
        Self { packet, kernels: 0, used: 0 }
    }

    /// The packet of these bytes. Half-words behind the last kernel are not looked at, and not kept.
    ///
    /// # Errors
    /// When it is none, or anything in it does not fit; which entries hold something is not known
    /// here, and not asked.
    pub fn parse(packet: &[u8; BYTES], format: &Format<BYTES>) -> Result<Self, Error> {
        let walk = Walk::begin(packet, format)?;
        let (kernels, mut used) = (walk.kernels, 0);
        for step in walk {
            used = step?.end;
        }
        let mut kept = *packet;
        if let Some(behind) = kept.get_mut(format.diff_values_at + 2 * usize::from(used)..) {
            behind.fill(0);
        }
        // It is written when the packet is emitted, so that equal packets are equal here too.
        if let Some(count) = kept.get_mut(format.num_kernels_at) {
            *count = 0;
        }
        Ok(Self { packet: kept, kernels, used })
    }

    /// The bytes.
    #[must_use]
    pub fn emit(&self, format: &Format<BYTES>) -> [u8; BYTES] {
        let mut whole = *self;
        *whole.bytes(format)
    }

    /// The same, where they are. Only here is the number of kernels written.
    #[inline]
    pub(crate) fn bytes(&mut self, format: &Format<BYTES>) -> &[u8; BYTES] {
        if let Some(count) = self.packet.get_mut(format.num_kernels_at) {
            *count = self.kernels;
        }
        &self.packet
    }

    /// How many kernels it launches.
    #[must_use]
    pub const fn len(&self) -> u8 {
        self.kernels
    }

    /// Whether it launches none.
    #[must_use]
    pub const fn is_empty(&self) -> bool {
        self.kernels == 0
    }

    /// Half-words used so far.
    #[must_use]
    pub const fn used(&self) -> u16 {
        self.used
    }

    /// Adds a kernel: entry `ref_num` with the fields of `vector` as in `launch`.
    ///
    /// # Errors
    /// When it does not fit any more, or the format has no such entry or field; nothing changes then.
    #[inline]
    pub fn push(
        &mut self,
        format: &Format<BYTES>,
        ref_num: u16,
        vector: u32,
        launch: &Launch<BYTES>,
    ) -> Result<(), Error> {
        if ref_num >= format.entries {
            return Err(Error::RefNum { ref_num, entries: format.entries });
        }
        if vector & !format.whole() != 0 {
            return Err(Error::UnknownBit { kernel: self.kernels.into(), vector });
        }
        self.push_planned(format, ref_num, &format.plan(vector), launch)
    }

    /// The same for an entry and a vector that are there.
    #[inline]
    pub(crate) fn push_planned(
        &mut self,
        format: &Format<BYTES>,
        ref_num: u16,
        plan: &Plan,
        launch: &Launch<BYTES>,
    ) -> Result<(), Error> {
        let wanted = self.used + plan.cost;
        // No packet has more than 255 half-words, so its kernels can be counted.
        if wanted > format.capacity() {
            return Err(Error::Full { wanted, half_words: format.capacity() });
        }
        self.put(format, ref_num, plan.vector, launch);
        self.used = wanted;
        self.kernels = self.kernels.saturating_add(1);
        Ok(())
    }

    /// The byte behind the last half-word that is used.
    #[inline]
    pub(crate) const fn end(&self, format: &Format<BYTES>) -> usize {
        format.diff_values_at + 2 * self.used as usize
    }

    /// Writes a header and a field of 64 bits at a byte, in the default layout.
    #[inline]
    pub(crate) fn put_word(&mut self, at: usize, header: u16, word: u64) {
        let to = self.packet.get_mut(at..).and_then(<[u8]>::first_chunk_mut::<10>);
        if let Some([low, high, value @ ..]) = to {
            [*low, *high] = header.to_le_bytes();
            *value = word.to_le_bytes();
        }
    }

    /// So many kernels have been written, of so many half-words each.
    #[inline]
    pub(crate) fn filled(&mut self, kernels: usize, cost: u16) {
        // No packet has more than 255 half-words, so its kernels can be counted.
        self.kernels = self.kernels.saturating_add(kernels as u8);
        self.used += kernels as u16 * cost;
    }

    /// Writes what has room.
    #[inline(never)]
    fn put(&mut self, format: &Format<BYTES>, ref_num: u16, vector: u32, launch: &Launch<BYTES>) {
        let at = self.end(format);
        format.put_header(&mut self.packet, at, format.pack(ref_num, vector));
        format.put(&mut self.packet, at + 2 * usize::from(format.header()), vector, launch);
    }

    /// The kernels, in order.
    pub fn kernels<'p>(
        &'p self,
        format: &'p Format<BYTES>,
    ) -> impl Iterator<Item = Kernel<BYTES>> + 'p {
        let walk = Walk {
            packet: &self.packet,
            format,
            kernels: self.kernels,
            next: 0,
            at: format.diff_values_at,
            failed: false,
        };
        // What was pushed or parsed is whole.
        walk.filter_map(Result::ok).map(|step| {
            let mut values = Launch::default();
            let _ = format.take(&self.packet, step.values_at, step.vector, &mut values);
            Kernel { ref_num: step.ref_num, diff: Diff { vector: step.vector, values } }
        })
    }
}

/// Goes through the kernels of a condensed packet, and checks all that needs no table.
#[derive(Clone, Debug)]
pub(crate) struct Walk<'p, const BYTES: usize> {
    packet: &'p [u8; BYTES],
    format: &'p Format<BYTES>,
    pub(crate) kernels: u8,
    next: u8,
    at: usize,
    failed: bool,
}

/// One kernel on the way.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Step {
    pub(crate) ref_num: u16,
    pub(crate) vector: u32,
    /// The byte at which its values begin.
    pub(crate) values_at: usize,
    /// Half-words up to and with it.
    pub(crate) end: u16,
}

impl<'p, const BYTES: usize> Walk<'p, BYTES> {
    pub(crate) fn begin(packet: &'p [u8; BYTES], format: &'p Format<BYTES>) -> Result<Self, Error> {
        let wanted = format.types.condensed;
        if packet[0] != wanted {
            return Err(Error::OtherType { found: packet[0], wanted });
        }
        let kernels = packet.get(format.num_kernels_at).copied().unwrap_or(0);
        if kernels == 0 {
            return Err(Error::NoKernels);
        }
        Ok(Self { packet, format, kernels, next: 0, at: format.diff_values_at, failed: false })
    }

    fn step(&mut self) -> Result<Step, Error> {
        let Self { packet, format, .. } = *self;
        let (kernel, half_words) = (u16::from(self.next), format.capacity());
        let header = format.take_header(packet, self.at);
        let header = header.ok_or(Error::NoHeader { kernel, half_words })?;
        let (ref_num, vector) = format.unpack(header);
        if ref_num >= format.entries {
            return Err(Error::RefNum { ref_num, entries: format.entries });
        }
        if vector & !format.whole() != 0 {
            return Err(Error::UnknownBit { kernel, vector });
        }
        let values_at = self.at + 2 * usize::from(format.header());
        let mut at = values_at;
        for number in crate::diff::fields(vector) {
            let field = format.at(number);
            let wide = 2 * usize::from(field.half_words());
            let Some(value) = packet.get(at..at + wide) else {
                return Err(Error::PastEnd { kernel, field: field.name, half_words });
            };
            if field.bytes == 1 && value.last() != Some(&0) {
                return Err(Error::HighByte { kernel, field: field.name });
            }
            at += wide;
        }
        self.at = at;
        self.next += 1;
        let end = ((at - format.diff_values_at) / 2) as u16;
        Ok(Step { ref_num, vector, values_at, end })
    }
}

impl<const BYTES: usize> Iterator for Walk<'_, BYTES> {
    type Item = Result<Step, Error>;

    fn next(&mut self) -> Option<Self::Item> {
        if self.failed || self.next >= self.kernels {
            return None;
        }
        let step = self.step();
        self.failed = step.is_err();
        Some(step)
    }
}
