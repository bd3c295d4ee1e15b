//! What is in an AQL packet, field by field?
//!
//! Each kind of packet has a value type with `parse` and `emit`; that of a condensed packet is
//! [`Condensed`](crate::Condensed). Sizes are in bytes, those of grids and workgroups in
//! work-items.

use crate::error::PacketError;
use crate::error::Reason;
use crate::launch::LaunchImage;
use crate::layout::{AqlFormat, COMPLETION_SIGNAL_AT, DEP_SIGNALS, REF_NUM_AT, SCOPES_AT};
use crate::packet_types::{AQL_BYTES, AqlPacket};

/// Fields of an ordinary dispatch packet (Table 1 of seed 002), without the reserved bytes.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub struct KernelDispatch {
    /// Bits for ordering: bit 0 is the barrier bit, bits 1 and 2 are the acquire scope, bits 3 and
    /// 4 the release scope.
    pub synch_scopes: u8,
    /// Number of dimensions of the grid, 1 to 3.
    pub setup: u16,
    /// Number of work-items of one workgroup along x.
    pub workgroup_size_x: u16,
    /// Number of work-items of one workgroup along y.
    pub workgroup_size_y: u16,
    /// Number of work-items of one workgroup along z.
    pub workgroup_size_z: u16,
    /// Number of work-items of the grid along x.
    pub grid_size_x: u32,
    /// Number of work-items of the grid along y.
    pub grid_size_y: u32,
    /// Number of work-items of the grid along z.
    pub grid_size_z: u32,
    /// Scratch memory of one work-item, in bytes.
    pub private_segment_size: u32,
    /// Shared memory (LDS) of one workgroup, in bytes.
    pub group_segment_size: u32,
    /// Address of the kernel's code.
    pub kernel_object: u64,
    /// Address of the launch's arguments.
    pub kernarg_address: u64,
    /// Signal to which the end of the launch is reported; 0 is no signal.
    pub completion_signal: u64,
}

impl KernelDispatch {
    /// Returns the launch that these fields describe.
    ///
    /// # Errors
    /// When the private segment size has more bits than its field in the format.
    pub fn launch(&self, format: &AqlFormat) -> Result<LaunchImage, PacketError> {
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
        let mut launch = LaunchImage::default();
        for (number, value) in values.into_iter().enumerate() {
            launch.set(format, number, value)?;
        }
        Ok(launch)
    }

    /// Returns the fields of a launch as those of an ordinary dispatch packet.
    #[must_use]
    pub fn of(launch: &LaunchImage) -> Self {
        // Each value is as wide as its field, so nothing is cut off.
        let (half, word) = (|number| launch.get(number) as u16, |number| launch.get(number) as u32);
        Self {
            synch_scopes: launch.get(0) as u8,
            setup: half(1),
            workgroup_size_x: half(2),
            workgroup_size_y: half(3),
            workgroup_size_z: half(4),
            grid_size_x: word(5),
            grid_size_y: word(6),
            grid_size_z: word(7),
            private_segment_size: word(8),
            group_segment_size: word(9),
            kernel_object: launch.get(10),
            kernarg_address: launch.get(11),
            completion_signal: launch.get(12),
        }
    }

    /// Reads the fields of an ordinary dispatch packet; reserved bytes are ignored.
    ///
    /// # Errors
    /// When the packet is no ordinary dispatch packet, or its private segment size has more bits
    /// than its field in the format.
    pub fn parse(packet: &AqlPacket, format: &AqlFormat) -> Result<Self, PacketError> {
        check_type(packet, format.types().dispatch)?;
        let mut launch = LaunchImage::default();
        launch.read(packet, format)?;
        Ok(Self::of(&launch))
    }

    /// Returns the ordinary dispatch packet with these fields.
    ///
    /// # Errors
    /// When the private segment size has more bits than its field in the format.
    pub fn emit(&self, format: &AqlFormat) -> Result<AqlPacket, PacketError> {
        Ok(self.launch(format)?.dispatch(format))
    }
}

