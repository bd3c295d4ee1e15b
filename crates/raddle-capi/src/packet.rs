//! How do launches become few packets, and which launches does a packet stand for (seed 002)?

use raddle_packet::{
    AQL_BYTES, Agent, AnyReplacement, AqlConfig, AqlFormat, AqlPacket, BarrierPacket, Encoder,
    HALF_WORDS, HalfWords, HeaderBits, KernelDispatch, LaunchImage, PacketTypes, Received,
    Replacement,
};

use crate::handle::{enter, with};
use crate::launch::unknown;
use crate::memory::{Out, Plain, read};
use crate::status::{Failure, Outcome, RaddleStatus, guarded};

/// The most packets that one call of an encoder makes: the open one, and one more.
pub const RADDLE_PACKETS_AT_ONCE: usize = 2;
/// The most launches of one packet.
pub const RADDLE_LAUNCHES_OF_PACKET: usize = 31;
const _: () = assert!(RADDLE_LAUNCHES_OF_PACKET == HALF_WORDS, "the header has a plain number");

/// The host's side: makes packets of launches.
#[derive(Debug)]
pub struct RaddleEncoder {
    encoder: Encoder<AnyReplacement>,
    format: AqlFormat,
}

/// The device's side: makes launches of packets.
#[derive(Debug)]
pub struct RaddleAgent(Agent);

/// The bytes of an AQL packet.
#[repr(C)]
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct RaddlePacket {
    /// As they stand in the queue.
    pub bytes: [u8; 64],
}

/// Settings for the points that the seed leaves open. Where a function takes them, null means the defaults.
#[repr(C)]
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct RaddleAqlConfig {
    /// The type of an ordinary packet; 2.
    pub dispatch: u8,
    /// The type of a reference packet; 7.
    pub reference: u8,
    /// The type of a condensed packet; 6.
    pub condensed: u8,
    /// 1: half-words of a value stand with the most significant one first; 0.
    pub half_words_high_first: u8,
    /// 1: the number of the entry stands in the highest bits of a header; 0.
    pub header_bits_high_first: u8,
    /// 1: the private size has 16 bits; 0.
    pub narrow_private: u8,
    /// The type of a barrier that waits for all of its signals, or -1 for none; 3.
    pub barrier_and: i16,
    /// The type of a barrier that waits for one of its signals, or -1 for none; 5.
    pub barrier_or: i16,
    /// Entries of the table, 1 to 8; 8.
    pub entries: u16,
}

/// The fields of a launch, as in an AQL dispatch packet.
#[repr(C)]
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct RaddleKernelDispatch {
    /// Address of the code.
    pub kernel_object: u64,
    /// Address of the arguments.
    pub kernarg_address: u64,
    /// Signal that the end is reported to; 0 is none.
    pub completion_signal: u64,
    /// Work-items of the grid along x.
    pub grid_size_x: u32,
    /// Work-items of the grid along y.
    pub grid_size_y: u32,
    /// Work-items of the grid along z.
    pub grid_size_z: u32,
    /// Scratch memory of a work-item, in bytes.
    pub private_segment_size: u32,
    /// LDS of a workgroup, in bytes.
    pub group_segment_size: u32,
    /// Dimensions of the grid.
    pub setup: u16,
    /// Work-items of a workgroup along x.
    pub workgroup_size_x: u16,
    /// Work-items of a workgroup along y.
    pub workgroup_size_y: u16,
    /// Work-items of a workgroup along z.
    pub workgroup_size_z: u16,
    /// Barrier bit (0), acquire scope (1, 2) and release scope (3, 4).
    pub synch_scopes: u8,
}

/// The rule that says which launches get an entry of the table.
#[repr(C)]
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum RaddleReplacement {
    /// The first ones, for ever.
    First = 0,
    /// In the place of the entry that was not used for longest.
    MostRecent = 1,
    /// By how often kernels are launched.
    Frequency = 2,
}

/// The kinds of packets that an agent receives.
#[repr(C)]
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum RaddleReceived {
    /// A packet that stands for launches.
    Launches = 0,
    /// A barrier.
    Barrier = 1,
    /// A packet of a type that the format does not have, which is to be handed on.
    Foreign = 2,
}

// SAFETY: bytes.
unsafe impl Plain for RaddlePacket {}
// SAFETY: integers.
unsafe impl Plain for RaddleAqlConfig {}
// SAFETY: integers.
unsafe impl Plain for RaddleKernelDispatch {}

