//! How long were the turns of two processes on a device, and the switches between them?

/// Observed lengths, in ns, of the turns (time slices) that two processes took on a device, and of
/// the switches between turns.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct TurnsSeen {
    /// Lengths of turns in ns, each from where one process begins to run to where the other process
    /// begins to run after it.
    pub(super) turns: Vec<u64>,
    /// Lengths of switches in ns, each from where one process stops running to where the other
    /// process begins to run.
    pub(super) switches: Vec<u64>,
}

impl TurnsSeen {
    /// Derives turns and switches from the time spans in which two processes ran on the device,
    /// given as (begin, end) in ns, by repetition and then by process. A span counts as a turn if
    /// spans of the other process come right before and after it, and none of the three overlap.
    pub(super) fn of(repetitions: &[Vec<Vec<(u64, u64)>>]) -> Self {
        let mut all = Self::default();
        for processes in repetitions {
            let runs = processes.iter().enumerate().flat_map(|(process, runs)| {
                runs.iter().map(move |&(begun, ended)| (begun, ended, process))
            });
            let mut runs: Vec<(u64, u64, usize)> = runs.collect();
            runs.sort_unstable();
            for three in runs.windows(3) {
                let &[before, run, after] = three else { continue };
                let taken = before.2 != run.2 && run.2 != after.2;
                // Runs that overlap are of processes side by side.
                let apart = before.1 <= run.0 && run.1 <= after.0 && run.0 < run.1;
                if taken && apart {
                    all.turns.push(after.0 - run.0);
                    all.switches.push(after.0 - run.1);
                }
            }
        }
        all
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn turns_lie_between_runs_of_the_other_process() {
        let one = vec![(0, 1000), (2600, 3600), (5200, 5900)];
        let other = vec![(1300, 2300), (3900, 4900)];
        let found = TurnsSeen::of(&[vec![one, other]]);
        assert_eq!(found.turns, [1300, 1300, 1300]);
        assert_eq!(found.switches, [300, 300, 300]);
    }

    #[test]
    fn processes_side_by_side_have_no_turns() {
        let found = TurnsSeen::of(&[vec![vec![(0, 10), (12, 30)], vec![(1, 11), (13, 29)]]]);
        assert_eq!(found, TurnsSeen::default());
        assert_eq!(
            TurnsSeen::of(&[vec![vec![(0, 10), (12, 30), (40, 50)], vec![]]]),
            TurnsSeen::default()
        );
    }
}
