//! `/api/link/…`

pub(crate) mod ai;
pub(crate) mod batch;
pub(crate) mod check;
pub(crate) mod count;
pub(crate) mod create;
pub(crate) mod delete;
pub(crate) mod edit;
pub(crate) mod explain;
pub(crate) mod export;
pub(crate) mod history;
pub(crate) mod import;
pub(crate) mod list;
pub(crate) mod og_ai;
pub(crate) mod patch;
pub(crate) mod query;
pub(crate) mod restore;
pub(crate) mod search;
pub(crate) mod search_url;
pub(crate) mod tags;
pub(crate) mod trash;
pub(crate) mod upsert;

/// The group of these operations in the document.
const TAG: &str = "Links";
