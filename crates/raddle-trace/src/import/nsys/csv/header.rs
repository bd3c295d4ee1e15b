//! Which report of Nsight Systems or nvprof does a header belong to, which columns has the report,
//! and in which unit is each?

use csv::StringRecord;

use crate::csv_table::CellFault;

/// Kinds of reports of Nsight Systems and nvprof, recognised by the names of their columns.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum NsysReport {
    /// The report `cuda_gpu_trace` of Nsight Systems.
    Trace,
    /// The trace of GPU work by nvprof, whose units stand in the row below the header.
    Nvprof,
    /// A trace of Nsight Systems without grids, such as a list of API calls. The number is the
    /// position of the column with the names of the calls.
    Calls(usize),
    /// A report of Nsight Systems without launches; the text describes it.
    Other(&'static str),
    /// A report of nvprof that cannot be read; the text describes it.
    OtherNvprof(&'static str),
}

/// Description, for the error message, of a trace of Nsight Systems without grids.
pub(super) const CALLS: &str = "a trace without grids (such as cuda_api_trace)";

/// Columns of nvprof's trace, as (column name in nvprof, name of the same column in Nsight
/// Systems).
const NVPROF: [(&str, &str); 11] = [
    ("Grid X", "GrdX"),
    ("Grid Y", "GrdY"),
    ("Grid Z", "GrdZ"),
    ("Block X", "BlkX"),
    ("Block Y", "BlkY"),
    ("Block Z", "BlkZ"),
    ("Registers Per Thread", "Reg/Trd"),
    ("Static SMem", "StcSMem"),
    ("Dynamic SMem", "DymSMem"),
    ("Context", "Ctx"),
    ("Stream", "Strm"),
];

/// Recognises the report of Nsight Systems or nvprof whose header this line is; `None` where it is
/// no header.
pub(super) fn report_of(line: &str) -> Option<NsysReport> {
    if line.contains("GrdX") && line.contains("BlkX") {
        return Some(NsysReport::Trace);
    }
    if line.contains("Grid X") && line.contains("Block X") {
        return Some(NsysReport::Nvprof);
    }
    if let Some(other) = other_of_nvprof(line) {
        return Some(NsysReport::OtherNvprof(other));
    }
    let mut cells = line.split(',').map(Title::of);
    let (first, second) = (cells.next()?, cells.next()?);
    let third = cells.next().map_or("", |title| title.name);
    let other = match (first.name, first.unit, second.name, third) {
        ("Time", Some("%"), "Total Time", "Instances") => {
            "a summary of kernels (such as cuda_gpu_kern_sum)"
        }
        ("Time", Some("%"), "Total Time", "Num Calls") => {
            "a summary of calls (such as cuda_api_sum)"
        }
        ("Time", Some("%"), "Total Time", _) | ("Total", Some(_), "Count", _) => "a summary",
        ("Start", Some(_), "Duration", "Name") => return Some(NsysReport::Calls(2)),
        ("Start" | "API Start", Some(_), "Duration" | "API Dur", _) => CALLS,
        _ => return None,
    };
    Some(NsysReport::Other(other))
}

/// Returns a description of the nvprof report with the header `line`, if it is a report that cannot
/// be read; otherwise `None`.
fn other_of_nvprof(line: &str) -> Option<&'static str> {
    let has = |words: &[&str]| words.iter().all(|word| line.contains(word));
    if has(&["Grid Size", "Block Size", "Regs*"]) {
        return Some("a trace of nvprof as text for people");
    }
    let names: Vec<&str> = line.split(',').map(|cell| Title::of(cell).name).collect();
    let first = |wanted: &[&str]| names.starts_with(wanted);
    let sums =
        has(&["Time(%)", "Calls"]) && (names.contains(&"Calls") || has(&["Avg", "Min", "Max"]));
    if sums {
        return Some("a summary of nvprof");
    }
    (first(&["Start", "Duration", "Name"]) && names.contains(&"Correlation_ID"))
        .then_some("a trace of calls of nvprof")
}

