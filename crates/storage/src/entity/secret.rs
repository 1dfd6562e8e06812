//! Secrets that all nodes share.

use sea_orm::entity::prelude::*;

table! {
    "secrets",
    #[sea_orm(primary_key, auto_increment = false)]
    name: String,
    /// 32 bytes in hexadecimal.
    secret: String,
}
