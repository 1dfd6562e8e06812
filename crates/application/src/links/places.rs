//! Tells authors when a condition asks for more than is known of where visitors are.

use slugline_domain::{Link, routing::KnownPlaces};

use super::LinkService;

/// The settings that make places known stand in it, because nothing else helps its reader.
const PLACES_UNKNOWN: &str = "nothing here says where visitors are, so no country, continent, \
    region or city is ever met: set SLUGLINE_GEOIP_PATH to a file of places, or let a proxy in \
    SLUGLINE_TRUSTED_PROXIES send headers with places";

const COUNTRIES_ALONE: &str = "countries are all that is known here of where visitors are, so no \
    region or city is ever met: set SLUGLINE_GEOIP_PATH to a file of cities, or let a proxy in \
    SLUGLINE_TRUSTED_PROXIES send headers with places";

impl LinkService {
    /// The note for the author of these links, if one of them asks where visitors are and nothing
    /// says that.
    pub fn note_on<'l>(&self, links: impl IntoIterator<Item = &'l Link>) -> Option<&'static str> {
        let known = self.parts.known_places;
        let in_vain = |link: &Link| link.content.routing.asks_in_vain(known);
        let note = match known {
            KnownPlaces::Nothing => PLACES_UNKNOWN,
            KnownPlaces::Countries => COUNTRIES_ALONE,
            KnownPlaces::Everything => return None,
        };
        links.into_iter().any(in_vain).then_some(note)
    }
}

#[cfg(test)]
mod tests {
    use rstest::rstest;
    use slugline_domain::{
        Rules,
        routing::{Condition, ConditionKind, Rule},
    };
    use slugline_testkit::{destination, link};

    use crate::links::fixture::fixture;

    #[rstest]
    #[case(ConditionKind::Country, "DE", true)]
    #[case(ConditionKind::Continent, "EU", true)]
    #[case(ConditionKind::Region, "Bavaria", true)]
    #[case(ConditionKind::City, "Berlin", true)]
    #[case(ConditionKind::Language, "de", false)]
    #[case(ConditionKind::Network, "192.0.2.0/24", false)]
    fn conditions_on_places_are_told_and_no_others(
        #[case] kind: ConditionKind,
        #[case] value: &str,
        #[case] told: bool,
    ) {
        let conditions = vec![Condition::parse(kind, false, &[value]).unwrap()];
        let rule = Rule::new(conditions, None, destination("https://r.example/")).unwrap();
        let mut asking = link("docs").build();
        asking.content.routing.rules = Rules::new(vec![rule]).unwrap();
        let note = fixture().links.note_on([&link("other").build(), &asking]);
        assert_eq!(note.is_some(), told);
        assert!(note.is_none_or(|note| note.contains("SLUGLINE_GEOIP_PATH")));
    }
}
