//! What does a chart show, whatever draws it?

/// A chart: series of points over two axes.
#[derive(Clone, Debug)]
pub struct Chart {
    /// Title of the chart, above the picture.
    pub title: String,
    /// Text beside the title, in small print.
    pub note: String,
    /// Description of the chart in words, for readers who do not see it.
    pub words: String,
    /// Way in which the series are drawn.
    pub kind: ChartKind,
    /// Horizontal axis.
    pub x: ChartAxis,
    /// Vertical axis.
    pub y: ChartAxis,
    /// Value of the vertical axis at which a dashed horizontal line is drawn; `None` draws no line.
    pub rule: Option<f64>,
    /// Series, in the order in which they are drawn.
    pub series: Vec<ChartSeries>,
}

/// Way in which the series of a chart are drawn.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ChartKind {
    /// Each series is a line that holds each value until the next point; neighbouring points that
    /// would look like one are joined.
    Steps,
    /// Each series is a point with its name beside it; the area below the dashed line is good.
    Points,
    /// Each series is a line that joins its points.
    Lines,
    /// Each series is a point. The first points, as many as this number, are joined by a line: no
    /// other point is better than one of them in both figures.
    Front(usize),
}

/// Axis of a chart.
#[derive(Clone, Copy, Debug)]
pub struct ChartAxis {
    /// Name of the values; no name is written where it is empty.
    pub title: &'static str,
    /// Range of the axis, and the positions of values within it.
    pub scale: Scale,
    /// Unit of the values of the axis.
    pub unit: ValueUnit,
}

impl ChartAxis {
    /// Makes the two axes, [horizontal, vertical], of a chart of what one process gains over what
    /// another pays: horizontally up to `dearest`, the fraction by which the other takes longer,
    /// vertically from `least` to `most` ns.
    pub(crate) const fn gain_over_cost(dearest: f64, (least, most): (f64, f64)) -> [Self; 2] {
        [
            Self {
                title: "longer than the fastest (left is better)",
                scale: Scale::Linear(dearest * 1.15),
                unit: ValueUnit::Share,
            },
            Self {
                title: "lower is better",
                scale: Scale::Ratio(least / 1.3, most * 1.25),
                unit: ValueUnit::Ns,
            },
        ]
    }
}

/// Range of an axis, and the positions of values on it.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Scale {
    /// The axis goes from 0 to this value, with equal distances between equal differences.
    Linear(f64),
    /// The axis goes from the first to the second of these values, both above 0; equal ratios are
    /// equally far apart.
    Ratio(f64, f64),
}

/// Unit of the values of an axis.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ValueUnit {
    /// The values are nanoseconds, shown with the unit that suits them.
    Ns,
    /// The values are fractions, shown as percent.
    Share,
    /// The values are plain numbers without a unit.
    Number,
}

/// Series of points of a chart: one line, or one point.
#[derive(Clone, Debug)]
pub struct ChartSeries {
    /// Look of the series, which the legend explains.
    pub look: SeriesLook,
    /// Text beside the point of the series.
    pub name: String,
    /// Description of the series in words, for readers who do not see the chart.
    pub words: String,
    /// Points (x, y), from left to right; under [`ChartKind::Steps`] each value is drawn up to the
    /// next point, and the last point ends the series.
    pub points: Vec<(f64, f64)>,
    /// Intervals of the first point along the horizontal and the vertical axis, each as [least,
    /// most]; `None` where none is known.
    pub within: [Option<[f64; 2]>; 2],
}

impl ChartSeries {
    /// Makes a series of points without intervals around the first one.
    #[must_use]
    pub const fn new(
        look: SeriesLook,
        name: String,
        words: String,
        points: Vec<(f64, f64)>,
    ) -> Self {
        Self { look, name, words, points, within: [None; 2] }
    }
}

/// Look of a series: its colour, and the dashes of its line.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum SeriesLook {
    /// Series of the recommended recipe.
    Chosen,
    /// Series of the baseline, with which the others are compared.
    Baseline,
    /// Series that is neither the recommended one nor the baseline, by its index from 0 among such
    /// series.
    Other(usize),
    /// One of many series of equal rank, by its index from 0, which chooses its colour and dashes.
    Nth(usize),
}

/// Horizontal bar of a picture, divided into parts.
#[derive(Clone, Debug)]
pub struct ChartBar {
    /// Name of the bar, which an input file may have given, so that it is made harmless when shown.
    pub name: String,
    /// Figure of the bar as text, beside its name.
    pub note: String,
    /// Parts of the bar, from left to right.
    pub parts: Vec<BarPart>,
}

/// Part of a horizontal bar.
#[derive(Clone, Debug)]
pub struct BarPart {
    /// Index of the look of the part: below 7 a colour, from 7 on a pattern.
    pub look: usize,
    /// Fraction of the full width of a bar that the part takes, 0 to 1.
    pub share: f64,
    /// Figure of the part as text, which is written in the part where there is room.
    pub text: String,
}
