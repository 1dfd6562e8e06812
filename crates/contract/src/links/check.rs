//! Checks whether destinations of links answer.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use slugline_application::{self as application, CheckScope, CheckedLink, CheckedPage};
use slugline_domain::{CheckSize, DomainName, ProbeCaller, ProbeFailure, ProbeTimeout, Slug, Tag};

use super::{
    cursor,
    key::{host_schema, listed_domain, optional_key, shown_domain},
    listing::{Listing, Sort, Status},
};
use crate::{
    Problem,
    scalars::{IntOrString, iso_8601},
    sent::Sent,
    validation::Validation,
};

/// The listing through which checks of links with a tag, or of all links, go.
fn listing(domain: Option<DomainName>, tag: Option<Tag>) -> Listing {
    Listing {
        domain,
        sort: Sort::Az,
        status: Status::All,
        tag,
        ..Listing::default()
    }
}

/// Which links to check, and how long to wait.
#[derive(Clone, Debug, Default, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", default)]
#[schemars(extend("additionalProperties" = false))]
pub struct CheckLinks {
    /// Only the link with this slug.
    #[schemars(length(min = 1, max = Slug::MAX_CHARS))]
    pub slug: Sent<String>,
    /// Host of the domain; `*` for all, the default one if left out.
    #[schemars(schema_with = "host_schema")]
    pub domain: Sent<String>,
    /// Only links with this tag.
    #[schemars(length(min = 1, max = Tag::MAX_CHARS))]
    pub tag: Sent<String>,
    /// Return broken links only. The call then checks on for up to 20 seconds.
    #[schemars(extend("default" = false))]
    pub only_broken: Sent<bool>,
    /// Links to check at the same time.
    #[schemars(range(min = 1, max = CheckSize::MAX), extend("default" = CheckSize::DEFAULT))]
    pub limit: Sent<IntOrString>,
    /// The cursor of the previous answer.
    #[schemars(length(max = cursor::MAX_CHARS))]
    pub cursor: Sent<String>,
    /// Seconds to wait for each destination, redirects included.
    #[schemars(
        range(min = 1, max = ProbeTimeout::MAX_SECONDS),
        extend("default" = ProbeTimeout::DEFAULT_SECONDS)
    )]
    pub timeout: Sent<IntOrString>,
}

impl CheckLinks {
    /// Makes domain values of the members.
    ///
    /// # Errors
    /// Lists every member that is of another type or out of bounds, or says that the cursor
    /// belongs to another listing.
    pub fn validate(&self, caller: ProbeCaller) -> Result<application::CheckLinks, Problem> {
        let mut validation = Validation::default();
        let size = validation.optional(&["limit"], &self.limit, |IntOrString(number)| {
            CheckSize::new(*number)
        });
        let timeout = validation.optional(&["timeout"], &self.timeout, |IntOrString(seconds)| {
            ProbeTimeout::from_seconds(*seconds)
        });
        let cursor = validation.value(&["cursor"], &self.cursor);
        let (key, domain) = if let Sent::Absent = self.slug {
            (None, listed_domain(&mut validation, &self.domain))
        } else {
            let key = optional_key(&mut validation, &self.domain, &self.slug);
            (key, None)
        };
        let tag = validation.optional(&["tag"], &self.tag, |tag| Tag::parse(tag));
        let only_broken = validation.flag("onlyBroken", &self.only_broken);
        validation.finish(|| Some(()))?;
        let after = cursor::read(cursor, &listing(domain.clone(), tag.clone()))?;
        Ok(application::CheckLinks {
            size: size.unwrap_or_default(),
            scope: match key {
                Some(key) => CheckScope::Key(key),
                None => CheckScope::Links { domain, tag },
            },
            only_broken,
            timeout: timeout.unwrap_or_default(),
            after,
            caller,
        })
    }
}

/// The answers of the destinations of some links.
#[derive(Clone, Debug, Serialize, JsonSchema)]
pub struct LinkChecks {
    /// One result per link, by slug.
    pub results: Vec<LinkCheck>,
    /// The number of links this call checked.
    pub checked: usize,
    /// True if all links have been checked.
    pub list_complete: bool,
    /// Where to continue; absent when all links have been checked.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub cursor: Option<String>,
}

/// The answer of the destination of one link.
#[derive(Clone, Debug, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct LinkCheck {
    /// The link's slug.
    pub slug: String,
    /// The host of its domain; left out for the default one.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub domain: Option<String>,
    /// The destination that was asked, as its author wrote it: the first broken one of those of rules and splits, else the link's own. Not always a URI of RFC 3986.
    pub url: String,
    /// The HTTP status after redirects; 0 when there was none.
    pub status: u16,
    /// True if there was a status below 400.
    pub ok: bool,
    /// The time it took, in milliseconds.
    pub duration: u64,
    /// When the answer was there: ISO 8601, UTC, with milliseconds.
    #[schemars(extend("format" = "date-time"))]
    pub checked_at: String,
    /// Why there was no status.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(length(max = LinkCheck::MAX_ERROR_CHARS))]
    pub error: Option<String>,
}

impl LinkCheck {
    /// The longest error, in characters: as in Sink, whose dashboard shows it in one
    /// line.
    pub const MAX_ERROR_CHARS: usize = 300;
    /// The error of a destination to which the service does not connect.
    pub const NOT_ALLOWED: &'static str = "URL is not allowed for server-side checking";
}

