//! The errors that clients see: how use cases' errors map to them, and their JSON body.

use std::time::Duration;

use schemars::JsonSchema;
use serde::Serialize;
use slugline_application::{
    Busy, Denied, Error, Excess, Forbidden, HashError, MissingScope, NotChecked, OwnHost,
    RestoreFault, SeenLink, TooManyAttempts,
};
use slugline_domain::{
    Binding, DomainName, Host, OutOfReach, Scope, Slug,
    ports::{StoreError, VisitLogError},
};

use crate::{
    code::Code,
    issue::{Issue, IssueCode},
    scope_name::ScopeName,
};

/// An error for a client, whatever the protocol.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{title}: {detail}")]
pub struct Problem {
    /// The code of the error.
    pub code: Code,
    /// The short text.
    pub title: String,
    /// A sentence that tells the client what happened and what to do next. It holds
    /// no secrets.
    pub detail: String,
    /// The faults of the input.
    pub issues: Vec<Issue>,
    /// A free slug, if the requested one is taken.
    pub free_slug: Option<Slug>,
    /// The current link, if the request was meant for another version.
    pub current: Option<Box<SeenLink>>,
    /// The scope that the caller's token lacks.
    pub scope: Option<Scope>,
    /// The time after which a retry makes sense.
    pub retry_after: Option<Duration>,
}

impl Problem {
    /// Creates a problem with the code's own title.
    pub fn new(code: Code, detail: impl Into<String>) -> Self {
        Self {
            code,
            title: code.title().into(),
            detail: detail.into(),
            issues: Vec::new(),
            free_slug: None,
            current: None,
            scope: None,
            retry_after: None,
        }
    }

    /// Creates the problem of an input with faults.
    pub fn invalid(issues: Vec<Issue>) -> Self {
        let faults: Vec<String> = issues
            .iter()
            .map(|issue| match issue.path.join(".") {
                path if path.is_empty() => issue.message.clone(),
                path if issue.message.contains("expected") => format!("{path}: {}", issue.message),
                path => format!("{path}: {} (expected {})", issue.message, issue.expected),
            })
            .collect();
        Self {
            issues,
            ..Self::new(Code::ValidationError, faults.join("; "))
        }
    }

    /// Moves the problem below this path, for a fault in a part of the input.
    #[must_use]
    pub fn within(self, path: &[&str]) -> Self {
        if self.issues.is_empty() {
            return self;
        }
        let below = |issue: Issue| Issue {
            path: path
                .iter()
                .map(|part| (*part).to_owned())
                .chain(issue.path)
                .collect(),
            ..issue
        };
        Self::invalid(self.issues.into_iter().map(below).collect())
    }

    /// Returns the HTTP status.
    pub fn status(&self) -> u16 {
        self.code.status()
    }

    /// Returns the JSON body of a response to this request URL. `show` shows the current link.
    pub fn body<L>(&self, url: &str, show: impl Fn(&SeenLink) -> L) -> ProblemBody<L> {
        let message = self.sentence();
        let faults = self.code == Code::ValidationError;
        let current = self.current.as_deref();
        let data = (faults || current.is_some() || self.scope.is_some()).then(|| ProblemData {
            name: faults.then_some("ZodError"),
            message: faults.then(|| message.clone()),
            issues: faults.then(|| self.issues.clone()),
            link: current.map(show),
            scope: self.scope.map(ScopeName::from),
        });
        ProblemBody {
            error: true,
            url: url.to_owned(),
            status_code: self.status(),
            status_message: self.title.clone(),
            message,
            code: self.code.as_str(),
            free_slug: self.free_slug.as_ref().map(Slug::to_string),
            data,
        }
    }

    /// Returns what happened and what to do, for people. Clients of Sink show it; clients
    /// that compare texts compare the title, which is Sink's.
    pub fn sentence(&self) -> String {
        let says_it_all = matches!(
            self.code,
            Code::ValidationError
                | Code::InvalidJson
                | Code::InvalidCsv
                | Code::MethodNotAllowed
                | Code::QueryTimeout
                | Code::Unauthorized
        );
        if says_it_all {
            self.detail.clone()
        } else {
            format!("{}: {}", self.title.trim_end_matches('.'), self.detail)
        }
    }
}

