//! Does the simulated GPU do what its documentation says?

mod cut;
mod kit;
mod laws;
mod one_by_one;
mod partial;
mod replay;
mod requests;
mod take_off;
mod timeline;
mod timing;
