//! Applications that registered themselves.

use sea_orm::{
    ColumnTrait, EntityTrait, IntoActiveModel, Order, QueryFilter, QueryOrder, QuerySelect,
    QueryTrait,
};
use slugline_domain::{
    UnixSeconds,
    assistants::{Client, ClientId, ClientName, RedirectAddress},
};

use crate::{
    entity::assistant::client::{Column, Entity, Model},
    failure::Failure,
    session::{Applied, Mutation, Read, Session},
};

/// The application, and the number of others to keep.
pub(super) struct AddClient(pub(super) Client, pub(super) u32);

impl Mutation for AddClient {
    type Answer = ();

    async fn apply<S: Session>(&self, session: &S) -> Result<Applied<()>, Failure> {
        let Self(client, most) = self;
        let redirects = client.redirects.iter().map(RedirectAddress::as_str);
        let redirects: Vec<&str> = redirects.collect();
        let row = Model {
            id: client.id.to_string(),
            name: client.name.to_string(),
            redirects: redirects.join("\n"),
            created_at: client.created_at.get(),
            consented: 0,
        };
        let insert = Entity::insert(row.into_active_model());
        session.execute(&insert).await?;
        let newest = Entity::find()
            .select_only()
            .column(Column::Id)
            .filter(Column::Consented.eq(0))
            .order_by(Column::CreatedAt, Order::Desc)
            .order_by(Column::Id, Order::Desc)
            .limit(u64::from(*most));
        let trim = Entity::delete_many()
            .filter(Column::Consented.eq(0))
            .filter(Column::Id.ne(client.id.as_str()))
            .filter(Column::Id.not_in_subquery(newest.into_query()));
        session.execute(&trim).await?;
        Ok(Applied::Commit(()))
    }
}

pub(super) struct FindClient(pub(super) ClientId);

impl Read for FindClient {
    type Answer = Option<Client>;

    async fn read<S: Session>(&self, session: &S) -> Result<Option<Client>, Failure> {
        let select = Entity::find_by_id(self.0.as_str());
        let row = session.first::<Model>(&select).await?;
        row.map(|row| to_client(&row)).transpose()
    }
}

fn to_client(row: &Model) -> Result<Client, Failure> {
    let redirects = row.redirects.lines().map(RedirectAddress::parse);
    Ok(Client {
        id: ClientId::parse(&row.id).map_err(|_| Failure::BadAssistant)?,
        name: ClientName::parse(&row.name).map_err(|_| Failure::BadAssistant)?,
        redirects: redirects
            .collect::<Result<_, _>>()
            .map_err(|_| Failure::BadAssistant)?,
        created_at: UnixSeconds::new(row.created_at).map_err(|_| Failure::BadAssistant)?,
    })
}
