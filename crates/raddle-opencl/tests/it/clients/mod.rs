//! What do the clients do?

mod answers;
mod chains;
pub(crate) mod cl;
mod endings;
mod gates;
mod kit;
mod loads;
mod objects;
mod open;

pub(crate) use kit::SOURCE;

use crate::run::{ANSWER, CLIENT};

/// Client of OpenCL: it returns a text that must be equal natively and under the layer.
type Client = fn() -> String;

/// Clients whose answers natively and under the layer are compared, by name.
pub(crate) const HAZARDS: [(&str, Client); 33] = [
    ("gate", gates::gate),
    ("across queues", gates::across_queues),
    ("finish of one queue", gates::finish_of_one_queue),
    ("window full of gated", gates::window_full_of_gated),
    ("nonblocking behind gated", gates::nonblocking_behind_gated),
    ("marker behind gated", gates::marker_behind_gated),
    ("failing gate", gates::failing_gate),
    ("gates that are over", gates::gates_that_are_over),
    ("out of order", gates::out_of_order),
    ("bad calls", answers::bad_calls),
    ("profile", answers::profile),
    ("callbacks", answers::callbacks),
    ("reflection", answers::reflection),
    ("release early", objects::release_early),
    ("handles come again", objects::handles_come_again),
    ("arguments at the launch", objects::arguments_at_the_launch),
    ("null buffers", objects::null_buffers),
    ("without source", objects::without_source),
    ("copies in order", objects::copies_in_order),
    ("images", objects::images),
    ("shared memory", objects::shared_memory),
    ("chains", chains::chains),
    ("places", chains::places),
    ("program variables", chains::program_variables),
    ("other bodies", chains::other_bodies),
    ("zero factors", chains::zero_factors),
    ("parts of one", chains::parts_of_one),
    ("of spirv", chains::of_spirv),
    ("exit while launches wait", endings::exit_while_launches_wait),
    ("exit while launches run", endings::exit_while_launches_run),
    ("exit with all in hand", endings::exit_with_all_in_hand),
    ("read when all ends", endings::read_when_all_ends),
    ("fork while launches run", endings::fork_while_launches_run),
];

/// Plays the client that the variable `RADDLE_TEST_CLIENT` names, in a process of its own; does
/// nothing where it is not set.
#[test]
fn client() {
    let Ok(name) = std::env::var(CLIENT) else { return };
    let others: [(&str, Client); 15] = [
        ("devices", open::devices),
        ("version", open::version),
        ("says", open::says),
        ("buffers", open::command_buffers),
        ("wait lists", answers::bad_wait_lists),
        ("early profile", answers::early_profile),
        ("asked macros", chains::asked_macros),
        ("bodies of the device", chains::bodies_of_the_device),
        ("macro in code", chains::macro_in_code),
        ("long in place", loads::long_in_place),
        ("empty", loads::empty),
        ("conditions", loads::conditions),
        ("busy", loads::busy),
        ("requests", loads::requests),
        ("many objects", loads::many_objects),
    ];
    let known = HAZARDS.iter().chain(&others).find(|(known, _)| *known == name);
    let (_, run) = known.expect("a client of this name");
    for line in run().lines() {
        println!("{ANSWER}{line}");
    }
    for (count, number) in open::counts() {
        println!("{}{count} {number}", crate::run::COUNT);
    }
}
