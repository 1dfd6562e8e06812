//! The proof that totals were right when a question had read all that it needs.

use super::fingerprint::{Fingerprint, select};

/// A condition on what ClickHouse has: as long as it holds, an answer with the totals of some days
/// is that of a scan.
///
/// Ask it after the answer was read. Totals may come from memory, and visits may arrive or go while
/// a question reads; a proof notices both.
#[derive(Debug)]
pub(crate) struct Proof(String);

impl Proof {
    /// The days have these `visits`. `visitors` is there if visitors of days were added: all days
    /// up to this one have these visits, and there are so many notes on comparisons. `counts` is
    /// there if values were read: the condition on rows of `slugline_day`, and their counts. A
    /// count whose day changes loses its row before it loses its values.
    pub(crate) fn of(
        visits: &[Fingerprint],
        visitors: Option<(i64, u64)>,
        counts: Option<(String, Vec<u64>)>,
    ) -> Self {
        let days = match visitors {
            Some((last, _)) => format!("day <= {last}"),
            None => format!("day IN ({})", list(visits.iter().map(|day| day.day))),
        };
        // A visit's hash has its moment, so the sum over days says no less than those of each.
        let rows: u64 = visits.iter().map(|day| day.rows).sum();
        let hash = visits.iter().map(|day| day.hash);
        let hash = hash.fold(0, u64::wrapping_add);
        let mut all = vec![format!(
            "(SELECT (sumIf(rows, {days}), sumIf(hash, {days})) = ({rows}, {hash}) FROM ({}))",
            select()
        )];
        if let Some((_, notes)) = visitors {
            all.push(format!(
                "(SELECT count() = {notes} FROM slugline_day_apart)"
            ));
        }
        if let Some((condition, counts)) = counts {
            all.push(format!(
                "(SELECT uniqExact(count) = {} FROM slugline_day WHERE {condition} AND count IN ({}))",
                counts.len(),
                list(counts.iter())
            ));
        }
        Self(format!("ifNull({}, 0)", all.join(" AND ")))
    }

    /// The condition, as an expression.
    pub(crate) fn condition(&self) -> &str {
        &self.0
    }
}

fn list(numbers: impl Iterator<Item = impl ToString>) -> String {
    let numbers: Vec<String> = numbers.map(|number| number.to_string()).collect();
    numbers.join(", ")
}
