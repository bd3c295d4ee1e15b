//! Which workgroups or waves start on which compute unit?

use alloc::boxed::Box;
use alloc::vec::Vec;

use crate::{
    CuId, Cus, Fact, FreeRun, Launch, LaunchId, Piece, Place, ProcessId, Refusal, Tick, WaitTally,
    WaveSpan,
};

/// The view that an [`Allocate`] policy gets of the device: the launches with something to start,
/// and the free resources.
#[derive(Clone, Copy, Debug)]
#[non_exhaustive]
pub struct ReadyView<'a> {
    /// Submitted launches that have a workgroup or a wave left to start and are not kept back by a
    /// preemption, in the order of their submission.
    pub(crate) launches: &'a [ReadyLaunch],
    /// The free resources of every compute unit.
    pub(crate) cus: &'a Cus,
}

impl<'a> ReadyView<'a> {
    /// Returns the submitted launches that have a workgroup or a wave left to start and are not
    /// kept back by a preemption, in the order of their submission.
    #[must_use]
    pub const fn launches(&self) -> &'a [ReadyLaunch] {
        self.launches
    }

    /// Returns the free resources of every compute unit.
    #[must_use]
    pub const fn cus(&self) -> &'a Cus {
        self.cus
    }
}

impl<'a> ReadyView<'a> {
    /// Returns the view of these launches, in order of submission, on these compute units.
    #[must_use]
    pub const fn new(launches: &'a [ReadyLaunch], cus: &'a Cus) -> Self {
        Self { launches, cus }
    }
}

/// A submitted launch that has a workgroup or a wave left to start, as an [`Allocate`] policy sees
/// it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[cfg_attr(feature = "serde", serde(rename_all = "kebab-case"))]
#[non_exhaustive]
pub struct ReadyLaunch {
    /// The launch that waits. Workgroups from `next` up to `launch.workgroups`, exclusive, have
    /// neither started nor been assigned to a compute unit. Saved workgroups that must be assigned
    /// again come first, run by run: `launch.workgroups` is then the end of such a run, and else
    /// the size of the grid.
    pub(crate) launch: Launch,
    /// The number of the lowest workgroup that has neither started nor been assigned to a compute
    /// unit; equal to `launch.workgroups` when none is left.
    pub(crate) next: u64,
    /// The number of workgroups that are assigned to a compute unit while at least one of their
    /// waves has not started.
    pub(crate) assigned: u64,
    /// The number of waves of the workgroup `next` that have started one by one
    /// ([`WaveSpan::Cut`]); 0 if none has. The next wave to start has this number. While the launch
    /// drains (a preemption lets only running waves end), it is 0: the other waves of the workgroup
    /// are held back.
    pub(crate) cut: u16,
    /// The tick at which the launch was submitted.
    pub(crate) submitted: Tick,
}

impl ReadyLaunch {
    /// Returns the launch that waits. Workgroups from `next` up to `launch.workgroups`, exclusive,
    /// have neither started nor been assigned to a compute unit. Saved workgroups that must be
    /// assigned again come first, run by run: `launch.workgroups` is then the end of such a run,
    /// and else the size of the grid.
    #[must_use]
    pub const fn launch(&self) -> &Launch {
        &self.launch
    }

    /// Returns the number of the lowest workgroup that has neither started nor been assigned to a
    /// compute unit; equal to `launch.workgroups` when none is left.
    #[must_use]
    pub const fn next(&self) -> u64 {
        self.next
    }

    /// Returns the number of workgroups that are assigned to a compute unit while at least one of
    /// their waves has not started.
    #[must_use]
    pub const fn assigned(&self) -> u64 {
        self.assigned
    }

    /// Returns the number of waves of the workgroup `next` that have started one by one
    /// ([`WaveSpan::Cut`]); 0 if none has. The next wave to start has this number. While the launch
    /// drains (a preemption lets only running waves end), it is 0: the other waves of the workgroup
    /// are held back.
    #[must_use]
    pub const fn cut(&self) -> u16 {
        self.cut
    }

    /// Returns the tick at which the launch was submitted.
    #[must_use]
    pub const fn submitted(&self) -> Tick {
        self.submitted
    }
}

impl ReadyLaunch {
    /// Returns a launch that was submitted at the tick `submitted` and of which nothing has started
    /// or been assigned.
    #[must_use]
    pub const fn new(launch: Launch, submitted: Tick) -> Self {
        Self { launch, next: 0, assigned: 0, cut: 0, submitted }
    }

