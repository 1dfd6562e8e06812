//! Imports of links.

use std::{collections::BTreeMap, ops::ControlFlow};

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use slugline_application::{self as application, ImportOutcome, ImportedLink};
use slugline_domain::{
    Comment, Description, DestinationRules, ImportedPassword, LinkId, Slug, Tag, Tags, UnixSeconds,
};

use super::{
    LinkExport, ReadLinksError, TransferFormat,
    members::{Members, TextBounds, urls_by_country},
    read_links,
};
use crate::{
    Code, Rules, absent::present, check::Checks, issue::IssueCode, problem::Problem, whole::Whole,
};

/// Links to be taken over, as an export holds them.
#[derive(Clone, Debug, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct ImportLinks {
    /// Version of the form.
    pub version: String,
    /// When the links were exported.
    #[serde(default, deserialize_with = "present")]
    pub exported_at: Option<String>,
    /// How many links there were.
    #[serde(default, deserialize_with = "present")]
    pub count: Option<Whole>,
    /// The links.
    #[schemars(length(min = 1))]
    pub links: Vec<ImportLink>,
}

/// A link to be taken over. `url` and `slug` are required.
#[derive(Clone, Debug, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct ImportLink {
    /// Where the link leads: an absolute URL.
    #[schemars(url, length(min = 1, max = DestinationRules::DEFAULT_MAX_CHARS))]
    pub url: String,
    /// The path of the short link.
    #[schemars(length(min = 1, max = Slug::MAX_CHARS), regex(pattern = Slug::PATTERN))]
    pub slug: String,
    /// A private note about the link.
    #[serde(default, deserialize_with = "present")]
    #[schemars(length(max = Comment::MAX_CHARS))]
    pub comment: Option<String>,
    /// When the link expires, in Unix seconds; may be past.
    #[serde(default, deserialize_with = "present")]
    #[schemars(range(min = UnixSeconds::MIN, max = UnixSeconds::MAX))]
    pub expiration: Option<Whole>,
    /// Tags to group links by; lower-cased.
    #[serde(default, deserialize_with = "present")]
    #[schemars(length(max = Tags::MAX), inner(length(min = 1, max = Tag::MAX_CHARS)))]
    pub tags: Option<Vec<String>>,
    /// A stored hash (Argon2id or Sink's), or a password in clear, to be hashed.
    #[serde(default, deserialize_with = "present")]
    pub password: Option<String>,
    /// Title of the link's social preview; older exports hold longer ones than can be set today.
    #[serde(default, deserialize_with = "present")]
    #[schemars(length(max = Description::MAX_CHARS))]
    pub title: Option<String>,
    /// Description of the link's social preview.
    #[serde(default, deserialize_with = "present")]
    #[schemars(length(max = Description::MAX_CHARS))]
    pub description: Option<String>,
    /// Image of the link's social preview; older exports hold longer ones than can be set today.
    #[serde(default, deserialize_with = "present")]
    #[schemars(length(max = Description::MAX_CHARS))]
    pub image: Option<String>,
    /// Where iPhones and iPads are sent instead.
    #[serde(default, deserialize_with = "present")]
    #[schemars(url, length(min = 1, max = DestinationRules::DEFAULT_MAX_CHARS))]
    pub apple: Option<String>,
    /// Where Android devices are sent instead.
    #[serde(default, deserialize_with = "present")]
    #[schemars(url, length(min = 1, max = DestinationRules::DEFAULT_MAX_CHARS))]
    pub google: Option<String>,
    /// Where visitors from a country are sent instead: two-letter country code to URL.
    #[serde(default, deserialize_with = "present")]
    #[schemars(schema_with = "urls_by_country")]
    pub geo: Option<BTreeMap<String, String>>,
    /// Whether the visitor's query parameters are merged into the destination.
    #[serde(default, deserialize_with = "present")]
    pub redirect_with_query: Option<bool>,
    /// Whether the destination is shown in a frame under the short link.
    #[serde(default, deserialize_with = "present")]
    pub cloaking: Option<bool>,
    /// Whether the server fetches the destination and passes it on.
    #[serde(default, deserialize_with = "present")]
    pub proxy: Option<bool>,
    /// Whether visitors are warned before they go on.
    #[serde(default, deserialize_with = "present", rename = "unsafe")]
    pub flagged_unsafe: Option<bool>,
    /// Identity of the link; a new one when absent or blank.
    #[serde(default, deserialize_with = "present")]
    #[schemars(length(max = LinkId::MAX_CHARS))]
    pub id: Option<String>,
    /// When the link was made, in Unix seconds; now when absent.
    #[serde(default, deserialize_with = "present")]
    #[schemars(range(min = UnixSeconds::MIN, max = UnixSeconds::MAX))]
    pub created_at: Option<Whole>,
    /// When the link last changed, in Unix seconds; now when absent.
    #[serde(default, deserialize_with = "present")]
    #[schemars(range(min = UnixSeconds::MIN, max = UnixSeconds::MAX))]
    pub updated_at: Option<Whole>,
}