/// Name and unit of a column, parsed from the text of the column's header.
#[derive(Clone, Copy, Debug)]
struct Title<'a> {
    name: &'a str,
    unit: Option<&'a str>,
}

impl<'a> Title<'a> {
    fn of(text: &'a str) -> Self {
        let text = text.trim().trim_matches('"').trim();
        match text.strip_suffix(')').and_then(|text| text.rsplit_once('(')) {
            Some((name, unit)) => Self { name: name.trim(), unit: Some(unit.trim()) },
            None => Self { name: text, unit: None },
        }
    }
}

/// Columns of the `cuda_gpu_trace` report without which a row cannot be read.
const NEEDED: [&str; 10] =
    ["Start", "Duration", "GrdX", "GrdY", "GrdZ", "BlkX", "BlkY", "BlkZ", "Strm", "Name"];

/// Columns and units of a report of GPU work, as its header gives them.
#[derive(Clone, Debug)]
pub(super) struct ReportHeader {
    /// Names of the columns, without their units.
    pub(super) names: StringRecord,
    /// Units of the columns (start, duration) as powers of ten: a time in nanoseconds is the
    /// printed number times ten to this power.
    pub(super) time_places: [u32; 2],
    /// Units of the columns (static, dynamic) shared memory as powers of ten, in a trace of nvprof
    /// as powers of 1024: a size in bytes is the printed number times that power. `None` where the
    /// unit is unknown.
    pub(super) size_places: [Option<u32>; 2],
    /// True if the report is a trace of nvprof, false if one of Nsight Systems.
    pub(super) nvprof: bool,
}

impl ReportHeader {
    /// Reads the header of a report of Nsight Systems.
    ///
    /// # Errors
    /// When a column that is needed is not there, or the unit of a time is not known.
    pub(super) fn new(cells: &StringRecord) -> Result<Self, CellFault> {
        Self::of(&cells.iter().map(Title::of).collect::<Vec<_>>(), false)
    }

    /// Reads the header of an nvprof trace, and the row of units below it.
    ///
    /// # Errors
    /// The errors of [`Self::new`].
    pub(super) fn of_nvprof(cells: &StringRecord, units: &StringRecord) -> Result<Self, CellFault> {
        let ours = |name: &str| NVPROF.iter().find(|(theirs, _)| *theirs == name).map(|row| row.1);
        let title = |(at, cell): (usize, &'_ str)| {
            let name = cell.trim().trim_matches('"').trim();
            let unit = units.get(at).map(str::trim).filter(|unit| !unit.is_empty());
            (ours(name).map_or_else(|| name.to_owned(), str::to_owned), unit.map(str::to_owned))
        };
        let owned: Vec<_> = cells.iter().enumerate().map(title).collect();
        let titles: Vec<_> =
            owned.iter().map(|(name, unit)| Title { name, unit: unit.as_deref() }).collect();
        Self::of(&titles, true)
    }

