//! Which head goes next (seed 000, E1: a3, a4, a41, a42)?

use raddle_policy::{CuId, Tick};

use super::Matching;
use super::fit::{Matcher, bit};
use super::head::ChannelHead;

impl Matching {
    /// a3 and a4: the head that goes next, where, and whether others of its level could as well.
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

    /// a42: by marks. Changes them.
    #[inline(never)]
    fn untie(&mut self, rank: usize, mut fitting: FittingClasses) -> Option<usize> {
        let Self { heads, matcher, .. } = self;
        // Once a question: what comes behind a head takes its place.
        if !heads.is_sorted_by_key(|head| head.channel) {
            heads.sort_unstable_by_key(|head| head.channel);
        }
        let tied = heads.iter().filter(|it| it.rank == rank && fitting.has(it.class, matcher));
        self.tied.clear();
        self.tied.extend(tied.map(|head| head.channel));
        let channels = self.channels.len();
        if self.marked < channels {
            self.marked = channels.next_power_of_two();
            // What does not fit into memory was refused when the policy was made.
            self.marks = self.marks.widened(self.marked).ok()?;
        }
        let of =
            |channel: usize| self.heads.binary_search_by_key(&channel, |head| head.channel).ok();
        let level = self.heads[of(*self.tied.first()?)?].level;
        let chosen = self.marks.choose(level, &self.tied, &mut self.pick).ok()??;
        of(chosen)
    }

    /// Whether the next round can choose no other head than this one.
    pub(super) fn goes_again(&mut self, head: ChannelHead) -> bool {
        let Self { heads, matcher, .. } = self;
        let before = |other: &ChannelHead| other.channel != head.channel && other.rank <= head.rank;
        let mut fitting = FittingClasses::default();
        !heads.iter().any(|other| before(other) && fitting.has(other.class, matcher))
    }
}

/// Classes of which it is known whether they fit anywhere, for as long as nothing is placed: heads are
/// many more than classes. Those beyond the first 64 are asked for each time.
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