/// Links that one request may bring.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ImportLimit(pub usize);

impl ImportLimit {
    /// Sink's default.
    pub const DEFAULT: Self = Self(100);

    /// Whether this many links may come at once.
    ///
    /// # Errors
    /// They are too many, or none.
    pub fn check(self, links: usize) -> Result<(), Problem> {
        let Self(most) = self;
        if links == 0 {
            let mut checks = Checks::default();
            let message = "Too small: expected array to have >=1 items".into();
            checks.note(
                &["links"],
                (IssueCode::TooSmall, message, "1 link or more".into()),
            );
            return checks.finish(|| None);
        }
        if links > most {
            let detail = format!("send the links in parts of at most {most}");
            return Err(Problem {
                title: format!("Too many links. Maximum {most} links per request."),
                ..Problem::new(Code::TooManyLinks, detail)
            });
        }
        Ok(())
    }
}

impl ImportLinks {
    /// The links of a table, no more than it takes to see that they are too many.
    ///
    /// # Errors
    /// The text is no table of links, or lists every member of every link that
    /// is missing or of another type.
    pub fn read_table(table: &[u8], limit: ImportLimit) -> Result<Self, Problem> {
        let mut links = Vec::new();
        let read = read_links(TransferFormat::Csv, table, |read| {
            links.push(read.link);
            if links.len() > limit.0 {
                ControlFlow::Break(())
            } else {
                ControlFlow::Continue(())
            }
        });
        match read {
            Ok(()) => {}
            Err(ReadLinksError::Broken(problem)) => return Err(problem),
            Err(ReadLinksError::Unreadable(error)) => {
                return Err(Problem::new(Code::InvalidCsv, error.to_string()));
            }
        }
        limit.check(links.len())?;
        Ok(Self {
            version: LinkExport::VERSION.into(),
            exported_at: None,
            count: None,
            links: all_or_every_fault(links.into_iter())?,
        })
    }

    /// Makes domain values of all links.
    ///
    /// # Errors
    /// Too many links or none, or lists every member of every link that is out
    /// of bounds.
    pub fn check(
        &self,
        rules: &Rules,
        limit: ImportLimit,
    ) -> Result<Vec<application::ImportLink>, Problem> {
        limit.check(self.links.len())?;
        let links = self.links.iter().map(|link| link.check(rules));
        all_or_every_fault(links)
    }
}

/// All links, or the faults of all that have some.
fn all_or_every_fault<T>(
    links: impl Iterator<Item = Result<T, Problem>>,
) -> Result<Vec<T>, Problem> {
    let (mut checked, mut issues) = (Vec::new(), Vec::new());
    for (index, link) in links.enumerate() {
        match link {
            Ok(link) => checked.push(link),
            Err(problem) if problem.issues.is_empty() => return Err(problem),
            Err(problem) => {
                issues.extend(problem.within(&["links", &index.to_string()]).issues);
            }
        }
    }
    if issues.is_empty() {
        Ok(checked)
    } else {
        Err(Problem::invalid(issues))
    }
}

