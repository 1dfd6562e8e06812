//! Secrets that all nodes of a database share.

use async_trait::async_trait;
use sea_orm::{EntityTrait, IntoActiveModel, sea_query::OnConflict};
use slugline_domain::ports::{SecretStore, StoreError};

use crate::{
    entity::secret::{Entity, Model},
    failure::{Failure, failing_to},
    hexadecimal::{from_hexadecimal, hexadecimal},
    links::SqlLinkStore,
    session::{Applied, Mutation, Session},
};

#[async_trait]
impl SecretStore for SqlLinkStore {
    async fn agree(&self, name: &'static str, proposed: [u8; 32]) -> Result<[u8; 32], StoreError> {
        let agreed = self.database.change(Agree { name, proposed }).await;
        agreed.map_err(failing_to("agree on a secret"))
    }
}

struct Agree {
    name: &'static str,
    proposed: [u8; 32],
}

impl Mutation for Agree {
    type Answer = [u8; 32];

    async fn apply<S: Session>(&self, session: &S) -> Result<Applied<[u8; 32]>, Failure> {
        let row = Model {
            name: self.name.to_owned(),
            secret: hexadecimal(&self.proposed),
        };
        let insert = Entity::insert(row.into_active_model())
            .on_conflict(OnConflict::new().do_nothing().to_owned());
        session.execute(&insert).await?;
        let select = Entity::find_by_id(self.name);
        let stored = session.first::<Model>(&select).await?;
        let agreed = stored.and_then(|row| from_hexadecimal(&row.secret));
        Ok(Applied::Commit(agreed.ok_or(Failure::BadSecret)?))
    }
}
