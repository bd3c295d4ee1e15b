//! What did the program print that measures a device?

use raddle_device::SourceDevice;
use serde::Deserialize;

use crate::units::plain;
use crate::written::json;

/// Version of the JSON lines that the program which measures a device prints.
const VERSION: u32 = 1;

/// Measurements of a device, as the program which measured it printed them.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct DeviceReadings {
    pub(super) device: SourceDevice,
    /// Name of the programming interface (such as CUDA) through which the device was measured, and
    /// version of the driver.
    through: String,
    pub(super) bandwidth: Vec<BandwidthReading>,
    /// (bandwidth of half of the compute units; joint bandwidth of both halves, each in a stream of
    /// its own), in bytes per microsecond, one value for each repetition. `None` where this was not
    /// measured.
    pub(super) second_stream: Option<(Vec<u64>, Vec<u64>)>,
    pub(super) launch_gap_ns: Vec<u64>,
    /// (times until an urgent launch ended, times until a launch of ordinary priority ended), both
    /// beside launches of ordinary priority that fill the device, in ns, one for each repetition.
    /// `None` where this was not measured.
    pub(super) priority: Option<(Vec<u64>, Vec<u64>)>,
    /// (begin, end) of each time span in which a process had the device, in ns: a list for each
    /// repetition of the measurement, which holds a list for each process.
    pub(super) turns: Vec<Vec<Vec<(u64, u64)>>>,
    /// Pairs (percentage of the device that NVIDIA's MPS gave a process, number of compute units
    /// that the process then had).
    pub(super) percents: Vec<(u32, u32)>,
    /// Texts on measurements that failed or were left out, each with the reason.
    pub(super) skipped: Vec<String>,
}

/// Measured memory bandwidth of a number of workgroups together, in bytes per microsecond, one
/// value for each repetition.
#[derive(Clone, Debug, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub(super) struct BandwidthReading {
    workgroups: u64,
    /// Number of compute units that ran at least one of the workgroups; `None` where the driver
    /// does not tell.
    pub(super) seen: Option<u64>,
    pub(super) bytes_per_us: Vec<u64>,
}

impl BandwidthReading {
    /// Returns the number of compute units that ran the measured workgroups. Where the driver does
    /// not tell it, each workgroup is taken to have a unit for itself.
    pub(super) fn units(&self) -> u64 {
        self.seen.unwrap_or(self.workgroups).max(1)
    }
}

/// Reason why the output of the program that measures a device cannot be used.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
#[expect(missing_docs, reason = "the messages say what each field is")]
pub enum ReadingsError {
    /// A line of the output is no measurement; lines are counted from 1.
    #[error("line {line} is no measurement ({why})")]
    Line { line: usize, why: String },
    /// A line has a format version that this raddle does not read; lines are counted from 1.
    #[error("line {line} has version {version}, this raddle reads {VERSION}")]
    Version { line: usize, version: u32 },
    /// No line of the measuring program's output describes the device.
    #[error("no line tells the device: the program ended before it measured anything")]
    NoDevice,
}

#[derive(Deserialize)]
struct Line {
    #[serde(rename = "raddle-calibration")]
    version: u32,
    #[serde(flatten)]
    reading: ReadingKind,
}

#[derive(Deserialize)]
#[serde(tag = "what", rename_all = "kebab-case", rename_all_fields = "kebab-case")]
enum ReadingKind {
    Device {
        api: String,
        name: String,
        units: u32,
        memory_bytes: Option<u64>,
        compute: Option<(u32, u32)>,
        threads_per_unit: Option<u32>,
        registers_per_unit: Option<u32>,
        shared_bytes_per_unit: Option<u32>,
        #[serde(default)]
        driver: String,
    },
    Bandwidth(BandwidthReading),
    SecondStream {
        one: Vec<u64>,
        two: Vec<u64>,
    },
    LaunchGap {
        ns: Vec<u64>,
    },
    Priority {
        urgent_ns: Vec<u64>,
        equal_ns: Vec<u64>,
    },
    Turns {
        runs: Vec<Vec<(u64, u64)>>,
    },
    Percent {
        percent: u32,
        units: u32,
    },
    Skipped {
        of: String,
        why: String,
    },
}

