//! What would the book say, if it knew each wave and added up anew each time?

use raddle_policy::{CuId, CuShape, Demand, Free, Launch, LaunchId};

/// Every workgroup on the device, with the compute unit that it lies on.
#[derive(Clone, Debug)]
pub(crate) struct Ledger {
    pub(crate) shape: CuShape,
    pub(crate) groups: Vec<(CuId, Group)>,
}

/// How a workgroup came, and so how it goes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Kind {
    Counted,
    Addressed(u64),
    Partial(u64),
    /// A part of a workgroup that was cut, by its first wave: a group of its own.
    Cut(u64, u16),
}

/// A workgroup that holds its slot, barriers and LDS until its last wave has ended.
#[derive(Clone, Debug)]
pub(crate) struct Group {
    pub(crate) launch: LaunchId,
    pub(crate) kind: Kind,
    pub(crate) demand: Demand,
    /// Waves started so far, also those that have ended.
    pub(crate) started: u16,
    /// The SIMD of each wave that is there now.
    pub(crate) simds: Vec<u8>,
}

impl Ledger {
    fn on(&self, cu: CuId) -> impl Iterator<Item = &Group> {
        self.groups.iter().filter(move |(at, _)| *at == cu).map(|(_, group)| group)
    }

    /// Free wave slots and vector registers of one SIMD.
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

