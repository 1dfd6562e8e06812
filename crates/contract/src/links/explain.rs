//! A link and a visitor, of whom a client wants to know what they get.

use std::net::IpAddr;

use schemars::{JsonSchema, Schema, SchemaGenerator, json_schema};
use serde::Deserialize;
use serde_json::{Map, Value};
use slugline_application::LinkToExplain;
use slugline_domain::{Country, PathRest, Place, PlaceName, Slug, UnixSeconds};

use super::{
    change::PatchLink,
    create::{CreateLink, UpsertLink},
    key::{host_schema, key},
};
use crate::{
    Problem, bounds::Bounds, issue::IssueCode, reader::read, scalars::Instant, sent::Sent,
    unknown::UnknownNames, validation::Validation,
};

/// A link and a visitor. What is left out about the visitor is unknown, except the moment and what
/// `ip` tells.
#[derive(Clone, Debug, Default, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", default)]
#[schemars(extend("additionalProperties" = false))]
pub struct ExplainLink {
    /// The slug of a stored link. May be left out beside a draft of a new link.
    #[schemars(length(min = 1, max = Slug::MAX_CHARS))]
    pub slug: Sent<String>,
    /// Host of its domain; the default one if left out.
    #[schemars(schema_with = "host_schema")]
    pub domain: Sent<String>,
    /// Members that are not stored yet. Beside `slug` they change the stored link, as in PATCH; alone
    /// they are a new link. Nothing is stored.
    #[schemars(schema_with = "draft_schema")]
    pub draft: Sent<Map<String, Value>>,
    /// The moment of the visit: Unix seconds or RFC 3339; now if left out.
    pub at: Sent<Instant>,
    /// The `User-Agent` header.
    #[schemars(length(max = ExplainLink::MAX_BYTES))]
    pub user_agent: Sent<String>,
    /// The visitor's address. It tells the place, and the side of a split.
    pub ip: Sent<String>,
    /// The visitor's country, as two letters.
    #[schemars(length(equal = 2))]
    pub country: Sent<String>,
    /// The name of the visitor's region.
    #[schemars(length(max = 64))]
    pub region: Sent<String>,
    /// The name of the visitor's city.
    #[schemars(length(max = 64))]
    pub city: Sent<String>,
    /// The `Accept-Language` header, such as `de-AT` or `de;q=0.5, en`.
    #[schemars(length(max = ExplainLink::MAX_BYTES))]
    pub language: Sent<String>,
    /// The query of the short link, such as `ref=poster`.
    #[schemars(length(max = ExplainLink::MAX_BYTES))]
    pub query: Sent<String>,
    /// The page that the visitor came from: a URL, or a host.
    #[schemars(length(max = ExplainLink::MAX_BYTES))]
    pub referrer: Sent<String>,
    /// What stands behind the slug in the path.
    #[schemars(length(max = PathRest::MAX_BYTES))]
    pub path: Sent<String>,
}

/// The visitor whom an explanation is about.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct ImaginedVisitor {
    /// The moment of the visit; `None` for now.
    pub at: Option<UnixSeconds>,
    /// The `User-Agent` header.
    pub user_agent: String,
    /// The address.
    pub address: Option<IpAddr>,
    /// The place, as far as the request names it.
    pub place: Place,
    /// The `Accept-Language` header.
    pub languages: String,
    /// The query, without `?`.
    pub query: String,
    /// The page that the visitor came from, as a `Referer` header names it.
    pub referrer: String,
    /// What stands behind the slug.
    pub path: Option<String>,
}

impl ImaginedVisitor {
    /// What stands behind the slug.
    pub fn rest(&self) -> Option<PathRest<'_>> {
        PathRest::new(self.path.as_deref()?)
    }
}

impl ExplainLink {
    /// The longest text about the visitor in bytes.
    pub const MAX_BYTES: usize = 8_192;

    /// Makes domain values of the members.
    ///
    /// # Errors
    /// Lists every member that is missing, of another type or out of bounds. Faults of the draft
    /// are below `draft`.
    pub fn validate(&self, bounds: &Bounds) -> Result<(LinkToExplain, ImaginedVisitor), Problem> {
        let mut validation = Validation::default();
        let link = self.link(&mut validation, bounds);
        let visitor = self.visitor(&mut validation);
        validation.finish(|| Some((link?, visitor)))
    }

    fn link(&self, validation: &mut Validation, bounds: &Bounds) -> Option<LinkToExplain> {
        let draft = validation.value(&["draft"], &self.draft);
        let Some(draft) = draft else {
            let key = key(validation, &self.domain, &self.slug);
            return key.map(LinkToExplain::Stored);
        };
        let draft = Value::Object(draft.clone());
        let made = if let Sent::Absent = self.slug {
            new_link(&draft, &self.domain, bounds)
        } else {
            self.changed_link(&draft, bounds)
        };
        let below = |problem| validation.below(&["draft"], problem);
        made.map_err(below).ok()
    }

    fn changed_link(&self, draft: &Value, bounds: &Bounds) -> Result<LinkToExplain, Problem> {
        UnknownNames::of::<PatchLink>(draft).refuse_meant()?;
        let mut patch: PatchLink = read(draft)?;
        patch.link.slug = self.slug.clone();
        patch.link.domain = self.domain.clone();
        let edit = patch.validate(bounds)?;
        Ok(LinkToExplain::Changed(edit.key, Box::new(edit.patch)))
    }

