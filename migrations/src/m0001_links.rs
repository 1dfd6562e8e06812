//! Links and their tags.

use sea_orm::{
    DbBackend,
    sea_query::{
        ColumnDef, ForeignKey, ForeignKeyAction, Index, IndexCreateStatement, IndexOrder, Table,
        TableCreateStatement,
    },
};

use crate::step::sql;

pub(crate) fn statements(backend: DbBackend) -> Vec<String> {
    vec![
        sql(backend, &links(backend)),
        sql(backend, &slug_is_unique()),
        sql(backend, &newest_first()),
        sql(backend, &same_destination()),
        EXPIRED.into(),
        sql(backend, &link_tags(backend)),
        sql(backend, &links_of_a_tag()),
    ]
}

fn links(backend: DbBackend) -> TableCreateStatement {
    let text = |name: &'static str| ColumnDef::new(name).text().null().take();
    let flag = |name: &'static str| ColumnDef::new(name).boolean().null().take();
    let seconds = |name: &'static str| ColumnDef::new(name).big_integer().take();
    Table::create()
        .table("links")
        .col(number())
        .col(by_code_point("id", backend).not_null().unique_key())
        .col(by_code_point("slug", backend).not_null())
        .col(ColumnDef::new("destination").text().not_null())
        .col(text("comment"))
        .col(text("title"))
        .col(text("description"))
        .col(text("image"))
        .col(text("apple"))
        .col(text("google"))
        .col(text("geo"))
        .col(flag("redirect_with_query"))
        .col(flag("cloaking"))
        .col(flag("proxy"))
        .col(flag("flagged_unsafe"))
        .col(text("password_hash"))
        .col(by_code_point("search_text", backend).not_null())
        .col(by_code_point("destination_key", backend).not_null())
        .col(seconds("created_at").not_null())
        .col(seconds("updated_at").not_null())
        .col(seconds("expires_at").null())
        .col(seconds("ends_at").null())
        .take()
}

/// A small key besides the identifier. Other tables of the database refer to
/// it, and it stays the same when SQLite repacks the file.
fn number() -> ColumnDef {
    ColumnDef::new("number")
        .big_integer()
        .not_null()
        .auto_increment()
        .primary_key()
        .take()
}

fn link_tags(backend: DbBackend) -> TableCreateStatement {
    Table::create()
        .table("link_tags")
        .col(by_code_point("link_id", backend).not_null())
        .col(by_code_point("tag", backend).not_null())
        .primary_key(Index::create().col("link_id").col("tag"))
        .foreign_key(
            ForeignKey::create()
                .from("link_tags", "link_id")
                .to("links", "id")
                .on_delete(ForeignKeyAction::Cascade),
        )
        .take()
}

fn slug_is_unique() -> IndexCreateStatement {
    Index::create()
        .name("links_slug")
        .table("links")
        .col("slug")
        .unique()
        .take()
}

/// Serves the listing's default order.
fn newest_first() -> IndexCreateStatement {
    Index::create()
        .name("links_newest")
        .table("links")
        .col(("created_at", IndexOrder::Desc))
        .col("slug")
        .take()
}

fn same_destination() -> IndexCreateStatement {
    Index::create()
        .name("links_destination")
        .table("links")
        .col("destination_key")
        .take()
}

/// Most links never expire and need no entry.
const EXPIRED: &str = "
CREATE INDEX links_expiry ON links (expires_at) WHERE expires_at IS NOT NULL;
CREATE INDEX links_end ON links (ends_at) WHERE ends_at IS NOT NULL;
";

fn links_of_a_tag() -> IndexCreateStatement {
    Index::create()
        .name("link_tags_tag")
        .table("link_tags")
        .col("tag")
        .col("link_id")
        .take()
}

/// A text column that compares by code point. SQLite's columns do so by
/// default. PostgreSQL's would follow the database's locale, and order and fold
/// slugs differently from one server to the next.
pub(crate) fn by_code_point(name: &'static str, backend: DbBackend) -> ColumnDef {
    let mut column = ColumnDef::new(name);
    if backend == DbBackend::Postgres {
        column.custom(r#"text COLLATE "C""#);
    } else {
        column.text();
    }
    column
}
