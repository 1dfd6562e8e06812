//! Links as visitors pick them.

/// Picks among links: the one of rank `k` in proportion to `1 / k^skew`.
#[derive(Clone, Debug)]
pub(super) struct Zipf {
    links: f64,
    skew: f64,
    state: u64,
}

impl Zipf {
    pub(super) fn new(links: u32, skew: f64) -> Self {
        Self {
            links: f64::from(links),
            skew,
            state: 4711,
        }
    }

    /// A rank, from 1 on. It inverts the integral of the law instead of its sum, which differs
    /// for the first few ranks only and needs no table of a billion entries.
    #[expect(
        clippy::as_conversions,
        clippy::cast_possible_truncation,
        clippy::cast_sign_loss,
        reason = "the value is at least 1 and at most the number of links, which is a u32"
    )]
    pub(super) fn pick(&mut self) -> u32 {
        let (share, slope) = (self.uniform(), 1.0 - self.skew);
        let beyond = self.links + 1.0;
        let rank = if slope.abs() < 1e-9 {
            beyond.powf(share)
        } else {
            ((beyond.powf(slope) - 1.0) * share + 1.0).powf(1.0 / slope)
        };
        rank.clamp(1.0, self.links) as u32
    }

    /// From 0 to 1, by `SplitMix64`: the same numbers in each run.
    fn uniform(&mut self) -> f64 {
        self.state = self.state.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mixed = (self.state ^ (self.state >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        let mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        let high = u32::try_from((mixed ^ (mixed >> 31)) >> 32).expect("32 bits are left");
        f64::from(high) / 2f64.powi(32)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The share of picks among the first `ranks`.
    fn share_of(ranks: u32, skew: f64) -> f64 {
        const PICKS: u32 = 200_000;

        let mut zipf = Zipf::new(1_000_000, skew);
        let picked = (0..PICKS).filter(|_| zipf.pick() <= ranks).count();
        f64::from(u32::try_from(picked).unwrap()) / f64::from(PICKS)
    }

    #[test]
    fn links_are_as_unequal_as_the_law_says() {
        for (ranks, skew, share) in [
            // ln 1,000 / ln 1,000,000
            (1_000, 1.0, 0.5),
            (1_000, 0.0, 0.001),
            // (1,000^0.5 - 1) / (1,000,000^0.5 - 1)
            (1_000, 0.5, 0.0307),
        ] {
            let picked = share_of(ranks, skew);
            assert!((picked - share).abs() < 0.01, "{skew}: {picked}");
        }
    }
}
