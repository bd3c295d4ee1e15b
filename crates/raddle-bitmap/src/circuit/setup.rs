//! In which of the seed's forms is a circuit built? No form changes an answer.

use crate::Polarity;

/// Which way sequences are shifted; the places vacated become occupied.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Shift {
    /// Towards d1: `S_i[p] = S_0[p + i]`, the right end is vacated.
    #[default]
    Left,
    /// Away from d1: `S_i[p] = S_0[p - i]`, the left end is vacated.
    Right,
}

/// How the sequence under test becomes an answer.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Readout {
    /// From its end backwards to the first 1.
    #[default]
    Scan,
    /// In a [`MapTable`](super::MapTable).
    Table,
}

/// Polarity, direction and read-out.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Setup {
    /// Which digit means free. With 1: sequences are ANDed and reduced by OR; with 0: ORed, and
    /// reduced by an AND whose result is inverted.
    pub polarity: Polarity,
    /// Which way sequences are shifted.
    pub shift: Shift,
    /// How the answer is read.
    pub readout: Readout,
}

impl Setup {
    /// All eight of them.
    pub const ALL: [Self; 8] = {
        let mut all =
            [Self { polarity: Polarity::FreeIsOne, shift: Shift::Left, readout: Readout::Scan }; 8];
        let mut n = 0;
        while n < all.len() {
            if n & 1 != 0 {
                all[n].polarity = Polarity::FreeIsZero;
            }
            if n & 2 != 0 {
                all[n].shift = Shift::Right;
            }
            if n & 4 != 0 {
                all[n].readout = Readout::Table;
            }
            n += 1;
        }
        all
    };
}
