//! Where is there a run of granules of one resource, of which a compute unit may have none?

use raddle_bitmap::{FreeMap, Map64, Map256};

/// The granules of one resource.
///
/// A want of 0 is always found, at 0. What most devices have lies
/// in place: up to 64 granules of registers a SIMD, up to 256 of shared memory a compute unit.
#[derive(Clone, Debug)]
pub(super) enum Pool {
    None,
    Small(Map64),
    Medium(Map256),
    Large(FreeMap),
}

/// One expression for a map of any size, and another one for no map.
macro_rules! with_map {
    ($pool:expr, $map:ident => $some:expr, $none:expr) => {
        match $pool {
            Pool::None => $none,
            Pool::Small($map) => $some,
            Pool::Medium($map) => $some,
            Pool::Large($map) => $some,
        }
    };
}

impl Pool {
    /// So many free granules.
    pub(super) fn new(granules: u32) -> Self {
        let small = || Map64::new(granules).map(Self::Small);
        let medium = || Map256::new(granules).map(Self::Medium);
        let large = || FreeMap::new(granules).map(Self::Large);
        // The one thing that is refused in the end is a map without granules.
        small().or_else(|_| medium()).or_else(|_| large()).unwrap_or(Self::None)
    }

    pub(super) const fn free(&self) -> u32 {
        with_map!(self, map => map.free_blocks(), 0)
    }

    #[inline]
    pub(super) fn longest(&self) -> u32 {
        with_map!(self, map => map.longest(), 0)
    }

    /// The lowest start at or after `from` of `want` free granules.
    #[inline]
    pub(super) fn first_from(&self, from: u32, want: u32) -> Option<u32> {
        with_map!(
            self,
            map => map.first_fit_from(from, want).map(|plan| plan.start()),
            (want == 0).then_some(0)
        )
    }

    /// Takes a run, if it is free.
    #[inline]
    pub(super) fn take(&mut self, start: u32, len: u32) -> bool {
        with_map!(self, map => map.take(start, len).is_ok(), len == 0)
    }

    /// Gives back a run that is known to be taken.
    #[inline]
    pub(super) fn give(&mut self, start: u32, len: u32) {
        with_map!(
            self,
            map => {
                let given = map.release(start, len);
                debug_assert!(given.is_ok(), "{len} granules from {start} were taken");
            },
            ()
        );
    }
}
