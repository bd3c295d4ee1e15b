//! What does a profile itself say about the occupancy of its kernels?
//!
//! PyTorch profiles carry an estimate in percent and, since 2026, the figures behind it. They are
//! never used for a replay: they are there to be held against raddle's own.

use raddle_policy::Resource;

/// What a profile says about the occupancy of one kernel.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct OccupancyClaim {
    /// The kernel, as a position in [`Profile::ops`](crate::Profile::ops).
    pub op: u32,
    /// The estimated occupancy that it achieves, in percent; profilers write whole ones, and 0 also
    /// where they could not tell.
    pub percent: Option<u32>,
    /// The figures behind it.
    pub object: Option<OccupancyObject>,
}

/// The figures of a profiler's occupancy calculation for one kernel; `None` where one is not said.
///
/// Limits are in workgroups of a compute unit, `u32::MAX` where a resource never limits.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord)]
pub struct OccupancyObject {
    /// Workgroups that an empty compute unit holds (`activeBlocksPerMultiprocessor`).
    pub workgroups: Option<u32>,
    /// The limit by registers (`blockLimitRegs`).
    pub limit_vgpr: Option<u32>,
    /// The limit by shared memory (`blockLimitSharedMem`).
    pub limit_lds: Option<u32>,
    /// The limit by wave slots (`blockLimitWarps`).
    pub limit_waves: Option<u32>,
    /// The limit by workgroup slots (`blockLimitBlocks`).
    pub limit_workgroups: Option<u32>,
    /// The limit by barriers (`blockLimitBarriers`).
    pub limit_barriers: Option<u32>,
    /// 32-bit registers of a workgroup, rounded as the device hands them out
    /// (`allocatedRegistersPerBlock`).
    pub registers: Option<u32>,
    /// Bytes of shared memory of a workgroup, rounded and with what the device reserves
    /// (`allocatedSharedMemPerBlock`).
    pub lds_bytes: Option<u32>,
    /// One bit for each of [`FACTORS`] that is named.
    pub(crate) factors: u8,
}

/// The words of `limitingFactors`, and our resources, in the order that breaks ties.
pub(crate) const FACTORS: [(&str, Resource); 5] = [
    ("BLOCKS", Resource::Workgroups),
    ("WARPS", Resource::Waves),
    ("REGS", Resource::Vgpr),
    ("SMEM", Resource::Lds),
    ("BARRIERS", Resource::Barriers),
];

impl OccupancyObject {
    /// What limits the workgroups of a compute unit, as the profiler says (`limitingFactors`), in
    /// the order of [`Resource`]s in which raddle breaks ties.
    pub fn limiters(&self) -> impl Iterator<Item = Resource> + use<> {
        let factors = self.factors;
        let named = move |&(bit, _): &(usize, _)| factors >> bit & 1 == 1;
        FACTORS.into_iter().enumerate().filter(named).map(|(_, (_, resource))| resource)
    }
}

/// The claims of a profile, in the order of its ops; at most one for each kernel, none for others.
#[derive(Clone, Debug, Default)]
pub struct Claims {
    entries: Vec<Entry>,
    /// Each distinct object once.
    objects: Vec<OccupancyObject>,
}

/// A claim in 12 bytes.
#[derive(Clone, Copy, Debug)]
struct Entry {
    op: u32,
    /// `u32::MAX` where none is said.
    percent: u32,
    /// A position in the objects, `u32::MAX` where none is said.
    object: u32,
}

impl Claims {
    /// No claims yet, over these objects.
    pub(crate) fn over(objects: Vec<OccupancyObject>) -> Self {
        Self { entries: Vec::new(), objects }
    }

    /// Adds what is claimed of the op at `op`, if anything is; ops come in order.
    pub(crate) fn push(&mut self, op: u32, percent: Option<u32>, object: Option<u32>) {
        if percent.is_some() || object.is_some() {
            let none = u32::MAX;
            let (percent, object) = (percent.unwrap_or(none), object.unwrap_or(none));
            self.entries.push(Entry { op, percent, object });
        }
    }

    /// The same where each op has moved to the position that `to` gives, or is left out.
    pub(crate) fn moved(mut self, to: impl Fn(u32) -> Option<u32>) -> Self {
        self.entries.retain_mut(|entry| match to(entry.op) {
            Some(op) => {
                entry.op = op;
                true
            }
            None => false,
        });
        self.entries.sort_unstable_by_key(|entry| entry.op);
        self
    }

    /// Those of the ops `first..last`, counted from there.
    pub(crate) fn within(&self, first: usize, last: usize) -> Self {
        let from = self.entries.partition_point(|entry| (entry.op as usize) < first);
        let to = self.entries.partition_point(|entry| (entry.op as usize) < last);
        let entries = self.entries.get(from..to).unwrap_or_default().to_vec();
        let first = u32::try_from(first).unwrap_or(u32::MAX);
        Self { entries, objects: self.objects.clone() }.moved(|op| op.checked_sub(first))
    }

    /// How many there are.
    #[must_use]
    pub fn len(&self) -> usize {
        self.entries.len()
    }

    /// Whether the profile claims nothing.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.entries.is_empty()
    }

    /// All of them, in the order of the ops.
    pub fn iter(&self) -> impl Iterator<Item = OccupancyClaim> + '_ {
        self.entries.iter().map(|entry| self.claim(entry))
    }

    /// What is claimed of the op at this position.
    #[must_use]
    pub fn of(&self, op: u32) -> Option<OccupancyClaim> {
        let at = self.entries.binary_search_by_key(&op, |entry| entry.op).ok()?;
        self.entries.get(at).map(|entry| self.claim(entry))
    }

    fn claim(&self, entry: &Entry) -> OccupancyClaim {
        OccupancyClaim {
            op: entry.op,
            percent: Some(entry.percent).filter(|&n| n != u32::MAX),
            object: self.objects.get(entry.object as usize).copied(),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn claims() -> Claims {
        let object = OccupancyObject { workgroups: Some(3), factors: 0b1010, ..Default::default() };
        let mut claims = Claims::over(vec![object]);
        claims.push(0, Some(5), None);
        claims.push(1, None, None);
        claims.push(2, None, Some(0));
        claims.push(4, Some(7), Some(0));
        claims
    }

    fn shown(claims: &Claims) -> Vec<(u32, Option<u32>, bool)> {
        claims.iter().map(|claim| (claim.op, claim.percent, claim.object.is_some())).collect()
    }

    #[test]
    fn what_claims_nothing_is_no_claim() {
        assert_eq!(shown(&claims()), [(0, Some(5), false), (2, None, true), (4, Some(7), true)]);
        assert_eq!((claims().len(), claims().of(1), claims().is_empty()), (3, None, false));
        assert_eq!(claims().of(4).unwrap().object.unwrap().workgroups, Some(3));
    }

    #[test]
    fn claims_follow_their_ops() {
        let moved = claims().moved(|op| Some(4 - op));
        assert_eq!(shown(&moved), [(0, Some(7), true), (2, None, true), (4, Some(5), false)]);
        assert_eq!(shown(&claims().within(1, 4)), [(1, None, true)]);
        assert_eq!(shown(&claims().within(2, usize::MAX)), [(0, None, true), (2, Some(7), true)]);
        assert!(claims().within(5, 9).is_empty());
        assert!(claims().within(4, 2).is_empty());
    }

    #[test]
    fn limiters_are_named_in_order() {
        let object = claims().of(2).unwrap().object.unwrap();
        assert_eq!(object.limiters().collect::<Vec<_>>(), [Resource::Waves, Resource::Lds]);
        assert_eq!(size_of::<Entry>(), 12);
    }
}
