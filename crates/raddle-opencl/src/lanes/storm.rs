//! How is a program preempted without a daemon, to try what that does to it?
//!
//! `RADDLE_OPENCL_STORM=WAY,FROM..TO,SEED`: by this way (`wait`, `flag`, `reset`), again and again after a time
//! between these bounds, in microseconds. With `RADDLE_OPENCL_STORM_LOG=FILE` each preemption is waited for, and its
//! nanoseconds are written there. For tests.

use std::io::Write as _;
use std::sync::Arc;
use std::time::Duration;

use raddle_live::PROCESS;
use raddle_policy::Preemption;
use raddle_preempt::ProcessPhase;

use super::Device;

/// What a storm is told.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Storm {
    way: Preemption,
    from: u64,
    to: u64,
    seed: u64,
}

fn parse(text: &str) -> Option<Storm> {
    let mut parts = text.split(',');
    let way = match parts.next()? {
        "wait" => Preemption::Wait,
        "flag" => Preemption::Flag,
        "reset" => Preemption::Reset,
        _ => return None,
    };
    let (from, to) = parts.next()?.split_once("..")?;
    let (from, to) = (from.parse().ok()?, to.parse().ok()?);
    let seed = parts.next()?.parse().ok()?;
    (from <= to && parts.next().is_none()).then_some(Storm { way, from, to, seed })
}

/// Begins the storm of the environment over a device, if there is one.
pub(crate) fn begin(device: &Arc<Device>) {
    let Some(storm) = std::env::var("RADDLE_OPENCL_STORM").ok().as_deref().and_then(parse) else {
        return;
    };
    let device = Arc::clone(device);
    let named = std::thread::Builder::new().name("raddle-storm".to_owned());
    let _ = named.spawn(move || rage(&device, storm));
}

fn rage(device: &Device, storm: Storm) {
    let mut state = storm.seed;
    let mut pause = || {
        state =
            state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        let spread = storm.to - storm.from + 1;
        std::thread::sleep(Duration::from_micros(storm.from + (state >> 33) % spread));
    };
    let mut log = std::env::var_os("RADDLE_OPENCL_STORM_LOG")
        .and_then(|path| std::fs::OpenOptions::new().append(true).create(true).open(path).ok());
    loop {
        pause();
        let begun = device.client.preempt(storm.way);
        pause();
        if let Some(log) = log.as_mut().filter(|_| begun) {
            // A preemption that takes longer than the pause is waited for: how long they take is asked.
            let is_over =
                || device.client.ask(|it| it.phase(PROCESS)) == Ok(ProcessPhase::Preempted);
            while !is_over() {
                std::thread::sleep(Duration::from_micros(100));
            }
            let _ = writeln!(log, "{}", device.client.counts().preemption_ns.0);
        }
        device.client.resume();
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_storm_is_read() {
        let storm = Storm { way: Preemption::Flag, from: 1000, to: 8000, seed: 7 };
        assert_eq!(parse("flag,1000..8000,7"), Some(storm));
        for wrong in ["", "flag", "flag,1000,7", "drain,1..2,3", "flag,9..2,3", "flag,1..2,3,4"] {
            assert_eq!(parse(wrong), None, "{wrong}");
        }
    }
}
