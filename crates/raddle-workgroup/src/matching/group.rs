//! Which workgroup lies where on its compute unit?

use alloc::vec;
use alloc::vec::Vec;

use raddle_types::{LaunchId, MAX_SIMDS};

/// A workgroup on a compute unit, but for its vector registers.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Group {
    /// Its number, low half first: so the record needs no gaps.
    number: [u32; 2],
    pub(super) launch: LaunchId,
    pub(super) lds: u32,
    pub(super) sgpr: u16,
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
    pub(super) const fn new(name: Name, sgpr: u16, lds: u32, turn: u8) -> Self {
        let number = [name.workgroup as u32, (name.workgroup >> 32) as u32];
        Self { number, launch: name.launch, lds, sgpr, turn, wave: name.wave }
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

/// First granules of vector registers, a byte each where that is enough.
#[derive(Clone, Debug)]
enum Starts {
    Bytes(Vec<u8>),
    Wide(Vec<u16>),
}

/// The workgroups of all compute units: for each as many places as it can have workgroups.
#[derive(Clone, Debug)]
pub(super) struct Groups {
    most: usize,
    simds: usize,
    all: Vec<Group>,
    starts: Starts,
}

impl Groups {
    /// Room for `most` workgroups on each of `cus` compute units.
    pub(super) fn new(cus: usize, most: usize, simds: usize, vgpr_per_simd: u16) -> Self {
        let starts = cus * most * simds;
        Self {
            most,
            simds,
            all: vec![Group::default(); cus * most],
            // The last granule is one less than there are.
            starts: if vgpr_per_simd <= u16::from(u8::MAX) + 1 {
                Starts::Bytes(vec![0; starts])
            } else {
                Starts::Wide(vec![0; starts])
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

    /// Where the registers of one lie, SIMD by SIMD.
    #[inline]
    pub(super) fn starts(&self, cu: usize, position: usize, starts: &mut [u16; MAX_SIMDS]) {
        let first = (cu * self.most + position) * self.simds;
        match &self.starts {
            Starts::Bytes(list) => {
                for (to, &from) in starts.iter_mut().zip(&list[first..first + self.simds]) {
                    *to = from.into();
                }
            }
            Starts::Wide(list) => {
                starts[..self.simds].copy_from_slice(&list[first..first + self.simds]);
            }
        }
    }

    /// Enters one behind the `resident` others, with one start a SIMD.
    #[inline(always)]
    pub(super) fn push(&mut self, cu: usize, resident: u16, group: Group, starts: &[u16]) {
        let at = cu * self.most + usize::from(resident);
        self.all[at] = group;
        let first = at * self.simds;
        match &mut self.starts {
            Starts::Bytes(list) => {
                for (to, &from) in list[first..first + self.simds].iter_mut().zip(starts) {
                    // Bytes were chosen because every start is one.
                    *to = from as u8;
                }
            }
            Starts::Wide(list) => {
                list[first..first + self.simds].copy_from_slice(&starts[..self.simds]);
            }
        }
    }

    /// Forgets one; the last of the `resident` takes its position.
    #[inline]
    pub(super) fn remove(&mut self, cu: usize, resident: u16, position: usize) {
        let (to, from) = (cu * self.most + position, cu * self.most + usize::from(resident) - 1);
        if to == from {
            return;
        }
        self.all[to] = self.all[from];
        let (to, from) = (to * self.simds, from * self.simds);
        match &mut self.starts {
            Starts::Bytes(list) => list.copy_within(from..from + self.simds, to),
            Starts::Wide(list) => list.copy_within(from..from + self.simds, to),
        }
    }
}
