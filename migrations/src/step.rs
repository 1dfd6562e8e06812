//! The form of schema steps.

use sea_orm::{DbBackend, StatementBuilder};

/// A step of the schema.
pub(crate) struct Step {
    /// The name under which a database records that it has the step.
    pub(crate) name: &'static str,
    /// The statements of the step in the dialect of a database.
    pub(crate) statements: fn(DbBackend) -> Vec<String>,
}

/// The text of a statement in the dialect of a database.
pub(crate) fn sql(backend: DbBackend, statement: &impl StatementBuilder) -> String {
    backend.build(statement).sql
}
