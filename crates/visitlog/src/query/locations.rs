//! The question for places.

use slugline_analytics::columns::text_of;
use slugline_domain::{Dimension, LocationRow, LocationsQuery};

use super::{answer::Answer, filter::RowFilter, groups::Ranking, shown_visitors::degrees};
use crate::file::{error::EngineError, snapshot::Snapshot};

/// Computes the rows.
pub(crate) fn answer(
    snapshot: &Snapshot<'_>,
    query: &LocationsQuery,
) -> Result<Answer<LocationRow>, EngineError> {
    let filter = RowFilter::resolve(snapshot.db(), &query.filter)?;
    let shown = [Dimension::City, Dimension::Latitude, Dimension::Longitude].map(text_of);
    let mut ranking = Ranking::count(snapshot, &filter, shown)?;
    let is_known = |degrees: &str| degrees != "0.00";
    let first = ranking.first(query.limit, |[city, latitude, longitude]| {
        let has_place = is_known(latitude) && is_known(longitude);
        has_place.then(|| (city, degrees(latitude), degrees(longitude)))
    });
    Ok(
        Answer::of(first).map(|((city, latitude, longitude), count)| LocationRow {
            city: city.to_owned(),
            latitude,
            longitude,
            count,
        }),
    )
}
