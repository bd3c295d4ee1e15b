//! How are launches, processes, streams and compute units named?
//!
//! Each id is a newtype that is a position in somebody's table; ids never mix.

use core::fmt;

macro_rules! id {
    ($(#[$doc:meta])* $name:ident, $repr:ty, $letter:literal) => {
        $(#[$doc])*
        #[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
        #[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize), serde(transparent))]
        pub struct $name(pub $repr);

        impl $name {
            /// The position this id stands for.
            #[must_use]
            pub const fn index(self) -> usize {
                self.0 as usize
            }
        }

        impl fmt::Display for $name {
            fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                write!(f, concat!($letter, "{}"), self.0)
            }
        }
    };
}

id! {
    /// A kernel launch: one grid of equal workgroups. Unique in a run, also over repetitions.
    LaunchId, u32, "k"
}
id! {
    /// A process: the unit of turn, share, level, flag and window (one input file in replay).
    ProcessId, u16, "p"
}
id! {
    /// An in-order lane of a process; unique only together with its [`ProcessId`].
    StreamId, u32, "s"
}
id! {
    /// A compute unit (SM, CU, WGP, Xe-core) of the one device.
    CuId, u16, "cu"
}
