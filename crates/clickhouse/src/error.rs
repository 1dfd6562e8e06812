//! Errors between this process and ClickHouse.

use std::time::Duration;

use slugline_domain::ports::VisitLogError;
use thiserror::Error;

use crate::{connection::WireError, row_binary::DecodeError};

/// The reason why ClickHouse did not run a statement.
#[derive(Debug, Error)]
pub enum ClickHouseError {
    /// ClickHouse cannot be reached.
    #[error("ClickHouse cannot be reached")]
    Unreachable(#[source] WireError),
    /// The server answered with an error.
    #[error("ClickHouse refuses with status {status}: {message}")]
    Refused {
        /// The HTTP status.
        status: u16,
        /// ClickHouse's own number of the error; `None` if another server
        /// answered in its place.
        code: Option<u32>,
        /// The message, shortened.
        message: String,
    },
    /// The answer does not have the requested form.
    #[error("ClickHouse's answer cannot be read")]
    Malformed(#[from] DecodeError),
    /// A build from before the first release has made the tables.
    #[error(
        "database {database} is of an earlier build, and this version cannot use it: write its \
         visits to a file with that build, by `slugline visits export visits.ndjson.gz`, and read \
         the file with this version into another database, by `slugline visits import \
         visits.ndjson.gz`"
    )]
    Earlier {
        /// The database.
        database: String,
    },
    /// The answer took too long.
    #[error("no answer from ClickHouse within {} ms", limit.as_millis())]
    Deadline {
        /// The time limit.
        limit: Duration,
    },
}

/// Error codes of ClickHouse, by the names in its `ErrorCodes.cpp`.
mod code {
    pub(crate) const UNKNOWN_IDENTIFIER: u32 = 47;
    /// `NOT_IMPLEMENTED`, `SYNTAX_ERROR`.
    pub(crate) const UNKNOWN: [u32; 2] = [48, 62];
    pub(crate) const TIMEOUT_EXCEEDED: u32 = 159;
    /// `READONLY`, `UNKNOWN_USER`, `WRONG_PASSWORD`, `REQUIRED_PASSWORD`,
    /// `ACCESS_DENIED`, `AUTHENTICATION_FAILED`.
    pub(crate) const NOT_FOR_US: [u32; 6] = [164, 192, 193, 194, 497, 516];
    /// `NO_SUCH_COLUMN_IN_TABLE`, `UNKNOWN_TABLE`, `UNKNOWN_DATABASE`.
    pub(crate) const GONE: [u32; 3] = [16, 60, 81];
}

/// The most characters of a message that are kept, because ClickHouse repeats
/// statements in it.
const MESSAGE_CHARS: usize = 300;

impl ClickHouseError {
    /// Reads an answer that is not 200.
    pub(crate) fn refused(status: u16, body: &[u8]) -> Self {
        let text = String::from_utf8_lossy(body);
        let code = text
            .strip_prefix("Code: ")
            .and_then(|rest| rest.split(|c: char| !c.is_ascii_digit()).next())
            .and_then(|digits| digits.parse().ok());
        Self::Refused {
            status,
            code,
            message: text.trim().chars().take(MESSAGE_CHARS).collect(),
        }
    }

    /// Returns whether only another URL, user or password can help.
    pub(crate) fn is_final(&self) -> bool {
        match self {
            Self::Unreachable(_) | Self::Deadline { .. } => false,
            Self::Malformed(_) | Self::Earlier { .. } => true,
            Self::Refused {
                code: Some(code), ..
            } => code::NOT_FOR_US.contains(code),
            // A proxy in front answers 502 to 504 while ClickHouse is down. Any
            // other answer without a code does not come from ClickHouse.
            Self::Refused {
                status, code: None, ..
            } => !matches!(status, 429 | 502..=504),
        }
    }

    /// Returns whether the tables are gone since they were prepared.
    pub(crate) fn is_about_missing_tables(&self) -> bool {
        matches!(self, Self::Refused { code: Some(code), .. } if code::GONE.contains(code))
    }

    /// Returns whether a table lacks a column that the statement reads.
    pub(crate) fn is_about_an_unknown_column(&self) -> bool {
        matches!(self, Self::Refused { code, .. } if *code == Some(code::UNKNOWN_IDENTIFIER))
    }

    /// Returns whether ClickHouse does not know such a statement, or not for this kind of table.
    pub(crate) fn is_about_the_statement(&self) -> bool {
        matches!(self, Self::Refused { code: Some(code), .. } if code::UNKNOWN.contains(code))
    }

    /// Returns whether ClickHouse gave up because time ran out.
    pub(crate) fn is_timeout(&self) -> bool {
        matches!(self, Self::Refused { code, .. } if *code == Some(code::TIMEOUT_EXCEEDED))
    }
}

/// The reason why rows remain in the spool.
#[derive(Debug, Error)]
pub(crate) enum ShipError {
    #[error("the spool cannot be read or written")]
    Spool(#[from] rusqlite::Error),
    #[error("visits cannot be sent")]
    ClickHouse(#[from] ClickHouseError),
}

/// Turns an error into the port's.
pub(crate) fn failed(action: &'static str, error: ClickHouseError) -> VisitLogError {
    match error {
        ClickHouseError::Deadline { limit } => VisitLogError::TooSlow { action, limit },
        ClickHouseError::Unreachable(_)
        | ClickHouseError::Refused { .. }
        | ClickHouseError::Malformed(_)
        | ClickHouseError::Earlier { .. } => VisitLogError::Failed {
            action,
            source: Box::new(error),
        },
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn refusals_are_told_apart_by_clickhouses_code() {
        let refused = |status, body: &str| ClickHouseError::refused(status, body.as_bytes());
        let wrong = refused(
            403,
            "Code: 516. DB::Exception: default: Authentication failed",
        );
        assert!(wrong.is_final() && !wrong.is_about_missing_tables());
        // The spelling of older versions.
        let old = refused(500, "Code: 60, e.displayText() = DB::Exception: Table …");
        assert!(old.is_about_missing_tables() && !old.is_final());
        assert!(refused(500, "Code: 159. DB::Exception: Timeout exceeded").is_timeout());
        assert!(!refused(500, "Code: 241. DB::Exception: Memory limit").is_final());
    }

    #[test]
    fn what_is_not_clickhouse_is_final_unless_it_says_that_clickhouse_is_away() {
        let refused = |status| ClickHouseError::refused(status, b"<html>Not Found</html>");
        assert!(refused(404).is_final());
        assert!(!refused(503).is_final());
        assert!(!refused(502).is_final());
    }

    #[test]
    fn long_messages_are_cut() {
        let body = format!("Code: 62. {}", "ü".repeat(10_000));
        let error = ClickHouseError::refused(400, body.as_bytes()).to_string();
        assert!(error.chars().count() < 400, "{error}");
    }
}
