//! Imports of links.

use std::ops::ControlFlow;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::Value;
use slugline_application::{self as application, ImportOutcome, ImportedLink};
use slugline_domain::{ImportedPassword, LinkId, Slug, UnixSeconds};

use super::{
    ReadLinksError, TransferFormat,
    circle::refuse_circle,
    import_body::read_body,
    members::{LinkMembers, TextBounds, widest_texts},
    read_links,
};
use crate::{
    Code, Rules, instant::Instant, issue::IssueCode, json_integer::JsonInteger, problem::Problem,
    sent::Sent, validation::Validation,
};

/// Links to be taken over, as an export holds them.
#[derive(Clone, Debug, Default, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", default)]
#[schemars(extend("required" = ["version", "links"]))]
pub struct ImportLinks {
    /// Version of the form.
    pub version: Sent<String>,
    /// When the links were exported.
    pub exported_at: Sent<String>,
    /// The number of links.
    pub count: Sent<JsonInteger>,
    /// The links.
    // Read one by one, and only if they are not too many: a link takes a hundred
    // times the memory of `{}`.
    #[schemars(with = "Vec<ImportLink>", length(min = 1))]
    pub links: Sent<Vec<Value>>,
}

/// A link to be taken over. `url` and `slug` are required. The title and the
/// image may be longer than can be set today, as in older exports, and the expiration may be past.
#[derive(Clone, Debug, Default, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", default)]
#[schemars(extend("required" = ["url", "slug"]), transform = widest_texts)]
pub struct ImportLink {
    /// The members that the author decided.
    #[serde(flatten)]
    pub members: LinkMembers,
    /// The path of the short link; null for a free random one.
    #[schemars(length(min = 1, max = Slug::MAX_CHARS), regex(pattern = Slug::PATTERN))]
    pub slug: Sent<String>,
    /// A stored hash (Argon2id or Sink's), or a password in clear, to be hashed.
    pub password: Sent<String>,
    /// Identity of the link; a new one when absent or blank.
    #[schemars(length(max = LinkId::MAX_CHARS))]
    pub id: Sent<String>,
    /// When the link was made, in Unix seconds; now when absent.
    #[schemars(range(min = UnixSeconds::MIN, max = UnixSeconds::MAX))]
    pub created_at: Sent<Instant>,
    /// When the link last changed, in Unix seconds; now when absent.
    #[schemars(range(min = UnixSeconds::MIN, max = UnixSeconds::MAX))]
    pub updated_at: Sent<Instant>,
}

/// The most links in one import.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ImportLimit(pub usize);

impl ImportLimit {
    /// Sink's default.
    pub const DEFAULT: Self = Self(100);

    /// Checks the number of links in one request.
    ///
    /// # Errors
    /// There are too many links, or none.
    pub fn validate(self, links: usize) -> Result<(), Problem> {
        let Self(most) = self;
        if links == 0 {
            let mut validation = Validation::default();
            let message = "Too small: expected array to have >=1 items".into();
            validation.note(
                &["links"],
                (IssueCode::TooSmall, message, "1 link or more".into()),
            );
            return validation.finish(|| None);
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
    /// Notes faults of the members beside the links.
    pub(crate) fn check_envelope(&self, validation: &mut Validation) {
        validation.there(&["version"], &self.version);
        validation.value(&["exportedAt"], &self.exported_at);
        validation.value(&["count"], &self.count);
        validation.there(&["links"], &self.links);
    }

    /// Reads and checks the links of a JSON body. It stops as soon as there are too many.
    ///
    /// # Errors
    /// The body is no document of links, has too many of them or none, or lists their
    /// faults: every member of every link, up to a thousand faults.
    pub fn read_document(
        body: &[u8],
        rules: &Rules,
        limit: ImportLimit,
    ) -> Result<LinksToImport, Problem> {
        let mut gathering = Gathering::new(rules, limit);
        let ignored = read_body(body, &mut gathering)?;
        gathering.finish(ignored)
    }

    /// Reads and checks the links of a table.
    ///
    /// # Errors
    /// As for [`Self::read_document`].
    pub fn read_table(
        table: &[u8],
        rules: &Rules,
        limit: ImportLimit,
    ) -> Result<LinksToImport, Problem> {
        let mut gathering = Gathering::new(rules, limit);
        let read = read_links(TransferFormat::Csv, table, |read| gathering.take(read.link));
        match read {
            Ok(ignored) => gathering.finish(ignored),
            Err(ReadLinksError::Broken(problem)) => Err(problem),
            Err(ReadLinksError::Unreadable(error)) => {
                Err(Problem::new(Code::InvalidCsv, error.to_string()))
            }
        }
    }
}

/// The links of an import.
#[derive(Debug)]
pub struct LinksToImport {
    /// The links, checked.
    pub links: Vec<application::ImportLink>,
    /// Unknown members or columns, which were ignored.
    pub ignored: Vec<String>,
}

/// Gathers the links of an import, or the faults of all invalid ones.
pub(super) struct Gathering<'r> {
    rules: &'r Rules,
    limit: ImportLimit,
    read: usize,
    links: Vec<application::ImportLink>,
    validation: Validation,
    failure: Option<Problem>,
}

impl<'r> Gathering<'r> {
    fn new(rules: &'r Rules, limit: ImportLimit) -> Self {
        Self {
            rules,
            limit,
            read: 0,
            links: Vec::new(),
            validation: Validation::default(),
            failure: None,
        }
    }

    pub(super) fn envelope(&mut self, envelope: &ImportLinks) {
        envelope.check_envelope(&mut self.validation);
    }

