//! The address of ClickHouse with the account to use there, and the port through which requests go.
//!
//! This crate has no HTTP library. The program that starts the engine provides one, and with it
//! the certificate authorities to trust.

use std::{error::Error as StdError, fmt, str::FromStr, time::Duration};

use async_trait::async_trait;
use percent_encoding::percent_decode_str;
use thiserror::Error;
use url::Url;

/// A database of a ClickHouse server, and the account to use.
#[derive(Clone, PartialEq, Eq)]
pub struct ClickHouseTarget {
    origin: Url,
    user: String,
    password: String,
    database: String,
    /// The time limit of a statement that is neither a question nor a batch of visits.
    pub(crate) timeout: Duration,
}

impl ClickHouseTarget {
    /// The URL of the server's HTTP interface, without any secret.
    pub fn origin(&self) -> &Url {
        &self.origin
    }

    /// The database.
    pub fn database(&self) -> &str {
        &self.database
    }

    pub(crate) fn user(&self) -> &str {
        &self.user
    }

    pub(crate) fn password(&self) -> &str {
        &self.password
    }
}

impl FromStr for ClickHouseTarget {
    type Err = ClickHouseTargetError;

    /// Parses `clickhouse+https://user:password@host:port/database`. If the URL
    /// leaves them out, the user is `default`, the port 8123 (with TLS 8443)
    /// and the database `default`, as everywhere in ClickHouse.
    fn from_str(text: &str) -> Result<Self, Self::Err> {
        use ClickHouseTargetError as Error;

        // Parsed with its own scheme: for a scheme that `url` knows, it would
        // drop a port that is written out but is the scheme's default.
        let url = Url::parse(text).map_err(|_| Error::Shape)?;
        let (scheme, usual_port) = match url.scheme() {
            "clickhouse+http" => ("http", 8123),
            "clickhouse+https" => ("https", 8443),
            _ => return Err(Error::Shape),
        };
        if url.query().is_some() || url.fragment().is_some() {
            return Err(Error::Settings);
        }
        let host = url.host_str().filter(|host| !host.is_empty());
        let host = host.ok_or(Error::Shape)?;
        let port = url.port().unwrap_or(usual_port);
        let origin = Url::parse(&format!("{scheme}://{host}:{port}/"));
        let database = url.path().trim_matches('/');
        let database = if database.is_empty() {
            "default"
        } else {
            database
        };
        if !is_name(database) {
            return Err(Error::Database);
        }
        let decoded = |text: &str| {
            let decoded = percent_decode_str(text).decode_utf8();
            let decoded = decoded.map_err(|_| Error::Account)?.into_owned();
            // User and password are sent in headers.
            let printable = decoded.bytes().all(|b| (b' '..=b'~').contains(&b));
            printable.then_some(decoded).ok_or(Error::Account)
        };
        let user = match url.username() {
            "" => "default".to_owned(),
            user => decoded(user)?,
        };
        Ok(Self {
            origin: origin.map_err(|_| Error::Shape)?,
            user,
            password: decoded(url.password().unwrap_or(""))?,
            database: database.to_owned(),
            timeout: Duration::from_secs(10),
        })
    }
}

/// Returns whether the name needs no quotation marks in a statement.
fn is_name(text: &str) -> bool {
    text.len() <= 64
        && text.starts_with(|c: char| c.is_ascii_alphabetic() || c == '_')
        && text.bytes().all(|b| b.is_ascii_alphanumeric() || b == b'_')
}

impl fmt::Debug for ClickHouseTarget {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{self}")
    }
}

/// Shows no user and no password, for log output.
impl fmt::Display for ClickHouseTarget {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}{}", self.origin, self.database)
    }
}

/// The text is not an address of ClickHouse. The error does not repeat it,
/// because it may hold a password.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Error)]
pub enum ClickHouseTargetError {
    /// It is not such a URL.
    #[error("expected clickhouse+https://user:password@host:port/database, or clickhouse+http")]
    Shape,
    /// User or password cannot be decoded or sent.
    #[error(
        "user and password are printable ASCII, with characters such as @ : / % written as \
         %40 %3A %2F %25"
    )]
    Account,
    /// The name of the database needs quoting.
    #[error("a database's name has letters, digits and underscores, and no digit in front")]
    Database,
    /// It has a query or a fragment.
    #[error("expected nothing after the database's name: no ? and no #")]
    Settings,
}

