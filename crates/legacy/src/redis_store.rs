//! Links in Redis, or in a server that speaks its protocol.

use std::{collections::HashSet, fmt, time::Duration};

use async_trait::async_trait;
use redis::{
    Client, ConnectionInfo, FromRedisValue, Pipeline, RedisError,
    aio::{ConnectionManager, ConnectionManagerConfig},
};
use slugline_domain::{
    LINK_KEY_PREFIX, OldCursor, OldEntry, OldLink, OldPage, Slug, UnixSeconds,
    ports::{OldStore, OldStoreError},
};

use crate::entry::{Content, Stored, slug_of_key};

/// Links as strings in Redis, where the time to live is the expiry.
///
/// Needs the commands `INFO`, `SCAN`, `MGET`, `PTTL`, `TIME`, `TYPE` and
/// `PING`.
#[derive(Clone)]
pub struct RedisStore {
    connection: ConnectionManager,
}

impl RedisStore {
    /// Roughly the number of links on a page; the last scan may add some.
    const ENTRIES_PER_PAGE: usize = 100;
    /// The number of keys that the server looks at in one scan.
    const KEYS_PER_SCAN: usize = 100;
    /// The most scans for one page, so that many other keys do not make one
    /// page last for ever.
    const SCANS_PER_PAGE: usize = 100;
    const TIMEOUT: Duration = Duration::from_secs(5);

    /// A store at this address. It connects on first use, and again when the
    /// connection is lost.
    ///
    /// # Errors
    /// The address can never be connected to, whatever the server does.
    pub fn new(address: ConnectionInfo) -> Result<Self, OldStoreError> {
        let config = ConnectionManagerConfig::new()
            .set_connection_timeout(Some(Self::TIMEOUT))
            .set_response_timeout(Some(Self::TIMEOUT))
            // The caller is waiting, and can ask again.
            .set_number_of_retries(1)
            .set_max_delay(Duration::from_millis(100));
        let unusable = |error: RedisError| OldStoreError::Unusable(error.to_string());
        let client = Client::open(address).map_err(unusable)?;
        let connection = ConnectionManager::new_lazy_with_config(client, config);
        Ok(Self {
            connection: connection.map_err(unusable)?,
        })
    }

    async fn ask<T: FromRedisValue>(
        &self,
        action: &'static str,
        commands: &Pipeline,
    ) -> Result<T, OldStoreError> {
        let mut connection = self.connection.clone();
        let answer = match commands.query_async(&mut connection).await {
            // Only reads may be repeated on a new connection.
            Err(error) if error.is_connection_dropped() => {
                commands.query_async(&mut connection).await
            }
            answer => answer,
        };
        answer.map_err(|error: RedisError| OldStoreError::Unavailable {
            action,
            source: error.into(),
        })
    }

    /// The keys from a position on, and the server's description of itself.
    async fn scan(&self, cursor: u64) -> Result<(Server, u64, Vec<Vec<u8>>), OldStoreError> {
        let mut commands = redis::pipe();
        commands.cmd("INFO").arg("server");
        commands
            .cmd("SCAN")
            .arg(cursor)
            .arg("COUNT")
            .arg(Self::KEYS_PER_SCAN);
        let (info, (next, keys)): (String, _) = self.ask("list its keys", &commands).await?;
        Ok((Server::read(&info)?, next, keys))
    }

    async fn entries(&self, keys: &[Vec<u8>]) -> Result<Vec<OldEntry>, OldStoreError> {
        if keys.is_empty() {
            return Ok(Vec::new());
        }
        let mut commands = redis::pipe();
        commands.cmd("TIME");
        commands.cmd("MGET").arg(keys);
        for key in keys {
            commands.cmd("PTTL").arg(key);
        }
        let mut answers: Vec<redis::Value> = self.ask("read its entries", &commands).await?;
        let lives = answers.split_off(2.min(answers.len()));
        let (Some(values), Some(time)) = (answers.pop(), answers.pop()) else {
            return Err(unexpected("read its entries"));
        };
        let now = Time::read(time)?;
        let values: Vec<Option<Vec<u8>>> = parse("read its entries", values)?;
        let mut entries = Vec::new();
        for ((key, value), life) in keys.iter().zip(values).zip(lives) {
            let expiry = now.after(parse("read its entries", life)?);
            let value = match &value {
                Some(bytes) => Content::Json(bytes),
                None if self.is_gone(key).await? => continue,
                None => Content::Unreadable("the entry is no string"),
            };
            let slug = slug_of_key(key).unwrap_or_default();
            let stored = Stored {
                slug: str::from_utf8(slug).ok(),
                value,
                expiry,
                metadata: None,
            };
            entries.push(stored.entry(key));
        }
        Ok(entries)
    }

    /// Returns whether an entry without a string has another type, or expired
    /// after its key was listed.
    async fn is_gone(&self, key: &[u8]) -> Result<bool, OldStoreError> {
        let mut commands = redis::pipe();
        commands.cmd("TYPE").arg(key);
        let (kind,): (String,) = self.ask("read its entries", &commands).await?;
        Ok(kind == "none")
    }
}

