//! How do workgroups start on the simulated device of the test kit?
//!
//! Answers are judged by laws 1, 2 and 8 of [`Allocate`] before they are carried out.

use raddle_policy::{Allocate, CuId, Fact, LaunchId, Piece, Place, WaveSpan};

use super::Breach;
use super::spot::{SpotPart, breach, shown};
use super::world::{Deed, World};

impl World<'_> {
    /// Carries out an answer that starts workgroups, if it keeps laws 1, 2 and 8 of the trait
    /// `Allocate`; else the error names the law.
    pub(super) fn start(
        &mut self,
        policy: &mut dyn Allocate,
        id: LaunchId,
        waves: WaveSpan,
        pieces: &[Piece],
        places: &[Place],
    ) -> Result<Deed, Breach> {
        let at = self.position(id).ok_or_else(|| breach(1, format!("{id} is not in the view")))?;
        let launch = self.progress[&id].launch;
        self.check_cut(at, waves, pieces).map_err(|what| breach(8, what))?;
        let named = self.named(at, waves, pieces)?;
        self.account.start(&launch, waves, &named, places)?;
        let (first, count) = waves.bounds(launch.demand.waves);
        let (cut, shape) = (matches!(waves, WaveSpan::Cut { .. }), &self.scenario.shape);
        for (&spot, places) in named.iter().zip(places.chunks(usize::from(count.max(1)))) {
            self.addresses
                .take(shape, &launch, spot, (first, cut), places)
                .map_err(|what| breach(2, what))?;
        }
        for (workgroup, cu) in named {
            self.note_start(at, workgroup, cu, waves);
        }
        self.forget_if_started(at);
        policy.observe(&Fact::Started { launch: &launch, waves, pieces, places }, self.now);
        Ok(Deed::Started { launch: id, waves, pieces: pieces.to_vec(), places: places.to_vec() })
    }

    /// Checks that an answer keeps law 8 of the trait `Allocate`, which is about workgroups that
    /// are cut into parts; the error says in words how the answer breaks it.
    fn check_cut(&self, at: usize, waves: WaveSpan, pieces: &[Piece]) -> Result<(), String> {
        let entry = &self.ready[at];
        let (launch, next, cut) = (entry.launch(), entry.next(), entry.cut());
        let id = launch.id;
        let WaveSpan::Cut { first, count } = waves else {
            let bound = &self.progress[&id].bound;
            let known = |piece: &Piece| bound.keys().filter(|&&it| piece.names(it)).count();
            let fresh = |piece: &Piece| known(piece) < piece.count as usize;
            if cut > 0 && pieces.iter().any(fresh) {
                return Err(format!("w{next} of {id} was cut at wave {cut}, and is passed over"));
            }
            return Ok(());
        };
        if launch.barrier.possible() {
            return Err(format!("{id} is cut, whose waves may meet at a barrier"));
        }
        if !matches!(*pieces, [Piece { first, count: 1, .. }] if first == next) {
            return Err(format!("{id} is cut: one piece of one workgroup, of w{next}, may start"));
        }
        let end = u32::from(first) + u32::from(count);
        if first != cut || count == 0 || end > u32::from(launch.demand.waves) {
            return Err(format!("w{next} of {id} goes on at wave {cut}, not with {first}+{count}"));
        }
        Ok(())
    }

    /// Returns (workgroup, compute unit) for each workgroup that an answer starts, in the answer's
    /// order, if the answer keeps law 1 of the trait `Allocate`; else the error says how it breaks
    /// law 1.
    fn named(
        &self,
        at: usize,
        waves: WaveSpan,
        pieces: &[Piece],
    ) -> Result<Vec<(u64, CuId)>, Breach> {
        let entry = &self.ready[at];
        let id = entry.launch().id;
        let total = pieces.iter().map(|it| u64::from(it.count)).sum::<u64>();
        if total == 0 || pieces.iter().any(|it| it.count == 0 || it.stride == 0) {
            return Err(breach(1, format!("{id} starts with an empty list or piece")));
        }
        if total > entry.undistributed() + entry.assigned() {
            let what = format!("{id} starts {total} workgroups, more than it has left");
            return Err(breach(1, what));
        }
        let mut named = Vec::new();
        for piece in pieces {
            for i in 0..u64::from(piece.count) {
                let workgroup = piece.first.saturating_add(i * u64::from(piece.stride));
                named.push((workgroup, piece.cu));
            }
        }
        let bound = &self.progress[&id].bound;
        let mut fresh: Vec<u64> = Vec::new();
        for &(workgroup, cu) in &named {
            match bound.get(&workgroup) {
                None => fresh.push(workgroup),
                Some(&(at, _)) if at != cu => {
                    let what = format!("w{workgroup} of {id} is bound to {at}, not to {cu}");
                    return Err(breach(1, what));
                }
                Some(&(_, started)) if started > 0 && waves == WaveSpan::All => {
                    let what = format!("w{workgroup} of {id} starts whole, after {started} waves");
                    return Err(breach(1, what));
                }
                Some(_) => {}
            }
        }
        fresh.sort_unstable();
        for (expected, workgroup) in (entry.next()..).zip(fresh) {
            if workgroup != expected {
                let what = format!("{id} starts w{workgroup} where w{expected} is next");
                return Err(breach(1, what));
            }
        }
        if let WaveSpan::Range { first, count } = waves {
            let started = bound.get(&named[0].0).map_or(0, |&(_, started)| started);
            let end = u32::from(first) + u32::from(count);
            let in_order =
                first == started && count > 0 && end <= entry.launch().demand.waves.into();
            if named.len() > 1 || !in_order {
                let w = named[0].0;
                let what = format!("w{w} of {id} goes on at wave {started}, not {first}+{count}");
                return Err(breach(1, what));
            }
        }
        let mut all: Vec<u64> = named.iter().map(|&(workgroup, _)| workgroup).collect();
        all.sort_unstable();
        all.dedup();
        if all.len() < named.len() {
            return Err(breach(1, format!("{id} starts a workgroup twice in one answer")));
        }
        Ok(named)
    }

    fn note_start(&mut self, at: usize, workgroup: u64, cu: CuId, waves: WaveSpan) {
        let entry = &mut self.ready[at];
        let id = entry.launch().id;
        let Some(progress) = self.progress.get_mut(&id) else {
            return;
        };
        if let WaveSpan::Cut { first, count } = waves {
            let cut = entry.cut() + count;
            *entry = if cut == entry.launch().demand.waves {
                entry.with_cut(0).with_next(entry.next() + 1)
            } else {
                entry.with_cut(cut)
            };
            self.resident.insert((id, workgroup, SpotPart::Cut { first, count }), cu);
            return;
        }
        let fresh = !progress.bound.contains_key(&workgroup);
        *entry = entry.with_next(entry.next() + u64::from(fresh));
        match waves {
            WaveSpan::All | WaveSpan::Cut { .. } => {
                let assigned = u64::from(progress.bound.remove(&workgroup).is_some());
                *entry = entry.with_assigned(entry.assigned() - assigned);
                self.resident.insert((id, workgroup, SpotPart::Whole), cu);
            }
            WaveSpan::Range { first, count } => {
                *entry = entry.with_assigned(entry.assigned() + u64::from(fresh));
                progress.bound.entry(workgroup).or_insert((cu, 0)).1 = first + count;
                if first + count == entry.launch().demand.waves {
                    progress.bound.remove(&workgroup);
                    *entry = entry.with_assigned(entry.assigned() - 1);
                }
                for wave in first..first + count {
                    self.resident.insert((id, workgroup, SpotPart::Wave(wave)), cu);
                }
            }
        }
    }

    /// Checks whether all workgroups have started that the policy sees of the launch at the index
    /// `at` in its list. If so, shows the launch's next range of workgroups that have not started,
    /// or removes the launch from the list where no workgroup is left.
    pub(super) fn forget_if_started(&mut self, at: usize) {
        let entry = &mut self.ready[at];
        if entry.undistributed() > 0 {
            return;
        }
        let drains = self.off.contains_key(&entry.launch().id);
        let progress = self.progress.get_mut(&entry.launch().id).filter(|_| !drains);
        if let Some(run) = progress.and_then(|it| it.behind.pop_front()) {
            *entry = shown(entry, &run);
        } else if entry.assigned() == 0 {
            self.ready.remove(at);
        }
    }

    /// Carries out an answer that assigns a workgroup to a compute unit, if it keeps laws 1 and 8
    /// of the trait `Allocate`; else the error names the law.
    pub(super) fn assign(
        &mut self,
        policy: &mut dyn Allocate,
        id: LaunchId,
        workgroup: u64,
        cu: CuId,
    ) -> Result<Deed, Breach> {
        let at = self.position(id).ok_or_else(|| breach(1, format!("{id} is not in the view")))?;
        let entry = &mut self.ready[at];
        if workgroup != entry.next() || entry.undistributed() == 0 || cu.0 >= self.scenario.cus {
            let what = format!("{id} assigns w{workgroup} to {cu}, w{} is next", entry.next());
            return Err(breach(1, what));
        }
        if entry.cut() > 0 {
            return Err(breach(8, format!("w{workgroup} of {id} is assigned, after it was cut")));
        }
        *entry = entry.with_next(entry.next() + 1).with_assigned(entry.assigned() + 1);
        let mut launch = *entry.launch();
        if let Some(progress) = self.progress.get_mut(&id) {
            progress.bound.insert(workgroup, (cu, 0));
            launch = progress.launch;
        }
        self.forget_if_started(at);
        let fact = Fact::Assigned { launch: &launch, workgroup, cu };
        policy.observe(&fact, self.now);
        Ok(Deed::Assigned { launch: id, workgroup, cu })
    }
}