impl RaddleAqlConfig {
    fn checked(&self) -> Result<AqlFormat, Failure> {
        let barrier = |name: &str, number: i16| match u8::try_from(number) {
            Ok(number) => Ok(Some(number)),
            Err(_) if number == -1 => Ok(None),
            Err(_) => Err(Failure::argument(format!("`{name}` is {number}: give 0 to 255, or -1"))),
        };
        let Self { dispatch, reference, condensed, entries, .. } = *self;
        let (barrier_and, barrier_or) = (
            barrier("config.barrier_and", self.barrier_and)?,
            barrier("config.barrier_or", self.barrier_or)?,
        );
        let config = AqlConfig {
            types: PacketTypes { dispatch, reference, condensed, barrier_and, barrier_or },
            half_words: match self.half_words_high_first {
                0 => HalfWords::LowFirst,
                _ => HalfWords::HighFirst,
            },
            header_bits: match self.header_bits_high_first {
                0 => HeaderBits::LowFirst,
                _ => HeaderBits::HighFirst,
            },
            narrow_private: self.narrow_private != 0,
            entries,
        };
        AqlFormat::new(&config).map_err(Failure::invalid)
    }
}

/// Returns the format of these settings, or the default one.
///
/// # Safety
/// As `read`, for a pointer that may be null.
unsafe fn format_of(config: *const RaddleAqlConfig) -> Result<AqlFormat, Failure> {
    if config.is_null() {
        return Ok(AqlFormat::default());
    }
    // SAFETY: the caller promises it.
    unsafe { read("config", config)? }.checked()
}

impl From<&RaddleKernelDispatch> for KernelDispatch {
    fn from(it: &RaddleKernelDispatch) -> Self {
        Self {
            synch_scopes: it.synch_scopes,
            setup: it.setup,
            workgroup_size_x: it.workgroup_size_x,
            workgroup_size_y: it.workgroup_size_y,
            workgroup_size_z: it.workgroup_size_z,
            grid_size_x: it.grid_size_x,
            grid_size_y: it.grid_size_y,
            grid_size_z: it.grid_size_z,
            private_segment_size: it.private_segment_size,
            group_segment_size: it.group_segment_size,
            kernel_object: it.kernel_object,
            kernarg_address: it.kernarg_address,
            completion_signal: it.completion_signal,
        }
    }
}

impl From<&LaunchImage> for RaddleKernelDispatch {
    fn from(launch: &LaunchImage) -> Self {
        let it = KernelDispatch::of(launch);
        Self {
            synch_scopes: it.synch_scopes,
            setup: it.setup,
            workgroup_size_x: it.workgroup_size_x,
            workgroup_size_y: it.workgroup_size_y,
            workgroup_size_z: it.workgroup_size_z,
            grid_size_x: it.grid_size_x,
            grid_size_y: it.grid_size_y,
            grid_size_z: it.grid_size_z,
            private_segment_size: it.private_segment_size,
            group_segment_size: it.group_segment_size,
            kernel_object: it.kernel_object,
            kernarg_address: it.kernarg_address,
            completion_signal: it.completion_signal,
        }
    }
}

/// The packets of one call.
#[derive(Default)]
struct Sent {
    packets: [Option<AqlPacket>; RADDLE_PACKETS_AT_ONCE],
}

impl Sent {
    fn send(&mut self, packet: &AqlPacket) {
        if let Some(place) = self.packets.iter_mut().find(|place| place.is_none()) {
            *place = Some(*packet);
        }
    }

    fn write(&self, packets: &Out<RaddlePacket>, count: &Out<usize>) -> Outcome {
        let mut all = [RaddlePacket { bytes: [0; AQL_BYTES] }; RADDLE_PACKETS_AT_ONCE];
        let sent = self.packets.iter().flatten();
        let number = all.iter_mut().zip(sent).map(|(to, from)| to.bytes = *from).count();
        packets.fill(&all[..number], count)
    }
}

/// Makes an encoder for an agent with an empty table. `replacement` is one of `RaddleReplacement`; an entry is near to
/// a launch that differs from it by up to `near` half-words, of which 9 are usual.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn raddle_encoder_new(
    config: *const RaddleAqlConfig,
    replacement: u32,
    near: u16,
    encoder: *mut *mut RaddleEncoder,
) -> RaddleStatus {
    guarded(|| {
        // SAFETY: the caller keeps the promises of the crate.
        let (format, out) = unsafe { (format_of(config)?, Out::new("encoder", encoder)?) };
        let known = Replacement::ALL.get(replacement as usize);
        let known =
            known.ok_or_else(|| unknown("replacement", replacement, "RaddleReplacement"))?;
        enter(RaddleEncoder { encoder: Encoder::new(format, known.policy(near)), format }, &out)
    })
}

