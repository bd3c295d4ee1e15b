//! Does a policy keep the laws of its trait?
//!
//! For any implementation of [`Allocate`](raddle_policy::Allocate), [`Turn`](raddle_policy::Turn),
//! [`Preempt`](raddle_policy::Preempt) or [`LaunchPath`](raddle_policy::LaunchPath), in this tree
//! or outside: a strategy makes up scenarios, a `check_` function plays one and panics with the
//! number of the law that is broken. Beside each stands an `examine_` function that returns the
//! [`Breach`] instead.
//!
//! | trait | strategy | check |
//! |---|---|---|
//! | `Allocate` | [`scenario`], [`wide_scenario`] | [`check_allocate`], [`check_bulk`] |
//! | `Turn` | [`turn_scenario`] | [`check_turn`] |
//! | `Preempt` | [`victims`] | [`check_preempt`] |
//! | `LaunchPath` | [`submissions`] | [`check_launch_path`] |
//!
//! ```
//! use proptest::prelude::*;
//! use raddle_testkit::{check_allocate, check_bulk, scenario, wide_scenario};
//! # use raddle_policy::{Allocate, Answer, ReadyView, Round, Tick};
//! # #[derive(Clone)]
//! # struct Mine;
//! # impl Allocate for Mine {
//! #     fn allocate(&mut self, ready: &ReadyView<'_>, _: Tick, round: &mut Round) -> Answer {
//! #         for entry in ready.launches().iter().filter(|entry| entry.undistributed() > 0) {
//! #             let fits = |&cu: &_| ready.cus().room(cu, &entry.launch().demand) > 0;
//! #             if let Some(cu) = ready.cus().ids().find(fits) {
//! #                 return round.start_one(entry, cu);
//! #             }
//! #         }
//! #         Answer::WAIT
//! #     }
//! # }
//! proptest! {
//!     # #![proptest_config(ProptestConfig::with_cases(8))]
//!     // In a test file, `#[test]` goes here.
//!     fn it_keeps_the_laws(s in scenario()) {
//!         check_allocate(|| Mine, &s);
//!         check_bulk(|| Mine, &s);
//!     }
//!
//!     // Devices of up to 304 compute units, and launches that are taken off and come back.
//!     fn in_bulk_as_one_by_one(s in wide_scenario()) {
//!         check_bulk(|| Mine, &s);
//!     }
//! }
//! # it_keeps_the_laws();
//! # in_bulk_as_one_by_one();
//! ```
//!
//! The decisions of policies are printed as tables for snapshots, without proptest
//! (`default-features = false`): [`render`] over [`Scenario::example`], [`render_turn`] over
//! [`TurnScenario::example`], [`render_preempt`] over [`Revocation::examples`],
//! [`render_launch_path`] over the launches of a scenario.
//!
//! Law 4 (asking again changes nothing) has one documented exception; such a policy calls
//! [`check_allocate_except`] with `&[4]`.

mod account;
mod addresses;
mod allocate;
mod breach;
mod ending;
mod launch_path;
mod leaving;
mod off;
mod one_by_one;
mod preempt;
mod refills;
mod render;
mod scenario;
mod spot;
mod starting;
#[cfg(feature = "laws")]
mod strategy;
mod turn;
mod world;

pub use allocate::{
    check_allocate, check_allocate_except, check_bulk, examine_allocate, examine_bulk,
};
pub use breach::Breach;
pub use launch_path::{check_launch_path, examine_launch_path, render_launch_path};
pub use one_by_one::OneByOne;
pub use preempt::{Revocation, check_preempt, examine_preempt, render_preempt};
pub use render::{LINES, render};
pub use scenario::Scenario;
#[cfg(feature = "laws")]
pub use strategy::{
    any_launch, any_shape, cases, scenario, scenario_with, submissions, turn_scenario, victims,
    wide_scenario,
};
pub use turn::{TurnScenario, TurnStep, check_turn, examine_turn, render_turn};
pub use world::{Deed, RunLine, STEP, ScenarioRun, World};
