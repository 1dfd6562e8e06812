//! The tables as sea-orm sees them; the schema itself is in `migrations`.

#![expect(
    unreachable_pub,
    reason = "sea-orm's derives give their companions the visibility `pub`"
)]

pub(crate) mod link {
    use sea_orm::entity::prelude::*;

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
    }

    #[derive(Copy, Clone, Debug, EnumIter, DeriveRelation)]
    pub enum Relation {}

    impl ActiveModelBehavior for ActiveModel {}
}

pub(crate) mod tag {
    use sea_orm::entity::prelude::*;

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
}

pub(crate) mod migration_run {
    use sea_orm::entity::prelude::*;

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
}

pub(crate) mod migration_failure {
    use sea_orm::entity::prelude::*;

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
}