// `L` shows a link; the comment below is the schema's description.
/// The body of every error response.
#[derive(Clone, Debug, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
#[schemars(rename = "Problem")]
pub struct ProblemBody<L> {
    /// Always true.
    error: bool,
    /// The request's URL.
    url: String,
    /// The HTTP status again.
    status_code: u16,
    /// Short text.
    status_message: String,
    /// Says what happened and what to do about it.
    message: String,
    /// Stable name of the error kind.
    code: &'static str,
    /// A slug that is free, where another one is taken.
    #[serde(skip_serializing_if = "Option::is_none")]
    free_slug: Option<String>,
    /// Present for validation errors, failed preconditions and missing scopes.
    #[serde(skip_serializing_if = "Option::is_none")]
    data: Option<ProblemData<L>>,
}

/// Details of an error.
#[derive(Clone, Debug, Serialize, JsonSchema)]
struct ProblemData<L> {
    /// Of a validation error always `ZodError`, for clients that look for it.
    #[serde(skip_serializing_if = "Option::is_none")]
    name: Option<&'static str>,
    /// Of a validation error the same as `message` outside.
    #[serde(skip_serializing_if = "Option::is_none")]
    message: Option<String>,
    /// The faults of a validation error.
    #[serde(skip_serializing_if = "Option::is_none")]
    issues: Option<Vec<Issue>>,
    /// The link as it is now, of a failed precondition.
    #[serde(skip_serializing_if = "Option::is_none")]
    link: Option<L>,
    /// The scope that the caller's token lacks.
    #[serde(skip_serializing_if = "Option::is_none")]
    scope: Option<ScopeName>,
}

/// The text for every wrong token. It does not depend on the token.
const WRONG_TOKEN: &str = "This is no token of this instance, or one that was revoked; the site \
    token is in SLUGLINE_SITE_TOKEN or in the file site-token of its data folder";

/// The time after which a client should retry when the database failed: most restarts
/// take less.
const STORE_RETRY_AFTER: Duration = Duration::from_secs(5);

