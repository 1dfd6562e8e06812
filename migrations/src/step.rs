//! The form of schema steps.

use sea_orm::{DbBackend, StatementBuilder};

use crate::{
    m0001_links, m0002_search, m0003_link_migration, m0004_search_queue, m0005_revisions,
    m0006_announcements, m0007_outbox, m0008_tokens, m0009_audit, m0010_tags_in_rows,
    m0011_token_bindings,
};

/// A step of the schema.
pub(crate) struct Step {
    /// The name under which a database records that it has the step.
    pub(crate) name: &'static str,
    /// The statements of the step in the dialect of a database.
    pub(crate) statements: fn(DbBackend) -> Vec<String>,
}

/// All steps in order.
pub(crate) const STEPS: [Step; 11] = [
    Step {
        name: "m0001_links",
        statements: m0001_links::statements,
    },
    Step {
        name: "m0002_search",
        statements: m0002_search::statements,
    },
    Step {
        name: "m0003_link_migration",
        statements: m0003_link_migration::statements,
    },
    Step {
        name: "m0004_search_queue",
        statements: m0004_search_queue::statements,
    },
    Step {
        name: "m0005_revisions",
        statements: m0005_revisions::statements,
    },
    Step {
        name: "m0006_announcements",
        statements: m0006_announcements::statements,
    },
    Step {
        name: "m0007_outbox",
        statements: m0007_outbox::statements,
    },
    Step {
        name: "m0008_tokens",
        statements: m0008_tokens::statements,
    },
    Step {
        name: "m0009_audit",
        statements: m0009_audit::statements,
    },
    Step {
        name: "m0010_tags_in_rows",
        statements: m0010_tags_in_rows::statements,
    },
    Step {
        name: "m0011_token_bindings",
        statements: m0011_token_bindings::statements,
    },
];

/// The text of a statement in the dialect of a database.
pub(crate) fn sql(backend: DbBackend, statement: &impl StatementBuilder) -> String {
    backend.build(statement).sql
}
