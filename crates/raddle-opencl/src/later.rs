//! Which thread calls callbacks of the program and completes events, where a thread of the runtime
//! must not?

use std::sync::OnceLock;
use std::sync::mpsc::{Sender, channel};

type LaterJob = Box<dyn FnOnce() + Send>;

/// Thread of the layer that does jobs one after the other; it is started at the first job.
pub(crate) struct Later {
    name: &'static str,
    jobs: OnceLock<Option<Sender<LaterJob>>>,
}

/// Thread that calls callbacks of the program, which may block.
pub(crate) static CALLBACKS: Later = Later::new("raddle-callback");
/// Thread that completes user events of the runtime, which commands in queues outside of the
/// layer's scheduling wait for. It never blocks.
pub(crate) static EVENTS: Later = Later::new("raddle-event");

impl Later {
    const fn new(name: &'static str) -> Self {
        Self { name, jobs: OnceLock::new() }
    }

    /// Queues a job for this thread, which does it after all jobs that were given before; the
    /// caller does not wait.
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
