//! The wire types that clients rely on, with their bounds, schemas and error codes.
//!
//! The protocol adapters use this crate. It knows JSON shapes and HTTP status numbers. It
//! knows no web framework, no OpenAPI and no MCP. REST bodies and MCP arguments share
//! these types, so both mean the same.
//!
//! An input is read in two steps. [`read`] keeps each member as a [`Sent`], whatever
//! its type. The type's own `check` then parses the members into domain values and
//! reports every fault at once: wrong types and broken bounds. Schemas state the
//! bounds from the same constants that the parsers enforce.
//!
//! ```
//! use slugline_contract::{CreateLink, Bounds, read};
//!
//! let body = serde_json::json!({"url": "https://example.com/", "tags": ["Docs"]});
//! let (new, _) = read::<CreateLink>(&body)?.validate(&Bounds::default())?;
//! assert!(new.slug.is_none());
//!
//! let body = serde_json::json!({"cloaking": "yes", "tags": ["ok", ""]});
//! let problem = read::<CreateLink>(&body)?.validate(&Bounds::default()).unwrap_err();
//! let paths: Vec<String> = problem.issues.iter().map(|issue| issue.path.join(".")).collect();
//! assert_eq!(paths, ["url", "tags.1", "cloaking"]);
//! # Ok::<(), slugline_contract::Problem>(())
//! ```
//!
//! | module | holds |
//! |---|---|
//! | [`visits`] | files of visits |
//! | [`issue`], `bounds` | the valid values behind a fault; bounds that settings set |
//! | [`reader`], [`sent`] | JSON or a query string → wire type |
//! | [`unknown`], `synonyms` | members of an input that its type does not have; names that other programs use |
//! | `validation` | all faults of an input, collected |
//! | `scalars` | numbers, flags and moments in the forms that clients send |
//! | `table_rows`, `metered`, `source_start` | files of rows, read and written; byte order marks |
//! | `cursor` | the position at which a page ends |
//! | `idempotency` | the header `Idempotency-Key` |
//! | [`schema`] | JSON Schema settings shared by OpenAPI and MCP |

pub mod audit;
mod bounds;
mod cursor;
pub mod domains;
#[cfg(test)]
mod faults;
#[cfg(feature = "fuzzing")]
mod fuzzing;
mod idempotency;
pub mod issue;
pub mod links;
pub mod location;
mod metered;
pub mod migration;
pub mod reader;
mod scalars;
pub mod schema;
pub mod sent;
pub mod setup;
pub mod sign_in;
mod source_start;
pub mod stats;
mod synonyms;
mod table_rows;
pub mod tokens;
pub mod unknown;
mod validation;
pub mod visits;

pub use audit::{AuditLineView, AuditList, AuditOperation, ListAudit};
pub use bounds::Bounds;
pub use domains::{
    AskDomain, DomainList, DomainRemoved, DomainView, LinksFateName, NamedDomain, RemoveDomain,
};
#[cfg(feature = "fuzzing")]
pub use fuzzing::{fuzz_body, fuzz_import, fuzz_query, fuzz_visits};
pub use idempotency::{Keyed, asked, idempotency_key};
pub use links::*;
pub use location::Location;
pub use migration::{MigrationReport, MigrationView, RunMigration};
pub use reader::{query_to_json, read};
pub use scalars::{BoolOrString, Instant, IntOrString, JsonInteger, UnixTime, iso_8601};
pub use sent::Sent;
pub use setup::{
    CountriesView, Finding, Fix, Level, Limits, LinkStoreKind, RedirectsView, SetupView, Stores,
    Switches, VisitStoreKind, VisitsView,
};
pub use sign_in::{SignIn, SignedIn};
pub use slugline_problem::{Code, Issue, IssueCode, Problem, ProblemBody, ScopeName};
pub use stats::*;
pub use tokens::{
    AssistantView, CallersToken, MakeToken, RevokeToken, TokenList, TokenMade, TokenView,
};
pub use unknown::UnknownNames;
pub use visits::{ExportVisits, ReadVisitsError, VisitFile, VisitFormat, VisitText, read_visits};
