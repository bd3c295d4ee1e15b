//! What do the tools of ROCm (rocprof, rocprofv3) say about the work of a GPU?
//!
//! **Lanes.** HIP promises order within a stream and nothing between streams. Streams share a few
//! hardware queues, in which work waits for work of other streams; another device or runtime would
//! share them otherwise. So the lane (in which ops run in order) is the stream where a file gives
//! streams; the quirk `shared-queue` counts those that shared a queue. A file gives none if it
//! lacks their numbers, or if all are 0 though several queues were used: the profiler writes 0
//! where it was not asked to follow streams. Then the lane is the queue (`queue-as-stream`).
//!
//! **Clock.** Times are nanoseconds, but each dispatch is converted from the GPU's clock by itself,
//! which shifts it as a whole against its neighbours: by up to 568 ns in 43,915 dispatches of an
//! MI350X, where gaps of -203 and +203 ns enclose one dispatch in a row without gaps. Such overlaps
//! within a lane are no concurrency, so the resolution of the clock is taken to be [`CLOCK_NS`].
//!
//! **Grids** are in work-items, so workgroups are rounded up along each axis.
//!
//! **Registers** are the arch and the accumulation registers together, which is what a wave takes
//! of the register file; the profilers give what is handed out, in granules, so nothing is rounded
//! here (see `registers.rs` for their errors).

pub(super) mod csv;
pub(super) mod json;
mod lanes;
mod launch;
mod registers;
mod result;
#[cfg(feature = "sqlite")]
pub(super) mod rocpd;
#[cfg(feature = "sqlite")]
pub(super) mod v1_database;

/// Possible error of the profiler's clock, in nanoseconds: two dispatches of one stream or queue
/// that overlap by at most this time count as one after the other.
const CLOCK_NS: u64 = 1000;

/// Returns a kernel's name without the suffixes by which profilers mark the descriptor of its code:
/// `.kd`, ` [clone .kd]`, ` (.kd)`.
pub(super) fn kernel_name(name: &str) -> &str {
    let name = name.trim();
    [" [clone .kd]", " (.kd)", ".kd"]
        .iter()
        .find_map(|mark| name.strip_suffix(mark))
        .unwrap_or(name)
}

#[cfg(test)]
mod tests {
    #[test]
    fn descriptor_marks_are_no_part_of_a_name() {
        for (name, plain) in [
            ("__amd_rocclr_fillBufferAligned.kd", "__amd_rocclr_fillBufferAligned"),
            ("vecCopy(double*, int) [clone .kd]", "vecCopy(double*, int)"),
            ("vecCopy(double*, int) (.kd)", "vecCopy(double*, int)"),
            (" add ", "add"),
            ("a.kdb", "a.kdb"),
            ("", ""),
        ] {
            assert_eq!(super::kernel_name(name), plain);
        }
    }
}
