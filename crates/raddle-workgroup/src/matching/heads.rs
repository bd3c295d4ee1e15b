//! Which workgroup is at the head of each channel (seed 000, E1: a1)?

use raddle_policy::{ReadyView, Refusal, Tick};

use super::Matching;
use super::fit::WHOLE;
use super::head::{ChannelHead, SeenChannel};

impl Matching {
    /// a1: the head of every channel, and its class; or a head that will never fit.
    pub(super) fn collect(&mut self, ready: &ReadyView<'_>, now: Tick) -> Option<Refusal> {
        self.heads.clear();
        self.question += 1;
        self.matcher.begin();
        for (at, entry) in ready.launches.iter().enumerate() {
            if entry.undistributed() == 0 {
                continue;
            }
            let channel = self.channels.of(&entry.launch).channel();
            if self.seen.len() <= channel {
                self.seen.resize(channel + 1, SeenChannel::default());
            }
            let seen = &mut self.seen[channel];
            if seen.question == self.question {
                continue;
            }
            seen.question = self.question;
            match self.head(ready, at, (entry.next, entry.cut), now) {
                Ok(head) => self.heads.push(head),
                Err(refusal) => return Some(refusal),
            }
        }
        None
    }

    /// A head that has become the head of its channel: workgroup `next` of an entry, of which the first
    /// `cut` waves have started.
    fn head(
        &mut self,
        ready: &ReadyView<'_>,
        at: usize,
        (next, cut): (u64, u16),
        now: Tick,
    ) -> Result<ChannelHead, Refusal> {
        let launch = &ready.launches[at].launch;
        let last = self.levels.count() - 1;
        let recent = self.channels.of(launch);
        let channel = recent.channel();
        let (mut level, mut wave) = (usize::from(launch.level.0).min(last), WHOLE);
        let mut may_fit_cut = false;
        if let Some(cutting) = &self.cutting {
            let seen = &mut self.seen[channel];
            if seen.head != Some((launch.id, next)) {
                (seen.head, seen.since) = (Some((launch.id, next)), now);
            }
            if cutting.is_cut(launch.id, next, cut) {
                // Pieces are of the least urgent level: whole workgroups go first.
                (level, wave) = (last, cut);
            }
            may_fit_cut = wave == WHOLE && super::cutting::may_be_cut(launch);
        }
        let class = self.matcher.class_of(launch, wave, recent.class);
        recent.class = class;
        if let Some(lack) = self.matcher.never(class) {
            // A workgroup that fits nowhere could be cut into waves that do.
            let piece = may_fit_cut.then(|| self.matcher.class_of(launch, 0, 0));
            if piece.is_none_or(|piece| self.matcher.never(piece).is_some()) {
                return Err(lack.refusal(launch.id, None));
            }
        }
        Ok(ChannelHead { entry: at, channel, level, class, wave, next })
    }

    /// Puts what comes behind a head in its place: workgroup `next` of its launch, or the next launch of
    /// its channel. Whether heads can still be compared: not where one will never fit.
    pub(super) fn advance(
        &mut self,
        ready: &ReadyView<'_>,
        head: ChannelHead,
        (next, cut): (u64, u16),
        now: Tick,
    ) -> bool {
        let place = self.heads.iter().position(|it| it.channel == head.channel);
        let entry = &ready.launches[head.entry];
        let behind = if next < entry.launch.workgroups {
            Some((head.entry, (next, cut)))
        } else {
            let of_channel = |at: &usize| {
                let entry = &ready.launches[*at];
                entry.undistributed() > 0
                    && self.channels.of(&entry.launch).channel() == head.channel
            };
            let found = (head.entry + 1..ready.launches.len()).find(of_channel);
            found.map(|at| (at, (ready.launches[at].next, ready.launches[at].cut)))
        };
        match (place, behind) {
            (Some(place), Some((at, next))) => match self.head(ready, at, next, now) {
                Ok(head) => self.heads[place] = head,
                Err(_) => return false,
            },
            (Some(place), None) => drop(self.heads.swap_remove(place)),
            (None, _) => {}
        }
        true
    }
}