impl From<Error> for Problem {
    fn from(error: Error) -> Self {
        match error {
            Error::ExpiryNotInFuture { expires_at, now } => Self::invalid(vec![Issue {
                code: IssueCode::Custom,
                path: vec!["expiration".into()],
                message: "expiration must be greater than current time".into(),
                expected: format!("Unix seconds after {}, not {}", now.get(), expires_at.get()),
            }]),
            Error::Life(fault) => Self::invalid(vec![Issue::of_life(fault)]),
            Error::Forwarding(fault) => Self::invalid(vec![Issue::from(&fault)]),
            Error::NoDomain(host) => Self::invalid(vec![Issue {
                code: IssueCode::Custom,
                path: vec!["domain".into()],
                message: format!("no domain has the host {:?}", host.as_str()),
                expected: "a host that GET /api/domains lists, or no domain for the default one; \
                           whoever runs the instance adds hosts"
                    .into(),
            }]),
            Error::DomainNotFound(host) => Self::new(
                Code::DomainNotFound,
                format!(
                    "no domain has the host {:?}; list domains to find the right one",
                    host.as_str()
                ),
            ),
            Error::DomainExists(host) => Self::new(
                Code::DomainExists,
                format!(
                    "the domain {:?} is there already; PUT /api/domains changes it",
                    host.as_str()
                ),
            ),
            Error::OwnHost { host, own } => own_host(&host, own),
            Error::TooManyDomains => Self::invalid(vec![Issue {
                code: IssueCode::TooBig,
                path: vec!["host".into()],
                message: error.to_string(),
                expected: "no further domain, or take one away first".into(),
            }]),
            Error::DomainHasLinks { host, links } => Self::new(
                Code::DomainHasLinks,
                format!(
                    "the domain {:?} has links, {links} of them; say what becomes of them: \
                     links=move with moveTo, or links=delete",
                    host.as_str()
                ),
            ),
            Error::SlugsTaken { from, to, slugs } => slugs_taken(&from, &to, &slugs),
            Error::LinkNotFound(slug) => Self::new(
                Code::LinkNotFound,
                format!(
                    "no link has the slug {slug:?}; list or search links to find the right one"
                ),
            ),
            Error::IdNotFound(id) => Self::new(
                Code::LinkNotFound,
                format!(
                    "no link has the id {:?}, and none in the trash had it; GET /api/link/trash \
                     lists deleted links",
                    id.as_str()
                ),
            ),
            Error::Restore(fault) => fault.into(),
            Error::SlugTaken { key, free } => {
                let offer = free.as_ref().map_or_else(
                    || "choose another".to_owned(),
                    |free| format!("the slug {:?} is free", free.slug.as_str()),
                );
                let detail = format!(
                    "the slug {:?} is in use; {offer}, or leave slug out to get a random one",
                    key.to_string()
                );
                Self {
                    free_slug: free.map(|free| free.slug),
                    ..Self::new(Code::SlugTaken, detail)
                }
            }
            Error::Outdated(key) => Self::new(
                Code::LinkModified,
                format!(
                    "somebody else changed the link {:?} at the same time; read it and try again",
                    key.to_string()
                ),
            ),
            Error::PreconditionFailed { key, current } => {
                let detail = if current.is_some() {
                    format!(
                        "the link {:?} is not the version that If-Match names; look at the one \
                         in data.link and send its ETag, or leave If-Match out",
                        key.to_string()
                    )
                } else {
                    format!(
                        "no link has the slug {:?}, and If-Match asks for one",
                        key.to_string()
                    )
                };
                Self {
                    current: current.map(Box::new),
                    ..Self::new(Code::PreconditionFailed, detail)
                }
            }
            Error::NotWatching => Self::invalid(vec![Issue {
                code: IssueCode::InvalidValue,
                path: vec!["status".into()],
                message: "this instance does not watch destinations, so it knows no broken ones; \
                          SLUGLINE_WATCH_EVERY switches the watch on"
                    .into(),
                expected: "another status".into(),
            }]),
            Error::TooManyTags(error) => Self::invalid(vec![Issue::of_tags(&error)]),
            Error::IdTaken(id) => Self::new(
                Code::IdTaken,
                format!(
                    "the id {:?} is in use; leave id out to get a new one",
                    id.as_str()
                ),
            ),
            Error::TooManyTagged { max } => Self::invalid(vec![Issue {
                code: IssueCode::TooBig,
                path: vec!["tag".into()],
                message: "too many links have the tags".into(),
                expected: format!(
                    "tags that at most {max} links have together; filter by url or slug instead"
                ),
            }]),
            Error::PreviewMode(action) => {
                let title = match action {
                    Forbidden::Edit => "Preview mode cannot edit links.",
                    Forbidden::Delete => "Preview mode cannot delete links.",
                    Forbidden::Import => "Preview mode cannot import links.",
                    Forbidden::Export => "Preview mode cannot export links.",
                    Forbidden::Explain => "Preview mode cannot explain links.",
                    Forbidden::Check => "Preview mode cannot check links.",
                    Forbidden::Suggest => "Preview mode cannot suggest slugs and previews.",
                    Forbidden::Migrate => "Preview mode cannot move links here.",
                    Forbidden::EraseVisits => "Preview mode cannot erase visits.",
                    Forbidden::Tokens => "Preview mode has no named tokens.",
                    Forbidden::History => "Preview mode has no history of links.",
                    Forbidden::Domains => "Preview mode cannot change domains.",
                };
                let detail = "this is a public demonstration: links can be made, found and \
                              followed, and end after five minutes";
                Self {
                    title: title.into(),
                    ..Self::new(Code::PreviewMode, detail)
                }
            }
            Error::MissingScope(MissingScope { token, scope }) => {
                let detail = format!(
                    "this needs {scope}, which the token {:?} does not have; whoever runs the \
                     instance makes one that has it, on the dashboard's Set-up page or with \
                     `slugline token add`",
                    token.as_str()
                );
                Self {
                    scope: Some(scope),
                    ..Self::new(Code::MissingScope, detail)
                }
            }
            Error::OutOfReach(refused) => out_of_reach(&refused),
            Error::AdminBound => Self::invalid(vec![Issue {
                code: IssueCode::Custom,
                path: vec!["scopes".into()],
                message: "admin cannot be bound to links".into(),
                expected: "scopes without admin, or neither slugs nor tags".into(),
            }]),
            Error::Binding(error) => Self::invalid(vec![Issue {
                code: IssueCode::TooBig,
                path: vec!["slugs".into()],
                message: error.to_string(),
                expected: format!("at most {} slugs and as many tags", Binding::MAX),
            }]),
            Error::BoundToNoLink(key) => Self::invalid(vec![Issue {
                code: IssueCode::Custom,
                path: vec!["slugs".into()],
                message: format!("no link has the slug {:?}", key.to_string()),
                expected: "slugs of links that are there".into(),
            }]),
            Error::TokenExpiryNotInFuture { expires_at, now } => Self::invalid(vec![Issue {
                code: IssueCode::Custom,
                path: vec!["expiresAt".into()],
                message: "expiresAt must be greater than current time".into(),
                expected: format!("Unix seconds after {}, not {}", now.get(), expires_at.get()),
            }]),
            Error::TokenNameTaken(name) => Self::new(
                Code::TokenNameTaken,
                format!(
                    "another token has the name {:?}; choose another name, or revoke that token \
                     first",
                    name.as_str()
                ),
            ),
            Error::TokenNameResembles { name, other } => Self::new(
                Code::TokenNameTaken,
                format!(
                    "the name {:?} looks like {:?}, the name of another token; choose another \
                     name, or revoke that token first",
                    name.as_str(),
                    other.as_str()
                ),
            ),
            Error::TokenNotFound(name) => Self::new(
                Code::TokenNotFound,
                format!(
                    "no token has the name {:?}; list tokens to find the right one",
                    name.as_str()
                ),
            ),
            Error::MigrationRequired => Self::new(
                Code::MigrationRequired,
                "links still have to be moved here from the older instance's store: run \
                 `slugline migrate`, or POST /api/link/migration/run until list_complete is true",
            ),
            Error::MigrationCursor => Self {
                title: "Invalid migration cursor".into(),
                ..Self::new(
                    Code::InvalidCursor,
                    "use the cursor of the previous report, or leave it out to go on",
                )
            },
            Error::MigrationRunGone => Self::new(
                Code::MigrationRunGone,
                "another run has begun since; leave the cursor out to go on with it",
            ),
            Error::MigrationPageDone => Self::new(
                Code::MigrationPageDone,
                "somebody has moved this page; leave the cursor out to go on with the next one",
            ),
            Error::KeyReused => Self::new(
                Code::IdempotencyKeyReused,
                "another request with this idempotency key made a link; send a new key with each \
                 new request, and the same one only with the same body",
            ),
            Error::LinkDeleted => Self::new(
                Code::LinkDeleted,
                "an earlier request with this idempotency key made a link, which was deleted \
                 since; bring it back from the trash, or send a new key to make another link",
            ),
            Error::OldStore(_) => Self {
                title: "Old link store unavailable".into(),
                retry_after: Some(STORE_RETRY_AFTER),
                ..Self::new(
                    Code::Unavailable,
                    "the older instance's store (SLUGLINE_LEGACY_KV_URL) cannot be read at the \
                     moment; nothing is lost, and the migration goes on where it is",
                )
            },
            Error::Store(StoreError::TooSlow { limit, .. }) => Self {
                title: "Links query took too long".into(),
                ..Self::new(
                    Code::QueryTimeout,
                    format!(
                        "there was no answer within {} seconds; search for three characters or \
                         more, ask for fewer links at a time, or try again when fewer searches run",
                        limit.as_secs()
                    ),
                )
            },
            Error::Store(StoreError::Failed { .. }) => Self {
                retry_after: Some(STORE_RETRY_AFTER),
                ..Self::new(
                    Code::Unavailable,
                    "links cannot be read or written at the moment",
                )
            },
            Error::VisitLog(VisitLogError::Failed { .. }) => Self::new(
                Code::Unavailable,
                "the access log cannot be read at the moment; redirects go on",
            ),
            Error::VisitLog(VisitLogError::TooSlow { limit, .. }) => Self::new(
                Code::QueryTimeout,
                format!(
                    "there was no answer within {} seconds; ask about fewer visits with startAt, \
                     endAt or id, or try again when fewer questions are asked",
                    limit.as_secs()
                ),
            ),
            Error::Erasure(_) => Self::new(
                Code::Unavailable,
                "the access log did not confirm in time that it erases the visits; send the same \
                 request again, which does no harm if they are erased",
            ),
            Error::TokenBusy(excess) => Self::new(Code::TokenBusy, in_the_way(excess)),
            Error::TooManyWrites {
                per_minute,
                retry_after,
            } => Self {
                // Rounded up, because a request that comes too early is refused again.
                retry_after: Some(Duration::from_secs(whole_seconds(retry_after))),
                ..Self::new(
                    Code::TooManyWrites,
                    format!(
                        "a named token writes at most {per_minute} times a minute \
                         (SLUGLINE_TOKEN_WRITES_PER_MINUTE); send the same request again in {} \
                         seconds",
                        whole_seconds(retry_after)
                    ),
                )
            },
            Error::TooManyWatchers => Self::new(
                Code::TooManyWatchers,
                "as many watch visits as may at a time; close another stream, or ask \
                 /api/logs/events",
            ),
            Error::Password(HashError::Busy(busy)) => busy.into(),
            Error::Password(HashError::Failed(_)) => {
                Self::new(Code::InternalError, "the password could not be hashed")
            }
        }
    }
}

