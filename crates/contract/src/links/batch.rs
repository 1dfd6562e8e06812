//! Changes or deletes many links in one call.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize, de::DeserializeOwned};
use serde_json::Value;
use slugline_application::{
    BatchAction, BatchChange, BatchOutcome, BatchReport, BatchScope, Error, LinkService,
};
use slugline_domain::{LinkKey, SearchText, Slug, Tag, Tags};

use super::{
    cursor,
    key::{domain_of, host_schema, listed_domain, shown_domain},
    listing::{Listing, Sort, Status},
    member::tags,
};
use crate::{
    Problem,
    issue::IssueCode,
    scalars::Instant,
    sent::{Sent, Wire, options, same_variants},
    unknown::UnknownNames,
    validation::Validation,
};

/// An action, and the links it is for: `slugs` or a `filter`.
#[derive(Clone, Debug, Default, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", default)]
#[schemars(extend("required" = ["action"], "additionalProperties" = false))]
pub struct BatchLinks {
    /// The change to each link.
    pub action: Sent<BatchActionName>,
    /// The tags to add or to remove; with addTags and removeTags only.
    #[schemars(length(min = 1, max = Tags::MAX), inner(length(min = 1, max = Tag::MAX_CHARS)))]
    pub tags: Sent<Vec<Sent<String>>>,
    /// When the links expire, in Unix seconds; with setExpiration only.
    pub expiration: Sent<Instant>,
    /// The links, by slug.
    #[schemars(length(min = 1, max = LinkService::BATCH))]
    pub slugs: Sent<Vec<Sent<String>>>,
    /// The host of the links' domain; with a filter `*` for all. The default domain if left out.
    #[schemars(schema_with = "host_schema")]
    pub domain: Sent<String>,
    /// The links, by what they have in common; 500 of them at a time.
    pub filter: Sent<BatchFilter>,
    /// With a filter, where to continue: the cursor of the previous answer.
    #[schemars(length(max = cursor::MAX_CHARS))]
    pub cursor: Sent<String>,
    /// Changes nothing and tells what would happen.
    #[schemars(extend("default" = false))]
    pub dry_run: Sent<bool>,
}

/// The change to each link.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
#[schemars(inline)]
pub enum BatchActionName {
    /// It is deleted, and can be brought back while it is in the trash.
    Delete,
    /// It also gets the tags.
    AddTags,
    /// It loses the tags.
    RemoveTags,
    /// It expires at that moment.
    SetExpiration,
    /// It no longer expires.
    ClearExpiration,
}

options!(BatchActionName);

/// All links that are not over, or those that meet every condition.
#[derive(Clone, Debug, Default, Deserialize, JsonSchema)]
#[serde(default)]
#[schemars(extend("additionalProperties" = false))]
pub struct BatchFilter {
    /// Text in slug, URL, comment or a tag.
    #[schemars(length(max = SearchText::MAX_BYTES))]
    pub q: Sent<String>,
    /// Only links with this tag.
    #[schemars(length(min = 1, max = Tag::MAX_CHARS))]
    pub tag: Sent<String>,
    /// Only links of this status; current means all that are not over.
    #[schemars(extend("default" = "current"))]
    pub status: Sent<Status>,
    /// The names that it has and that are none of these.
    #[serde(skip)]
    unknown: Option<Problem>,
}

impl Wire for BatchFilter {
    const TYPE: &'static str = "object";

    fn from_json(value: Value) -> Option<Self> {
        let unknown = UnknownNames::of::<Self>(&value).refuse_all().err();
        let filter: Self = object(value)?;
        Some(Self { unknown, ..filter })
    }
}

fn object<T: DeserializeOwned>(value: Value) -> Option<T> {
    value.is_object().then(|| T::deserialize(value).ok())?
}

impl BatchLinks {
    /// Makes domain values of the members.
    ///
    /// # Errors
    /// Lists every member that is missing, superfluous, of another type or out of
    /// bounds, or says that the cursor belongs to another filter.
    pub fn validate(&self) -> Result<BatchChange, Problem> {
        let mut validation = Validation::default();
        let action = self.action(&mut validation);
        let keys = self.keys(&mut validation);
        let listing = self.listing(&mut validation);
        let cursor = validation.value(&["cursor"], &self.cursor);
        let dry_run = validation.flag("dryRun", &self.dry_run);
        match (&self.slugs, &self.filter) {
            (Sent::Absent, Sent::Absent) => {
                let message = "neither slugs nor a filter say which links".into();
                let expected = "slugs, or a filter; {} is every link that is not over".into();
                validation.note(&["slugs"], (IssueCode::InvalidType, message, expected));
            }
            (Sent::Absent, _) | (_, Sent::Absent) => {}
            (_, _) => {
                let message = "slugs and a filter both say which links".into();
                let expected = "one of the two".into();
                validation.note(&["filter"], (IssueCode::Custom, message, expected));
            }
        }
        let action = validation.finish(|| action)?;
        let scope = match (keys, listing) {
            (Some(keys), _) => BatchScope::Keys(keys),
            (None, listing) => {
                let listing = listing.unwrap_or_default();
                BatchScope::Filter {
                    after: cursor::read(cursor, &listing)?,
                    filter: listing.filter(),
                }
            }
        };
        Ok(BatchChange {
            action,
            scope,
            dry_run,
        })
    }

