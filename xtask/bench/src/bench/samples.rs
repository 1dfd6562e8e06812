//! Figures of several rounds.

use anyhow::{Result, ensure};

/// One figure from each round, at least one, in ascending order.
#[derive(Clone, Debug)]
pub(crate) struct Samples(Vec<f64>);

impl Samples {
    /// An empty list is an error.
    pub(crate) fn new(mut figures: Vec<f64>) -> Result<Self> {
        ensure!(!figures.is_empty(), "nothing was measured");
        figures.sort_by(f64::total_cmp);
        Ok(Self(figures))
    }

    /// The middle figure; for an even number, the mean of the two middle ones.
    pub(crate) fn median(&self) -> f64 {
        let (low, high) = ((self.0.len() - 1) / 2, self.0.len() / 2);
        f64::midpoint(self.0[low], self.0[high])
    }

    /// The spread of the rounds, as a share of the median; 0 for a single round.
    pub(crate) fn spread(&self) -> f64 {
        (self.max() - self.min()) / self.median()
    }

    /// A line about the spread of a figure that should be equal in each round.
    pub(crate) fn noise(&self, of: &str) -> String {
        if self.0.len() < 2 {
            return "noise: unknown, there was one round".into();
        }
        let percent = self.spread() * 100.0;
        format!("noise: the rounds of {of} lie {percent:.1} % apart")
    }

    /// The ratio of this median to another.
    pub(crate) fn ratio(&self, to: &Self) -> f64 {
        self.median() / to.median()
    }

    /// The median as text.
    pub(crate) fn middle(&self, decimals: usize) -> String {
        format!("{:.decimals$}", self.median())
    }

    /// The minimum and the maximum, as `1.2–3.4`.
    pub(crate) fn range(&self, decimals: usize) -> String {
        format!("{:.decimals$}–{:.decimals$}", self.min(), self.max())
    }

    fn min(&self) -> f64 {
        self.0[0]
    }

    fn max(&self) -> f64 {
        self.0[self.0.len() - 1]
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn samples(figures: &[f64]) -> Samples {
        Samples::new(figures.to_vec()).unwrap()
    }

    #[test]
    fn median_is_the_middle_whatever_the_order() {
        assert_eq!(samples(&[9.0, 1.0, 4.0]).middle(1), "4.0");
        assert_eq!(samples(&[9.0, 1.0, 4.0, 5.0]).middle(1), "4.5");
        assert_eq!(samples(&[7.25]).middle(2), "7.25");
    }

    #[test]
    fn range_and_spread_tell_how_far_rounds_lie_apart() {
        let rounds = samples(&[12.0, 8.0, 10.0]);
        assert_eq!(rounds.range(0), "8–12");
        assert_eq!(format!("{:.2}", rounds.spread()), "0.40");
        assert_eq!(rounds.noise("x"), "noise: the rounds of x lie 40.0 % apart");
        assert_eq!(
            samples(&[1.0]).noise("x"),
            "noise: unknown, there was one round"
        );
    }

    #[test]
    fn ratio_is_one_of_medians() {
        let (ours, theirs) = (samples(&[3.0, 1.0, 100.0]), samples(&[2.0, 2.0, 2.0]));
        assert_eq!(format!("{:.2}", ours.ratio(&theirs)), "1.50");
    }

    #[test]
    fn nothing_measured_is_an_error() {
        assert!(Samples::new(Vec::new()).is_err());
    }
}
