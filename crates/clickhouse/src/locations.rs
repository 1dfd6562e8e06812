//! The question for places.

use slugline_domain::{Degrees, LocationRow, LocationsQuery};

use crate::{
    answer::WithTotal,
    days::{PLACE, Rest, Wanted},
    row_binary::{Cursor, DecodeError},
};

/// The parts of day totals that the question needs.
pub(crate) const WANTED: Wanted = Wanted {
    list: Some(PLACE),
    ranked: None,
    visitors: false,
};

/// The statement; [`read`] reads its rows. Unknown places come last instead of
/// being left out, because their visits are among the others; [`is_known`] recognises them.
pub(crate) fn statement(query: &LocationsQuery, rest: &Rest) -> String {
    let limit = query.limit.get();
    let rows = rest.rows(
        &query.filter,
        |asked| {
            format!(
                "SELECT city, latitude, longitude, sum(sampling_interval) AS part \
                 FROM {asked} GROUP BY city, latitude, longitude"
            )
        },
        of_values,
    );
    format!(
        "SELECT city, latitude, longitude, v, countIf(known) OVER () AS n, \
                sum(v) OVER () AS total FROM \
            (SELECT city, latitude, longitude, latitude != 0 AND longitude != 0 AS known, \
                    sum(part) AS v FROM ({rows}) GROUP BY city, latitude, longitude) \
         ORDER BY known DESC, v DESC, city, latitude, longitude LIMIT {limit}"
    )
}

/// The places of days with totals.
fn of_values(values: &str) -> String {
    let part = |number| format!("splitByChar(' ', value)[{number}]");
    let city = "substring(value, length(p) + length(q) + 3)";
    format!(
        "SELECT {city} AS city, toDecimal32OrZero({p} AS p, 2) AS latitude, \
                toDecimal32OrZero({q} AS q, 2) AS longitude, visits AS part FROM {values}",
        p = part(1),
        q = part(2)
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