impl DeviceReadings {
    /// Reads the JSON lines that the program which measures a device printed. An incomplete last
    /// line is ignored, as the program may have been stopped.
    ///
    /// # Errors
    /// When a line is no measurement, or no line describes the device.
    pub fn read(text: &str) -> Result<Self, ReadingsError> {
        let (mut all, mut known) = (Self::default(), false);
        let whole = text.rfind('\n').map_or(0, |end| end + 1);
        let mut before = 0;
        for (number, line) in (1..).zip(text.split_inclusive('\n')) {
            before += line.len();
            if line.trim().is_empty() {
                continue;
            }
            let read: Line = match json(line.trim().as_bytes()) {
                Ok(read) => read,
                Err(_) if before > whole && known => break,
                Err(why) => {
                    let why = why.trim_start_matches("line 1: ").to_owned();
                    return Err(ReadingsError::Line { line: number, why });
                }
            };
            if read.version != VERSION {
                return Err(ReadingsError::Version { line: number, version: read.version });
            }
            known |= matches!(read.reading, ReadingKind::Device { .. });
            all.take(read.reading);
        }
        known.then_some(all).ok_or(ReadingsError::NoDevice)
    }

    fn take(&mut self, reading: ReadingKind) {
        match reading {
            ReadingKind::Device {
                api,
                name,
                units,
                memory_bytes,
                compute,
                threads_per_unit,
                registers_per_unit,
                shared_bytes_per_unit,
                driver,
            } => {
                self.through = plain(&format!("{api} ({driver})"), 80);
                self.device = SourceDevice {
                    name,
                    sms: Some(units),
                    memory_bytes,
                    compute_major: compute.map(|(major, _)| major),
                    compute_minor: compute.map(|(_, minor)| minor),
                    threads_per_sm: threads_per_unit,
                    registers_per_sm: registers_per_unit,
                    shared_bytes_per_sm: shared_bytes_per_unit,
                    ..SourceDevice::default()
                };
            }
            ReadingKind::Bandwidth(reading) => self.bandwidth.push(reading),
            ReadingKind::SecondStream { one, two } => self.second_stream = Some((one, two)),
            ReadingKind::LaunchGap { ns } => self.launch_gap_ns.extend(ns),
            ReadingKind::Priority { urgent_ns, equal_ns } => {
                self.priority = Some((urgent_ns, equal_ns))
            }
            ReadingKind::Turns { runs } => self.turns.push(runs),
            ReadingKind::Percent { percent, units } => self.percents.push((percent, units)),
            ReadingKind::Skipped { of, why } => {
                self.skipped.push(format!("{}: {}", plain(&of, 40), plain(&why, 160)));
            }
        }
    }

    pub(super) fn through(&self) -> &str {
        &self.through
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const DEVICE: &str =
        r#"{"raddle-calibration":1,"what":"device","api":"cuda","name":"NVIDIA H200","units":132}"#;

    #[test]
    fn lines_are_told_apart_and_the_last_may_be_cut() {
        let gap = r#"{"raddle-calibration":1,"what":"launch-gap","ns":[2000,2100]}"#;
        let read = DeviceReadings::read(&format!("{DEVICE}\n\n{gap}\n{}", &gap[..30]));
        let read = read.expect("they are lawful");
        assert_eq!((read.device.sms, read.launch_gap_ns.len()), (Some(132), 2));
    }

    #[test]
    fn what_is_no_measurement_is_refused_with_its_line() {
        let told = |text: String| DeviceReadings::read(&text).unwrap_err().to_string();
        assert!(told("\n".to_owned()).contains("no line tells the device"));
        assert!(told(DEVICE.replace(":1,", ":2,")).contains("line 1 has version 2"));
        let odd = format!("{DEVICE}\n{{\"secret\"\n{DEVICE}\n");
        assert!(told(odd.clone()).starts_with("line 2 is no measurement"), "{}", told(odd));
        let odd = r#"{"raddle-calibration":1,"what":"secret"}"#.to_owned();
        assert!(!told(odd.clone()).contains("secret"), "{}", told(odd));
    }
}
