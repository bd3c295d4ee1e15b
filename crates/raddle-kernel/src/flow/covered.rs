//! What has the same work-item certainly written before it reads?

use std::collections::{BTreeMap, BTreeSet};

use super::{Access, Analysis};
use crate::ir::BlockId;
use crate::value::{Address, Value};

/// Bytes that have certainly been written: where, how many.
type Written = BTreeSet<(Value, i64, u32)>;

impl Analysis<'_> {
    /// Marks reads of what the same work-item has written before, on every way.
    pub(super) fn cover(&self, by_block: &mut BTreeMap<BlockId, Vec<Access>>) {
        let mut ends: Vec<Option<Written>> = vec![None; self.body.blocks.len()];
        let mut changed = true;
        while changed {
            changed = false;
            for &block in self.order {
                let mut written = self.written_before(block, &ends);
                for access in &by_block[&block] {
                    note(access, &mut written);
                }
                if ends[block].as_ref() != Some(&written) {
                    ends[block] = Some(written);
                    changed = true;
                }
            }
        }
        for &block in self.order {
            let mut written = self.written_before(block, &ends);
            for access in by_block.get_mut(&block).into_iter().flatten() {
                if !access.write {
                    access.covered = access.place.is_some_and(|place| holds(&written, place));
                }
                note(access, &mut written);
            }
        }
    }

    fn written_before(&self, block: BlockId, ends: &[Option<Written>]) -> Written {
        if self.order.first() == Some(&block) {
            return Written::new();
        }
        let mut sides = self.before[block].iter().filter_map(|&from| ends[from].as_ref());
        let Some(first) = sides.next() else { return Written::new() };
        sides.fold(first.clone(), |all, side| all.intersection(side).copied().collect())
    }
}

fn note(access: &Access, written: &mut Written) {
    if let (true, Some((address, length))) = (access.write, access.place) {
        written.insert((address.moving, address.bytes, length));
    }
}

/// Whether all bytes of a place have been written.
fn holds(written: &Written, (address, length): (Address, u32)) -> bool {
    let end = address.bytes.saturating_add(i64::from(length));
    let mut reached = address.bytes;
    // Sorted by their first byte.
    for &(moving, from, length) in written.range((address.moving, i64::MIN, 0)..) {
        if moving != address.moving || from > reached {
            break;
        }
        reached = reached.max(from.saturating_add(i64::from(length)));
    }
    reached >= end
}