/// Fields of a reference packet, which launches a kernel and stores the launch in the agent's table
/// (Table 2 of seed 002).
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub struct Reference {
    /// Number of the entry of the agent's reference table that the packet fills.
    pub ref_num: u16,
    /// Fields of the launch, as those of an ordinary dispatch packet.
    pub kernel: KernelDispatch,
}

impl Reference {
    /// Reads the fields of a reference packet; reserved bytes are ignored.
    ///
    /// # Errors
    /// When the packet is no reference packet, the agent's table has no such entry, or the private
    /// segment size has more bits than its field in the format.
    pub fn parse(packet: &AqlPacket, format: &AqlFormat) -> Result<Self, PacketError> {
        check_type(packet, format.types().reference)?;
        let ref_num = u16::from_le_bytes([packet[REF_NUM_AT], packet[REF_NUM_AT + 1]]);
        format.check_entry(ref_num)?;
        let mut launch = LaunchImage::default();
        launch.read(packet, format)?;
        Ok(Self { ref_num, kernel: KernelDispatch::of(&launch) })
    }

    /// Returns the reference packet with these fields.
    ///
    /// # Errors
    /// When the agent's table has no such entry, or the private segment size has more bits than its
    /// field in the format.
    pub fn emit(&self, format: &AqlFormat) -> Result<AqlPacket, PacketError> {
        self.kernel.launch(format)?.reference(format, self.ref_num)
    }
}

/// Fields of a barrier packet, behind which later packets wait for signals.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub struct BarrierPacket {
    /// True if one signal is enough; false if the barrier waits for all of its signals.
    pub any: bool,
    /// Bits for ordering: bit 0 is the barrier bit, bits 1 and 2 are the acquire scope, bits 3 and
    /// 4 the release scope.
    pub synch_scopes: u8,
    /// Signals for which later packets wait; 0 is no signal.
    pub dep_signal: [u64; 5],
    /// Signal to which the end of the barrier is reported; 0 is no signal.
    pub completion_signal: u64,
}

impl BarrierPacket {
    /// Reads the fields of a barrier packet; reserved bytes are ignored.
    ///
    /// # Errors
    /// When the packet is no barrier packet.
    pub fn parse(packet: &AqlPacket, format: &AqlFormat) -> Result<Self, PacketError> {
        let (found, types) = (packet[0], format.types());
        let any = types.barrier_or == Some(found);
        if !any && types.barrier_and != Some(found) {
            return Err(PacketError(Reason::NotBarrier { found, types }));
        }
        let word = |at: usize| u64::from_le_bytes(packet.as_chunks::<8>().0[at / 8]);
        Ok(Self {
            any,
            synch_scopes: packet[SCOPES_AT],
            dep_signal: core::array::from_fn(|signal| word(DEP_SIGNALS.start + 8 * signal)),
            completion_signal: word(COMPLETION_SIGNAL_AT),
        })
    }

    /// Returns the barrier packet with these fields.
    ///
    /// # Errors
    /// When the format has no barrier of this kind (one signal, or all signals).
    pub fn emit(&self, format: &AqlFormat) -> Result<AqlPacket, PacketError> {
        let types = format.types();
        let kind = if self.any { types.barrier_or } else { types.barrier_and };
        let mut packet = [0; AQL_BYTES];
        packet[0] = kind.ok_or(PacketError(Reason::NoBarrier { any: self.any, types }))?;
        packet[SCOPES_AT] = self.synch_scopes;
        for (to, signal) in packet[DEP_SIGNALS].as_chunks_mut().0.iter_mut().zip(self.dep_signal) {
            *to = signal.to_le_bytes();
        }
        packet[COMPLETION_SIGNAL_AT..].copy_from_slice(&self.completion_signal.to_le_bytes());
        Ok(packet)
    }
}

const fn check_type(packet: &AqlPacket, wanted: u8) -> Result<(), PacketError> {
    if packet[0] == wanted {
        return Ok(());
    }
    Err(PacketError(Reason::OtherType { found: packet[0], wanted }))
}
