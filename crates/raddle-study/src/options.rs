//! Which setting of a study does an option of `raddle replay` change, given by its name and its
//! text?
//!
//! The command line reads its options with code of its own, which prints help; a test holds both to
//! equal options.

use serde::de::DeserializeOwned;
use serde_json::Value;

use crate::amount::span;
use crate::arrivals::{Load, said_wrong};
use crate::error::StudyError;
use crate::rules::{IdempotenceClaim, Named, NeedClaim, Rule, Setting};
use crate::study::{Study, Ways};

/// Names of the command line options that [`Study::option`] accepts and that change replays.
pub(crate) const OPTIONS: [&str; 29] = [
    "recipe",
    "set",
    "device",
    "scale",
    "waits",
    "energy",
    "energy-weights",
    "launch-latency",
    "queues",
    "contention",
    "kernel-class",
    "think",
    "priority",
    "barriers",
    "comm",
    "idempotent",
    "idempotent-from",
    "start",
    "share",
    "memory",
    "hint",
    "once",
    "open-loop",
    "partial",
    "shapes-from",
    "arrivals",
    "requests",
    "until",
    "seed",
];
/// Names of two further options of `raddle replay` that change when requests arrive.
pub(crate) const MORE: [&str; 2] = ["jitter", "time-unit"];

/// Names of further settings that a sweep can vary: the rate of requests (`load`), and tables of a
/// recipe (set of policies).
const VARIED: [&str; 6] = ["load", "launch-path", "turn", "allocate", "preempt", "window"];

impl Study {
    /// Applies an option of `raddle replay` to the study, as if it were the last one on the command
    /// line. A recipe, a device, or requests of the same profile replace earlier ones; rules are
    /// added.
    ///
    /// ```
    /// let mut study = raddle_study::Study::default();
    /// study.option("device", "h100")?;
    /// study.option("share", "train=3")?;
    /// assert_eq!((study.device.as_deref(), study.shares[0].value), (Some("h100"), 3));
    /// assert!(study.option("share", "train").is_err());
    /// # Ok::<(), raddle_study::StudyError>(())
    /// ```
    ///
    /// # Errors
    /// When there is no such option, or `text` is no valid value of it.
    pub fn option(&mut self, option: &str, text: &str) -> Result<(), StudyError> {
        let taken = self.take(option, text);
        taken.map_err(|why| StudyError::Usage(format!("--{option} {text}: {why}")))
    }

    /// Applies the option `option` with the value `text` to the study; the error says why it cannot
    /// be applied.
    pub(crate) fn take(&mut self, option: &str, text: &str) -> Result<(), String> {
        let owned = || text.to_owned();
        match option {
            "recipe" => {
                self.ways = Ways::Asked;
                self.recipes = vec![owned()];
                Ok(())
            }
            "set" => Setting::try_from(owned()).map(|it| self.settings.push(it)),
            "device" => {
                self.device = Some(owned());
                Ok(())
            }
            "scale" => word(text).map(|it| self.scale = it),
            "waits" => word(text).map(|it| self.waits = it),
            "energy" => flag(text).map(|it| self.energy = it),
            "energy-weights" => {
                self.energy_weights = Some(owned());
                Ok(())
            }
            "launch-latency" => word(text).map(|it| self.launch_latency = it),
            "queues" => match text.parse().ok().filter(|queues: &u16| *queues > 0) {
                Some(queues) => {
                    self.queues = Some(queues);
                    Ok(())
                }
                None => Err("not a number of queues, 1 or more".to_owned()),
            },
            "contention" => word(text).map(|it| self.contention = it),
            "kernel-class" => said(NeedClaim::try_from(owned())).map(|it| self.needs.push(it)),
            "think" => Named::start(text).map(|it| self.thinks.push(it)),
            "priority" => said(Rule::try_from(owned())).map(|it| self.priorities.push(it)),
            "barriers" => word(text).map(|it| self.barriers = it),
            "comm" => word(text).map(|it| self.comm = it),
            "idempotent" => {
                said(IdempotenceClaim::try_from(owned())).map(|it| self.idempotent.push(it))
            }
            "idempotent-from" => {
                self.idempotent_from.push(owned());
                Ok(())
            }
            "start" => Named::start(text).map(|it| self.starts.push(it)),
            "share" => Named::share(text).map(|it| self.shares.push(it)),
            "memory" => Named::memory(text).map(|it| self.memory.push(it)),
            "hint" => Named::hint(text).map(|it| self.hints.push(it)),
            "once" => flag(text).map(|it| self.once = it),
            "open-loop" => flag(text).map(|it| self.open_loop = it),
            "partial" => flag(text).map(|it| self.shapes.partial = it),
            "shapes-from" => {
                self.shapes.shapes_from.push(owned());
                Ok(())
            }
            _ => self.load_option(option, text),
        }
    }

