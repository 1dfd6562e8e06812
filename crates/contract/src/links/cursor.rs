//! Cursors: a place in one particular listing, opaque to clients.

use base64::{Engine, engine::general_purpose::URL_SAFE_NO_PAD};
use serde::{Deserialize, Serialize};
use slugline_domain::{Position, Slug, Tag, UnixSeconds};

use super::listing::{Listing, Sort, Status};
use crate::{code::Code, problem::Problem};

/// Longest cursor we read, in bytes: the longest slug and tag make one of about
/// 3,000.
pub(super) const MAX_CHARS: usize = 4096;

/// What stands inside a cursor. The version is first so that a later layout can
/// be told apart.
#[derive(Serialize, Deserialize)]
struct Content(u8, Sort, Status, Option<String>, i64, String);

const VERSION: u8 = 1;

/// Only URL-safe characters: one client pastes cursors into query strings
/// unencoded.
pub(super) fn encode(place: &Position, listing: &Listing) -> String {
    let content = Content(
        VERSION,
        listing.sort,
        listing.status,
        listing.tag.as_ref().map(ToString::to_string),
        place.created_at.get(),
        place.slug.to_string(),
    );
    URL_SAFE_NO_PAD.encode(serde_json::to_vec(&content).expect("a cursor is plain data"))
}

/// The place where a listing continues. An empty cursor is none: one client
/// always sends the parameter.
pub(super) fn read(text: Option<&String>, listing: &Listing) -> Result<Option<Position>, Problem> {
    let text = text.filter(|text| !text.is_empty());
    text.map(|text| decode(text, listing)).transpose()
}

fn decode(text: &str, listing: &Listing) -> Result<Position, Problem> {
    parse(text, listing).ok_or_else(|| {
        Problem::new(
            Code::InvalidCursor,
            "use the cursor of the previous page with the same sort, tag and status, \
             or start again without one",
        )
    })
}

fn parse(text: &str, listing: &Listing) -> Option<Position> {
    if text.len() > MAX_CHARS {
        return None;
    }
    let bytes = URL_SAFE_NO_PAD.decode(text).ok()?;
    let Content(version, sort, status, tag, created_at, slug) =
        serde_json::from_slice(&bytes).ok()?;
    let tag = tag.map(|tag| Tag::parse(&tag)).transpose().ok()?;
    if version != VERSION || (Listing { sort, status, tag }) != *listing {
        return None;
    }
    Some(Position {
        created_at: UnixSeconds::new(created_at).ok()?,
        slug: Slug::parse(&slug).ok()?,
    })
}
