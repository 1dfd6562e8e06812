//! The question for places.

use slugline_domain::{Dimension, LocationRow, LocationsQuery};

use super::Answer;
use crate::engine::{
    read::{filter::RowFilter, groups::Ranking, shown_visitors::degrees, snapshot::Snapshot},
    store::{columns::text_of, error::EngineError},
};

/// Works the rows out.
pub(crate) fn answer(
    snapshot: &Snapshot<'_>,
    query: &LocationsQuery,
) -> Result<Answer<LocationRow>, EngineError> {
    let mut filter = RowFilter::resolve(snapshot.db(), &query.filter)?;
    let shown = [Dimension::City, Dimension::Latitude, Dimension::Longitude].map(text_of);
    let (mut ranking, interval_max) = Ranking::count(snapshot, &mut filter, shown)?;
    let is_known = |degrees: &str| degrees != "0.00";
    let first = ranking.first(query.limit, |[city, latitude, longitude]| {
        let has_place = is_known(latitude) && is_known(longitude);
        has_place.then(|| (city, degrees(latitude), degrees(longitude)))
    });
    Ok(
        Answer::of(first, interval_max).map(|((city, latitude, longitude), count)| LocationRow {
            city: city.to_owned(),
            latitude,
            longitude,
            count,
        }),
    )
}