    /// Sets [`next`](Self::next), the number of the lowest workgroup that is left to start.
    #[must_use]
    pub const fn with_next(self, next: u64) -> Self {
        Self { next, ..self }
    }

    /// Sets [`assigned`](Self::assigned), the number of assigned workgroups with unstarted waves.
    #[must_use]
    pub const fn with_assigned(self, assigned: u64) -> Self {
        Self { assigned, ..self }
    }

    /// Sets [`cut`](Self::cut), the number of waves of the next workgroup that started one by one.
    #[must_use]
    pub const fn with_cut(self, cut: u16) -> Self {
        Self { cut, ..self }
    }

    /// Returns the number of workgroups that have neither started nor been assigned.
    #[must_use]
    pub const fn undistributed(&self) -> u64 {
        self.launch.workgroups.saturating_sub(self.next)
    }
}

/// The answer of an [`Allocate`] policy: what starts or is assigned, or that launches wait.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[cfg_attr(feature = "serde", serde(rename_all = "kebab-case", rename_all_fields = "kebab-case"))]
#[expect(missing_docs, reason = "the variant says what its fields are")]
pub enum Answer {
    /// The workgroups in [`Round::pieces`] start, at the addresses in [`Round::places`] if there
    /// are any. If an answer starts several launches, `launch` is the last of them; the others are
    /// in [`Round::parts`].
    Start { launch: LaunchId, waves: WaveSpan },
    /// A workgroup is assigned to a compute unit; its waves start later, by further answers.
    Assign {
        launch: LaunchId,
        /// The number of the workgroup: always [`ReadyLaunch::next`].
        workgroup: u64,
        /// The compute unit to which the workgroup is assigned, before its waves can start.
        cu: CuId,
    },
    /// No workgroup can start now; [`Round::refusals`] has the reasons.
    Wait {
        /// The tick at which the policy wants to be asked again, if no event comes before; `None`
        /// if it waits for an event.
        retry_at: Option<Tick>,
    },
    /// A launch will never start under this policy, although one of its workgroups fits an empty
    /// compute unit.
    Never {
        /// The reason why the launch never fits, with the resource that it lacks.
        refusal: Refusal,
    },
}

impl Answer {
    /// The answer that no workgroup can start until the next event.
    pub const WAIT: Self = Self::Wait { retry_at: None };
}

/// The part of an answer that concerns one launch, where one answer starts several launches.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[cfg_attr(feature = "serde", serde(rename_all = "kebab-case"))]
#[doc(hidden)]
pub struct StartPart {
    pub(crate) launch: LaunchId,
    pub(crate) waves: WaveSpan,
    /// The index in [`Round::pieces`] (equal workgroups on one compute unit each) at which this
    /// part of the answer ends, exclusive. The part begins where the part before it ends.
    pub(crate) pieces: usize,
    /// The index in [`Round::places`] (addresses of waves) at which this part of the answer ends,
    /// exclusive. The part begins where the part before it ends.
    pub(crate) places: usize,
}

impl StartPart {
    /// Returns the index in [`Round::pieces`] (equal workgroups on one compute unit each) at which
    /// this part of the answer ends, exclusive. The part begins where the part before it ends.
    #[must_use]
    pub const fn pieces(&self) -> usize {
        self.pieces
    }
}

/// The lists that belong to an answer. The caller keeps them for the next answer, so that no answer
/// allocates memory.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[cfg_attr(feature = "serde", serde(rename_all = "kebab-case"))]
pub struct Round {
    /// The parts of an answer that starts several launches, one for each launch, without the last;
    /// otherwise empty.
    #[doc(hidden)]
    pub parts: Vec<StartPart>,
    /// The workgroups that start, as pieces: each is equal workgroups and their compute unit. The
    /// pieces of one launch are next to each other.
    pub pieces: Vec<Piece>,
    /// The addresses of the waves that start: none, or one for each wave, workgroup by workgroup in
    /// the order of the pieces (equal workgroups on one compute unit).
    pub places: Vec<Place>,
    /// The reasons why launches wait, each for the compute unit that was tried first. There is at
    /// most one for each launch; one may stand for several launches of equal demand.
    pub refusals: Vec<Refusal>,
}

impl Round {
    /// Removes the contents of all lists, and keeps the memory for the next answer.
    pub fn clear(&mut self) {
        self.parts.clear();
        self.pieces.clear();
        self.places.clear();
        self.refusals.clear();
    }

