//! Which figures of a device follow from measurements on it?
//!
//! The program of `raddle calibrate device` prints one JSON line for each measurement
//! ([`DeviceReadings`]). A [`DeviceFit`] is the measured device as the device table has it, with
//! the measured figures in place of the table's, each with its spread.

mod readings;
mod turns;

use std::fmt::Write as _;

use raddle_device::{Device, SourceDevice};
use raddle_sim::percentile;
use serde::Serialize;

use crate::devices::{self, asked};
use crate::error::StudyError;
use crate::files::Files;
use crate::units::{count, counted, duration, plain};

pub use readings::{DeviceReadings, ReadingsError};
use turns::TurnsSeen;

/// Smallest number of observed turns (time slices of a process on the device) from which their
/// length is derived.
const TURNS: usize = 20;

/// Result of `raddle calibrate device`: a device with the figures that were measured on it.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[serde(rename_all = "kebab-case")]
pub struct DeviceFit {
    /// Version of the JSON format in which this result of a calibration is written.
    pub raddle_calibration: u32,
    /// Device with the measured figures; figures that were not measured are those of the device
    /// table or file.
    pub device: Device,
    /// Figures of the device that were measured, each with its spread.
    pub measured: Vec<MeasuredFigure>,
    /// Sentences on measurements that set no figure of the device, such as the time that a launch
    /// takes.
    pub told: Vec<String>,
    /// Sentences on figures of the device that could not be measured, each with the reason.
    pub missing: Vec<String>,
}

/// Figure of a device that was measured, with its spread.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "kebab-case")]
pub struct MeasuredFigure {
    /// Name of the figure, which is its key in a device file and ends with its unit, such as `-ns`.
    pub key: &'static str,
    /// Median of the figure's readings, in the unit that its key names.
    pub value: u64,
    /// Least and greatest reading of the figure, in the unit that its key names; for the lengths of
    /// turns (time slices) and switches, the 5th and the 95th percentile.
    pub between: [u64; 2],
    /// Number of measurements from whose readings the median for the figure was taken.
    pub readings: usize,
}

impl MeasuredFigure {
    /// Returns the measured figure `key` with the median, the least and the greatest of its
    /// readings; `None` where there is no reading.
    fn of(key: &'static str, mut readings: Vec<u64>) -> Option<Self> {
        readings.sort_unstable();
        let between = [*readings.first()?, *readings.last()?];
        let value = readings[readings.len() / 2];
        Some(Self { key, value, between, readings: readings.len() })
    }

    /// Returns the figure as text: its key, its median, its least and greatest reading, and the
    /// number of readings.
    #[must_use]
    pub fn text(&self) -> String {
        let word = if self.key.ends_with("-ns") { duration } else { count };
        let [least, most] = self.between.map(word);
        let (key, value, readings) = (self.key, word(self.value), self.readings);
        format!("{key} {value} ({least} to {most} in {readings} readings)")
    }
}

impl DeviceFit {
    /// Puts measured figures into the description of a device. `base` names the device; with `None`
    /// it is the device of the bundled table that has the name or the properties which the driver
    /// reported.
    ///
    /// # Errors
    /// When there is no such device, or it does not have as many compute units as were measured.
    pub fn of(
        readings: &DeviceReadings,
        base: Option<&str>,
        files: &dyn Files,
    ) -> Result<Self, StudyError> {
        let base = match base {
            Some(name) => asked(name, files)?.device,
            None => described(&readings.device)?,
        };
        if readings.device.sms.is_some_and(|units| units != u32::from(base.cus)) {
            let (name, units) = (plain(&base.id, 60), readings.device.sms.unwrap_or_default());
            return Err(StudyError::Refused(format!(
                "{units} compute units were measured, and {name} has {}: name a device with as many (--device)",
                base.cus
            )));
        }
        let mut fit = Self {
            raddle_calibration: 1,
            device: base,
            measured: Vec::new(),
            told: Vec::new(),
            missing: readings.skipped.clone(),
        };
        fit.bandwidth(readings);
        fit.turns(readings);
        fit.percentages(readings);
        fit.tell(readings);
        let mut source = format!("measured through {}: ", readings.through());
        let figures: Vec<String> = fit.measured.iter().map(MeasuredFigure::text).collect();
        let _ = write!(source, "{}; else: {}", figures.join(", "), fit.device.source);
        fit.device.source = source;
        Ok(fit)
    }

