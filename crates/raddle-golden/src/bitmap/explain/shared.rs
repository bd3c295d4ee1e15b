//! What happens in the periods of a shared finder?

use raddle_bitmap::Error;
use raddle_bitmap::circuit::{Masks, PeriodTrace};

use super::methods::{Words, setup};
use super::rows::{row, rows};
use crate::bitmap::shared::SharedRound;
use crate::explanation::{ExplainedStep, counted, step};

/// g1, then g2 to g4 for each period.
pub(super) fn steps(round: &SharedRound) -> Result<Vec<ExplainedStep>, Error> {
    let mut steps = vec![schedule(round)];
    for period in 0..round.finder.periods() {
        let setup = setup(round.form);
        let trace =
            PeriodTrace::new(&round.finder, period, &round.views(period), setup, Masks::All)?;
        steps.extend(of_period(round, period, &trace));
    }
    Ok(steps)
}

fn schedule(round: &SharedRound) -> ExplainedStep {
    let of_period = |period: usize| {
        let slots = round.finder.slots(period).iter().zip(&round.periods[period]);
        let slots: Vec<String> = slots
            .map(|(slot, (name, _))| {
                let (start, last) = (slot.start, slot.end - 1);
                format!("{name} ({} blocks) in places {start}..{last}", slot.kind.blocks)
            })
            .collect();
        format!("period {}: {}", period + 1, slots.join(", "))
    };
    let title = format!(
        "g1: {} a round on a finder {} wide",
        counted(round.finder.periods() as u64, "period", "periods"),
        round.finder.width()
    );
    step(title, (0..round.finder.periods()).map(of_period).collect())
}

fn of_period(round: &SharedRound, period: usize, trace: &PeriodTrace) -> Vec<ExplainedStep> {
    let words = Words::of(round.form);
    let answers = trace.answers();
    let turn = answers.iter().copied().max().unwrap_or(0) as usize;
    let c = period + 1;
    let loaded = format!("g2 and g31, period {c}: load the states, {} = free", words.free);
    let shifted = format!(
        "g32, period {c}: shift {}; at its trailing end each slot gets e places occupied ({})",
        words.shift, words.occupied
    );
    let combined = format!("g33, period {c}: DA_e = DA_(e-1) {} D_e", words.combine);
    let mut lines = vec![format!("g341: DQR_e of a slot is {}, within the slot", words.reduce)];
    for ((name, _), (sequence, answer)) in
        round.periods[period].iter().zip(trace.dqr().iter().zip(&answers))
    {
        lines.push(row(&format!("DQR of {name}"), sequence));
        lines.push(match answer.checked_sub(1) {
            Some(e) => {
                format!("g3431, g3432: the last 1 is DQR_{e}, so {name} has a run of {answer}")
            }
            None => format!("g3431: there is no 1, so {name} has nothing free"),
        });
    }
    let next = if c < round.finder.periods() {
        format!("g4: on to period {}", c + 1)
    } else {
        "g4: the round is over".to_owned()
    };
    lines.push(next);
    vec![
        step(loaded, vec![row("D_0", &trace.d()[0])]),
        step(shifted, rows("D", trace.d(), turn)),
        step(combined, rows("DA", trace.da(), turn)),
        step(format!("g34, period {c}: reduce each slot, and read its sequence"), lines),
    ]
}
