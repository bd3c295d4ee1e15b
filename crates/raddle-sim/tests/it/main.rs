//! Does the simulated GPU do what its documentation says?

mod kit;
mod laws;
mod partial;
mod replay;
mod requests;
mod take_off;
mod timing;
