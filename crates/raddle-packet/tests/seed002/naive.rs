//! What is the obvious way, bit by bit, with lists that grow?
//!
//! Written apart from the codec: numbers and names of Tables 1 to 5 only.

use std::prelude::rust_2024::*;
use std::vec;

type AqlPacket = [u8; 64];

/// Fields of a launch as seed 002 lists them: (name, byte offset, number of bytes).
pub(crate) const FIELDS: [(&str, usize, usize); 13] = [
    ("synch_scopes", 1, 1),
    ("setup", 2, 2),
    ("workgroup_size_x", 4, 2),
    ("workgroup_size_y", 6, 2),
    ("workgroup_size_z", 8, 2),
    ("grid_size_x", 12, 4),
    ("grid_size_y", 16, 4),
    ("grid_size_z", 20, 4),
    ("private_segment_size", 24, 4),
    ("group_segment_size", 28, 4),
    ("kernel_object", 32, 8),
    ("kernarg_address", 40, 8),
    ("completion_signal", 56, 8),
];

/// Orders in which values are written, for points that seed 002 leaves open.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Orders {
    pub(crate) high_half_first: bool,
    pub(crate) high_bits_first: bool,
    pub(crate) narrow_private: bool,
}

/// Values of the thirteen fields of a launch.
pub(crate) type Fields = [u64; 13];

/// Kernel of a condensed packet: (number of the table entry, (number, value) of each field that
/// differs).
pub(crate) type Kernel = (u16, Vec<(usize, u64)>);

fn half_words(orders: Orders, field: usize) -> usize {
    match FIELDS[field].2 {
        4 if field == 8 && orders.narrow_private => 1,
        bytes => bytes.div_ceil(2),
    }
}

/// Returns the half-words of one kernel of a condensed packet: its header and the values that
/// differ.
pub(crate) fn write(orders: Orders, (ref_num, diff): &Kernel) -> Vec<u16> {
    let mut vector = 0_u16;
    for (field, _) in diff {
        vector |= 1 << field;
    }
    let header =
        if orders.high_bits_first { ref_num << 13 | vector } else { vector << 3 | ref_num };
    let mut out = vec![header];
    let mut sorted = diff.clone();
    sorted.sort_unstable();
    for (field, value) in sorted {
        let mut halves: Vec<u16> =
            (0..half_words(orders, field)).map(|n| (value >> (16 * n)) as u16).collect();
        if orders.high_half_first {
            halves.reverse();
        }
        out.extend(halves);
    }
    out
}

/// Returns a condensed packet of these kernels; `None` where they do not fit.
pub(crate) fn packet(orders: Orders, kernels: &[Kernel]) -> Option<AqlPacket> {
    let words: Vec<u16> = kernels.iter().flat_map(|kernel| write(orders, kernel)).collect();
    if words.len() > 31 {
        return None;
    }
    let mut packet = [0; 64];
    (packet[0], packet[1]) = (6, kernels.len() as u8);
    for (n, word) in words.iter().enumerate() {
        packet[2 + 2 * n] = *word as u8;
        packet[3 + 2 * n] = (word >> 8) as u8;
    }
    Some(packet)
}

/// Returns the kernels of a condensed packet; `None` where it is malformed in any respect that
/// needs no table.
pub(crate) fn kernels(orders: Orders, packet: &AqlPacket) -> Option<Vec<Kernel>> {
    let mut words: Vec<u16> =
        packet[2..].chunks(2).map(|pair| u16::from(pair[0]) | u16::from(pair[1]) << 8).collect();
    words.reverse();
    let mut kernels = Vec::new();
    if packet[0] != 6 || packet[1] == 0 {
        return None;
    }
    for _ in 0..packet[1] {
        let header = words.pop()?;
        let (ref_num, vector) = if orders.high_bits_first {
            (header >> 13, header & 0x1fff)
        } else {
            (header & 7, header >> 3)
        };
        let mut diff = Vec::new();
        for field in (0..13).filter(|field| vector >> field & 1 == 1) {
            let mut halves = Vec::new();
            for _ in 0..half_words(orders, field) {
                halves.push(words.pop()?);
            }
            if orders.high_half_first {
                halves.reverse();
            }
            let value = halves.iter().rev().fold(0, |value, half| value << 16 | u64::from(*half));
            if field == 0 && value > 255 {
                return None;
            }
            diff.push((field, value));
        }
        kernels.push((ref_num, diff));
    }
    Some(kernels)
}

/// Returns the field values of an ordinary or reference packet.
pub(crate) fn fields(packet: &AqlPacket) -> Fields {
    std::array::from_fn(|field| {
        let (_, offset, bytes) = FIELDS[field];
        (0..bytes).rev().fold(0, |value, n| value << 8 | u64::from(packet[offset + n]))
    })
}

/// Naive agent, made of plain lists: it gives the launches of a packet, or `None` where it refuses
/// the packet.
#[derive(Clone, Debug, Default)]
pub(crate) struct Agent {
    pub(crate) orders: Orders,
    pub(crate) table: [Option<Fields>; 8],
}

impl Agent {
    pub(crate) fn receive(&mut self, packet: &AqlPacket) -> Option<Vec<Fields>> {
        match packet[0] {
            3 | 5 => Some(Vec::new()),
            2 | 7 => {
                let launch = fields(packet);
                if self.orders.narrow_private && launch[8] > 65535 {
                    return None;
                }
                if packet[0] == 7 {
                    let number = usize::from(packet[10]) + 256 * usize::from(packet[11]);
                    *self.table.get_mut(number)? = Some(launch);
                }
                Some(vec![launch])
            }
            _ => {
                let mut launches = Vec::new();
                for (ref_num, diff) in kernels(self.orders, packet)? {
                    let mut launch = self.table[usize::from(ref_num)]?;
                    for (field, value) in diff {
                        launch[field] = value;
                    }
                    launches.push(launch);
                }
                Some(launches)
            }
        }
    }
}