    fn visitor(&self, validation: &mut Validation) -> ImaginedVisitor {
        let address = validation.optional(&["ip"], &self.ip, |text| text.trim().parse::<IpAddr>());
        let place = Place {
            country: validation.optional(&["country"], &self.country, |text| Country::parse(text)),
            region: validation.optional(&["region"], &self.region, |text| PlaceName::parse(text)),
            city: validation.optional(&["city"], &self.city, |text| PlaceName::parse(text)),
            ..Place::default()
        };
        let path = text(validation, "path", &self.path, PathRest::MAX_BYTES);
        let mut text = |name, sent| text(validation, name, sent, Self::MAX_BYTES);
        let user_agent = text("userAgent", &self.user_agent);
        let languages = text("language", &self.language);
        let query = text("query", &self.query);
        let referrer = text("referrer", &self.referrer);
        ImaginedVisitor {
            at: validation.optional(&["at"], &self.at, |sent| sent.planned()),
            user_agent,
            address,
            place,
            languages,
            query: query.strip_prefix('?').unwrap_or(&query).to_owned(),
            referrer: if referrer.is_empty() || referrer.contains("://") {
                referrer
            } else {
                format!("https://{referrer}")
            },
            path: match path.strip_prefix('/').unwrap_or(&path) {
                "" => None,
                path => Some(path.to_owned()),
            },
        }
    }
}

fn new_link(
    draft: &Value,
    domain: &Sent<String>,
    bounds: &Bounds,
) -> Result<LinkToExplain, Problem> {
    UnknownNames::of::<CreateLink>(draft).refuse_meant()?;
    let mut new: UpsertLink = read(draft)?;
    if let Sent::Absent = new.domain {
        new.domain = domain.clone();
    }
    let (new, _) = new.validate(bounds)?;
    Ok(LinkToExplain::New(Box::new(new)))
}

/// A text about the visitor; empty if it was left out or is refused.
fn text(validation: &mut Validation, name: &str, sent: &Sent<String>, most: usize) -> String {
    if let Sent::Absent = sent {
        return String::new();
    }
    let text = validation.value(&[name], sent);
    let text = text.map_or("", |text| text.trim());
    if text.len() > most {
        let message = format!("{name} has {} bytes", text.len());
        let expected = format!("at most {most} bytes");
        validation.note(&[name], (IssueCode::TooBig, message, expected));
        return String::new();
    }
    text.to_owned()
}

fn draft_schema(_: &mut SchemaGenerator) -> Schema {
    json_schema!({"type": "object"})
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use slugline_testkit::assert_matches;

    use super::*;
    use crate::faults::paths;

    fn asked(body: Value) -> Result<(LinkToExplain, ImaginedVisitor), Problem> {
        let body: ExplainLink = serde_json::from_value(body).unwrap();
        body.validate(&Bounds::default())
    }

    #[test]
    fn a_slug_alone_is_a_stored_link_and_beside_a_draft_a_changed_one() {
        let (stored, visitor) = asked(json!({"slug": "docs"})).unwrap();
        assert_matches!(stored, LinkToExplain::Stored(key) if key.to_string() == "docs");
        assert_eq!(visitor, ImaginedVisitor::default());
        let draft = json!({"slug": "docs", "draft": {"url": "https://e.example/", "rules": null}});
        let (changed, _) = asked(draft).unwrap();
        assert_matches!(changed, LinkToExplain::Changed(key, _) if key.to_string() == "docs");
        let draft = json!({"domain": "go.example", "draft": {"url": "https://e.example/"}});
        let (new, _) = asked(draft).unwrap();
        assert_matches!(new, LinkToExplain::New(new) if new.domain.as_str() == "go.example");
    }

    #[test]
    fn faults_of_a_draft_are_below_it_and_beside_those_of_the_visitor() {
        let rules = json!([{"when": {"country": ["Germany"]}, "url": "https://e.example/"}]);
        let wrong = json!({
            "draft": {"url": "https://e.example/", "rules": rules},
            "ip": "here", "country": "DEU", "at": 1e15, "query": "a".repeat(8_193),
        });
        let expected = ["draft.rules.0.when.country", "ip", "country", "query", "at"];
        assert_eq!(paths(asked(wrong)), expected);
        assert_eq!(paths(asked(json!({})))[0], "slug");
        let mistyped = asked(json!({"draft": {"ulr": "https://e.example/"}}));
        assert_eq!(paths(mistyped)[0], "draft.ulr");
    }

    #[test]
    fn texts_about_the_visitor_are_taken_as_people_write_them() {
        let (_, visitor) = asked(json!({
            "slug": "docs", "query": "?ref=poster", "referrer": "news.example",
            "path": "/a/b", "country": "de", "ip": "203.0.113.9",
        }))
        .unwrap();
        assert_eq!(visitor.query, "ref=poster");
        assert_eq!(visitor.referrer, "https://news.example");
        assert_eq!(visitor.path.as_deref(), Some("a/b"));
        assert_eq!(visitor.place.country, Country::parse("DE").ok());
    }
}
