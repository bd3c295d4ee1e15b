//! Which files remain when a run is interrupted?
//!
//! None remain: results under construction lie in one temporary folder, which is removed with the
//! process.

use std::path::{Path, PathBuf};
use std::sync::{Mutex, Once, PoisonError};

/// Exit code of a process that was interrupted, as shells have it: 128 + SIGINT.
const INTERRUPTED: i32 = 130;

static FOLDER: Mutex<Option<PathBuf>> = Mutex::new(None);
static HANDLER: Once = Once::new();

/// Makes sure that the folder `folder` is removed when the process is interrupted or terminated;
/// with `None` no folder is removed from now on.
pub(crate) fn remove_on_exit(folder: Option<&Path>) {
    *FOLDER.lock().unwrap_or_else(PoisonError::into_inner) = folder.map(Path::to_path_buf);
    HANDLER.call_once(|| {
        // If there can be no handler, an interrupted run leaves its folder, and does no other harm.
        let _ = ctrlc::set_handler(|| {
            let folder = FOLDER.lock().unwrap_or_else(PoisonError::into_inner).take();
            if let Some(folder) = folder {
                let _ = std::fs::remove_dir_all(folder);
            }
            std::process::exit(INTERRUPTED);
        });
    });
}
