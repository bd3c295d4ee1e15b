//! What does an account of resident workgroups show that knows each wave and adds up anew each
//! time?

use raddle_policy::{CuId, CuShape, Demand, Free, Launch, LaunchId};

/// A naive account, the oracle of `Book`: every workgroup on the device with each of its waves.
#[derive(Clone, Debug)]
pub(crate) struct Ledger {
    pub(crate) shape: CuShape,
    pub(crate) groups: Vec<Group>,
}

/// The way in which a workgroup starts, and so in which it ends.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Kind {
    Counted,
    Addressed(u64),
    Partial(u64),
    /// The workgroup was cut: (its number, first wave of a part). Each part is a group of its own.
    Cut(u64, u16),
}

/// A workgroup that holds its slot, barriers and LDS until its last wave has ended.
#[derive(Clone, Debug)]
pub(crate) struct Group {
    pub(crate) cu: CuId,
    pub(crate) launch: LaunchId,
    pub(crate) kind: Kind,
    pub(crate) demand: Demand,
    /// The number of waves that have started so far, with those that have ended.
    pub(crate) started: u16,
    /// The SIMD of each wave that is resident.
    pub(crate) simds: Vec<u8>,
}

impl Ledger {
    fn on(&self, cu: CuId) -> impl Iterator<Item = &Group> {
        self.groups.iter().filter(move |group| group.cu == cu)
    }

    /// Counts the free wave slots and vector registers of one SIMD.
    pub(crate) fn free_of(&self, cu: CuId, simd: u8) -> (u16, u16) {
        let (mut waves, mut vgpr) = (self.shape.waves_per_simd, self.shape.vgpr_per_simd);
        for group in self.on(cu) {
            for _ in group.simds.iter().filter(|&&at| at == simd) {
                waves -= 1;
                vgpr -= group.demand.vgpr;
            }
        }
        (waves, vgpr)
    }

    /// Counts the free resources of a compute unit, summed over its SIMDs.
    pub(crate) fn free(&self, cu: CuId) -> Free {
        let simds = || (0..self.shape.simds).map(|simd| self.free_of(cu, simd));
        let mut free = Free {
            waves: simds().map(|(waves, _)| u64::from(waves)).sum(),
            vgpr: simds().map(|(_, vgpr)| u64::from(vgpr)).sum(),
            sgpr: u64::from(self.shape.sgpr),
            lds: u64::from(self.shape.lds),
            workgroups: u64::from(self.shape.workgroups),
            barriers: u64::from(self.shape.barriers),
        };
        for group in self.on(cu) {
            if self.shape.sgpr != u16::MAX {
                free.sgpr -= u64::from(group.demand.sgpr) * group.simds.len() as u64;
            }
            free.lds -= u64::from(group.demand.lds);
            free.workgroups -= 1;
            free.barriers -= u64::from(group.demand.barriers);
        }
        free
    }

    /// Returns the number of waves that fit on one SIMD, by taking them one by one.
    fn waves_on(&self, cu: CuId, simd: u8, demand: &Demand) -> u16 {
        let (waves, mut vgpr) = self.free_of(cu, simd);
        let mut fit = 0;
        while fit < waves && vgpr >= demand.vgpr {
            vgpr -= demand.vgpr;
            fit += 1;
        }
        fit
    }

    /// Starts one wave of a group on `simd`, or on the SIMD with most room, ties to the lowest.
    /// `None` if it does not fit.
    fn add_wave(&mut self, at: usize, simd: Option<u8>) -> Option<()> {
        let Group { cu, demand, .. } = self.groups[at];
        let room = |simd| self.waves_on(cu, simd, &demand);
        let best = || (0..self.shape.simds).rev().max_by_key(|&simd| room(simd));
        let simd = simd.or_else(best).filter(|&simd| room(simd) > 0)?;
        if self.shape.sgpr != u16::MAX && self.free(cu).sgpr < u64::from(demand.sgpr) {
            return None;
        }
        self.groups[at].simds.push(simd);
        self.groups[at].started += 1;
        Some(())
    }

