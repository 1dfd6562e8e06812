//! The rows of each link of a chunk.

use super::{
    selection::{Selection, index},
    values::Values,
};

/// The links of a chunk's rows, in order.
#[derive(Debug, Default)]
pub(crate) struct LinkRuns {
    pub(crate) links: Vec<i64>,
    /// The end of each link's run: the index after its last row.
    pub(crate) ends: Vec<u32>,
}

impl LinkRuns {
    /// The rows of links that meet a condition.
    pub(crate) fn select(&self, meets: impl Fn(i64) -> bool) -> Selection {
        let mut chosen = Vec::new();
        let mut start = 0;
        for (&link, &end) in self.links.iter().zip(&self.ends) {
            if meets(link) {
                chosen.extend(start..end);
            }
            start = end;
        }
        if chosen.len() == index(start) {
            Selection::All
        } else {
            Selection::Rows(chosen)
        }
    }

    pub(crate) fn links(&self) -> &[i64] {
        &self.links
    }

    pub(crate) fn of_rows(&self, rows: &Selection) -> Values<i64> {
        spread(&self.ends, rows, |run| self.links[run])
    }
}

/// Gives each selected row the value of its run.
pub(crate) fn spread<T: Copy>(
    ends: &[u32],
    rows: &Selection,
    of: impl Fn(usize) -> T,
) -> Values<T> {
    if ends.len() == 1 {
        return Values::Same(of(0));
    }
    Values::Each(match rows {
        Selection::All => {
            let mut each = Vec::with_capacity(ends.last().copied().map_or(0, index));
            for (run, &end) in ends.iter().enumerate() {
                each.resize(index(end), of(run));
            }
            each
        }
        Selection::Rows(rows) => {
            let mut run = 0;
            let of_row = |row: &u32| {
                run += ends[run..].partition_point(|end| end <= row);
                of(run)
            };
            rows.iter().map(of_row).collect()
        }
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rows_of_links_are_found_by_their_runs() {
        let runs = LinkRuns {
            links: vec![2, 5, 9],
            ends: vec![3, 4, 6],
        };
        let rows = |rows: &[u32]| Selection::Rows(rows.to_vec());
        assert_eq!(runs.select(|link| link != 5), rows(&[0, 1, 2, 4, 5]));
        assert_eq!(runs.select(|_| true), Selection::All);
        let all = Values::Each(vec![2, 2, 2, 5, 9, 9]);
        assert_eq!(runs.of_rows(&Selection::All), all);
        assert_eq!(runs.of_rows(&rows(&[1, 3, 5])), Values::Each(vec![2, 5, 9]));
        let one = LinkRuns {
            links: vec![7],
            ends: vec![2],
        };
        assert_eq!(one.of_rows(&Selection::All), Values::Same(7));
    }
}
