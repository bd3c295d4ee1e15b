//! How much time of the processor has this thread had?

use std::fs;
use std::sync::OnceLock;
use std::time::Instant;

/// Nanoseconds that this thread has run, where Linux counts them; else those of the wall clock.
pub(crate) fn nanoseconds() -> f64 {
    static START: OnceLock<Instant> = OnceLock::new();
    let counted = fs::read_to_string("/proc/thread-self/schedstat").ok();
    let run = counted.as_deref().and_then(|line| line.split(' ').next()?.parse::<f64>().ok());
    run.unwrap_or_else(|| START.get_or_init(Instant::now).elapsed().as_nanos() as f64)
}
