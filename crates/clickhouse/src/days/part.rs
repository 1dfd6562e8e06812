//! The visits of a day that totals are of.

use slugline_analytics::utc::whole_days;
use slugline_domain::{Bots, Choice, Dimension, VisitFilter, split_key};

use crate::sql::text;

/// The segments of a day's visits: all, those of people and those of bots.
pub(crate) const SEGMENTS: [u8; 3] = [ALL, PEOPLE, BOTS];
const ALL: u8 = 0;
const PEOPLE: u8 = 1;
const BOTS: u8 = 2;

/// An expression of the segments that a visit belongs to, each a row.
pub(crate) fn segments() -> String {
    let kinds = Bots::KINDS.map(text).join(", ");
    format!("arrayJoin([{ALL}, if(browser_type IN ({kinds}), {BOTS}, {PEOPLE})])")
}

/// The segment that meets a condition.
fn segment_of(condition: &(Dimension, Choice<String>)) -> Option<u8> {
    let segments = [(Bots::Exclude, PEOPLE), (Bots::Only, BOTS)];
    let mut segments = segments.into_iter();
    let meets = |bots: Bots| bots.condition().as_ref() == Some(condition);
    segments.find_map(|(bots, segment)| meets(bots).then_some(segment))
}

/// The visits that a question is about, if the totals of whole days can answer it.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct Part {
    link: Option<String>,
    slug: Option<String>,
    domain: Option<String>,
    segment: u8,
    /// The first and the last day of UTC that lie wholly in the time range.
    days: (i64, i64),
}

impl Part {
    /// `None` if the question has other conditions than one link, one slug or one domain, the
    /// treatment of bots and those on the column that it ranks.
    pub(crate) fn of(filter: &VisitFilter, ranked: Option<Dimension>) -> Option<Self> {
        let mut part = Self::default();
        if !filter.links.is_everything() {
            part.link = Some(only(&filter.links)?.as_str().to_owned());
        }
        for condition in &filter.values {
            let (dimension, choice) = condition;
            if Some(*dimension) == ranked || *dimension == Dimension::Domain {
                continue;
            }
            if let (Some(segment), ALL) = (segment_of(condition), part.segment) {
                part.segment = segment;
            } else if *dimension == Dimension::Slug && part.slug.is_none() {
                // The totals of all and of domains have no slug.
                part.slug = Some(only(choice)?.clone()).filter(|slug| !slug.is_empty());
                part.slug.as_ref()?;
            } else {
                return None;
            }
        }
        if let Some(domain) = domain_of(filter).filter(|_| ranked != Some(Dimension::Domain)) {
            let domain = only(&domain)?;
            match &part.slug {
                // It is a part of the slug's key.
                Some(key) if split_key(key).0 == domain => {}
                None if part.link.is_none() => part.domain = Some(domain.clone()),
                // A link's visits are together, so a scan finds them fast.
                Some(_) | None => return None,
            }
        }
        part.days = whole_days(filter.millis())?;
        Some(part)
    }

    /// The condition on rows of `slugline_day`.
    pub(crate) fn condition(&self) -> String {
        let link = match (&self.link, &self.domain) {
            (None, Some(domain)) => format!("link_id IN ('', {})", text(&key_of(domain))),
            (None, None) if self.slug.is_none() => "link_id = ''".to_owned(),
            (None, None) => "link_id != ''".to_owned(),
            (Some(link), _) => format!("link_id = {}", text(link)),
        };
        let slug = self.slug.as_ref();
        let slug = slug.map_or_else(String::new, |slug| format!(" AND slug = {}", text(slug)));
        format!(
            "{link}{slug} AND {} AND {}",
            self.is_of_segment(),
            self.is_of_days()
        )
    }

    /// The domain that the question is about, if totals are to be found by it.
    pub(crate) fn domain(&self) -> Option<&str> {
        self.domain.as_deref()
    }

    pub(crate) fn is_of_days(&self) -> String {
        let (first, last) = self.days;
        format!("day >= {first} AND day <= {last}")
    }

    pub(crate) fn is_of_segment(&self) -> String {
        format!("segment = {}", self.segment)
    }
}

/// The conditions on domains together; `None` without any.
fn domain_of(filter: &VisitFilter) -> Option<Choice<String>> {
    let of_domain = |(dimension, _): &&(Dimension, _)| *dimension == Dimension::Domain;
    let choices = filter.values.iter().filter(of_domain);
    let choices = choices.map(|(_, choice)| choice.clone());
    choices.reduce(Choice::and)
}

/// The key of a domain's totals in place of a link's. No link's identity has a slash.
pub(crate) fn key_of(domain: &str) -> String {
    format!("/{domain}")
}

