//! The URL of a database.

use std::{path::PathBuf, str::FromStr};

use percent_encoding::percent_decode_str;
use thiserror::Error;

/// A database, as its URL names it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum DatabaseUrl {
    /// An SQLite file.
    File(PathBuf),
    /// A PostgreSQL server, by its whole URL.
    Postgres(String),
}

/// The reason why a URL names no database.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
pub enum DatabaseUrlError {
    /// It names a kind of database that is not supported.
    #[error("expected a URL that starts with sqlite: or postgres:")]
    UnknownKind,
    /// It does not name a file on disk.
    #[error("expected sqlite:// and the path of a file")]
    NoFile,
    /// It has a parameter for SQLite that is not supported.
    #[error("expected sqlite:// and the path of a file, without {parameter:?}")]
    UnknownParameter {
        /// The text after the question mark.
        parameter: String,
    },
}

impl FromStr for DatabaseUrl {
    type Err = DatabaseUrlError;

    /// Parses `sqlite://<path>` or `postgres://…`. The path may be relative,
    /// and its characters may be percent-encoded.
    fn from_str(url: &str) -> Result<Self, DatabaseUrlError> {
        match url.split_once(':') {
            Some(("sqlite", rest)) => file_in(rest).map(Self::File),
            Some(("postgres" | "postgresql", _)) => Ok(Self::Postgres(url.to_owned())),
            Some(_) | None => Err(DatabaseUrlError::UnknownKind),
        }
    }
}

fn file_in(rest: &str) -> Result<PathBuf, DatabaseUrlError> {
    /// Other programs need this parameter to create a missing file; Slugline
    /// always does so.
    const CREATED_WHEN_MISSING: &str = "mode=rwc";

    let rest = rest.strip_prefix("//").unwrap_or(rest);
    let (path, parameter) = rest.split_once('?').unwrap_or((rest, ""));
    if !["", CREATED_WHEN_MISSING].contains(&parameter) {
        let parameter = parameter.to_owned();
        return Err(DatabaseUrlError::UnknownParameter { parameter });
    }
    let path = percent_decode_str(path).decode_utf8();
    match path.as_deref() {
        Ok("" | ":memory:") | Err(_) => Err(DatabaseUrlError::NoFile),
        Ok(path) => Ok(path.into()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_url_of_sqlite_is_the_path_of_a_file() {
        let file = |url: &str| match url.parse() {
            Ok(DatabaseUrl::File(path)) => path.to_str().unwrap().to_owned(),
            other => panic!("{url}: {other:?}"),
        };
        assert_eq!(file("sqlite:///var/links.db"), "/var/links.db");
        assert_eq!(file("sqlite://data/links.db"), "data/links.db");
        assert_eq!(file("sqlite:links.db?mode=rwc"), "links.db");
        assert_eq!(file("sqlite:///a%20b/links.db"), "/a b/links.db");
    }

    #[test]
    fn what_cannot_be_opened_is_refused() {
        use DatabaseUrlError::{NoFile, UnknownKind};
        for (url, expected) in [
            ("mongodb://localhost/x", UnknownKind),
            ("nonsense", UnknownKind),
            ("", UnknownKind),
            ("sqlite:", NoFile),
            ("sqlite://", NoFile),
            ("sqlite::memory:", NoFile),
        ] {
            assert_eq!(url.parse::<DatabaseUrl>(), Err(expected), "{url}");
        }
        let refused = "sqlite:a.db?mode=ro".parse::<DatabaseUrl>().unwrap_err();
        assert_eq!(
            refused.to_string(),
            "expected sqlite:// and the path of a file, without \"mode=ro\""
        );
    }
}
