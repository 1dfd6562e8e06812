//! The columns whose values have totals.

use slugline_analytics::columns::{TEXTS, TextColumn};
use slugline_domain::Dimension;

use crate::sql::column;

/// The list of places on the map: both coordinates and the city in one text.
pub(crate) const PLACE: &str = "place";

/// The name among the lists of all visits of a day that says that some are of a named domain. A day
/// without it had visits of the default domain only, and so had every day that was counted before there
/// were domains.
pub(crate) const DOMAINS: &str = "domains";

/// A column, and the expression of its values.
#[derive(Clone, Debug)]
pub(crate) struct List {
    pub(crate) name: &'static str,
    pub(crate) value: String,
}

/// Every list that visits of several domains may have, or those of one.
pub(crate) fn all(of_domains: bool) -> Vec<List> {
    let has_list = |text: &&TextColumn| of_domains || text.dimension != Dimension::Domain;
    let columns = TEXTS.iter().filter(has_list).map(|text| List {
        name: text.public_name(),
        value: column(text.dimension),
    });
    let place = List {
        name: PLACE,
        value: "concat(toString(latitude), ' ', toString(longitude), ' ', city)".to_owned(),
    };
    columns.chain([place]).collect()
}

/// The values that a part of a day may have in all its lists: a number, and one for every so many
/// visits. A row of totals takes about half as many bytes as a visit.
const ROOM: u64 = 2_000;
const VISITS_PER_VALUE: u64 = 8;

/// Picks the lists for which there is room: first the referring hosts, which counters need, then
/// shorter lists before longer ones. `sizes` has the number of values of each.
pub(crate) fn with_room<'l>(lists: &'l [List], sizes: &[u64], visits: u64) -> Vec<&'l List> {
    let mut known: Vec<(&List, u64)> = lists.iter().zip(sizes.iter().copied()).collect();
    known.sort_by_key(|(list, size)| (list.name != Dimension::Referer.column(), *size));
    let mut room = ROOM + visits / VISITS_PER_VALUE;
    known.retain(|(_, size)| {
        let fits = *size <= room;
        room -= if fits { *size } else { 0 };
        fits
    });
    known.into_iter().map(|(list, _)| list).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn short_lists_go_first_and_hosts_before_all() {
        let list = |name| List {
            name,
            value: String::new(),
        };
        let lists = ["url", "referer", "country", "city"].map(list);
        let names = |sizes: [u64; 4], visits| -> Vec<&str> {
            let picked = with_room(&lists, &sizes, visits);
            picked.into_iter().map(|list| list.name).collect()
        };
        assert_eq!(
            names([9, 9, 9, 9], 0),
            ["referer", "url", "country", "city"]
        );
        assert_eq!(names([5_000, 1_500, 400, 300], 0), ["referer", "city"]);
        assert_eq!(names([5_000, 2_001, 400, 300], 0), ["city", "country"]);
        assert_eq!(names([5_000, 1_500, 400, 300], 80_000).len(), 4);
    }
}
