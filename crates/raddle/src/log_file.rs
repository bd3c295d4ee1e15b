//! How is a decision log written to its file while a replay runs, and read again?
//!
//! A thread of its own compresses the log, so that the replay waits only if it is faster than the
//! thread.

use std::fs::File;
use std::io::{self, BufRead, BufReader, Write};
use std::path::Path;
use std::sync::mpsc::{Receiver, SyncSender, sync_channel};
use std::thread::{self, JoinHandle};

/// Number of bytes of a log that are passed to the compressing thread at a time.
const CHUNK: usize = 1 << 18;
/// Largest number of filled buffers that wait for the compressing thread; when there are more, the
/// thread that writes the log waits.
const WAITING: usize = 16;
/// Level of the zstd compression of logs; a higher one would take longer than a replay.
const LEVEL: i32 = 3;
/// First bytes of a compressed (zstd) file, by which a compressed log is recognised.
const MAGIC: [u8; 4] = [0x28, 0xb5, 0x2f, 0xfd];

/// Decision log that is being written to a file, compressed. [`flush`](Write::flush) ends the file:
/// no bytes may follow.
#[derive(Debug)]
pub(crate) struct LogFile {
    buffer: Vec<u8>,
    /// Thread that compresses the log; `None` after the file has been completed or a write has
    /// failed.
    thread: Option<LogThread>,
}

/// The channel by which buffers reach the compressing thread, and the thread.
#[derive(Debug)]
struct LogThread {
    to: SyncSender<Vec<u8>>,
    handle: JoinHandle<io::Result<()>>,
}

impl LogFile {
    /// Creates the file of a log, and starts the thread that compresses it.
    pub(crate) fn create(path: &Path) -> io::Result<Self> {
        let file = File::create(path)?;
        let (to, from) = sync_channel(WAITING);
        let handle = thread::Builder::new().spawn(move || compress(file, &from))?;
        Ok(Self { buffer: Vec::with_capacity(CHUNK), thread: Some(LogThread { to, handle }) })
    }

    /// Passes the filled buffer to the compressing thread.
    fn hand_over(&mut self) -> io::Result<()> {
        let Some(LogThread { to, .. }) = &self.thread else {
            return Err(io::Error::other("the log has ended"));
        };
        let full = std::mem::replace(&mut self.buffer, Vec::with_capacity(CHUNK));
        // If the thread has met an error, nobody takes the buffer.
        if to.send(full).is_ok() { Ok(()) } else { self.end() }
    }

    /// Waits for the compressing thread to end, and returns the error that it met, if any.
    fn end(&mut self) -> io::Result<()> {
        let Some(LogThread { to, handle }) = self.thread.take() else { return Ok(()) };
        drop(to);
        handle.join().unwrap_or_else(|_| Err(io::Error::other("the log's thread has stopped")))
    }
}

fn compress(file: File, from: &Receiver<Vec<u8>>) -> io::Result<()> {
    let mut to = zstd::Encoder::new(file, LEVEL)?;
    for buffer in from {
        to.write_all(&buffer)?;
    }
    to.finish()?.flush()
}

impl Write for LogFile {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.buffer.extend_from_slice(bytes);
        if self.buffer.len() >= CHUNK {
            self.hand_over()?;
        }
        Ok(bytes.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        self.hand_over()?;
        self.end()
    }
}

impl Drop for LogFile {
    fn drop(&mut self) {
        // A run that failed reports its own error, and its folder goes.
        let _ = self.end();
    }
}

/// Returns whether a log is compressed, by its first bytes.
pub(crate) fn is_packed(log: &mut BufReader<impl io::Read>) -> io::Result<bool> {
    Ok(log.fill_buf()?.starts_with(&MAGIC))
}

/// Returns a reader of a log's text, whether the log is compressed or not.
pub(crate) fn text<'l>(
    mut log: BufReader<impl io::Read + 'l>,
) -> io::Result<Box<dyn BufRead + 'l>> {
    if is_packed(&mut log)? {
        return Ok(Box::new(BufReader::new(zstd::Decoder::with_buffer(log)?)));
    }
    Ok(Box::new(log))
}

#[cfg(test)]
mod tests {
    use std::io::Read as _;

    use super::*;

    #[test]
    fn what_was_written_comes_out_again() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("log");
        let lines: String = (0..200_000).map(|n| format!("line {n}\n")).collect();
        let mut log = LogFile::create(&path).unwrap();
        lines.lines().for_each(|line| writeln!(log, "{line}").unwrap());
        log.flush().unwrap();
        assert!(log.flush().is_err() && std::fs::metadata(&path).unwrap().len() < 1 << 18);
        for plain in [false, true] {
            if plain {
                std::fs::write(&path, &lines).unwrap();
            }
            let mut read = String::new();
            let log = BufReader::new(File::open(&path).unwrap());
            text(log).unwrap().read_to_string(&mut read).unwrap();
            assert!(read == lines);
        }
    }

    #[test]
    #[cfg(target_os = "linux")]
    fn a_full_disk_is_told() {
        let mut log = LogFile::create(Path::new("/dev/full")).unwrap();
        let noise: Vec<u8> =
            (0..1u32 << 22).flat_map(|n| n.wrapping_mul(2_654_435_769).to_le_bytes()).collect();
        let written = log.write_all(&noise).and_then(|()| log.flush());
        assert_eq!(written.unwrap_err().kind(), io::ErrorKind::StorageFull);
    }
}
