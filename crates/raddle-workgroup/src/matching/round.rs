//! What does one question lead to: a workgroup placed, one cut, or why all wait?

use raddle_policy::{Answer, CuId, Launch, Piece, ReadyLaunch, ReadyView, Round, Tick, WaveSpan};
use smallvec::SmallVec;

use super::Matching;
use super::fit::{Name, WHOLE};
use super::head::ChannelHead;
use crate::baselines::{EXPLAINED, start};

impl Matching {
    /// Runs the rounds that choose one launch: one of them unless `bulk`.
    #[inline]
    pub(super) fn place(
        &mut self,
        ready: &ReadyView<'_>,
        now: Tick,
        bulk: bool,
        round: &mut Round,
    ) -> Answer {
        let [entry] = ready.launches else { return self.place_one_of(ready, now, bulk, round) };
        if self.cutting.is_some() {
            return self.place_one_of(ready, now, bulk, round);
        }
        if entry.undistributed() == 0 {
            return Answer::WAIT;
        }
        // There is nothing to choose from: no list of heads is needed.
        self.heads.clear();
        self.matcher.begin();
        let recent = self.channels.of(&entry.launch);
        let class = self.matcher.class(&entry.launch.demand, recent.class);
        recent.class = class;
        if self.matcher.is_closed(class) {
            return self.refuse(&entry.launch, class, round);
        }
        self.place_only(entry, class, now, bulk, round)
    }

    /// Places workgroups of the only launch that is ready.
    #[inline(never)]
    fn place_only(
        &mut self,
        entry: &ReadyLaunch,
        class: usize,
        now: Tick,
        bulk: bool,
        round: &mut Round,
    ) -> Answer {
        let Some(cu) = self.places.plan(&mut self.matcher, class, now) else {
            return self.refuse(&entry.launch, class, round);
        };
        // The only head: its channel and level are never compared.
        let head = ChannelHead { entry: 0, channel: 0, level: 0, class, wave: WHOLE };
        self.commit(entry, entry.next, head, cu, now, round);
        if bulk {
            self.go_on(entry, head, now, round);
        }
        start(entry.launch.id)
    }

    /// Nothing takes a workgroup of this launch: now, or ever.
    #[inline]
    fn refuse(&mut self, launch: &Launch, class: usize, round: &mut Round) -> Answer {
        let cu = self.asked_first();
        match self.matcher.told(cu, class) {
            Some(lack) => {
                round.refuse(lack.refusal(launch.id, Some(cu)));
                Answer::WAIT
            }
            None => self.refuse_anew(launch, class, round),
        }
    }

    #[cold]
    #[inline(never)]
    fn refuse_anew(&mut self, launch: &Launch, class: usize, round: &mut Round) -> Answer {
        if let Some(lack) = self.matcher.never(class) {
            return Answer::Never { refusal: lack.refusal(launch.id, None) };
        }
        self.explain(launch, class, round);
        Answer::WAIT
    }

    /// Places workgroups where several launches are ready, or workgroups may be cut.
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
            // Matched afresh, with the pieces in place of the workgroup (c3 to c1).
            self.collect(ready, now);
            chosen = self.choose(now);
        }
        let Some((head, cu, tied)) = chosen else {
            self.explain_all(ready, round);
            return Answer::Wait { retry_at: self.retry_at(ready, now) };
        };
        if let Some(cutting) = &mut self.cutting {
            cutting.fitted();
        }
        let entry = &ready.launches[head.entry];
        self.commit(entry, entry.next, head, cu, now, round);
        if head.wave != WHOLE {
            if let Some(cutting) = &mut self.cutting
                && head.wave + 1 >= entry.launch.demand.waves
            {
                cutting.done(entry.launch.id, entry.next);
            }
            let waves = WaveSpan::Cut { first: head.wave, count: 1 };
            return Answer::Start { launch: entry.launch.id, waves };
        }
        // Where channels tie the next round is another channel's.
        if bulk && !tied {
            self.go_on(entry, head, now, round);
        }
        start(entry.launch.id)
    }

    /// c2 and c3: a round in which nothing fits; whether a head has been cut.
    fn cut_one(&mut self, ready: &ReadyView<'_>, now: Tick) -> bool {
        let Some(cutting) = &mut self.cutting else { return false };
        if self.heads.is_empty() || !cutting.failed(now) {
            return false;
        }
        let may_cut = |head: &&ChannelHead| cutting.may_cut(&ready.launches[head.entry]);
        let longest = self.heads.iter().filter(may_cut);
        // The first of several that have waited equally long is of the lowest channel.
        let Some(head) = longest.min_by_key(|head| (self.seen[head.channel].since, head.channel))
        else {
            return false;
        };
        cutting.cut(&ready.launches[head.entry]);
        true
    }

    /// While something could still be cut, rounds go on by themselves.
    fn retry_at(&self, ready: &ReadyView<'_>, now: Tick) -> Option<Tick> {
        let cutting = self.cutting.as_ref()?;
        let could = |head: &ChannelHead| cutting.may_cut(&ready.launches[head.entry]);
        self.heads.iter().any(could).then(|| cutting.retry_at(now))
    }

    /// Further rounds, while no other launch could be chosen.
    fn go_on(&mut self, entry: &ReadyLaunch, head: ChannelHead, now: Tick, round: &mut Round) {
        for workgroup in entry.next + 1..entry.launch.workgroups {
            if !self.goes_again(head, now) {
                return;
            }
            let Some(cu) = self.places.plan(&mut self.matcher, head.class, now) else { return };
            self.commit(entry, workgroup, head, cu, now, round);
        }
    }

    fn commit(
        &mut self,
        entry: &ReadyLaunch,
        workgroup: u64,
        head: ChannelHead,
        cu: CuId,
        now: Tick,
        round: &mut Round,
    ) {
        let ChannelHead { class, wave, .. } = head;
        let name = Name { launch: entry.launch.id, workgroup, wave };
        let taken = self.matcher.commit(class, name, &mut round.places);
        debug_assert!(taken.is_ok(), "nothing happens between plan and commit");
        match round.pieces.last_mut() {
            Some(last) if last.cu == cu => last.count += 1,
            _ => round.pieces.push(Piece::one(workgroup, cu)),
        }
        self.places.placed(&self.matcher, cu, &entry.launch, wave, now);
    }

    /// Why each head waits; one speaks for all of its demand.
    fn explain_all(&mut self, ready: &ReadyView<'_>, round: &mut Round) {
        let mut explained = SmallVec::<[usize; EXPLAINED]>::new();
        for at in 0..self.heads.len() {
            let ChannelHead { entry, class, .. } = self.heads[at];
            if explained.len() < EXPLAINED && !explained.contains(&class) {
                explained.push(class);
                self.explain(&ready.launches[entry].launch, class, round);
            }
        }
    }

    /// Why a launch waits, for the compute unit asked first.
    fn explain(&mut self, launch: &Launch, class: usize, round: &mut Round) {
        let cu = self.asked_first();
        if let Some(lack) = self.matcher.lacks(cu, class) {
            round.refuse(lack.refusal(launch.id, Some(cu)));
        }
    }

    #[inline]
    const fn asked_first(&self) -> CuId {
        // Compute units are numbered by u16.
        CuId(self.places.first() as u16)
    }
}
