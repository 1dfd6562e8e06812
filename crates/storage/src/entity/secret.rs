//! Secrets that all nodes share.

use sea_orm::entity::prelude::*;

use crate::{
    failure::Failure,
    session::{Columns, Row},
};

#[derive(Clone, Debug, PartialEq, DeriveEntityModel)]
#[sea_orm(table_name = "secrets")]
pub struct Model {
    #[sea_orm(primary_key, auto_increment = false)]
    pub name: String,
    /// 32 bytes in hexadecimal.
    pub secret: String,
}

#[derive(Copy, Clone, Debug, EnumIter, DeriveRelation)]
pub enum Relation {}

impl ActiveModelBehavior for ActiveModel {}

impl Row for Model {
    fn read(columns: &impl Columns) -> Result<Self, Failure> {
        Ok(Self {
            name: columns.text(0)?,
            secret: columns.text(1)?,
        })
    }
}
