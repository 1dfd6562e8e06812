//! Reads and checks all links of a request, in JSON or as a table.
//!
//! The body of an import has many megabytes, and a parsed document of it would take many times as much
//! memory. So this module scans the body in place, skips everything but the links, and parses one link
//! at a time.

use std::{fmt, ops::ControlFlow};

use jiff::tz::TimeZone;
use serde::{
    Deserialize,
    de::{DeserializeSeed, Deserializer, IgnoredAny, MapAccess, Visitor},
};
use serde_json::{Map, Value, value::RawValue};
use slugline_application as application;

use super::{
    import::{ImportLimit, ImportLinks},
    import_link::ImportLink,
    import_stream::{LinkFile, read_links},
    link_text::{IgnoredNames, Links, malformed},
    read_links_error::ReadLinksError,
};
use crate::{Code, Problem, bounds::Bounds, reader::read, sent::Sent, validation::Validation};

impl ImportLinks {
    /// Reads and checks the links of a JSON body. It stops as soon as there are too many.
    ///
    /// # Errors
    /// The body is no document of links, has too many of them or none, or lists their
    /// faults: every member of every link, up to a thousand faults.
    pub fn read_document(
        body: &[u8],
        bounds: &Bounds,
        limit: ImportLimit,
    ) -> Result<LinksToImport, Problem> {
        let mut gathering = Gathering::new(bounds, limit);
        let ignored = read_body(body, &mut gathering)?;
        gathering.finish(ignored)
    }

    /// Reads and checks the links of a table, or of lines.
    ///
    /// # Errors
    /// As for [`Self::read_document`].
    pub fn read_file(
        form: LinkFile,
        file: &[u8],
        bounds: &Bounds,
        limit: ImportLimit,
    ) -> Result<LinksToImport, Problem> {
        let mut gathering = Gathering::new(bounds, limit);
        let zone = &TimeZone::UTC;
        let read = read_links(form, file, zone, |read| {
            gathering.take(read.link, &read.cuts)
        });
        match read {
            Ok(ignored) => gathering.finish(ignored),
            Err(ReadLinksError::Broken(problem)) => Err(problem),
            Err(ReadLinksError::Unreadable(error)) => {
                Err(Problem::new(Code::InvalidCsv, error.to_string()))
            }
        }
    }
}

/// Reads the links of the body into `gathering`, until that has enough. Returns the
/// unknown names of the links' members.
///
/// # Errors
/// The body is not JSON, or not an object.
fn read_body(body: &[u8], gathering: &mut Gathering<'_>) -> Result<Vec<String>, Problem> {
    let Envelope { members, links } = envelope(body)?;
    gathering.envelope(&read(&members)?);
    let mut names = IgnoredNames::default();
    if let Some(links) = links.filter(|links| links.get().starts_with('[')) {
        let mut json = serde_json::Deserializer::from_str(links.get());
        let mut links = Links {
            each: &mut |found| gathering.take(found.link, &found.cuts),
            names: &mut names,
            zone: &TimeZone::UTC,
            stopped: false,
        };
        match (&mut links).deserialize(&mut json) {
            Err(error) if !links.stopped => return Err(malformed(&error)),
            Ok(()) | Err(_) => {}
        }
    }
    Ok(names.into_names())
}

/// The body without its links, and the text of the links.
struct Envelope<'b> {
    /// Arrays and objects among the members are empty, because only their type matters.
    members: Value,
    links: Option<&'b RawValue>,
}

fn envelope(body: &[u8]) -> Result<Envelope<'_>, Problem> {
    if body.is_empty() {
        let members = Value::Null;
        return Ok(Envelope {
            members,
            links: None,
        });
    }
    // The rest of this function knows that the body is JSON.
    let whole: &RawValue = serde_json::from_slice(body).map_err(|error| malformed(&error))?;
    if whole.get().starts_with('{') {
        return serde_json::from_str(whole.get()).map_err(|error| malformed(&error));
    }
    Ok(Envelope {
        members: outline(whole)?,
        links: None,
    })
}

/// Returns the value, emptied if it is an array or an object.
fn outline(text: &RawValue) -> Result<Value, Problem> {
    match text.get().as_bytes().first() {
        Some(b'[') => Ok(Value::Array(Vec::new())),
        Some(b'{') => Ok(Value::Object(Map::new())),
        Some(_) | None => serde_json::from_str(text.get()).map_err(|error| malformed(&error)),
    }
}

impl<'b> Deserialize<'b> for Envelope<'b> {
    fn deserialize<D: Deserializer<'b>>(deserializer: D) -> Result<Self, D::Error> {
        deserializer.deserialize_map(Members)
    }
}

/// The members of the body.
const MEMBERS: [&str; 5] = ["version", "exportedAt", "count", "links", "validateOnly"];

struct Members;