impl From<RestoreFault> for Problem {
    fn from(fault: RestoreFault) -> Self {
        let (member, message, expected) = match fault {
            RestoreFault::NoVersion => {
                return Self::new(
                    Code::VersionNotFound,
                    "no such version of the link is kept; GET /api/link/history lists those that \
                     are",
                );
            }
            // Who brings a link back may not be allowed to read it.
            RestoreFault::Expired(_) => (
                "expiration",
                "this version has expired".to_owned(),
                "a later moment, or null for none".to_owned(),
            ),
            RestoreFault::KeepsKey(key) => (
                "slug",
                format!("the link is there and keeps its slug {:?}", key.to_string()),
                "no slug, or this one".to_owned(),
            ),
            RestoreFault::KeepsDomain(key) => (
                "domain",
                format!(
                    "the link {:?} is there and stays in its domain",
                    key.to_string()
                ),
                "no domain, or that of the link".to_owned(),
            ),
            RestoreFault::WrongVersion(fault) => {
                ("version", fault.to_string(), "another version".to_owned())
            }
            RestoreFault::WrongKey(fault) => (
                "slug",
                fault.to_string(),
                "another slug, or another version".to_owned(),
            ),
            RestoreFault::NoDomain(domain) => (
                "domain",
                format!("the link's domain {:?} was taken away", domain.as_str()),
                "a host that GET /api/domains lists, or an empty text for the default domain"
                    .to_owned(),
            ),
        };
        Self::invalid(vec![Issue {
            code: IssueCode::Custom,
            path: vec![member.to_owned()],
            message,
            expected,
        }])
    }
}

