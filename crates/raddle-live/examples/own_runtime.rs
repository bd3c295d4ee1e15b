//! How does a runtime of my own come under the control of raddle?
//!
//! `cargo run -p raddle-live --example own_runtime`
//!
//! A `Runtime` submits launches to a device and reports what became of them. The device here is a list of launches
//! that the main thread finishes. The client keeps at most 8 of them in the runtime; while the program is
//! preempted it submits none. The log of the client gives the same answers again.
#![allow(clippy::print_stdout, reason = "an example prints")]

#[cfg(target_os = "linux")]
fn main() -> Result<(), Box<dyn std::error::Error>> {
    example::play()
}

#[cfg(not(target_os = "linux"))]
fn main() {
    println!("raddle-live runs on Linux alone");
}

#[cfg(target_os = "linux")]
mod example {
    use std::collections::VecDeque;
    use std::error::Error;
    use std::sync::{Arc, Mutex, PoisonError};

    use raddle_live::{Client, ClientConfig, Until};
    use raddle_policy::{Preemption, StreamId};
    use raddle_preempt::{
        Abilities, CapturedWork, Declared, LaunchHandle, Report, ResetScope, Runtime, SubmitCall,
    };

    /// Device of the example: a list of the launches on it, in the order in which they were
    /// submitted.
    #[derive(Clone, Default)]
    struct Device(Arc<Mutex<VecDeque<LaunchHandle>>>);

    impl Device {
        fn oldest(&self) -> Option<LaunchHandle> {
            self.0.lock().unwrap_or_else(PoisonError::into_inner).pop_front()
        }
    }

    /// Abilities of the example's runtime: without a preemption flag and a reset, work that was
    /// submitted runs to its end.
    const DECLARED: Declared = Declared {
        abilities: Abilities::NONE,
        latched: false,
        withdraws: false,
        scope: ResetScope::Process,
    };

    impl Runtime<u32> for Device {
        fn declared(&self) -> Declared {
            DECLARED
        }

        fn submit(&mut self, handle: LaunchHandle, _: StreamId, _: u32) -> SubmitCall {
            self.0.lock().unwrap_or_else(PoisonError::into_inner).push_back(handle);
            SubmitCall::Returned
        }
    }

    pub(super) fn play() -> Result<(), Box<dyn Error>> {
        let device = Device::default();
        let on = device.clone();
        let client = Client::start(DECLARED, ClientConfig::default(), |_| on)?;
        let show = |when: &str| {
            let counts = client.counts();
            println!(
                "{when:<42} {:>2} in the runtime, {:>2} waiting",
                counts.in_flight, counts.waiting
            );
        };
        let stream = client.open()?;
        let mut last = None;
        for number in 0..12 {
            last = client.capture(stream, CapturedWork::opaque(number))?.order();
        }
        show("12 launches were captured");
        client.preempt(Preemption::Wait);
        let reporter = client.reporter();
        for _ in 0..8 {
            if let Some(handle) = device.oldest() {
                reporter.report(Report::Finished(handle))?;
            }
        }
        show("preempted; the device has finished 8");
        client.resume();
        let until = last.map(|last| Until::Stream(stream, last)).ok_or("nothing was captured")?;
        while !client.reached(until) {
            match device.oldest() {
                Some(handle) => reporter.report(Report::Finished(handle))?,
                // The worker of the client submits on a thread of its own.
                None => std::thread::yield_now(),
            }
        }
        show("resumed; the device has finished all");
        client.stop(std::time::Duration::from_secs(1));
        Ok(())
    }
}