    pub(super) fn take(&mut self, link: Result<ImportLink, Problem>) -> ControlFlow<()> {
        let index = self.read.to_string();
        self.read += 1;
        if self.read > self.limit.0 {
            return ControlFlow::Break(());
        }
        match link.and_then(|link| link.validate(self.rules)) {
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
        let links = self.links;
        self.validation
            .finish(|| Some(LinksToImport { links, ignored }))
    }
}

impl ImportLink {
    /// Makes domain values of the members.
    ///
    /// # Errors
    /// Lists every member that is missing, of another type or out of bounds.
    pub fn validate(&self, rules: &Rules) -> Result<application::ImportLink, Problem> {
        let mut validation = Validation::default();
        let content = self
            .members
            .content(TextBounds::Widest, &mut validation, rules);
        let slug = if let Sent::Null = self.slug {
            None
        } else {
            validation.required(&["slug"], &self.slug, |slug| Slug::parse(slug))
        };
        refuse_circle(&mut validation, rules, slug.as_ref(), content.as_ref());
        let password = validation.optional(&["password"], &self.password, |text| {
            ImportedPassword::parse(text)
        });
        let id = validation.value(&["id"], &self.id);
        let id = id.filter(|id| !id.trim().is_empty());
        let id = id.and_then(|id| validation.member(&["id"], LinkId::parse(id)));
        let created_at =
            validation.optional(&["createdAt"], &self.created_at, |sent| sent.second());
        let updated_at =
            validation.optional(&["updatedAt"], &self.updated_at, |sent| sent.second());
        validation.finish(|| {
            Some(application::ImportLink {
                id,
                slug,
                created_at,
                updated_at,
                password,
                content: content?,
            })
        })
    }
}

/// The outcome for the links of an import.
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
    /// Members of links, or columns, that links do not have. They were ignored.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub ignored_names: Vec<String>,
}

/// A link of an import.
#[derive(Clone, Debug, Serialize, JsonSchema)]
pub struct ImportItem {
    /// Its position in the request, from 0.
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

/// Says that another link has the id.
pub fn id_taken(id: &LinkId) -> String {
    format!(
        "another link has the id {:?}; leave id out to get a new one",
        id.as_str()
    )
}

impl LinkImport {
    /// Shows the outcomes for the links, in order.
    pub fn new(imported: &[ImportedLink], ignored_names: Vec<String>) -> Self {
        let mut shown = Self {
            ignored_names,
            ..Self::default()
        };
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
                    reason: id_taken(&imported.link.id),
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

    fn validate(links: &Value) -> Result<LinksToImport, Problem> {
        read(&json!({"version": "1.0", "exportedAt": "x", "count": 1, "links": links}).to_string())
    }

    fn read(body: &str) -> Result<LinksToImport, Problem> {
        ImportLinks::read_document(body.as_bytes(), &Rules::default(), ImportLimit::DEFAULT)
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
    fn whole_numbers_count_however_they_are_spelled() {
        let body = r#"{"version": "1.0", "count": 1.0, "links": [{"url": "https://example.com/",
            "slug": "a", "expiration": 5.0, "createdAt": 1.7e9, "updatedAt": 1700000001.0}]}"#;
        let links = read(body).unwrap().links;
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
        assert_eq!(paths(&validate(&half).unwrap_err()), ["links.0.createdAt"]);
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
        let shape = validate(&json!([good, {"url": 5, "slug": "b"}])).unwrap_err();
        assert_eq!(paths(&shape), ["links.1.url"]);
        let mistyped =
            validate(&json!([good, {"url": "https://e.example/", "slug": "b", "tgas": []}]));
        assert_eq!(paths(&mistyped.unwrap_err()), ["links.1.tgas"]);
        let missing = validate(&json!([{"url": "https://example.com/"}])).unwrap_err();
        assert_eq!(paths(&missing), ["links.0.slug"]);
    }

    #[test]
    fn too_many_links_and_none_are_refused() {
        let link = json!({"url": "https://example.com/", "slug": "a"});
        assert!(validate(&json!(vec![link.clone(); 100])).is_ok());
        let many = validate(&json!(vec![link; 101])).unwrap_err();
        assert_eq!(many.title, "Too many links. Maximum 100 links per request.");
        assert_eq!(many.status(), 400);
        assert_eq!(paths(&validate(&json!([])).unwrap_err()), ["links"]);
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
            let problem = read(body).unwrap_err();
            assert_eq!(paths(&problem), [path], "{body}");
            let wanted = format!("Invalid input: {message}");
            assert_eq!(problem.issues[0].message, wanted, "{body}");
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
        assert_eq!(
            read(odd).unwrap().links.len(),
            1,
            "the last of several counts"
        );
    }

    #[test]
    fn a_link_that_would_fill_the_memory_is_refused_by_its_position() {
        let junk = vec!["0"; 5000].join(",");
        let body = format!(
            r#"{{"version": "1", "links": [{{"url": "https://example.com/", "slug": "a"}},
                {{"url": "https://example.com/", "slug": "b", "junk": [{junk}]}}]}}"#
        );
        let problem = read(&body).unwrap_err();
        assert_eq!(paths(&problem), ["links.1"]);
        assert_eq!(problem.issues[0].code, IssueCode::TooBig);
    }

    #[test]
    fn a_thousand_faults_are_enough() {
        let tags = vec![""; 40];
        let link = json!({"url": "x", "slug": " ", "tags": tags});
        let problem = validate(&json!(vec![link; 100])).unwrap_err();
        assert_eq!(problem.issues.len(), 1000);
    }
}
