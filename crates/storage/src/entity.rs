//! The tables as sea-orm sees them; the schema itself is in `migrations`.
//!
//! Rows are read column by column, in the order in which they are selected: the
//! order of a model's members, but for links.

#![expect(
    unreachable_pub,
    reason = "sea-orm's derives give their companions the visibility `pub`"
)]

pub(crate) mod link {
    use sea_orm::{QuerySelect, entity::prelude::*};

    use crate::{
        failure::Failure,
        session::{Columns, Row},
    };

    /// How many columns are written.
    pub(crate) const COLUMNS: usize = 23;

    /// The columns that are read, in this order: all but what searches look
    /// into, which can be longer than the rest.
    pub(crate) const READ: [Column; 21] = [
        Column::Number,
        Column::Id,
        Column::Slug,
        Column::Destination,
        Column::Comment,
        Column::Title,
        Column::Description,
        Column::Image,
        Column::Apple,
        Column::Google,
        Column::Geo,
        Column::RedirectWithQuery,
        Column::Cloaking,
        Column::Proxy,
        Column::FlaggedUnsafe,
        Column::PasswordHash,
        Column::CreatedAt,
        Column::UpdatedAt,
        Column::ExpiresAt,
        Column::EndsAt,
        Column::Revision,
    ];

    /// Selects links; what searches look into is empty in the rows.
    pub(crate) fn select() -> Select<Entity> {
        Entity::find().select_only().columns(READ)
    }

    #[derive(Clone, Debug, PartialEq, DeriveEntityModel)]
    #[sea_orm(table_name = "links")]
    pub struct Model {
        /// Given by the database.
        #[sea_orm(primary_key)]
        pub number: i64,
        pub id: String,
        pub slug: String,
        pub destination: String,
        pub comment: Option<String>,
        pub title: Option<String>,
        pub description: Option<String>,
        pub image: Option<String>,
        pub apple: Option<String>,
        pub google: Option<String>,
        /// Countries and their destinations: lines of a code, a blank and a URL.
        pub geo: Option<String>,
        pub redirect_with_query: Option<bool>,
        pub cloaking: Option<bool>,
        pub proxy: Option<bool>,
        pub flagged_unsafe: Option<bool>,
        pub password_hash: Option<String>,
        /// What searches look into, in lower case: slug, destination, comment and
        /// tags, one per line.
        pub search_text: String,
        /// Digest of the destination without its query string.
        pub destination_key: String,
        pub created_at: i64,
        pub updated_at: i64,
        pub expires_at: Option<i64>,
        pub ends_at: Option<i64>,
        /// Number of the version, which each change by an author counts up.
        pub revision: i64,
    }

    #[derive(Copy, Clone, Debug, EnumIter, DeriveRelation)]
    pub enum Relation {}

    impl ActiveModelBehavior for ActiveModel {}

    impl Row for Model {
        fn read(columns: &impl Columns) -> Result<Self, Failure> {
            Ok(Self {
                number: columns.number(0)?,
                id: columns.text(1)?,
                slug: columns.text(2)?,
                destination: columns.text(3)?,
                comment: columns.optional_text(4)?,
                title: columns.optional_text(5)?,
                description: columns.optional_text(6)?,
                image: columns.optional_text(7)?,
                apple: columns.optional_text(8)?,
                google: columns.optional_text(9)?,
                geo: columns.optional_text(10)?,
                redirect_with_query: columns.optional_flag(11)?,
                cloaking: columns.optional_flag(12)?,
                proxy: columns.optional_flag(13)?,
                flagged_unsafe: columns.optional_flag(14)?,
                password_hash: columns.optional_text(15)?,
                search_text: String::new(),
                destination_key: String::new(),
                created_at: columns.number(16)?,
                updated_at: columns.number(17)?,
                expires_at: columns.optional_number(18)?,
                ends_at: columns.optional_number(19)?,
                revision: columns.number(20)?,
            })
        }
    }
}

pub(crate) mod tag {
    use sea_orm::entity::prelude::*;

    use crate::{
        failure::Failure,
        session::{Columns, Row},
    };

    /// How many columns there are.
    pub(crate) const COLUMNS: usize = 2;

    #[derive(Clone, Debug, PartialEq, DeriveEntityModel)]
    #[sea_orm(table_name = "link_tags")]
    pub struct Model {
        #[sea_orm(primary_key, auto_increment = false)]
        pub link_id: String,
        #[sea_orm(primary_key, auto_increment = false)]
        pub tag: String,
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
        /// Where the next page begins, in the words of the old store.
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
