//! Where do the fields of AQL packets lie?
//!
//! Seed 002, Tables 1, 2, 4 and 5, with the natural alignment of C; the same offsets as in the
//! public HSA headers, whose 16-bit header is type and scopes here.

use core::mem::{offset_of, size_of};

use crate::error::Error;
use crate::format::Format;
use crate::spec::{Field, HalfWords, HeaderBits, Spec, Types};

/// Bytes of an AQL packet.
pub const AQL_BYTES: usize = 64;
/// Entries of the reference state table in the seed.
pub const AQL_ENTRIES: usize = 8;

/// What an AQL format leaves open.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct AqlOptions {
    /// Type numbers.
    pub types: Types,
    /// The order of half-words (B3).
    pub half_words: HalfWords,
    /// The order in the header of a difference (B4).
    pub header_bits: HeaderBits,
    /// Whether private_segment_size has 16 bits instead of 32 (B2).
    pub narrow_private: bool,
    /// Entries of the table, 1 to 8.
    pub entries: u16,
}

impl Default for AqlOptions {
    fn default() -> Self {
        Self {
            types: Types {
                dispatch: 2,
                reference: 7,
                condensed: 6,
                barrier_and: Some(3),
                barrier_or: Some(5),
            },
            half_words: HalfWords::LowFirst,
            header_bits: HeaderBits::LowFirst,
            narrow_private: false,
            entries: 8,
        }
    }
}

/// An ordinary packet and a reference packet as C lays them out.
#[repr(C)]
struct Dispatch {
    header: u8,
    synch_scopes: u8,
    setup: u16,
    workgroup_size_x: u16,
    workgroup_size_y: u16,
    workgroup_size_z: u16,
    ref_num: u16,
    grid_size_x: u32,
    grid_size_y: u32,
    grid_size_z: u32,
    private_segment_size: u32,
    group_segment_size: u32,
    kernel_object: u64,
    kernarg_address: u64,
    reserved2: u64,
    completion_signal: u64,
}

/// The same with the private size of the seed's text.
#[repr(C)]
struct Narrow {
    before: [u32; 6],
    private_segment_size: u16,
    group_segment_size: u32,
    kernel_object: u64,
}

/// A barrier packet.
#[repr(C)]
struct Barrier {
    header: u8,
    synch_scopes: u8,
    reserved0: u16,
    reserved1: u32,
    dep_signal: [u64; 5],
    reserved2: u64,
    completion_signal: u64,
}

/// A condensed packet.
#[repr(C)]
struct Condensed {
    header: u8,
    num_kernels: u8,
    diff_values: [u16; 31],
}

// Every offset that is used anywhere below, as the digest's tables have them.
const _: () = {
    assert!(size_of::<Dispatch>() == 64 && size_of::<Condensed>() == 64);
    assert!(size_of::<Barrier>() == 64);
    assert!(offset_of!(Dispatch, header) == 0 && offset_of!(Dispatch, synch_scopes) == 1);
    assert!(offset_of!(Dispatch, setup) == 2 && offset_of!(Dispatch, workgroup_size_x) == 4);
    assert!(offset_of!(Dispatch, workgroup_size_y) == 6);
    assert!(offset_of!(Dispatch, workgroup_size_z) == 8 && offset_of!(Dispatch, ref_num) == 10);
    assert!(offset_of!(Dispatch, grid_size_x) == 12 && offset_of!(Dispatch, grid_size_y) == 16);
    assert!(offset_of!(Dispatch, grid_size_z) == 20);
    assert!(offset_of!(Dispatch, private_segment_size) == 24);
    assert!(offset_of!(Dispatch, group_segment_size) == 28);
    assert!(offset_of!(Dispatch, kernel_object) == 32);
    assert!(offset_of!(Dispatch, kernarg_address) == 40);
    assert!(offset_of!(Dispatch, reserved2) == 48);
    assert!(offset_of!(Dispatch, completion_signal) == 56);
    assert!(offset_of!(Narrow, before) == 0 && offset_of!(Narrow, private_segment_size) == 24);
    assert!(offset_of!(Narrow, group_segment_size) == 28);
    assert!(offset_of!(Narrow, kernel_object) == 32);
    assert!(offset_of!(Condensed, header) == 0 && offset_of!(Condensed, num_kernels) == 1);
    assert!(offset_of!(Condensed, diff_values) == 2);
    assert!(offset_of!(Barrier, header) == 0 && offset_of!(Barrier, synch_scopes) == 1);
    assert!(offset_of!(Barrier, reserved0) == 2 && offset_of!(Barrier, reserved1) == 4);
    assert!(offset_of!(Barrier, dep_signal) == BARRIER_SIGNALS_AT);
    assert!(offset_of!(Barrier, reserved2) == 48);
    assert!(offset_of!(Barrier, completion_signal) == SIGNAL_AT);
};

