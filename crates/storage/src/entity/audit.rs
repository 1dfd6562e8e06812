//! Lines of the audit trail.

use sea_orm::{ActiveValue, entity::prelude::*};
use slugline_domain::{
    AuditLine, AuditNote, Author, CallerName, ClientTag, Host, LinkKey, TokenName, UnixMillis,
};

use crate::{
    failure::Failure,
    session::{Columns, Row},
};

/// The number of columns that a new line sets.
pub(crate) const NEW_COLUMNS: usize = 6;

#[derive(Clone, Debug, PartialEq, DeriveEntityModel)]
#[sea_orm(table_name = "audit_trail")]
pub struct Model {
    #[sea_orm(primary_key)]
    pub number: i64,
    /// Milliseconds.
    pub at: i64,
    pub caller: String,
    pub client: Option<String>,
    pub operation: String,
    /// The text of a link's key.
    pub slug: Option<String>,
    pub token: Option<String>,
}

#[derive(Copy, Clone, Debug, EnumIter, DeriveRelation)]
pub enum Relation {}

impl ActiveModelBehavior for ActiveModel {}

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
    fn read(columns: &impl Columns) -> Result<Self, Failure> {
        let key = columns.optional_text(5)?;
        let host = key.as_deref().and_then(|key| key.strip_suffix('/'));
        let domain = host.map(Host::parse).transpose()?;
        let key = key.filter(|_| domain.is_none());
        let token = columns.optional_text(6)?;
        Ok(Self {
            number: columns.number(0)?,
            at: UnixMillis::new(columns.number(1)?),
            author: Author {
                caller: caller(&columns.text(2)?)?,
                client: columns
                    .optional_text(3)?
                    .and_then(|tag| ClientTag::parse(&tag).ok()),
            },
            operation: columns.text(4)?,
            key: key.as_deref().map(LinkKey::parse).transpose()?,
            token: token.as_deref().map(caller).transpose()?,
            domain,
        })
    }
}

fn caller(name: &str) -> Result<CallerName, Failure> {
    Ok(CallerName::parse(name)?)
}
