//! Visits of bots.

use crate::{Choice, Dimension};

/// The treatment of visits by bots.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Bots {
    /// Counts them like any other.
    #[default]
    Include,
    /// Leaves them out.
    Exclude,
    /// Counts nothing else.
    Only,
}

impl Bots {
    /// Kinds of browsers that act without a person: those that crawl the web,
    /// and those that fetch a page to show a part of it, as previews of links
    /// do. [`Dimension::BrowserType`] has these values.
    pub const KINDS: [&'static str; 2] = ["crawler", "fetcher"];

    /// The condition on visits; `None` if there is none.
    pub fn condition(self) -> Option<(Dimension, Choice<String>)> {
        let kinds = Self::KINDS.map(str::to_owned);
        let choice = match self {
            Self::Include => return None,
            Self::Exclude => Choice::none_of(kinds),
            Self::Only => Choice::any_of(kinds),
        };
        Some((Dimension::BrowserType, choice))
    }
}
