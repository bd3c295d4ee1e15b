//! Which head goes next (seed 000, E1: a3, a4, a41, a42)?

use raddle_policy::{CuId, Tick};

use super::Matching;
use super::head::ChannelHead;

impl Matching {
    /// a3 and a4: the head that goes next, where, and whether others of its level could as well.
    pub(super) fn choose(&mut self, now: Tick) -> Option<(ChannelHead, CuId, bool)> {
        let (mut best, mut chosen) = (usize::MAX, None);
        self.tied.clear();
        for at in 0..self.heads.len() {
            let head = self.heads[at];
            let rank = self.levels.rank(head.level, now);
            if rank <= best && self.matcher.fits(head.class) {
                if rank < best {
                    self.tied.clear();
                }
                self.tied.push(head.channel);
                (best, chosen) = (rank, Some(head));
            }
        }
        let tied = self.tied.len() > 1;
        let head = if tied { self.untie() } else { chosen }?;
        let cu = self.places.plan(&mut self.matcher, head.class, now)?;
        Some((head, cu, tied))
    }

    /// a42: by marks. Changes them.
    fn untie(&mut self) -> Option<ChannelHead> {
        self.tied.sort_unstable();
        let channels = self.channels.len();
        if self.marked < channels {
            self.marked = channels.next_power_of_two();
            // What does not fit into memory was refused when the policy was made.
            self.marks = self.marks.widened(self.marked).ok()?;
        }
        let of_tie = |channel: usize| self.heads.iter().find(|head| head.channel == channel);
        let level = of_tie(*self.tied.first()?)?.level;
        let chosen = self.marks.choose(level, &self.tied, &mut self.pick).ok()??;
        of_tie(chosen).copied()
    }

    /// Whether the next round can choose no other head than this one.
    pub(super) fn goes_again(&mut self, head: ChannelHead, now: Tick) -> bool {
        if self.heads.len() <= 1 {
            return true;
        }
        let rank = self.levels.rank(head.level, now);
        for at in 0..self.heads.len() {
            let other = self.heads[at];
            if other.channel != head.channel
                && self.levels.rank(other.level, now) <= rank
                && self.matcher.fits(other.class)
            {
                return false;
            }
        }
        true
    }
}
