//! Does a layer pass on the account of free runs and waits that the policy below it gives?

use raddle_policy::{
    Allocate, Answer, CuId, Fallback, FreeRun, ReadyView, Resource, Round, Tick, Traced,
    WaitReason, WaitTally,
};

/// A policy that reports one chosen number as its free runs and as its count of waits.
struct Account {
    run: FreeRun,
    waits: [WaitTally; 1],
}

impl Account {
    fn of(count: u64) -> Self {
        let (resource, reason) = (Resource::Lds, WaitReason::InPieces);
        let waits = [WaitTally { resource, reason, count }];
        Self { run: FreeRun { free: count, longest: count }, waits }
    }
}

impl Allocate for Account {
    fn allocate(&mut self, _: &ReadyView<'_>, _: Tick, _: &mut Round) -> Answer {
        Answer::WAIT
    }
    fn free_runs(&self, _: CuId) -> Option<[FreeRun; 3]> {
        Some([self.run; 3])
    }
    fn waits(&self) -> &[WaitTally] {
        &self.waits
    }
}

/// Returns the number that a policy reports: as free granules, and as its count of waits.
fn account(policy: &impl Allocate) -> [u64; 2] {
    let [run, ..] = policy.free_runs(CuId(0)).expect("the policies here tell their runs");
    [run.free, policy.waits().iter().map(|wait| wait.count).sum()]
}

#[test]
fn traced_passes_the_account_on() {
    assert_eq!(account(&Traced::new(Account::of(7), |_, _| {})), [7, 7]);
}

#[test]
fn fallback_gives_the_account_of_the_one_that_answers() {
    let mut policy = Fallback::new(Account::of(7), Account::of(5));
    assert_eq!(account(&policy), [7, 7]);
    assert!(policy.broke_law("law 2"));
    assert_eq!(account(&policy), [5, 5]);
}
