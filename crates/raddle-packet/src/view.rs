//! What does a packet look like, also a malformed one?
//!
//! A view prints every byte of a packet, with its meaning as far as it has one, and on the last line
//! what is malformed.

use core::fmt;

use crate::condensed::{KernelHeader, KernelHeaders};
use crate::error::PacketError;
use crate::error::Reason;
use crate::launch::LaunchImage;
use crate::layout::{
    AqlFormat, COMPLETION_SIGNAL_AT, DEP_SIGNALS, DIFF_VALUES_AT, NUM_KERNELS_AT, REF_NUM_AT,
    SCOPES_AT, fields_in, integer,
};
use crate::packet_types::{AQL_BYTES, AqlPacket, HALF_WORDS};

/// Width in characters of the longest printed value of a field, four half-words (16 bits each).
const VALUE_WIDTH: usize = 20;
/// Number of bytes in one printed line, for packets whose fields are not known.
const ROW: usize = 16;

/// Kind of a packet, as its first byte states it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum PacketKind {
    /// An ordinary dispatch packet. In a format where dispatch and reference packets have one type,
    /// it also stores its launch.
    Dispatch,
    Reference,
    Condensed,
    BarrierAnd,
    BarrierOr,
    Unknown,
}

impl PacketKind {
    /// Returns the name of the kind of packet, in words.
    const fn name(self) -> &'static str {
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

/// Printable view of the bytes of a packet, well formed or not. `Display` prints every byte.
#[derive(Clone, Copy, Debug)]
pub struct PacketView<'p> {
    packet: &'p AqlPacket,
    format: &'p AqlFormat,
}

impl<'p> PacketView<'p> {
    /// Returns a view of the packet `packet`, read in the packet format `format`.
    #[must_use]
    pub const fn new(packet: &'p AqlPacket, format: &'p AqlFormat) -> Self {
        Self { packet, format }
    }