    /// Adds the start of the next workgroup of `entry`, with all its waves on `cu`, to these lists,
    /// and returns the answer for it.
    pub fn start_one(&mut self, entry: &ReadyLaunch, cu: CuId) -> Answer {
        self.pieces.push(Piece::one(entry.next, cu));
        Answer::Start { launch: entry.launch.id, waves: WaveSpan::All }
    }

    /// Adds the start of a single wave to these lists, and returns the answer for it. It is the
    /// next wave of the next workgroup of `entry`, on `cu`: this workgroup starts wave by wave.
    pub fn cut_one(&mut self, entry: &ReadyLaunch, cu: CuId) -> Answer {
        self.pieces.push(Piece::one(entry.next, cu));
        let waves = WaveSpan::Cut { first: entry.cut, count: 1 };
        Answer::Start { launch: entry.launch.id, waves }
    }

    /// Ends the part of the answer in which workgroups of the launch `launch` start with their
    /// waves `waves`. All pieces and addresses that were added since the part before belong to it.
    pub fn part(&mut self, launch: LaunchId, waves: WaveSpan) {
        let (pieces, places) = (self.pieces.len(), self.places.len());
        self.parts.push(StartPart { launch, waves, pieces, places });
    }

    /// Returns the parts of an answer, one for each launch, as (launch, waves, pieces, addresses).
    /// `launch` and `waves` are those of the last part, which [`Round::part`] has not ended.
    pub fn starts(
        &self,
        launch: LaunchId,
        waves: WaveSpan,
    ) -> impl Iterator<Item = (LaunchId, WaveSpan, &[Piece], &[Place])> {
        let (pieces, places) = (self.pieces.len(), self.places.len());
        let last = StartPart { launch, waves, pieces, places };
        let mut from = (0, 0);
        self.parts.iter().copied().chain([last]).map(move |part| {
            let (piece, place) = from;
            from = (part.pieces, part.places);
            // A part whose end lies before the end of the part before it is empty.
            let pieces = self.pieces.get(piece..part.pieces).unwrap_or_default();
            let places = self.places.get(place..part.places).unwrap_or_default();
            (part.launch, part.waves, pieces, places)
        })
    }

    /// Adds a refusal: the reason why a launch waits.
    pub fn refuse(&mut self, refusal: Refusal) {
        self.refusals.push(refusal);
    }
}

/// Answers which workgroups start where, and changes nothing except its own memory.
///
/// The policy is asked again after every answer until it answers [`Answer::Wait`], and then when
/// something has happened or at `retry_at`.
///
/// # Laws
///
/// 1. `Start` with `WaveSpan::All` names a launch of the view, and its pieces cover exactly the
///    workgroups `next .. next + n` with n >= 1, each once (or workgroups assigned before). This
///    holds for each part of an answer that starts several launches, in the view after the parts
///    before it.
/// 2. No answer over-commits: on each compute unit the workgroups that start fit into the free
///    resources.
/// 3. The same memory and arguments give the same answer.
/// 4. A policy that answers `Wait` answers `Wait` again when asked again at once, with the same
///    refusals, and its later answers do not depend on how often it was asked.
/// 5. [`allocate_round`](Allocate::allocate_round) places every workgroup where repeated calls of
///    [`allocate`](Allocate::allocate) place it.
/// 6. Every refusal has `wanted > available` and names a launch of the view.
/// 7. An empty view is answered with `Wait`.
/// 8. `Start` with `WaveSpan::Cut` names one workgroup, `next`, of a launch with
///    [`Barrier::No`](crate::Barrier::No); its first wave is [`ReadyLaunch::cut`]. A workgroup
///    begun this way continues this way until its last wave has started: meanwhile `next` does not
///    change, and nothing else of the launch starts or is assigned except workgroups assigned
///    before. The workgroup has ended when all its parts have ended.
/// 9. The tick at which the policy wants to be asked again is after `now`.
/// 10. Nothing waits for ever: where nothing more will end, a view with something to start is not
///     answered with [`Answer::WAIT`]. So on an empty device what fits starts, or is refused for ever.
///     Settings under which workgroups may wait for each other are named by
///     [`may_stop`](Allocate::may_stop).
/// 11. A policy that says that it does not mind refills ([`minds_refills`](Allocate::minds_refills))
///     answers as if there had been none.
pub trait Allocate {
    /// Answers with at most one workgroup that starts or is assigned. `round` is empty at the call.
    fn allocate(&mut self, ready: &ReadyView<'_>, now: Tick, round: &mut Round) -> Answer;

    /// Answers with as many workgroups as the policy can start at once, of one launch or several;
    /// each launch is a part of the answer. The default answers with one workgroup.
    fn allocate_round(&mut self, ready: &ReadyView<'_>, now: Tick, round: &mut Round) -> Answer {
        self.allocate(ready, now, round)
    }

    /// Returns whether the policy keeps no account of free resources, and reads them from the view
    /// at each call. During a reset of compute units, such a policy is shown these units as full;
    /// any other policy is not asked until the reset is over. The default is false.
    fn reads_the_view(&self) -> bool {
        false
    }

    /// Returns whether the policy starts workgroups one wave at a time where their waves are
    /// independent ([`WaveSpan::Cut`]). If true, it also gets launches whose workgroups are too
    /// large for an empty compute unit, if one wave fits together with the LDS and barriers of its
    /// workgroup. If false, such launches are refused on arrival.
    fn cuts(&self) -> bool {
        false
    }

    /// Returns the name of the setting with which workgroups may wait for each other for ever (see
    /// law 10 of this trait); `None` where they never do.
    fn may_stop(&self) -> Option<&'static str> {
        None
    }

