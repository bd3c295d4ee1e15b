//! Which rank of a job does a trace of the PyTorch profiler say that it is?
//!
//! The key `distributedInfo` may stand before or behind the events, so the whole text is searched;
//! nothing else is read.

use std::io::BufRead;
use std::path::Path;

use crate::archive::open_file;
use crate::input::FileInput;

const KEY: &[u8] = b"\"distributedInfo\"";
const RANK: &[u8] = b"\"rank\"";
/// Number of bytes after the key `distributedInfo` that are searched for the rank of the process.
const NEAR: usize = 4096;
/// Largest number of bytes of a trace that are searched for the key `distributedInfo`.
const MOST: u64 = 1 << 33;

/// Returns the rank, the number of a process in its distributed job, that a trace of the PyTorch
/// profiler names in `distributedInfo`; `None` where it names none, or cannot be read.
#[must_use]
pub fn rank_of_trace(path: &Path) -> Option<u32> {
    let (_, bytes) = open_file(path).ok()?;
    let mut reader = FileInput::new(bytes).ok()?.reader;
    let (mut held, mut searched) = (Vec::new(), 0_u64);
    loop {
        let more = reader.fill_buf().ok()?;
        let (read, ended) = (more.len(), more.is_empty());
        held.extend_from_slice(more);
        reader.consume(read);
        searched = searched.saturating_add(read as u64);
        if let Some(at) = find(&held, KEY) {
            let behind = &held[at + KEY.len()..];
            if behind.len() >= NEAR || ended {
                return rank(&behind[..behind.len().min(NEAR)]);
            }
        } else {
            // The key may begin in the last bytes at hand.
            let old = held.len().saturating_sub(KEY.len());
            held.drain(..old);
        }
        if ended || searched > MOST {
            return None;
        }
    }
}

/// Reads the rank of a process from `text`, which begins after the key `distributedInfo`; `None`
/// where the object there gives no rank.
fn rank(text: &[u8]) -> Option<u32> {
    let object = text.split(|&b| b == b'}').next()?;
    let at = find(object, RANK)?;
    let value = object[at + RANK.len()..].trim_ascii_start().strip_prefix(b":")?;
    let digits: String = value
        .iter()
        .skip_while(|b| b.is_ascii_whitespace() || **b == b'"')
        .take_while(|b| b.is_ascii_digit())
        .map(|&b| char::from(b))
        .collect();
    digits.parse().ok()
}

fn find(text: &[u8], wanted: &[u8]) -> Option<usize> {
    text.windows(wanted.len()).position(|part| part == wanted)
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::io::Write;

    fn of(text: &str) -> Option<u32> {
        let mut file = tempfile::NamedTempFile::new().unwrap();
        file.write_all(text.as_bytes()).unwrap();
        rank_of_trace(file.path())
    }

    #[test]
    fn the_rank_stands_before_or_behind_the_events() {
        let info = r#""distributedInfo": {"backend": "nccl", "rank": 3, "world_size": 8}"#;
        let events = format!("\"traceEvents\": [{}]", "{\"rank\": 7},".repeat(100_000));
        assert_eq!(of(&format!("{{{info}, {events}}}")), Some(3));
        assert_eq!(of(&format!("{{{events}, {info}}}")), Some(3));
        assert_eq!(of(&format!("{{{events}}}")), None);
        assert_eq!(of(r#"{"distributedInfo": {"world_size": 8}, "x": {"rank": 3}}"#), None);
        assert_eq!(of(r#"{"distributedInfo": {"rank": "12"}}"#), Some(12));
        assert_eq!(rank_of_trace(Path::new("/no/such/file")), None);
    }
}
