//! Links of other products.
//!
//! Each reader makes *records* of what it reads: JSON objects in the names of our links, whose values are
//! still written as the product writes them. [`settle`] makes an import of every record. Beside the members
//! of a link, a record may have `short`, a whole short address, and `name`, a title that the product
//! fetched by itself.
//!
//! | module | holds |
//! |---|---|
//! | `names` | the names that products have for members |
//! | `lines` | what the SQL texts write for databases |
//! | `pages` | JSON of Dub and Bitly |
//! | `conditions` | Shlink's rules |
//! | `settle`, `moments` | record → import |

mod conditions;
mod lines;
mod moments;
mod names;
mod pages;
mod settle;

pub(super) use self::{
    lines::{begins_lines, read_lines},
    names::member_of,
    pages::records_of,
    settle::settle,
};
use super::import_link::ImportLink;
use crate::Problem;

/// A link of a file.
#[derive(Debug)]
pub struct ReadLink {
    /// Its place in the list, from 0.
    pub index: usize,
    /// The line on which it begins, from 1, in a table or in lines.
    pub line: Option<u64>,
    /// The link, or the error that it is not an object.
    pub link: Result<ImportLink, Problem>,
    /// The slug as the file spells it, if it has one.
    pub slug: Option<String>,
    /// Parts of a link of another product that do not come, in words.
    pub cuts: Vec<String>,
}

impl From<Result<ImportLink, Problem>> for ReadLink {
    fn from(link: Result<ImportLink, Problem>) -> Self {
        let slug = link.as_ref().ok().and_then(|link| link.slug.value());
        Self {
            index: 0,
            line: None,
            slug: slug.cloned(),
            link,
            cuts: Vec::new(),
        }
    }
}
