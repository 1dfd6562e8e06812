//! Links in the key-value store of an older instance, read behind a port, and in databases of other
//! shorteners.
//!
//! This crate knows Redis, the bulk files of Cloudflare KV and the JSON that Sink
//! wrote into both. It does not know the new store, and it never writes. It
//! accepts links that only older bounds allowed, unless they break a rule that
//! protects visitors.
//!
//! ```
//! use slugline_domain::ports::OldStore;
//! use slugline_legacy::OldStoreUrl;
//!
//! # tokio::runtime::Builder::new_current_thread().enable_all().build()?.block_on(async {
//! # let folder = tempfile::tempdir()?;
//! let file = folder.path().join("links.json");
//! std::fs::write(&file, r#"[{"key":"link:docs","value":"{\"url\":\"https://example.com/\"}"}]"#)?;
//! let store = format!("file:{}", file.display()).parse::<OldStoreUrl>()?.open()?;
//! let link = store.find(&"docs".parse()?).await?.expect("it is in the file");
//! assert_eq!(link.content.destination.as_str(), "https://example.com/");
//! # Ok::<(), Box<dyn std::error::Error>>(()) })?;
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```
//!
//! | module | holds |
//! |---|---|
//! | `source` | the URL that names a store |
//! | `redis_store`, `bulk_file` | the two kinds of store |
//! | `entry`, `value` | key and value → link |
//! | [`databases`] | SQL texts for the databases of other shorteners, and their SQLite files |

mod bulk_file;
pub mod databases;
mod entry;
#[cfg(feature = "fuzzing")]
mod fuzzing;
mod redis_store;
mod source;
mod value;

pub use bulk_file::BulkFile;
#[cfg(feature = "fuzzing")]
pub use fuzzing::fuzz_old_store;
pub use redis_store::RedisStore;
pub use source::{OldStoreUrl, OldStoreUrlError};
