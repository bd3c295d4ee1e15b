//! Who calls the runtime, where no host does?

use std::time::Duration;

use super::AnyRuntime;
use super::board::Board;
use crate::LiveError;
use crate::sync::{Arc, PoisonError, thread};

/// For how long nothing is tried again after the runtime has taken no launch.
const NOT_NOW: Duration = Duration::from_micros(200);

/// Starts the worker of a client.
pub(super) fn start<T: Clone + Send + 'static>(
    board: Arc<Board<T>>,
    runtime: Arc<AnyRuntime<T>>,
) -> Result<thread::JoinHandle<()>, LiveError> {
    let named = thread::Builder::new().name("raddle-live".into());
    named.spawn(move || work(&board, &runtime)).map_err(LiveError::Thread)
}

fn work<T: Clone>(board: &Board<T>, runtime: &AnyRuntime<T>) {
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
