//! How much evidence does a figure need, and how much does it get at most?

/// Largest number of launches that all requests of a replay may make, where more than the fewest
/// requests are drawn. A replay of that many launches takes some seconds.
pub(crate) const MOST_LAUNCHES: u64 = 200_000;
/// Width of the confidence interval of a figure, as a fraction of the figure, that is narrow enough
/// to need no more requests.
pub(crate) const NARROW: f64 = 0.1;
