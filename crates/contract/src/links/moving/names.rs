//! The names that other products have for members of records.

use crate::{
    links::table,
    synonyms::{find, plain},
};

/// As the table of synonyms, for names that mean a member only in files of other products.
const CALLED: &str = "
short: bitlink link shortlink shorturl
slug: path
name: title
visitsBefore: clicks clickscount hits totalclicks visits visitcount visitscount
createdAt: timestamp
domain: domain.fullname
disabled: archived disabledat
split: testvariants
";

/// Returns the member of records that has this name in a file of another product, in any spelling.
pub(in crate::links) fn member_of(name: &str) -> Option<&'static str> {
    let ours = || table::column(name).or_else(|| table::column_of_others(name));
    find(CALLED, &plain(name), |names| names).or_else(|| ours().map(|part| part.name))
}