impl LinkChecks {
    /// Shows a page, with a cursor that continues after it.
    pub fn new(page: &CheckedPage, scope: &CheckScope) -> Self {
        let listing = || match scope {
            CheckScope::Links { domain, tag } => listing(domain.clone(), tag.clone()),
            CheckScope::Key(_) => Listing::default(),
        };
        Self {
            results: page.links.iter().map(LinkCheck::from).collect(),
            checked: page.checked,
            list_complete: page.next.is_none(),
            cursor: page
                .next
                .as_ref()
                .map(|position| cursor::encode(position, &listing())),
        }
    }
}

impl From<&CheckedLink> for LinkCheck {
    fn from(link: &CheckedLink) -> Self {
        let error = link
            .outcome
            .result
            .as_ref()
            .err()
            .map(|failure| match failure {
                ProbeFailure::NotAllowed => Self::NOT_ALLOWED.to_owned(),
                ProbeFailure::Failed(text) => text.chars().take(Self::MAX_ERROR_CHARS).collect(),
            });
        Self {
            slug: link.key.slug.to_string(),
            domain: shown_domain(&link.key.domain),
            url: link.destination.to_string(),
            status: link.outcome.status().unwrap_or(0),
            ok: link.outcome.ok(),
            duration: u64::try_from(link.outcome.duration.as_millis()).unwrap_or(u64::MAX),
            checked_at: iso_8601(link.checked_at),
            error,
        }
    }
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use rstest::rstest;
    use serde_json::{Value, json, to_value};
    use slugline_domain::{
        Destination, DestinationRules, LinkKey, Position, ProbeOutcome, UnixMillis, UnixSeconds,
    };

    use super::*;
    use crate::{
        Code,
        faults::{faults, paths},
        links::ListLinks,
        reader::read,
    };

    fn request(body: &Value) -> Result<application::CheckLinks, Problem> {
        read::<CheckLinks>(body)?.validate(ProbeCaller::default())
    }

    fn checked(result: Result<u16, ProbeFailure>) -> Value {
        let link = CheckedLink {
            key: LinkKey::parse("docs").unwrap(),
            destination: Destination::parse("https://example.com/Ü", &DestinationRules::default())
                .unwrap(),
            outcome: ProbeOutcome {
                result,
                duration: Duration::from_micros(1_999),
            },
            checked_at: UnixMillis::new(1_800_000_000_007),
        };
        to_value(LinkCheck::from(&link)).unwrap()
    }

    #[test]
    fn nothing_asks_for_six_links_and_six_seconds() {
        let plain = request(&json!({"cursor": ""})).unwrap();
        assert_eq!((plain.size.get(), plain.timeout.get().as_secs()), (6, 6));
        assert!(plain.after.is_none());
        let most = request(&json!({"limit": 10, "timeout": "30"})).unwrap();
        assert_eq!((most.size.get(), most.timeout.get().as_secs()), (10, 30));
    }

    #[rstest]
    #[case(json!({"limit": 0}), "limit", "Too small: expected number to be >=1")]
    #[case(json!({"limit": 11}), "limit", "Too big: expected number to be <=10")]
    #[case(json!({"timeout": 31}), "timeout", "Too big: expected number to be <=30")]
    #[case(json!({"timeout": 1.5}), "timeout", "Invalid input: expected integer, received number")]
    fn faults_name_the_member(#[case] body: Value, #[case] member: &str, #[case] message: &str) {
        assert_eq!(request(&body).unwrap_err().code, Code::ValidationError);
        let fault = (member.to_owned(), message.to_owned());
        assert_eq!(faults(request(&body)), [fault]);
    }

    #[test]
    fn all_faults_are_told_at_once() {
        for (body, expected) in [
            (json!({"limit": 0, "timeout": 0}), &["limit", "timeout"][..]),
            (
                json!({"limit": 11, "timeout": "x", "cursor": 1}),
                &["limit", "timeout", "cursor"],
            ),
        ] {
            assert_eq!(paths(request(&body)), expected);
        }
    }

    #[test]
    fn a_cursor_continues_checks_and_no_other_listing() {
        let position = Position {
            created_at: UnixSeconds::new(7).unwrap(),
            key: LinkKey::parse("docs").unwrap(),
        };
        let page = CheckedPage {
            links: Vec::new(),
            checked: 0,
            next: Some(position.clone()),
        };
        let (domain, tag) = (Some(DomainName::DEFAULT), None);
        let shown = LinkChecks::new(&page, &CheckScope::Links { domain, tag });
        assert!(!shown.list_complete);
        let again = request(&json!({"cursor": shown.cursor})).unwrap();
        assert_eq!(again.after, Some(position));
        let list = read::<ListLinks>(&json!({"cursor": shown.cursor})).unwrap();
        assert_eq!(list.validate().unwrap_err().code, Code::InvalidCursor);
        let nonsense = request(&json!({"cursor": "nonsense"})).unwrap_err();
        assert_eq!(nonsense.code, Code::InvalidCursor);
    }

    #[test]
    fn a_result_has_a_status_or_an_error() {
        assert_eq!(
            checked(Ok(404)),
            json!({
                "slug": "docs", "url": "https://example.com/Ü", "status": 404, "ok": false,
                "duration": 1, "checkedAt": "2027-01-15T08:00:00.007Z",
            })
        );
        let refused = checked(Err(ProbeFailure::NotAllowed));
        let error = "URL is not allowed for server-side checking";
        assert_eq!(refused["error"], error);
        assert_eq!(refused["status"], 0);
        assert_eq!(refused["ok"], false);
        let long = checked(Err(ProbeFailure::Failed("ü".repeat(400))));
        assert_eq!(long["error"].as_str().unwrap().chars().count(), 300);
    }
}
