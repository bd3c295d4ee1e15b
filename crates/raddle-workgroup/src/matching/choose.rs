//! Which head (the next workgroup of a channel) starts next (seed 000, E1, steps a3, a4, a41 and
//! a42)?

use raddle_policy::{CuId, Tick};

use super::Matching;
use super::fit::{Matcher, bit};
use super::head::ChannelHead;

impl Matching {
    /// Chooses the head (next workgroup of a channel) that starts next: of the heads that fit, one
    /// of the best level. Where several tie, their channels take turns (patent 000, steps a3 and
    /// a4). Returns (index of the head in `heads`, compute unit, true if several heads tied);
    /// `None` where no head fits.
    pub(super) fn choose(&mut self, now: Tick) -> Option<(usize, CuId, bool)> {
        let Self { heads, matcher, .. } = self;
        let (mut best, mut chosen, mut tied) = (usize::MAX, None, false);
        let mut fitting = FittingClasses::default();
        for (at, head) in heads.iter().enumerate() {
            if head.rank <= best && fitting.has(head.class, matcher) {
                tied = head.rank == best;
                best = head.rank;
                chosen = Some(at);
            }
        }
        let at = if tied { self.untie(best, fitting) } else { chosen }?;
        let cu = self.places.plan(&mut self.matcher, self.heads[at].class, now)?;
        Some((at, cu, tied))
    }

    /// Chooses one of the heads (next workgroups of channels) that fit and whose level has this
    /// rank; rank 0 is the best. Takes one whose channel is not marked as chosen lately, and
    /// updates the marks (patent 000, step a42). Returns the head's index in `heads`; `None` where
    /// no head fits.
    #[inline(never)]
    fn untie(&mut self, rank: usize, mut fitting: FittingClasses) -> Option<usize> {
        let Self { heads, matcher, .. } = self;
        // The list is sorted once a question: the head behind a placed one takes over its position.
        if !heads.is_sorted_by_key(|head| head.channel) {
            heads.sort_unstable_by_key(|head| head.channel);
        }
        let tied = heads.iter().filter(|it| it.rank == rank && fitting.has(it.class, matcher));
        self.tied.clear();
        self.tied.extend(tied.map(|head| head.channel));
        let channels = self.channels.len();
        if self.marked < channels {
            let marked = channels.next_power_of_two();
            // If memory cannot hold the marks, no head is chosen.
            self.marks = self.marks.widened(marked).ok()?;
            self.marked = marked;
        }
        let of =
            |channel: usize| self.heads.binary_search_by_key(&channel, |head| head.channel).ok();
        let level = self.heads[of(*self.tied.first()?)?].level;
        let chosen = self.marks.choose(level, &self.tied, &mut self.pick).ok()??;
        of(chosen)
    }

    /// Returns whether the next decision can only choose the same channel again, of which `head` is
    /// the next workgroup: no head of another channel with an equal or better level fits.
    pub(super) fn goes_again(&mut self, head: ChannelHead) -> bool {
        let Self { heads, matcher, .. } = self;
        let before = |other: &ChannelHead| other.channel != head.channel && other.rank <= head.rank;
        let mut fitting = FittingClasses::default();
        !heads.iter().any(|other| before(other) && fitting.has(other.class, matcher))
    }
}

/// A cache of which demand classes (workgroups of equal demand) fit on some compute unit, for the
/// first 64 classes. It saves tests, as many heads (next workgroups of channels) are of one class.
/// It is valid until a workgroup is placed.
#[derive(Clone, Copy, Debug, Default)]
struct FittingClasses {
    known: u64,
    fitting: u64,
}

impl FittingClasses {
    #[inline(always)]
    fn has(&mut self, class: usize, matcher: &mut Matcher) -> bool {
        let bit = bit(class);
        if self.known & bit == 0 {
            let fits = matcher.fits(class);
            self.known |= bit;
            self.fitting |= if fits { bit } else { 0 };
            return fits;
        }
        self.fitting & bit != 0
    }
}