/// Takes a launch, and writes the packets that are complete by it. There must be room for
/// `RADDLE_PACKETS_AT_ONCE` of them; `Room` has changed nothing.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn raddle_encoder_launch(
    encoder: *mut RaddleEncoder,
    dispatch: *const RaddleKernelDispatch,
    packets: *mut RaddlePacket,
    capacity: usize,
    count: *mut usize,
) -> RaddleStatus {
    with(encoder, |it| {
        // SAFETY: the caller keeps the promises of the crate.
        let (dispatch, out) = unsafe {
            let out = (Out::list("packets", packets, capacity)?, Out::new("count", count)?);
            (read("dispatch", dispatch)?, out)
        };
        out.0.check_room(RADDLE_PACKETS_AT_ONCE)?;
        let launch = KernelDispatch::from(&dispatch).launch(&it.format);
        let (launch, mut sent) = (launch.map_err(Failure::invalid)?, Sent::default());
        it.encoder.launch(&launch, &mut |packet| sent.send(packet));
        sent.write(&out.0, &out.1)
    })
}

/// Takes a packet that keeps the order, such as a barrier, and writes the packets that are complete by it, itself among
/// them. Room as for a launch.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn raddle_encoder_barrier(
    encoder: *mut RaddleEncoder,
    barrier: *const RaddlePacket,
    packets: *mut RaddlePacket,
    capacity: usize,
    count: *mut usize,
) -> RaddleStatus {
    with(encoder, |it| {
        // SAFETY: the caller keeps the promises of the crate.
        let (barrier, out) = unsafe {
            let out = (Out::list("packets", packets, capacity)?, Out::new("count", count)?);
            (read("barrier", barrier)?, out)
        };
        out.0.check_room(RADDLE_PACKETS_AT_ONCE)?;
        BarrierPacket::parse(&barrier.bytes, &it.format).map_err(Failure::invalid)?;
        let mut sent = Sent::default();
        it.encoder.barrier(&barrier.bytes, &mut |packet| sent.send(packet));
        sent.write(&out.0, &out.1)
    })
}

/// Writes the open packet, if there is one. Room as for a launch.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn raddle_encoder_flush(
    encoder: *mut RaddleEncoder,
    packets: *mut RaddlePacket,
    capacity: usize,
    count: *mut usize,
) -> RaddleStatus {
    with(encoder, |it| {
        // SAFETY: the caller keeps the promises of the crate.
        let out = unsafe { (Out::list("packets", packets, capacity)?, Out::new("count", count)?) };
        out.0.check_room(RADDLE_PACKETS_AT_ONCE)?;
        let mut sent = Sent::default();
        it.encoder.flush(&mut |packet| sent.send(packet));
        sent.write(&out.0, &out.1)
    })
}

/// Makes an agent with an empty table.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn raddle_agent_new(
    config: *const RaddleAqlConfig,
    agent: *mut *mut RaddleAgent,
) -> RaddleStatus {
    guarded(|| {
        // SAFETY: the caller keeps the promises of the crate.
        let (format, out) = unsafe { (format_of(config)?, Out::new("agent", agent)?) };
        enter(RaddleAgent(Agent::new(format)), &out)
    })
}

/// Takes a packet, writes one of `RaddleReceived` to `kind`, and its launches. There must be room for
/// `RADDLE_LAUNCHES_OF_PACKET` of them. A packet that is malformed, or names an empty entry, is an error and has
/// changed nothing.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn raddle_agent_receive(
    agent: *mut RaddleAgent,
    packet: *const RaddlePacket,
    kind: *mut u32,
    launches: *mut RaddleKernelDispatch,
    capacity: usize,
    count: *mut usize,
) -> RaddleStatus {
    with(agent, |it| {
        // SAFETY: the caller keeps the promises of the crate.
        let (packet, kind, out) = unsafe {
            let out = (Out::list("launches", launches, capacity)?, Out::new("count", count)?);
            (read("packet", packet)?, Out::new("kind", kind)?, out)
        };
        out.0.check_room(HALF_WORDS)?;
        let mut list = [LaunchImage::default(); HALF_WORDS];
        let received = it.0.receive(&packet.bytes, &mut list).map_err(Failure::invalid)?;
        kind.put(match received {
            Received::Launches(_) => RaddleReceived::Launches,
            Received::Barrier => RaddleReceived::Barrier,
            Received::Foreign(_) => RaddleReceived::Foreign,
        } as u32);
        let mut all = [RaddleKernelDispatch::default(); HALF_WORDS];
        let launches = received.launches();
        all.iter_mut().zip(launches).for_each(|(to, from)| *to = from.into());
        out.0.fill(&all[..launches.len()], &out.1)
    })
}
