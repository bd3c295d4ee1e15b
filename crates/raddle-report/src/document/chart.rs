//! What does a chart show, independent of how it is drawn?

/// One picture.
#[derive(Clone, Debug)]
pub struct Chart {
    /// The title of the chart.
    pub title: String,
    /// The text beside the title.
    pub note: String,
    /// A description of the chart in words, for readers who do not see it.
    pub words: String,
    /// The way in which the series are drawn.
    pub kind: ChartKind,
    /// The horizontal axis.
    pub x: Axis,
    /// The vertical axis.
    pub y: Axis,
    /// A value of the vertical axis at which a dashed line goes across.
    pub rule: Option<f64>,
    /// The series, in the order in which they are drawn.
    pub series: Vec<ChartSeries>,
}

/// The way in which series are drawn.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ChartKind {
    /// A line that holds each value until the next; of many points only those are drawn that can be
    /// told apart.
    Steps,
    /// A point for each series, with its name beside it; the area below the rule is good, and the
    /// first series is the one to choose.
    Points,
    /// A line from point to point.
    Lines,
    /// Points of which the first ones, this many, are joined: no other point is better in both
    /// figures.
    Front(usize),
}

/// An axis.
#[derive(Clone, Copy, Debug)]
pub struct Axis {
    /// The name of the values; empty: no name is written.
    pub title: &'static str,
    /// The positions of the values on the axis.
    pub scale: Scale,
    /// The unit of the values.
    pub unit: ValueUnit,
}

/// The positions of values on an axis.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Scale {
    /// The axis goes from 0 to this value.
    Linear(f64),
    /// The axis goes from the first to the second of these values above 0; equal ratios are equally
    /// far apart.
    Ratio(f64, f64),
}

/// The unit of values.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ValueUnit {
    /// Nanoseconds.
    Ns,
    /// Shares, 0 to 1.
    Share,
    /// Numbers without a unit.
    Number,
}

/// One line or area.
#[derive(Clone, Debug)]
pub struct ChartSeries {
    /// The position in the legend, which gives the series its colour, dashes and marker.
    pub look: usize,
    /// The text beside a point.
    pub name: String,
    /// A description of the series in words.
    pub words: String,
    /// The points, from left to right; each value holds until the next point, and the last ends the
    /// series.
    pub points: Vec<(f64, f64)>,
}

/// A horizontal bar.
#[derive(Clone, Debug)]
pub struct ChartBar {
    /// The name of the bar, which comes from outside.
    pub name: String,
    /// The figure beside the name.
    pub note: String,
    /// The parts from the left: the look of each, and its share of the whole.
    pub parts: Vec<(usize, f64)>,
}
