//! How is the comparison of a prediction with measurements told in a few sentences?

use super::{Check, CheckedTenant, TENANT};
use crate::answer::JudgedBy;
use crate::compare::told;
use crate::units::{counted, plain, quoted};

/// Smallest number of requests for which the 99th percentile (by nearest rank) is not simply the
/// time of the slowest request.
const REQUESTS_OF_P99: u64 = 100;

impl Check {
    /// Writes in a few sentences whether the user's limits hold, the largest error of the
    /// prediction, how many tenants lie outside of their predicted intervals, and for which tenants
    /// the wait of requests in a queue was not measured.
    #[must_use]
    pub fn sentence(&self) -> String {
        let off = self.tenants.iter().filter_map(|of| Some((of, of.error?)));
        let worst = off.max_by(|(_, one), (_, other)| one.abs().total_cmp(&other.abs()));
        let outside = self.tenants.iter().filter(|of| of.within == Some(false)).count() as u64;
        let limits = match self.limits.as_slice() {
            [] => String::new(),
            limits => format!("{}. ", told(limits)),
        };
        let mut text = limits
            + &match worst {
                Some((of, error)) => {
                    let (recipe, word) = (plain(&self.recipe, 40), of.judged.word());
                    format!(
                        "Under {recipe} the prediction of {} {word} is {}{}.",
                        plain(&of.name, TENANT),
                        side(error),
                        self.others(of)
                    )
                }
                None => "Nothing was predicted of what was measured.".to_owned(),
            };
        if outside > 0 {
            text += &format!(
                " {} outside of the predicted interval{}.",
                counted(outside, "tenant lies", "tenants lie"),
                if self.limits.is_empty() { " (`--fail-if interval` exits with 4)" } else { "" }
            );
        }
        let few = self
            .tenants
            .iter()
            .filter(|of| of.judged == JudgedBy::Requests && of.repetitions < REQUESTS_OF_P99);
        let few = few.map(|of| {
            let requests = counted(of.repetitions, "request", "requests");
            format!(" p99 of {} is the slowest of {requests}.", plain(&of.name, TENANT))
        });
        text += &few.collect::<String>();
        text += &self.other_advice();
        let names = |with_queue: bool| {
            let own = self.tenants.iter();
            let counted =
                |of: &&CheckedTenant| (of.from_issue || with_queue) && of.with_queue == with_queue;
            let own = own.filter(counted);
            own.map(|of| plain(&of.name, TENANT)).collect::<Vec<_>>().join(" and ")
        };
        let [issued, queued] = [names(false), names(true)];
        if !issued.is_empty() {
            text += &format!(
                " Requests of {issued} count from the issue of their first launch, predicted and measured: recordings tell nothing of a queue before that."
            );
        }
        if !queued.is_empty() {
            text += &format!(
                " Not measured: how long requests of {queued} waited before they began; the prediction counts it."
            );
        }
        text
    }

    /// Returns a clause on the errors of all tenants but `worst`, the one with the largest error;
    /// empty where there is no other tenant.
    fn others(&self, worst: &CheckedTenant) -> String {
        let mut others = self.tenants.iter().filter(|of| of.name != worst.name);
        match (others.next(), others.next()) {
            (None, _) => String::new(),
            (Some(one), None) => {
                let error = one
                    .error
                    .map(|error| format!(", of {} {}", plain(&one.name, TENANT), side(error)));
                error.unwrap_or_default()
            }
            _ => ", no other by more".to_owned(),
        }
    }

    /// Returns a sentence on the recipe that was advised as well as the checked one; empty where
    /// there is none.
    fn other_advice(&self) -> String {
        self.or.as_ref().map_or_else(String::new, |other| {
            format!(
                " If {} was set up, which was advised as well: `--recipe {}`.",
                plain(other, 40),
                quoted(other)
            )
        })
    }
}

/// Says whether a prediction is right, too high or too low, and by how many percent of the
/// measurement.
fn side(error: f64) -> String {
    let percent = format!("{:.1} %", error.abs() * 100.0);
    match percent.as_str() {
        "0.0 %" => "right".to_owned(),
        _ if error > 0.0 => format!("{percent} too high"),
        _ => format!("{percent} too low"),
    }
}
