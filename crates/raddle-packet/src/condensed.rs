//! Which kernels are in a condensed packet, as far as its bytes alone tell, without the agent's
//! table?

use crate::error::PacketError;
use crate::error::Reason;
use crate::launch::LaunchImage;
use crate::layout::{ALL_FIELDS, AqlFormat, DIFF_VALUES_AT, NUM_KERNELS_AT, fields_in};
use crate::packet_types::{AQL_BYTES, AqlPacket, HALF_WORDS};

/// Difference of a launch from a launch that is stored in the agent's table: the fields that
/// differ, and their values in the launch.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[doc(hidden)]
pub struct Diff {
    /// Bits of the fields that differ: bit `i` is field `i` of the packet format.
    pub vector: u16,
    /// Values of the fields in which the launch differs from the entry of the agent's reference
    /// table; all other fields are 0.
    pub values: LaunchImage,
}

impl Diff {
    /// Sets the field with the number `number` of the difference to `value`, the value that the
    /// launch has and the entry of the agent's reference table does not.
    ///
    /// # Errors
    /// When there is no such field, or the value has more bits than the field.
    pub fn set(
        &mut self,
        format: &AqlFormat,
        number: usize,
        value: u64,
    ) -> Result<(), PacketError> {
        self.values.set(format, number, value)?;
        self.vector |= 1 << number;
        Ok(())
    }
}

/// One kernel launch of a condensed packet.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[doc(hidden)]
pub struct CondensedKernel {
    /// Number of the entry of the agent's reference table from which the launch is made.
    pub ref_num: u16,
    /// Difference of the launch from the entry `ref_num` of the agent's reference table.
    pub diff: Diff,
}

/// Condensed packet: a packet of several launches, each given as an entry of the agent's reference
/// table (a stored launch) and the fields that differ from it. The packet may be complete, or still
/// being filled.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Condensed {
    packet: AqlPacket,
    used: u16,
}

impl Condensed {
    /// Returns a condensed packet without kernels, which an agent refuses until a kernel is pushed.
    #[must_use]
    pub fn new(format: &AqlFormat) -> Self {
        let mut packet = [0; AQL_BYTES];
        packet[0] = format.types().condensed;
        Self { packet, used: 0 }
    }

    /// Reads a condensed packet from the bytes `packet`. Half-words behind the last kernel are
    /// ignored, and become 0.
    ///
    /// # Errors
    /// When the packet is not condensed, or malformed in a way that shows without the agent's
    /// table.
    pub fn parse(packet: &AqlPacket, format: &AqlFormat) -> Result<Self, PacketError> {
        let mut end = DIFF_VALUES_AT;
        for kernel in KernelHeaders::new(packet, format)? {
            end = kernel?.end;
        }
        let mut kept = *packet;
        kept[end..].fill(0);
        Ok(Self { packet: kept, used: ((end - DIFF_VALUES_AT) / 2) as u16 })
    }

    /// Returns the bytes of the packet, ready to be sent.
    #[must_use]
    pub const fn emit(&self) -> &AqlPacket {
        &self.packet
    }

    /// Returns whether the packet has no kernel.
    #[must_use]
    pub const fn is_empty(&self) -> bool {
        self.used == 0
    }

    /// Returns the number of half-words (16 bits) used so far, of the [`HALF_WORDS`] that the
    /// packet has.
    #[must_use]
    pub const fn used(&self) -> u16 {
        self.used
    }

    /// Adds a kernel launch to the packet: the entry `ref_num` of the agent's reference table, in
    /// which the fields of `vector` (bit `i` is field `i`) have the values of `launch`.
    ///
    /// # Errors
    /// When the packet has no room for the kernel, or there is no such entry or field; nothing
    /// changes then.
    #[inline]
    pub fn push(
        &mut self,
        format: &AqlFormat,
        ref_num: u16,
        vector: u16,
        launch: &LaunchImage,
    ) -> Result<(), PacketError> {
        format.check_entry(ref_num)?;
        if vector & !ALL_FIELDS != 0 {
            return Err(PacketError(Reason::NoField { number: vector.ilog2() as usize }));
        }
        let wanted = self.used + format.cost(vector);
        if usize::from(wanted) > HALF_WORDS {
            return Err(PacketError(Reason::Full { wanted }));
        }
        let at = DIFF_VALUES_AT + 2 * usize::from(self.used);
        let (header, values) = self.packet[at..].split_at_mut(2);
        header.copy_from_slice(&format.pack(ref_num, vector).to_le_bytes());
        launch.write_diff(format, vector, values);
        self.used = wanted;
        self.packet[NUM_KERNELS_AT] += 1;
        Ok(())
    }

