//! SQL texts that are built once: building one takes as long as running it.

use std::sync::OnceLock;

use sea_orm::{
    ActiveModelTrait, DbBackend, EntityTrait, Iterable, Statement, StatementBuilder, Value,
};

/// The text of a statement whose values alone differ from one call to the next.
pub(crate) struct SqlText {
    sqlite: OnceLock<String>,
    postgres: OnceLock<String>,
}

impl SqlText {
    pub(crate) const fn new() -> Self {
        Self {
            sqlite: OnceLock::new(),
            postgres: OnceLock::new(),
        }
    }

    /// The statement with these values. The first call for a database takes its text from
    /// `example`, a statement with any values.
    pub(crate) fn with<Q: StatementBuilder>(
        &self,
        backend: DbBackend,
        values: impl IntoIterator<Item = Value>,
        example: impl FnOnce() -> Q,
    ) -> Statement {
        let text = if backend == DbBackend::Postgres {
            &self.postgres
        } else {
            &self.sqlite
        };
        let text = text.get_or_init(|| backend.build(&example()).sql);
        Statement::from_sql_and_values(backend, text, values)
    }
}

/// The values of a new row, in the order in which an `INSERT` of sea-orm names their columns.
pub(crate) fn values<A: ActiveModelTrait>(mut row: A) -> impl Iterator<Item = Value> {
    let columns = <A::Entity as EntityTrait>::Column::iter();
    columns.filter_map(move |column| row.take(column).into_value())
}
