//! The filter of visits in every query.

use schemars::JsonSchema;
use serde::Deserialize;
use slugline_application::TaggedQuery;
use slugline_domain::{
    Bots, Choice, Dimension, DimensionKind, LinkId, Tag, UnixSeconds, VisitFilter,
};

use super::{
    choice::{self, NONE},
    dimension::ValueFilters,
};
use crate::{
    Problem,
    issue::{Explain, IssueCode},
    scalars::{MomentError, UnixTime},
    sent::{Sent, options, same_variants},
    validation::Validation,
};

/// The most tags that a query can name.
pub const MAX_TAGS: usize = 100;

/// Which visits. Members take comma-separated lists of exact values, to include
/// or, with `!` in front of each, to exclude; a visit must match every member
/// that is given.
#[derive(Clone, Debug, Default, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", default)]
pub struct AnalyticsFilter {
    /// Link ids.
    #[schemars(extend("x-obvious" = true))]
    pub id: Sent<String>,
    /// Values of dimensions.
    #[serde(flatten)]
    pub values: ValueFilters,
    /// First moment; 0 for any.
    pub start_at: Sent<UnixTime>,
    /// Last moment or day; 0 for any.
    pub end_at: Sent<UnixTime>,
    /// Tags of links today.
    #[schemars(extend("x-obvious" = true))]
    pub tag: Sent<String>,
    /// Visits of bots.
    #[schemars(extend("default" = "include", "x-obvious" = true))]
    pub bots: Sent<BotsName>,
}

/// The treatment of visits of bots.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
#[schemars(inline)]
pub enum BotsName {
    /// Count them like any other.
    Include,
    /// Leave them out.
    Exclude,
    /// Count nothing else.
    Only,
}

options!(BotsName);

same_variants!(BotsName => Bots: Include, Exclude, Only);

impl AnalyticsFilter {
    /// Makes domain values of the members.
    ///
    /// # Errors
    /// Lists every member that is invalid.
    pub fn validate(&self) -> Result<TaggedQuery<VisitFilter>, Problem> {
        self.query(|_, filter| Some(filter))
    }

    /// Makes a query of the filter. `query` reads what else the query needs; it returns `None`
    /// only after it noted a fault.
    ///
    /// # Errors
    /// Lists every member that is invalid.
    pub(crate) fn query<Q>(
        &self,
        query: impl FnOnce(&mut Validation, VisitFilter) -> Option<Q>,
    ) -> Result<TaggedQuery<Q>, Problem> {
        let mut validation = Validation::default();
        let filter = self.filter(&mut validation);
        let tags = self.tags(&mut validation);
        let query = query(&mut validation, filter);
        validation.finish(|| query.map(|query| TaggedQuery { query, tags }))
    }

    /// Returns the filter, which is valid only if no fault was noted.
    fn filter(&self, validation: &mut Validation) -> VisitFilter {
        let from = moment(validation, "startAt", &self.start_at, UnixTime::first);
        let until = moment(validation, "endAt", &self.end_at, UnixTime::last);
        validation.in_order(("startAt", from), ("endAt", until));
        let links = parsed(validation, "id", &self.id, false, LinkId::parse);
        let mut values = Vec::new();
        for (dimension, sent) in self.values.iter() {
            if dimension == Dimension::Domain && is_all_domains(sent) {
                continue;
            }
            let choice = match dimension.kind() {
                DimensionKind::Country => {
                    parsed(validation, dimension.name(), sent, false, choice::country)
                }
                DimensionKind::Zone => {
                    parsed(validation, dimension.name(), sent, false, choice::zone)
                }
                DimensionKind::Text | DimensionKind::Degrees | DimensionKind::Visitor => {
                    texts(validation, dimension, sent)
                }
            };
            if !choice.is_everything() {
                values.push((dimension, choice));
            }
        }
        let bots = validation.value(&["bots"], &self.bots).copied();
        values.extend(bots.and_then(|bots| Bots::from(bots).condition()));
        // The use cases decide from the caller which destinations are hidden.
        VisitFilter {
            from,
            until,
            links,
            values,
            ..VisitFilter::default()
        }
    }

    /// Returns the tags, which are valid only if no fault was noted.
    fn tags(&self, validation: &mut Validation) -> Choice<Tag> {
        let tags = parsed(validation, "tag", &self.tag, true, Tag::parse);
        let (Choice::AnyOf(named) | Choice::NoneOf(named)) = &tags;
        if named.iter().any(|tag| tag.as_str() == NONE) {
            let message = format!("{NONE} is not a tag");
            let fault = (IssueCode::InvalidValue, message, "names of tags".into());
            validation.note(&["tag"], fault);
        }
        if named.len() > MAX_TAGS {
            let message = format!("names {} tags", named.len());
            let fault = (
                IssueCode::TooBig,
                message,
                format!("at most {MAX_TAGS} tags"),
            );
            validation.note(&["tag"], fault);
        }
        tags
    }
}

