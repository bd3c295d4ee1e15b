//! Does the command do what its documentation says: replays, lists, comparisons, refusals, files?

mod amounts;
mod answer;
mod arrivals;
mod asked;
mod beside;
mod calibrate;
mod calibrate_pair;
mod cases;
mod check;
#[path = "../common/mod.rs"]
mod common;
mod compare;
mod compare_recordings;
mod compare_refused;
mod contention;
mod cutting;
mod device_parts;
mod driver;
mod elsewhere;
mod energy;
mod evidence;
mod files;
mod fits;
#[cfg(feature = "sqlite")]
mod formats;
mod gate;
mod hostile;
mod importers;
mod inspect;
mod interference;
mod judged;
mod kept;
#[cfg(feature = "kernel")]
mod kernel;
mod lists;
mod live;
mod mistakes;
mod next;
mod no_answer;
mod occupancy;
mod one_model;
mod opaque;
mod packet;
mod packet_page;
mod packet_replay;
mod pages;
mod pairs;
mod preempt;
mod profiles;
mod published;
#[path = "../../../raddle-sim/tests/it/queued_streams.rs"]
mod queued_streams;
mod ranks;
mod refused;
mod replay;
mod report;
#[path = "../../../raddle-trace/tests/it/rocpd_db/mod.rs"]
mod rocpd_db;
mod rtl;
mod secret;
mod share;
mod stuck;
mod summary;
mod sweep;
mod timeline;
mod today;
mod told;
mod web;
