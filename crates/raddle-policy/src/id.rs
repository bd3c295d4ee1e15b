//! How are launches, processes, streams and compute units named?
//!
//! Each id is a newtype around a position in a table; different ids cannot be confused.

use core::fmt;

/// A buffer on the stack for the printed form of an id, such as `cu12`: a few letters and at most
/// ten digits.
#[derive(Default)]
struct Short {
    bytes: [u8; 12],
    length: usize,
}

impl fmt::Write for Short {
    fn write_str(&mut self, more: &str) -> fmt::Result {
        let end = self.length + more.len();
        self.bytes.get_mut(self.length..end).ok_or(fmt::Error)?.copy_from_slice(more.as_bytes());
        self.length = end;
        Ok(())
    }
}

macro_rules! id {
    ($(#[$doc:meta])* $name:ident, $repr:ty, $letter:literal) => {
        $(#[$doc])*
        #[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
        #[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize), serde(transparent))]
        pub struct $name(pub $repr);

        impl $name {
            /// Returns this id as an index of a table, from 0.
            #[must_use]
            #[inline]
            pub const fn index(self) -> usize {
                self.0 as usize
            }
        }

        impl fmt::Display for $name {
            fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                let mut text = Short::default();
                fmt::Write::write_fmt(&mut text, format_args!(concat!($letter, "{}"), self.0))?;
                f.pad(core::str::from_utf8(&text.bytes[..text.length]).unwrap_or_default())
            }
        }
    };
}

id! {
    /// The id of a kernel launch: one grid of equal workgroups. It is unique in a run, also over
    /// repetitions of a profile.
    LaunchId, u32, "k"
}
id! {
    /// The id of a process. Turns to issue launches, shares, levels, preemption flags and limits of
    /// submitted launches belong to processes. In a replay, one input file is one process.
    ProcessId, u16, "p"
}
id! {
    /// The id of a stream, an in-order lane of launches of one process; unique only together with
    /// its [`ProcessId`].
    StreamId, u32, "s"
}
id! {
    /// The id of a compute unit (SM, CU, WGP, Xe-core) of the device.
    CuId, u16, "cu"
}

#[cfg(test)]
mod tests {
    use alloc::format;

    use super::*;

    #[test]
    fn names_keep_to_their_column() {
        assert_eq!(
            format!("{}|{:<5}|{:>5}|", LaunchId(u32::MAX), CuId(7), ProcessId(12)),
            "k4294967295|cu7  |  p12|"
        );
        assert_eq!(format!("{:>4}|{:<4}|", crate::Tick(7), crate::Level(8)), "   7|8   |");
    }
}
