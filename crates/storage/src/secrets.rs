//! Secrets that all nodes of a database share.

use async_trait::async_trait;
use sea_orm::{EntityTrait, IntoActiveModel, sea_query::OnConflict};
use slugline_domain::ports::{SecretStore, StoreError};

use crate::{
    entity::secret::{Entity, Model},
    failure::Failure,
    hexadecimal::{from_hexadecimal, hexadecimal},
    links::SqlLinkStore,
    session::{Applied::Commit, Session},
};

#[async_trait]
impl SecretStore for SqlLinkStore {
    async fn agree(&self, name: &'static str, proposed: [u8; 32]) -> Result<[u8; 32], StoreError> {
        let name = name.to_owned();
        let agree = async move |session: &Session<'_>| {
            let row = Model {
                name: name.clone(),
                secret: hexadecimal(&proposed),
            };
            let insert = Entity::insert(row.into_active_model())
                .on_conflict(OnConflict::new().do_nothing().to_owned());
            session.execute(&insert).await?;
            let stored = session
                .first::<Model>(&Entity::find_by_id(name.as_str()))
                .await?;
            let agreed = stored.and_then(|row| from_hexadecimal(&row.secret));
            Ok(Commit(agreed.ok_or(Failure::BadSecret)?))
        };
        self.database.change("agree on a secret", agree).await
    }
}
