//! How far are replays of two programs from measurements of them side by side, and which figures of
//! a device bring the replays nearest?
//!
//! [`PairTruth`] is what was measured: times of the requests of one program and of the steps of
//! another, under several ways of sharing and loads (rates of requests). [`PairFit`] fits the
//! figures of a device that its description leaves open, and tests the fit on ways of sharing that
//! the fit did not use.

mod figures;
mod fit;
mod predict;
mod truth;

pub use fit::{FittedFigure, HeldOutWay, PairFit};
pub use predict::{AloneError, PairPredictor, WayError};
pub(crate) use truth::{PairCase, PairRun, way_of};
pub use truth::{PairTimes, PairTruth, TruthError, recipe_of};