    /// Returns the most compute units, of `all`, that the process may use, as far as is known now;
    /// `None` where it may use all. A library that asks the driver for the number of compute units,
    /// to size persistent grids, gets this number.
    fn most_units(&self, process: ProcessId, all: u16) -> Option<u16> {
        let _ = (process, all);
        None
    }

    /// Tells the policy that its last answer broke a law of this trait, with the text of the law.
    /// The part of the answer that broke it was dropped. Returns whether another policy takes over
    /// and is to be asked: see [`Fallback`](crate::Fallback).
    fn broke_law(&mut self, law: &str) -> bool {
        let _ = law;
        false
    }

    /// Returns, for each resource of [`IN_RUNS`](crate::IN_RUNS), how many granules are free on a
    /// compute unit, and how many in the longest contiguous run. `None` from a policy that keeps no
    /// addresses.
    fn free_runs(&self, cu: CuId) -> Option<[FreeRun; 3]> {
        let _ = cu;
        None
    }

    /// Returns the counts of how often work waited: one count for each pair of a lacking resource
    /// and a reason why it was lacking. Empty from a policy that does not count.
    #[doc(hidden)]
    fn waits(&self) -> &[WaitTally] {
        &[]
    }

    /// Returns whether later answers can depend on refills; the default is true. In a refill, ended
    /// workgroups of a launch are replaced at once, on the same compute units, by as many
    /// workgroups of the same launch: only the number of workgroups that are left changes. If no
    /// policy of a dispatcher depends on refills, a simulator may skip them to be faster.
    fn minds_refills(&self) -> bool {
        true
    }

    /// Informs the policy of an event or of an answer carried out. The default does nothing.
    fn observe(&mut self, fact: &Fact<'_>, now: Tick) {
        let _ = (fact, now);
    }
}

macro_rules! through {
    ($($pointer:ty),*) => {$(
        impl<P: Allocate + ?Sized> Allocate for $pointer {
            fn allocate(&mut self, ready: &ReadyView<'_>, now: Tick, round: &mut Round) -> Answer {
                (**self).allocate(ready, now, round)
            }
            fn allocate_round(
                &mut self,
                ready: &ReadyView<'_>,
                now: Tick,
                round: &mut Round,
            ) -> Answer {
                (**self).allocate_round(ready, now, round)
            }
            fn reads_the_view(&self) -> bool {
                (**self).reads_the_view()
            }
            fn cuts(&self) -> bool {
                (**self).cuts()
            }
            fn may_stop(&self) -> Option<&'static str> {
                (**self).may_stop()
            }
            fn most_units(&self, process: ProcessId, all: u16) -> Option<u16> {
                (**self).most_units(process, all)
            }
            fn broke_law(&mut self, law: &str) -> bool {
                (**self).broke_law(law)
            }
            fn free_runs(&self, cu: CuId) -> Option<[FreeRun; 3]> {
                (**self).free_runs(cu)
            }
            fn waits(&self) -> &[WaitTally] {
                (**self).waits()
            }
            fn minds_refills(&self) -> bool {
                (**self).minds_refills()
            }
            fn observe(&mut self, fact: &Fact<'_>, now: Tick) {
                (**self).observe(fact, now);
            }
        }
    )*};
}

through!(&mut P, Box<P>);

#[cfg(test)]
fn _object_safe(_: &mut dyn Allocate) {}
