//! The timetable of the watch of destinations, and what it found.

use sea_orm::entity::prelude::*;
use slugline_domain::{BadAnswer, Failing, Finding, UnixSeconds, Validator};

use crate::{
    failure::Failure,
    session::{Columns, Row},
};

#[derive(Clone, Debug, PartialEq, DeriveEntityModel)]
#[sea_orm(table_name = "link_watch")]
pub struct Model {
    #[sea_orm(primary_key, auto_increment = false)]
    pub link_id: String,
    pub host: String,
    /// Milliseconds.
    pub next_at: i64,
    /// Milliseconds.
    pub claimed_until: i64,
    /// The destination that was asked last.
    pub destination: Option<String>,
    pub since: Option<i64>,
    pub checked_at: Option<i64>,
    pub times: i64,
    pub status: Option<i64>,
    pub reason: Option<String>,
    pub validator: Option<String>,
}

#[derive(Copy, Clone, Debug, EnumIter, DeriveRelation)]
pub enum Relation {}

impl ActiveModelBehavior for ActiveModel {}

impl Row for Model {
    fn read(columns: &impl Columns) -> Result<Self, Failure> {
        Ok(Self {
            link_id: columns.text(0)?,
            host: columns.text(1)?,
            next_at: columns.number(2)?,
            claimed_until: columns.number(3)?,
            destination: columns.optional_text(4)?,
            since: columns.optional_number(5)?,
            checked_at: columns.optional_number(6)?,
            times: columns.number(7)?,
            status: columns.optional_number(8)?,
            reason: columns.optional_text(9)?,
            validator: columns.optional_text(10)?,
        })
    }
}

impl Model {
    /// The finding about this destination; the default one if the watch asked another.
    pub(crate) fn finding(&self, destination: &str) -> Finding {
        if self.destination.as_deref() != Some(destination) {
            return Finding::default();
        }
        match self.failing() {
            Some(failing) => Finding::Failing(failing),
            None => Finding::Well(self.validator.as_deref().and_then(Validator::parse)),
        }
    }

    fn failing(&self) -> Option<Failing> {
        let status = self.status.and_then(|status| u16::try_from(status).ok());
        Some(Failing {
            since: UnixSeconds::new(self.since?).ok()?,
            checked_at: UnixSeconds::new(self.checked_at?).ok()?,
            times: u32::try_from(self.times).ok()?,
            answer: match status {
                Some(status) => BadAnswer::Status(status),
                None => BadAnswer::nothing(self.reason.as_deref().unwrap_or_default()),
            },
        })
    }
}
