//! The failures that the watch of destinations found.

use sea_orm::entity::prelude::*;
use slugline_domain::{BadAnswer, Failing, UnixSeconds};

use crate::{
    failure::Failure,
    session::{Columns, Row},
};

/// The failures of one link.
#[derive(Clone, Debug, PartialEq, DeriveEntityModel)]
#[sea_orm(table_name = "link_failures")]
pub struct Model {
    #[sea_orm(primary_key, auto_increment = false)]
    pub link_id: String,
    /// The destination that failed.
    pub destination: String,
    pub since: i64,
    pub checked_at: i64,
    pub times: i64,
    pub status: Option<i64>,
    pub reason: Option<String>,
}

#[derive(Copy, Clone, Debug, EnumIter, DeriveRelation)]
pub enum Relation {}

impl ActiveModelBehavior for ActiveModel {}

impl Row for Model {
    fn read(columns: &impl Columns) -> Result<Self, Failure> {
        Ok(Self {
            link_id: columns.text(0)?,
            destination: columns.text(1)?,
            since: columns.number(2)?,
            checked_at: columns.number(3)?,
            times: columns.number(4)?,
            status: columns.optional_number(5)?,
            reason: columns.optional_text(6)?,
        })
    }
}

impl Model {
    /// The failures of this destination; `None` if another one failed.
    pub(crate) fn failing(&self, destination: &str) -> Option<Failing> {
        if self.destination != destination {
            return None;
        }
        let status = self.status.and_then(|status| u16::try_from(status).ok());
        Some(Failing {
            since: UnixSeconds::new(self.since).ok()?,
            checked_at: UnixSeconds::new(self.checked_at).ok()?,
            times: u32::try_from(self.times).ok()?,
            answer: match status {
                Some(status) => BadAnswer::Status(status),
                None => BadAnswer::nothing(self.reason.as_deref().unwrap_or_default()),
            },
        })
    }
}
