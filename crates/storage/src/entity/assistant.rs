//! The tables of assistants.

/// Applications that registered themselves.
pub(crate) mod client {
    use sea_orm::entity::prelude::*;

    use crate::{
        failure::Failure,
        session::{Columns, Row},
    };

    #[derive(Clone, Debug, PartialEq, DeriveEntityModel)]
    #[sea_orm(table_name = "assistant_clients")]
    pub struct Model {
        #[sea_orm(primary_key, auto_increment = false)]
        pub id: String,
        pub name: String,
        pub redirects: String,
        pub created_at: i64,
        pub consented: i64,
    }

    #[derive(Copy, Clone, Debug, EnumIter, DeriveRelation)]
    pub enum Relation {}

    impl ActiveModelBehavior for ActiveModel {}

    impl Row for Model {
        fn read(columns: &impl Columns) -> Result<Self, Failure> {
            Ok(Self {
                id: columns.text(0)?,
                name: columns.text(1)?,
                redirects: columns.text(2)?,
                created_at: columns.number(3)?,
                consented: columns.number(4)?,
            })
        }
    }
}

/// People who signed in to decide.
pub(crate) mod session {
    use sea_orm::entity::prelude::*;

    use crate::{
        failure::Failure,
        session::{Columns, Row},
    };

    #[derive(Clone, Debug, PartialEq, DeriveEntityModel)]
    #[sea_orm(table_name = "consent_sessions")]
    pub struct Model {
        #[sea_orm(primary_key, auto_increment = false)]
        pub digest: String,
        pub holder: Option<String>,
        pub ends_at: i64,
    }

    #[derive(Copy, Clone, Debug, EnumIter, DeriveRelation)]
    pub enum Relation {}

    impl ActiveModelBehavior for ActiveModel {}

    impl Row for Model {
        fn read(columns: &impl Columns) -> Result<Self, Failure> {
            Ok(Self {
                digest: columns.text(0)?,
                holder: columns.optional_text(1)?,
                ends_at: columns.number(2)?,
            })
        }
    }
}

/// Decisions that were not exchanged yet.
pub(crate) mod code {
    use sea_orm::entity::prelude::*;

    use crate::{
        failure::Failure,
        session::{Columns, Row},
    };

    #[derive(Clone, Debug, PartialEq, DeriveEntityModel)]
    #[sea_orm(table_name = "consent_codes")]
    pub struct Model {
        #[sea_orm(primary_key, auto_increment = false)]
        pub digest: String,
        pub client_id: String,
        pub client_name: String,
        pub client_host: String,
        pub redirect: String,
        pub challenge: String,
        pub scopes: String,
        pub link_ids: String,
        pub tags: String,
        pub resource: String,
        pub until: Option<i64>,
        pub expires_at: i64,
        pub author: String,
        pub author_client: Option<String>,
        pub domains: String,
    }

    #[derive(Copy, Clone, Debug, EnumIter, DeriveRelation)]
    pub enum Relation {}

    impl ActiveModelBehavior for ActiveModel {}

    impl Row for Model {
        fn read(columns: &impl Columns) -> Result<Self, Failure> {
            Ok(Self {
                digest: columns.text(0)?,
                client_id: columns.text(1)?,
                client_name: columns.text(2)?,
                client_host: columns.text(3)?,
                redirect: columns.text(4)?,
                challenge: columns.text(5)?,
                scopes: columns.text(6)?,
                link_ids: columns.text(7)?,
                tags: columns.text(8)?,
                resource: columns.text(9)?,
                until: columns.optional_number(10)?,
                expires_at: columns.number(11)?,
                author: columns.text(12)?,
                author_client: columns.optional_text(13)?,
                domains: columns.text(14)?,
            })
        }
    }
}

/// How tokens of assistants are renewed. The digest is that in `tokens`.
pub(crate) mod connection {
    use sea_orm::entity::prelude::*;

    use crate::{
        failure::Failure,
        session::{Columns, Row},
    };

    #[derive(Clone, Debug, PartialEq, DeriveEntityModel)]
    #[sea_orm(table_name = "assistant_connections")]
    pub struct Model {
        #[sea_orm(primary_key, auto_increment = false)]
        pub digest: String,
        pub family: String,
        pub refresh: String,
        pub code: String,
        pub client_id: String,
        pub client_name: String,
        pub client_host: String,
        pub resource: String,
        pub until: Option<i64>,
        pub ends_at: i64,
    }

    #[derive(Copy, Clone, Debug, EnumIter, DeriveRelation)]
    pub enum Relation {}

    impl ActiveModelBehavior for ActiveModel {}

    impl Row for Model {
        fn read(columns: &impl Columns) -> Result<Self, Failure> {
            Ok(Self {
                digest: columns.text(0)?,
                family: columns.text(1)?,
                refresh: columns.text(2)?,
                code: columns.text(3)?,
                client_id: columns.text(4)?,
                client_name: columns.text(5)?,
                client_host: columns.text(6)?,
                resource: columns.text(7)?,
                until: columns.optional_number(8)?,
                ends_at: columns.number(9)?,
            })
        }
    }
}