impl ImportLink {
    /// Makes domain values of the members.
    ///
    /// # Errors
    /// Lists every member that is out of bounds.
    pub fn check(&self, rules: &Rules) -> Result<application::ImportLink, Problem> {
        let mut checks = Checks::default();
        let seconds = |Whole(second)| UnixSeconds::new(second);
        let members = self.members();
        let content = members.check_within(TextBounds::Widest, &mut checks, rules);
        let slug = checks.member(&["slug"], Slug::parse(&self.slug));
        let password = self.password.as_deref().map(ImportedPassword::parse);
        let password = checks.optional(&["password"], password);
        let id = self.id.as_deref().filter(|id| !id.trim().is_empty());
        let id = checks.optional(&["id"], id.map(LinkId::parse));
        let created_at = checks.optional(&["createdAt"], self.created_at.map(seconds));
        let updated_at = checks.optional(&["updatedAt"], self.updated_at.map(seconds));
        checks.finish(|| {
            Some(application::ImportLink {
                id,
                slug: slug?,
                created_at,
                updated_at,
                password,
                content: content?,
            })
        })
    }

    fn members(&self) -> Members<'_> {
        Members {
            url: &self.url,
            comment: self.comment.as_deref(),
            expiration: self.expiration.map(|Whole(second)| second),
            tags: self.tags.as_deref(),
            title: self.title.as_deref(),
            description: self.description.as_deref(),
            image: self.image.as_deref(),
            apple: self.apple.as_deref(),
            google: self.google.as_deref(),
            geo: self.geo.as_ref(),
            redirect_with_query: self.redirect_with_query,
            cloaking: self.cloaking,
            proxy: self.proxy,
            flagged_unsafe: self.flagged_unsafe,
        }
    }
}

/// What became of the links of an import.
#[derive(Clone, Debug, Default, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct LinkImport {
    /// Links that were taken over.
    pub success: usize,
    /// Links whose slug an active link owns, which stays as it is.
    pub skipped: usize,
    /// Links that could not be taken over.
    pub failed: usize,
    /// Those that were taken over.
    pub success_items: Vec<ImportItem>,
    /// Those that were skipped.
    pub skipped_items: Vec<ImportItem>,
    /// Those that failed.
    pub failed_items: Vec<FailedImport>,
}

/// A link of an import.
#[derive(Clone, Debug, Serialize, JsonSchema)]
pub struct ImportItem {
    /// Its place in the request, from 0.
    pub index: usize,
    /// Its slug.
    pub slug: String,
    /// Its destination.
    pub url: String,
}

/// A link of an import that could not be taken over.
#[derive(Clone, Debug, Serialize, JsonSchema)]
pub struct FailedImport {
    /// The link.
    #[serde(flatten)]
    pub item: ImportItem,
    /// Why.
    pub reason: String,
}

impl LinkImport {
    /// Shows what became of the links, in order.
    pub fn new(imported: &[ImportedLink]) -> Self {
        let mut shown = Self::default();
        for (index, imported) in imported.iter().enumerate() {
            let item = ImportItem {
                index,
                slug: imported.link.slug.to_string(),
                url: imported.link.content.destination.to_string(),
            };
            match imported.outcome {
                ImportOutcome::Stored => shown.success_items.push(item),
                ImportOutcome::Skipped => shown.skipped_items.push(item),
                ImportOutcome::IdTaken => shown.failed_items.push(FailedImport {
                    item,
                    reason: format!(
                        "another link has the id {:?}; leave id out to get a new one",
                        imported.link.id.as_str()
                    ),
                }),
            }
        }
        shown.success = shown.success_items.len();
        shown.skipped = shown.skipped_items.len();
        shown.failed = shown.failed_items.len();
        shown
    }
}