    /// What is free, summed over the SIMDs.
    pub(crate) fn free(&self, cu: CuId) -> Free {
        let simds: Vec<(u16, u16)> =
            (0..self.shape.simds).map(|simd| self.free_of(cu, simd)).collect();
        let mut free = Free {
            waves: simds.iter().map(|&(waves, _)| u64::from(waves)).sum(),
            vgpr: simds.iter().map(|&(_, vgpr)| u64::from(vgpr)).sum(),
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

    /// How many waves fit on one SIMD, by trying.
    fn waves_on(&self, cu: CuId, simd: u8, demand: &Demand) -> u16 {
        let (waves, mut vgpr) = self.free_of(cu, simd);
        let mut fit = 0;
        while fit < waves && vgpr >= demand.vgpr {
            vgpr -= demand.vgpr;
            fit += 1;
        }
        fit
    }

    /// The SIMD with most room, ties to the lowest.
    fn best_simd(&self, cu: CuId, demand: &Demand) -> Option<u8> {
        let mut best = None;
        let mut most = 0;
        for simd in 0..self.shape.simds {
            let room = self.waves_on(cu, simd, demand);
            if room > most {
                (best, most) = (Some(simd), room);
            }
        }
        best
    }

    fn group_fits(&self, cu: CuId, demand: &Demand) -> bool {
        let free = self.free(cu);
        free.workgroups >= 1
            && free.lds >= u64::from(demand.lds)
            && free.barriers >= u64::from(demand.barriers)
    }

    fn scalar_fits(&self, cu: CuId, demand: &Demand) -> bool {
        self.shape.sgpr == u16::MAX || self.free(cu).sgpr >= u64::from(demand.sgpr)
    }

    /// Starts one wave of the group at position `at`, on `simd` or on the best one.
    fn add_wave(&mut self, at: usize, simd: Option<u8>) -> Option<()> {
        let (cu, demand) = (self.groups[at].0, self.groups[at].1.demand);
        let simd = simd.or_else(|| self.best_simd(cu, &demand))?;
        if self.waves_on(cu, simd, &demand) == 0 || !self.scalar_fits(cu, &demand) {
            return None;
        }
        self.groups[at].1.simds.push(simd);
        self.groups[at].1.started += 1;
        Some(())
    }

    fn open(&mut self, launch: &Launch, cu: CuId, kind: Kind) -> Option<usize> {
        if !self.group_fits(cu, &launch.demand) {
            return None;
        }
        let group =
            Group { launch: launch.id, kind, demand: launch.demand, started: 0, simds: Vec::new() };
        self.groups.push((cu, group));
        Some(self.groups.len() - 1)
    }

    /// With one more whole workgroup, if it fits.
    pub(crate) fn with_whole(mut self, launch: &Launch, cu: CuId, kind: Kind) -> Option<Self> {
        let at = self.open(launch, cu, kind)?;
        for _ in 0..launch.demand.waves {
            self.add_wave(at, None)?;
        }
        Some(self)
    }

    /// Where [`Ledger::with_whole`] would put the waves.
    pub(crate) fn simds_for(&self, launch: &Launch, cu: CuId) -> Option<Vec<u8>> {
        let with = self.clone().with_whole(launch, cu, Kind::Counted)?;
        with.groups.last().map(|(_, group)| group.simds.clone())
    }

    /// With one more workgroup whose waves lie on these SIMDs, if they fit.
    pub(crate) fn with_addressed(
        mut self,
        launch: &Launch,
        cu: CuId,
        workgroup: u64,
        simds: &[u8],
    ) -> Option<Self> {
        let at = self.open(launch, cu, Kind::Addressed(workgroup))?;
        for &simd in simds {
            self.add_wave(at, Some(simd))?;
        }
        Some(self)
    }

    /// With further waves of a workgroup, if they fit.
    pub(crate) fn with_waves(
        mut self,
        launch: &Launch,
        cu: CuId,
        workgroup: u64,
        count: u16,
    ) -> Option<Self> {
        let known = self.position(launch.id, workgroup);
        let at = match known {
            Some(at) => at,
            None => self.open(launch, cu, Kind::Partial(workgroup))?,
        };
        for _ in 0..count {
            self.add_wave(at, None)?;
        }
        Some(self)
    }

    /// With a part of a workgroup that was cut, on these SIMDs or the best ones, if it fits.
    pub(crate) fn with_cut(
        mut self,
        launch: &Launch,
        cu: CuId,
        (workgroup, first): (u64, u16),
        simds: &[Option<u8>],
    ) -> Option<Self> {
        let at = self.open(launch, cu, Kind::Cut(workgroup, first))?;
        for &simd in simds {
            self.add_wave(at, simd)?;
        }
        Some(self)
    }

    /// A part ends.
    pub(crate) fn end_cut(&mut self, launch: LaunchId, workgroup: u64, first: u16) {
        let kind = Kind::Cut(workgroup, first);
        let is = |(_, group): &(CuId, Group)| group.launch == launch && group.kind == kind;
        let at = self.groups.iter().position(is).expect("resident");
        self.groups.remove(at);
    }

    fn position(&self, launch: LaunchId, workgroup: u64) -> Option<usize> {
        let named = [Kind::Partial(workgroup), Kind::Addressed(workgroup)];
        self.groups
            .iter()
            .position(|(_, group)| group.launch == launch && named.contains(&group.kind))
    }

    /// How many workgroups fit, by starting them one after the other.
    pub(crate) fn room(&self, cu: CuId, demand: &Demand) -> u32 {
        if demand.waves == 0 {
            return 0;
        }
        let launch = raddle_testkit::launch(u32::MAX).demand(*demand).build();
        let mut room = 0;
        let mut ledger = self.clone();
        while let Some(with) = ledger.with_whole(&launch, cu, Kind::Counted) {
            ledger = with;
            room += 1;
        }
        room
    }

    pub(crate) fn waves_of(&self, launch: LaunchId) -> u64 {
        let of = self.groups.iter().filter(|(_, group)| group.launch == launch);
        of.map(|(_, group)| group.simds.len() as u64).sum()
    }

    /// Whether no workgroup of the launch waits for further waves.
    pub(crate) fn finished(&self, launch: &Launch) -> bool {
        let of = |(_, group): &&(CuId, Group)| group.launch == launch.id;
        let waits = |group: &Group| {
            matches!(group.kind, Kind::Partial(_)) && group.started < launch.demand.waves
        };
        !self.groups.iter().filter(of).any(|(_, group)| waits(group))
    }

    /// One counted workgroup ends: its waves leave the SIMDs with most counted waves of the launch.
    pub(crate) fn end_counted(&mut self, launch: LaunchId, cu: CuId) {
        let ours = |(at, group): &(CuId, Group)| {
            *at == cu && group.launch == launch && group.kind == Kind::Counted
        };
        // The waves have no identity: all of them go into one heap, and what is left is dealt out.
        let all: Vec<usize> = (0..self.groups.len()).filter(|&i| ours(&self.groups[i])).collect();
        let mut heap: Vec<u8> = Vec::new();
        for &i in &all {
            heap.append(&mut self.groups[i].1.simds);
        }
        let waves = usize::from(self.groups[all[0]].1.demand.waves);
        for _ in 0..waves {
            let count = |simd: u8| heap.iter().filter(|&&at| at == simd).count();
            let fullest = (0..8).rev().max_by_key(|&simd| count(simd)).expect("eight");
            let at = heap.iter().position(|&simd| simd == fullest).expect("counted");
            heap.swap_remove(at);
        }
        for (&i, simds) in all[1..].iter().zip(heap.chunks(waves)) {
            self.groups[i].1.simds = simds.to_vec();
        }
        self.groups.remove(all[0]);
    }

    pub(crate) fn remove(&mut self, launch: LaunchId, workgroup: u64) {
        let at = self.position(launch, workgroup).expect("resident");
        self.groups.remove(at);
    }

    /// Waves of a partly started workgroup end, from the SIMDs with most of its waves.
    pub(crate) fn end_waves(&mut self, launch: LaunchId, workgroup: u64, count: u16) {
        let at = self.position(launch, workgroup).expect("resident");
        let group = &mut self.groups[at].1;
        for _ in 0..count {
            let of = |simd: u8| group.simds.iter().filter(|&&at| at == simd).count();
            let fullest = (0..8).rev().max_by_key(|&simd| of(simd)).expect("eight");
            let wave = group.simds.iter().position(|&simd| simd == fullest).expect("counted");
            group.simds.swap_remove(wave);
        }
        if group.started == group.demand.waves && group.simds.is_empty() {
            self.groups.remove(at);
        }
    }
}