impl<'b> Visitor<'b> for Members {
    type Value = Envelope<'b>;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("an object")
    }

    fn visit_map<M: MapAccess<'b>>(self, mut map: M) -> Result<Envelope<'b>, M::Error> {
        let (mut members, mut links) = (Map::new(), None);
        while let Some(name) = map.next_key::<String>()? {
            if !MEMBERS.contains(&name.as_str()) {
                map.next_value::<IgnoredAny>()?;
                continue;
            }
            let text: &'b RawValue = map.next_value()?;
            if name == "links" {
                links = Some(text);
            }
            let outline = outline(text).map_err(serde::de::Error::custom)?;
            members.insert(name, outline);
        }
        let members = Value::Object(members);
        Ok(Envelope { members, links })
    }
}

/// The links of an import.
#[derive(Debug)]
pub struct LinksToImport {
    /// The links, checked.
    pub links: Vec<application::ImportLink>,
    /// Unknown members or columns, and parts of links, which were ignored.
    pub ignored: Vec<String>,
    /// `true` if the body asks to check the links only.
    pub validate_only: bool,
}

/// Gathers the links of an import, or the faults of all invalid ones.
struct Gathering<'r> {
    bounds: &'r Bounds,
    limit: ImportLimit,
    read: usize,
    links: Vec<application::ImportLink>,
    cuts: Vec<String>,
    validation: Validation,
    failure: Option<Problem>,
    validate_only: bool,
}

impl<'r> Gathering<'r> {
    fn new(bounds: &'r Bounds, limit: ImportLimit) -> Self {
        Self {
            bounds,
            limit,
            read: 0,
            links: Vec::new(),
            cuts: Vec::new(),
            validation: Validation::default(),
            failure: None,
            validate_only: false,
        }
    }

    fn envelope(&mut self, envelope: &ImportLinks) {
        envelope.check_envelope(&mut self.validation);
        self.validate_only = envelope.validate_only == Sent::Value(true);
    }

    fn take(&mut self, link: Result<ImportLink, Problem>, cuts: &[String]) -> ControlFlow<()> {
        let index = self.read.to_string();
        let cuts = cuts.iter().map(|cut| format!("links.{index}: {cut}"));
        self.cuts.extend(cuts);
        self.read += 1;
        if self.read > self.limit.0 {
            return ControlFlow::Break(());
        }
        match link.and_then(|link| link.validate(self.bounds)) {
            Ok(link) => self.links.push(link),
            Err(problem) if problem.issues.is_empty() => {
                self.failure = Some(problem);
                return ControlFlow::Break(());
            }
            Err(problem) => self.validation.below(&["links", &index], problem),
        }
        ControlFlow::Continue(())
    }

    fn finish(self, ignored: Vec<String>) -> Result<LinksToImport, Problem> {
        if let Some(problem) = self.failure {
            return Err(problem);
        }
        if self.read > self.limit.0 || self.validation.is_empty() {
            self.limit.validate(self.read)?;
        }
        let (links, validate_only) = (self.links, self.validate_only);
        let ignored = [ignored, self.cuts].concat();
        self.validation.finish(|| {
            Some(LinksToImport {
                links,
                ignored,
                validate_only,
            })
        })
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;
    use crate::{
        faults::{faults, paths},
        issue::IssueCode,
    };

    fn validate(links: &Value) -> Result<LinksToImport, Problem> {
        read(&json!({"version": "1.0", "exportedAt": "x", "count": 1, "links": links}).to_string())
    }

    fn read(body: &str) -> Result<LinksToImport, Problem> {
        ImportLinks::read_document(body.as_bytes(), &Bounds::default(), ImportLimit::DEFAULT)
    }

    #[test]
    fn blank_ids_past_expiries_and_texts_of_old_exports_are_taken() {
        let links = validate(&json!([{
            "url": "https://example.com/", "slug": "Docs", "id": " ", "expiration": 5,
            "title": "t".repeat(2048), "image": format!("/{}", "i".repeat(2047)),
            "zz": 1
        }]));
        let read = links.unwrap();
        assert_eq!(read.ignored, ["zz"]);
        let link = &read.links[0];
        assert_eq!((link.id.as_ref(), link.password.as_ref()), (None, None));
        assert_eq!(link.content.expires_at.unwrap().get(), 5);
        let title = link.content.preview.title.as_ref().unwrap();
        assert_eq!(title.as_str().len(), 2048);
    }

    #[test]
    fn a_slug_of_null_is_left_to_the_service() {
        let read = validate(&json!([{"url": "https://example.com/", "slug": null}])).unwrap();
        assert_eq!(read.links[0].slug, None);
    }

    #[test]
    fn the_terms_may_stand_in_the_body() {
        let body = |terms: &str| {
            format!(
                r#"{{"version": "1.0", {terms} "links":
                    [{{"url": "https://example.com/", "slug": "a"}}]}}"#
            )
        };
        assert!(!read(&body("")).unwrap().validate_only);
        let checked = read(&body(r#""validateOnly": true,"#)).unwrap();
        assert!(checked.validate_only);
        let wrong = read(&body(r#""validateOnly": "yes","#));
        assert_eq!(paths(wrong), ["validateOnly"]);
    }

    #[test]
    fn whole_numbers_count_however_they_are_spelled() {
        let body = r#"{"version": "1.0", "count": 1.0, "links": [{"url": "https://example.com/",
            "slug": "a", "expiration": 5.0, "createdAt": 1.7e9, "updatedAt": 1700000001.0}]}"#;
        let links = read(body).unwrap().links;
        let moments = [
            links[0].content.expires_at,
            links[0].created_at,
            links[0].updated_at,
        ];
        let moments = moments.map(|moment| moment.unwrap().get());
        assert_eq!(moments, [5, 1_700_000_000, 1_700_000_001]);
        let half = json!([{"url": "https://example.com/", "slug": "a", "createdAt": 5.5}]);
        assert_eq!(paths(validate(&half)), ["links.0.createdAt"]);
    }