fn own_host(host: &Host, own: OwnHost) -> Problem {
    let reason = match own {
        OwnHost::Public => "is that of SLUGLINE_BASE_URL, which is the default domain",
        OwnHost::Admin => "is SLUGLINE_ADMIN_HOST, where no link is followed",
    };
    Problem::invalid(vec![Issue {
        code: IssueCode::Custom,
        path: vec!["host".into()],
        message: format!("the host {:?} {reason}", host.as_str()),
        expected: "another host".into(),
    }])
}

fn slugs_taken(from: &DomainName, to: &DomainName, slugs: &[Slug]) -> Problem {
    let to = match to.host() {
        Some(host) => host.as_str(),
        None => "the default domain",
    };
    let slugs: Vec<&str> = slugs.iter().map(Slug::as_str).collect();
    Problem::new(
        Code::SlugTaken,
        format!(
            "links of {to} have slugs of {from}, so nothing was moved; change or delete these links \
             of one of them first: {}",
            slugs.join(", ")
        ),
    )
}

/// The text names what the caller sent, and tags that the holder of the token learns from its
/// links anyway.
fn out_of_reach(refused: &OutOfReach) -> Problem {
    let detail = match refused {
        OutOfReach::New(tags) if tags.is_empty() => "your token is bound to links that are there, \
                                                     and makes no others"
            .to_owned(),
        OutOfReach::Domain(domains) => {
            let hosts = domains.iter().map(|domain| match domain.host() {
                Some(host) => format!("{:?}", host.as_str()),
                None => "the default one".to_owned(),
            });
            format!(
                "your token makes only links of the domains that it is bound to: {}",
                hosts.collect::<Vec<_>>().join(", ")
            )
        }
        OutOfReach::New(tags) => {
            let tags: Vec<String> = tags
                .iter()
                .map(|tag| format!("{:?}", tag.as_str()))
                .collect();
            format!(
                "your token makes only links that have one of the tags that it is bound to; add \
                 {} to tags",
                tags.join(" or ")
            )
        }
        OutOfReach::Id(id) => format!(
            "your token is bound to some links and cannot choose the id {:?} for a new one, because \
             a deleted link may have had it; leave id out to get a new one",
            id.as_str()
        ),
        OutOfReach::Added(tag) => format!(
            "your token is bound to the tag {:?} and cannot add it to a link; leave it out of tags",
            tag.as_str()
        ),
        OutOfReach::Removed(tag) => format!(
            "your token is bound to the tag {:?} and cannot remove it from a link; keep it in tags",
            tag.as_str()
        ),
    };
    Problem::new(Code::OutOfReach, detail)
}