fn only<T: Ord>(choice: &Choice<T>) -> Option<&T> {
    match choice {
        Choice::AnyOf(values) if values.len() == 1 => values.first(),
        Choice::AnyOf(_) | Choice::NoneOf(_) => None,
    }
}

#[cfg(test)]
mod tests {
    use slugline_domain::{LinkId, UnixSeconds};

    use super::*;

    fn filter(values: Vec<(Dimension, Choice<String>)>) -> VisitFilter {
        VisitFilter {
            from: UnixSeconds::new(86_400).ok(),
            until: UnixSeconds::new(4 * 86_400).ok(),
            values,
            ..VisitFilter::default()
        }
    }

    fn is(dimension: Dimension, value: &str) -> (Dimension, Choice<String>) {
        (dimension, Choice::any_of([value.to_owned()]))
    }

    #[test]
    fn a_part_is_of_whole_days() {
        let part = Part::of(&filter(Vec::new()), None).unwrap();
        assert_eq!(part.days, (1, 3));
        assert_eq!(
            part.condition(),
            "link_id = '' AND segment = 0 AND day >= 1 AND day <= 3"
        );
        let day = |first: i64, last: i64| VisitFilter {
            from: UnixSeconds::new(first).ok(),
            until: UnixSeconds::new(last).ok(),
            ..VisitFilter::default()
        };
        assert_eq!(Part::of(&day(0, 86_399), None).unwrap().days, (0, 0));
        assert_eq!(Part::of(&day(1, 86_399), None), None);
        assert_eq!(Part::of(&day(0, 86_398), None), None);
    }

    #[test]
    fn people_and_one_link_are_parts_and_other_conditions_are_not() {
        let people = Bots::Exclude.condition().unwrap();
        let mut asked = filter(vec![people.clone(), is(Dimension::Slug, "it's")]);
        asked.links = Choice::any_of([LinkId::parse("a").unwrap()]);
        let condition = Part::of(&asked, None).unwrap().condition();
        assert!(
            condition.starts_with(r"link_id = 'a' AND slug = 'it\'s' AND segment = 1 AND"),
            "{condition}"
        );
        let bots = filter(vec![Bots::Only.condition().unwrap()]);
        let condition = Part::of(&bots, None).unwrap().condition();
        assert!(condition.contains("segment = 2"), "{condition}");
        for values in [
            vec![is(Dimension::Country, "DE")],
            vec![people.clone(), Bots::Only.condition().unwrap()],
            vec![is(Dimension::Slug, "a"), is(Dimension::Slug, "b")],
            vec![(Dimension::Slug, Choice::none_of(["a".to_owned()]))],
        ] {
            assert_eq!(Part::of(&filter(values), None), None);
        }
        let ranked = filter(vec![is(Dimension::Country, "DE"), people.clone()]);
        assert!(Part::of(&ranked, Some(Dimension::Country)).is_some());
        assert_eq!(Part::of(&ranked, Some(Dimension::City)), None);
    }

    #[test]
    fn a_domain_is_a_part_alone_and_as_that_of_a_slug() {
        let on_domain = is(Dimension::Domain, "go.example");
        let but_default = (Dimension::Domain, Choice::none_of([String::new()]));
        let condition = "link_id IN ('', '/go.example') AND segment = 0 AND";
        for values in [
            vec![on_domain.clone()],
            vec![but_default.clone(), on_domain.clone()],
        ] {
            let part = Part::of(&filter(values), None).unwrap();
            assert!(part.condition().starts_with(condition), "{part:?}");
            assert_eq!(part.domain(), Some("go.example"));
        }
        let default = Part::of(&filter(vec![is(Dimension::Domain, "")]), None).unwrap();
        assert!(default.condition().starts_with("link_id IN ('', '/') AND"));
        let slug = |key| filter(vec![is(Dimension::Slug, key), on_domain.clone()]);
        let part = Part::of(&slug("go.example/a"), None).unwrap();
        assert!(
            part.condition()
                .starts_with("link_id != '' AND slug = 'go.example/a' AND")
        );
        let of_link = VisitFilter {
            values: vec![on_domain.clone()],
            ..slug("go.example/a")
        };
        let of_link = VisitFilter {
            links: Choice::any_of([LinkId::parse("a").unwrap()]),
            ..of_link
        };
        let both = Choice::any_of(["", "go.example"].map(str::to_owned));
        for scanned in [
            slug("a"),
            of_link,
            filter(vec![but_default]),
            filter(vec![(Dimension::Domain, both)]),
            filter(vec![is(Dimension::Slug, "")]),
        ] {
            assert_eq!(Part::of(&scanned, None), None, "{scanned:?}");
        }
        let ranked = Part::of(&filter(vec![on_domain]), Some(Dimension::Domain));
        assert_eq!(ranked.unwrap().domain(), None);
    }
}
