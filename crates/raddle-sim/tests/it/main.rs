//! Does the simulated GPU do what its documentation says?

mod any_recipe;
mod block_warp;
mod closed;
mod contention;
mod copies;
mod cut;
mod cut_log;
mod energy;
mod hints;
mod kit;
mod launch_path;
mod laws;
mod layers;
mod lending;
mod meetings;
mod one_by_one;
mod partial;
mod replay;
mod requests;
mod script;
mod shape;
mod take_off;
mod timeline;
mod timing;
mod turns;
mod window;
