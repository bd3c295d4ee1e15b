//! What does one step of the controller cost?

fn main() {}
