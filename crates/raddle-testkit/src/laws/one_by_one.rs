//! What does a policy answer that is never asked for many workgroups at once?

use raddle_policy::{
    Allocate, Answer, CuId, Fact, FreeRun, ProcessId, ReadyView, Round, Tick, WaitTally,
};

/// Wrapper of a policy that makes it start one workgroup at a time: it never calls the policy's
/// [`Allocate::allocate_round`], which may start many. Tests use it to check law 5, and to log
/// single workgroups.
#[derive(Clone, Debug)]
pub struct OneByOne<P>(pub P);

impl<P: Allocate> Allocate for OneByOne<P> {
    fn allocate(&mut self, ready: &ReadyView<'_>, now: Tick, round: &mut Round) -> Answer {
        self.0.allocate(ready, now, round)
    }
    fn reads_the_view(&self) -> bool {
        self.0.reads_the_view()
    }
    fn cuts(&self) -> bool {
        self.0.cuts()
    }
    fn may_stop(&self) -> Option<&'static str> {
        self.0.may_stop()
    }
    fn most_units(&self, process: ProcessId, all: u16) -> Option<u16> {
        self.0.most_units(process, all)
    }
    fn broke_law(&mut self, law: &str) -> bool {
        self.0.broke_law(law)
    }
    fn free_runs(&self, cu: CuId) -> Option<[FreeRun; 3]> {
        self.0.free_runs(cu)
    }
    fn waits(&self) -> &[WaitTally] {
        self.0.waits()
    }
    fn minds_refills(&self) -> bool {
        self.0.minds_refills()
    }
    fn observe(&mut self, fact: &Fact<'_>, now: Tick) {
        self.0.observe(fact, now);
    }
}
