//! Which workgroup is at the head of each channel (seed 000, E1: a1)?

use raddle_policy::{ReadyLaunch, ReadyView, Refusal, Tick};

use super::Matching;
use super::fit::WHOLE;
use super::head::{ChannelHead, SeenChannel};

impl Matching {
    /// a1: the head of every channel, and its class; or a head that will never fit.
    pub(super) fn collect(&mut self, ready: &ReadyView<'_>, now: Tick) -> Option<Refusal> {
        self.heads.clear();
        self.question += 1;
        self.matcher.begin();
        let last = self.levels.count() - 1;
        for (at, entry) in ready.launches.iter().enumerate() {
            if entry.undistributed() == 0 {
                continue;
            }
            let recent = self.channels.of(&entry.launch);
            let channel = recent.channel();
            if self.seen.len() <= channel {
                self.seen.resize(channel + 1, SeenChannel::default());
            }
            let seen = &mut self.seen[channel];
            if seen.question == self.question {
                continue;
            }
            seen.question = self.question;
            let (mut level, mut wave) = (usize::from(entry.launch.level.0).min(last), WHOLE);
            if let Some(cutting) = &self.cutting {
                if seen.head != Some((entry.launch.id, entry.next)) {
                    (seen.head, seen.since) = (Some((entry.launch.id, entry.next)), now);
                }
                if cutting.is_cut(entry) {
                    // Pieces are of the least urgent level: whole workgroups go first.
                    (level, wave) = (last, entry.cut);
                }
            }
            let class = self.matcher.class_of(&entry.launch, wave, recent.class);
            recent.class = class;
            if let Some(lack) = self.matcher.never(class)
                && !self.may_fit_cut(entry)
            {
                return Some(lack.refusal(entry.launch.id, None));
            }
            self.heads.push(ChannelHead { entry: at, channel, level, class, wave });
        }
        None
    }

    /// Whether a workgroup that fits nowhere could be cut into waves that do.
    fn may_fit_cut(&mut self, entry: &ReadyLaunch) -> bool {
        let may = self.cutting.as_ref().is_some_and(|cutting| cutting.may_cut(entry));
        may && {
            let class = self.matcher.class_of(&entry.launch, 0, 0);
            self.matcher.never(class).is_none()
        }
    }
}
