//! Visits as they are stored, for files.

use crate::{SamplingInterval, UnixMillis};

/// A stored visit.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct StoredVisit {
    /// The moment of the visit.
    pub at: UnixMillis,
    /// The identity of the link, which may exist no longer. A rebuilt log may hold names that
    /// are no [`LinkId`](crate::LinkId).
    pub link: String,
    /// The keyed hash of the visitor's address: an opaque number.
    pub visitor: u64,
    /// The number of visits that this one stands for.
    pub interval: SamplingInterval,
    /// `true` if the visit says something about the number of visitors.
    pub coherent: bool,
    /// One text for each [`VisitColumn`], in their order. The column `slug` has the text of the
    /// link's key; [`split_key`](crate::split_key) tells domain and slug apart.
    pub texts: VisitTexts,
}

/// A column of texts of stored visits.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct VisitColumn {
    /// The name in files.
    pub name: &'static str,
    /// The texts that it may hold.
    pub kind: VisitColumnKind,
}

/// The texts that a column may hold.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum VisitColumnKind {
    /// Any text; an empty one means unknown.
    Text {
        /// The most bytes.
        max_bytes: usize,
    },
    /// Degrees with two decimals, such as `51.31`; zero if unknown.
    Degrees,
}

impl VisitColumn {
    /// The text of a visit about which nothing is known.
    pub fn unknown(&self) -> &'static str {
        match self.kind {
            VisitColumnKind::Text { .. } => "",
            VisitColumnKind::Degrees => "0.00",
        }
    }
}

/// Texts, one after the other in one allocation.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct VisitTexts {
    joined: String,
    ends: Vec<usize>,
}

impl VisitTexts {
    /// Adds a text.
    pub fn push(&mut self, text: &str) {
        self.joined.push_str(text);
        self.ends.push(self.joined.len());
    }

    /// The text at a position; empty if there is none.
    pub fn get(&self, position: usize) -> &str {
        let start = position
            .checked_sub(1)
            .map_or(Some(0), |before| self.ends.get(before).copied());
        let end = self.ends.get(position).copied();
        match (start, end) {
            (Some(start), Some(end)) => &self.joined[start..end],
            _ => "",
        }
    }

    /// Every text, in order.
    pub fn iter(&self) -> impl Iterator<Item = &str> {
        (0..self.ends.len()).map(|position| self.get(position))
    }
}

impl<'t> FromIterator<&'t str> for VisitTexts {
    fn from_iter<I: IntoIterator<Item = &'t str>>(texts: I) -> Self {
        let mut all = Self::default();
        for text in texts {
            all.push(text);
        }
        all
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn texts_come_back_in_order() {
        let texts: VisitTexts = ["docs", "", "ü🦀"].into_iter().collect();
        assert_eq!(texts.iter().collect::<Vec<_>>(), ["docs", "", "ü🦀"]);
        assert_eq!((texts.get(0), texts.get(1), texts.get(3)), ("docs", "", ""));
    }
}
