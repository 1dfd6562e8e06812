//! An index for lists that begin with the oldest link.
//!
//! Links of one second are listed by slug in both directions of time, so `links_newest` read
//! backwards leaves them to be sorted: all links, if an import gave them one second.

use sea_orm::{DbBackend, sea_query::Index};

use crate::step::sql;

pub(crate) fn statements(backend: DbBackend) -> Vec<String> {
    let index = Index::create()
        .name("links_oldest")
        .table("links")
        .col("created_at")
        .col("slug")
        .take();
    vec![sql(backend, &index)]
}