    /// Returns the name of the kind of packet that its first byte states, in words.
    #[must_use]
    pub fn name(&self) -> &'static str {
        self.kind().name()
    }

    fn kind(&self) -> PacketKind {
        let types = self.format.types();
        match self.packet[0] {
            found if found == types.condensed => PacketKind::Condensed,
            found if found == types.reference => PacketKind::Reference,
            found if found == types.dispatch => PacketKind::Dispatch,
            found if types.barrier_and == Some(found) => PacketKind::BarrierAnd,
            found if types.barrier_or == Some(found) => PacketKind::BarrierOr,
            _ => PacketKind::Unknown,
        }
    }

    /// Returns the half-word at the place where a reference packet has its entry number, in a
    /// packet of any kind.
    fn ref_num(&self) -> u16 {
        self.half_word(REF_NUM_AT)
    }

    /// Returns the byte at the place where a condensed packet has its number of kernels, in a
    /// packet of any kind.
    const fn num_kernels(&self) -> u8 {
        self.packet[NUM_KERNELS_AT]
    }

    /// Returns the first error in the packet that can be found without the agent's table; `None`
    /// where there is none.
    #[must_use]
    pub fn fault(&self) -> Option<PacketError> {
        let Self { packet, format } = *self;
        match self.kind() {
            PacketKind::Unknown => {
                Some(PacketError(Reason::Type { found: packet[0], types: format.types() }))
            }
            PacketKind::BarrierAnd | PacketKind::BarrierOr => None,
            PacketKind::Reference if format.check_entry(self.ref_num()).is_err() => {
                format.check_entry(self.ref_num()).err()
            }
            PacketKind::Dispatch | PacketKind::Reference => {
                LaunchImage::default().read(packet, format).err()
            }
            PacketKind::Condensed => match KernelHeaders::new(packet, format) {
                Ok(mut kernels) => kernels.find_map(Result::err),
                Err(error) => Some(error),
            },
        }
    }

    /// Prints those reserved bytes of the packet that are not 0; `is_reserved` says which byte
    /// offsets are reserved.
    fn reserved(
        &self,
        f: &mut fmt::Formatter<'_>,
        mut is_reserved: impl FnMut(usize) -> bool,
    ) -> fmt::Result {
        for (at, &byte) in self.packet.iter().enumerate().skip(1) {
            if byte != 0 && is_reserved(at) {
                writeln!(f, "{at:4}  reserved               0x{byte:02x}")?;
            }
        }
        Ok(())
    }

    fn launch_fields(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let fields = self.format.fields();
        for field in fields {
            let (at, digits) = (field.offset, 2 * field.bytes);
            let value = integer(&self.packet[field.range()]);
            writeln!(f, "{at:4}  {:<22} 0x{value:0digits$x} = {value}", field.name)?;
        }
        let kind = self.kind();
        let name = if kind == PacketKind::Reference { "ref_num" } else { "reserved0" };
        let ref_num = self.ref_num();
        writeln!(f, "{REF_NUM_AT:4}  {name:<22} 0x{ref_num:04x} = {ref_num}")?;
        self.reserved(f, |at| {
            at / 2 != REF_NUM_AT / 2 && !fields.iter().any(|field| field.range().contains(&at))
        })
    }

    fn barrier_fields(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        writeln!(f, "{SCOPES_AT:4}  synch_scopes           0x{:02x}", self.packet[SCOPES_AT])?;
        self.reserved(f, |at| (SCOPES_AT + 1..DEP_SIGNALS.start).contains(&at))?;
        for at in (DEP_SIGNALS.start..AQL_BYTES).step_by(8) {
            let name = match at {
                COMPLETION_SIGNAL_AT => "completion_signal",
                at if DEP_SIGNALS.contains(&at) => "dep_signal",
                _ => "reserved2",
            };
            writeln!(f, "{at:4}  {name:<22} 0x{:016x}", integer(&self.packet[at..at + 8]))?;
        }
        Ok(())
    }

    const fn half_word(&self, at: usize) -> u16 {
        u16::from_le_bytes([self.packet[at], self.packet[at + 1]])
    }

    /// Prints the half-words (16 bits) between two byte offsets of the packet: byte offset, index,
    /// and the half-words in hexadecimal.
    fn half_words(&self, f: &mut fmt::Formatter<'_>, from: usize, to: usize) -> fmt::Result {
        write!(f, "{from:4}    [{:2}]", (from - DIFF_VALUES_AT) / 2)?;
        (from..to).step_by(2).try_for_each(|at| write!(f, " {:04x}", self.half_word(at)))
    }

    /// Prints the half-words (16 bits) between two byte offsets of the packet, and in a separate
    /// column the meaning of each.
    fn meaning(
        &self,
        f: &mut fmt::Formatter<'_>,
        (from, to): (usize, usize),
        meaning: fmt::Arguments<'_>,
    ) -> fmt::Result {
        self.half_words(f, from, to)?;
        let blank = VALUE_WIDTH.saturating_sub(5 * (to - from) / 2);
        writeln!(f, "{:blank$}  {meaning}", "")
    }

    fn diffs(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        writeln!(f, "{NUM_KERNELS_AT:4}  num_kernels            {}", self.num_kernels())?;
        writeln!(f, "{DIFF_VALUES_AT:4}  diff_values            {HALF_WORDS} half-words")?;
        let mut at = DIFF_VALUES_AT;
        let kernels = KernelHeaders::new(self.packet, self.format).into_iter().flatten();
        for (number, kernel) in kernels.map_while(Result::ok).enumerate() {
            let KernelHeader { ref_num, vector, values, end } = kernel;
            let header = format_args!("kernel {number}: entry {ref_num}, vector 0x{vector:04x}");
            self.meaning(f, (at, at + 2), header)?;
            at += 2;
            let mut launch = LaunchImage::default();
            launch.read_diff(self.format, vector, values);
            for number in fields_in(vector) {
                let field = &self.format.fields()[number];
                let (value, to) = (launch.get(number), at + 2 * field.half_words());
                self.meaning(f, (at, to), format_args!("{} = 0x{value:x}", field.name))?;
                at = to;
            }
            at = end;
        }
        let left = (AQL_BYTES - at) / 2;
        if self.packet[at..].iter().all(|&byte| byte == 0) {
            return writeln!(f, "{at:4}  {left} half-words not used");
        }
        writeln!(f, "{at:4}  {left} half-words not read")?;
        (at..AQL_BYTES).step_by(ROW).try_for_each(|from| {
            self.half_words(f, from, AQL_BYTES.min(from + ROW))?;
            writeln!(f)
        })
    }
}

impl fmt::Display for PacketView<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let kind = self.kind();
        writeln!(f, "{}, {AQL_BYTES} bytes", kind.name())?;
        writeln!(f, "   0  type                   {}", self.packet[0])?;
        match kind {
            PacketKind::Condensed => self.diffs(f)?,
            PacketKind::Dispatch | PacketKind::Reference => self.launch_fields(f)?,
            PacketKind::BarrierAnd | PacketKind::BarrierOr => self.barrier_fields(f)?,
            PacketKind::Unknown => {
                for (row, bytes) in self.packet.chunks(ROW).enumerate() {
                    write!(f, "{:4} ", ROW * row)?;
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
