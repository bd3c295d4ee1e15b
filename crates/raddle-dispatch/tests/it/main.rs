//! Do recipes, slots and the composed dispatcher do what their documentation says?

mod composed;
mod laws;
mod recipes;
mod slots;
