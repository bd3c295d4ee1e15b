//! How far are replays of two programs from both of them measured together, and which figures of a
//! device bring them nearest?
//!
//! [`PairTruth`] is what was measured: the times of the requests of one program and of the steps of
//! another, under ways of sharing and loads, each repetition by itself. [`PairFit`] fits what the
//! model leaves open of a device, with one way held out at a time.

mod figures;
mod fit;
mod predict;
mod truth;

pub use fit::{FittedFigure, HeldOutWay, PairFit};
pub use predict::{AloneError, PairPredictor, WayError};
pub(crate) use truth::{PairCase, PairRun, way_of};
pub use truth::{PairTimes, PairTruth, TruthError, recipe_of};
