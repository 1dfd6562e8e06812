//! The timetable of the watch of destinations, and what it found.

use sea_orm::{
    DbBackend,
    sea_query::{ColumnDef, ForeignKey, ForeignKeyAction, Index, Table},
};

use crate::step::sql;

pub(crate) fn statements(backend: DbBackend) -> Vec<String> {
    let text = |name: &'static str| ColumnDef::new(name).text().take();
    let number = |name: &'static str| ColumnDef::new(name).big_integer().take();
    let mut of_link = ForeignKey::create()
        .from("link_watch", "link_id")
        .to("short_links", "id")
        .on_delete(ForeignKeyAction::Cascade)
        .take();
    let watch = Table::create()
        .table("link_watch")
        .col(text("link_id").not_null().primary_key())
        // The host of the destination when it was last claimed.
        .col(text("host").not_null())
        // Milliseconds.
        .col(number("next_at").not_null())
        .col(number("claimed_until").not_null().default(0))
        // The failures in a row of this destination; null while there are none.
        .col(text("destination").null())
        .col(number("since").null())
        .col(number("checked_at").null())
        .col(number("times").not_null().default(0))
        .col(number("status").null())
        .col(text("reason").null())
        .foreign_key(&mut of_link)
        .take();
    let index = |name: &'static str, column: &'static str| {
        Index::create()
            .name(name)
            .table("link_watch")
            .col(column)
            .take()
    };
    vec![
        sql(backend, &watch),
        sql(backend, &index("link_watch_next_at", "next_at")),
        sql(backend, &index("link_watch_claimed_until", "claimed_until")),
    ]
}
