//! What does a packet look like, also one that nobody should have sent?
//!
//! A view is bytes and a format; it prints all of them, with what they mean as far as they mean
//! anything, and says at the end what is wrong.

use core::fmt;

use crate::aql::{BARRIER_SIGNALS_AT, SIGNAL_AT};
use crate::condensed::Walk;
use crate::error::Error;
use crate::format::Format;
use crate::launch::Launch;

/// Half-words of the widest field.
const MOST_OF_A_FIELD: usize = 4;
/// Half-words in a row where they mean nothing.
const IN_A_ROW: usize = 8;

/// What kind of packet its first byte says it is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Kind {
    /// An ordinary dispatch packet, or one that also stores (B11).
    Dispatch,
    /// A reference packet.
    Reference,
    /// A condensed packet.
    Condensed,
    /// A barrier that waits for all of its signals.
    BarrierAnd,
    /// A barrier that waits for one of its signals.
    BarrierOr,
    /// None of them.
    Unknown,
}

impl Kind {
    /// In words.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::Dispatch => "kernel dispatch packet",
            Self::Reference => "reference packet",
            Self::Condensed => "condensed packet",
            Self::BarrierAnd => "barrier-and packet",
            Self::BarrierOr => "barrier-or packet",
            Self::Unknown => "packet of unknown type",
        }
    }
}

/// The bytes of a packet, whatever they are. `Display` prints every one of them.
#[derive(Clone, Copy, Debug)]
pub struct View<'p, const BYTES: usize> {
    packet: &'p [u8; BYTES],
    format: &'p Format<BYTES>,
}

impl<'p, const BYTES: usize> View<'p, BYTES> {
    /// Of these bytes.
    #[must_use]
    pub const fn new(packet: &'p [u8; BYTES], format: &'p Format<BYTES>) -> Self {
        Self { packet, format }
    }

    /// What its first byte says.
    #[must_use]
    pub fn kind(&self) -> Kind {
        let types = self.format.types;
        match self.packet[0] {
            found if found == types.condensed => Kind::Condensed,
            found if found == types.reference => Kind::Reference,
            found if found == types.dispatch => Kind::Dispatch,
            found if types.barrier_and == Some(found) => Kind::BarrierAnd,
            found if types.barrier_or == Some(found) => Kind::BarrierOr,
            _ => Kind::Unknown,
        }
    }

