//! What is in an AQL packet, field by field?
//!
//! One value type a kind of packet, each with `parse` and `emit`; the condensed one is
//! [`Condensed`](crate::Condensed). Sizes are in bytes, those of grids and workgroups in work-items.
//!
//! They have the fields of AQL by name, so a format of other fields is refused: also one of 64 bytes.

use crate::aql::{AQL_BYTES, BARRIER_SIGNALS_AT, SCOPES_AT, SIGNAL_AT};
use crate::error::Error;
use crate::format::Format;
use crate::launch::Launch;

/// The fields of an ordinary dispatch packet (Table 1), without what is reserved.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub struct KernelDispatch {
    /// Barrier bit (0), acquire scope (1, 2) and release scope (3, 4).
    pub synch_scopes: u8,
    /// Dimensions of the grid.
    pub setup: u16,
    /// Work-items of a workgroup.
    pub workgroup_size_x: u16,
    /// Work-items of a workgroup.
    pub workgroup_size_y: u16,
    /// Work-items of a workgroup.
    pub workgroup_size_z: u16,
    /// Work-items of the grid.
    pub grid_size_x: u32,
    /// Work-items of the grid.
    pub grid_size_y: u32,
    /// Work-items of the grid.
    pub grid_size_z: u32,
    /// Scratch memory of a work-item.
    pub private_segment_size: u32,
    /// LDS of a workgroup.
    pub group_segment_size: u32,
    /// The code.
    pub kernel_object: u64,
    /// The arguments.
    pub kernarg_address: u64,
    /// What is told of the end; 0 is nobody.
    pub completion_signal: u64,
}

impl KernelDispatch {
    /// The launch.
    ///
    /// # Errors
    /// When the private size is wider than the format has it, or the format has other fields
    /// ([`Format::is_aql`]).
    pub fn launch(&self, format: &Format<AQL_BYTES>) -> Result<Launch<AQL_BYTES>, Error> {
        format.check_aql()?;
        let values: [u64; 13] = [
            self.synch_scopes.into(),
            self.setup.into(),
            self.workgroup_size_x.into(),
            self.workgroup_size_y.into(),
            self.workgroup_size_z.into(),
            self.grid_size_x.into(),
            self.grid_size_y.into(),
            self.grid_size_z.into(),
            self.private_segment_size.into(),
            self.group_segment_size.into(),
            self.kernel_object,
            self.kernarg_address,
            self.completion_signal,
        ];
        let mut launch = Launch::default();
        for (number, value) in values.into_iter().enumerate() {
            launch.set(format, number, value)?;
        }
        Ok(launch)
    }

    /// The fields of a launch.
    ///
    /// # Errors
    /// When the format has other fields ([`Format::is_aql`]), or there is more in the launch than the
    /// fields of this format: then it was made by another one. A launch does not say by which one it
    /// was made, so where everything in it lies in fields of this one, nobody can tell.
    pub fn of(launch: &Launch<AQL_BYTES>, format: &Format<AQL_BYTES>) -> Result<Self, Error> {
        format.check_aql()?;
        let own = Launch::of(&launch.image, format)?;
        let strange = launch.image.iter().zip(&own.image).position(|(found, own)| found != own);
        match strange {
            None => Ok(Self::read(launch, format)),
            // A packet has 64 bytes.
            Some(at) => Err(Error::OtherFormat { at: at as u16 }),
        }
    }

    /// The fields of a launch of this format, which is one of AQL.
    fn read(launch: &Launch<AQL_BYTES>, format: &Format<AQL_BYTES>) -> Self {
        // Each is as wide as its field, so nothing is cut off.
        let (half, word) = (|n| launch.get(format, n) as u16, |n| launch.get(format, n) as u32);
        Self {
            synch_scopes: launch.get(format, 0) as u8,
            setup: half(1),
            workgroup_size_x: half(2),
            workgroup_size_y: half(3),
            workgroup_size_z: half(4),
            grid_size_x: word(5),
            grid_size_y: word(6),
            grid_size_z: word(7),
            private_segment_size: word(8),
            group_segment_size: word(9),
            kernel_object: launch.get(format, 10),
            kernarg_address: launch.get(format, 11),
            completion_signal: launch.get(format, 12),
        }
    }

