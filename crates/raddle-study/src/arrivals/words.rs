//! Which requests do words such as `serve=40/s` or `serve=burst:8` ask for?

use raddle_trace::arrivals::{ArrivalFile, ArrivalProcess, ArrivalTask, Rate, TimesCount};

use crate::amount::{is_meant, rate};

/// Name that results show as the file format of arrivals which the user described in words instead
/// of a file.
pub(super) const FORMAT: &str = "words";
/// Largest number of requests in a burst such as `burst:8` that the user describes in words.
const MOST: usize = 1 << 20;

/// Reads from words such as `40/s` or `burst:8` how requests arrive; `None` where the words do not
/// describe requests, and so must be the name of a file.
pub(super) fn process(words: &str) -> Option<ArrivalProcess> {
    if let Some(count) = words.strip_prefix("burst:") {
        let count = count.parse().ok().filter(|count| (1..=MOST).contains(count))?;
        return Some(ArrivalProcess::Trace(vec![0; count]));
    }
    let rate = Rate::per_giga_second(rate(words).ok()?)?;
    Some(ArrivalProcess::Poisson { rate })
}

/// Returns why the words in `[NAME=]WORDS` describe no requests, where they are meant to; `None`
/// where they do, or where they can only be the name of a file.
pub(crate) fn wrong(text: &str) -> Option<String> {
    let words = text.rsplit_once('=').map_or(text, |(_, words)| words);
    if process(words).is_some() {
        return None;
    }
    // A `=` may stand where the colon should.
    let (burst, count) = match text.rsplit_once('=') {
        Some((name, count)) if name.rsplit('=').next() == Some("burst") => (true, count),
        _ => (words.starts_with("burst"), words.trim_start_matches("burst")),
    };
    let count = count.trim_start_matches([':', ' ']);
    if burst && count.bytes().all(|byte| byte.is_ascii_digit()) {
        let meant =
            if count.parse().is_ok_and(|it| (1..=MOST).contains(&it)) { count } else { "8" };
        return Some(format!(
            "`{words}` is no burst of 1 to {MOST} requests: did you mean `burst:{meant}`?"
        ));
    }
    if words.starts_with("burst:") {
        return Some(format!("`{words}` is no burst of 1 to {MOST} requests, such as `burst:8`"));
    }
    let why = || {
        rate(words)
            .err()
            .map_or_else(|| "its rate is too small".to_owned(), |error| error.to_string())
    };
    is_meant(words).then(why)
}

/// Returns whether a text `[NAME=]WORDS` is meant to describe requests, correctly or not, and so
/// names no file.
pub(super) fn is_said(text: &str) -> bool {
    let words = text.rsplit_once('=').map_or(text, |(_, words)| words);
    process(words).is_some() || wrong(text).is_some()
}

/// Scales the rate in a text `NAME=RATE/s` to `percent` percent; other texts are returned
/// unchanged.
pub(super) fn scaled(text: &str, percent: u32) -> String {
    let (name, words) =
        text.rsplit_once('=').map_or((None, text), |(name, words)| (Some(name), words));
    let Ok(rate) = rate(words) else { return text.to_owned() };
    let rate = u128::from(rate) * u128::from(percent) / 100;
    let words = format!("{}.{:09}/s", rate / 1_000_000_000, rate % 1_000_000_000);
    name.map_or(words.clone(), |name| format!("{name}={words}"))
}

/// Returns an arrival file that stands for requests described in words: it has one task (an entry),
/// for the profile, at the most urgent level 0. `number` selects the random numbers of the task and
/// differs between profiles.
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
        for other in ["40", "0/s", "-1/s", "1e3/s", "burst:0", "burst:x", "40rps"] {
            assert_eq!(process(other), None, "{other}");
            assert!(
                wrong(other).is_some() && wrong(&format!("serve={other}")).is_some(),
                "{other}"
            );
        }
        for (text, meant) in [
            ("burst", 8),
            ("burst:", 8),
            ("burst:0", 8),
            ("burst=7", 7),
            ("burst 7", 7),
            ("burst7", 7),
        ] {
            for text in [text.to_owned(), format!("serve={text}")] {
                let told = wrong(&text).unwrap_or_default();
                assert!(told.contains(&format!("did you mean `burst:{meant}`?")), "{text}: {told}");
            }
        }
        for file in [
            "bursty.json",
            "burst-load.csv",
            "load.json",
            "./s",
            "/s",
            "40.json",
            "40/s",
            "burst:3",
            "serve=a.csv:7",
        ] {
            assert_eq!(wrong(file), None, "{file}");
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