#[async_trait]
impl OldStore for RedisStore {
    async fn page(&self, from: Option<&OldCursor>) -> Result<OldPage, OldStoreError> {
        let position = from.map(Position::read).transpose()?;
        let mut cursor = position.as_ref().map_or(0, |position| position.scan);
        let mut process = position.map(|position| position.process);
        let mut keys = HashSet::new();
        let mut ignored = 0;
        let mut scans = 0;
        let process = loop {
            let (server, next, found) = self.scan(cursor).await?;
            // A new process orders its keys differently, so a cursor of the old
            // one would skip some.
            let process = process.get_or_insert_with(|| server.process.clone());
            if *process != server.process {
                return Err(OldStoreError::CursorLost);
            }
            for key in found {
                if slug_of_key(&key).is_some() {
                    keys.insert(key);
                } else {
                    ignored += 1;
                }
            }
            cursor = next;
            scans += 1;
            let enough = keys.len() >= Self::ENTRIES_PER_PAGE || scans >= Self::SCANS_PER_PAGE;
            if cursor == 0 || enough {
                break server.process;
            }
        };
        let mut keys: Vec<Vec<u8>> = keys.into_iter().collect();
        keys.sort();
        Ok(OldPage {
            entries: self.entries(&keys).await?,
            ignored,
            next: (cursor != 0).then(|| Position::write(&process, cursor)),
        })
    }

    async fn find(&self, slug: &Slug) -> Result<Option<OldLink>, OldStoreError> {
        let key = format!("{LINK_KEY_PREFIX}{slug}").into_bytes();
        let entry = self.entries(&[key]).await?.pop();
        Ok(entry.and_then(|entry| entry.link.ok()))
    }

    async fn ping(&self) -> Result<(), OldStoreError> {
        self.scan(0).await.map(drop)
    }
}

impl fmt::Debug for RedisStore {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("RedisStore").finish_non_exhaustive()
    }
}

/// The server's description of itself.
struct Server {
    /// Identifies the server's process; dots if the server does not name it.
    process: String,
}

impl Server {
    fn read(info: &str) -> Result<Self, OldStoreError> {
        let member = |name: &str| {
            let mut lines = info.lines();
            lines.find_map(|line| line.strip_prefix(name)?.strip_prefix(':'))
        };
        if member("redis_mode").map(str::trim) == Some("cluster") {
            let why = "it is a Redis Cluster, which lists its keys node by node; \
                       restore a copy into a single server";
            return Err(OldStoreError::Unusable(why.to_owned()));
        }
        Ok(Self {
            process: member("run_id").map_or("…", str::trim).to_owned(),
        })
    }
}

/// The cursor of a `SCAN` by one process.
struct Position {
    process: String,
    scan: u64,
}

impl Position {
    fn write(process: &str, scan: u64) -> OldCursor {
        OldCursor::new(format!("{process} {scan}"))
    }

    fn read(cursor: &OldCursor) -> Result<Self, OldStoreError> {
        let (process, scan) = cursor
            .as_str()
            .split_once(' ')
            .ok_or(OldStoreError::CursorLost)?;
        Ok(Self {
            process: process.to_owned(),
            scan: scan.parse().map_err(|_| OldStoreError::CursorLost)?,
        })
    }
}

/// The server's clock. Times to live count by it, so that an error of our clock
/// changes no expiry.
struct Time {
    millis: i64,
}

impl Time {
    fn read(answer: redis::Value) -> Result<Self, OldStoreError> {
        let (seconds, micros): (i64, i64) = parse("tell the time", answer)?;
        Ok(Self {
            millis: seconds.saturating_mul(1000).saturating_add(micros / 1000),
        })
    }

    /// The expiry of an entry with so many milliseconds to live, rounded to the
    /// nearest second: most expiries are whole seconds, and the clock moves on
    /// between two commands. A negative number means no expiry.
    fn after(&self, life: i64) -> Option<UnixSeconds> {
        let millis = (life >= 0).then(|| self.millis.saturating_add(life))?;
        UnixSeconds::new(millis.saturating_add(500).div_euclid(1000)).ok()
    }
}

fn parse<T: FromRedisValue>(action: &'static str, value: redis::Value) -> Result<T, OldStoreError> {
    T::from_redis_value(value).map_err(|error| OldStoreError::Unavailable {
        action,
        source: error.into(),
    })
}

fn unexpected(action: &'static str) -> OldStoreError {
    OldStoreError::Unavailable {
        action,
        source: "the server answered less than it was asked".into(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_cursor_belongs_to_a_process() {
        let position = Position::read(&Position::write("abc", 17)).unwrap();
        assert_eq!((position.process.as_str(), position.scan), ("abc", 17));
        assert!(Position::read(&OldCursor::new("abc")).is_err());
    }

    #[test]
    fn a_cluster_is_refused_and_a_taciturn_server_is_not() {
        let one = Server::read("# Server\r\nredis_mode:standalone\r\nrun_id:abc\r\n").unwrap();
        assert_eq!(one.process, "abc");
        assert!(Server::read("redis_mode:cluster\r\nrun_id:abc\r\n").is_err());
        assert_eq!(Server::read("").unwrap().process, "…");
    }

    #[test]
    fn expiries_are_whole_seconds_of_the_servers_clock() {
        let now = Time {
            millis: 1_800_000_000_250,
        };
        assert_eq!(now.after(749).unwrap().get(), 1_800_000_001);
        assert_eq!(now.after(-1), None);
    }
}
