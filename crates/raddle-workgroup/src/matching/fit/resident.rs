//! Which workgroups are on each compute unit, and which granules does each of them hold?

use alloc::vec;
use alloc::vec::Vec;

use raddle_policy::{CuShape, LaunchId, MAX_SIMDS, Piece};

/// The granule at which a workgroup's run of vector registers begins, for each SIMD.
type Starts = [u32; MAX_SIMDS];

/// The first granules of the runs that a workgroup holds, by resource; 0 for a resource of which it
/// holds none.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct RunStarts {
    pub(super) vgpr: Starts,
    pub(super) sgpr: u16,
    pub(super) lds: u32,
}

/// A workgroup on a compute unit, without the addresses of its vector registers, which are stored
/// in another list.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct ResidentEntry {
    /// The high 32 bits of the workgroup's number; the low 32 bits are kept in a list of their own.
    high: u32,
    pub(super) launch: LaunchId,
    lds: u32,
    sgpr: u16,
    /// The SIMD that carries the first wave of the workgroup.
    turn: u8,
    /// The index of the workgroup's demand class (workgroups of equal demand); [`NO_CLASS`] where
    /// it does not fit a u16.
    class: u16,
    /// The number of the wave, where the entry is one wave of a workgroup that was cut into waves;
    /// else [`WHOLE`].
    wave: u16,
}

/// The value that stands for a demand class (equal demand) whose index does not fit a u16.
const NO_CLASS: u16 = u16::MAX;

/// The number of workgroup numbers that a search compares at once, without a branch for each.
const ROW: usize = 8;

/// The value of `wave` that stands for a whole workgroup; it is larger than the number of any wave.
pub(crate) const WHOLE: u16 = u16::MAX;

/// The identity of a workgroup, or of one wave of a workgroup that was cut into waves: launch,
/// number of the workgroup, and number of the wave ([`WHOLE`] for all waves).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Name {
    pub(crate) launch: LaunchId,
    pub(crate) workgroup: u64,
    pub(crate) wave: u16,
}

/// A workgroup that a preemption saved, with its compute unit and its granules there.
#[derive(Clone, Debug)]
pub(super) struct Parked {
    pub(super) cu: u16,
    pub(super) name: Name,
    /// The SIMD that carried the first wave of the workgroup.
    pub(super) turn: u8,
    pub(super) runs: RunStarts,
}

impl ResidentEntry {
    #[inline]
    const fn new(name: Name, class: usize, turn: u8, runs: &RunStarts) -> Self {
        let (lds, sgpr) = (runs.lds, runs.sgpr);
        let high = (name.workgroup >> 32) as u32;
        let class = if class < NO_CLASS as usize { class as u16 } else { NO_CLASS };
        Self { high, launch: name.launch, lds, sgpr, turn, class, wave: name.wave }
    }

    /// Returns whether the entry may be the workgroup or wave `name`. It compares launch, wave and
    /// the high half of the workgroup's number; the low half is in another list and compared by the
    /// caller.
    #[inline]
    fn is(&self, name: Name) -> bool {
        self.launch == name.launch
            && self.wave == name.wave
            && u64::from(self.high) == name.workgroup >> 32
    }
}

/// The first granule of the vector registers of each workgroup on each SIMD. The form `Four` saves
/// memory: it has one byte for each SIMD, where there are at most four SIMDs and a byte can number
/// their granules.
#[derive(Clone, Debug)]
enum Firsts {
    Four(Vec<[u8; 4]>),
    All(Vec<[u16; MAX_SIMDS]>),
}

/// A copy of the list of workgroups of one compute unit, without their numbers, to fill other units
/// in one step.
#[derive(Clone, Debug)]
pub(super) struct ResidentRow {
    all: Vec<ResidentEntry>,
    firsts: Firsts,
}

impl ResidentRow {
    pub(super) const fn len(&self) -> usize {
        self.all.len()
    }
}

