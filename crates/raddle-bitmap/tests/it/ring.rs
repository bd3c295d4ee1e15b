//! Does a ring hand out what an array of blocks would, and only that?

use proptest::prelude::*;
use raddle_bitmap::Ring;

/// The oracle of a ring, plain and slow: for each block the part that holds it, and the parts in
/// order.
struct Blocks {
    held: Vec<Option<usize>>,
    tail: usize,
    parts: Vec<(usize, bool)>,
}

impl Blocks {
    fn allocate(&mut self, want: usize) -> Option<usize> {
        if want == 0 {
            return Some(0);
        }
        let start = if self.tail + want <= self.held.len() { self.tail } else { 0 };
        let blocks = self.held.get_mut(start..start + want)?;
        if blocks.iter().any(Option::is_some) {
            return None;
        }
        blocks.fill(Some(self.parts.len()));
        self.parts.push((start, true));
        self.tail = start + want;
        Some(start)
    }

    fn release(&mut self, start: usize) -> bool {
        // Of several parts that began here only the last can be held.
        let last = self.parts.iter().rposition(|part| part.0 == start);
        let Some(part) = last.filter(|&part| self.parts[part].1) else { return false };
        self.parts[part].1 = false;
        let oldest = self.parts.iter().position(|part| part.1).unwrap_or(self.parts.len());
        self.held
            .iter_mut()
            .filter(|it| it.is_some_and(|it| it < oldest))
            .for_each(|it| *it = None);
        true
    }
}

proptest! {
    #![proptest_config(crate::cases(300))]

    #[test]
    fn a_ring_is_an_array_with_a_tail(
        blocks in 1..20_u32,
        steps in prop::collection::vec((any::<bool>(), 0..22_u32), 0..200),
    ) {
        let mut ring = Ring::new(blocks).unwrap();
        let held = vec![None; blocks as usize];
        let mut naive = Blocks { held, tail: 0, parts: Vec::new() };
        for (takes, number) in steps {
            if takes {
                let (found, taken) = (ring.find(number), ring.allocate(number));
                prop_assert_eq!(found, taken, "finding is as taking");
                prop_assert_eq!(taken.map(|it| it as usize), naive.allocate(number as usize));
            } else {
                prop_assert_eq!(ring.release(number).is_ok(), naive.release(number as usize));
            }
        }
    }
}

#[test]
fn what_no_ring_has_is_refused() {
    assert_eq!(Ring::new(0).unwrap_err().to_string(), "there is no block: give at least 1");
    let mut ring = Ring::new(u32::MAX).unwrap();
    assert_eq!([ring.allocate(u32::MAX), ring.allocate(1)], [Some(0), None]);
    assert_eq!(
        ring.release(1).unwrap_err().to_string(),
        "1 blocks from 1 are not all taken: release what was taken, once"
    );
    assert_eq!((ring.release(0), ring.release(0).is_err()), (Ok(()), true));
    assert_eq!((ring.blocks(), ring.find(0)), (u32::MAX, Some(0)));
}
