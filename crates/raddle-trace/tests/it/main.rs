//! Do importers, launch tables, and arrivals do what their documentation says?
//!
//! One program, because each costs a link of everything beneath; `mutations` counts the memory of its
//! process and so has one of its own.

mod arrivals;
mod bundled;
mod comm;
#[path = "../common/mod.rs"]
mod common;
mod corpus;
mod counts;
mod errors;
mod every_sample;
mod hostile;
mod kineto;
mod launch_table;
mod nsys;
mod nsys_csv;
mod nsys_db;
mod nsys_device;
mod nsys_hostile;
mod nsys_samples;
mod quirks_kineto;
mod refusals;
mod rocpd;
mod rocpd_db;
mod rocprof;
mod rocprof_csv;
mod rocprof_hostile;
mod rocprof_samples;
mod rpd;
mod samples;
mod switched_off;
mod wild;
mod xplane;
mod xplane_pb;
