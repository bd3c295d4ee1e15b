//! Which figures of a simulation are shown before the study has ended?

use raddle_sim::{Outcome, ProcessPlan, Repetition, Summary};

use super::Runner;
use crate::answer::{JudgedBy, JudgedProcess, PolicyRow, ProcessFigures};
use crate::units::duration;

impl Runner<'_> {
    /// Writes the figure of each process (p99, step or end) that goals and ranks compare, in words.
    pub(super) fn first_figures(&self, recipe: &str, outcome: &Outcome) -> String {
        let workload = self.plan.workload;
        let judged = |(at, process): (usize, &ProcessPlan)| {
            JudgedProcess::plain(&process.name, JudgedBy::of(workload, at), None)
        };
        let judged: Vec<JudgedProcess> =
            workload.processes.iter().enumerate().map(judged).collect();
        let row = PolicyRow::new(recipe, &judged, &Summary::new(workload, outcome, &[]));
        let figure = |(process, own): (&JudgedProcess, &ProcessFigures)| {
            let time = own.decisive_ns.map_or_else(|| "not known".to_owned(), duration);
            format!("{} {} {time}", process.name, process.judged.word())
        };
        let figures = judged.iter().zip(&row.processes).map(figure).collect::<Vec<String>>();
        // A later and longer run of the recipe gives other figures.
        let asked =
            |(_, process): &(&u32, &ProcessPlan)| process.repetition != Repetition::BackToBack;
        let mut requests = outcome.iterations.iter().zip(&workload.processes).filter(asked);
        match requests.next() {
            Some((requests, _)) => format!("{}, by {requests} requests", figures.join(", ")),
            None => figures.join(", "),
        }
    }
}
