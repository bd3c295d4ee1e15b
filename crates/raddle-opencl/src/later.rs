//! Who calls the program, and completes what it waits for, where a thread of the runtime must not?

use std::sync::OnceLock;
use std::sync::mpsc::{Sender, channel};

type LaterJob = Box<dyn FnOnce() + Send>;

/// A thread that does one job after the other. It is started with the first.
pub(crate) struct Later {
    name: &'static str,
    jobs: OnceLock<Option<Sender<LaterJob>>>,
}

/// The thread that calls the program back. A program may block there.
pub(crate) static CALLBACKS: Later = Later::new("raddle-callback");
/// The thread that completes native events that queues without a lane wait for. Never blocks.
pub(crate) static EVENTS: Later = Later::new("raddle-event");

impl Later {
    const fn new(name: &'static str) -> Self {
        Self { name, jobs: OnceLock::new() }
    }

    /// Does a job behind those that were given before.
    pub(crate) fn run(&self, job: impl FnOnce() + Send + 'static) {
        let job: LaterJob = Box::new(job);
        let refused = match self.jobs.get_or_init(|| self.begin()) {
            Some(jobs) => jobs.send(job).err().map(|refused| refused.0),
            None => Some(job),
        };
        // Without a thread the job is done here: late is better than never.
        if let Some(job) = refused {
            crate::native::contained(job);
        }
    }

    fn begin(&self) -> Option<Sender<LaterJob>> {
        let (sender, jobs) = channel::<LaterJob>();
        let named = std::thread::Builder::new().name(self.name.to_owned());
        let begun = named.spawn(move || {
            crate::ending::calls_back();
            for job in jobs {
                crate::native::contained(job);
            }
        });
        begun.ok().map(|_| sender)
    }
}
