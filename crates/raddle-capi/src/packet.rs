//! How do launches become few packets, and which launches does a packet stand for (seed 002)?

use raddle_packet::{
    AQL_BYTES, Agent, AnyReplacement, AqlConfig, AqlFormat, AqlPacket, BarrierPacket, Encoder,
    HALF_WORDS, KernelDispatch, LaunchImage, PacketTypes, PartOrder, Received, Replacement,
};

use crate::handle::{enter, with};
use crate::launch::unknown;
use crate::memory::{Out, Plain, read};
use crate::status::{Failure, Outcome, RaddleStatus, guarded};

/// Most packets that one call of an encoder makes: the condensed packet that was being filled, and
/// one more.
pub const RADDLE_PACKETS_AT_ONCE: usize = 2;
/// Most launches that one packet of any type stands for.
pub const RADDLE_LAUNCHES_OF_PACKET: usize = 31;
const _: () = assert!(RADDLE_LAUNCHES_OF_PACKET == HALF_WORDS, "the header has a plain number");

/// Encoder on the side of the host, which makes packets of launches.
#[derive(Debug)]
pub struct RaddleEncoder {
    encoder: Encoder<AnyReplacement>,
    format: AqlFormat,
}

/// Agent on the side of the device, which makes launches of packets, with the help of a table of
/// launches that it has stored.
#[derive(Debug)]
pub struct RaddleAgent(Agent);

/// Packet of the Architected Queuing Language (AQL): 64 bytes of a queue of the device.
#[repr(C)]
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct RaddlePacket {
    /// Bytes of the packet, as they stand in the queue.
    pub bytes: [u8; 64],
}

/// Settings of the packet format for the points that seed 002 (a patent) leaves open. Where a
/// function takes them, null means the defaults.
#[repr(C)]
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct RaddleAqlConfig {
    /// Type number of an ordinary packet, which holds one whole launch; the default is 2.
    pub dispatch: u8,
    /// Type number of a reference packet, which holds one whole launch that the agent also stores
    /// in its table; the default is 7.
    pub reference: u8,
    /// Type number of a condensed packet, which stands for several launches, each as a stored
    /// launch and the differences from it; the default is 6.
    pub condensed: u8,
    /// 1 if the half-words of a value are in the order of the most significant one first, else 0;
    /// the default is 0.
    pub half_words_high_first: u8,
    /// 1 if the number of the table entry stands in the highest bits of a header, 0 if in the
    /// lowest; the default is 0.
    pub header_bits_high_first: u8,
    /// 1 if the private size (scratch memory) has 16 bits, 0 if 32; the default is 0.
    pub narrow_private: u8,
    /// Type number of a barrier that waits for all of its signals, or -1 if there is none; the
    /// default is 3.
    pub barrier_and: i16,
    /// Type number of a barrier that waits for one of its signals, or -1 if there is none; the
    /// default is 5.
    pub barrier_or: i16,
    /// Number of launches that the agent's table can store, 1 to 8; the default is 8.
    pub entries: u16,
}

/// Fields of a launch, as in an AQL dispatch packet.
#[repr(C)]
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct RaddleKernelDispatch {
    /// Address of the kernel's code.
    pub kernel_object: u64,
    /// Address of the launch's arguments.
    pub kernarg_address: u64,
    /// Signal to which the end of the launch is reported; 0 is no signal.
    pub completion_signal: u64,
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
    /// Number of dimensions of the grid, 1 to 3.
    pub setup: u16,
    /// Number of work-items of one workgroup along x.
    pub workgroup_size_x: u16,
    /// Number of work-items of one workgroup along y.
    pub workgroup_size_y: u16,
    /// Number of work-items of one workgroup along z.
    pub workgroup_size_z: u16,
    /// Bits for ordering: bit 0 is the barrier bit, bits 1 and 2 are the acquire scope, bits 3 and
    /// 4 the release scope.
    pub synch_scopes: u8,
}

/// Rule that says which launches get an entry of the agent's table of stored launches.
#[repr(C)]
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum RaddleReplacement {
    /// The first launches get an entry of the agent's table and keep it for ever.
    First = 0,
    /// A new launch replaces the least recently used entry of the agent's table.
    MostRecent = 1,
    /// Launches of the kernels that are launched most often get an entry of the agent's table.
    Frequency = 2,
}

/// Kind of packet that an agent (packet processor) received.
#[repr(C)]
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum RaddleReceived {
    /// The packet stands for one or more launches.
    Launches = 0,
    /// The packet is a barrier, which stands for no launch.
    Barrier = 1,
    /// The packet is of a type that the format does not have; the host hands it on.
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
        let order = |high_first| match high_first {
            0 => PartOrder::LowFirst,
            _ => PartOrder::HighFirst,
        };
        let config = AqlConfig::default()
            .with_types(PacketTypes { dispatch, reference, condensed, barrier_and, barrier_or })
            .with_half_words(order(self.half_words_high_first))
            .with_header_bits(order(self.header_bits_high_first))
            .with_narrow_private(self.narrow_private != 0)
            .with_entries(entries);
        AqlFormat::new(&config).map_err(Failure::invalid)
    }
}

/// Returns the packet format of the settings; the default format where `config` is null. An error
/// where the settings contradict each other.
///
/// # Safety
/// `config` is null, misaligned, or has settings behind it that nobody writes meanwhile.
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

/// List of the packets that one call of an encoder makes.
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

/// Makes an encoder for an agent whose table of stored launches is empty, and writes its handle to
/// `encoder`. `replacement` is one of `RaddleReplacement`. An entry counts as near to a launch of
/// the same kernel if the launch differs from it by up to `near` half-words; 9 is usual.
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

/// Takes a launch, and writes the packets that it completes to `packets`, and their number to
/// `count`. `packets` must have room for `RADDLE_PACKETS_AT_ONCE` packets; else the answer is
/// `Room`, and nothing has changed.
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

/// Takes a packet that keeps the order, such as a barrier, and writes the packets that it completes
/// to `packets`, that packet itself included, and their number to `count`. `packets` must have room
/// for `RADDLE_PACKETS_AT_ONCE` packets.
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

/// Writes the condensed packet that is being filled, if launches are in it, and the number of
/// packets written (0 or 1) to `count`. `packets` must have room for `RADDLE_PACKETS_AT_ONCE`
/// packets.
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

/// Makes an agent whose table of stored launches is empty. Writes its handle to `agent`.
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

/// Takes a packet, writes its kind, one of `RaddleReceived`, to `kind`, its launches to `launches`
/// and their number to `count`; `launches` must have room for `RADDLE_LAUNCHES_OF_PACKET` of them.
/// A packet that is malformed, or names an empty entry of the table, is an error and has changed
/// nothing.
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