    fn load_option(&mut self, option: &str, text: &str) -> Result<(), String> {
        let load = &mut self.load;
        match option {
            "arrivals" if text == Load::QUEUED => {
                load.queued = true;
                Ok(())
            }
            "arrivals" => {
                load.arrivals.push(text.to_owned());
                Ok(())
            }
            "requests" => {
                said_wrong(text)?;
                let of = |text: &str| text.rsplit_once('=').map(|(name, _)| name.to_owned());
                load.requests.retain(|other| of(other) != of(text));
                load.requests.push(text.to_owned());
                Ok(())
            }
            "until" => said(span(text)).map(|it| load.until = Some(it)),
            "seed" => said(text.parse()).map(|it| load.seed = Some(it)),
            "jitter" => said(span(text)).map(|it| load.jitter = Some(it)),
            "time-unit" => word(text).map(|it| load.time_unit = Some(it)),
            _ => Err(unknown(option)),
        }
    }
}

/// Returns the error that there is no option with this name, with the one that was likely meant.
fn unknown(option: &str) -> String {
    // The part before a dot is the option, and the part behind it names a profile.
    let (word, of) = option.split_once('.').unwrap_or((option, ""));
    let all = || OPTIONS.into_iter().chain(MORE).chain(VARIED);
    if all().any(|known| known == word) {
        return match word {
            "requests" => format!("the rate of requests is `load`: write `load.{of}`"),
            _ => format!("`{word}` is said of no profile: leave `.{of}` out"),
        };
    }
    let near = raddle_read::nearest(word, all()).map(|near| match of {
        "" => near.to_owned(),
        of => format!("{near}.{of}"),
    });
    format!("there is no such option.{}", crate::error::meant(near.as_deref()))
}

/// Reads a value of a type with fixed words for its values, such as the name of a rule; the error
/// says that the type has no such word.
fn word<T: DeserializeOwned>(text: &str) -> Result<T, String> {
    said(serde_json::from_value(Value::String(text.to_owned())))
}

fn flag(text: &str) -> Result<bool, String> {
    text.parse().map_err(|_| "it is neither true nor false".to_owned())
}

fn said<T, E: std::fmt::Display>(read: Result<T, E>) -> Result<T, String> {
    read.map_err(|error| error.to_string())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn options_are_read_and_what_is_none_is_told() {
        let mut study = Study::default();
        for (option, text) in [
            ("scale", "clock"),
            ("waits", "none"),
            ("launch-latency", "fitted"),
            ("queues", "3"),
            ("contention", "none"),
            ("comm", "drop"),
            ("barriers", "no"),
            ("once", "true"),
            ("energy", "true"),
            ("until", "2500us"),
            ("jitter", "0.5ms"),
            ("seed", "7"),
            ("time-unit", "seconds"),
            ("set", "turn.t0-us=5"),
            ("priority", "a*=5"),
            ("requests", "a=10/s"),
            ("requests", "b=1/s"),
            ("requests", "a=20/s"),
        ] {
            study.option(option, text).unwrap();
        }
        assert_eq!(study.load.requests, ["b=1/s", "a=20/s"]);
        assert_eq!((study.load.until, study.load.seed), (Some(2_500_000), Some(7)));
        let wrong = |option: &str, text: &str| {
            Study::default().option(option, text).unwrap_err().to_string()
        };
        assert!(wrong("scale", "colck").contains("expected one of"));
        assert!(wrong("once", "yes").contains("neither"));
        assert!(wrong("devise", "x").contains("Did you mean `device`?"));
        assert!(wrong("lod", "40/s").contains("Did you mean `load`?"));
        assert!(wrong("shair.a", "2").contains("Did you mean `share.a`?"));
        assert!(wrong("sed", "2").contains("Did you mean `seed`?"));
        assert!(wrong("device.a", "h100").contains("leave `.a` out"));
        assert!(wrong("until", "3 days").contains("ns, us, ms or s"));
        for text in ["a=40", "40", "a=40rps", "a=0/s", "a=-4/s", "a=burst:0"] {
            let told = wrong("requests", text);
            assert!(told.contains("/s`") || told.contains("burst"), "{told}");
        }
        assert!(wrong("set", "tern.x=1").contains("no key of a recipe"));
    }

    #[test]
    fn every_option_that_is_listed_is_known() {
        for option in OPTIONS.into_iter().chain(MORE) {
            let taken = Study::default().option(option, "\u{1}");
            let unknown = taken.is_err_and(|error| error.to_string().contains("no such option"));
            assert!(!unknown, "{option}");
        }
    }
}
