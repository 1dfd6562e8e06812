//! Visits: what is recorded, and every question about them.

pub(crate) mod files; // visits in files, and on their way to ClickHouse
pub(crate) mod questions; // every question about visits, on both faces

mod campaigns; // where visits come from, by the parameters of addresses
mod clickhouse; // visits in ClickHouse, of several nodes
mod devices; // programs and devices of visitors
mod erasing; // the visits of one link
mod exact; // what a sampled log calls exact
mod filters; // which visits a question is about: bots, tags, values to include and to exclude
mod live; // visits watched as they come in
mod places; // where visitors are
mod webhook; // another server is told of visits
