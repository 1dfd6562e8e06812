//! Every destination of a link is found by a search. Before, those of devices and countries and those
//! before the start and after the end were not.

use sea_orm::DbBackend;

pub(crate) fn statements(_: DbBackend) -> Vec<String> {
    // The texts of a link stand one per line. SQLite knows no capitals but those of ASCII, so others in
    // such a destination are found once the link changes.
    let line = |column: &str| format!("coalesce('\n' || lower({column}), '')");
    let columns = ["apple", "google", "geo", "start_url", "expired_url"];
    let lines = columns.map(line).join(" || ");
    let columns = columns.join(", ");
    vec![format!(
        "UPDATE short_links SET search_text = search_text || {lines} \
         WHERE coalesce({columns}) IS NOT NULL"
    )]
}
