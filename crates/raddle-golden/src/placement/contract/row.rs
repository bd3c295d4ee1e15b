//! Where does a workgroup lie, and how do the placement contract's files of known results write
//! that?

use std::fmt;

use raddle_policy::{CuId, Place};

/// Bytes of a granule of vector registers, for one lane (work-item).
const VGPR: u64 = 16;
/// Bytes of a granule (smallest amount that is handed out) of scalar registers.
const SGPR: u64 = 64;
/// Bytes of a granule (smallest amount that is handed out) of LDS.
const LDS: u64 = 256;

/// A workgroup on its compute unit, shown as a line of a golden file (known results of the
/// placement contract).
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct PlacedWorkgroup {
    /// Number that names the workgroup in its launch, from 0.
    pub number: u64,
    /// Compute unit that the workgroup is on.
    pub cu: CuId,
    /// Address of each wave: its SIMD, and its first granules.
    pub places: Vec<Place>,
}

impl PlacedWorkgroup {
    /// Returns for each wave of the workgroup (number of its SIMD, byte offset of its vector
    /// registers, of its scalar registers, of its LDS).
    pub fn waves(&self) -> impl Iterator<Item = [u64; 4]> {
        let bytes = |place: &Place| {
            let (vgpr, sgpr) = (u64::from(place.vgpr) * VGPR, u64::from(place.sgpr) * SGPR);
            [place.simd.into(), vgpr, sgpr, u64::from(place.lds) * LDS]
        };
        self.places.iter().map(bytes)
    }
}

/// Prints the workgroup as the placement contract's files of known results do: `number,CU<n>`, and
/// `,simd:vgpr:sgpr:lds` for each wave, with addresses in bytes; without a line end.
impl fmt::Display for PlacedWorkgroup {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{},CU{}", self.number, self.cu.0)?;
        self.waves()
            .try_for_each(|[simd, vgpr, sgpr, lds]| write!(f, ",{simd}:{vgpr}:{sgpr}:{lds}"))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_row_of_the_contract() {
        let row = |number, cu, places: &[Place]| {
            PlacedWorkgroup { number, cu: CuId(cu), places: places.to_vec() }.to_string()
        };
        let first = Place { simd: 2, vgpr: 32, sgpr: 36, lds: 96 };
        let places = [first, Place { simd: 3, sgpr: 42, ..first }];
        assert_eq!(row(600, 52, &places), "600,CU52,2:512:2304:24576,3:512:2688:24576");
        assert_eq!(row(u64::MAX, 0, &[]), "18446744073709551615,CU0");
        let (vgpr, sgpr, lds) = (u16::MAX, u16::MAX, u32::MAX);
        let last = row(0, u16::MAX, &[Place { simd: u8::MAX, vgpr, sgpr, lds }]);
        assert_eq!(last, "0,CU65535,255:1048560:4194240:1099511627520");
    }
}