    /// Returns the ledger with these waves of one workgroup, each on its SIMD or on the best one;
    /// `None` if they do not fit.
    pub(crate) fn with(
        mut self,
        launch: &Launch,
        cu: CuId,
        kind: Kind,
        simds: impl IntoIterator<Item = Option<u8>>,
    ) -> Option<Self> {
        let simds: Vec<_> = simds.into_iter().collect();
        let begun = self.position(launch.id, kind).filter(|_| matches!(kind, Kind::Partial(_)));
        let at = begun.unwrap_or(self.groups.len());
        if begun.is_none() {
            let (free, mut demand) = (self.free(cu), launch.demand);
            if simds.len() == 1 && matches!(kind, Kind::Cut(..)) {
                // A single wave of a cut workgroup meets no other at a barrier.
                demand.barriers = 0;
            }
            if free.workgroups == 0
                || free.lds < u64::from(demand.lds)
                || free.barriers < u64::from(demand.barriers)
            {
                return None;
            }
            let (launch, started) = (launch.id, 0);
            self.groups.push(Group { cu, launch, kind, demand, started, simds: Vec::new() });
        }
        for simd in simds {
            self.add_wave(at, simd)?;
        }
        Some(self)
    }

    /// Returns the ledger with one more whole workgroup; `None` if it does not fit.
    pub(crate) fn with_whole(self, launch: &Launch, cu: CuId) -> Option<Self> {
        self.with(launch, cu, Kind::Counted, vec![None; launch.demand.waves.into()])
    }

    fn position(&self, launch: LaunchId, kind: Kind) -> Option<usize> {
        self.groups.iter().position(|group| group.launch == launch && group.kind == kind)
    }

    /// Removes a workgroup with addresses, or a part of one that was cut, as it has ended.
    pub(crate) fn remove(&mut self, launch: LaunchId, kind: Kind) {
        let at = self.position(launch, kind).expect("resident");
        self.groups.remove(at);
    }

    /// Returns the number of further workgroups that fit on a compute unit, by starting them one by
    /// one.
    pub(crate) fn room(&self, cu: CuId, demand: &Demand) -> u32 {
        if demand.waves == 0 {
            return 0;
        }
        let launch = raddle_testkit::launch(u32::MAX).demand(*demand).build();
        let mut room = 0;
        let mut ledger = self.clone();
        while let Some(with) = ledger.with_whole(&launch, cu) {
            ledger = with;
            room += 1;
        }
        room
    }

    pub(crate) fn waves_of(&self, launch: LaunchId) -> u64 {
        let of = self.groups.iter().filter(|group| group.launch == launch);
        of.map(|group| group.simds.len() as u64).sum()
    }

    /// Returns the workgroup of the launch that waits for further waves; `None` if there is none.
    pub(crate) fn begun(&self, launch: &Launch) -> Option<&Group> {
        self.groups.iter().find(|group| {
            group.launch == launch.id
                && matches!(group.kind, Kind::Partial(_))
                && group.started < launch.demand.waves
        })
    }

    /// Ends one workgroup without addresses: its waves leave the SIMDs with most such waves of the
    /// launch.
    pub(crate) fn end_counted(&mut self, launch: LaunchId, cu: CuId) {
        let ours =
            |group: &Group| group.cu == cu && group.launch == launch && group.kind == Kind::Counted;
        // The waves have no identity: those that are left are dealt out to the workgroups again.
        let all: Vec<usize> = (0..self.groups.len()).filter(|&i| ours(&self.groups[i])).collect();
        let mut heap: Vec<u8> =
            all.iter().flat_map(|&i| std::mem::take(&mut self.groups[i].simds)).collect();
        let waves = self.groups[all[0]].demand.waves;
        take_fullest(&mut heap, waves);
        for (&i, simds) in all[1..].iter().zip(heap.chunks(waves.into())) {
            self.groups[i].simds = simds.to_vec();
        }
        self.groups.remove(all[0]);
    }

    /// Ends waves of a partly started workgroup: they leave the SIMDs with most of its waves.
    pub(crate) fn end_waves(&mut self, launch: LaunchId, kind: Kind, count: u16) {
        let at = self.position(launch, kind).expect("resident");
        let group = &mut self.groups[at];
        take_fullest(&mut group.simds, count);
        if group.started == group.demand.waves && group.simds.is_empty() {
            self.groups.remove(at);
        }
    }
}

/// Removes waves from the list of their SIMDs, each from the SIMD with most of them, ties to the
/// lowest.
fn take_fullest(simds: &mut Vec<u8>, count: u16) {
    for _ in 0..count {
        let of = |simd: u8| simds.iter().filter(|&&at| at == simd).count();
        let fullest = (0..8).rev().max_by_key(|&simd| of(simd)).expect("eight");
        let wave = simds.iter().position(|&simd| simd == fullest).expect("counted");
        simds.swap_remove(wave);
    }
}
