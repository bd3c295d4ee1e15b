//! Which options of the command line are about live programs?

use std::ffi::OsString;
use std::path::PathBuf;
use std::time::Duration;

use clap::{Args, Subcommand};
use raddle_study::SaidHint;
use raddle_study::amount::{AmountError, SpanUnit, between, whole};

/// The verb `live`.
#[derive(Debug, Args)]
pub(crate) struct LiveArgs {
    #[command(subcommand)]
    pub(in crate::live) what: LiveVerb,
}

#[derive(Debug, Subcommand)]
pub(in crate::live) enum LiveVerb {
    /// Schedule the programs of this user until it is stopped
    Serve(ServeArgs),
    /// Run a program so that the daemon schedules its OpenCL and CUDA work
    Run(ProgramArgs),
    /// Print the state of the programs, why each is off the device, by whom and for how long
    Status(StatusArgs),
    /// Take the work of a process off the device until it is resumed
    Preempt(PidArgs),
    /// Let the work of a process go on
    Resume(PidArgs),
    /// Let another recipe decide from now on; programs keep their work
    Set(SetArgs),
    /// Say something of a process to the policies: its level, its share, a deadline
    Hint(HintArgs),
    /// Check that the logs of the daemon and of programs give the same decisions again
    Log {
        /// Logs that `serve --log` or `run --log` has written
        #[arg(required = true, value_name = "FILE")]
        logs: Vec<PathBuf>,
    },
}

#[derive(Debug, Args)]
pub(in crate::live) struct SocketArgs {
    /// The daemon's socket [default: raddle-live.sock in $XDG_RUNTIME_DIR]
    #[arg(long, value_name = "FILE")]
    pub(in crate::live) socket: Option<PathBuf>,
}

#[derive(Debug, Args)]
pub(in crate::live) struct StatusArgs {
    #[command(flatten)]
    pub(in crate::live) socket: SocketArgs,
    /// Print it again every TIME, until it is stopped or the daemon ends; a bare number is
    /// milliseconds
    #[arg(long, value_name = "TIME", num_args = 0..=1, default_missing_value = "1s", value_parser = milliseconds)]
    pub(in crate::live) watch: Option<u64>,
}

#[derive(Debug, Args)]
pub(in crate::live) struct PidArgs {
    /// The process id, as `raddle live status` prints it
    #[arg(value_name = "PID", value_parser = clap::value_parser!(i32).range(1..))]
    pub(in crate::live) pid: i32,
    #[command(flatten)]
    pub(in crate::live) socket: SocketArgs,
}

#[derive(Debug, Args)]
pub(in crate::live) struct SetArgs {
    /// The recipe, of which the turn and the preempt policy are used
    #[arg(value_name = "NAME|FILE")]
    pub(in crate::live) recipe: String,
    #[command(flatten)]
    pub(in crate::live) socket: SocketArgs,
}

#[derive(Debug, Args)]
pub(in crate::live) struct HintArgs {
    /// The process id, as `raddle live status` prints it
    #[arg(value_name = "PID", value_parser = clap::value_parser!(i32).range(1..))]
    pub(in crate::live) pid: i32,
    /// level:N, share:N, or a hint for policies that read it: priority:LEVEL, deadline:TIME,
    /// laxity:TIME, utilisation:PERCENT, custom:NUMBER
    #[arg(required = true, value_name = "KIND:VALUE", value_parser = hint)]
    pub(in crate::live) hints: Vec<HintArg>,
    #[command(flatten)]
    pub(in crate::live) socket: SocketArgs,
}

/// A hint about a process, such as its level of urgency or its deadline, as the command line spells
/// it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(in crate::live) enum HintArg {
    Level(u8),
    Share(u32),
    Policy(SaidHint),
}

#[derive(Debug, Args)]
pub(in crate::live) struct ServeArgs {
    /// A recipe, of which the turn and the preempt policy are used [default: highest-level and
    /// reset]
    #[arg(long, value_name = "NAME|FILE")]
    pub(in crate::live) recipe: Option<String>,
    #[command(flatten)]
    pub(in crate::live) socket: SocketArgs,
    /// The most urgent level that `run --level` is granted, 0 the most urgent of all
    #[arg(long, value_name = "LEVEL", default_value_t = 0)]
    pub(in crate::live) most_urgent: u8,
    /// The most preemptions of a program per second: 100, or 100/s
    #[arg(long, value_name = "N", default_value_t = 100, value_parser = a_second)]
    pub(in crate::live) most_preemptions: u32,
    /// The time after which a preemption that has not ended is logged and counted; the others go
    /// on. A bare number is milliseconds
    #[arg(long, value_name = "TIME", default_value_t = 1000, value_parser = milliseconds)]
    pub(in crate::live) give_up_ms: u64,
    /// Preempt at random, one program after the other, at times between these two: 1ms..8ms
    #[arg(long, value_name = "A..B", value_parser = storm)]
    pub(in crate::live) storm: Option<(Duration, Duration)>,
    /// The seed of the storm
    #[arg(long, value_name = "N", default_value_t = 1, requires = "storm")]
    pub(in crate::live) seed: u64,
    /// Write the events and decisions of the daemon to a file, for `raddle log FILE --replay`
    #[arg(long, value_name = "FILE")]
    pub(in crate::live) log: Option<PathBuf>,
}

