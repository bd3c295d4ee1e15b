//! What does a chart show, whatever draws it?

/// A chart: series of points over two axes.
#[derive(Clone, Debug)]
pub struct Chart {
    /// Title of the chart, above the picture.
    pub title: String,
    /// Text in small print beside the title of the chart.
    pub note: String,
    /// Description of the chart in words, for readers who do not see it.
    pub words: String,
    /// Way in which the series of the chart are drawn.
    pub kind: ChartKind,
    /// Horizontal axis of the chart.
    pub x: ChartAxis,
    /// Vertical axis of the chart.
    pub y: ChartAxis,
    /// Value of the vertical axis at which a dashed horizontal line is drawn; `None` draws no line.
    pub rule: Option<f64>,
    /// Series of the chart, in the order in which they are drawn.
    pub series: Vec<ChartSeries>,
}

/// Way in which the series of a chart are drawn.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ChartKind {
    /// Each series is a line that stays at each value until the next point; points that lie too
    /// close to be told apart are drawn as one.
    Steps,
    /// Each series is a point with its name beside it. Points below the dashed line
    /// ([`Chart::rule`]), if there is one, meet the goal that the line stands for.
    Points,
    /// Each series is a line that joins the points of the series.
    Lines,
    /// Each series is a point. The first points, as many as this number, are the Pareto front,
    /// joined by a line: no other point is better than one of them in both figures.
    Front(usize),
}

/// Axis of a chart: the name, range and unit of its values.
#[derive(Clone, Copy, Debug)]
pub struct ChartAxis {
    /// Name of the values along this axis of a chart; empty for no name.
    pub title: &'static str,
    /// Range of the axis, and the positions of values within it.
    pub scale: Scale,
    /// Unit of the values along this axis of a chart.
    pub unit: ValueUnit,
}

impl ChartAxis {
    /// Makes the two axes, [horizontal, vertical], of a chart that compares what one process gains
    /// with what another process loses. The horizontal axis is the fraction by which the other
    /// process takes longer, up to a little more than `dearest`; the vertical axis is a time of the
    /// first process, from `least` to `most` ns.
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
    /// The axis of a chart goes from 0 to this value, with equal distances between equal
    /// differences.
    Linear(f64),
    /// The axis goes from the first to the second of these values, both above 0; equal ratios are
    /// equally far apart.
    Ratio(f64, f64),
}

/// Unit of the values of a chart's axis.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ValueUnit {
    /// The values of the axis are nanoseconds, shown in the unit from ns to s that suits their
    /// size.
    Ns,
    /// The values are fractions, shown as percent.
    Share,
    /// The values of the axis are plain numbers without a unit.
    Number,
}

/// Series of points in a chart: drawn as one line, or as one point.
#[derive(Clone, Debug)]
pub struct ChartSeries {
    /// Look (colour and dashes) of the series, which the legend explains.
    pub look: SeriesLook,
    /// Name of the series, written beside its point.
    pub name: String,
    /// Description of the series in words, for readers who do not see the chart.
    pub words: String,
    /// Points (x, y) of the series, from left to right; under [`ChartKind::Steps`] each value is
    /// drawn up to the next point, and the last point ends the series.
    pub points: Vec<(f64, f64)>,
    /// Intervals of the series' first point along the horizontal and the vertical axis, each as
    /// [least, most]; `None` where none is known.
    pub within: [Option<[f64; 2]>; 2],
}

impl ChartSeries {
    /// Makes a series of points, without an interval for its first point.
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

/// Look of a series in a chart: its colour, and the dashes of its line.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum SeriesLook {
    /// Series of the recommended recipe (way of sharing the device).
    Chosen,
    /// Series of the baseline, the recipe (way of sharing the device) with which the others are
    /// compared.
    Baseline,
    /// Series of a recipe (way of sharing the device) that is neither the recommended one nor the
    /// baseline, by its index from 0 among such series.
    Other(usize),
    /// One of many series of equal importance, by its index from 0, which chooses its colour and
    /// dashes.
    Nth(usize),
}

/// Horizontal bar of a picture, divided into parts.
#[derive(Clone, Debug)]
pub struct ChartBar {
    /// Name of the bar; an input file may have given it, so it is escaped when it is shown.
    pub name: String,
    /// Text of the number for which the whole bar stands, beside the name of the bar.
    pub note: String,
    /// Parts of the bar, from left to right.
    pub parts: Vec<BarPart>,
}

/// Part of a horizontal bar.
#[derive(Clone, Debug)]
pub struct BarPart {
    /// Index of the part's colour (below 7) or pattern (from 7 on).
    pub look: usize,
    /// Fraction of the full width of a bar (the end of the picture's scale) that the part takes, 0
    /// to 1.
    pub share: f64,
    /// Figure of the part as text, written inside the part where there is room.
    pub text: String,
}