    /// The fields of an ordinary packet; what is reserved is not looked at.
    ///
    /// # Errors
    /// When it is of another type, or its private size is wider than the format has it, or the
    /// format has other fields ([`Format::is_aql`]).
    pub fn parse(packet: &[u8; AQL_BYTES], format: &Format<AQL_BYTES>) -> Result<Self, Error> {
        format.check_aql()?;
        wanted(packet, format.types().dispatch)?;
        Ok(Self::read(&Launch::of(packet, format)?, format))
    }

    /// The ordinary packet.
    ///
    /// # Errors
    /// Those of [`launch`](Self::launch).
    pub fn emit(&self, format: &Format<AQL_BYTES>) -> Result<[u8; AQL_BYTES], Error> {
        Ok(self.launch(format)?.dispatch(format))
    }
}

/// A reference packet (Table 2).
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub struct Reference {
    /// The entry that it fills.
    pub ref_num: u16,
    /// The launch.
    pub kernel: KernelDispatch,
}

impl Reference {
    /// What a reference packet says.
    ///
    /// # Errors
    /// When it is of another type, or the table has no such entry, or the private size is wider
    /// than the format has it, or the format has other fields ([`Format::is_aql`]).
    pub fn parse(packet: &[u8; AQL_BYTES], format: &Format<AQL_BYTES>) -> Result<Self, Error> {
        format.check_aql()?;
        wanted(packet, format.types().reference)?;
        let at = format.ref_num_at;
        let ref_num = u16::from_le_bytes([packet[at], packet[at + 1]]);
        if ref_num >= format.entries() {
            return Err(Error::RefNum { ref_num, entries: format.entries() });
        }
        Ok(Self { ref_num, kernel: KernelDispatch::read(&Launch::of(packet, format)?, format) })
    }

    /// The reference packet.
    ///
    /// # Errors
    /// When the table has no such entry, and those of [`KernelDispatch::launch`].
    pub fn emit(&self, format: &Format<AQL_BYTES>) -> Result<[u8; AQL_BYTES], Error> {
        self.kernel.launch(format)?.reference(format, self.ref_num)
    }
}

/// A barrier packet: what follows waits for signals.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub struct Barrier {
    /// Whether one signal is enough, instead of all.
    pub any: bool,
    /// As in a dispatch packet.
    pub synch_scopes: u8,
    /// The signals; 0 is none.
    pub dep_signal: [u64; 5],
    /// What is told of the end; 0 is nobody.
    pub completion_signal: u64,
}

impl Barrier {
    /// What a barrier packet says; what is reserved is not looked at.
    ///
    /// # Errors
    /// When it is of another type, or the format has other fields ([`Format::is_aql`]).
    pub fn parse(packet: &[u8; AQL_BYTES], format: &Format<AQL_BYTES>) -> Result<Self, Error> {
        format.check_aql()?;
        let types = format.types();
        let any = types.barrier_or == Some(packet[0]);
        if !any && types.barrier_and != Some(packet[0]) {
            return Err(Error::NotBarrier { found: packet[0], types });
        }
        let (words, _) = packet.as_chunks::<8>();
        let word = |at: usize| u64::from_le_bytes(words[at]);
        Ok(Self {
            any,
            synch_scopes: packet[SCOPES_AT],
            dep_signal: core::array::from_fn(|signal| word(BARRIER_SIGNALS_AT / 8 + signal)),
            completion_signal: word(SIGNAL_AT / 8),
        })
    }

    /// The barrier packet.
    ///
    /// # Errors
    /// When the format has no such barrier, or other fields ([`Format::is_aql`]).
    pub fn emit(&self, format: &Format<AQL_BYTES>) -> Result<[u8; AQL_BYTES], Error> {
        format.check_aql()?;
        let types = format.types();
        let kind = if self.any { types.barrier_or } else { types.barrier_and };
        let mut packet = [0; AQL_BYTES];
        packet[0] = kind.ok_or(Error::NoBarrier { any: self.any, types })?;
        packet[SCOPES_AT] = self.synch_scopes;
        let (words, _) = packet.as_chunks_mut::<8>();
        for (word, signal) in words[BARRIER_SIGNALS_AT / 8..].iter_mut().zip(self.dep_signal) {
            *word = signal.to_le_bytes();
        }
        words[SIGNAL_AT / 8] = self.completion_signal.to_le_bytes();
        Ok(packet)
    }
}

fn wanted(packet: &[u8; AQL_BYTES], wanted: u8) -> Result<(), Error> {
    if packet[0] == wanted {
        return Ok(());
    }
    Err(Error::OtherType { found: packet[0], wanted })
}