    /// Sets the memory bandwidth of one compute unit and of all units together from the readings,
    /// both in bytes per microsecond.
    fn bandwidth(&mut self, readings: &DeviceReadings) {
        let repetitions = readings.bandwidth.iter().map(|it| it.bytes_per_us.len()).min();
        let (mut units, mut all) = (Vec::new(), Vec::new());
        for at in 0..repetitions.unwrap_or_default() {
            let points = readings.bandwidth.iter().map(|it| (it.units(), it.bytes_per_us[at]));
            let most = points.clone().map(|(_, rate)| rate).max().unwrap_or_default();
            let fewest = points.clone().map(|(units, _)| units).min().unwrap_or_default();
            // Beyond half of what all reach, units wait for the memory and no longer for themselves.
            let own = points.filter(|&(units, rate)| units == fewest || rate <= most / 2);
            units.extend(own.map(|(units, rate)| rate / units.max(1)).max());
            all.push(most);
        }
        let figures = [("unit-bytes-per-us", units), ("reached-bytes-per-us", all)];
        for (key, readings) in figures {
            let Some(figure) = MeasuredFigure::of(key, readings).filter(|it| it.value > 0) else {
                self.missing.push(format!("{key}: no bandwidth was measured"));
                continue;
            };
            match key {
                "unit-bytes-per-us" => self.device.unit_bytes_per_us = Some(figure.value),
                _ => self.device.reached_bytes_per_us = Some(figure.value),
            }
            self.measured.push(figure);
        }
        if readings.bandwidth.iter().any(|it| it.seen.is_none()) {
            self.told.push("the driver does not tell which units workgroups are on: each is taken to have one for itself".to_owned());
        }
    }

    /// Sets the lengths of turns (time slices of a process) and of the switches between them, each
    /// as [5th percentile, median, 95th percentile] of the readings in ns. With fewer than 20
    /// readings the figures stay as they are.
    fn turns(&mut self, readings: &DeviceReadings) {
        let all = TurnsSeen::of(&readings.turns);
        let figures = [("turn-ns", all.turns), ("turn-switch-ns", all.switches)];
        for (key, mut ns) in figures {
            if ns.len() < TURNS {
                let seen = ns.len();
                let text = format!("{key}: {seen} were seen of two processes, fewer than {TURNS}");
                self.missing.push(text);
                continue;
            }
            ns.sort_unstable();
            let at = |percent: u64| percentile(&ns, percent).max(1);
            let (value, between) = (at(50), [at(5), at(95)]);
            let bounds = Some([between[0], value, between[1]]);
            match key {
                "turn-ns" => self.device.turn_ns = bounds,
                _ => self.device.turn_switch_ns = bounds,
            }
            self.measured.push(MeasuredFigure { key, value, between, readings: ns.len() });
        }
        if self.device.check().is_err() {
            (self.device.turn_ns, self.device.turn_switch_ns) = (None, None);
            self.measured.retain(|figure| !figure.key.starts_with("turn-"));
            let text = "turn-ns, turn-switch-ns: turns were seen that are no longer than a switch";
            self.missing.push(text.to_owned());
        }
    }

    /// Sets how many compute units a process may use under each percentage of the device that
    /// NVIDIA's MPS was measured with.
    fn percentages(&mut self, readings: &DeviceReadings) {
        let known =
            |units: u32| u16::try_from(units).ok().filter(|it| (1..=self.device.cus).contains(it));
        let of = readings.percents.iter().filter_map(|&(of, units)| Some((of, known(units)?)));
        let of: Vec<(u32, u16)> = of.collect();
        let limits = of.iter().any(|&(percent, units)| percent < 100 && units < self.device.cus);
        if !of.is_empty() && !limits {
            let text = "percent-units: every percentage shows all units, so no daemon of MPS runs";
            self.missing.push(text.to_owned());
        } else if limits {
            let of_mps = counted(of.len() as u64, "percentage of MPS", "percentages of MPS");
            self.told.push(format!("units were counted under {of_mps}"));
            self.device.percent_units = of;
        }
    }