/// The workgroups on all compute units. Each unit has an entry for every workgroup for which it has
/// room, rounded up to a multiple of [`ROW`].
#[derive(Clone, Debug)]
pub(super) struct Residents {
    most: usize,
    /// The low 32 bits of the numbers of all resident workgroups.
    numbers: Vec<u32>,
    all: Vec<ResidentEntry>,
    firsts: Firsts,
}

impl Residents {
    /// Returns lists with room for `most` workgroups on each of `cus` compute units.
    pub(super) fn new(cus: usize, most: usize, shape: &CuShape) -> Self {
        let most = most.next_multiple_of(ROW);
        let places = cus * most;
        Self {
            most,
            numbers: vec![0; places],
            all: vec![ResidentEntry::default(); places],
            // The highest start is one less than the number of granules, so 256 granules fit a
            // byte.
            firsts: if shape.vgpr_per_simd <= u16::from(u8::MAX) + 1 && shape.simds <= 4 {
                Firsts::Four(vec![[0; 4]; places])
            } else {
                Firsts::All(vec![[0; MAX_SIMDS]; places])
            },
        }
    }

    /// Returns the entries of the `resident` workgroups that are on one compute unit.
    #[inline]
    pub(super) fn of(&self, cu: usize, resident: u16) -> &[ResidentEntry] {
        &self.all[cu * self.most..][..usize::from(resident)]
    }

    /// Returns the index of a workgroup among the `resident` workgroups of a compute unit; `None`
    /// where it is not on the unit.
    #[inline(always)]
    pub(super) fn position(&self, cu: usize, resident: u16, name: Name) -> Option<usize> {
        let (first, low) = (cu * self.most, name.workgroup as u32);
        let end = first + usize::from(resident);
        let mut at = first;
        while at < end {
            let mut same = equal(self.numbers[at..].first_chunk()?, low);
            while same != 0 {
                let one = at + same.trailing_zeros() as usize;
                // Behind the resident workgroups stand old numbers, which do not count.
                if one < end && self.all[one].is(name) {
                    return Some(one - first);
                }
                same &= same - 1;
            }
            at += ROW;
        }
        None
    }

    /// Returns whether the first workgroups on a compute unit are exactly those of `piece`
    /// (workgroups of one launch on one compute unit), in the same order, and of the demand class
    /// `class` (workgroups of equal demand). `copied` says that the unit was filled in one step
    /// with consecutive workgroups of one launch and class; then it is enough to compare the first.
    #[inline(always)]
    pub(super) fn are(
        &self,
        cu: usize,
        piece: &Piece,
        launch: LaunchId,
        class: usize,
        copied: bool,
    ) -> bool {
        if copied && piece.stride == 1 {
            let first = Name { launch, workgroup: piece.first, wave: WHOLE };
            return self.name(cu, 0) == first && self.class(cu, 0) == Some(class);
        }
        let here = cu * self.most..cu * self.most + piece.count as usize;
        let entries = self.numbers[here.clone()].iter().zip(&self.all[here]);
        entries.zip(piece.workgroups()).all(|((&number, entry), workgroup)| {
            let name = Name { launch, workgroup, wave: WHOLE };
            number == workgroup as u32 && entry.is(name) && usize::from(entry.class) == class
        })
    }

    /// Returns the index of the demand class (workgroups of equal demand) of the workgroup with the
    /// index `position` among those on a compute unit; `None` where the index of the class did not
    /// fit a u16.
    #[inline]
    pub(super) fn class(&self, cu: usize, position: usize) -> Option<usize> {
        let class = self.all.get(cu * self.most + position)?.class;
        (class != NO_CLASS).then_some(class.into())
    }

    /// Returns the identity of the workgroup with the index `position` on a compute unit.
    pub(super) fn name(&self, cu: usize, position: usize) -> Name {
        let at = cu * self.most + position;
        let ResidentEntry { high, launch, wave, .. } = self.all[at];
        Name { launch, workgroup: u64::from(self.numbers[at]) | u64::from(high) << 32, wave }
    }

