//! Finding one link, as the redirect path needs it.

use std::sync::LazyLock;

use sea_orm::{
    ColumnTrait, DbBackend, JoinType, QueryFilter, QuerySelect, QueryTrait, Select, Statement,
    sea_query::{Expr, ExprTrait},
};
use slugline_domain::{Link, Slug};

use crate::{
    entity::{link, tag},
    failure::Failure,
    session::{Columns, Read, Row, Session},
};

/// Finds the link with a slug, in a single statement.
#[derive(Debug)]
pub(super) struct FindLink {
    pub(super) slug: Slug,
}

impl Read for FindLink {
    type Answer = Option<Link>;

    async fn read<S: Session>(&self, session: &S) -> Result<Option<Link>, Failure> {
        let statement = statement(session.backend(), &self.slug);
        let rows = session.rows::<TaggedRow>(statement).await?;
        let mut row = None;
        let mut tags = Vec::new();
        for tagged in rows {
            tags.extend(tagged.tag);
            row.get_or_insert(tagged.link);
        }
        Ok(row.map(|row| link::to_link(row, &tags)).transpose()?)
    }
}

/// A link with one of its tags, or with none.
struct TaggedRow {
    link: link::Model,
    tag: Option<String>,
}

impl Row for TaggedRow {
    fn read(columns: &impl Columns) -> Result<Self, Failure> {
        Ok(Self {
            link: link::Model::read(columns)?,
            tag: columns.optional_text(link::read_columns().count())?,
        })
    }
}

fn statement(backend: DbBackend, slug: &Slug) -> Statement {
    /// The SQL texts are built once: building one takes as long as running it.
    static SQLITE: LazyLock<String> = LazyLock::new(|| text(DbBackend::Sqlite));
    static POSTGRES: LazyLock<String> = LazyLock::new(|| text(DbBackend::Postgres));

    fn text(backend: DbBackend) -> String {
        select("").build(backend).sql
    }
    let text = if backend == DbBackend::Postgres {
        &POSTGRES
    } else {
        &SQLITE
    };
    Statement::from_sql_and_values(backend, text.as_str(), [slug.as_str().into()])
}

/// One row for each tag of the link, and one without a tag if it has none.
pub(super) fn select(slug: &str) -> Select<link::Entity> {
    let mut select = link::select()
        .column(tag::Column::Tag)
        .filter(link::Column::Slug.eq(slug));
    let of_link =
        Expr::col((tag::Entity, tag::Column::LinkId)).equals((link::Entity, link::Column::Id));
    QuerySelect::query(&mut select).join(JoinType::LeftJoin, tag::Entity, of_link);
    select
}