    fn of(titles: &[Title<'_>], nvprof: bool) -> Result<Self, CellFault> {
        let find = |column: &str| titles.iter().find(|title| title.name == column);
        if let Some(missing) = NEEDED.into_iter().find(|column| find(column).is_none()) {
            let problem = match titles.len() {
                1 => "the columns are not separated by commas: make the report with `-f csv`",
                _ if nvprof => {
                    "the header lacks it: make the trace with `nvprof --print-gpu-trace --csv`"
                }
                _ => "the header lacks it: make the report with `nsys stats -r cuda_gpu_trace`",
            };
            return Err(CellFault::new(missing, problem));
        }
        let unit = |column: &str| find(column).and_then(|title| title.unit);
        let time = |column: &str| {
            let unknown = || CellFault::new(column, "its unit is none of ns, us, ms and s");
            unit(column).and_then(time_places).ok_or_else(unknown)
        };
        Ok(Self {
            names: titles.iter().map(|title| title.name).collect(),
            time_places: [time("Start")?, time("Duration")?],
            size_places: ["StcSMem", "DymSMem"].map(|column| match nvprof {
                true => powers_of_1024(unit(column)),
                false => size_places(unit(column)),
            }),
            nvprof,
        })
    }
}

fn time_places(unit: &str) -> Option<u32> {
    match unit {
        "ns" | "nsec" => Some(0),
        "us" | "usec" | "\u{b5}s" => Some(3),
        "ms" | "msec" => Some(6),
        "s" | "sec" => Some(9),
        _ => None,
    }
}

fn powers_of_1024(unit: Option<&str>) -> Option<u32> {
    match unit {
        None | Some("B") => Some(0),
        Some("KB") => Some(1),
        Some("MB") => Some(2),
        Some("GB") => Some(3),
        Some(_) => None,
    }
}

fn size_places(unit: Option<&str>) -> Option<u32> {
    match unit {
        None | Some("B" | "byte" | "bytes") => Some(0),
        Some("KB" | "kB") => Some(3),
        Some("MB") => Some(6),
        Some("GB") => Some(9),
        Some(_) => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn units_with_and_without_a_blank_before_them() {
        let of = |start| {
            let times = [start, "Duration (usec)", "StcSMem (KB)", "DymSMem(byte)"];
            ReportHeader::new(&NEEDED[2..].iter().copied().chain(times).collect())
        };
        let header = of("Start(sec)").unwrap();
        assert_eq!(header.time_places, [9, 3]);
        assert_eq!(header.size_places, [Some(3), Some(0)]);
        assert_eq!(&header.names[8], "Start");
        let wanted = CellFault::new("Start", "its unit is none of ns, us, ms and s");
        assert_eq!(of("Start (min)").unwrap_err(), wanted);
    }

    #[test]
    fn headers_of_nvprof() {
        let header = "\"Start\",\"Duration\",\"Grid X\",\"Grid Y\",\"Grid Z\",\"Block X\",\"Block Y\",\"Block Z\",\"Static SMem\",\"Stream\",\"Name\"";
        assert_eq!(report_of(header), Some(NsysReport::Nvprof));
        let cells: StringRecord = header.split(',').collect();
        let units = StringRecord::from(vec!["ms", "us", "", "", "", "", "", "", "KB"]);
        let read = ReportHeader::of_nvprof(&cells, &units).unwrap();
        assert_eq!((read.time_places, read.size_places), ([6, 3], [Some(1), Some(0)]));
        assert_eq!((&read.names[2], &read.names[9]), ("GrdX", "Strm"));
        for line in [
            "\"Type\",\"Time(%)\",\"Time\",\"Calls\",\"Avg\",\"Min\",\"Max\",\"Name\"",
            "            Type  Time(%)      Time     Calls       Avg       Min       Max  Name",
            "\"Start\",\"Duration\",\"Name\",\"Correlation_ID\"",
            "   Start  Duration            Grid Size      Block Size     Regs*    SSMem*",
        ] {
            assert!(matches!(report_of(line), Some(NsysReport::OtherNvprof(_))), "{line}");
        }
    }

    #[test]
    fn reports_are_told_by_their_first_columns() {
        let kernels = "Time (%),Total Time (ns),Instances,Avg (ns),Name";
        let Some(NsysReport::Other(words)) = report_of(kernels) else { panic!("{kernels}") };
        assert!(words.contains("cuda_gpu_kern_sum"));
        for line in ["Time(%),Total Time (ns),Num Calls", "API Start (ns),API Dur (ns)"] {
            assert!(matches!(report_of(line), Some(NsysReport::Other(_))), "{line}");
        }
        assert_eq!(report_of("Start (ns),Duration (ns),Name,Result"), Some(NsysReport::Calls(2)));
        for line in ["Start,Duration", "name,grid_x", "Processing [x] with [y]...", ""] {
            assert_eq!(report_of(line), None, "{line}");
        }
    }
}
