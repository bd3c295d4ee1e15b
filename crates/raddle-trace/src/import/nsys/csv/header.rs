//! Which report is this, which column stands where, and in which unit?

/// A report of Nsight Systems, told by its header.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum NsysReport {
    /// `cuda_gpu_trace`.
    Trace,
    /// One without launches, in words.
    Other(&'static str),
}

/// The report whose header this line is, if it is one.
pub(super) fn report_of(line: &str) -> Option<NsysReport> {
    if line.contains("GrdX") && line.contains("BlkX") {
        return Some(NsysReport::Trace);
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
        ("Start" | "API Start", Some(_), "Duration" | "API Dur", _) => {
            "a trace without grids (such as cuda_api_trace)"
        }
        _ => return None,
    };
    Some(NsysReport::Other(other))
}

/// The name and the unit of a column.
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

/// A column that is read.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum ReportColumn {
    Start,
    Duration,
    GridX,
    GridY,
    GridZ,
    BlockX,
    BlockY,
    BlockZ,
    Registers,
    Static,
    Dynamic,
    Device,
    Context,
    Green,
    Stream,
    Name,
}

impl ReportColumn {
    const ALL: [Self; 16] = [
        Self::Start,
        Self::Duration,
        Self::GridX,
        Self::GridY,
        Self::GridZ,
        Self::BlockX,
        Self::BlockY,
        Self::BlockZ,
        Self::Registers,
        Self::Static,
        Self::Dynamic,
        Self::Device,
        Self::Context,
        Self::Green,
        Self::Stream,
        Self::Name,
    ];

    /// Without these nothing can be made of a row.
    const NEEDED: [Self; 10] = [
        Self::Start,
        Self::Duration,
        Self::GridX,
        Self::GridY,
        Self::GridZ,
        Self::BlockX,
        Self::BlockY,
        Self::BlockZ,
        Self::Stream,
        Self::Name,
    ];

    /// The name of it in the header.
    pub(super) const fn name(self) -> &'static str {
        match self {
            Self::Start => "Start",
            Self::Duration => "Duration",
            Self::GridX => "GrdX",
            Self::GridY => "GrdY",
            Self::GridZ => "GrdZ",
            Self::BlockX => "BlkX",
            Self::BlockY => "BlkY",
            Self::BlockZ => "BlkZ",
            Self::Registers => "Reg/Trd",
            Self::Static => "StcSMem",
            Self::Dynamic => "DymSMem",
            Self::Device => "Device",
            Self::Context => "Ctx",
            Self::Green => "GreenCtx",
            Self::Stream => "Strm",
            Self::Name => "Name",
        }
    }
}

/// What the header says.
#[derive(Clone, Debug)]
pub(super) struct ReportHeader {
    columns: [Option<usize>; ReportColumn::ALL.len()],
    /// Digits behind the point of a start, of a duration, for nanoseconds.
    pub(super) time_places: [u32; 2],
    /// Digits behind the point of a size for bytes, static and dynamic; `None` for a strange unit.
    pub(super) size_places: [Option<u32>; 2],
    /// How many columns there are.
    pub(super) width: usize,
}

/// A column and what is wrong with it.
pub(super) type ColumnFault = (String, String);

impl ReportHeader {
    /// Reads the header.
    ///
    /// # Errors
    /// When a column that is needed is not there, or the unit of a time is not known.
    pub(super) fn new(line: &str) -> Result<Self, ColumnFault> {
        let titles: Vec<_> = line.split(',').map(Title::of).collect();
        let at = |column: ReportColumn| {
            titles.iter().position(|title| title.name.eq_ignore_ascii_case(column.name()))
        };
        let columns = ReportColumn::ALL.map(at);
        let unit = |column: ReportColumn| at(column).and_then(|at| titles[at].unit);
        if let Some(missing) = ReportColumn::NEEDED.iter().find(|&&column| at(column).is_none()) {
            let problem = match titles.len() {
                1 => "the columns are not separated by commas: make the report with `-f csv`",
                _ => "the header lacks it: make the report with `nsys stats -r cuda_gpu_trace`",
            };
            return Err((missing.name().to_owned(), problem.to_owned()));
        }
        let places = |column: ReportColumn| {
            let unknown = || {
                let problem = "its unit is none of ns, us, ms and s".to_owned();
                (column.name().to_owned(), problem)
            };
            unit(column).and_then(time_places).ok_or_else(unknown)
        };
        Ok(Self {
            columns,
            time_places: [places(ReportColumn::Start)?, places(ReportColumn::Duration)?],
            size_places: [ReportColumn::Static, ReportColumn::Dynamic]
                .map(|c| size_places(unit(c))),
            width: titles.len(),
        })
    }

    /// Where a column stands, if it is there.
    pub(super) const fn at(&self, column: ReportColumn) -> Option<usize> {
        self.columns[column as usize]
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
        let rest = "GrdX,GrdY,GrdZ,BlkX,BlkY,BlkZ,Reg/Trd,StcSMem (KB),DymSMem(byte),Strm,Name";
        let header = ReportHeader::new(&format!("Start(sec),\"Duration (usec)\",{rest}")).unwrap();
        assert_eq!(header.time_places, [9, 3]);
        assert_eq!(header.size_places, [Some(3), Some(0)]);
        assert_eq!(
            (header.at(ReportColumn::Name), header.at(ReportColumn::Green)),
            (Some(12), None)
        );
        let (column, problem) =
            ReportHeader::new(&format!("Start (min),Duration (s),{rest}")).unwrap_err();
        assert_eq!(
            (column.as_str(), problem.as_str()),
            ("Start", "its unit is none of ns, us, ms and s")
        );
    }

    #[test]
    fn reports_are_told_by_their_first_columns() {
        let kernels = "Time (%),Total Time (ns),Instances,Avg (ns),Name";
        let Some(NsysReport::Other(words)) = report_of(kernels) else { panic!("{kernels}") };
        assert!(words.contains("cuda_gpu_kern_sum"));
        for line in ["Time(%),Total Time (ns),Num Calls", "Start (ns),Duration (ns),Name,Result"] {
            assert!(matches!(report_of(line), Some(NsysReport::Other(_))), "{line}");
        }
        for line in ["Start,Duration", "name,grid_x", "Processing [x] with [y]...", ""] {
            assert_eq!(report_of(line), None, "{line}");
        }
    }
}
