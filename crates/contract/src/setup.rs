//! The setup of an instance: its bounds, its enabled features, and settings that its
//! operator may want to change. Nothing here is secret.

use std::{fmt, net::IpAddr};

use schemars::JsonSchema;
use serde::Serialize;
use slugline_domain::LogTrouble;

/// The set-up of an instance.
#[derive(Clone, Debug, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
#[schemars(rename = "Setup")]
pub struct SetupView {
    /// The binary's version.
    pub version: &'static str,
    /// The public address, if it was set. Otherwise short links have the address that each request names.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub base_url: Option<String>,
    /// The same with the characters that its host stands for, if these are not ASCII.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub base_url_unicode: Option<String>,
    /// The address of the API, MCP, the documentation and the dashboard, if a host of their own was set.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub admin_url: Option<String>,
    /// Bounds of inputs and answers.
    pub limits: Limits,
    /// The switches.
    pub switches: Switches,
    /// The settings of redirects.
    pub redirects: RedirectsView,
    /// The settings of visits.
    pub visits: VisitsView,
    /// Where links and visits are kept.
    pub stores: Stores,
    /// The source of visitors' countries, if it is the table in the program. Its licence asks pages that show countries to name it and to link to its address.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub countries: Option<CountriesView>,
    /// Advice on settings, worst first.
    pub findings: Vec<Finding>,
}

/// The table of countries in the program.
#[derive(Clone, Copy, Debug, Serialize, JsonSchema)]
#[schemars(rename = "Countries")]
pub struct CountriesView {
    /// The name of the data.
    pub name: &'static str,
    /// The address of who makes them.
    pub address: &'static str,
    /// The licence.
    pub licence: &'static str,
    /// The day of the data, such as `2026-06-01`.
    pub date: &'static str,
}

/// Bounds of inputs and answers.
#[derive(Clone, Debug, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct Limits {
    /// Longest slug in characters.
    pub slug_chars: usize,
    /// A regular expression that slugs match.
    pub slug_pattern: &'static str,
    /// Characters of a generated slug, before any lengthening.
    pub generated_slug_chars: usize,
    /// Longest destination in bytes, as it is sent to visitors.
    pub url_chars: usize,
    /// Schemes that destinations may have.
    pub url_schemes: Vec<String>,
    /// Longest comment in characters.
    pub comment_chars: usize,
    /// Longest title in characters.
    pub title_chars: usize,
    /// Longest description in characters.
    pub description_chars: usize,
    /// Longest password in characters.
    pub password_chars: usize,
    /// Tags of a link.
    pub tags: usize,
    /// Longest tag in characters.
    pub tag_chars: usize,
    /// Links that one import may bring.
    pub import_links: usize,
    /// Links on a page of an export.
    pub export_links: u16,
    /// Links on a page of a list.
    pub list_links: u16,
    /// Links that one batch changes.
    pub batch_links: u16,
    /// Destinations that one check asks.
    pub check_links: u8,
    /// Rows of an answer about visits.
    pub stats_rows: u32,
    /// Tags that a question about visits can name.
    pub stats_tags: usize,
    /// Links that the tags of such a question may have together.
    pub stats_tagged_links: u32,
    /// Visitors' events that one may watch at a time.
    pub watchers: usize,
    /// Bytes of a request's body, other than an import's.
    pub body_bytes: usize,
}

/// The switches.
#[derive(Clone, Copy, Debug, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
#[expect(
    clippy::struct_excessive_bools,
    reason = "each is a switch of its own, and the wire has a flag for each"
)]
pub struct Switches {
    /// The instance is a public demonstration: links end after five minutes, and no caller can change them.
    pub preview_mode: bool,
    /// Links still have to be moved here from an older instance's store.
    pub migration_required: bool,
    /// `Docs` and `docs` are two slugs.
    pub case_sensitive_slugs: bool,
    /// Links may pass their destination's answer on.
    pub proxied_links: bool,
    /// Destinations are compared with a list of dangerous hosts.
    pub destination_screening: bool,
    /// A receiver gets a message about each visit.
    pub webhook: bool,
    /// Web pages of any origin may call the API.
    pub api_cors: bool,
    /// Assistants may connect by the address of the MCP endpoint, by consent.
    pub assistants: bool,
    /// Forwarded headers of some proxies are believed.
    pub trusted_proxies: bool,
    /// A file says where visitors are.
    pub place_file: bool,
    /// Something says where visitors are, be it a file, a proxy, or, for countries alone, the table in the program.
    pub places: bool,
    /// Something says regions and cities, too.
    pub cities: bool,
    /// Deleted links are kept for a while, and can be brought back.
    pub trash: bool,
}

/// The settings of redirects.
#[derive(Clone, Copy, Debug, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
#[schemars(rename = "RedirectSettings")]
pub struct RedirectsView {
    /// The HTTP status.
    pub status: u16,
    /// Seconds for which a browser may remember a redirect: an edit shows after that time, and repeated visits in it are not counted. Left out when it may not remember any.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub max_age_seconds: Option<u64>,
    /// Visitors' query parameters are merged into destinations, unless a link says otherwise.
    pub with_query: bool,
}