    #[test]
    fn every_fault_of_every_link_is_named() {
        let good = json!({"url": "https://example.com/", "slug": "a"});
        let problem = validate(&json!([
            good,
            {"url": "javascript:1", "slug": "a b", "password": "__SINK_MASKED__•••abc"},
            good,
            {"url": "https://example.com/", "slug": "d", "title": "t".repeat(2049), "id": "ä",
             "password": "sink-pwd:v1:9999999:a:b:c"},
        ]));
        let first = ["links.1.url", "links.1.slug", "links.1.password"];
        let last = ["links.3.title", "links.3.password", "links.3.id"];
        assert_eq!(paths(problem), [first, last].concat());
        let hash = json!({"url": "https://e.example/", "slug": "b", "password": "$6$R9h"});
        let (path, message) = faults(validate(&json!([hash]))).remove(0);
        assert_eq!(path, "links.0.password");
        assert!(message.contains("$6$"), "{message}");
        let shape = validate(&json!([good, {"url": 5, "slug": "b"}]));
        assert_eq!(paths(shape), ["links.1.url"]);
        let mistyped =
            validate(&json!([good, {"url": "https://e.example/", "slug": "b", "tgas": []}]));
        assert_eq!(paths(mistyped), ["links.1.tgas"]);
        let missing = validate(&json!([{"url": "https://example.com/"}]));
        assert_eq!(paths(missing), ["links.0.slug"]);
    }

    #[test]
    fn too_many_links_and_none_are_refused() {
        let link = json!({"url": "https://example.com/", "slug": "a"});
        assert!(validate(&json!(vec![link.clone(); 100])).is_ok());
        let many = validate(&json!(vec![link; 101])).unwrap_err();
        assert_eq!(many.title, "Too many links. Maximum 100 links per request.");
        assert_eq!(many.status(), 400);
        assert_eq!(paths(validate(&json!([]))), ["links"]);
    }

    #[test]
    fn what_is_wrong_around_the_links_is_named() {
        for (body, path, message) in [
            ("", "", "expected object, received null"),
            ("[1]", "", "expected object, received array"),
            ("\"x\"", "", "expected object, received string"),
            (
                r#"{"links": []}"#,
                "version",
                "expected string, received undefined",
            ),
            (
                r#"{"version": [[[]]], "links": []}"#,
                "version",
                "expected string, received array",
            ),
            (
                r#"{"version": "1", "links": {"a": 1}}"#,
                "links",
                "expected array of objects, received object",
            ),
            (
                r#"{"version": "1", "count": 1.5, "links": []}"#,
                "count",
                "expected integer, received number",
            ),
        ] {
            let wanted = (path.to_owned(), format!("Invalid input: {message}"));
            assert_eq!(faults(read(body)), [wanted], "{body}");
        }
        for body in ["{", "{} x", r#"{"version": "1", "links": [0,}"#, "\u{7f}"] {
            assert_eq!(read(body).unwrap_err().code, Code::InvalidJson, "{body}");
        }
        let deep = format!(
            r#"{{"version": "1", "links": [{}1{}]}}"#,
            "[".repeat(999),
            "]".repeat(999)
        );
        assert_eq!(read(&deep).unwrap_err().code, Code::InvalidJson);
        let odd = r#"{"links": 5, "zz": [0, {}], "version": "1",
            "links": [{"url": "https://example.com/", "slug": "a"}]}"#;
        let links = read(odd).unwrap().links;
        assert_eq!(links.len(), 1, "the last of several counts");
    }

    #[test]
    fn a_link_that_would_fill_the_memory_is_refused_by_its_position() {
        let junk = vec!["0"; 17_000].join(",");
        let body = format!(
            r#"{{"version": "1", "links": [{{"url": "https://example.com/", "slug": "a"}},
                {{"url": "https://example.com/", "slug": "b", "junk": [{junk}]}}]}}"#
        );
        assert_eq!(read(&body).unwrap_err().issues[0].code, IssueCode::TooBig);
        assert_eq!(paths(read(&body)), ["links.1"]);
    }

    #[test]
    fn a_thousand_faults_are_enough() {
        let tags = vec![""; 40];
        let link = json!({"url": "x", "slug": " ", "tags": tags});
        let problem = validate(&json!(vec![link; 100])).unwrap_err();
        assert_eq!(problem.issues.len(), 1000);
    }
}
