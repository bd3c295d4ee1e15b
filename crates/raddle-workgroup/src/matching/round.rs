//! Does one question to the policy place a workgroup, cut one, or explain why all workgroups wait?

use raddle_policy::{
    Answer, CuId, Launch, Piece, ReadyView, Resource, Round, Tick, WaitReason, WaitTally, WaveSpan,
};
use smallvec::SmallVec;

use super::Matching;
use super::cutting::may_be_cut;
use super::fit::{Name, WHOLE};
use super::head::ChannelHead;
use crate::baselines::{EXPLAINED, start};

impl Matching {
    /// Makes one decision (round), or with `bulk` further ones until no workgroup fits, and writes
    /// the workgroups that start into `round`.
    #[inline]
    pub(super) fn place(
        &mut self,
        ready: &ReadyView<'_>,
        now: Tick,
        bulk: bool,
        round: &mut Round,
    ) -> Answer {
        let [entry] = ready.launches() else { return self.place_one_of(ready, now, bulk, round) };
        if self.cutting.is_some() {
            return self.place_one_of(ready, now, bulk, round);
        }
        if entry.undistributed() == 0 {
            return Answer::WAIT;
        }
        // With one launch there is no choice, so no list of heads is needed.
        self.heads.clear();
        self.matcher.begin();
        let recent = self.channels.of(entry.launch());
        let class = self.matcher.class(&entry.launch().demand, recent.class);
        recent.class = class;
        let Some(cu) = self.places.plan(&mut self.matcher, class, now) else {
            return self.refuse(entry.launch(), class, round);
        };
        // Channel and level of the only head are never compared, so they may be 0.
        let next = entry.next();
        let (channel, level, rank) = (0, 0, 0);
        let head = ChannelHead { entry: 0, channel, level, rank, class, next, wave: WHOLE };
        let next = self.commit(entry.launch(), head, cu, bulk, now, round);
        if bulk {
            self.go_on(entry.launch(), head, next, now, round);
        }
        start(entry.launch().id)
    }

    /// Returns the answer for a launch that no compute unit has room for: a refusal for ever, if a
    /// workgroup does not even fit an empty unit; else a wait, with the reason added to `round`.
    #[inline(never)]
    fn refuse(&mut self, launch: &Launch, class: usize, round: &mut Round) -> Answer {
        if let Some(lack) = self.matcher.never(class) {
            return Answer::Never { refusal: lack.refusal(launch.id, None) };
        }
        self.explain(launch, class, round);
        Answer::WAIT
    }

    /// Makes decisions (rounds) where several launches are ready, or where workgroups may be cut:
    /// one decision or, with `bulk`, decisions until one places nothing.
    #[inline(never)]
    fn place_one_of(
        &mut self,
        ready: &ReadyView<'_>,
        now: Tick,
        bulk: bool,
        round: &mut Round,
    ) -> Answer {
        if let Some(refusal) = self.collect(ready, now) {
            return Answer::Never { refusal };
        }
        let mut chosen = self.choose(now);
        if chosen.is_none() && self.cut_one(ready, now) {
            // The heads are matched afresh, with the waves in place of the workgroup (c3 to c1).
            self.collect(ready, now);
            chosen = self.choose(now);
        }
        let Some(mut chosen) = chosen else {
            self.explain_all(ready, round);
            return Answer::Wait { retry_at: self.retry_at(ready, now) };
        };
        loop {
            let (at, ..) = chosen;
            let launch = &ready.launches()[self.heads[at].entry].launch();
            let (waves, behind) = self.start_part(launch, chosen, bulk, now, round);
            let goes_on = bulk && self.advance(ready, at, behind, now);
            let Some(next) = (if goes_on { self.choose(now) } else { None }) else {
                return Answer::Start { launch: launch.id, waves };
            };
            round.part(launch.id, waves);
            chosen = next;
        }
    }

    /// Places the chosen workgroup or wave: the head with the index `at` in `heads`. With `bulk`,
    /// also places the workgroups behind it that would be chosen next; but not if `tied`, when
    /// another channel of the same level comes next. Returns (waves placed of each workgroup, (next
    /// workgroup of the launch, its next wave)).
    fn start_part(
        &mut self,
        launch: &Launch,
        (at, cu, tied): (usize, CuId, bool),
        bulk: bool,
        now: Tick,
        round: &mut Round,
    ) -> (WaveSpan, (u64, u16)) {
        let head = self.heads[at];
        if let Some(cutting) = &mut self.cutting {
            cutting.fitted();
        }
        // Where channels tie, the next round belongs to another channel.
        let goes_on = bulk && !tied;
        let next = self.commit(launch, head, cu, goes_on, now, round);
        if head.wave == WHOLE {
            let next = if goes_on { self.go_on(launch, head, next, now, round) } else { next };
            return (WaveSpan::All, (next, 0));
        }
        let waves = WaveSpan::Cut { first: head.wave, count: 1 };
        if head.wave + 1 < launch.demand.waves {
            return (waves, (head.next, head.wave + 1));
        }
        if let Some(cutting) = &mut self.cutting {
            cutting.done(launch.id, head.next);
        }
        (waves, (head.next + 1, 0))
    }

