//! What clients rely on: wire types, their bounds and schemas, error codes.
//!
//! One flat under the protocol adapters. It knows JSON shapes and the numbers
//! of HTTP statuses; it does not know a web framework, OpenAPI or MCP. REST
//! bodies and MCP arguments are the same types here, so the two cannot come to
//! mean different things.
//!
//! Reading goes in two steps: [`read`] takes an object as it was sent, each member
//! as a [`Sent`], then the type's own `check` makes domain values, which enforce
//! every bound, and tells of all faults at once, of types as of bounds. Schemas
//! state those same bounds from the same constants.
//!
//! ```
//! use slugline_contract::{CreateLink, Rules, read};
//!
//! let body = serde_json::json!({"url": "https://example.com/", "tags": ["Docs"]});
//! let new = read::<CreateLink>(&body)?.check(&Rules::default())?;
//! assert!(new.slug.is_none());
//!
//! let body = serde_json::json!({"cloaking": "yes", "tags": ["ok", ""]});
//! let problem = read::<CreateLink>(&body)?.check(&Rules::default()).unwrap_err();
//! let paths: Vec<String> = problem.issues.iter().map(|issue| issue.path.join(".")).collect();
//! assert_eq!(paths, ["url", "tags.1", "cloaking"]);
//! # Ok::<(), slugline_contract::Problem>(())
//! ```
//!
//! | module | holds |
//! |---|---|
//! | [`links`], [`location`], [`migration`], [`stats`] | wire types |
//! | [`code`], [`problem`] | every error code with its status; errors and their body |
//! | [`issue`] | what is wrong with which member |
//! | [`reader`], [`sent`] | JSON or a query string → wire type |
//! | [`unknown`] | names that an input has and its type does not |
//! | [`schema`] | JSON Schema settings shared by OpenAPI and MCP |

mod bool_or_string;
mod check;
pub mod code;
#[cfg(feature = "fuzzing")]
mod fuzzing;
mod instant;
mod int_or_string;
mod iso_8601;
pub mod issue;
mod json_integer;
pub mod links;
pub mod location;
pub mod migration;
pub mod problem;
pub mod reader;
pub mod schema;
pub mod sent;
pub mod stats;
pub mod unknown;

use slugline_domain::{DestinationRules, OwnAddresses, RowLimit};

pub use bool_or_string::BoolOrString;
pub use code::Code;
#[cfg(feature = "fuzzing")]
pub use fuzzing::{fuzz_body, fuzz_import, fuzz_query};
pub use instant::Instant;
pub use int_or_string::IntOrString;
pub use issue::{Issue, IssueCode};
pub use json_integer::JsonInteger;
pub use links::{
    BatchActionName, BatchFilter, BatchLinks, BatchResult, BatchTotals, CheckLinks, CountLinks,
    CreateLink, DeleteLink, DeletedLink, EditLink, ExactUrlSearch, ExportLinks, ExportText,
    ExportedLink, FailedImport, FirstText, FoundLink, FoundLinks, GetLink, ImportItem, ImportLimit,
    ImportLink, ImportLinks, KnownVersions, LinkBatch, LinkCheck, LinkChecks, LinkCount,
    LinkExport, LinkImport, LinkList, LinkMembers, LinkResponse, LinkUpdate, LinkUpdated,
    LinkUpserted, LinkView, LinksToImport, ListLinks, ListedLink, Mask, Outcome, PatchLink,
    PreviewSuggestion, RankingView, ReadLink, ReadLinksError, SearchLinks, SlugSuggestion, Sort,
    Status, StoredHash, SuggestPreview, SuggestSlug, TagList, TagView, TransferFormat, UpdateLink,
    UpsertStatus, entity_tag, if_match, if_none_match, read_links,
};
pub use location::Location;
pub use migration::{MigrationReport, MigrationView, RunMigration};
pub use problem::{Problem, ProblemBody};
pub use reader::{query_to_json, read};
pub use sent::Sent;
pub use stats::{
    AnalyticsFilter, Answer, BotsName, CSV_HEAD, CounterView, DimensionName, EventView,
    HeatmapRequest, HourView, LimitedRequest, LocationView, MetricView, MetricsRequest,
    SamplingView, TimeBucket, Unit, ViewsRequest, csv_file_name, csv_lines,
};
pub use unknown::UnknownNames;

/// What a tool without arguments takes.
#[derive(Clone, Copy, Debug, serde::Deserialize, schemars::JsonSchema)]
pub struct NoArguments {}

/// The bounds that an instance's settings decide.
#[derive(Clone, Debug, Default)]
pub struct Rules {
    /// What may be a destination.
    pub destinations: DestinationRules,
    /// Most rows of an answer about visits, and how many there are unless a
    /// question says otherwise.
    pub rows_max: RowLimit,
    /// Addresses that no link may lead to if they are its own.
    pub own_addresses: OwnAddresses,
}

impl Rules {
    /// The same bounds for an instance whose links are seen below this origin, such
    /// as `https://sl.example`.
    #[must_use]
    pub fn seen_at(&self, origin: &str) -> Self {
        Self {
            own_addresses: self.own_addresses.at(origin),
            ..self.clone()
        }
    }
}
