//! The five dictionaries of a log.

use rusqlite::Connection;

use super::dictionary::{Dictionary, Statements};
use crate::row::{Client, Place, Row, Target};

/// Largest ids. Two bytes hold an id of the dictionaries that visitors fill;
/// places come from a geographic database; targets come from the authors of
/// links, one for each link and each edit of it.
const TARGETS: u32 = (1 << 24) - 1;
const CLIENTS: u32 = (1 << 16) - 1;
const PLACES: u32 = (1 << 18) - 1;
const REFERERS: u32 = (1 << 16) - 1;
const LANGUAGES: u32 = (1 << 12) - 1;

/// The ids of one row.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Ids {
    pub(super) target: u32,
    pub(super) client: u32,
    pub(super) place: u32,
    pub(super) referer: u32,
    pub(super) language: u32,
}

/// All dictionaries of a log.
#[derive(Debug)]
pub(super) struct Dictionaries {
    targets: Dictionary,
    clients: Dictionary,
    places: Dictionary,
    referers: Dictionary,
    languages: Dictionary,
}

impl Dictionaries {
    pub(super) fn new() -> Self {
        Self {
            targets: Dictionary::new(
                TARGETS,
                Statements {
                    find: "SELECT id FROM dim_target WHERE link_id = ?1 AND slug = ?2 AND url = ?3",
                    newest: "SELECT max(id) FROM dim_target",
                    ids: "SELECT id FROM dim_target ORDER BY id",
                    insert: "INSERT INTO dim_target (link_id, slug, url, id) VALUES (?1, ?2, ?3, ?4)",
                },
            ),
            clients: Dictionary::new(
                CLIENTS,
                Statements {
                    find: "SELECT id FROM dim_client WHERE ua = ?1 AND os = ?2 AND browser = ?3 \
                           AND browser_type = ?4 AND device = ?5 AND device_type = ?6",
                    newest: "SELECT max(id) FROM dim_client",
                    ids: "SELECT id FROM dim_client ORDER BY id",
                    insert: "INSERT INTO dim_client \
                             (ua, os, browser, browser_type, device, device_type, id) \
                             VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7)",
                },
            ),
            places: Dictionary::new(
                PLACES,
                Statements {
                    find: "SELECT id FROM dim_place WHERE country = ?1 AND region = ?2 \
                           AND city = ?3 AND timezone = ?4 AND colo = ?5 AND latitude = ?6 \
                           AND longitude = ?7",
                    newest: "SELECT max(id) FROM dim_place",
                    ids: "SELECT id FROM dim_place ORDER BY id",
                    insert: "INSERT INTO dim_place \
                             (country, region, city, timezone, colo, latitude, longitude, id) \
                             VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8)",
                },
            ),
            referers: Dictionary::new(
                REFERERS,
                Statements {
                    find: "SELECT id FROM dim_value WHERE kind = 1 AND v = ?1",
                    newest: "SELECT max(id) FROM dim_value WHERE kind = 1",
                    ids: "SELECT id FROM dim_value WHERE kind = 1 ORDER BY id",
                    insert: "INSERT INTO dim_value (kind, v, id) VALUES (1, ?1, ?2)",
                },
            ),
            languages: Dictionary::new(
                LANGUAGES,
                Statements {
                    find: "SELECT id FROM dim_value WHERE kind = 2 AND v = ?1",
                    newest: "SELECT max(id) FROM dim_value WHERE kind = 2",
                    ids: "SELECT id FROM dim_value WHERE kind = 2 ORDER BY id",
                    insert: "INSERT INTO dim_value (kind, v, id) VALUES (2, ?1, ?2)",
                },
            ),
        }
    }

    /// The ids of a row's values; new values are entered.
    pub(super) fn ids(&mut self, db: &Connection, row: &Row<'_>) -> Result<Ids, rusqlite::Error> {
        let Target { link_id, slug, url } = row.target;
        let Client {
            user_agent,
            os,
            browser,
            browser_type,
            device,
            device_type,
        } = row.client;
        let Place {
            country,
            region,
            city,
            timezone,
            colo,
            latitude,
            longitude,
        } = row.place;
        let coordinates = (latitude.to_bits(), longitude.to_bits());
        let place_key = (country, region, city, timezone, colo, coordinates);
        let referer = row.referer.as_ref();
        Ok(Ids {
            target: self.targets.id(db, &row.target, &[&link_id, &slug, &url])?,
            client: self.clients.id(
                db,
                &row.client,
                &[
                    &user_agent,
                    &os,
                    &browser,
                    &browser_type,
                    &device,
                    &device_type,
                ],
            )?,
            place: self.places.id(
                db,
                &place_key,
                &[
                    &country, &region, &city, &timezone, &colo, &latitude, &longitude,
                ],
            )?,
            referer: self.referers.id(db, &referer, &[&referer])?,
            language: self.languages.id(db, &row.language, &[&row.language])?,
        })
    }

    /// The transaction that entered values is durable.
    pub(super) fn keep(&mut self) {
        self.each(Dictionary::keep);
    }

    /// The transaction that entered values was rolled back.
    pub(super) fn forget(&mut self) {
        self.each(Dictionary::forget);
    }

    /// Entries may have been deleted.
    pub(super) fn look_again(&mut self) {
        self.each(Dictionary::look_again);
    }

    fn each(&mut self, act: impl FnMut(&mut Dictionary)) {
        [
            &mut self.targets,
            &mut self.clients,
            &mut self.places,
            &mut self.referers,
            &mut self.languages,
        ]
        .into_iter()
        .for_each(act);
    }
}