#[cfg(test)]
mod tests {
    use serde_json::{Value, json};

    use super::*;
    use crate::read;

    fn check(links: &Value) -> Result<Vec<application::ImportLink>, Problem> {
        let body = json!({"version": "1.0", "exportedAt": "x", "count": 1, "links": links});
        read::<ImportLinks>(&body)?.check(&Rules::default(), ImportLimit::DEFAULT)
    }

    fn paths(problem: &Problem) -> Vec<String> {
        problem
            .issues
            .iter()
            .map(|issue| issue.path.join("."))
            .collect()
    }

    #[test]
    fn blank_ids_past_expiries_and_texts_of_old_exports_are_taken() {
        let links = check(&json!([{
            "url": "https://example.com/", "slug": "Docs", "id": " ", "expiration": 5,
            "title": "t".repeat(2048), "image": format!("/{}", "i".repeat(2047)),
            "zz": 1
        }]));
        let links = links.unwrap();
        let link = &links[0];
        assert_eq!((link.id.as_ref(), link.password.as_ref()), (None, None));
        assert_eq!(link.content.expires_at.unwrap().get(), 5);
        let title = link.content.preview.title.as_ref().unwrap();
        assert_eq!(title.as_str().len(), 2048);
    }

    #[test]
    fn whole_numbers_count_however_they_are_spelled() {
        let body = r#"{"version": "1.0", "count": 1.0, "links": [{"url": "https://example.com/",
            "slug": "a", "expiration": 5.0, "createdAt": 1.7e9, "updatedAt": 1700000001.0}]}"#;
        let body: Value = serde_json::from_str(body).unwrap();
        let links = read::<ImportLinks>(&body).unwrap();
        let links = links
            .check(&Rules::default(), ImportLimit::DEFAULT)
            .unwrap();
        let moments = [
            links[0].content.expires_at,
            links[0].created_at,
            links[0].updated_at,
        ];
        assert_eq!(
            moments.map(|moment| moment.unwrap().get()),
            [5, 1_700_000_000, 1_700_000_001]
        );
        let half = json!([{"url": "https://example.com/", "slug": "a", "createdAt": 5.5}]);
        assert_eq!(paths(&check(&half).unwrap_err()), ["links.0.createdAt"]);
    }

    #[test]
    fn every_fault_of_every_link_is_named() {
        let good = json!({"url": "https://example.com/", "slug": "a"});
        let problem = check(&json!([
            good,
            {"url": "javascript:1", "slug": "a b", "password": "__SINK_MASKED__•••abc"},
            good,
            {"url": "https://example.com/", "slug": "d", "title": "t".repeat(2049), "id": "ä",
             "password": "sink-pwd:v1:9999999:a:b:c"},
        ]));
        assert_eq!(
            paths(&problem.unwrap_err()),
            [
                "links.1.url",
                "links.1.slug",
                "links.1.password",
                "links.3.title",
                "links.3.password",
                "links.3.id"
            ]
        );
        let shape = check(&json!([good, {"url": 5, "slug": "b"}])).unwrap_err();
        assert_eq!(paths(&shape), ["links.1.url"]);
        let missing = check(&json!([{"url": "https://example.com/"}])).unwrap_err();
        assert_eq!(paths(&missing), ["links.0.slug"]);
    }

    #[test]
    fn too_many_links_and_none_are_refused() {
        let link = json!({"url": "https://example.com/", "slug": "a"});
        assert!(check(&json!(vec![link.clone(); 100])).is_ok());
        let many = check(&json!(vec![link; 101])).unwrap_err();
        assert_eq!(many.title, "Too many links. Maximum 100 links per request.");
        assert_eq!(many.status(), 400);
        assert_eq!(paths(&check(&json!([])).unwrap_err()), ["links"]);
    }
}
