//! The question for places.

use slugline_domain::{Degrees, LocationRow, LocationsQuery};

use crate::{
    answer::WithTotal,
    row_binary::{Cursor, DecodeError},
    sql::asked,
};

/// The statement; [`read`] reads its rows. Unknown places come last instead of
/// being left out, because their visits are among the others; [`is_known`] recognises them.
pub(crate) fn statement(query: &LocationsQuery) -> String {
    let asked = asked(&query.filter);
    let limit = query.limit.get();
    format!(
        "SELECT city, latitude, longitude, v, countIf(known) OVER () AS n, \
                sum(v) OVER () AS total FROM \
            (SELECT city, latitude, longitude, latitude != 0 AND longitude != 0 AS known, \
                    sum(sampling_interval) AS v \
             FROM {asked} GROUP BY city, latitude, longitude) \
         ORDER BY known DESC, v DESC, city, latitude, longitude LIMIT {limit}"
    )
}

pub(crate) fn read(row: &mut Cursor<'_>) -> Result<WithTotal<LocationRow>, DecodeError> {
    let place = LocationRow {
        city: row.text()?,
        latitude: row.degrees()?,
        longitude: row.degrees()?,
        count: row.u64()?,
    };
    WithTotal::read(place, row)
}

pub(crate) fn is_known(place: &LocationRow) -> bool {
    place.latitude != Degrees::ZERO && place.longitude != Degrees::ZERO
}