    /// Adds sentences on measurements that set no figure of the device: how a second stream shares
    /// bandwidth, the time between launches, and whether priorities work.
    fn tell(&mut self, readings: &DeviceReadings) {
        let middle = |ns: &[u64]| MeasuredFigure::of("ns", ns.to_vec()).map(|it| it.value);
        if let Some((one, two)) = &readings.second_stream
            && let (Some(one), Some(two)) = (middle(one), middle(two))
        {
            let text = "half of the units move {} bytes a microsecond, the other half in a second stream beside them {} more";
            let more = count(two.saturating_sub(one));
            self.told.push(text.replacen("{}", &count(one), 1).replacen("{}", &more, 1));
        }
        if let Some(ns) = middle(&readings.launch_gap_ns) {
            let ns = duration(ns);
            self.told.push(format!(
                "a launch behind others takes {ns}; replays take that from each profile"
            ));
        }
        let waits = readings.priority.as_ref();
        let waits = waits.and_then(|(urgent, equal)| Some((middle(urgent)?, middle(equal)?)));
        if let Some((urgent, equal)) = waits {
            let [urgent, equal] = [urgent, equal].map(duration);
            self.told.push(format!(
                "beside launches of 100 us that fill the device, an urgent launch ends after {urgent}, one of their priority after {equal}"
            ));
        }
    }
}

/// Returns the device of the bundled table that fits the driver's description; an error without
/// one.
fn described(source: &SourceDevice) -> Result<Device, StudyError> {
    let found = devices::of_source(source).map_err(|error| {
        let why = error.map_or_else(String::new, |error| format!(": {error}"));
        let name = plain(&source.name, 60);
        StudyError::Refused(format!("`{name}` is no device that raddle knows{why}. Name one that has the same compute units (--device)"))
    })?;
    Ok(found.device)
}

#[cfg(test)]
mod tests {
    use crate::files::MemoryFiles;

    use super::*;

    const DEVICE: &str = r#"{"raddle-calibration":1,"what":"device","api":"cuda","name":"NVIDIA H200","units":132,"memory-bytes":150000000000,"compute":[9,0],"driver":"CUDA 13000"}"#;

    fn fit(lines: &[&str]) -> DeviceFit {
        let text = [&[DEVICE], lines].concat().join("\n");
        let readings = DeviceReadings::read(&text).expect("they are lawful");
        DeviceFit::of(&readings, None, &MemoryFiles::default()).expect("it is an H200")
    }

    #[test]
    fn a_unit_is_measured_where_units_do_not_wait_for_the_memory() {
        let line = |units: u32, rates: [u64; 2]| {
            format!(
                r#"{{"raddle-calibration":1,"what":"bandwidth","workgroups":{units},"seen":{units},"bytes-per-us":{rates:?}}}"#
            )
        };
        let lines = [
            line(1, [47_000, 46_000]),
            line(16, [768_000, 784_000]),
            line(66, [3_000_000, 3_000_000]),
            line(132, [4_100_000, 4_000_000]),
        ];
        let fit = fit(&lines.each_ref().map(String::as_str));
        assert_eq!(fit.device.unit_bytes_per_us, Some(49_000));
        assert_eq!(fit.device.reached_bytes_per_us, Some(4_100_000));
        assert_eq!(fit.measured[0].between, [48_000, 49_000]);
        assert_eq!((fit.device.id.as_str(), fit.device.turn_ns), ("h200", None));
        assert!(fit.missing.iter().any(|it| it.starts_with("turn-ns")), "{:?}", fit.missing);
    }

    #[test]
    fn percentages_that_limit_nothing_are_not_taken() {
        let line = |percent: u32, units: u32| {
            format!(
                r#"{{"raddle-calibration":1,"what":"percent","percent":{percent},"units":{units}}}"#
            )
        };
        let found = fit(&[&line(30, 40), &line(70, 94)]);
        assert_eq!(found.device.percent_units, [(30, 40), (70, 94)]);
        assert_eq!(found.device.units_of_percent(50), 66);
        let found = fit(&[&line(30, 132)]);
        assert!(found.device.percent_units.is_empty());
        assert!(found.missing.iter().any(|it| it.contains("no daemon")), "{:?}", found.missing);
    }

    #[test]
    fn another_device_than_the_one_measured_is_refused() {
        let readings = DeviceReadings::read(DEVICE).expect("it is lawful");
        let files = MemoryFiles::default();
        let told = DeviceFit::of(&readings, Some("v100"), &files).unwrap_err().to_string();
        assert!(told.contains("132 compute units were measured, and v100 has 80"), "{told}");
        let odd = DEVICE.replace("NVIDIA H200", "a processor").replace(r#""compute":[9,0],"#, "");
        let readings = DeviceReadings::read(&odd).expect("it is lawful");
        let told = DeviceFit::of(&readings, None, &files).unwrap_err().to_string();
        assert!(told.contains("`a processor` is no device"), "{told}");
    }
}
