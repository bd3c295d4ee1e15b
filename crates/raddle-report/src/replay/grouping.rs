//! Which processes get a look of their own in the pictures over time?

use raddle_sim::{Outcome, Workload};

use super::runs::RecipeRun;
use crate::document::{ChartKind, Legend};

/// More looks could not be told apart.
const MOST: usize = 8;

/// One process, or all that are drawn as one.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct ProcessGroup {
    pub(super) name: String,
    members: Vec<usize>,
}

impl ProcessGroup {
    /// The sum of what the rows of its members hold in each bucket.
    pub(super) fn sum<'r>(&self, row: impl Fn(usize) -> &'r [u128]) -> Vec<u128> {
        let mut sum: Vec<u128> = Vec::new();
        for &member in &self.members {
            let row = row(member);
            sum.resize(sum.len().max(row.len()), 0);
            sum.iter_mut().zip(row).for_each(|(sum, amount)| *sum += amount);
        }
        sum
    }

    /// The sum of one figure of its members.
    pub(super) fn total(&self, figure: impl Fn(usize) -> u128) -> u128 {
        self.members.iter().map(|&member| figure(member)).sum()
    }
}

/// Each process; of many, those that used most, and the others as one.
pub(super) fn groups(workload: &Workload, runs: &[RecipeRun]) -> Vec<ProcessGroup> {
    let names: Vec<&str> = workload.processes.iter().map(|process| &*process.name).collect();
    let outcomes: Vec<&Outcome> = runs.iter().map(|run| &run.together).collect();
    let used = |process: usize| -> u128 {
        outcomes.iter().filter_map(|outcome| outcome.wave_ns.get(process)).sum()
    };
    of(&names, used)
}

/// Their legend.
pub(super) fn legend(groups: &[ProcessGroup], kind: ChartKind) -> Legend {
    Legend { kind, names: groups.iter().map(|group| group.name.clone()).collect() }
}

fn of(names: &[&str], used: impl Fn(usize) -> u128) -> Vec<ProcessGroup> {
    let mut order: Vec<usize> = (0..names.len()).collect();
    let mut others = Vec::new();
    if order.len() > MOST {
        order.sort_by_key(|&process| (std::cmp::Reverse(used(process)), process));
        others = order.split_off(MOST - 1);
        order.sort_unstable();
    }
    let one =
        |process: usize| ProcessGroup { name: names[process].to_owned(), members: vec![process] };
    let rest = (!others.is_empty())
        .then(|| ProcessGroup { name: format!("{} others", others.len()), members: others });
    order.into_iter().map(one).chain(rest).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn of_many_the_largest_stay() {
        let names: Vec<String> = (0..10).map(|n| format!("p{n}")).collect();
        let names: Vec<&str> = names.iter().map(String::as_str).collect();
        assert_eq!(of(&names[..8], |_| 0).len(), 8);
        let groups = of(&names, |process| [5, 1, 9, 1, 7, 7, 7, 7, 7, 2][process]);
        let shown: Vec<&str> = groups.iter().map(|group| group.name.as_str()).collect();
        assert_eq!(shown, ["p0", "p2", "p4", "p5", "p6", "p7", "p8", "3 others"]);
        assert_eq!(groups[7].total(|process| process as u128), 1 + 3 + 9);
        let rows: [&[u128]; 10] = [&[1, 2]; 10];
        assert_eq!(groups[7].sum(|process| rows[process]), [3, 6]);
    }
}
