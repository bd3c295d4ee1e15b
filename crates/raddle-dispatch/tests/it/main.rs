//! Do recipes, slots and the composed dispatcher do what their documentation says?

mod book_errors;
mod book_oracle;
mod building;
mod composed;
mod cut;
mod laws;
mod ledger;
mod log_rules;
mod recipes;
mod registry;
mod returned;
mod slots;
mod ways;
mod window;
