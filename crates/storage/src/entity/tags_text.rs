//! Tags in one text. Tags are in lower case, so a capital letter stands before each.

use slugline_domain::{Tag, TagError};

const TAG: char = 'T';

pub(crate) fn write<'a>(tags: impl IntoIterator<Item = &'a Tag>) -> String {
    let tags = tags.into_iter();
    tags.flat_map(|tag| ["T", tag.as_str()]).collect()
}

pub(crate) fn read(text: &str) -> Result<Vec<Tag>, TagError> {
    text.split(TAG).skip(1).map(Tag::parse).collect()
}
