//! Which requests do words ask for? `serve=40/s`, `serve=burst:8`.

use raddle_trace::arrivals::{ArrivalFile, ArrivalProcess, ArrivalTask, Rate, TimesCount};

/// The kind of file that stands for words.
pub(super) const FORMAT: &str = "words";
/// The most requests of a burst.
const MOST: usize = 1 << 20;

/// How requests arrive by these words; `None` where they are no such words, so name a file.
pub(super) fn process(words: &str) -> Option<ArrivalProcess> {
    if let Some(count) = words.strip_prefix("burst:") {
        let count = count.parse().ok().filter(|count| (1..=MOST).contains(count))?;
        return Some(ArrivalProcess::Trace(vec![0; count]));
    }
    let rate = Rate::per_giga_second(in_giga_second(words)?)?;
    Some(ArrivalProcess::Poisson { rate })
}

/// The rate of such words, in requests in 10^9 seconds.
fn in_giga_second(words: &str) -> Option<u64> {
    let rate = words.strip_suffix("/s")?;
    let (whole, fraction) = rate.split_once('.').unwrap_or((rate, ""));
    let digits = |part: &str| part.bytes().all(|byte| byte.is_ascii_digit());
    if whole.is_empty() || fraction.len() > 9 || !digits(whole) || !digits(fraction) {
        return None;
    }
    format!("{whole}{fraction:0<9}").parse().ok()
}

/// `NAME=RATE/s` with so many percent of the rate; other words as they are.
pub(super) fn scaled(text: &str, percent: u32) -> String {
    let (name, words) =
        text.rsplit_once('=').map_or((None, text), |(name, words)| (Some(name), words));
    let Some(rate) = in_giga_second(words) else { return text.to_owned() };
    let rate = u128::from(rate) * u128::from(percent) / 100;
    let words = format!("{}.{:09}/s", rate / 1_000_000_000, rate % 1_000_000_000);
    name.map_or(words.clone(), |name| format!("{name}={words}"))
}

/// The load of a profile that words ask for, as if a file held it: urgent, and one a profile, so
/// that each draws random numbers of its own.
pub(super) fn load(profile: &str, number: u32, process: ArrivalProcess) -> ArrivalFile {
    let name = profile.to_owned();
    let task = ArrivalTask { name, priority: Some(0), process, number };
    let counts = TimesCount::Dates;
    ArrivalFile { format: FORMAT, tasks: vec![task], counts, time: None, unsorted: 0 }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_are_a_rate_or_a_burst() {
        let poisson = |n| Rate::per_giga_second(n).map(|rate| ArrivalProcess::Poisson { rate });
        assert_eq!(process("40/s"), poisson(40_000_000_000));
        assert_eq!(process("0.5/s"), poisson(500_000_000));
        assert_eq!(process("burst:3"), Some(ArrivalProcess::Trace(vec![0; 3])));
        for other in ["40", "/s", "0/s", "-1/s", "1e3/s", "load.json", "burst:0", "burst:x", "./s"]
        {
            assert_eq!(process(other), None, "{other}");
        }
    }

    #[test]
    fn rates_are_scaled_and_other_words_stay() {
        for (text, found) in [
            ("serve=40/s", "serve=53.200000000/s"),
            ("0.5/s", "0.665000000/s"),
            ("a=b=1/s", "a=b=1.330000000/s"),
            ("serve=burst:8", "serve=burst:8"),
            ("load.json", "load.json"),
        ] {
            assert_eq!(scaled(text, 133), found);
        }
    }
}
