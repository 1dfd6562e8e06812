//! Lines of the audit trail.

use sea_orm::{ActiveValue, entity::prelude::*};
use slugline_domain::{
    AuditLine, AuditNote, Author, CallerName, ClientTag, Host, LinkKey, TokenName, UnixMillis,
};

use crate::{
    failure::Failure,
    row::{Columns, Row},
};

/// The number of columns that a new line sets.
pub(crate) const NEW_COLUMNS: usize = 6;

table! {
    "audit_trail",
    #[sea_orm(primary_key)]
    number: i64,
    /// Milliseconds.
    at: i64,
    caller: String,
    client: Option<String>,
    operation: String,
    /// The text of a link's key.
    slug: Option<String>,
    token: Option<String>,
}

/// The line of a changed link, to be inserted.
pub(crate) fn of_link(note: &AuditNote, key: &LinkKey) -> ActiveModel {
    of(note, Some(key.to_string()), None)
}

/// The line of a changed domain, to be inserted. In the column of keys its host stands before a
/// slash, as in the keys of its links, and no slug follows.
pub(crate) fn of_domain(note: &AuditNote, host: &Host) -> ActiveModel {
    of(note, Some(format!("{host}/")), None)
}

/// The line of a changed token, to be inserted.
pub(crate) fn of_token(note: &AuditNote, name: &TokenName) -> ActiveModel {
    of(note, None, Some(name.to_string()))
}

/// A line, to be inserted.
pub(crate) fn of(note: &AuditNote, key: Option<String>, token: Option<String>) -> ActiveModel {
    ActiveModel {
        number: ActiveValue::NotSet,
        at: ActiveValue::Set(note.at.get()),
        caller: ActiveValue::Set(note.author.caller.to_string()),
        client: ActiveValue::Set(note.author.client.map(|client| client.to_string())),
        operation: ActiveValue::Set(note.operation.as_str().to_owned()),
        slug: ActiveValue::Set(key),
        token: ActiveValue::Set(token),
    }
}

impl Row for AuditLine {
    fn read(columns: &mut impl Columns) -> Result<Self, Failure> {
        let row = Model::read(columns)?;
        let host = row.slug.as_deref().and_then(|key| key.strip_suffix('/'));
        let domain = host.map(Host::parse).transpose()?;
        let key = row.slug.as_deref().filter(|_| domain.is_none());
        let client = row.client.as_deref();
        Ok(Self {
            number: row.number,
            at: UnixMillis::new(row.at),
            author: Author {
                caller: caller(&row.caller)?,
                client: client.and_then(|tag| ClientTag::parse(tag).ok()),
            },
            operation: row.operation,
            key: key.map(LinkKey::parse).transpose()?,
            token: row.token.as_deref().map(caller).transpose()?,
            domain,
        })
    }
}

fn caller(name: &str) -> Result<CallerName, Failure> {
    Ok(CallerName::parse(name)?)
}
