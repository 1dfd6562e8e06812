//! Rows that were chosen.

/// Some rows of a block or chunk, in order.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Selection {
    All,
    /// Their positions.
    Rows(Vec<u32>),
}

impl Selection {
    pub(super) fn is_empty(&self) -> bool {
        matches!(self, Self::Rows(rows) if rows.is_empty())
    }

    /// Leaves the rows whose value meets a condition.
    pub(super) fn narrow<T: Copy>(&mut self, column: &[T], meets: impl Fn(T) -> bool) {
        match self {
            Self::All => {
                // Without a branch, which would often be guessed wrong.
                let mut rows = vec![0; column.len()];
                let mut chosen = 0;
                for (row, &value) in (0..).zip(column) {
                    rows[chosen] = row;
                    chosen += usize::from(meets(value));
                }
                rows.truncate(chosen);
                *self = Self::Rows(rows);
            }
            Self::Rows(rows) => rows.retain(|&row| meets(column[index(row)])),
        }
    }

    /// Leaves the values of these rows.
    pub(super) fn apply<T: Copy>(&self, column: &mut Vec<T>) {
        if let Self::Rows(rows) = self
            && !column.is_empty()
        {
            // Rows are in order, so a value is read before its place is taken.
            for (to, &row) in rows.iter().enumerate() {
                column[to] = column[index(row)];
            }
            column.truncate(rows.len());
        }
    }
}

/// The position of a row in a list.
pub(super) fn index(row: u32) -> usize {
    usize::try_from(row).expect("32 bits fit a pointer's size")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn conditions_narrow_one_another() {
        let mut selection = Selection::All;
        selection.narrow(&[1, 2, 3, 4, 5, 6], |n| n % 2 == 0);
        assert_eq!(selection, Selection::Rows(vec![1, 3, 5]));
        selection.narrow(&[9, 9, 9, 1, 9, 9], |n| n == 9);
        assert_eq!(selection, Selection::Rows(vec![1, 5]));
        assert!(!selection.is_empty());
        let mut column = vec!['a', 'b', 'c', 'd', 'e', 'f'];
        selection.apply(&mut column);
        assert_eq!(column, ['b', 'f']);
        selection.narrow(&[0; 6], |n| n == 1);
        assert!(selection.is_empty());
    }

    #[test]
    fn all_rows_stay_all() {
        let mut column = vec![1, 2];
        Selection::All.apply(&mut column);
        assert_eq!(column, [1, 2]);
        let mut absent: Vec<u8> = Vec::new();
        Selection::Rows(vec![7]).apply(&mut absent);
        assert!(absent.is_empty());
    }
}
