//! What do the clients do?

pub(crate) mod cl;
mod open;

use crate::run::{ANSWER, CLIENT};

/// The client that this process is told to be; nothing in a run of the tests.
#[test]
fn client() {
    let Ok(name) = std::env::var(CLIENT) else { return };
    let said = match name.as_str() {
        "devices" => open::devices(),
        "version" => open::version(),
        "buffers" => open::command_buffers(),
        _ => panic!("no client is called {name}"),
    };
    for line in said.lines() {
        println!("{ANSWER}{line}");
    }
}