    fn action(&self, validation: &mut Validation) -> Option<BatchAction> {
        let name = validation.there(&["action"], &self.action).copied();
        let takes_tags = matches!(
            name,
            Some(BatchActionName::AddTags | BatchActionName::RemoveTags)
        );
        let takes_expiration = name == Some(BatchActionName::SetExpiration);
        let mut superfluous = |member: &'static str, absent: bool, taken: bool| {
            if name.is_some() && !absent && !taken {
                let message = format!("this action has no {member}");
                let expected = format!("no {member}, or another action");
                validation.note(&[member], (IssueCode::Custom, message, expected));
            }
        };
        superfluous("tags", self.tags == Sent::Absent, takes_tags);
        superfluous(
            "expiration",
            self.expiration == Sent::Absent,
            takes_expiration,
        );
        Some(match name? {
            BatchActionName::Delete => BatchAction::Delete,
            BatchActionName::ClearExpiration => BatchAction::ClearExpiry,
            BatchActionName::AddTags => BatchAction::AddTags(self.tags(validation)?),
            BatchActionName::RemoveTags => BatchAction::RemoveTags(self.tags(validation)?),
            BatchActionName::SetExpiration => {
                let planned = |sent: &Instant| sent.planned();
                let moment = validation.required(&["expiration"], &self.expiration, planned);
                BatchAction::SetExpiry(moment?)
            }
        })
    }

    fn tags(&self, validation: &mut Validation) -> Option<Tags> {
        let sent = validation.there(&["tags"], &self.tags)?;
        if sent.is_empty() {
            let (message, expected) = ("tags names none".into(), "1 tag or more".into());
            validation.note(&["tags"], (IssueCode::TooSmall, message, expected));
        }
        tags(validation, sent)
    }

    fn keys(&self, validation: &mut Validation) -> Option<Vec<LinkKey>> {
        let sent = validation.value(&["slugs"], &self.slugs)?;
        let domain = domain_of(validation, &self.domain);
        let most = usize::from(LinkService::BATCH);
        let (code, message) = match sent.len() {
            0 => (IssueCode::TooSmall, "slugs names none".to_owned()),
            count if count > most => (IssueCode::TooBig, format!("slugs names {count}")),
            _ => {
                let mut keys = Vec::new();
                for (index, slug) in sent.iter().enumerate() {
                    let path = ["slugs", &index.to_string()];
                    let slug = validation.required(&path, slug, |slug| Slug::parse(slug));
                    keys.push(slug.map(|slug| LinkKey::new(domain.clone(), slug)));
                }
                return keys.into_iter().collect();
            }
        };
        validation.note(&["slugs"], (code, message, format!("1 to {most} slugs")));
        None
    }

    /// Returns the listing that a filter goes through.
    fn listing(&self, validation: &mut Validation) -> Option<Listing> {
        let filter = validation.value(&["filter"], &self.filter)?;
        if let Some(unknown) = &filter.unknown {
            validation.below(&["filter"], unknown.clone());
        }
        let text = validation.value(&["filter", "q"], &filter.q);
        let text = text.filter(|text| !text.trim().is_empty());
        let status = validation.value(&["filter", "status"], &filter.status);
        Some(Listing {
            domain: listed_domain(validation, &self.domain),
            sort: Sort::Az,
            status: status.copied().unwrap_or_default(),
            tag: validation.optional(&["filter", "tag"], &filter.tag, |tag| Tag::parse(tag)),
            text: text
                .and_then(|text| validation.member(&["filter", "q"], SearchText::parse(text))),
            keys: None,
        })
    }
}

/// The outcome for some links.
#[derive(Clone, Debug, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct LinkBatch {
    /// True if nothing was changed, because only the results were asked for.
    pub dry_run: bool,
    /// One result per link: in the order of `slugs`, repeated ones once, or by slug.
    pub results: Vec<BatchResult>,
    /// The number of links with each outcome.
    pub totals: BatchTotals,
    /// True if there are no more links that meet the filter.
    #[serde(rename = "list_complete")]
    pub list_complete: bool,
    /// Where to continue; absent when there are no more links.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub cursor: Option<String>,
}