/// Where the signals begin that a barrier waits for.
pub(crate) const BARRIER_SIGNALS_AT: usize = 8;
/// Where the completion signal of any AQL packet lies.
pub(crate) const SIGNAL_AT: usize = 56;
/// Where the scopes of a dispatch, reference or barrier packet lie.
pub(crate) const SCOPES_AT: usize = 1;

const fn field(name: &'static str, offset: usize, bytes: u8) -> Field {
    Field { name, offset: offset as u16, bytes, spare: 0 }
}

/// The thirteen fields: bit 0 is synch_scopes (B6), bit 12 completion_signal.
pub(crate) const FIELDS: [Field; 13] = [
    field("synch_scopes", offset_of!(Dispatch, synch_scopes), 1),
    field("setup", offset_of!(Dispatch, setup), 2),
    field("workgroup_size_x", offset_of!(Dispatch, workgroup_size_x), 2),
    field("workgroup_size_y", offset_of!(Dispatch, workgroup_size_y), 2),
    field("workgroup_size_z", offset_of!(Dispatch, workgroup_size_z), 2),
    field("grid_size_x", offset_of!(Dispatch, grid_size_x), 4),
    field("grid_size_y", offset_of!(Dispatch, grid_size_y), 4),
    field("grid_size_z", offset_of!(Dispatch, grid_size_z), 4),
    field("private_segment_size", offset_of!(Dispatch, private_segment_size), 4),
    field("group_segment_size", offset_of!(Dispatch, group_segment_size), 4),
    field("kernel_object", offset_of!(Dispatch, kernel_object), 8),
    field("kernarg_address", offset_of!(Dispatch, kernarg_address), 8),
    field("completion_signal", offset_of!(Dispatch, completion_signal), 8),
];

/// Which of them is private_segment_size.
pub(crate) const PRIVATE: usize = 8;

/// private_segment_size of 16 bits (B2).
const NARROW_PRIVATE: Field = Field { bytes: 2, spare: 2, ..FIELDS[PRIVATE] };

/// The number of the first field that is not that of AQL packets; `None` where all are.
pub(crate) fn not_aql(fields: &[Field]) -> Option<usize> {
    let same = |number: usize| {
        let field = fields.get(number);
        field == FIELDS.get(number) || number == PRIVATE && field == Some(&NARROW_PRIVATE)
    };
    (0..fields.len().max(FIELDS.len())).find(|&number| !same(number))
}

impl Format<AQL_BYTES> {
    /// An AQL format.
    ///
    /// # Errors
    /// When two kinds of packet have one type (but reference and dispatch may), or the entries are
    /// not 1 to 8.
    pub fn aql(options: &AqlOptions) -> Result<Self, Error> {
        let mut fields = FIELDS;
        if options.narrow_private {
            fields[PRIVATE] = NARROW_PRIVATE;
        }
        Self::new(&Spec {
            types: options.types,
            half_words: options.half_words,
            header_bits: options.header_bits,
            header_half_words: 1,
            ref_bits: 3,
            entries: options.entries,
            fields: &fields,
            scopes: 0,
            kernel: 10,
            signal: 12,
            ref_num_at: offset_of!(Dispatch, ref_num) as u16,
            num_kernels_at: offset_of!(Condensed, num_kernels) as u16,
            diff_values_at: offset_of!(Condensed, diff_values) as u16,
        })
    }
}
