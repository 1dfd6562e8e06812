//! The tables as sea-orm sees them; the schema itself is in `migrations`.
//!
//! Rows are read column by column, in the order in which they are selected: the
//! order of a model's members.

#![expect(
    unreachable_pub,
    reason = "sea-orm's derives give their companions the visibility `pub`"
)]

/// A table: its entity, and the row that takes the columns in the order in which they stand here,
/// which is the order in which the entity selects them. Unread columns stand last.
macro_rules! table {
    ($(#[$($about:tt)*])* mod $name:ident $($table:tt)*) => {
        $(#[$($about)*])*
        pub(crate) mod $name {
            use sea_orm::entity::prelude::*;

            table! { $($table)* }
        }
    };
    (
        $(#[$($about:tt)*])* $table:literal,
        $($(#[$($of_field:tt)*])* $field:ident: $type:ty,)*
        $(; $($(#[$($of_unread:tt)*])* $unread:ident: $unread_type:ty,)*)?
    ) => {
        $(#[$($about)*])*
        #[derive(Clone, Debug, PartialEq, DeriveEntityModel)]
        #[sea_orm(table_name = $table)]
        pub struct Model {
            $($(#[$($of_field)*])* pub $field: $type,)*
            $($($(#[$($of_unread)*])* pub $unread: $unread_type,)*)?
        }

        #[derive(Copy, Clone, Debug, EnumIter, DeriveRelation)]
        pub enum Relation {}

        impl ActiveModelBehavior for ActiveModel {}

        impl $crate::row::Row for Model {
            fn read(
                columns: &mut impl $crate::row::Columns,
            ) -> Result<Self, $crate::failure::Failure> {
                Ok(Self {
                    $($field: columns.next()?,)*
                    $($($unread: Default::default(),)*)?
                })
            }
        }
    };
}

pub(crate) mod assistant;
pub(crate) mod audit;
pub(crate) mod binding_text;
pub(crate) mod domain;
pub(crate) mod link;
mod routing_text;
mod search_key;
pub(crate) mod tags_text;
pub(crate) mod version;
pub(crate) mod watch;
pub(crate) mod watch_round;

pub(crate) use self::search_key::destination_key;

pub(crate) mod tag {
    use sea_orm::entity::prelude::*;
    use slugline_domain::{Link, Tag};

    /// The number of columns.
    pub(crate) const COLUMNS: usize = 2;

    table! {
        "link_tags",
        #[sea_orm(primary_key, auto_increment = false)]
        link_id: String,
        #[sea_orm(primary_key, auto_increment = false)]
        tag: String,
    }

    /// The rows of a link's tags.
    pub(crate) fn of(link: &Link) -> Vec<Model> {
        let row = |tag: &Tag| Model {
            link_id: link.id.to_string(),
            tag: tag.to_string(),
        };
        link.content.tags.iter().map(row).collect()
    }
}

table! {
    mod migration_run "link_migration_runs",
    #[sea_orm(primary_key, auto_increment = false)]
    number: i64,
    pages: i64,
    /// The start of the next page, as the old store's text.
    next: Option<String>,
    scanned: i64,
    inserted: i64,
    skipped: i64,
    expired: i64,
    failed: i64,
    ignored: i64,
    began_at: i64,
    ended_at: Option<i64>,
}

table! {
    mod migration_failure "link_migration_failures",
    #[sea_orm(primary_key, auto_increment = false)]
    run: i64,
    #[sea_orm(primary_key, auto_increment = false)]
    position: i64,
    entry_key: String,
    reason: String,
}

table! {
    mod token "tokens",
    #[sea_orm(primary_key, auto_increment = false)]
    name: String,
    /// SHA-256 in hexadecimal.
    digest: String,
    /// Separated by blanks.
    scopes: String,
    expires_at: Option<i64>,
    created_at: i64,
    last_used_at: Option<i64>,
}

table! {
    mod token_binding "token_bindings",
    /// The digest of the token, as in `tokens`.
    #[sea_orm(primary_key, auto_increment = false)]
    digest: String,
    /// Separated by blanks.
    link_ids: String,
    /// In the form of a link's tags.
    tags: String,
    /// Hosts, separated by blanks; a dot for the default domain.
    domains: String,
}

table! {
    /// Secrets that all nodes share.
    mod secret "secrets",
    #[sea_orm(primary_key, auto_increment = false)]
    name: String,
    /// 32 bytes in hexadecimal.
    secret: String,
}
