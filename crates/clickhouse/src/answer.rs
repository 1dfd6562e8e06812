//! Parts that several questions share.

use std::collections::BTreeMap;

use slugline_analytics::moments::Crowd;
use slugline_domain::Variance;

use crate::row_binary::{Cursor, DecodeError};

/// Visits and visitors of a group, once rows are grouped by visitor too: `v`
/// adds up to visits, and `u` to visitors. A visitor without a coherent row counts zero.
pub(crate) const OF_EACH_VISITOR: &str =
    "sum(sampling_interval) AS v, minIf(sampling_interval, coherent = 1) AS u";

/// The same, with the parts of the variance: of the sampled rows that the visitor's luck decided
/// about, `s` is the sum of intervals and `n` the number; `c` is the variance of those that chance
/// decided about.
pub(crate) const OF_EACH_VARYING_VISITOR: &str = "sum(sampling_interval) AS v, \
    minIf(sampling_interval, coherent = 1) AS u, \
    sumIf(sampling_interval, coherent = 1 AND sampling_interval > 1) AS s, \
    countIf(coherent = 1 AND sampling_interval > 1) AS n, \
    sumIf(toUInt64(sampling_interval) * (sampling_interval - 1), coherent = 0) AS c";

/// Two columns over the visitors of a group: the variance of visits and of visitors.
pub(crate) const VARIANCE: &str =
    "toUInt64(sum(s * (s - n) + c)), toUInt64(sum(if(u > 1, toUInt64(u) * (u - 1), 0)))";

/// Reads the columns of [`VARIANCE`].
pub(crate) fn variance(row: &mut Cursor<'_>) -> Result<Variance, DecodeError> {
    Ok(Variance {
        visits: row.u64()?,
        visitors: row.u64()?,
    })
}

/// Reads the sums of `v` and `u`, and the columns of [`VARIANCE`].
pub(crate) fn crowd(row: &mut Cursor<'_>) -> Result<Crowd, DecodeError> {
    Ok(Crowd {
        visits: row.u64()?,
        visitors: row.u64()?,
        variance: variance(row)?,
    })
}

/// Adds the crowds of each key. No visitor is in two of them.
pub(crate) fn add_up<K: Ord>(crowds: impl Iterator<Item = (K, Crowd)>) -> BTreeMap<K, Crowd> {
    let mut sums: BTreeMap<K, Crowd> = BTreeMap::new();
    for (key, crowd) in crowds {
        *sums.entry(key).or_default() += crowd;
    }
    sums
}

/// The referring hosts of a visitor, for `uniqExactArray(r)` to count.
pub(crate) const REFERERS_OF_EACH_VISITOR: &str = "groupUniqArrayIf(referer, referer != '') AS r";

/// A row of a limited table, with the number of all rows and their visits.
#[derive(Debug)]
pub(crate) struct WithTotal<R> {
    pub(crate) row: R,
    all: u64,
    visits: u64,
}

impl<R> WithTotal<R> {
    pub(crate) fn read(row: R, cursor: &mut Cursor<'_>) -> Result<Self, DecodeError> {
        Ok(Self {
            row,
            all: cursor.u64()?,
            visits: cursor.u64()?,
        })
    }
}

/// The number of rows without the limit, and their visits.
pub(crate) fn beyond_limit<R>(rows: &[WithTotal<R>]) -> (u64, u64) {
    let first = rows.first();
    first.map_or((0, 0), |row| (row.all, row.visits))
}
