//! Chosen rows.

use std::cmp::Ordering;

use slugline_domain::RowLimit;

/// Some rows of a block or chunk, in order.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Selection {
    All,
    /// The indexes of the chosen rows.
    Rows(Vec<u32>),
}

impl Selection {
    /// The rows whose value meets a condition.
    pub(crate) fn of<T: Copy>(column: &[T], meets: impl Fn(T) -> bool) -> Self {
        // This has no branch, which the processor would often predict wrongly.
        let mut rows = vec![0; column.len()];
        let mut chosen = 0;
        for (row, &value) in (0..).zip(column) {
            rows[chosen] = row;
            chosen += usize::from(meets(value));
        }
        if chosen == column.len() {
            return Self::All;
        }
        rows.truncate(chosen);
        Self::Rows(rows)
    }

    /// The number of selected rows, out of `all`.
    pub(crate) fn count(&self, all: usize) -> usize {
        match self {
            Self::All => all,
            Self::Rows(rows) => rows.len(),
        }
    }

    /// Keeps those of these rows that are chosen among them.
    pub(crate) fn keep(&mut self, chosen: &Self) {
        match self {
            Self::All => *self = chosen.clone(),
            Self::Rows(rows) => chosen.apply(rows),
        }
    }

    /// Keeps only the values of these rows.
    pub(crate) fn apply<T: Copy>(&self, column: &mut Vec<T>) {
        if let Self::Rows(rows) = self
            && !column.is_empty()
        {
            // Rows are in order, so a value is read before it is overwritten.
            for (to, &row) in rows.iter().enumerate() {
                column[to] = column[index(row)];
            }
            column.truncate(rows.len());
        }
    }
}

/// The index of a row in a list.
pub(crate) fn index(row: u32) -> usize {
    usize::try_from(row).expect("32 bits fit a pointer's size")
}

/// The number of an index, which is that of a row or of one of its values.
pub(crate) fn short(position: usize) -> u32 {
    u32::try_from(position).expect("there are far fewer than 2^32 rows")
}

/// A length as a number of visits.
pub(crate) fn number(length: usize) -> u64 {
    u64::try_from(length).expect("a pointer's size fits 64 bits")
}

/// Keeps the first items of an order, as many as the limit allows.
pub(crate) fn keep_first<T>(
    items: &mut Vec<T>,
    limit: RowLimit,
    compare: impl Fn(&T, &T) -> Ordering + Copy,
) {
    let limit = limit.as_usize();
    if limit < items.len() {
        items.select_nth_unstable_by(limit, compare);
        items.truncate(limit);
    }
    items.sort_unstable_by(compare);
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_first_are_kept_in_order() {
        for limit in 1..7 {
            let mut items = vec![5, 1, 4, 2, 3];
            let most = RowLimit::new(limit, RowLimit::MAX).unwrap();
            keep_first(&mut items, most, i64::cmp);
            let expected: Vec<i64> = (1..=5.min(limit)).collect();
            assert_eq!(items, expected);
        }
    }

    #[test]
    fn what_is_chosen_among_chosen_rows_is_chosen() {
        let mut selection = Selection::of(&[1, 2, 3, 4, 5, 6], |n| n % 2 == 0);
        assert_eq!(selection, Selection::Rows(vec![1, 3, 5]));
        let mut column = vec!['a', 'b', 'c', 'd', 'e', 'f'];
        selection.apply(&mut column);
        assert_eq!(column, ['b', 'd', 'f']);
        selection.keep(&Selection::of(&column, |letter| letter != 'd'));
        assert_eq!(selection, Selection::Rows(vec![1, 5]));
        assert_eq!((selection.count(6), Selection::All.count(6)), (2, 6));
        selection.keep(&Selection::of(&[0, 0], |n| n == 1));
        assert_eq!(selection.count(6), 0);
    }

    #[test]
    fn all_rows_stay_all() {
        assert_eq!(Selection::of(&[1, 2], |n| n > 0), Selection::All);
        let mut column = vec![1, 2];
        Selection::All.apply(&mut column);
        assert_eq!(column, [1, 2]);
        let mut absent: Vec<u8> = Vec::new();
        Selection::Rows(vec![7]).apply(&mut absent);
        assert!(absent.is_empty());
    }
}
