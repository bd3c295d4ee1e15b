//! Which reads of a kernel are of bytes that the same work-item has certainly written before?

use std::collections::BTreeMap;

use super::rows::Rows;
use super::written::{WrittenFacts, WrittenWays};
use super::{Access, Analysis};
use crate::ir::BlockId;
use crate::value::Address;

/// Largest nesting depth of loops for which the set of addresses that they visit together is
/// computed.
const MOST_NESTED: usize = 4;

impl Analysis<'_> {
    /// Marks each read of bytes that the same work-item has certainly written before, on every path
    /// to the read. Such a read does no harm if the kernel is stopped and run again.
    pub(super) fn cover(&mut self, by_block: &mut BTreeMap<BlockId, Vec<Access>>) {
        let mut written = WrittenFacts::solve(self, by_block, &WrittenWays::new());
        let mut rows = Rows::of(self);
        let mut ways = WrittenWays::new();
        for _ in 0..MOST_NESTED {
            let found = rows.found(self, &written);
            if found == ways {
                break;
            }
            ways = found;
            written = WrittenFacts::solve(self, by_block, &ways);
        }
        for (&block, accesses) in by_block {
            let mut certain = written.before[block].clone();
            for access in accesses {
                let Some(place) = access.place else { continue };
                if access.write {
                    written.note(access, &mut certain);
                } else {
                    access.covered = written.holds(&certain, place)
                        || rows.seen_from(self, block, place.0.moving).into_iter().any(|row| {
                            written.holds(&certain, (Address { moving: row, ..place.0 }, place.1))
                        });
                }
            }
        }
    }
}
