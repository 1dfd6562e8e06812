//! A Cloudflare KV bulk file: a JSON array of keys and values.

use std::{
    collections::HashMap,
    fmt::Write,
    fs, io,
    path::{Path, PathBuf},
    time::UNIX_EPOCH,
};

use async_trait::async_trait;
use base64::{Engine, engine::general_purpose::STANDARD};
use serde_json::{Map, Value};
use sha2::{Digest, Sha256};
use slugline_domain::{
    EntryFault, EntryKey, LINK_KEY_PREFIX, OldCursor, OldEntry, OldLink, OldPage, Slug,
    UnixSeconds,
    ports::{OldStore, OldStoreError},
    text::without_byte_order_mark,
};
use tokio::{sync::OnceCell, task};

use crate::{
    entry::{Content, Stored, slug_of_key},
    value::{Members, fault},
};

/// Links in a file in the format of Cloudflare's bulk API, read once, on first
/// use.
///
/// The API's rules apply: of entries with the same key the last one counts, and
/// `expiration_ttl` takes precedence over `expiration`. The former counts from
/// the file's last change. Source:
/// <https://developers.cloudflare.com/api/resources/kv/subresources/namespaces/methods/bulk_update/>
#[derive(Debug)]
pub struct BulkFile {
    path: PathBuf,
    loaded: OnceCell<Loaded>,
}

#[derive(Debug)]
pub(crate) struct Loaded {
    items: Vec<Item>,
    by_key: HashMap<String, usize>,
    /// The number of entries that are not links.
    others: u64,
    /// Identifies the content of the file.
    digest: String,
}

#[derive(Debug)]
struct Item {
    key: String,
    body: Result<Body, EntryFault>,
}

#[derive(Debug)]
struct Body {
    value: Vec<u8>,
    expiry: Option<UnixSeconds>,
    metadata: Option<Map<String, Value>>,
}

impl BulkFile {
    const ITEMS_PER_PAGE: usize = 100;

    /// The file at this path.
    pub fn new(path: &Path) -> Self {
        Self {
            path: path.to_owned(),
            loaded: OnceCell::new(),
        }
    }

    async fn loaded(&self) -> Result<&Loaded, OldStoreError> {
        let load = || async {
            let path = self.path.clone();
            let loaded = task::spawn_blocking(move || Loaded::read(&path)).await;
            let loaded = loaded.map_err(|error| OldStoreError::Unavailable {
                action: "read the bulk file",
                source: error.into(),
            })?;
            loaded.map_err(|why| OldStoreError::Unusable(format!("{}: {why}", self.path.display())))
        };
        self.loaded.get_or_try_init(load).await
    }
}

#[async_trait]
impl OldStore for BulkFile {
    async fn page(&self, from: Option<&OldCursor>) -> Result<OldPage, OldStoreError> {
        let loaded = self.loaded().await?;
        let start = match from {
            None => 0,
            Some(cursor) => loaded.index_of(cursor).ok_or(OldStoreError::CursorLost)?,
        };
        let end = loaded.items.len().min(start + Self::ITEMS_PER_PAGE);
        Ok(OldPage {
            entries: loaded.items[start..end].iter().map(Item::entry).collect(),
            ignored: if start == 0 { loaded.others } else { 0 },
            next: (end < loaded.items.len()).then(|| loaded.cursor_of(end)),
        })
    }

    async fn find(&self, slug: &Slug) -> Result<Option<OldLink>, OldStoreError> {
        let loaded = self.loaded().await?;
        let item = loaded.by_key.get(&format!("{LINK_KEY_PREFIX}{slug}"));
        Ok(item.and_then(|index| loaded.items[*index].entry().link.ok()))
    }

    async fn ping(&self) -> Result<(), OldStoreError> {
        self.loaded().await.map(drop)
    }
}

impl Loaded {
    fn read(path: &Path) -> Result<Self, ReadError> {
        let bytes = fs::read(path)?;
        let changed = fs::metadata(path)?.modified()?;
        let changed = changed.duration_since(UNIX_EPOCH).unwrap_or_default();
        let changed = i64::try_from(changed.as_secs()).unwrap_or(UnixSeconds::MAX);
        Ok(Self::of(&bytes, changed)?)
    }