/// Sends requests to ClickHouse.
#[async_trait]
pub trait ClickHouseWire: fmt::Debug + Send + Sync {
    /// Sends one `POST` and waits for the head of the answer. It must not
    /// follow redirects, because the request carries a password.
    ///
    /// # Errors
    /// There is no answer, or none in time.
    async fn post(&self, request: WireRequest) -> Result<WireAnswer, WireError>;
}

/// A request.
#[derive(Clone)]
pub struct WireRequest {
    /// The URL, with the statement's settings as its query.
    pub url: Url,
    /// Headers besides those that the connection needs.
    pub headers: Vec<(&'static str, String)>,
    /// The whole body.
    pub body: Vec<u8>,
    /// The time limit for look-up, connection and the head of the answer.
    pub timeout: Duration,
}

impl fmt::Debug for WireRequest {
    /// The headers hold the password, and the body holds visits.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("WireRequest")
            .field("url", &self.url.as_str())
            .field("body", &self.body.len())
            .field("timeout", &self.timeout)
            .finish_non_exhaustive()
    }
}

/// An answer.
#[derive(Debug)]
pub struct WireAnswer {
    /// The status.
    pub status: u16,
    /// The body, as it arrives.
    pub body: Box<dyn WireBody>,
}

/// A body that is still arriving.
#[async_trait]
pub trait WireBody: fmt::Debug + Send {
    /// Returns the next bytes, none at the end.
    ///
    /// # Errors
    /// The connection broke off.
    async fn next(&mut self) -> Result<Option<Vec<u8>>, WireError>;
}

/// The reason why a request failed.
pub type WireError = Box<dyn StdError + Send + Sync>;

#[cfg(test)]
mod tests {
    use rstest::rstest;

    use super::*;

    #[rstest]
    #[case(
        "clickhouse+http://ch.example",
        "http://ch.example:8123/",
        "default",
        "",
        "default"
    )]
    #[case(
        "clickhouse+https://ana:s%40fe%2F@ch.example/visits",
        "https://ch.example:8443/",
        "ana",
        "s@fe/",
        "visits"
    )]
    #[case(
        "clickhouse+https://a:b@ch.example:443/v_1/",
        "https://ch.example/",
        "a",
        "b",
        "v_1"
    )]
    #[case("clickhouse+http://a@[::1]:80/v", "http://[::1]/", "a", "", "v")]
    fn a_url_says_where_and_who(
        #[case] url: &str,
        #[case] origin: &str,
        #[case] user: &str,
        #[case] password: &str,
        #[case] database: &str,
    ) {
        let target: ClickHouseTarget = url.parse().unwrap();
        assert_eq!(target.origin().as_str(), origin);
        assert_eq!((target.user(), target.password()), (user, password));
        assert_eq!(target.database(), database);
    }

    #[rstest]
    #[case("clickhouse://ch.example/v", "expected clickhouse+https://")]
    #[case("clickhouse+tcp://ch.example/v", "expected clickhouse+https://")]
    #[case("clickhouse+http:///v", "expected clickhouse+https://")]
    #[case("clickhouse+http:visits", "expected clickhouse+https://")]
    #[case("clickhouse+http://h/my-db", "a database's name")]
    #[case("clickhouse+http://h/a/b", "a database's name")]
    #[case("clickhouse+http://h/v;DROP", "a database's name")]
    #[case("clickhouse+http://h/v?readonly=1", "no ? and no #")]
    #[case("clickhouse+http://a:%0d%0a@h/v", "printable ASCII")]
    #[case("clickhouse+http://a:%ff@h/v", "printable ASCII")]
    fn other_urls_are_refused_with_what_is_wrong(#[case] url: &str, #[case] words: &str) {
        let error = url.parse::<ClickHouseTarget>().unwrap_err().to_string();
        assert!(error.contains(words), "{error}");
    }

    #[test]
    fn the_password_is_never_shown() {
        let target: ClickHouseTarget = "clickhouse+http://ana:hunter2@h/v".parse().unwrap();
        let shown = format!("{target} {target:?}");
        assert_eq!(shown, "http://h:8123/v http://h:8123/v");
    }
}
