//! What happens in each use (period) of one circuit that searches the maps of several resources in
//! turn?

use raddle_bitmap::Error;
use raddle_bitmap::circuit::{Masks, PeriodTrace};

use super::methods::ExplainWords;
use super::rows::{row, rows};
use crate::bitmap::shared::SharedRound;
use crate::explanation::{Story, counted};

/// Explains how one circuit searches several maps in turn: first how the maps are divided over the
/// uses of the circuit (periods; step g1 of the patent), then each period (steps g2 to g4). Returns
/// an error where the search does not suit a map.
pub(in crate::bitmap) fn tell(round: &SharedRound, story: &mut Story) -> Result<(), Error> {
    let (finder, words) = (&round.finder, ExplainWords::of(round.form));
    let periods = counted(finder.periods() as u64, "period", "periods");
    story.step(format!("g1: {periods} a round on a finder {} wide", finder.width()));
    for (period, types) in round.periods.iter().enumerate() {
        let slots = finder.slots(period).iter().zip(types);
        let slots = slots.map(|(slot, (name, _))| {
            let (start, last) = (slot.start(), slot.end() - 1);
            format!("{name} ({} blocks) in places {start}..{last}", slot.kind().blocks)
        });
        let slots: Vec<String> = slots.collect();
        story.note(format!("period {}: {}", period + 1, slots.join(", ")));
    }
    for (period, types) in round.periods.iter().enumerate() {
        let trace = PeriodTrace::new(finder, period, &round.views(period), round.form, Masks::All)?;
        let answers = trace.answers();
        let turn = answers.iter().copied().max().unwrap_or(0) as usize;
        let c = period + 1;
        story.step(format!("g2 and g31, period {c}: load the states, {} = free", words.free));
        story.note(row("D_0", &trace.d()[0]));
        story.step(format!(
            "g32, period {c}: shift {}; at its trailing end each slot gets e places occupied ({})",
            words.shift, words.occupied
        ));
        rows("D", trace.d(), turn, story);
        story.step(format!("g33, period {c}: DA_e = DA_(e-1) {} D_e", words.combine));
        rows("DA", trace.da(), turn, story);
        story.step(format!("g34, period {c}: reduce each slot, and read its sequence"));
        story.note(format!("g341: DQR_e of a slot is {}, within the slot", words.reduce));
        for ((name, _), (sequence, answer)) in types.iter().zip(trace.dqr().iter().zip(&answers)) {
            story.note(row(&format!("DQR of {name}"), sequence));
            story.note(match answer.checked_sub(1) {
                Some(e) => {
                    format!("g3431, g3432: the last 1 is DQR_{e}, so {name} has a run of {answer}")
                }
                None => format!("g3431: there is no 1, so {name} has nothing free"),
            });
        }
        story.note(if c < finder.periods() {
            format!("g4: on to period {}", c + 1)
        } else {
            "g4: the round is over".to_owned()
        });
    }
    Ok(())
}
