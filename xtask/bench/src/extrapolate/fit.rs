//! A law through measured figures.

use std::fmt;

/// How a figure grows with the visits.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) enum Law {
    /// `start + slope × visits`.
    Line { start: f64, slope: f64 },
    /// `factor × visits ^ exponent`.
    Power { factor: f64, exponent: f64 },
}

/// The law that fits, and how well.
#[derive(Clone, Copy, Debug)]
pub(super) struct Fit {
    pub(super) law: Law,
    /// The largest distance of a point from the law, as a share of the point.
    pub(super) residual: f64,
    /// The error of the same law through all points but the last, at the last, as a share of it.
    pub(super) held_out: f64,
}

impl Fit {
    /// The law that predicts the last point better from the others, through all points. `None` for
    /// fewer than three points, two of the same visits, or one that is not above 0.
    pub(super) fn best(points: &[(f64, f64)]) -> Option<Self> {
        let mut points = points.to_vec();
        points.sort_by(|one, other| one.0.total_cmp(&other.0));
        let (last, others) = points.split_last()?;
        let positive = points
            .iter()
            .all(|(visits, value)| *visits > 0.0 && *value > 0.0);
        let apart = points.windows(2).all(|two| two[0].0 < two[1].0);
        if others.len() < 2 || !positive || !apart {
            return None;
        }
        let fits = [line, power].map(|through: fn(&[(f64, f64)]) -> Law| {
            let law = through(&points);
            let off = points.iter().map(|point| law.error(*point).abs());
            Self {
                law,
                residual: off.fold(0.0, f64::max),
                held_out: through(others).error(*last),
            }
        });
        let better = |one: &Self, other: &Self| one.held_out.abs().total_cmp(&other.held_out.abs());
        fits.into_iter().min_by(better)
    }
}

impl Law {
    pub(super) fn at(self, visits: f64) -> f64 {
        match self {
            Self::Line { start, slope } => start + slope * visits,
            Self::Power { factor, exponent } => factor * visits.powf(exponent),
        }
    }

    /// How far the law is above a point, as a share of the point.
    fn error(self, (visits, value): (f64, f64)) -> f64 {
        self.at(visits) / value - 1.0
    }
}

impl fmt::Display for Law {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Line { start, slope } => write!(f, "{start:.3} + {:.3} × v/1M", slope * 1e6),
            Self::Power { factor, exponent } => write!(f, "{factor:.3e} × v^{exponent:.3}"),
        }
    }
}

/// The line with the least squares of the errors as shares of the points, because a measurement is
/// wrong by some percent and not by some milliseconds.
fn line(points: &[(f64, f64)]) -> Law {
    let weighted = points
        .iter()
        .map(|(visits, value)| (*visits, *value, value.powi(-2)));
    let (start, slope) = least_squares(weighted);
    Law::Line { start, slope }
}

/// The same of the logarithms.
fn power(points: &[(f64, f64)]) -> Law {
    let logarithms = points
        .iter()
        .map(|(visits, value)| (visits.ln(), value.ln(), 1.0));
    let (start, exponent) = least_squares(logarithms);
    let factor = start.exp();
    Law::Power { factor, exponent }
}

/// Start and slope of the line through `(x, y, weight)`.
fn least_squares(points: impl Iterator<Item = (f64, f64, f64)> + Clone) -> (f64, f64) {
    let sum = |of: fn((f64, f64, f64)) -> f64| points.clone().map(of).sum::<f64>();
    let weight = sum(|(_, _, weight)| weight);
    let middle_x = sum(|(x, _, weight)| x * weight) / weight;
    let middle_y = sum(|(_, y, weight)| y * weight) / weight;
    let (mut across, mut along) = (0.0, 0.0);
    for (x, y, weight) in points {
        across += weight * (x - middle_x) * (y - middle_y);
        along += weight * (x - middle_x).powi(2);
    }
    let slope = across / along;
    (middle_y - slope * middle_x, slope)
}

#[cfg(test)]
mod tests {
    use super::*;

    const SIZES: [f64; 3] = [1e7, 3e7, 1e8];

    fn fit(value: impl Fn(f64) -> f64) -> Fit {
        let points = SIZES.map(|visits| (visits, value(visits)));
        Fit::best(&points).unwrap()
    }

    fn is_near(one: f64, other: f64) -> bool {
        (one / other - 1.0).abs() < 1e-6
    }

    #[test]
    fn figures_on_a_line_are_found_on_it_far_away() {
        let fit = fit(|visits| 20.0 + visits * 6e-6);
        assert!(matches!(fit.law, Law::Line { .. }), "{fit:?}");
        assert!(is_near(fit.law.at(1e9), 6_020.0), "{fit:?}");
        assert!(fit.residual < 1e-9 && fit.held_out.abs() < 1e-9, "{fit:?}");
        assert_eq!(fit.law.to_string(), "20.000 + 6.000 × v/1M");
    }

    #[test]
    fn figures_that_grow_more_slowly_follow_a_power() {
        let fit = fit(|visits| 0.01 * visits.sqrt());
        assert!(matches!(fit.law, Law::Power { .. }), "{fit:?}");
        assert!(is_near(fit.law.at(1e9), 0.01 * 1e9f64.sqrt()), "{fit:?}");
    }

    #[test]
    fn errors_are_those_of_the_points_and_of_a_prediction() {
        // The line through the first two is 1 + v, which says 101 for the third.
        let points = [(10.0, 11.0), (30.0, 31.0), (100.0, 202.0)];
        let others = line(&points[..2]);
        assert!(is_near(others.error(points[2]), 101.0 / 202.0 - 1.0));
        let fit = Fit::best(&points).unwrap();
        assert!(fit.residual > 0.0 && fit.held_out < 0.0, "{fit:?}");
    }

    #[test]
    fn order_of_the_points_does_not_matter() {
        let points = [(1e8, 620.0), (1e7, 80.0), (3e7, 200.0)];
        let fit = Fit::best(&points).unwrap();
        assert!(is_near(fit.law.at(1e9), 6_020.0), "{fit:?}");
    }

    #[test]
    fn there_is_no_fit_of_two_points_or_of_nothing() {
        assert!(Fit::best(&[]).is_none());
        assert!(Fit::best(&[(1.0, 1.0), (2.0, 2.0)]).is_none());
        assert!(Fit::best(&[(1.0, 1.0), (2.0, 2.0), (3.0, 0.0)]).is_none());
        assert!(Fit::best(&[(1.0, 1.0), (2.0, 2.0), (2.0, 3.0)]).is_none());
    }
}
