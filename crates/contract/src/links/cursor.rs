//! The cursors of listings of links.

use serde::{Deserialize, Serialize};
use slugline_application::{VisitRange, VisitedPosition};
use slugline_domain::{DomainName, LinkKey, Position, TimeError, UnixSeconds};

use super::listing::{Listing, Sort, Status};
use crate::{Problem, cursor};

pub(super) use crate::cursor::MAX_CHARS;

/// Comes first, so that a later layout can be told apart.
const VERSION: u8 = 3;

/// The content of a cursor: version, listing, and the last link of the page.
#[derive(Serialize, Deserialize)]
struct Content(u8, Wanted, i64, String);

/// The content of a cursor in a listing by visits: also the visits of the last link, and
/// the seconds in which visits are counted.
#[derive(Serialize, Deserialize)]
struct VisitedContent(u8, Wanted, i64, String, u64, Option<i64>, i64);

/// A listing: domain, sort, status, tag, text, and the fingerprint of the keys.
#[derive(PartialEq, Serialize, Deserialize)]
struct Wanted(
    Option<String>,
    Sort,
    Status,
    Option<String>,
    Option<String>,
    Option<u64>,
);

impl From<&Listing> for Wanted {
    fn from(listing: &Listing) -> Self {
        Self(
            listing.domain.as_ref().map(DomainName::to_string),
            listing.sort,
            listing.status,
            listing.tag.as_ref().map(ToString::to_string),
            listing.text.as_ref().map(ToString::to_string),
            listing.keys.as_deref().map(fingerprint),
        )
    }
}

/// Hashes a list of keys, to detect a cursor of another list. The keys themselves may
/// be too long for a cursor.
fn fingerprint(keys: &[LinkKey]) -> u64 {
    // FNV-1a: the same in every version of Slugline, on every node.
    let texts = keys.iter().map(ToString::to_string);
    let bytes = texts.flat_map(|text| (text + ",").into_bytes());
    bytes.fold(0xcbf2_9ce4_8422_2325, |hash, byte| {
        (hash ^ u64::from(byte)).wrapping_mul(0x0100_0000_01b3)
    })
}

/// Writes the cursor of a listing.
pub(super) fn encode(position: &Position, listing: &Listing) -> String {
    cursor::write(&Content(
        VERSION,
        listing.into(),
        position.created_at.get(),
        position.key.to_string(),
    ))
}

/// Writes the cursor of a listing by visits.
pub(super) fn encode_visited(position: &VisitedPosition, listing: &Listing) -> String {
    cursor::write(&VisitedContent(
        VERSION,
        listing.into(),
        position.link.created_at.get(),
        position.link.key.to_string(),
        position.visits,
        position.range.from.map(UnixSeconds::get),
        position.range.until.get(),
    ))
}

/// Reads the position from which a listing continues.
pub(super) fn read(text: Option<&String>, listing: &Listing) -> Result<Option<Position>, Problem> {
    cursor::read(
        text,
        CONDITIONS,
        |Content(version, wanted, created_at, key)| {
            belongs(version, &wanted, listing)?;
            position(created_at, &key)
        },
    )
}

/// Reads the position from which a listing by visits continues, if its range of visits
/// satisfies `fits`.
pub(super) fn read_visited(
    text: Option<&String>,
    listing: &Listing,
    fits: impl Fn(&VisitRange) -> bool,
) -> Result<Option<VisitedPosition>, Problem> {
    let read = |VisitedContent(version, wanted, created_at, key, visits, from, until)| {
        belongs(version, &wanted, listing)?;
        let second = |second: i64| -> Result<UnixSeconds, TimeError> { UnixSeconds::new(second) };
        let range = VisitRange {
            from: from.map(second).transpose().ok()?,
            until: second(until).ok()?,
        };
        fits(&range).then_some(VisitedPosition {
            visits,
            link: position(created_at, &key)?,
            range,
        })
    };
    cursor::read(text, CONDITIONS, read)
}

/// What distinguishes listings, in words.
const CONDITIONS: &str = "sort, tag, status and other conditions";

fn belongs(version: u8, wanted: &Wanted, listing: &Listing) -> Option<()> {
    (version == VERSION && *wanted == listing.into()).then_some(())
}

fn position(created_at: i64, key: &str) -> Option<Position> {
    Some(Position {
        created_at: UnixSeconds::new(created_at).ok()?,
        key: LinkKey::parse(key).ok()?,
    })
}
