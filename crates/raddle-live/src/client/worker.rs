//! Which thread calls the runtime of a client, where no thread of the program does?

use std::time::Duration;

use super::ClientParts;
use crate::LiveError;
use crate::sync::{PoisonError, thread};

/// Pause of the worker thread between two tries to submit a launch that the GPU runtime does not
/// take now.
const NOT_NOW: Duration = Duration::from_micros(200);

/// Starts the worker of a client, the thread that calls the GPU runtime, and returns its handle; an
/// error where the system cannot start a thread.
pub(super) fn start<T: Clone + Send + 'static>(
    shared: ClientParts<T>,
) -> Result<thread::JoinHandle<()>, LiveError> {
    let named = thread::Builder::new().name("raddle-live".into());
    named.spawn(move || work(&shared)).map_err(LiveError::Thread)
}

fn work<T: Clone>(shared: &ClientParts<T>) {
    let ClientParts { board, runtime, .. } = shared;
    let mut pause = None;
    while let Some(ended) = board.next_work(pause.take()) {
        drop(ended);
        let mut runtime = runtime.lock().unwrap_or_else(PoisonError::into_inner);
        while let Some(task) = board.take() {
            if !board.carry_out(task, &mut **runtime) {
                pause = Some(NOT_NOW);
                break;
            }
        }
    }
    board.stopped();
}
