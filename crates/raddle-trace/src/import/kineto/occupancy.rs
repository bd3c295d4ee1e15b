//! What does a kernel's event of 2026 say of its occupancy?

use super::event::text;
use super::fields::{Fields, said};
use crate::claims::{FACTORS, OccupancyObject};
use crate::decimal::natural;

/// What the profiler writes where a resource never limits.
const NO_LIMIT: u64 = 2_147_483_647;

impl OccupancyObject {
    /// Reads the object; `None` where it is none, or says nothing known.
    pub(super) fn read(value: &[u8]) -> Option<Self> {
        let mut object = Self::default();
        for field in Fields::of(value) {
            let (key, value) = field.ok()?;
            let place = match key {
                b"activeBlocksPerMultiprocessor" => &mut object.workgroups,
                b"blockLimitRegs" => &mut object.limit_vgpr,
                b"blockLimitSharedMem" => &mut object.limit_lds,
                b"blockLimitWarps" => &mut object.limit_waves,
                b"blockLimitBlocks" => &mut object.limit_workgroups,
                b"blockLimitBarriers" => &mut object.limit_barriers,
                b"allocatedRegistersPerBlock" => &mut object.registers,
                b"allocatedSharedMemPerBlock" => &mut object.lds_bytes,
                b"limitingFactors" => {
                    object.factors = factors(&said(value).unwrap_or_default());
                    continue;
                }
                _ => continue,
            };
            *place = match natural(text(value)) {
                Some(NO_LIMIT) => Some(u32::MAX),
                n => n.and_then(|n| u32::try_from(n).ok()),
            };
        }
        Some(object).filter(|object| *object != Self::default())
    }
}

/// The bits of words joined by `|`; what is no known word has none.
fn factors(words: &[u8]) -> u8 {
    let named = |word: &[u8]| FACTORS.iter().position(|(name, _)| name.as_bytes() == word);
    let words = words.split(|&b| b == b'|').map(<[u8]>::trim_ascii);
    words.filter_map(named).fold(0, |bits, at| bits | 1 << at)
}

#[cfg(test)]
mod tests {
    use raddle_policy::Resource;

    use super::*;

    #[test]
    fn all_that_is_said_is_kept_and_no_limit_is_the_largest_number() {
        let text = r#"{"activeBlocksPerMultiprocessor": 4, "limitingFactors": "SMEM|WARPS|NEWS",
            "blockLimitRegs": 2147483647, "blockLimitSharedMem": 4, "new": {"a": [1]},
            "allocatedSharedMemPerBlock": 1024, "blockLimitBlocks": "many"}"#;
        let object = OccupancyObject::read(text.as_bytes()).unwrap();
        assert_eq!((object.workgroups, object.limit_lds), (Some(4), Some(4)));
        assert_eq!((object.limit_vgpr, object.lds_bytes), (Some(u32::MAX), Some(1024)));
        assert_eq!((object.limit_workgroups, object.registers), (None, None));
        assert_eq!(object.limiters().collect::<Vec<_>>(), [Resource::Waves, Resource::Lds]);
    }

    #[test]
    fn what_says_nothing_is_no_object() {
        for text in ["7", "{}", "null", r#"{"new": 1}"#, r#"{"blockLimitWarps": 1"#] {
            assert_eq!(OccupancyObject::read(text.as_bytes()), None, "{text}");
        }
    }
}
