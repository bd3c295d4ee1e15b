//! How are launches packed that differ from their entries as the last one did?
//!
//! In a loop of kernels the argument block changes and nothing else: one field of 64 bits that is not
//! the kernel. Where an entry is the only one of a launch's kernel, every other entry differs in the
//! kernel, which takes as many half-words at least; so if this entry differs in that one field alone,
//! none is nearer, and none needs to be looked at.

use crate::condensed::Condensed;
use crate::diff::Plan;
use crate::format::Format;
use crate::keep::{Ask, Keep, Nearest, Way};
use crate::launch::Launch;
use crate::table::Table;

/// Bytes of a header and a field of 64 bits.
const STEP: usize = 10;
/// No entry.
const NOBODY: u16 = u16::MAX;
/// Places of the finder, a power of two.
const SLOTS: usize = 64;

/// What is known of the last difference, and of the kernels that have entries.
#[derive(Clone, Debug)]
pub(crate) struct Run<const BYTES: usize> {
    /// For the fields in which the last launch differed; the next mostly differs in the same.
    plan: Plan,
    /// If those are one field of 64 bits that leaves no doubt: its word, and its bit in a header.
    word: Option<(usize, u16)>,
    /// Where that field is, every bit is 0; everywhere else, 1.
    beside: [u8; BYTES],
    /// The entry that is the only one of its kernel, by a hash of that; [`NOBODY`] elsewhere.
    finder: [u16; SLOTS],
}

impl<const BYTES: usize> Run<BYTES> {
    /// With nothing known.
    pub(crate) fn new(format: &Format<BYTES>) -> Self {
        let (beside, finder) = ([u8::MAX; BYTES], [NOBODY; SLOTS]);
        Self { plan: format.plan(0), word: None, beside, finder }
    }

    /// How the fields of the last difference are copied.
    pub(crate) const fn plan(&self) -> &Plan {
        &self.plan
    }

    /// A launch differs in these fields.
    #[inline]
    pub(crate) fn turn_to(&mut self, format: &Format<BYTES>, vector: u32) {
        if vector != self.plan.vector {
            self.work_out(format, vector);
        }
    }

    #[inline(never)]
    fn work_out(&mut self, format: &Format<BYTES>, vector: u32) {
        self.plan = format.plan(vector);
        let name = 1 << format.kernel();
        let no_doubt = vector & name == 0 && self.plan.cost <= format.cost(name);
        self.word = self.plan.word.filter(|(word, _)| no_doubt && *word < BYTES / 8);
        if let Some((word, _)) = self.word {
            self.beside = [u8::MAX; BYTES];
            self.beside.iter_mut().skip(8 * word).take(8).for_each(|byte| *byte = 0);
        }
    }

    /// The table has changed.
    pub(crate) fn learn<const ENTRIES: usize>(
        &mut self,
        format: &Format<BYTES>,
        table: &Table<BYTES, ENTRIES>,
    ) {
        // No other layout has a field that is copied as a word.
        if !format.is_plain() {
            return;
        }
        let (name, mask) = format.kernel_at();
        let kernel = |launch: &Launch<BYTES>| launch.word(name) & mask;
        self.finder = [NOBODY; SLOTS];
        for (number, entry) in table.entries() {
            let same = table.entries().filter(|(_, other)| kernel(other) == kernel(entry));
            if same.count() == 1 {
                self.finder[slot(kernel(entry))] = number;
            }
        }
    }

