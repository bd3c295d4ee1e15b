//! Do recipes, slots and the composed dispatcher do what their documentation says?

mod behind;
mod building;
mod composed;
mod cut;
mod host;
mod laws;
mod log_rules;
mod recipes;
mod registry;
mod returned;
mod slots;
mod told;
mod ways;
mod window;
