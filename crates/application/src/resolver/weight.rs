//! The memory that an entry takes.

use quick_cache::Weighter;
use slugline_domain::FollowedLink;

use super::{entry::Entry, key::Key};

/// Weighs entries by their size in bytes.
#[derive(Clone, Debug)]
pub(super) struct Weight;

impl Weighter<Key, Entry> for Weight {
    fn weight(&self, _: &Key, entry: &Entry) -> u64 {
        /// The map's own share of an entry.
        const IN_MAP: usize = size_of::<(Key, Entry)>() + 48;
        /// The counters of an `Arc`.
        const COUNTERS: usize = 16;
        let link = entry.link.as_deref().map_or(0, |link| {
            allocated(COUNTERS + size_of::<FollowedLink>()) + parts_bytes(link)
        });
        u64::try_from(IN_MAP + link).unwrap_or(u64::MAX)
    }
}

/// Returns the size of an allocation in bytes: an allocator rounds up and adds a header.
fn allocated(bytes: usize) -> usize {
    const HEADER: usize = 8;
    const UNIT: usize = 16;
    if bytes == 0 {
        0
    } else {
        (bytes + HEADER).next_multiple_of(UNIT).max(2 * UNIT)
    }
}

fn parts_bytes(link: &FollowedLink) -> usize {
    /// The size of a map's entry without its text.
    const IN_MAP: usize = 48;
    let terms = link.terms();
    let texts = terms.texts().map(str::len);
    let allocations = link.allocations().into_iter().chain(texts);
    let routing = &terms.routing;
    let shares = routing
        .split
        .as_ref()
        .map_or(0, |split| size_of_val(split.shares()));
    let others = [routing.rules.bytes(), shares]
        .map(allocated)
        .iter()
        .sum::<usize>();
    allocations.map(allocated).sum::<usize>() + IN_MAP * routing.geo.len() + others
}