impl From<Denied> for Problem {
    fn from(denied: Denied) -> Self {
        let title = denied.to_string();
        match denied {
            Denied::NoToken => Self::new(
                Code::Unauthorized,
                "This needs a token of this instance, in an Authorization: Bearer header",
            ),
            // Sink's clients recognise a short token by the title.
            Denied::TooShort | Denied::WrongToken => Self {
                title,
                ..Self::new(Code::Unauthorized, WRONG_TOKEN)
            },
            Denied::OtherResource => Self::new(
                Code::Unauthorized,
                "The token belongs to an assistant and opens another address than this one; make a \
                 token for this purpose, or connect the assistant again",
            ),
            Denied::WrongCode => Self::new(
                Code::Unauthorized,
                "The code is wrong, was used before, or is over: each is valid once, for ten \
                 minutes. `slugline token show` prints an address with another one",
            ),
            Denied::Expired { name, at } => Self::new(
                Code::Unauthorized,
                format!(
                    "The token {:?} ended at {} (Unix seconds); whoever runs the instance makes \
                     a new one",
                    name.as_str(),
                    at.get()
                ),
            ),
            Denied::TooMany(wait) => wait.into(),
            Denied::Store(_) => Self {
                retry_after: Some(STORE_RETRY_AFTER),
                ..Self::new(
                    Code::Unavailable,
                    "named tokens cannot be read at the moment; the site token works",
                )
            },
        }
    }
}

/// Returns what a token should wait for.
fn in_the_way(excess: Excess) -> &'static str {
    match excess {
        Excess::Questions => {
            "too many questions of this token wait for each other; ask one after the other"
        }
        Excess::Exports => {
            "this token already exports visits; wait until that file is complete, or close its \
             connection"
        }
        Excess::Watches => {
            "this token already watches visits on two connections; close one of them, or ask \
             /api/logs/events"
        }
    }
}

fn whole_seconds(wait: Duration) -> u64 {
    wait.as_secs() + u64::from(wait.subsec_nanos() > 0)
}