    /// The entries of a file whose last change was in this second.
    pub(crate) fn of(bytes: &[u8], changed: i64) -> serde_json::Result<Self> {
        let mut digest = String::new();
        for byte in &Sha256::digest(bytes)[..8] {
            write!(digest, "{byte:02x}").expect("a string takes everything");
        }
        let items: Vec<Value> = serde_json::from_slice(without_byte_order_mark(bytes))?;
        let mut loaded = Self {
            items: Vec::new(),
            by_key: HashMap::new(),
            others: 0,
            digest,
        };
        for (number, item) in items.into_iter().enumerate() {
            loaded.add(number, item, changed);
        }
        Ok(loaded)
    }

    fn add(&mut self, number: usize, item: Value, changed: i64) {
        let mut item = match item {
            Value::Object(members) => members,
            Value::Null
            | Value::Bool(_)
            | Value::Number(_)
            | Value::String(_)
            | Value::Array(_) => Map::new(),
        };
        let Some(Value::String(key)) = item.remove("key") else {
            // The entry has no key, so its position names it.
            self.items.push(Item {
                key: format!("entry {number} of the file"),
                body: Err(EntryFault::new("the entry is no object with a key")),
            });
            return;
        };
        if slug_of_key(key.as_bytes()).is_none() {
            self.others += 1;
            return;
        }
        let body = Body::read(&mut item, changed);
        if let Some(index) = self.by_key.get(&key) {
            self.items[*index].body = body;
            return;
        }
        self.by_key.insert(key.clone(), self.items.len());
        self.items.push(Item { key, body });
    }

    #[cfg(feature = "fuzzing")]
    pub(crate) fn assert_sound(&self) {
        for (index, item) in self.items.iter().enumerate() {
            let entry = item.entry();
            assert!(!entry.key.as_str().is_empty());
            assert_eq!(self.index_of(&self.cursor_of(index)), Some(index));
        }
        assert!(self.by_key.len() <= self.items.len());
    }

    fn cursor_of(&self, index: usize) -> OldCursor {
        OldCursor::new(format!("{} {index}", self.digest))
    }

    fn index_of(&self, cursor: &OldCursor) -> Option<usize> {
        let (digest, index) = cursor.as_str().split_once(' ')?;
        let index = index.parse().ok()?;
        (digest == self.digest && index <= self.items.len()).then_some(index)
    }
}

impl Body {
    fn read(item: &mut Map<String, Value>, changed: i64) -> Result<Self, EntryFault> {
        let members = Members(item);
        let encoded = members.flag("base64")?.unwrap_or(false);
        let expiration = members.seconds("expiration")?;
        let time_to_live = members.seconds("expiration_ttl")?;
        let metadata = members.object("metadata")?.cloned();
        let expiry = match time_to_live {
            Some(ttl) => {
                let expiry = UnixSeconds::new(changed.saturating_add(ttl.get()));
                Some(expiry.map_err(|error| fault("expiration_ttl", &error))?)
            }
            None => expiration,
        };
        let value = match item.remove("value") {
            Some(Value::String(text)) if encoded => STANDARD
                .decode(text.trim())
                .map_err(|_| EntryFault::new("the value is not base64"))?,
            Some(Value::String(text)) => text.into_bytes(),
            Some(_) | None => return Err(EntryFault::new("value is not a text")),
        };
        Ok(Self {
            value,
            expiry,
            metadata,
        })
    }
}

impl Item {
    fn entry(&self) -> OldEntry {
        match &self.body {
            Ok(body) => {
                let slug = slug_of_key(self.key.as_bytes()).unwrap_or_default();
                let stored = Stored {
                    slug: str::from_utf8(slug).ok(),
                    value: Content::Json(&body.value),
                    expiry: body.expiry,
                    metadata: body.metadata.as_ref(),
                };
                stored.entry(self.key.as_bytes())
            }
            Err(fault) => OldEntry {
                key: EntryKey::new(&self.key),
                link: Err(fault.clone()),
            },
        }
    }
}

/// The reason why a file is not a bulk file.
#[derive(Debug, thiserror::Error)]
enum ReadError {
    #[error("{0}")]
    Io(#[from] io::Error),
    #[error("it is not a JSON array of entries: {0}")]
    Json(#[from] serde_json::Error),
}
