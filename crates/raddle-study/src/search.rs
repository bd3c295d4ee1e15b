//! Which of many candidates is best, without running each with every random seed?
//!
//! Successive halving: all candidates are run with one seed, the better half of each kind with one
//! more, the better half of these with two more, and so on; each round doubles the number of seeds.
//! The remaining candidates were run with all seeds. Candidates are only ever compared with equal
//! seeds.

use std::ops::Range;

use crate::error::StudyError;

/// Searches the best candidates, such as ways of sharing a device, by successive halving. Returns
/// the indices of those that remain, the best first: at least one of each kind. A remaining
/// candidate was simulated with all random seeds, or is the last of its kind.
///
/// `kinds` has the kind of each candidate. `round` runs the given candidates with the seeds of a
/// range and ranks them by all seeds so far, the best first.
///
/// # Errors
/// When `round` fails.
pub(crate) fn halve(
    kinds: &[usize],
    seeds: usize,
    mut round: impl FnMut(&[usize], Range<usize>) -> Result<Vec<usize>, StudyError>,
) -> Result<Vec<usize>, StudyError> {
    let mut left: Vec<usize> = (0..kinds.len()).collect();
    let mut done = 0;
    loop {
        let until = (2 * done).clamp(1, seeds.max(1));
        left = round(&left, done..until)?;
        done = until;
        let rivals = |own: &usize| left.iter().filter(|&&it| kinds[it] == kinds[*own]).count();
        if done >= seeds || left.iter().all(|own| rivals(own) == 1) {
            return Ok(left);
        }
        let place = |own: usize| {
            let better = left.iter().take_while(|&&it| it != own);
            better.filter(|&&it| kinds[it] == kinds[own]).count()
        };
        let stays = |own: &usize| place(*own) < rivals(own).div_ceil(2);
        left = left.iter().copied().filter(stays).collect();
    }
}

/// Returns the best candidate of each kind, as indices from `ranking` (the best candidate first),
/// in the order of the kinds.
pub(crate) fn best_of_kinds(kinds: &[usize], ranking: &[usize]) -> Vec<usize> {
    let mut best: Vec<usize> = Vec::new();
    for &own in ranking {
        if !best.iter().any(|&other| kinds[other] == kinds[own]) {
            best.push(own);
        }
    }
    best.sort_by_key(|&own| kinds[own]);
    best
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Runs a search in which a candidate with a lower index is always better. Returns (candidates
    /// that remain, number of simulations, number of random seeds used).
    fn search(kinds: &[usize], seeds: usize) -> (Vec<usize>, usize, usize) {
        let (mut runs, mut by) = (0, 0);
        let best = halve(kinds, seeds, |left, more| {
            assert_eq!(more.start, by);
            by = more.end;
            runs += left.len() * more.len();
            let mut ranking = left.to_vec();
            ranking.sort_unstable();
            Ok(ranking)
        });
        (best.unwrap(), runs, by)
    }

    #[test]
    fn each_round_has_half_the_candidates_and_twice_the_seeds() {
        let (best, runs, by) = search(&[0; 16], 8);
        assert_eq!((best, by), (vec![0, 1], 8));
        assert_eq!(runs, 16 + 8 + 4 * 2 + 2 * 4, "and not 16 * 8");
    }

    #[test]
    fn one_seed_is_one_round_and_seeds_need_be_no_power_of_two() {
        assert_eq!(search(&[0; 3], 1), (vec![0, 1, 2], 3, 1));
        assert_eq!(search(&[0; 8], 3), (vec![0, 1], 8 + 4 + 2, 3));
    }

    #[test]
    fn kinds_are_halved_apart_and_without_rivals_nobody_runs_on() {
        let kinds = [0, 1, 1, 1, 1, 2];
        let (left, _, by) = search(&kinds, 64);
        assert_eq!((left, by), (vec![0, 1, 5], 4));
        assert_eq!(best_of_kinds(&kinds, &[5, 3, 1, 0, 2]), [0, 3, 5]);
    }
}
