//! Which workgroup lies where on its compute unit?

use alloc::vec;
use alloc::vec::Vec;

use raddle_types::{CuShape, LaunchId, MAX_SIMDS};

use super::maps::Runs;
use super::store::Starts;

/// A workgroup on a compute unit, but for its vector registers.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Group {
    /// Its number, low half first: so the record needs no gaps.
    number: [u32; 2],
    pub(super) launch: LaunchId,
    lds: u32,
    sgpr: u16,
    /// The SIMD that carries its first wave.
    pub(super) turn: u8,
    /// Which wave it is, where the workgroup was cut into its waves; else [`WHOLE`].
    pub(super) wave: u16,
}

/// Says of a group that it is a whole workgroup, of which none has so many waves.
pub(crate) const WHOLE: u16 = u16::MAX;

/// Which workgroup, or which wave of one that was cut.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Name {
    pub(crate) launch: LaunchId,
    pub(crate) workgroup: u64,
    pub(crate) wave: u16,
}

impl Group {
    #[inline]
    const fn new(name: Name, turn: u8, runs: &Runs) -> Self {
        let number = [name.workgroup as u32, (name.workgroup >> 32) as u32];
        let (lds, sgpr) = (runs.lds, runs.sgpr);
        Self { number, launch: name.launch, lds, sgpr, turn, wave: name.wave }
    }

    /// Its name.
    pub(super) fn name(&self) -> Name {
        let workgroup = u64::from(self.number[0]) | u64::from(self.number[1]) << 32;
        Name { launch: self.launch, workgroup, wave: self.wave }
    }

    #[inline]
    pub(super) fn is(&self, name: Name) -> bool {
        // One comparison fails almost always: the low half.
        self.number[0] == name.workgroup as u32
            && self.launch == name.launch
            && self.wave == name.wave
            && u64::from(self.number[1]) == name.workgroup >> 32
    }
}

/// First granules of vector registers by SIMD; four, of a byte each, where that is enough.
#[derive(Clone, Debug)]
enum Firsts {
    Four(Vec<[u8; 4]>),
    All(Vec<Starts>),
}

/// The workgroups of all compute units: for each as many places as it can have workgroups.
#[derive(Clone, Debug)]
pub(super) struct Groups {
    most: usize,
    all: Vec<Group>,
    firsts: Firsts,
}

impl Groups {
    /// Room for `most` workgroups on each of `cus` compute units.
    pub(super) fn new(cus: usize, most: usize, shape: &CuShape) -> Self {
        let places = cus * most;
        Self {
            most,
            all: vec![Group::default(); places],
            // The last granule is one less than there are.
            firsts: if shape.vgpr_per_simd <= u16::from(u8::MAX) + 1 && shape.simds <= 4 {
                Firsts::Four(vec![[0; 4]; places])
            } else {
                Firsts::All(vec![[0; MAX_SIMDS]; places])
            },
        }
    }

    /// The `resident` workgroups of one compute unit.
    #[inline]
    pub(super) fn of(&self, cu: usize, resident: u16) -> &[Group] {
        &self.all[cu * self.most..][..usize::from(resident)]
    }

    /// Which of them is this one.
    #[inline]
    pub(super) fn position(&self, cu: usize, resident: u16, name: Name) -> Option<usize> {
        self.of(cu, resident).iter().position(|group| group.is(name))
    }

    /// What one of them holds.
    #[inline(always)]
    pub(super) fn runs(&self, cu: usize, position: usize) -> (Group, Runs) {
        let at = cu * self.most + position;
        let group = self.all[at];
        let vgpr = match &self.firsts {
            Firsts::Four(list) => {
                let [a, b, c, d] = list[at].map(u16::from);
                [a, b, c, d, 0, 0, 0, 0]
            }
            Firsts::All(list) => list[at],
        };
        (group, Runs { vgpr, sgpr: group.sgpr, lds: group.lds })
    }

    /// Enters one behind the `resident` others.
    #[inline(always)]
    pub(super) fn push(&mut self, cu: usize, resident: u16, name: Name, turn: u8, runs: &Runs) {
        let at = cu * self.most + usize::from(resident);
        self.all[at] = Group::new(name, turn, runs);
        match &mut self.firsts {
            Firsts::Four(list) => {
                let [a, b, c, d, ..] = runs.vgpr;
                // Bytes were chosen because every start is one.
                list[at] = [a as u8, b as u8, c as u8, d as u8];
            }
            Firsts::All(list) => list[at] = runs.vgpr,
        }
    }

    /// Forgets one; the last of the `resident` takes its position.
    #[inline(always)]
    pub(super) fn remove(&mut self, cu: usize, resident: u16, position: usize) {
        let (to, from) = (cu * self.most + position, cu * self.most + usize::from(resident) - 1);
        self.all[to] = self.all[from];
        match &mut self.firsts {
            Firsts::Four(list) => list[to] = list[from],
            Firsts::All(list) => list[to] = list[from],
        }
    }
}
