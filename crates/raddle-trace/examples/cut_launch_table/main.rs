//! How does a window of a profile become a launch table that can be passed on?
//!
//! `cut_launch_table [--packed] FILE FIRST COUNT OUT [DEVICE [COMMENT...]]` takes the ops FIRST to FIRST +
//! COUNT - 1 by start time, shortens the kernels' names to the functions' own, and writes them to OUT with
//! times from 0, with DEVICE and the comments above the rows. A whole profile keeps the waits of its host for
//! everything that it had issued. `--packed` leaves communication out, issues every op at 0 and starts it
//! when the one before it ends, as a graph launch would.

mod table;

use std::error::Error;
use std::fs::File;
use std::path::Path;

use raddle_trace::{CommRule, ImportConfig, Profile, open};
use table::{TableComments, write_launch_table};

/// Most characters of a kernel's name that the cut table keeps.
const NAME_LIMIT: usize = 40;

fn main() -> Result<(), Box<dyn Error>> {
    let mut args: Vec<String> = std::env::args().skip(1).collect();
    let packed = args.first().is_some_and(|first| first == "--packed");
    args.drain(..usize::from(packed));
    let [file, first, count, out, rest @ ..] = args.as_slice() else {
        return Err("give FILE FIRST COUNT OUT [DEVICE [COMMENT...]]".into());
    };
    let whole = open(Path::new(file), &ImportConfig::default())?;
    let (first, count) = (first.parse()?, count.parse()?);
    // A part has no waits of the host.
    let is_whole = first == 0 && count >= whole.ops.len();
    let mut part = if is_whole { whole } else { whole.window(first, count) };
    if packed {
        pack(&mut part);
    }
    for name in &mut part.kernels {
        *name = function(name);
    }
    let device = rest.first().map(String::as_str);
    let comments = TableComments { device, lines: rest.get(1..).unwrap_or_default() };
    write_launch_table(&part, &comments, File::create(out)?)?;
    Ok(())
}

/// Packs a profile: removes communication, waits of the host and gaps, so that each op starts when
/// the one before it ends.
fn pack(profile: &mut Profile) {
    CommRule::Drop.apply(profile);
    profile.host_waits.clear();
    let mut end = 0;
    for op in &mut profile.ops {
        op.arrival_ns = 0;
        op.start_ns = end;
        end = op.end_ns();
    }
}

/// Returns the name of a kernel's function alone: without return type, namespace, template or other
/// arguments.
fn function(name: &str) -> String {
    let name = name.replace("(anonymous namespace)::", "");
    let mut open = Vec::new();
    let mut bare = String::new();
    for c in name.chars() {
        match c {
            '<' | '(' | '{' => open.push(c),
            // Within parentheses it compares.
            '>' if open.last() == Some(&'<') => drop(open.pop()),
            ')' | '}' => drop(open.pop()),
            _ if open.is_empty() => bare.push(c),
            _ => {}
        }
    }
    // The names of copies and fills are phrases whose end stands in parentheses.
    let phrase = bare.starts_with("Memcpy") || bare.starts_with("Memset");
    let last = bare.trim().rsplit([' ', ':']).next().unwrap_or_default();
    let short = if phrase { bare.trim() } else { last };
    short.chars().take(NAME_LIMIT).collect()
}