#[derive(Debug, Args)]
pub(in crate::live) struct ProgramArgs {
    /// The level of the program, 0 the most urgent [default: 128]; never more urgent than the
    /// daemon allows
    #[arg(long, value_name = "LEVEL")]
    pub(in crate::live) level: Option<u8>,
    /// Do not run the program if no daemon schedules it
    #[arg(long)]
    pub(in crate::live) require: bool,
    #[command(flatten)]
    pub(in crate::live) socket: SocketArgs,
    /// The OpenCL layer [default: $RADDLE_OPENCL_LAYER, else libraddle_opencl.so beside raddle]
    #[arg(long, value_name = "FILE")]
    pub(in crate::live) layer: Option<PathBuf>,
    /// The library in the place of the CUDA driver [default: $RADDLE_CUDA_LIBRARY, else
    /// libraddle_cuda.so beside raddle]
    #[arg(long, value_name = "FILE")]
    pub(in crate::live) cuda: Option<PathBuf>,
    /// Write the events and decisions of each process to a file; %p becomes its process id
    #[arg(long, value_name = "FILE")]
    pub(in crate::live) log: Option<PathBuf>,
    /// The most launches of the program in the runtime at a time [default: 8]
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u32).range(1..=4096))]
    pub(in crate::live) window: Option<u32>,
    /// The most kills of a launch, or `none` for no limit [default: 3]
    #[arg(long, value_name = "N|none", value_parser = most_kills)]
    pub(in crate::live) most_kills: Option<String>,
    /// The time after which its preemption counts as given up; a bare number is milliseconds
    /// [default: 1000]
    #[arg(long, value_name = "TIME", value_parser = milliseconds)]
    pub(in crate::live) give_up_ms: Option<u64>,
    /// The program and its arguments
    #[arg(last = true, required = true, value_name = "PROGRAM")]
    pub(in crate::live) program: Vec<OsString>,
}

/// Reads a hint about a process, such as its level of urgency or its deadline, written as
/// `KIND:VALUE`.
fn hint(text: &str) -> Result<HintArg, String> {
    let (kind, value) = text.split_once(':').unwrap_or((text, ""));
    let value = value.trim();
    match kind.trim() {
        "level" => {
            value.parse().map(HintArg::Level).map_err(|_| "give level:0 to level:255".into())
        }
        "share" => {
            let share = value.parse().ok().filter(|&share| share > 0);
            share.map(HintArg::Share).ok_or_else(|| "give share:1 or more".into())
        }
        "slice" => Err("slices are settings of a recipe: give another one by `live set`".into()),
        _ => match SaidHint::try_from(text.to_owned()) {
            Ok(hint) => Ok(HintArg::Policy(hint)),
            Err(error) => Err(format!("{error}; level:N and share:N are others")),
        },
    }
}

fn most_kills(text: &str) -> Result<String, String> {
    let fits = text == "none" || text.parse::<u32>().is_ok();
    if fits { Ok(text.to_owned()) } else { Err("give a number, or `none`".to_owned()) }
}

/// Reads a time in whole milliseconds; the text may have a unit of time.
fn milliseconds(text: &str) -> Result<u64, AmountError> {
    whole(text, SpanUnit::Ms)
}

/// Reads a rate, a whole number from 1 to 100,000 per second, with `/s` or without it.
fn a_second(text: &str) -> Result<u32, String> {
    let number = text.trim().trim_end_matches("/s").trim_end().parse().ok();
    let number = number.filter(|number| (1..=100_000).contains(number));
    number.ok_or_else(|| "it is no whole number from 1 to 100000, such as 100/s".to_owned())
}

/// Reads the shortest and the longest time between two random preemptions, `FROM..TO`; both must be
/// above 0.
fn storm(text: &str) -> Result<(Duration, Duration), String> {
    let (from, to) = between(text).map_err(|error| error.to_string())?;
    if from == 0 {
        return Err("its times are above 0, as in 1ms..8ms".to_owned());
    }
    Ok((Duration::from_nanos(from), Duration::from_nanos(to)))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_storm_lies_between_two_times() {
        let ms = Duration::from_millis;
        assert_eq!(storm("1ms..8ms"), Ok((ms(1), ms(8))));
        assert_eq!(storm("500us..1s"), Ok((Duration::from_micros(500), ms(1000))));
        for wrong in ["8ms..1ms", "1..8", "1ms", "0ms..1ms", "1ms..", "..", "1µs..2µs", "1h..2h"]
        {
            assert!(storm(wrong).is_err(), "{wrong}");
        }
    }

    #[test]
    fn hints_are_those_of_replays_and_two_more() {
        assert_eq!(hint("level:3"), Ok(HintArg::Level(3)));
        assert_eq!(hint("share:2"), Ok(HintArg::Share(2)));
        let said = hint("deadline:20ms");
        assert!(matches!(said, Ok(HintArg::Policy(said)) if said.text == "deadline:20ms"));
        for wrong in ["level:256", "share:0", "share", "slice:4ms", "deadline", "utilization:4"] {
            assert!(hint(wrong).is_err(), "{wrong}");
        }
    }

    #[test]
    fn times_and_rates_have_their_unit_or_none() {
        assert_eq!(["250", "250ms", "2s"].map(milliseconds), [Ok(250), Ok(250), Ok(2000)]);
        assert!(milliseconds("1.5").is_err() && milliseconds("3 h").is_err());
        assert_eq!(["7", "7/s"].map(a_second), [Ok(7), Ok(7)]);
        assert!(["0", "7/m", "100001", "-1"].iter().all(|text| a_second(text).is_err()));
    }
}