    /// Packs launches while they differ as the last one did and are to be condensed: how many those
    /// were. `complete` gets every packet that has no room for the next of them, and empties it. If
    /// what is to become of the launch behind them has been decided too, that.
    #[inline]
    pub(crate) fn fill<const ENTRIES: usize, K: Keep<BYTES>>(
        &self,
        (format, table): (&Format<BYTES>, &Table<BYTES, ENTRIES>),
        (keep, vacant): (&mut K, Option<u16>),
        (open, complete): (&mut Condensed<BYTES>, &mut impl FnMut(&mut Condensed<BYTES>)),
        launches: &[Launch<BYTES>],
    ) -> (usize, Option<(Nearest, Way)>) {
        let Some((word, bit)) = self.word else { return (0, None) };
        let name = format.kernel_at();
        if word >= BYTES / 8 || name.0 >= BYTES / 8 || BYTES < STEP {
            return (0, None);
        }
        let Plan { vector, cost, .. } = self.plan;
        let begin = format.diff_values_at;
        // Counted here by bytes: what is written in parts is slow to be read whole.
        let (mut first, mut at) = (open.end(format), open.end(format));
        let (mut left, mut next) = (launches.iter(), None);
        while let [launch, ..] = left.as_slice() {
            let Some(ref_num) = self.alike(table, launch, word, name) else { break };
            let near = Nearest { ref_num, vector, cost };
            let room = if at == begin { 0 } else { ((BYTES - at) / 2) as u16 };
            let ask = Ask { format, launch, nearest: Some(near), vacant, room };
            let way = keep.way(&ask);
            if way != Way::Condense {
                next = Some((near, way));
                break;
            }
            keep.used(&ask, ref_num);
            if at > BYTES - STEP {
                open.filled((at - first) / STEP, cost);
                complete(open);
                (first, at) = (begin, begin);
            }
            open.put_word(at, ref_num | bit, launch.word(word));
            at += STEP;
            left.next();
        }
        open.filled((at - first) / STEP, cost);
        (launches.len() - left.len(), next)
    }

    /// The only entry of the launch's kernel, if nothing but the field of the last difference
    /// differs from it, and that does.
    #[inline]
    fn alike<const ENTRIES: usize>(
        &self,
        table: &Table<BYTES, ENTRIES>,
        launch: &Launch<BYTES>,
        word: usize,
        (name, mask): (usize, u64),
    ) -> Option<u16> {
        let ref_num = self.finder[slot(launch.word(name) & mask)];
        let entry = table.place(ref_num)?;
        let mut beside = 0;
        for ((ours, theirs), mask) in launch.image.iter().zip(&entry.image).zip(&self.beside) {
            beside |= (ours ^ theirs) & mask;
        }
        (beside == 0 && launch.word(word) != entry.word(word)).then_some(ref_num)
    }
}

/// The place of a kernel in the finder.
#[inline]
const fn slot(kernel: u64) -> usize {
    // Fibonacci hashing: the highest bits of the product depend on all bits of the address.
    (kernel.wrapping_mul(0x9e37_79b9_7f4a_7c15) >> (u64::BITS - SLOTS.ilog2())) as usize
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{AQL_BYTES, AQL_ENTRIES, AqlOptions, Encoder, KernelDispatch, Scripted};

    /// Where the kernel itself is what differs, an entry whose kernel lies in the same place of the
    /// finder is one of many that are as near.
    #[test]
    fn a_new_kernel_is_always_searched_for() {
        let format = Format::aql(&AqlOptions::default()).unwrap();
        let launch = |kernel_object| {
            KernelDispatch { kernel_object, ..KernelDispatch::default() }.launch(&format).unwrap()
        };
        let collides = (3..).find(|kernel| slot(*kernel) == slot(2)).unwrap();
        let other = (3..).find(|kernel| slot(*kernel) != slot(2)).unwrap();
        let ways = [Way::Store(0), Way::Store(1), Way::Condense, Way::Condense];
        let mut encoder =
            Encoder::<AQL_BYTES, AQL_ENTRIES, _>::new(format, Scripted::new(&ways)).unwrap();
        let mut last = [0; AQL_BYTES];
        let mut send = |packet: &[u8; AQL_BYTES]| last = *packet;
        encoder.launches(&[1, 2, other, collides].map(launch), &mut send);
        encoder.flush(&mut send);
        let packet = Condensed::parse(&last, &format).unwrap();
        let numbers = packet.kernels(&format).map(|kernel| kernel.ref_num);
        assert!(numbers.eq([0, 0]), "the lowest of those that are as near");
    }
}
