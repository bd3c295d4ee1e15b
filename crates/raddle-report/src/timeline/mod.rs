//! How is a timeline written for a viewer?
//!
//! [`write_perfetto`] writes it for ui.perfetto.dev.

mod events;
mod layout;
mod perfetto;
mod proto;

pub use perfetto::write_perfetto;
