//! Who may open the daemon's socket, and how are the tokens made by which programs get a level?

use std::io::{self, Read};
use std::os::unix::fs::FileTypeExt;
use std::os::unix::net::{UnixListener, UnixStream};
use std::path::Path;

use rustix::fs::Mode;

/// Returns a socket that listens at `path` and that only its user may open; an error where a daemon
/// serves the path already. A socket file left over by a daemon that has ended is replaced.
pub(super) fn listen(path: &Path) -> io::Result<UnixListener> {
    let old = std::fs::symlink_metadata(path);
    if old.is_ok_and(|it| it.file_type().is_socket()) {
        match UnixStream::connect(path) {
            Ok(_) => {
                let text = "a daemon serves it already: stop that one, or give another --socket";
                return Err(io::Error::new(io::ErrorKind::AddrInUse, text));
            }
            Err(error) if error.kind() == io::ErrorKind::ConnectionRefused => {
                std::fs::remove_file(path)?;
            }
            Err(error) => return Err(error),
        }
    }
    // The rights hold from the first moment on: nobody else can open the socket between its
    // creation and a change of rights.
    let before = rustix::process::umask(Mode::RWXG | Mode::RWXO | Mode::XUSR);
    let listener = UnixListener::bind(path);
    rustix::process::umask(before);
    let listener = listener?;
    listener.set_nonblocking(true)?;
    Ok(listener)
}

/// Returns a random number of 128 bits as hexadecimal text, for tokens that nobody can guess; an
/// error where the system gives no random bytes.
pub(super) fn unguessable() -> io::Result<String> {
    let mut bytes = [0; 16];
    std::fs::File::open("/dev/urandom")?.read_exact(&mut bytes)?;
    Ok(bytes.iter().map(|byte| format!("{byte:02x}")).collect())
}
