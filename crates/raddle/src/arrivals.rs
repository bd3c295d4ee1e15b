//! Which options of the command line say when requests arrive?

use clap::{Args, ValueEnum};
use raddle_study::Load;
use raddle_study::amount::span;
use raddle_trace::arrivals::TimeUnit;

/// Options of `replay` for requests.
#[derive(Clone, Debug, Default, Args)]
#[command(next_help_heading = "Requests")]
pub(crate) struct ArrivalArgs {
    /// Requests at the times of a DISB or REEF load, or of an Azure, Mooncake, Bailian or BurstGPT
    /// trace; each request runs the profile once (docs/arrivals.md); may be repeated. `queued`:
    /// launches whose issue was not recorded are issued at once, so that recorded gaps close
    #[arg(long, value_name = "[NAME=]FILE[:TASK]|queued")]
    pub(crate) arrivals: Vec<String>,
    /// A generated load: so many requests a second, at random (`serve=40/s`), or so many at once
    /// (`serve=burst:8`); at random 300 and more, until p99 is known to a tenth, unless --until says
    /// for how long they arrive. Such requests are the most urgent work, profiles without requests
    /// the least; may be repeated
    #[arg(long, value_name = "[NAME=]RATE/s|burst:N|FILE", value_parser = raddle_study::requests)]
    pub(crate) requests: Vec<String>,
    /// Requests arrive for this long, such as 300ms, and the last of them are served to their end
    /// [default: for as long as the longest profile without requests, else as the file says]
    #[arg(long, value_name = "TIME", value_parser = span)]
    pub(crate) until: Option<u64>,
    /// The seed of random arrivals [default: 0]
    #[arg(long, value_name = "N")]
    pub(crate) seed: Option<u64>,
    /// Draw random arrivals with this number of seeds, from --seed on: figures are then means, with
    /// 95% confidence intervals
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u16).range(2..=100))]
    pub(crate) seeds: Option<u16>,
    /// Delay each request by less than this at random, such as 1ms: for traces whose clock has coarse
    /// steps
    #[arg(long, value_name = "TIME", value_parser = span)]
    pub(crate) jitter: Option<u64>,
    /// The unit of the times in a request trace, and of `time` in a DISB or REEF load [default: by
    /// format and rule; the output names it]
    #[arg(long, value_enum, value_name = "UNIT")]
    pub(crate) time_unit: Option<TimeUnitArg>,
}

impl ArrivalArgs {
    /// Returns the load (requests and their arrivals) that the options describe.
    pub(crate) fn load(&self) -> Load {
        let Self { arrivals, requests, until, seed, seeds, jitter, time_unit } = self.clone();
        let time_unit = time_unit.map(Into::into);
        let (queued, arrivals): (Vec<String>, _) =
            arrivals.into_iter().partition(|text| text == Load::QUEUED);
        let queued = !queued.is_empty();
        Load { queued, arrivals, requests, until, seed, seeds, jitter, time_unit }
    }
}

/// Unit of the times in a file of request arrivals, as the option `--time-unit` takes it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum TimeUnitArg {
    /// As Mooncake's traces
    Milliseconds,
    /// As BurstGPT's and Bailian's traces, and DISB's benchmarks
    Seconds,
    /// As REEF's
    Minutes,
}

impl From<TimeUnitArg> for TimeUnit {
    fn from(unit: TimeUnitArg) -> Self {
        match unit {
            TimeUnitArg::Milliseconds => Self::Milliseconds,
            TimeUnitArg::Seconds => Self::Seconds,
            TimeUnitArg::Minutes => Self::Minutes,
        }
    }
}