/// The settings of visits.
#[derive(Clone, Copy, Debug, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
#[schemars(rename = "VisitSettings")]
pub struct VisitsView {
    /// Visits of bots are recorded.
    pub bots: bool,
    /// Days for which visits are kept; left out when they are kept for good.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub retention_days: Option<u32>,
    /// The time for which a visitor can be told apart: `day`, `week`, `month` or `never` (no end).
    pub visitor_salt: &'static str,
    /// Visits per minute beyond which some stand for many; left out for no limit.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub sample_above: Option<u32>,
    /// The same for each link.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub sample_link_above: Option<u32>,
}

/// Where links and visits are kept.
#[derive(Clone, Copy, Debug, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct Stores {
    /// The links.
    pub links: LinkStoreKind,
    /// The visits.
    pub visits: VisitStoreKind,
}

/// Where links are kept.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
#[schemars(inline)]
pub enum LinkStoreKind {
    /// In a file of this node.
    Sqlite,
    /// In a database that nodes may share.
    PostgreSql,
}

/// Where visits are kept.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
#[schemars(inline)]
pub enum VisitStoreKind {
    /// In a file of this node.
    Embedded,
    /// In a database that nodes share.
    ClickHouse,
}

/// Something that may be set otherwise.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, JsonSchema)]
pub struct Finding {
    /// Stable name of the finding.
    pub code: &'static str,
    /// The severity.
    pub level: Level,
    /// The finding, and its consequence.
    pub message: String,
    /// The remedy.
    pub fix: Fix,
}

/// The severity of a finding. Worse ones are less.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
#[schemars(inline)]
pub enum Level {
    /// Something does not work.
    Error,
    /// The operator may regret it.
    Warning,
    /// It may be meant so.
    Note,
}

/// The remedy of a finding.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(untagged)]
pub enum Fix {
    /// A setting.
    Setting {
        /// Its name in the environment.
        setting: &'static str,
        /// A value, or an example of one; left out for secrets.
        #[serde(skip_serializing_if = "Option::is_none")]
        value: Option<String>,
    },
    /// A command.
    Command {
        /// The command.
        command: &'static str,
    },
}

impl Fix {
    /// A damage, which the command names.
    const DOCTOR: Self = Self::Command {
        command: "slugline doctor",
    };
    /// The access log does not get its visits.
    const ANALYTICS_URL: Self = Self::Setting {
        setting: "SLUGLINE_ANALYTICS_URL",
        value: None,
    };

    /// Suggests a setting with a value or an example of one.
    pub fn setting(setting: &'static str, value: impl Into<String>) -> Self {
        Self::Setting {
            setting,
            value: Some(value.into()),
        }
    }
}

/// Formats the fix as an instruction: `set SLUGLINE_RETENTION_DAYS, such as 365`.
impl fmt::Display for Fix {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Setting {
                setting,
                value: Some(value),
            } => write!(f, "set {setting}, such as {value}"),
            Self::Setting {
                setting,
                value: None,
            } => write!(f, "set {setting}"),
            Self::Command { command } => write!(f, "run `{command}`"),
        }
    }
}

impl Finding {
    /// A check found damaged pages in the links database.
    pub fn links_damaged() -> Self {
        Self {
            code: "links_damaged",
            level: Level::Error,
            message: "some pages of the links database are damaged, so some links cannot be read; \
                      restore a backup"
                .into(),
            fix: Fix::DOCTOR,
        }
    }

    /// Links still have to be moved here.
    pub fn migration_required() -> Self {
        Self {
            code: "migration_required",
            level: Level::Error,
            message: "links still have to be moved here from the older instance's store".into(),
            fix: Fix::Command {
                command: "slugline migrate",
            },
        }
    }

    /// The request came by a proxy that is not trusted.
    pub fn untrusted_proxy(peer: IpAddr, header: &str) -> Self {
        Self {
            code: "untrusted_proxy",
            level: Level::Warning,
            message: format!(
                "your request came from {peer} with the header {header}, which is not believed; if \
                 that is your proxy, all its visitors look alike and share their limits"
            ),
            fix: Fix::setting("SLUGLINE_TRUSTED_PROXIES", peer.to_string()),
        }
    }

    /// The request came by a trusted proxy that names clients in another header.
    pub fn other_client_header(peer: IpAddr, header: &str, believed: &str) -> Self {
        Self {
            code: "other_client_header",
            level: Level::Warning,
            message: format!(
                "your request came from the trusted proxy {peer} with the header {header} and no \
                 {believed}, so all its visitors look alike and share their limits"
            ),
            fix: Fix::setting("SLUGLINE_CLIENT_IP_HEADER", header),
        }
    }
}

impl From<LogTrouble> for Finding {
    fn from(trouble: LogTrouble) -> Self {
        let (code, fix) = match trouble {
            LogTrouble::NotStoring => (
                "visits_not_stored",
                Fix::setting("SLUGLINE_DATA_DIR", "/a/folder/on/a/disk/with/room"),
            ),
            LogTrouble::Full => ("spool_full", Fix::ANALYTICS_URL),
            LogTrouble::NotShipping => ("visits_not_shipped", Fix::ANALYTICS_URL),
            LogTrouble::Panicked => ("visits_panicked", Fix::DOCTOR),
            LogTrouble::Damaged => ("visits_damaged", Fix::DOCTOR),
        };
        Self {
            code,
            level: Level::Error,
            message: trouble.to_string(),
            fix,
        }
    }
}