    /// The bytes.
    #[must_use]
    pub const fn bytes(&self) -> &'p [u8; BYTES] {
        self.packet
    }

    /// The field of that number as it stands in a dispatch or reference packet, whatever this is.
    #[must_use]
    pub fn field(&self, number: usize) -> u64 {
        Launch { image: *self.packet }.get(self.format, number)
    }

    /// The number of the entry as it stands in a reference packet, whatever this is.
    #[must_use]
    pub fn ref_num(&self) -> u16 {
        let bytes = self.packet.get(self.format.ref_num_at..).and_then(<[u8]>::first_chunk::<2>);
        bytes.map_or(0, |bytes| u16::from_le_bytes(*bytes))
    }

    /// The number of kernels as it stands in a condensed packet, whatever this is.
    #[must_use]
    pub fn num_kernels(&self) -> u8 {
        self.packet.get(self.format.num_kernels_at).copied().unwrap_or(0)
    }

    /// What is wrong with it, apart from what only a table knows.
    #[must_use]
    pub fn fault(&self) -> Option<Error> {
        let entries = self.format.entries;
        match self.kind() {
            Kind::Unknown => Some(Error::Type { found: self.packet[0], types: self.format.types }),
            Kind::BarrierAnd | Kind::BarrierOr => None,
            Kind::Reference if self.ref_num() >= entries => {
                Some(Error::RefNum { ref_num: self.ref_num(), entries })
            }
            Kind::Dispatch | Kind::Reference => Launch::of(self.packet, self.format).err(),
            Kind::Condensed => match Walk::begin(self.packet, self.format) {
                Ok(mut walk) => walk.find_map(Result::err),
                Err(error) => Some(error),
            },
        }
    }

    fn launch_fields(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let format = self.format;
        for (number, field) in format.fields().iter().enumerate() {
            let (at, digits) = (field.offset, 2 * usize::from(field.bytes));
            let value = self.field(number);
            writeln!(f, "{at:4}  {:<22} 0x{value:0digits$x} = {value}", field.name)?;
        }
        let stores = if self.kind() == Kind::Reference { "ref_num" } else { "reserved0" };
        let ref_num = self.ref_num();
        writeln!(f, "{:4}  {stores:<22} 0x{ref_num:04x} = {ref_num}", format.ref_num_at)
    }

    /// Bytes beside all fields that are not 0.
    fn reserved(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let number = self.format.ref_num_at..self.format.ref_num_at + 2;
        for (at, &byte) in self.packet.iter().enumerate().skip(1) {
            if self.format.ours()[at] == 0 && byte != 0 && !number.contains(&at) {
                writeln!(f, "{at:4}  reserved               0x{byte:02x}")?;
            }
        }
        Ok(())
    }

    fn barrier_fields(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        writeln!(f, "   1  synch_scopes           0x{:02x}", self.packet[1])?;
        let (words, _) = self.packet.as_chunks::<8>();
        for (at, &byte) in self.packet.iter().enumerate().take(8).skip(2) {
            if byte != 0 {
                writeln!(f, "{at:4}  reserved               0x{byte:02x}")?;
            }
        }
        for (number, word) in words.iter().enumerate().skip(1) {
            let (at, value) = (8 * number, u64::from_le_bytes(*word));
            let name = match at {
                SIGNAL_AT => "completion_signal",
                48 => "reserved2",
                BARRIER_SIGNALS_AT..48 => "dep_signal",
                _ => "",
            };
            writeln!(f, "{at:4}  {name:<22} 0x{value:016x}")?;
        }
        Ok(())
    }

    fn half_word(&self, at: usize) -> u16 {
        let bytes = self.packet.get(at..).and_then(<[u8]>::first_chunk::<2>);
        bytes.map_or(0, |bytes| u16::from_le_bytes(*bytes))
    }

    /// A row of half-words from one byte to another: where, which, and in hexadecimal.
    fn half_words(&self, f: &mut fmt::Formatter<'_>, from: usize, to: usize) -> fmt::Result {
        let index = (from - self.format.diff_values_at) / 2;
        write!(f, "{from:4}    [{index:2}]")?;
        (from..to).step_by(2).try_for_each(|at| write!(f, " {:04x}", self.half_word(at)))
    }

    /// The same with what they mean behind them, in a column of its own.
    fn meaning(
        &self,
        f: &mut fmt::Formatter<'_>,
        (from, to): (usize, usize),
        meaning: fmt::Arguments<'_>,
    ) -> fmt::Result {
        self.half_words(f, from, to)?;
        let blank = 5 * MOST_OF_A_FIELD.saturating_sub((to - from) / 2);
        writeln!(f, "{:blank$}  {meaning}", "")
    }

    fn diffs(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let format = self.format;
        let (count, first) = (self.num_kernels(), format.diff_values_at);
        writeln!(f, "{:4}  num_kernels            {count}", format.num_kernels_at)?;
        for (at, &byte) in self.packet.iter().enumerate().take(first).skip(1) {
            if byte != 0 && at != format.num_kernels_at {
                writeln!(f, "{at:4}  reserved               0x{byte:02x}")?;
            }
        }
        writeln!(f, "{first:4}  diff_values            {} half-words", format.capacity())?;
        let mut at = first;
        let walk = Walk::begin(self.packet, format).into_iter().flatten();
        for (kernel, step) in walk.map_while(Result::ok).enumerate() {
            let (number, vector) = (step.ref_num, step.vector);
            let named = format_args!("kernel {kernel}: entry {number}, vector 0x{vector:04x}");
            self.meaning(f, (at, step.values_at), named)?;
            at = step.values_at;
            let (mut values, mut from) = (Launch::default(), at);
            let _ = format.take(self.packet, at, vector, &mut values);
            for field in crate::diff::fields(vector) {
                let to = from + 2 * usize::from(format.at(field).half_words());
                let (name, value) = (format.at(field).name, values.get(format, field));
                self.meaning(f, (from, to), format_args!("{name} = 0x{value:x}"))?;
                from = to;
            }
            at = from;
        }
        let rest = (at..BYTES).step_by(2).filter(|&at| self.half_word(at) != 0).count();
        let unread = (BYTES - at) / 2;
        if rest == 0 {
            return writeln!(f, "{at:4}  {unread} half-words not used");
        }
        writeln!(f, "{at:4}  {unread} half-words not read")?;
        (at..BYTES).step_by(2 * IN_A_ROW).try_for_each(|from| {
            self.half_words(f, from, BYTES.min(from + 2 * IN_A_ROW))?;
            writeln!(f)
        })
    }
}

impl<const BYTES: usize> fmt::Display for View<'_, BYTES> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let kind = self.kind();
        writeln!(f, "{}, {BYTES} bytes", kind.name())?;
        writeln!(f, "   0  type                   {}", self.packet[0])?;
        match kind {
            Kind::Condensed => self.diffs(f)?,
            Kind::Dispatch | Kind::Reference => {
                self.launch_fields(f)?;
                self.reserved(f)?;
            }
            // Where the signals of another format lie, nobody has said.
            Kind::BarrierAnd | Kind::BarrierOr if self.format.is_aql() => self.barrier_fields(f)?,
            _ => {
                for (row, bytes) in self.packet.chunks(16).enumerate() {
                    write!(f, "{:4} ", 16 * row)?;
                    bytes.iter().try_for_each(|byte| write!(f, " {byte:02x}"))?;
                    writeln!(f)?;
                }
            }
        }
        match self.fault() {
            Some(fault) => writeln!(f, "malformed: {fault}"),
            None => Ok(()),
        }
    }
}
