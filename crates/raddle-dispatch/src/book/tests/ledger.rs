//! What does an account of resident workgroups show that knows each wave and adds up anew each
//! time?

use raddle_policy::{CuId, CuShape, Demand, Free, Launch, LaunchId};

/// A naive account of every wave of every workgroup on the device: the test oracle of `Book`.
#[derive(Clone, Debug)]
pub(crate) struct Ledger {
    pub(crate) shape: CuShape,
    pub(crate) groups: Vec<Group>,
}

/// The form in which a workgroup starts and ends: whole without or with addresses, wave by wave, or
/// cut.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Kind {
    Counted,
    Addressed(u64),
    Partial(u64),
    /// A part of a cut workgroup (its waves may be on different compute units): (workgroup number,
    /// first wave of the part). Each part is a `Group` of its own.
    Cut(u64, u16),
}

/// A workgroup, or a part of a cut workgroup, which holds its slot, barriers and LDS until its last
/// wave has ended.
#[derive(Clone, Debug)]
pub(crate) struct Group {
    pub(crate) cu: CuId,
    pub(crate) launch: LaunchId,
    pub(crate) kind: Kind,
    pub(crate) demand: Demand,
    /// The number of waves that have started so far, including those that have ended.
    pub(crate) started: u16,
    /// The SIMD of each wave that is on the device.
    pub(crate) simds: Vec<u8>,
}

impl Ledger {
    fn on(&self, cu: CuId) -> impl Iterator<Item = &Group> {
        self.groups.iter().filter(move |group| group.cu == cu)
    }

    /// Returns (free wave slots, free vector register granules) of one SIMD of a compute unit.
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

    /// Returns the free resources of a compute unit, summed over its SIMDs.
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

    /// Returns the number of further waves of a demand that fit on one SIMD, found by placing them
    /// one by one.
    fn waves_on(&self, cu: CuId, simd: u8, demand: &Demand) -> u16 {
        let (waves, mut vgpr) = self.free_of(cu, simd);
        let mut fit = 0;
        while fit < waves && vgpr >= demand.vgpr {
            vgpr -= demand.vgpr;
            fit += 1;
        }
        fit
    }

    /// Starts one wave of the group with the index `at` on `simd`, or with `None` on the SIMD with
    /// the most room, of equals the lowest. Returns `None` if the wave does not fit.
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

    /// Returns this ledger after waves of one workgroup have started, each on its SIMD in `simds`
    /// or with `None` on the SIMD with the most room; `None` if they do not fit.
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

    /// Returns this ledger after one more whole workgroup has started; `None` if it does not fit.
    pub(crate) fn with_whole(self, launch: &Launch, cu: CuId) -> Option<Self> {
        self.with(launch, cu, Kind::Counted, vec![None; launch.demand.waves.into()])
    }

    fn position(&self, launch: LaunchId, kind: Kind) -> Option<usize> {
        self.groups.iter().position(|group| group.launch == launch && group.kind == kind)
    }

    /// Removes a workgroup that started with addresses, or a part of a cut workgroup, at its end.
    pub(crate) fn remove(&mut self, launch: LaunchId, kind: Kind) {
        let at = self.position(launch, kind).expect("resident");
        self.groups.remove(at);
    }

    /// Returns the number of further workgroups that fit on a compute unit, found by starting them
    /// one by one.
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

    /// Returns the workgroup of a launch that has started wave by wave and has waves left to start;
    /// `None` if there is none.
    pub(crate) fn begun(&self, launch: &Launch) -> Option<&Group> {
        self.groups.iter().find(|group| {
            group.launch == launch.id
                && matches!(group.kind, Kind::Partial(_))
                && group.started < launch.demand.waves
        })
    }

    /// Ends one workgroup that started without addresses: its waves leave the SIMDs that have the
    /// most waves of such workgroups of the launch.
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

    /// Ends `count` waves of a workgroup that started wave by wave: they leave the SIMDs that have
    /// the most of its waves.
    pub(crate) fn end_waves(&mut self, launch: LaunchId, kind: Kind, count: u16) {
        let at = self.position(launch, kind).expect("resident");
        let group = &mut self.groups[at];
        take_fullest(&mut group.simds, count);
        if group.started == group.demand.waves && group.simds.is_empty() {
            self.groups.remove(at);
        }
    }
}

/// Removes `count` waves from a list of the waves' SIMDs, each from the SIMD that has the most of
/// them, of equals the lowest.
fn take_fullest(simds: &mut Vec<u8>, count: u16) {
    for _ in 0..count {
        let of = |simd: u8| simds.iter().filter(|&&at| at == simd).count();
        let fullest = (0..8).rev().max_by_key(|&simd| of(simd)).expect("eight");
        let wave = simds.iter().position(|&simd| simd == fullest).expect("counted");
        simds.swap_remove(wave);
    }
}