    /// Returns the kernel launches of the packet, in order.
    #[doc(hidden)]
    pub fn kernels(&self, format: &AqlFormat) -> impl Iterator<Item = CondensedKernel> {
        // Errors are dropped, because a pushed or parsed packet is well formed, and an empty one,
        // which is refused, has no kernel.
        let headers = KernelHeaders::new(&self.packet, format).into_iter().flatten();
        headers.filter_map(Result::ok).map(|KernelHeader { ref_num, vector, values, .. }| {
            let mut diff = Diff { vector, values: LaunchImage::default() };
            diff.values.read_diff(format, vector, values);
            CondensedKernel { ref_num, diff }
        })
    }
}

/// Iterator over the kernels of a condensed packet. It checks everything that can be checked
/// without the agent's table of stored launches, and ends after an error.
#[derive(Clone, Debug)]
pub(crate) struct KernelHeaders<'p> {
    packet: &'p AqlPacket,
    format: AqlFormat,
    kernels: u8,
    next: u8,
    at: usize,
}

/// Part of a condensed packet that belongs to one kernel.
#[derive(Clone, Copy, Debug)]
pub(crate) struct KernelHeader<'p> {
    pub(crate) ref_num: u16,
    pub(crate) vector: u16,
    /// Bytes of the values of the fields in which the kernel's launch differs from a stored launch,
    /// for [`LaunchImage::read_diff`].
    pub(crate) values: &'p [u8],
    /// Byte offset in the packet at which the kernel's part ends.
    pub(crate) end: usize,
}

impl<'p> KernelHeaders<'p> {
    #[inline]
    pub(crate) fn new(packet: &'p AqlPacket, format: &AqlFormat) -> Result<Self, PacketError> {
        let (found, wanted) = (packet[0], format.types().condensed);
        if found != wanted {
            return Err(PacketError(Reason::OtherType { found, wanted }));
        }
        match packet[NUM_KERNELS_AT] {
            0 => Err(PacketError(Reason::NoKernels)),
            kernels => Ok(Self { packet, format: *format, kernels, next: 0, at: DIFF_VALUES_AT }),
        }
    }

    #[inline]
    fn read(&self) -> Result<KernelHeader<'p>, PacketError> {
        let kernel = self.next.into();
        let rest = self.packet.get(self.at..).unwrap_or_default();
        let (header, values) =
            rest.split_first_chunk().ok_or(PacketError(Reason::NoHeader { kernel }))?;
        let (ref_num, vector) = self.format.unpack(u16::from_le_bytes(*header));
        self.format.check_entry(ref_num)?;
        let mut used = 0;
        for number in fields_in(vector) {
            let field = &self.format.fields()[number];
            let value = values.get(used..used + 2 * field.half_words());
            let value = value.ok_or(PacketError(Reason::PastEnd { kernel, field: field.name }))?;
            if field.bytes == 1 && value[1] != 0 {
                return Err(PacketError(Reason::HighByte { kernel, field: field.name }));
            }
            used += value.len();
        }
        let end = self.at + 2 + used;
        Ok(KernelHeader { ref_num, vector, values: &values[..used], end })
    }
}

impl<'p> Iterator for KernelHeaders<'p> {
    type Item = Result<KernelHeader<'p>, PacketError>;

    #[inline]
    fn next(&mut self) -> Option<Self::Item> {
        if self.next >= self.kernels {
            return None;
        }
        let kernel = self.read();
        match kernel {
            Ok(KernelHeader { end, .. }) => (self.at, self.next) = (end, self.next + 1),
            Err(_) => self.next = self.kernels,
        }
        Some(kernel)
    }
}