impl From<NotChecked> for Problem {
    fn from(reason: NotChecked) -> Self {
        match reason {
            NotChecked::TooMany(wait) => wait.into(),
            NotChecked::Busy(busy) => busy.into(),
        }
    }
}

impl From<TooManyAttempts> for Problem {
    fn from(wait: TooManyAttempts) -> Self {
        Self {
            retry_after: Some(wait.retry_after),
            ..Self::new(Code::TooManyAttempts, wait.to_string())
        }
    }
}

impl From<Busy> for Problem {
    fn from(busy: Busy) -> Self {
        Self {
            retry_after: Some(Busy::RETRY_AFTER),
            ..Self::new(Code::Busy, busy.to_string())
        }
    }
}

#[cfg(test)]
mod tests {
    use serde_json::{json, to_value};

    use super::*;

    #[test]
    fn a_business_error_says_what_to_do_and_has_no_data() {
        let problem = Problem::new(Code::LinkNotFound, "no such link");
        let body =
            to_value(problem.body("http://localhost/api/link/query?slug=x", |_| ())).unwrap();
        assert_eq!(
            body,
            json!({
                "error": true,
                "url": "http://localhost/api/link/query?slug=x",
                "statusCode": 404,
                "statusMessage": "Link not found",
                "message": "Link not found: no such link",
                "code": "link_not_found",
            })
        );
    }

    #[test]
    fn a_token_beyond_its_budget_is_told_what_to_do() {
        let error = Error::TooManyWrites {
            per_minute: std::num::NonZeroU32::new(6_000).unwrap(),
            retry_after: Duration::from_millis(1_200),
        };
        let problem = Problem::from(error);
        assert_eq!((problem.status(), problem.code), (429, Code::TooManyWrites));
        assert_eq!(problem.retry_after, Some(Duration::from_secs(2)));
        assert!(
            problem.detail.contains("again in 2 seconds"),
            "{}",
            problem.detail
        );
        for excess in [Excess::Questions, Excess::Exports, Excess::Watches] {
            let problem = Problem::from(Error::TokenBusy(excess));
            assert_eq!((problem.status(), problem.code), (429, Code::TokenBusy));
        }
    }

    #[test]
    fn a_search_that_takes_too_long_is_told_what_would_help() {
        let error = Error::Store(StoreError::TooSlow {
            action: "search links",
            limit: std::time::Duration::from_secs(10),
        });
        let body = to_value(Problem::from(error).body("", |_| ())).unwrap();
        assert_eq!(body["statusCode"], 503);
        assert_eq!(body["code"], "query_timeout");
        let message = body["message"].as_str().unwrap();
        assert!(message.contains("within 10 seconds"), "{message}");
        assert!(message.contains("three characters"), "{message}");
    }

    #[test]
    fn a_question_that_takes_too_long_is_told_what_would_help() {
        let error = Error::VisitLog(VisitLogError::TooSlow {
            action: "count visits",
            limit: std::time::Duration::from_secs(30),
        });
        let body = to_value(Problem::from(error).body("", |_| ())).unwrap();
        assert_eq!(body["statusCode"], 503);
        assert_eq!(body["code"], "query_timeout");
        let message = body["message"].as_str().unwrap();
        assert!(message.contains("within 30 seconds"), "{message}");
        assert!(message.contains("startAt"), "{message}");
    }

    #[test]
    fn a_validation_error_lists_its_faults_as_text_and_as_data() {
        let issue = Issue {
            code: IssueCode::InvalidFormat,
            path: vec!["url".into()],
            message: "URL format is invalid".into(),
            expected: "an absolute URL".into(),
        };
        let body = to_value(Problem::invalid(vec![issue]).body("u", |_| ())).unwrap();
        assert_eq!(body["statusMessage"], "Validation Error");
        assert_eq!(body["data"]["name"], "ZodError");
        assert_eq!(body["data"]["issues"][0]["path"], json!(["url"]));
        assert_eq!(body["data"]["issues"][0]["code"], "invalid_format");
        assert_eq!(
            body["message"],
            "url: URL format is invalid (expected an absolute URL)"
        );
    }
}
