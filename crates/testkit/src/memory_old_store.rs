//! An old store in memory.

use std::sync::Mutex;

use async_trait::async_trait;
use slugline_domain::{
    LinkContent, OldCursor, OldEntry, OldLink, OldPage, Slug,
    ports::{OldStore, OldStoreError},
};

use crate::{destination, slug};

/// Entries in a list, two to a page. It can go down and come back as another
/// process.
#[derive(Debug, Default)]
pub struct MemoryOldStore {
    state: Mutex<State>,
}

#[derive(Debug, Default)]
struct State {
    entries: Vec<OldEntry>,
    away: bool,
    restarts: u32,
}

/// A link of an old store with nothing but a destination.
pub fn old_link(slug_text: &str) -> OldLink {
    OldLink {
        slug: slug(slug_text),
        id: None,
        created_at: None,
        updated_at: None,
        ends_at: None,
        password: None,
        content: LinkContent::leading_to(destination("https://example.com/")),
    }
}

impl MemoryOldStore {
    /// A store with these entries.
    pub fn new(entries: Vec<OldEntry>) -> Self {
        let state = State {
            entries,
            ..State::default()
        };
        Self {
            state: Mutex::new(state),
        }
    }

    /// Adds an entry.
    pub fn add(&self, entry: OldEntry) {
        self.state().entries.push(entry);
    }

    /// Makes every later call fail until [`Self::come_back`] is called.
    pub fn go_away(&self) {
        self.state().away = true;
    }

    /// Answers again, as another process with the same entries.
    pub fn come_back(&self) {
        let mut state = self.state();
        state.away = false;
        state.restarts += 1;
    }

    fn state(&self) -> std::sync::MutexGuard<'_, State> {
        self.state
            .lock()
            .expect("no test panics while holding the lock")
    }

    fn open(&self) -> Result<std::sync::MutexGuard<'_, State>, OldStoreError> {
        let state = self.state();
        if state.away {
            return Err(OldStoreError::Unavailable {
                action: "answer",
                source: "it went away".into(),
            });
        }
        Ok(state)
    }
}

#[async_trait]
impl OldStore for MemoryOldStore {
    async fn page(&self, from: Option<&OldCursor>) -> Result<OldPage, OldStoreError> {
        const PER_PAGE: usize = 2;
        let state = self.open()?;
        let start = match from {
            None => 0,
            Some(cursor) => {
                let parts = cursor.as_str().split_once(' ');
                let (restarts, start) = parts.ok_or(OldStoreError::CursorLost)?;
                if restarts != state.restarts.to_string() {
                    return Err(OldStoreError::CursorLost);
                }
                start.parse().map_err(|_| OldStoreError::CursorLost)?
            }
        };
        let end = state.entries.len().min(start + PER_PAGE);
        let next = format!("{} {end}", state.restarts);
        Ok(OldPage {
            entries: state.entries[start..end].to_vec(),
            ignored: 0,
            next: (end < state.entries.len()).then(|| OldCursor::new(next)),
        })
    }

    async fn find(&self, slug: &Slug) -> Result<Option<OldLink>, OldStoreError> {
        let state = self.open()?;
        let links = state
            .entries
            .iter()
            .filter_map(|entry| entry.link.as_ref().ok());
        Ok(links.rev().find(|link| link.slug == *slug).cloned())
    }

    async fn ping(&self) -> Result<(), OldStoreError> {
        self.open().map(drop)
    }
}
