//! Which workgroup is at the head of each channel (seed 000, E1, step a1)?

use raddle_policy::{ReadyView, Refusal, Tick};

use super::Matching;
use super::fit::WHOLE;
use super::head::{ChannelHead, SeenChannel};

impl Matching {
    /// Writes the head (next workgroup) of every channel to `heads` (patent 000, step a1), each
    /// with its demand class (workgroups of equal demand). Returns a refusal where a head can never
    /// fit on the device, else `None`.
    pub(super) fn collect(&mut self, ready: &ReadyView<'_>, now: Tick) -> Option<Refusal> {
        self.heads.clear();
        self.question += 1;
        self.matcher.begin();
        for (at, entry) in ready.launches().iter().enumerate() {
            if entry.undistributed() == 0 {
                continue;
            }
            let recent = self.channels.of(entry.launch());
            let (channel, guess) = (recent.channel(), recent.class);
            if self.seen.len() <= channel {
                self.seen.resize(channel + 1, SeenChannel::default());
            }
            let seen = &mut self.seen[channel];
            if seen.question == self.question {
                continue;
            }
            seen.question = self.question;
            match self.head(ready, at, (channel, guess), (entry.next(), entry.cut()), now) {
                Ok(head) => self.heads.push(head),
                Err(refusal) => return Some(refusal),
            }
        }
        None
    }

    /// Returns the head (next workgroup) of the channel `channel`: the workgroup `next` of the
    /// launch with the index `at` in `ready`. The first `cut` waves of this workgroup have started
    /// already. `guess` is the index of the demand class (workgroups of equal demand) that is tried
    /// first.
    ///
    /// # Errors
    /// A refusal where the workgroup will never fit.
    fn head(
        &mut self,
        ready: &ReadyView<'_>,
        at: usize,
        (channel, guess): (usize, usize),
        (next, cut): (u64, u16),
        now: Tick,
    ) -> Result<ChannelHead, Refusal> {
        let launch = &ready.launches()[at].launch();
        let last = self.levels.count() - 1;
        let (mut level, mut wave) = (usize::from(launch.level.0).min(last), WHOLE);
        let mut may_fit_cut = false;
        if let Some(cutting) = &self.cutting {
            let seen = &mut self.seen[channel];
            if seen.head != Some((launch.id, next)) {
                (seen.head, seen.since) = (Some((launch.id, next)), now);
            }
            if cutting.is_cut(launch.id, next, cut) {
                // The waves of a cut workgroup have the least urgent level: whole workgroups go
                // first.
                (level, wave) = (last, cut);
            }
            may_fit_cut = wave == WHOLE && super::cutting::may_be_cut(launch);
        }
        let class = self.matcher.class_of(launch, wave, guess);
        if class != guess {
            self.channels.of(launch).class = class;
        }
        if let Some(lack) = self.matcher.never(class) {
            // A workgroup that fits nowhere could be cut into waves that do.
            let piece = may_fit_cut.then(|| self.matcher.class_of(launch, 0, 0));
            if piece.is_none_or(|piece| self.matcher.never(piece).is_some()) {
                return Err(lack.refusal(launch.id, None));
            }
        }
        let rank = self.levels.rank(level, now);
        Ok(ChannelHead { entry: at, channel, level, rank, class, wave, next })
    }

    /// Replaces the head with the index `place` in `heads` by what comes next in its channel. This
    /// is the workgroup `next` of the same launch, of which `cut` waves have started; or else the
    /// first workgroup left of the channel's next launch. Where the channel has nothing left, the
    /// head is removed. Returns false where the new head can never fit; then no further head is
    /// chosen in this question.
    #[inline]
    pub(super) fn advance(
        &mut self,
        ready: &ReadyView<'_>,
        place: usize,
        (next, cut): (u64, u16),
        now: Tick,
    ) -> bool {
        let ChannelHead { entry, channel, class, .. } = self.heads[place];
        let behind = if next < ready.launches()[entry].launch().workgroups {
            Some((entry, (next, cut)))
        } else {
            let mut behind = (entry + 1..).zip(&ready.launches()[entry + 1..]);
            let channels = &mut self.channels;
            let behind = behind.find(|(_, entry)| {
                entry.undistributed() > 0 && channels.of(entry.launch()).channel() == channel
            });
            behind.map(|(at, entry)| (at, (entry.next(), entry.cut())))
        };
        let Some((at, next)) = behind else {
            self.heads.remove(place);
            return true;
        };
        let head = self.head(ready, at, (channel, class), next, now);
        head.map(|head| self.heads[place] = head).is_ok()
    }
}
