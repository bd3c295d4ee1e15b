//! What does a chart show, independent of how it is drawn?

/// One picture.
#[derive(Clone, Debug)]
pub struct Chart {
    /// Its name.
    pub title: String,
    /// What stands beside the name.
    pub note: String,
    /// What it shows, in words, for those who do not see it.
    pub words: String,
    /// How the series are drawn.
    pub kind: ChartKind,
    /// Along.
    pub x: Axis,
    /// Up.
    pub y: Axis,
    /// A value up at which a dashed line goes across.
    pub rule: Option<f64>,
    /// What is drawn, in order.
    pub series: Vec<ChartSeries>,
}

/// How series are drawn.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ChartKind {
    /// A line that holds each value until the next; of many points only those are drawn that can be
    /// told apart.
    Steps,
    /// A point with its words beside it for each series; what is below the rule is good, and the
    /// first series is the one to choose.
    Points,
    /// A line from point to point.
    Lines,
    /// As points, of which the first ones, this many, are joined: no other point is better in both
    /// figures.
    Front(usize),
}

/// An axis.
#[derive(Clone, Copy, Debug)]
pub struct Axis {
    /// What its values are; empty: nothing is written.
    pub title: &'static str,
    /// Where its values stand.
    pub scale: Scale,
    /// What its values count.
    pub unit: ValueUnit,
}

/// Where values stand on an axis.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Scale {
    /// From 0 to this value.
    Linear(f64),
    /// From the first to the second of these values above 0, equal ratios equally far apart.
    Ratio(f64, f64),
}

/// What values count.
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
    /// Its position in the legend, which gives it colour, dashes and marker.
    pub look: usize,
    /// What stands beside a point.
    pub name: String,
    /// What it shows, in words.
    pub words: String,
    /// Rising along; each value up holds until the next point, and the last ends the series.
    pub points: Vec<(f64, f64)>,
}

/// A horizontal bar.
#[derive(Clone, Debug)]
pub struct ChartBar {
    /// Whose, a name from outside.
    pub name: String,
    /// Its figure.
    pub note: String,
    /// The look and the share of the whole of each part, from the left.
    pub parts: Vec<(usize, f64)>,
}