/// The outcome for one link.
#[derive(Clone, Debug, Serialize, JsonSchema)]
pub struct BatchResult {
    /// The slug.
    pub slug: String,
    /// The host of its domain; left out for the default one.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub domain: Option<String>,
    /// The outcome, or with `dryRun` the expected one.
    pub outcome: Outcome,
    /// Stable name of the error kind of a link that was refused or failed.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub code: Option<&'static str>,
    /// Says what happened to it and what to do about it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub message: Option<String>,
}

/// The outcome for one link.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub enum Outcome {
    /// It was changed or deleted.
    Done,
    /// It was that way already.
    Unchanged,
    /// No link has the slug.
    NotFound,
    /// A rule forbids it, or another caller changed the link; it is as that one left it.
    Refused,
    /// The store failed before or after it was changed, so it may be either way; sending the request again settles it.
    Failed,
}

/// The number of links with each outcome.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct BatchTotals {
    /// Links that were changed or deleted, or would be.
    pub done: u32,
    /// Links that were that way already.
    pub unchanged: u32,
    /// Slugs without a link.
    pub not_found: u32,
    /// Links that a rule forbids to change.
    pub refused: u32,
    /// Links that may be either way.
    pub failed: u32,
}

impl LinkBatch {
    /// Shows a report; `problem` converts an error for the client.
    pub fn new(
        request: &BatchLinks,
        report: BatchReport,
        mut problem: impl FnMut(Error) -> Problem,
    ) -> Self {
        let listing = request
            .listing(&mut Validation::default())
            .unwrap_or_default();
        let cursor = report.next.as_ref();
        let cursor = cursor.map(|position| cursor::encode(position, &listing));
        let mut totals = BatchTotals::default();
        let results = report.results.into_iter();
        let results = results
            .map(|result| {
                let key = &result.key;
                let shown = match result.outcome {
                    Ok(outcome) => BatchResult::settled(key, outcome.into()),
                    Err(error) => BatchResult::refused(key, &problem(error)),
                };
                *totals.of(shown.outcome) += 1;
                shown
            })
            .collect();
        Self {
            dry_run: request.dry_run == Sent::Value(true),
            results,
            totals,
            list_complete: cursor.is_none(),
            cursor,
        }
    }
}

same_variants!(BatchOutcome => Outcome: Done, Unchanged, NotFound);

impl BatchResult {
    fn settled(key: &LinkKey, outcome: Outcome) -> Self {
        Self {
            slug: key.slug.to_string(),
            domain: shown_domain(&key.domain),
            outcome,
            code: None,
            message: None,
        }
    }

    fn refused(key: &LinkKey, problem: &Problem) -> Self {
        let outcome = if problem.status() >= 500 {
            Outcome::Failed
        } else {
            Outcome::Refused
        };
        Self {
            code: Some(problem.code.as_str()),
            message: Some(problem.sentence()),
            ..Self::settled(key, outcome)
        }
    }
}

impl BatchTotals {
    fn of(&mut self, outcome: Outcome) -> &mut u32 {
        match outcome {
            Outcome::Done => &mut self.done,
            Outcome::Unchanged => &mut self.unchanged,
            Outcome::NotFound => &mut self.not_found,
            Outcome::Refused => &mut self.refused,
            Outcome::Failed => &mut self.failed,
        }
    }
}

#[cfg(test)]
mod tests {
    use serde_json::{json, to_value};
    use slugline_application as application;
    use slugline_domain::{Position, TagsError, ports::StoreError};
    use slugline_testkit::{NOON, key};

    use super::*;
    use crate::{Code, faults, reader::read};

    fn validate(body: &Value) -> Result<BatchChange, Problem> {
        read::<BatchLinks>(body)?.validate()
    }

    fn paths(body: &Value) -> Vec<String> {
        faults::paths(validate(body))
    }

    #[test]
    fn each_action_takes_its_own_member_and_no_other() {
        let tags = || Tags::new([Tag::parse("news").unwrap()]).unwrap();
        for (member, action) in [
            (json!({"action": "delete"}), BatchAction::Delete),
            (
                json!({"action": "addTags", "tags": ["News", "news"]}),
                BatchAction::AddTags(tags()),
            ),
            (
                json!({"action": "removeTags", "tags": ["news"]}),
                BatchAction::RemoveTags(tags()),
            ),
            (
                json!({"action": "setExpiration", "expiration": "2027-01-15T08:00:00Z"}),
                BatchAction::SetExpiry(NOON),
            ),
            (
                json!({"action": "clearExpiration"}),
                BatchAction::ClearExpiry,
            ),
        ] {
            let mut body = member.clone();
            body["slugs"] = json!(["a"]);
            assert_eq!(validate(&body).unwrap().action, action);
            for other in ["tags", "expiration"] {
                if member.get(other).is_none() {
                    let mut body = body.clone();
                    body[other] = json!(null);
                    assert_eq!(paths(&body), [other], "{body}");
                }
            }
        }
        let without = |action: &str| paths(&json!({"action": action, "slugs": ["a"]}));
        assert_eq!(without("addTags"), ["tags"]);
        assert_eq!(without("setExpiration"), ["expiration"]);
        assert_eq!(without("explode"), ["action"]);
        assert_eq!(paths(&json!({"slugs": ["a"]})), ["action"]);
    }

