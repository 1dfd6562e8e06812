//! The question for places.

use slugline_domain::{Degrees, Dimension, LocationRow, LocationsQuery};

use super::{
    answer::Answer,
    columns::{Column, Family, text_of},
    error::EngineError,
    filter::RowFilter,
    groups::{Ranking, visits_of_entries},
    scan::Snapshot,
};

/// Works the rows out.
pub(super) fn answer(
    snapshot: &Snapshot<'_>,
    query: &LocationsQuery,
) -> Result<Answer<LocationRow>, EngineError> {
    let filter = RowFilter::resolve(snapshot.db(), &query.filter)?;
    let shown = [Dimension::City, Dimension::Latitude, Dimension::Longitude].map(text_of);
    let mut ranking = Ranking::default();
    let interval_max = snapshot.scan(&filter, &shown.map(Column::Text), |block| {
        let [cities, latitudes, longitudes] = shown.map(|column| block.texts(column));
        for (entry, &visits) in (0..).zip(&visits_of_entries(block, Family::Place)) {
            let (city, latitude, longitude) = (
                cities.get(entry),
                latitudes.get(entry),
                longitudes.get(entry),
            );
            let is_known = |degrees: &str| degrees != "0.00";
            if visits > 0 && is_known(latitude) && is_known(longitude) {
                ranking.add(visits, (city, latitude, longitude), || {
                    (city.to_owned(), degrees(latitude), degrees(longitude))
                });
            }
        }
        Ok(())
    })?;
    let (rows, all) = ranking.finish(query.limit);
    Ok(Answer {
        rows,
        rows_before_limit: all,
        interval_max,
        sketched: false,
    }
    .map(|((city, latitude, longitude), count)| LocationRow {
        city,
        latitude,
        longitude,
        count,
    }))
}

/// The number of degrees that a text of a column says.
pub(super) fn degrees(text: &str) -> Degrees {
    text.parse().map_or(Degrees::ZERO, Degrees::nearest)
}
