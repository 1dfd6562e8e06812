//! Shares of the visitors.

use thiserror::Error;

use crate::Destination;

/// A destination for a share of the visitors.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Share {
    /// The percentage of the visitors.
    pub weight: u8,
    /// The destination.
    pub destination: Destination,
}

/// Shares of the visitors, at most 100 percent together. The rest goes on to the link's own
/// destination.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Split(Box<[Share]>);

impl Split {
    /// The most shares.
    pub const MAX: usize = 8;

    /// Takes shares in their order.
    ///
    /// # Errors
    /// There are none or too many, one is zero, or they are more than 100 percent together.
    pub fn new(shares: Vec<Share>) -> Result<Self, SplitError> {
        if !(1..=Self::MAX).contains(&shares.len()) {
            return Err(SplitError::Count(shares.len()));
        }
        if shares.iter().any(|share| share.weight == 0) {
            return Err(SplitError::Nobody);
        }
        let sum: u32 = shares.iter().map(|share| u32::from(share.weight)).sum();
        if sum > 100 {
            return Err(SplitError::Sum(sum));
        }
        Ok(Self(shares.into()))
    }

    /// The shares in order.
    pub fn shares(&self) -> &[Share] {
        &self.0
    }

    /// The index of the share that a number among all numbers falls into; `None` for the rest.
    pub fn side(&self, lot: u64) -> Option<usize> {
        let percent = (u128::from(lot) * 100) >> u64::BITS;
        let mut end = 0;
        self.0.iter().position(|share| {
            end += u128::from(share.weight);
            percent < end
        })
    }
}

/// The reason why shares are no split.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Error)]
pub enum SplitError {
    /// There are none, or too many.
    #[error("{0} destinations, a split has 1 to {max}", max = Split::MAX)]
    Count(usize),
    /// A share has no visitors.
    #[error("a weight is 1 to 100 percent")]
    Nobody,
    /// The shares are more than everybody.
    #[error("the weights add up to {0} percent, at most 100 are allowed")]
    Sum(u32),
}

#[cfg(test)]
mod tests {
    use super::*;

    fn split(weights: &[u8]) -> Result<Split, SplitError> {
        let share = |(number, &weight): (usize, &u8)| Share {
            weight,
            destination: format!("https://e.example/{number}").parse().unwrap(),
        };
        Split::new(weights.iter().enumerate().map(share).collect())
    }

    #[test]
    fn shares_have_the_part_of_the_numbers_that_they_say() {
        let split = split(&[30, 20]).unwrap();
        let mut counts = [0_u32; 3];
        for step in 0..10_000_u64 {
            let lot = step * (u64::MAX / 10_000);
            counts[split.side(lot).unwrap_or(2)] += 1;
        }
        for (count, expected) in counts.into_iter().zip([3_000_u32, 2_000, 5_000]) {
            assert!(count.abs_diff(expected) <= 1, "{counts:?}");
        }
        assert_eq!((split.side(0), split.side(u64::MAX)), (Some(0), None));
    }

    #[test]
    fn a_whole_split_leaves_nobody() {
        assert_eq!(split(&[50, 50]).unwrap().side(u64::MAX), Some(1));
        assert_eq!(split(&[]), Err(SplitError::Count(0)));
        assert_eq!(split(&[1; 9]), Err(SplitError::Count(9)));
        assert_eq!(split(&[0]), Err(SplitError::Nobody));
        assert_eq!(split(&[60, 50]), Err(SplitError::Sum(110)));
    }
}
