//! Keyset paging through links.

use std::{cmp::Ordering, num::NonZeroU16};

use thiserror::Error;

use crate::{Link, LinkFilter, LinkKey, UnixSeconds};

/// The number of links on a page.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct PageSize(NonZeroU16);

impl PageSize {
    /// The largest page.
    pub const MAX: u16 = 1000;
    /// The page size if the client names none.
    pub const DEFAULT: u16 = 20;

    /// Checks the bounds.
    ///
    /// # Errors
    /// The number is outside `1..=MAX`.
    pub fn new(links: i64) -> Result<Self, PageSizeError> {
        u16::try_from(links)
            .ok()
            .filter(|n| *n <= Self::MAX)
            .and_then(NonZeroU16::new)
            .map(Self)
            .ok_or(PageSizeError { size: links })
    }

    /// Links per page.
    pub fn get(self) -> u16 {
        self.0.get()
    }

    /// The most entries to read for a page: one more than it has tells that another one follows.
    pub fn limit(self) -> u32 {
        u32::from(self.get()) + 1
    }

    /// Cuts what was read up to the limit to the page. Returns the position `after` its last entry,
    /// if another page follows.
    pub fn cut<T, P>(self, read: &mut Vec<T>, after: impl FnOnce(&T) -> P) -> Option<P> {
        let size = usize::from(self.get());
        let is_followed = read.len() > size;
        read.truncate(size);
        read.last().filter(|_| is_followed).map(after)
    }
}

impl Default for PageSize {
    fn default() -> Self {
        Self(NonZeroU16::new(Self::DEFAULT).expect("the default is not zero"))
    }
}

/// A page size out of bounds.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Error)]
#[error("page size {size} is outside 1 to {}", PageSize::MAX)]
pub struct PageSizeError {
    /// The number found.
    pub size: i64,
}

/// The order of a listing. Every order is total, because keys are unique.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum LinkOrder {
    /// The reverse of [`LinkOrder::Oldest`].
    #[default]
    Newest,
    /// Earliest creation first, then by key.
    Oldest,
    /// By domain, the default one first, and then by slug, both ascending by code point.
    SlugAscending,
    /// The reverse of [`LinkOrder::SlugAscending`].
    SlugDescending,
}

/// The position after a link, in any order.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Position {
    /// The creation time of the last link seen.
    pub created_at: UnixSeconds,
    /// The key of the last link seen.
    pub key: LinkKey,
}

impl Position {
    /// The position after this link.
    pub fn after(link: &Link) -> Self {
        Self {
            created_at: link.created_at,
            key: link.key.clone(),
        }
    }
}

/// A request for a page of links.
#[derive(Clone, Debug)]
pub struct ListQuery {
    /// The moment that decides which links are expired.
    pub now: UnixSeconds,
    /// Order.
    pub order: LinkOrder,
    /// Only links that meet this.
    pub filter: LinkFilter,
    /// Only links after this position.
    pub after: Option<Position>,
    /// The largest number of links to return.
    pub limit: u32,
}

impl LinkOrder {
    /// The order of two links.
    pub fn compare(self, a: &Position, b: &Position) -> Ordering {
        let by_key = a.key.cmp(&b.key);
        let by_time = a.created_at.cmp(&b.created_at).then(by_key);
        match self {
            Self::Newest => by_time.reverse(),
            Self::Oldest => by_time,
            Self::SlugAscending => by_key,
            Self::SlugDescending => by_key.reverse(),
        }
    }
}

impl ListQuery {
    /// The page of these links, for stores that hold all of them in memory.
    pub fn page<'l>(&self, links: impl IntoIterator<Item = &'l Link>) -> Vec<Link> {
        let after = |position: &Position| {
            let last = self.after.as_ref();
            last.is_none_or(|last| self.order.compare(position, last).is_gt())
        };
        let links = links.into_iter();
        let met = links.filter(|link| self.filter.admits(link, self.now));
        let placed = met.map(|link| (Position::after(link), link));
        let mut placed: Vec<_> = placed.filter(|(position, _)| after(position)).collect();
        placed.sort_by(|(a, _), (b, _)| self.order.compare(a, b));
        placed.truncate(usize::try_from(self.limit).unwrap_or(usize::MAX));
        placed.into_iter().map(|(_, link)| link.clone()).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn page_size_is_one_to_a_thousand() {
        assert_eq!(PageSize::new(1000).unwrap().get(), 1000);
        for wrong in [0, -1, 1001, 70_000] {
            assert_eq!(PageSize::new(wrong), Err(PageSizeError { size: wrong }));
        }
        assert_eq!(PageSize::default().get(), 20);
    }
}