fn moment(
    validation: &mut Validation,
    member: &str,
    sent: &Sent<UnixTime>,
    end: fn(&UnixTime) -> Result<UnixSeconds, MomentError>,
) -> Option<UnixSeconds> {
    let moment = validation.value(&[member], sent)?;
    if moment.is_zero() {
        return None;
    }
    validation.member(&[member], end(moment))
}

/// Returns whether a filter names every domain, as listings of links write it.
fn is_all_domains(sent: &Sent<String>) -> bool {
    matches!(sent, Sent::Value(text) if text.trim() == "*")
}

/// Returns a choice among the texts of a dimension; everything, if none was sent.
fn texts(validation: &mut Validation, dimension: Dimension, sent: &Sent<String>) -> Choice<String> {
    let member = dimension.name();
    let Some(text) = validation.value(&[member], sent) else {
        return Choice::default();
    };
    if text.chars().any(char::is_control) {
        let message = "holds a control character".into();
        let fault = (IssueCode::InvalidFormat, message, "plain text".into());
        validation.note(&[member], fault);
    }
    match choice::read(text, dimension) {
        Ok(choice) => choice.unwrap_or_default(),
        Err(error) => {
            validation.note(&[member], error.explain());
            Choice::default()
        }
    }
}

/// Returns a choice among parsed values; everything, if none was sent.
fn parsed<T: Ord, E: Explain>(
    validation: &mut Validation,
    member: &str,
    sent: &Sent<String>,
    may_hold_commas: bool,
    parse: impl Fn(&str) -> Result<T, E>,
) -> Choice<T> {
    let text = validation.value(&[member], sent);
    let choice = match choice::choose(text.map_or("", String::as_str), may_hold_commas) {
        Ok(choice) => choice.unwrap_or_default(),
        Err(error) => {
            validation.note(&[member], error.explain());
            return Choice::default();
        }
    };
    let (included, texts) = match choice {
        Choice::AnyOf(texts) => (true, texts),
        Choice::NoneOf(texts) => (false, texts),
    };
    let mut values = Vec::new();
    for text in texts {
        let value = parse(&text);
        // The whole list is only one possible reading, so its failure is no fault.
        if value.is_ok() || !(included && text.contains(',')) {
            values.extend(validation.member(&[member], value));
        }
    }
    if included {
        Choice::any_of(values)
    } else {
        Choice::none_of(values)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{
        faults::paths,
        reader::{query_to_json, read},
    };

    fn filter(query: &str) -> Result<TaggedQuery<VisitFilter>, Problem> {
        read::<AnalyticsFilter>(&query_to_json(query))?.validate()
    }

    fn texts(values: &[&str]) -> Choice<String> {
        Choice::any_of(values.iter().map(|&value| value.to_owned()))
    }

    #[test]
    fn a_domain_is_a_value_like_others_and_a_star_means_every_one() {
        let values = |query| filter(query).unwrap().query.values;
        let go = (Dimension::Domain, texts(&["go.example"]));
        let slug = (Dimension::Slug, texts(&["a"]));
        assert_eq!(values("slug=a&domain=go.example"), [slug, go]);
        assert_eq!(values("domain=*"), []);
    }

    #[test]
    fn lists_are_split_and_empty_pieces_ignored() {
        let asked = filter("id=a,,b&startAt=5&endAt=0&slug=&os=Windows").unwrap();
        let id = |text| LinkId::parse(text).unwrap();
        assert_eq!(asked.query.links, Choice::any_of([id("a"), id("b")]));
        assert_eq!(asked.query.from.map(UnixSeconds::get), Some(5));
        assert_eq!(asked.query.until, None);
        assert_eq!(asked.query.values, [(Dimension::Os, texts(&["Windows"]))]);
        let with_comma = filter("city=Berlin,Germany").unwrap();
        assert_eq!(
            with_comma.query.values,
            [(
                Dimension::City,
                texts(&["Berlin", "Germany", "Berlin,Germany"])
            )]
        );
        let excluded = filter("id=!a,!b").unwrap();
        assert_eq!(excluded.query.links, Choice::none_of([id("a"), id("b")]));
        assert_eq!(filter("").unwrap(), TaggedQuery::default());
        assert_eq!(filter("id=,&tag=%20&os=,").unwrap(), TaggedQuery::default());
    }

    #[test]
    fn bots_are_a_condition_on_the_kind_of_browser() {
        let values = |query| filter(query).unwrap().query.values;
        let kinds = ["crawler", "fetcher"].map(str::to_owned);
        assert_eq!(values("bots=include"), []);
        assert_eq!(
            values("bots=exclude"),
            [(Dimension::BrowserType, Choice::none_of(kinds.clone()))]
        );
        assert_eq!(
            values("bots=only&browserType=cli"),
            [
                (Dimension::BrowserType, texts(&["cli"])),
                (Dimension::BrowserType, Choice::any_of(kinds))
            ]
        );
        let issue = &filter("bots=no").unwrap_err().issues[0];
        assert_eq!(issue.path, ["bots"]);
        assert_eq!(issue.expected, r#"one of "include"|"exclude"|"only""#);
    }

    #[test]
    fn countries_are_codes_in_any_case() {
        let values = |query| filter(query).unwrap().query.values;
        let codes = |codes: &[&str]| [(Dimension::Country, texts(codes))];
        assert_eq!(values("country=de"), codes(&["DE"]));
        assert_eq!(values("country=DE,%20fr"), codes(&["DE", "FR"]));
        assert_eq!(values("country=(none),DE"), codes(&["", "DE"]));
        assert_eq!(
            values("country=!(none),!de"),
            [(
                Dimension::Country,
                Choice::none_of([String::new(), "DE".to_owned()])
            )]
        );
        assert_eq!(values("country=&timezone=,"), []);
    }

    #[test]
    fn campaigns_are_filtered_like_other_texts() {
        let values = |query| filter(query).unwrap().query.values;
        assert_eq!(
            values("utmSource=a,b&utmMedium=!email&utmCampaign=(none)"),
            [
                (Dimension::UtmSource, texts(&["a", "b", "a,b"])),
                (Dimension::UtmMedium, Choice::none_of(["email".to_owned()])),
                (Dimension::UtmCampaign, texts(&[""])),
            ]
        );
    }

    #[test]
    fn tags_may_hold_commas_and_be_excluded() {
        let tags = |query| filter(query).unwrap().tags;
        let tag = |text| Tag::parse(text).unwrap();
        assert_eq!(tags("tag=News"), Choice::any_of([tag("news")]));
        assert_eq!(
            tags("tag=a,%20b"),
            Choice::any_of([tag("a"), tag("b"), tag("a, b")])
        );
        assert_eq!(tags("tag=!a,!B"), Choice::none_of([tag("a"), tag("b")]));
        assert_eq!(tags("tag=!a,b"), Choice::none_of([tag("a,b")]));
        assert_eq!(tags("tag=!!a"), Choice::any_of([tag("!a")]));
        // The whole list is too long for a tag; its parts are not.
        let long = "x".repeat(20);
        let both = format!("tag={long},y{long}");
        assert_eq!(
            tags(&both),
            Choice::any_of([tag(&long), tag(&format!("y{long}"))])
        );
        let many: Vec<String> = (0..100).map(|number| number.to_string()).collect();
        let many = format!("tag={}", many.join(","));
        assert!(filter(&many).is_ok());
        for wrong in [
            format!("tag={}", "x".repeat(33)),
            "tag=(none)".into(),
            "tag=!(none)".into(),
            "tag=a,!b".into(),
            format!("{many},and-one-more"),
        ] {
            assert_eq!(paths(filter(&wrong)), ["tag"], "{wrong}");
        }
    }

    #[test]
    fn faults_name_the_member() {
        for (query, path) in [
            ("id=a%20b", "id"),
            ("startAt=x", "startAt"),
            ("slug=a%00b", "slug"),
            ("os=a&os=b", "os"),
            ("startAt=5&endAt=4", "endAt"),
            ("country=DE,!FR", "country"),
            ("country=!", "country"),
            ("country=Germany", "country"),
            ("country=DE,Fra", "country"),
            ("country=!D1", "country"),
            ("timezone=Berlin", "timezone"),
            ("startAt=1795413519000", "startAt"),
            ("endAt=1795413519000", "endAt"),
            ("id=a,!b", "id"),
            ("id=!a%20b", "id"),
            ("id=(none)", "id"),
        ] {
            assert_eq!(paths(filter(query)), [path], "{query}");
        }
        let moment = filter("startAt=soon").unwrap_err();
        assert_eq!(
            moment.issues[0].message,
            "Invalid input: expected Unix seconds, or a text such as 2027-01-01T12:00:00Z, \
             received string"
        );
        let all = filter("os=a&os=b&startAt=x&slug=a%00b&id=a%20b");
        assert_eq!(paths(all), ["startAt", "id", "slug", "os"]);
    }
}