    /// Returns (SIMD of the first wave, first granules of the workgroup's runs) of the workgroup
    /// with the index `position` among those on a compute unit.
    #[inline(always)]
    pub(super) fn runs(&self, cu: usize, position: usize) -> (u8, RunStarts) {
        let at = cu * self.most + position;
        let group = self.all[at];
        let vgpr = match &self.firsts {
            Firsts::Four(list) => {
                let [a, b, c, d] = list[at].map(u32::from);
                [a, b, c, d, 0, 0, 0, 0]
            }
            Firsts::All(list) => list[at].map(u32::from),
        };
        (group.turn, RunStarts { vgpr, sgpr: group.sgpr, lds: group.lds })
    }

    /// Adds a workgroup to a compute unit, behind the `resident` workgroups that are on it already.
    #[inline(always)]
    pub(super) fn push(
        &mut self,
        cu: usize,
        resident: u16,
        (name, class): (Name, usize),
        turn: u8,
        runs: &RunStarts,
    ) {
        let at = cu * self.most + usize::from(resident);
        self.numbers[at] = name.workgroup as u32;
        self.all[at] = ResidentEntry::new(name, class, turn, runs);
        match &mut self.firsts {
            Firsts::Four(list) => {
                let [a, b, c, d, ..] = runs.vgpr;
                // Bytes were chosen because every start fits one.
                list[at] = [a as u8, b as u8, c as u8, d as u8];
            }
            // A SIMD has no more granules than a u16 counts.
            Firsts::All(list) => list[at] = runs.vgpr.map(|start| start as u16),
        }
    }

    /// Copies the list of the `resident` workgroups of one compute unit, so that they can be added
    /// to other units.
    pub(super) fn row(&self, cu: usize, resident: u16) -> ResidentRow {
        let here = cu * self.most..cu * self.most + usize::from(resident);
        let firsts = match &self.firsts {
            Firsts::Four(list) => Firsts::Four(list[here.clone()].into()),
            Firsts::All(list) => Firsts::All(list[here.clone()].into()),
        };
        ResidentRow { all: self.all[here].into(), firsts }
    }

    /// Adds the workgroups of a copied list, `row`, to an empty compute unit; they are numbered
    /// from the workgroup of `name` on.
    #[inline(always)]
    pub(super) fn enter(&mut self, cu: usize, row: &ResidentRow, name: Name) {
        let here = cu * self.most..cu * self.most + row.all.len();
        let entries = self.numbers[here.clone()].iter_mut().zip(&mut self.all[here.clone()]);
        for (((number, to), entry), workgroup) in entries.zip(&row.all).zip(name.workgroup..) {
            *number = workgroup as u32;
            *to = ResidentEntry { high: (workgroup >> 32) as u32, launch: name.launch, ..*entry };
        }
        match (&mut self.firsts, &row.firsts) {
            (Firsts::Four(list), Firsts::Four(row)) => list[here].copy_from_slice(row),
            (Firsts::All(list), Firsts::All(row)) => list[here].copy_from_slice(row),
            // Both lists are of one device, so they have one form.
            _ => {}
        }
    }

    /// Removes the workgroup with the index `position` among those on a compute unit; the last of
    /// the `resident` workgroups gets that index.
    #[inline(always)]
    pub(super) fn remove(&mut self, cu: usize, resident: u16, position: usize) {
        let (to, from) = (cu * self.most + position, cu * self.most + usize::from(resident) - 1);
        self.numbers[to] = self.numbers[from];
        self.all[to] = self.all[from];
        match &mut self.firsts {
            Firsts::Four(list) => list[to] = list[from],
            Firsts::All(list) => list[to] = list[from],
        }
    }
}

/// Compares each of eight numbers with `to`: returns a mask with one bit for each, set where the
/// two are equal.
#[inline(always)]
fn equal(block: &[u32; ROW], to: u32) -> u32 {
    const BITS: [u32; ROW] = [1, 2, 4, 8, 16, 32, 64, 128];
    block.iter().zip(BITS).map(|(&it, bit)| if it == to { bit } else { 0 }).fold(0, |a, b| a | b)
}
