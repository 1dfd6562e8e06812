//! Former versions of links.
//!
//! A row is a link as it was before a change, with everything that the table of links has but what
//! is made for searches, and the change that ended the version.

use sea_orm::{
    ConditionalStatement, DbBackend,
    sea_query::{ColumnDef, Expr, Index, IndexCreateStatement, Table, TableCreateStatement},
};

use crate::{m0001_links::by_code_point, m0009_audit::number, step::sql};

pub(crate) fn statements(backend: DbBackend) -> Vec<String> {
    vec![
        sql(backend, &versions(backend)),
        sql(backend, &versions_of_a_link()),
        sql(backend, &trash()),
    ]
}

fn versions(backend: DbBackend) -> TableCreateStatement {
    let texts = [
        "comment",
        "title",
        "description",
        "image",
        "apple",
        "google",
        "geo",
        "rules",
        "shares",
        "password_hash",
        "start_url",
        "expired_url",
        "tags",
    ];
    let flags = [
        "redirect_with_query",
        "cloaking",
        "proxy",
        "flagged_unsafe",
        "forward_path",
    ];
    let moments = ["shares_until", "expires_at", "ends_at", "starts_at"];
    let mut table = Table::create();
    table.table("link_versions").col(number(backend));
    for key in ["id", "domain", "slug"] {
        table.col(by_code_point(key, backend).not_null());
    }
    table.col(ColumnDef::new("destination").text().not_null());
    for text in texts {
        table.col(ColumnDef::new(text).text().null());
    }
    for flag in flags {
        table.col(ColumnDef::new(flag).boolean().null());
    }
    table.col(ColumnDef::new("disabled").boolean().not_null());
    for moment in moments {
        table.col(ColumnDef::new(moment).big_integer().null());
    }
    table.col(ColumnDef::new("max_visits").big_integer().null());
    for count in ["created_at", "updated_at", "revision", "visits_used"] {
        table.col(ColumnDef::new(count).big_integer().not_null());
    }
    table
        // The change that ended the version; milliseconds.
        .col(ColumnDef::new("ended_at").big_integer().not_null())
        .col(ColumnDef::new("ended_by").text().not_null())
        .col(ColumnDef::new("operation").text().not_null())
        // The same moment if the link is in the trash.
        .col(ColumnDef::new("deleted_at").big_integer().null())
        .take()
}

fn versions_of_a_link() -> IndexCreateStatement {
    Index::create()
        .name("link_versions_link")
        .table("link_versions")
        .col("id")
        .col("number")
        .take()
}

/// Few versions are in the trash.
fn trash() -> IndexCreateStatement {
    Index::create()
        .name("link_versions_trash")
        .table("link_versions")
        .col("deleted_at")
        .col("number")
        .and_where(Expr::cust("deleted_at IS NOT NULL"))
        .take()
}
