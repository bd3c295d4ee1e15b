//! How does a golden file write one placement?

use std::mem;

use raddle_policy::{CuId, Place};

/// Bytes of a vector-register granule, for one lane.
const VGPR: u64 = 16;
/// Bytes of a scalar-register granule.
const SGPR: u64 = 64;
/// Bytes of an LDS granule.
const LDS: u64 = 256;

/// Appends `number,CU<n>` and `,simd:vgpr:sgpr:lds` for each wave, addresses in bytes; no line end.
pub fn write_row(row: &mut String, number: u64, cu: CuId, places: &[Place]) {
    let mut bytes = mem::take(row).into_bytes();
    let mut part = Part::default();
    part.number(u64::from(cu.0));
    for letter in *b"UC," {
        part.byte(letter);
    }
    part.number(number);
    bytes.extend_from_slice(part.bytes());
    for place in places {
        let mut part = Part::default();
        part.number(u64::from(place.lds) * LDS);
        part.byte(b':');
        part.number(u64::from(place.sgpr) * SGPR);
        part.byte(b':');
        part.number(u64::from(place.vgpr) * VGPR);
        part.byte(b':');
        part.number(u64::from(place.simd));
        part.byte(b',');
        bytes.extend_from_slice(part.bytes());
    }
    // What was there was text, and what came after it is ASCII.
    *row = String::from_utf8(bytes).unwrap_or_default();
}

/// A part of a row, written from its end: numbers come digit by digit from the lowest.
///
/// The formatter of `core` takes several times as long.
struct Part {
    bytes: [u8; Self::LONGEST],
    start: usize,
}

impl Default for Part {
    fn default() -> Self {
        Self { bytes: [0; Self::LONGEST], start: Self::LONGEST }
    }
}

impl Part {
    /// More than the digits of three numbers of at most 41 bits, or of one of 64, and the rest.
    const LONGEST: usize = 64;

    fn number(&mut self, number: u64) {
        let mut left = number;
        loop {
            // A remainder by 10 is one digit.
            self.byte(b'0' + (left % 10) as u8);
            left /= 10;
            if left == 0 {
                break;
            }
        }
    }

    fn byte(&mut self, byte: u8) {
        self.start -= 1;
        self.bytes[self.start] = byte;
    }

    fn bytes(&self) -> &[u8] {
        &self.bytes[self.start..]
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_row_of_the_contract() {
        let place = |vgpr, sgpr| Place { simd: 2, vgpr, sgpr, lds: 96 };
        let mut places = [place(32, 36), place(32, 42)];
        places[1].simd = 3;
        let mut row = String::new();
        write_row(&mut row, 600, CuId(52), &places);
        assert_eq!(row, "600,CU52,2:512:2304:24576,3:512:2688:24576");
        row.clear();
        write_row(&mut row, u64::MAX, CuId(0), &[]);
        assert_eq!(row, "18446744073709551615,CU0");
        let (vgpr, sgpr, lds) = (u16::MAX, u16::MAX, u32::MAX);
        write_row(&mut row, 0, CuId(u16::MAX), &[Place { simd: u8::MAX, vgpr, sgpr, lds }]);
        assert!(row.ends_with("CU00,CU65535,255:1048560:4194240:1099511627520"));
    }
}