    #[test]
    fn links_are_named_in_exactly_one_way() {
        let delete = |member: &str, value: Value| json!({"action": "delete", member: value});
        assert_eq!(paths(&json!({"action": "delete"})), ["slugs"]);
        let both = json!({"action": "delete", "slugs": ["a"], "filter": {}});
        assert_eq!(paths(&both), ["filter"]);
        assert_eq!(paths(&delete("slugs", json!([]))), ["slugs"]);
        assert_eq!(paths(&delete("slugs", json!(vec!["a"; 501]))), ["slugs"]);
        assert!(validate(&delete("slugs", json!(vec!["a"; 500]))).is_ok());
        let wrong_slugs = paths(&delete("slugs", json!(["a", "b/c", 1])));
        assert_eq!(wrong_slugs, ["slugs.1", "slugs.2"]);
        assert_eq!(paths(&delete("filter", json!([]))), ["filter"]);
        assert_eq!(paths(&delete("filter", json!(null))), ["filter"]);
        let wrong = json!({"tag": "", "status": "old", "tags": ["a"], "slugs": "a"});
        assert_eq!(
            paths(&delete("filter", wrong)),
            ["filter.tags", "filter.slugs", "filter.status", "filter.tag"]
        );
        let BatchScope::Filter { filter, after } = validate(&delete(
            "filter",
            json!({"q": "Sale", "tag": "t", "status": "all"}),
        ))
        .unwrap()
        .scope
        else {
            panic!("a filter");
        };
        assert_eq!(filter.text.unwrap().as_str(), "sale");
        assert_eq!(filter.tag.unwrap().as_str(), "t");
        assert_eq!(
            (filter.status, after),
            (slugline_domain::StatusFilter::All, None)
        );
    }

    #[test]
    fn a_report_tells_refusals_from_failures_and_adds_up() {
        let outcomes = [
            ("a", Ok(BatchOutcome::Done)),
            ("b", Ok(BatchOutcome::Unchanged)),
            ("c", Ok(BatchOutcome::NotFound)),
            ("d", Err(Error::TooManyTags(TagsError { count: 11 }))),
            (
                "e",
                Err(Error::Store(StoreError::Failed {
                    action: "update a link",
                    source: "no".into(),
                })),
            ),
            ("f", Err(Error::Outdated(key("f")))),
        ];
        let results = outcomes
            .into_iter()
            .map(|(text, outcome)| application::BatchResult {
                key: key(text),
                outcome,
            });
        let report = BatchReport {
            results: results.collect(),
            next: Some(Position {
                created_at: NOON,
                key: key("f"),
            }),
        };
        let body =
            json!({"action": "addTags", "tags": ["t"], "filter": {"q": "x"}, "dryRun": true});
        let request = read::<BatchLinks>(&body).unwrap();
        let shown = to_value(LinkBatch::new(&request, report, Problem::from)).unwrap();
        let outcome = |index: usize| shown["results"][index]["outcome"].as_str().unwrap();
        let told: Vec<&str> = (0..6).map(outcome).collect();
        let expected = "done unchanged notFound refused failed refused";
        assert_eq!(told.join(" "), expected);
        assert_eq!(shown["results"][3]["code"], "validation_error");
        let message = shown["results"][3]["message"].as_str().unwrap();
        assert!(message.contains("11 tags"));
        assert_eq!(shown["results"][4]["code"], "unavailable");
        assert_eq!(shown["results"][0], json!({"slug": "a", "outcome": "done"}));
        assert_eq!(
            shown["totals"],
            json!({"done": 1, "unchanged": 1, "notFound": 1, "refused": 2, "failed": 1})
        );
        assert_eq!(shown["dryRun"], true);
        assert_eq!(shown["list_complete"], false);

        let mut next = body.clone();
        next["cursor"] = shown["cursor"].clone();
        let BatchScope::Filter { after, .. } = validate(&next).unwrap().scope else {
            panic!("a filter");
        };
        assert_eq!(after.unwrap().key, key("f"));
        next["filter"]["q"] = json!("y");
        assert_eq!(validate(&next).unwrap_err().code, Code::InvalidCursor);
    }
}
