//! The URL that names an old store.

use std::{fmt, path::PathBuf, str::FromStr, sync::Arc};

use redis::{ConnectionInfo, IntoConnectionInfo};
use slugline_domain::ports::{OldStore, OldStoreError};
use thiserror::Error;

use crate::{BulkFile, RedisStore};

/// The location of the old store. It may hold a password and is never printed.
#[derive(Clone)]
pub struct OldStoreUrl(Source);

#[derive(Clone)]
enum Source {
    Redis(Box<ConnectionInfo>),
    File(PathBuf),
}

impl OldStoreUrl {
    /// Makes the store. It reads nothing yet.
    ///
    /// # Errors
    /// The address can never be connected to, whatever the server does.
    pub fn open(&self) -> Result<Arc<dyn OldStore>, OldStoreError> {
        Ok(match &self.0 {
            Source::Redis(address) => Arc::new(RedisStore::new(address.as_ref().clone())?),
            Source::File(path) => Arc::new(BulkFile::new(path)),
        })
    }
}

impl FromStr for OldStoreUrl {
    type Err = OldStoreUrlError;

    fn from_str(text: &str) -> Result<Self, Self::Err> {
        let (scheme, rest) = text.split_once(':').ok_or(OldStoreUrlError)?;
        let source = match scheme {
            "redis" | "rediss" | "redis+unix" | "unix" => {
                let address = text.into_connection_info().map_err(|_| OldStoreUrlError)?;
                Source::Redis(Box::new(address))
            }
            "file" => {
                let path = rest.strip_prefix("//").unwrap_or(rest);
                if path.is_empty() {
                    return Err(OldStoreUrlError);
                }
                Source::File(path.into())
            }
            _ => return Err(OldStoreUrlError),
        };
        Ok(Self(source))
    }
}

impl fmt::Debug for OldStoreUrl {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("OldStoreUrl(…)")
    }
}

/// The text names no old store. The error does not repeat it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Error)]
#[error(
    "expected redis://host:6379/0, rediss://… with TLS, redis+unix:///path/to/socket, or file: \
     and the path of a bulk file"
)]
pub struct OldStoreUrlError;

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn servers_sockets_and_files_are_told_apart() {
        for good in [
            "redis://localhost",
            "redis://user:secret@kv.example:6380/2",
            "rediss://kv.example",
            "redis+unix:///run/redis.sock",
            "file:links.json",
            "file:///srv/links.json",
        ] {
            let url = good.parse::<OldStoreUrl>();
            assert_eq!(format!("{url:?}"), "Ok(OldStoreUrl(…))", "{good}");
        }
        for wrong in [
            "",
            "links.json",
            "file:",
            "file://",
            "redis:",
            "redis://h:port",
            "http://x",
        ] {
            assert_eq!(
                wrong.parse::<OldStoreUrl>().err(),
                Some(OldStoreUrlError),
                "{wrong}"
            );
        }
    }

    #[test]
    fn an_error_repeats_no_secret() {
        let error = "redis://user:hunter2@host:port"
            .parse::<OldStoreUrl>()
            .unwrap_err();
        assert!(!error.to_string().contains("hunter2"));
    }
}
