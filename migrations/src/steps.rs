//! The steps of the schema.

use crate::{
    m0001_links, m0002_search, m0003_link_migration, m0004_search_queue, m0005_revisions,
    m0006_announcements, m0007_outbox, m0008_tokens, m0009_audit, m0010_tags_in_rows,
    m0011_token_bindings, m0012_oldest_first, m0013_assistants, step::Step,
};

/// All steps in order.
pub(crate) const STEPS: [Step; 13] = [
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
    Step {
        name: "m0012_oldest_first",
        statements: m0012_oldest_first::statements,
    },
    Step {
        name: "m0013_assistants",
        statements: m0013_assistants::statements,
    },
];
