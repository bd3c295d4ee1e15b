//! Who preempts a client? A daemon in a storm, as `raddle live serve --storm` has it.

use std::io::Write;
use std::path::Path;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, mpsc};
use std::thread;
use std::time::Duration;

use raddle_live::{Daemon, DaemonConfig, Storm};
use raddle_policy::Preemption;

/// Daemon on a thread of its own, which stops when this value is dropped.
pub(crate) struct Served {
    folder: tempfile::TempDir,
    stop: Arc<AtomicBool>,
    thread: Option<thread::JoinHandle<()>>,
}

impl Served {
    pub(crate) fn new(storm: Option<Storm>) -> Self {
        Self::of(DaemonConfig { storm, ..DaemonConfig::default() }, None)
    }

    /// Serves with these settings and this log.
    pub(crate) fn of(options: DaemonConfig, log: Option<Box<dyn Write + Send>>) -> Self {
        let folder = tempfile::tempdir().expect("a folder");
        let (stop, path) = (Arc::new(AtomicBool::new(false)), folder.path().join("socket"));
        let (stops, (ready, is_ready)) = (Arc::clone(&stop), mpsc::channel());
        let spawned = thread::Builder::new().spawn(move || {
            let mut daemon = Daemon::bind(&path, options, log, |_| {}).expect("a socket");
            ready.send(()).expect("somebody waits");
            daemon.run(&stops).expect("its log is whole");
        });
        let thread = Some(spawned.expect("a thread"));
        is_ready.recv().expect("it serves");
        Self { folder, stop, thread }
    }

    /// Starts a daemon that preempts programs by the method `way`, after random times between
    /// `from` and `to` us.
    pub(crate) fn storm(way: Preemption, from: u64, to: u64, seed: u64) -> Self {
        let us = Duration::from_micros;
        Self::new(Some(Storm::new(us(from), us(to), seed).by(way)))
    }

    pub(crate) fn folder(&self) -> &Path {
        self.folder.path()
    }

    /// Returns the (name, value) of the environment variable by which a client finds the daemon's
    /// socket.
    pub(crate) fn environment(&self) -> (&'static str, String) {
        let socket = self.folder.path().join("socket");
        (raddle_live::env::SOCKET, socket.to_str().expect("its path is text").to_owned())
    }
}

impl Drop for Served {
    fn drop(&mut self) {
        self.stop.store(true, Ordering::Relaxed);
        if let Some(thread) = self.thread.take() {
            let _ = thread.join();
        }
    }
}
