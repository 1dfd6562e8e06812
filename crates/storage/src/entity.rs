//! The tables as sea-orm sees them; the schema itself is in `migrations`.
//!
//! Rows are read column by column, in the order in which they are selected: the
//! order of a model's members.

#![expect(
    unreachable_pub,
    reason = "sea-orm's derives give their companions the visibility `pub`"
)]

pub(crate) mod assistant;
pub(crate) mod audit;
pub(crate) mod binding_text;
pub(crate) mod domain;
pub(crate) mod link;
pub(crate) mod receipt;
mod routing_text;
mod search_key;
pub(crate) mod secret;
pub(crate) mod tags_text;
pub(crate) mod version;
pub(crate) mod watch;
pub(crate) mod watch_round;

pub(crate) use self::search_key::destination_key;

pub(crate) mod tag {
    use sea_orm::entity::prelude::*;
    use slugline_domain::{Link, Tag};

    use crate::{
        failure::Failure,
        session::{Columns, Row},
    };

    /// The number of columns.
    pub(crate) const COLUMNS: usize = 2;

    #[derive(Clone, Debug, PartialEq, DeriveEntityModel)]
    #[sea_orm(table_name = "link_tags")]
    pub struct Model {
        #[sea_orm(primary_key, auto_increment = false)]
        pub link_id: String,
        #[sea_orm(primary_key, auto_increment = false)]
        pub tag: String,
    }

    /// The rows of a link's tags.
    pub(crate) fn of(link: &Link) -> Vec<Model> {
        let row = |tag: &Tag| Model {
            link_id: link.id.to_string(),
            tag: tag.to_string(),
        };
        link.content.tags.iter().map(row).collect()
    }

    #[derive(Copy, Clone, Debug, EnumIter, DeriveRelation)]
    pub enum Relation {}

    impl ActiveModelBehavior for ActiveModel {}

    impl Row for Model {
        fn read(columns: &impl Columns) -> Result<Self, Failure> {
            Ok(Self {
                link_id: columns.text(0)?,
                tag: columns.text(1)?,
            })
        }
    }
}

pub(crate) mod migration_run {
    use sea_orm::entity::prelude::*;

    use crate::{
        failure::Failure,
        session::{Columns, Row},
    };

    #[derive(Clone, Debug, PartialEq, DeriveEntityModel)]
    #[sea_orm(table_name = "link_migration_runs")]
    pub struct Model {
        #[sea_orm(primary_key, auto_increment = false)]
        pub number: i64,
        pub pages: i64,
        /// The start of the next page, as the old store's text.
        pub next: Option<String>,
        pub scanned: i64,
        pub inserted: i64,
        pub skipped: i64,
        pub expired: i64,
        pub failed: i64,
        pub ignored: i64,
        pub began_at: i64,
        pub ended_at: Option<i64>,
    }

    #[derive(Copy, Clone, Debug, EnumIter, DeriveRelation)]
    pub enum Relation {}

    impl ActiveModelBehavior for ActiveModel {}

    impl Row for Model {
        fn read(columns: &impl Columns) -> Result<Self, Failure> {
            Ok(Self {
                number: columns.number(0)?,
                pages: columns.number(1)?,
                next: columns.optional_text(2)?,
                scanned: columns.number(3)?,
                inserted: columns.number(4)?,
                skipped: columns.number(5)?,
                expired: columns.number(6)?,
                failed: columns.number(7)?,
                ignored: columns.number(8)?,
                began_at: columns.number(9)?,
                ended_at: columns.optional_number(10)?,
            })
        }
    }
}

pub(crate) mod migration_failure {
    use sea_orm::entity::prelude::*;

    use crate::{
        failure::Failure,
        session::{Columns, Row},
    };

    #[derive(Clone, Debug, PartialEq, DeriveEntityModel)]
    #[sea_orm(table_name = "link_migration_failures")]
    pub struct Model {
        #[sea_orm(primary_key, auto_increment = false)]
        pub run: i64,
        #[sea_orm(primary_key, auto_increment = false)]
        pub position: i64,
        pub entry_key: String,
        pub reason: String,
    }

    #[derive(Copy, Clone, Debug, EnumIter, DeriveRelation)]
    pub enum Relation {}

    impl ActiveModelBehavior for ActiveModel {}

    impl Row for Model {
        fn read(columns: &impl Columns) -> Result<Self, Failure> {
            Ok(Self {
                run: columns.number(0)?,
                position: columns.number(1)?,
                entry_key: columns.text(2)?,
                reason: columns.text(3)?,
            })
        }
    }
}

pub(crate) mod token {
    use sea_orm::entity::prelude::*;

    use crate::{
        failure::Failure,
        session::{Columns, Row},
    };

    #[derive(Clone, Debug, PartialEq, DeriveEntityModel)]
    #[sea_orm(table_name = "tokens")]
    pub struct Model {
        #[sea_orm(primary_key, auto_increment = false)]
        pub name: String,
        /// SHA-256 in hexadecimal.
        pub digest: String,
        /// Separated by blanks.
        pub scopes: String,
        pub expires_at: Option<i64>,
        pub created_at: i64,
        pub last_used_at: Option<i64>,
    }

    #[derive(Copy, Clone, Debug, EnumIter, DeriveRelation)]
    pub enum Relation {}

    impl ActiveModelBehavior for ActiveModel {}

    impl Row for Model {
        fn read(columns: &impl Columns) -> Result<Self, Failure> {
            Ok(Self {
                name: columns.text(0)?,
                digest: columns.text(1)?,
                scopes: columns.text(2)?,
                expires_at: columns.optional_number(3)?,
                created_at: columns.number(4)?,
                last_used_at: columns.optional_number(5)?,
            })
        }
    }
}

pub(crate) mod token_binding {
    use sea_orm::entity::prelude::*;

    #[derive(Clone, Debug, PartialEq, DeriveEntityModel)]
    #[sea_orm(table_name = "token_bindings")]
    pub struct Model {
        /// The digest of the token, as in `tokens`.
        #[sea_orm(primary_key, auto_increment = false)]
        pub digest: String,
        /// Separated by blanks.
        pub link_ids: String,
        /// In the form of a link's tags.
        pub tags: String,
        /// Hosts, separated by blanks; a dot for the default domain.
        pub domains: String,
    }

    #[derive(Copy, Clone, Debug, EnumIter, DeriveRelation)]
    pub enum Relation {}

    impl ActiveModelBehavior for ActiveModel {}
}