    /// Counts a decision (round) in which no workgroup fits, and cuts a head (the next workgroup of
    /// a channel) into its waves if there were enough such decisions in a row (patent 000,
    /// steps c2 and c3). Returns whether a head has been cut.
    fn cut_one(&mut self, ready: &ReadyView<'_>, now: Tick) -> bool {
        let Some(cutting) = &mut self.cutting else { return false };
        if self.heads.is_empty() || !cutting.failed(now) {
            return false;
        }
        let longest = self.heads.iter().filter(|head| may_cut(ready, head));
        // Of several heads that have waited equally long, the one of the lowest channel is cut.
        let Some(head) = longest.min_by_key(|head| (self.seen[head.channel].since, head.channel))
        else {
            return false;
        };
        cutting.cut(ready.launches()[head.entry].launch().id, head.next);
        true
    }

    /// Returns the tick of the decision (round) that will cut a workgroup; `None` where no
    /// workgroup could be cut.
    fn retry_at(&mut self, ready: &ReadyView<'_>, now: Tick) -> Option<Tick> {
        let cutting = self.cutting.as_mut()?;
        cutting.retry_at(self.heads.iter().any(|head| may_cut(ready, head)), now)
    }

    /// Places further workgroups of the launch while no other channel's head could be chosen.
    /// Returns the number of the first workgroup that was not placed.
    ///
    /// No other head of an equal or better level fitted when this one was chosen. Placing a
    /// workgroup can change that only where it changes which SIMD gets the next surplus wave.
    fn go_on(
        &mut self,
        launch: &Launch,
        head: ChannelHead,
        mut next: u64,
        now: Tick,
        round: &mut Round,
    ) -> u64 {
        let turns = self.matcher.turns(head.class);
        while next < launch.workgroups && (!turns || self.goes_again(head)) {
            let Some(cu) = self.places.plan(&mut self.matcher, head.class, now) else { break };
            next = self.commit(launch, ChannelHead { next, ..head }, cu, true, now, round);
        }
        next
    }

    /// Places the workgroup or wave `head` on `cu`. If `goes_on` is true, also places the
    /// workgroups behind it for which the rule of placement would choose `cu` or the empty units
    /// behind it. Returns the number of the first workgroup that was not placed.
    ///
    /// Several workgroups are placed at once only where that does not change which SIMD gets the
    /// next surplus wave. So no other head that did not fit before fits now.
    fn commit(
        &mut self,
        launch: &Launch,
        head: ChannelHead,
        cu: CuId,
        goes_on: bool,
        now: Tick,
        round: &mut Round,
    ) -> u64 {
        let ChannelHead { class, wave, next: workgroup, .. } = head;
        let name = Name { launch: launch.id, workgroup, wave };
        let row = goes_on && wave == WHOLE && self.places.fills();
        let most = if row { launch.workgroups - workgroup } else { 1 };
        let (count, units) = self.matcher.commit_row(class, cu, name, most, &mut round.places);
        let part = round.parts.last().map_or(0, |part| part.pieces());
        let behind = (workgroup..).step_by(count as usize);
        match round.pieces[part..].last_mut() {
            Some(last) if last.cu == cu => last.count += count,
            _ => round.pieces.extend(
                (cu.0..cu.0 + units)
                    .zip(behind)
                    .map(|(cu, workgroup)| Piece { count, ..Piece::one(workgroup, CuId(cu)) }),
            ),
        }
        self.places.placed(&self.matcher, cu, launch, wave, now);
        workgroup + u64::from(count) * u64::from(units)
    }

    /// Adds to `round` the refusals that say why the heads (next workgroups of channels) wait: one
    /// for the first head of each demand.
    fn explain_all(&mut self, ready: &ReadyView<'_>, round: &mut Round) {
        let mut explained = SmallVec::<[usize; EXPLAINED]>::new();
        for at in 0..self.heads.len() {
            let ChannelHead { entry, class, .. } = self.heads[at];
            if explained.len() < EXPLAINED && !explained.contains(&class) {
                explained.push(class);
                self.explain(ready.launches()[entry].launch(), class, round);
            }
        }
    }

    /// Adds to `round` the refusal that says why a launch waits, and counts the reason. It is the
    /// refusal by the compute unit at which the search begins.
    fn explain(&mut self, launch: &Launch, class: usize, round: &mut Round) {
        let cu = self.asked_first();
        if let Some(lack) = self.matcher.lacks(cu, class) {
            self.tally(lack.resource(), self.matcher.reason(cu, lack));
            round.refuse(lack.refusal(launch.id, Some(cu)));
        }
    }

    fn tally(&mut self, resource: Resource, reason: WaitReason) {
        let same = |it: &&mut WaitTally| (it.resource, it.reason) == (resource, reason);
        match self.waits.iter_mut().find(same) {
            Some(known) => known.count += 1,
            None => self.waits.push(WaitTally { resource, reason, count: 1 }),
        }
    }

    #[inline]
    const fn asked_first(&self) -> CuId {
        // Compute units are numbered by u16.
        CuId(self.places.first() as u16)
    }
}

/// Returns whether a head (the next workgroup of a channel) is whole and may be placed one wave at
/// a time.
fn may_cut(ready: &ReadyView<'_>, head: &ChannelHead) -> bool {
    head.wave == WHOLE && may_be_cut(ready.launches()[head.entry].launch())
}
