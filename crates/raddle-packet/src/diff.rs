//! How are differing values written behind each other, and read again?
//!
//! Ascending by field (B5), each in whole half-words.

use crate::error::Error;
use crate::format::Format;
use crate::launch::Launch;

/// Fields that differ from an entry, with their values; those of all other fields are 0.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Diff<const BYTES: usize> {
    /// Bit `i` is field `i` of the format.
    pub vector: u32,
    /// The values.
    pub values: Launch<BYTES>,
}

impl<const BYTES: usize> Default for Diff<BYTES> {
    fn default() -> Self {
        Self { vector: 0, values: Launch::default() }
    }
}

impl<const BYTES: usize> Diff<BYTES> {
    /// Names a field, with its new value.
    ///
    /// # Errors
    /// When there is no such field, or it is too narrow.
    pub fn set(&mut self, format: &Format<BYTES>, number: usize, value: u64) -> Result<(), Error> {
        self.values.set(format, number, value)?;
        self.vector |= 1 << number;
        Ok(())
    }

    /// The entry with these fields changed.
    #[must_use]
    pub fn apply(&self, format: &Format<BYTES>, entry: &Launch<BYTES>) -> Launch<BYTES> {
        let mut launch = *entry;
        for number in 0..format.fields().len() {
            if self.vector >> number & 1 == 1 {
                // The value came from a field of the same width.
                let _ = launch.set(format, number, self.values.get(format, number));
            }
        }
        launch
    }
}

/// How the differences of one vector are copied, worked out once.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Plan {
    pub(crate) vector: u32,
    /// Half-words, the header included.
    pub(crate) cost: u16,
    /// Bytes, the header included.
    pub(crate) bytes: usize,
    /// In the default layout, if there is one field alone and it has 64 bits: the number of its word,
    /// and the vector where a header has it.
    pub(crate) word: Option<(usize, u16)>,
}

/// The fields of a vector, ascending.
#[inline]
pub(crate) fn fields(vector: u32) -> impl Iterator<Item = usize> {
    let mut left = vector;
    core::iter::from_fn(move || {
        let number = (left != 0).then_some(left.trailing_zeros() as usize);
        left &= left.wrapping_sub(1);
        number
    })
}

impl<const BYTES: usize> Format<BYTES> {
    /// How differences of this vector are copied.
    #[inline(never)]
    pub(crate) fn plan(&self, vector: u32) -> Plan {
        let cost = self.cost(vector);
        let field = self.at(vector.trailing_zeros() as usize);
        let word = vector.is_power_of_two() && field.bytes == 8 && self.is_plain();
        Plan {
            vector,
            cost,
            bytes: 2 * usize::from(cost),
            word: word.then_some((usize::from(field.offset) / 8, (vector as u16) << 3)),
        }
    }

    /// [`take`](Self::take), with the high bytes of narrow fields looked at.
    #[inline(never)]
    pub(crate) fn take_checked(
        &self,
        packet: &[u8; BYTES],
        at: usize,
        vector: u32,
        to: &mut Launch<BYTES>,
    ) -> Option<()> {
        if vector & self.narrow() != 0 {
            let mut from = at;
            for number in fields(vector) {
                let field = self.at(number);
                if field.bytes == 1 && *packet.get(from + 1)? != 0 {
                    return None;
                }
                from += 2 * usize::from(field.half_words());
            }
        }
        self.take(packet, at, vector, to)
    }

    /// Writes the header of a difference at a byte.
    #[inline]
    pub(crate) fn put_header(&self, packet: &mut [u8; BYTES], at: usize, header: u32) {
        if self.header() == 1 {
            if let Some(to) = packet.get_mut(at..).and_then(<[u8]>::first_chunk_mut::<2>) {
                *to = (header as u16).to_le_bytes();
            }
        } else if let Some(to) = packet.get_mut(at..).and_then(<[u8]>::first_chunk_mut::<4>) {
            *to = if self.low_first() { header } else { header.rotate_left(16) }.to_le_bytes();
        }
    }

    /// Reads the header of a difference, if there is room for one.
    #[inline]
    pub(crate) fn take_header(&self, packet: &[u8; BYTES], at: usize) -> Option<u32> {
        let rest = packet.get(at..)?;
        if self.header() == 1 {
            return rest.first_chunk::<2>().map(|bytes| u16::from_le_bytes(*bytes).into());
        }
        let header = rest.first_chunk::<4>().map(|bytes| u32::from_le_bytes(*bytes))?;
        Some(if self.low_first() { header } else { header.rotate_left(16) })
    }

    /// Writes the named fields of a launch from a byte on; there must be room.
    #[inline]
    pub(crate) fn put(
        &self,
        packet: &mut [u8; BYTES],
        mut at: usize,
        vector: u32,
        from: &Launch<BYTES>,
    ) {
        for number in fields(vector) {
            let field = self.at(number);
            let (here, wide) = (usize::from(field.offset), usize::from(field.half_words()) * 2);
            let ends = (packet.get_mut(at..), from.image.get(here..));
            if let (Some(to), Some(from)) = ends {
                match field.bytes {
                    8 => copy::<8>(to, from, self.low_first()),
                    4 => copy::<4>(to, from, self.low_first()),
                    2 => copy::<2>(to, from, true),
                    _ => copy::<1>(to, from, true),
                }
            }
            at += wide;
        }
    }

    /// Reads the named fields into a launch; `None` where they are beyond the end. The high bytes
    /// of narrow fields are not looked at.
    #[inline]
    pub(crate) fn take(
        &self,
        packet: &[u8; BYTES],
        mut at: usize,
        vector: u32,
        to: &mut Launch<BYTES>,
    ) -> Option<()> {
        for number in fields(vector) {
            let field = self.at(number);
            let (here, wide) = (usize::from(field.offset), usize::from(field.half_words()) * 2);
            let (to, from) = (to.image.get_mut(here..)?, packet.get(at..at + wide)?);
            match field.bytes {
                8 => copy::<8>(to, from, self.low_first()),
                4 => copy::<4>(to, from, self.low_first()),
                2 => copy::<2>(to, from, true),
                _ => copy::<1>(to, from, true),
            }
            at += wide;
        }
        Some(())
    }
}

/// Copies a value, with its half-words the other way round if asked for; both are long enough.
#[inline]
fn copy<const N: usize>(to: &mut [u8], from: &[u8], as_it_is: bool) {
    let (Some(to), Some(from)) = (to.first_chunk_mut::<N>(), from.first_chunk::<N>()) else {
        return;
    };
    *to = *from;
    if !as_it_is {
        to.as_chunks_mut::<2>().0.reverse();
    }
}
