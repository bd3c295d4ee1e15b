//! Which way of sharing suits these tenants, with which parameters, and how is it set?

mod mig;
mod modes;
mod setup;

use raddle_trace::PriorityRule;

use crate::profiles::Loaded;
use crate::recipes::NamedRecipe;

use modes::Mode;
pub(crate) use modes::candidates;
use setup::Tenant;

/// A way of sharing with its parameters.
#[derive(Clone, Debug)]
pub(crate) struct Candidate {
    mode: Mode,
    pub(crate) recipe: NamedRecipe,
}

/// The best parameters of each mode, by the ranking of all; the modes in their order.
pub(crate) fn best(candidates: &[Candidate], ranking: &[usize]) -> Vec<Candidate> {
    let rank = |at: usize| ranking.iter().position(|&ranked| ranked == at);
    let mut best: Vec<usize> = Vec::new();
    for at in 0..candidates.len() {
        let same = |other: &usize| candidates[*other].mode.same_kind(&candidates[at].mode);
        match best.iter().position(same) {
            Some(place) if rank(at) < rank(best[place]) => best[place] = at,
            Some(_) => {}
            None => best.push(at),
        }
    }
    best.into_iter().map(|at| candidates[at].clone()).collect()
}

/// What to run to have a mode, a line each, for these tenants.
pub(crate) fn setup(chosen: &Candidate, tenants: &[Loaded], rules: &[PriorityRule]) -> Vec<String> {
    let level = |loaded: &Loaded| {
        let level = loaded.levels(rules);
        loaded.profile.ops.iter().map(|op| level(op).0).min().unwrap_or_default()
    };
    let levels: Vec<u8> = tenants.iter().map(level).collect();
    let most = levels.iter().min().copied().unwrap_or_default();
    let tenants = tenants.iter().zip(&levels);
    let tenants: Vec<Tenant<'_>> = tenants
        .map(|(loaded, level)| Tenant { name: &loaded.name, urgent: *level == most })
        .collect();
    setup::lines(&chosen.mode, &chosen.recipe.name, &tenants)
}
