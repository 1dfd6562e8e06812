//! The lease and the round of the watch of destinations: one row.

use sea_orm::entity::prelude::*;
use slugline_domain::{UnixMillis, WatchRound};

use crate::{
    failure::Failure,
    session::{Columns, Row},
};

#[derive(Clone, Debug, PartialEq, DeriveEntityModel)]
#[sea_orm(table_name = "watch_round")]
pub struct Model {
    #[sea_orm(primary_key, auto_increment = false)]
    pub id: i64,
    /// The watcher that has the lease, or had it.
    pub watcher: i64,
    /// Milliseconds.
    pub leased_until: i64,
    /// Milliseconds; null before the first round.
    pub started_at: Option<i64>,
    pub position: i64,
}

#[derive(Copy, Clone, Debug, EnumIter, DeriveRelation)]
pub enum Relation {}

impl ActiveModelBehavior for ActiveModel {}

impl Row for Model {
    fn read(columns: &impl Columns) -> Result<Self, Failure> {
        Ok(Self {
            id: columns.number(0)?,
            watcher: columns.number(1)?,
            leased_until: columns.number(2)?,
            started_at: columns.optional_number(3)?,
            position: columns.number(4)?,
        })
    }
}

impl Model {
    pub(crate) fn round(&self) -> Option<WatchRound> {
        Some(WatchRound {
            started_at: UnixMillis::new(self.started_at?),
            position: self.position,
        })
    }
}
