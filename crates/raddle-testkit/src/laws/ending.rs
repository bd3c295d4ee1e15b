//! How do workgroups end on the simulated device of the test kit?
//!
//! Single workgroups are chosen, never pieces (equal workgroups on one compute unit), so that a
//! policy sees the same ends whether it starts many workgroups in one answer or one.

use std::collections::BTreeMap;

use raddle_policy::{Allocate, CuId, Fact, LaunchId, Piece, ProcessId, WaveSpan};

use super::Breach;
use super::off::OffLaunch;
use super::spot::{Spot, SpotPart};
use super::world::{Deed, RunLine, World};

impl World<'_> {
    /// Ends the workgroups that the scenario chooses for this step. Of workgroups that started wave
    /// by wave it ends single waves, and of workgroups that were cut it ends parts (some waves).
    pub(super) fn end_some(&mut self, step: usize, policy: &mut dyn Allocate) {
        let runs = |(spot, _): &(&Spot, &CuId)| self.off.get(&spot.0).is_none_or(OffLaunch::runs);
        let all = self.resident.iter().filter(runs).map(|(&spot, &cu)| (spot, cu));
        let all: Vec<(Spot, CuId)> = all.collect();
        let (first, count) = self.scenario.ending(step, all.len());
        let mut whole: BTreeMap<LaunchId, Vec<(CuId, u64)>> = BTreeMap::new();
        let mut parts = Vec::new();
        for (spot, cu) in all.iter().cycle().skip(first).take(count) {
            self.resident.remove(spot);
            let &(launch, workgroup, part) = spot;
            self.addresses.free(*spot, *cu);
            let span = match part {
                SpotPart::Whole => {
                    whole.entry(launch).or_default().push((*cu, workgroup));
                    continue;
                }
                SpotPart::Wave(first) => WaveSpan::Range { first, count: 1 },
                SpotPart::Cut { first, count } => WaveSpan::Cut { first, count },
            };
            parts.push((launch, span, Piece::one(workgroup, *cu)));
        }
        for (launch, mut spots) in whole {
            spots.sort_unstable();
            self.end(policy, launch, WaveSpan::All, pieces_of(&spots));
        }
        for (launch, span, piece) in parts {
            self.end(policy, launch, span, vec![piece]);
        }
    }

    fn end(
        &mut self,
        policy: &mut dyn Allocate,
        id: LaunchId,
        waves: WaveSpan,
        pieces: Vec<Piece>,
    ) {
        let Some(progress) = self.progress.get_mut(&id) else {
            return;
        };
        let launch = progress.launch;
        self.account.end(&launch, waves, &pieces);
        for piece in &pieces {
            if waves == WaveSpan::All {
                progress.ended += u64::from(piece.count);
                continue;
            }
            let ended = progress.waves_ended.entry(piece.first).or_insert(0);
            *ended += waves.bounds(launch.demand.waves).1;
            progress.ended += u64::from(*ended == launch.demand.waves);
        }
        let last = progress.ended == launch.workgroups;
        let fact = Fact::Ended { launch: &launch, waves, pieces: &pieces };
        policy.observe(&fact, self.now);
        let deed = Deed::Ended { launch: id, waves, pieces };
        self.run.lines.push(RunLine { at: self.now, deed, refusals: Vec::new() });
        if last {
            self.progress.remove(&id);
            self.off.remove(&id);
            policy.observe(&Fact::LaunchEnded { launch: id }, self.now);
        }
    }

    /// Reports to the policy which processes have left, and asks it once more what to start. The
    /// error is the law that its answer breaks.
    pub(super) fn leave(&mut self, policy: &mut dyn Allocate) -> Result<(), Breach> {
        for process in (0..).map(ProcessId).take(self.scenario.processes.len()) {
            if self.progress.values().all(|it| it.launch.process != process) {
                policy.observe(&Fact::ProcessLeft { process }, self.now);
            }
        }
        self.ask(policy).map(|_| ())
    }
}

/// Groups workgroups, given in ascending order as (compute unit, number), into pieces: workgroups
/// on one compute unit whose numbers are equally far apart.
fn pieces_of(spots: &[(CuId, u64)]) -> Vec<Piece> {
    let mut pieces: Vec<Piece> = Vec::new();
    for &(cu, workgroup) in spots {
        if let Some(last) = pieces.last_mut().filter(|last| last.cu == cu) {
            let end = last.first + u64::from(last.stride) * u64::from(last.count - 1);
            let gap = u32::try_from(workgroup - end).ok();
            if let Some(gap) = gap.filter(|&gap| last.count == 1 || gap == last.stride) {
                last.stride = gap;
                last.count += 1;
                continue;
            }
        }
        pieces.push(Piece::one(workgroup, cu));
    }
    pieces
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn workgroups_become_runs_of_one_stride() {
        let spots: Vec<(CuId, u64)> = [(0, 0), (0, 2), (0, 4), (0, 5), (1, 6), (1, 7)]
            .map(|(cu, workgroup)| (CuId(cu), workgroup))
            .to_vec();
        let named: Vec<_> =
            pieces_of(&spots).iter().map(std::string::ToString::to_string).collect();
        assert_eq!(named, ["w0+2x3@cu0", "w5@cu0", "w6+1x2@cu1"]);
    }
}
