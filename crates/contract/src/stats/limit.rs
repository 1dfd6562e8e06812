//! The limit on the rows of an answer.

use schemars::JsonSchema;
use serde::Deserialize;
use slugline_application::TaggedQuery;
use slugline_domain::{EventsQuery, LocationsQuery, RowLimit};

use super::filter::AnalyticsFilter;
use crate::{Problem, bounds::Bounds, scalars::IntOrString, sent::Sent, validation::Validation};

/// The largest and the default number of rows in the schemas of the wire types, which
/// [`schema::settings`](crate::schema::settings) replaces by the instance's own.
pub(crate) const DEFAULT_ROWS: u32 = RowLimit::DEFAULT.get();

/// Which visits, and how many rows at most.
#[derive(Clone, Debug, Default, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", default)]
pub struct LimitedRequest {
    /// Rows at most.
    #[schemars(range(min = 1, max = DEFAULT_ROWS), extend("default" = DEFAULT_ROWS))]
    pub limit: Sent<IntOrString>,
    /// Which visits.
    #[serde(flatten)]
    pub filter: AnalyticsFilter,
}

impl LimitedRequest {
    /// Makes a query for the latest visits from the members.
    ///
    /// # Errors
    /// Lists every member that is invalid.
    pub fn check_events(&self, bounds: &Bounds) -> Result<TaggedQuery<EventsQuery>, Problem> {
        self.filter.query(|validation, filter| {
            let limit = limit(validation, &self.limit, bounds);
            Some(EventsQuery { filter, limit })
        })
    }

    /// Makes a query for places from the members.
    ///
    /// # Errors
    /// Lists every member that is invalid.
    pub fn check_locations(&self, bounds: &Bounds) -> Result<TaggedQuery<LocationsQuery>, Problem> {
        let asked = self.check_events(bounds)?;
        Ok(asked.map(|EventsQuery { filter, limit, .. }| LocationsQuery { filter, limit }))
    }
}

/// Returns the limit that was sent, or the instance's own.
pub(super) fn limit(
    validation: &mut Validation,
    sent: &Sent<IntOrString>,
    bounds: &Bounds,
) -> RowLimit {
    let max = bounds.rows_max;
    let rows = validation.optional(&["limit"], sent, |IntOrString(rows)| {
        RowLimit::new(*rows, max)
    });
    rows.unwrap_or(max)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{
        faults::faults,
        reader::{query_to_json, read},
    };

    #[test]
    fn the_limit_of_the_instance_is_the_largest_and_the_usual_one() {
        let bounds = Bounds {
            rows_max: RowLimit::new(30, RowLimit::MAX).unwrap(),
            ..Bounds::default()
        };
        let limit = |query| {
            let request = read::<LimitedRequest>(&query_to_json(query)).unwrap();
            request
                .check_locations(&bounds)
                .map(|asked| asked.query.limit.get())
        };
        assert_eq!(limit(""), Ok(30));
        assert_eq!(limit("limit=7"), Ok(7));
        for (wrong, message) in [
            ("limit=0", "Too small: expected number to be >=1"),
            ("limit=", "Too small: expected number to be >=1"),
            ("limit=31", "Too big: expected number to be <=30"),
        ] {
            let fault = ("limit".to_owned(), message.to_owned());
            assert_eq!(faults(limit(wrong)), [fault]);
        }
    }
}
