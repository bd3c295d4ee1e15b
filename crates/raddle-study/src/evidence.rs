//! How exact must a figure be, and how many launches may a replay make to get it so exact?

/// Number of launches up to which a replay draws more requests than it must, to make its figures
/// more exact. A replay of that many launches takes some seconds.
pub(crate) const MOST_LAUNCHES: u64 = 200_000;
/// Width of a figure's confidence interval, as a fraction of the figure, at which the figure is
/// exact enough: no more requests are drawn for it.
pub(crate) const NARROW: f64 = 0.1;
