//! Do recipes, slots and the composed dispatcher do what their documentation says?

mod composed;
mod cut;
mod laws;
mod recipes;
mod returned;
mod slots;
mod ways;
mod window;
