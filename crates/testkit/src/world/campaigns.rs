//! Campaigns that links' visitors name in the query.

use super::{
    dice::{Dice, index, length},
    words::word,
};

const ALL: u32 = 4_000;

/// The places that new campaigns gain in a week in the list of the busiest.
const GAINED_IN_A_WEEK: u32 = 35;

/// The queries, the busiest first.
#[derive(Debug)]
pub(super) struct Campaigns(Vec<Box<str>>);

impl Campaigns {
    pub(super) fn new(dice: &mut Dice) -> Self {
        let sources = [
            ("newsletter", "email"),
            ("google", "cpc"),
            ("facebook", "paid_social"),
            ("instagram", "social"),
            ("linkedin", "social"),
            ("twitter", "social"),
            ("bing", "cpc"),
            ("tiktok", "paid_social"),
            ("partner", "affiliate"),
            ("qr", "print"),
            ("whatsapp", "social"),
            ("youtube", "video"),
            ("chatgpt.com", "referral"),
        ];
        let query = |n: u32| {
            let (source, medium) = *dice.pick(&sources, 0.6);
            let name = word(n * 17).to_ascii_lowercase();
            let year = 24 + n % 2;
            format!("utm_source={source}&utm_medium={medium}&utm_campaign={name}-{year}").into()
        };
        Self((0..ALL).map(query).collect())
    }

    /// The query of a visitor who comes from a campaign on a day.
    pub(super) fn any(&self, day: u32, dice: &mut Dice) -> &str {
        let all = length(&self.0);
        let place = (dice.skewed(all, 0.9) + day / 7 * GAINED_IN_A_WEEK) % all;
        &self.0[index(place)]
    }
}
