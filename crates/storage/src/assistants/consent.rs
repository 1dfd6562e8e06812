//! People who signed in to decide, and what they agreed to.

use sea_orm::{ColumnTrait, EntityTrait, IntoActiveModel, QueryFilter, sea_query::Expr};
use slugline_domain::{
    Author, CallerName, ClientTag, Reach, UnixSeconds,
    assistants::{
        ClientId, ClientName, CodeChallenge, ConsentCode, ConsentSession, Holder, RedirectAddress,
    },
};

use crate::{
    entity::{
        assistant::{client, code, session},
        binding_text,
    },
    failure::Failure,
    hexadecimal::{from_hexadecimal, hexadecimal},
    session::{Applied, Mutation, Read, Session},
    tokens::{read_scopes, write_scopes},
};

pub(super) struct OpenSession(pub(super) ConsentSession, pub(super) UnixSeconds);

impl Mutation for OpenSession {
    type Answer = ();

    async fn apply<S: Session>(&self, session: &S) -> Result<Applied<()>, Failure> {
        let Self(opened, now) = self;
        let ended = session::Entity::delete_many().filter(session::Column::EndsAt.lte(now.get()));
        session.execute(&ended).await?;
        let row = session::Model {
            digest: hexadecimal(&opened.digest),
            holder: match &opened.holder {
                Holder::Site => None,
                Holder::Token(digest) => Some(hexadecimal(digest)),
            },
            ends_at: opened.ends_at.get(),
        };
        let insert = session::Entity::insert(row.into_active_model());
        session.execute(&insert).await?;
        Ok(Applied::Commit(()))
    }
}

pub(super) struct FindSession(pub(super) [u8; 32]);

impl Read for FindSession {
    type Answer = Option<ConsentSession>;

    async fn read<S: Session>(&self, session: &S) -> Result<Option<ConsentSession>, Failure> {
        let select = session::Entity::find_by_id(hexadecimal(&self.0));
        let Some(row) = session.first::<session::Model>(&select).await? else {
            return Ok(None);
        };
        let holder = match &row.holder {
            None => Holder::Site,
            Some(text) => Holder::Token(from_hexadecimal(text).ok_or(Failure::BadAssistant)?),
        };
        Ok(Some(ConsentSession {
            digest: self.0,
            holder,
            ends_at: moment(row.ends_at)?,
        }))
    }
}

pub(super) struct CloseSession(pub(super) [u8; 32]);

impl Mutation for CloseSession {
    type Answer = bool;

    async fn apply<S: Session>(&self, session: &S) -> Result<Applied<bool>, Failure> {
        Ok(Applied::Commit(close(session, &self.0).await?))
    }
}

async fn close(session: &impl Session, digest: &[u8; 32]) -> Result<bool, Failure> {
    let delete =
        session::Entity::delete_many().filter(session::Column::Digest.eq(hexadecimal(digest)));
    Ok(session.execute(&delete).await? > 0)
}

/// The session, the code, and the present moment.
pub(super) struct Consent(
    pub(super) [u8; 32],
    pub(super) ConsentCode,
    pub(super) UnixSeconds,
);

impl Mutation for Consent {
    type Answer = bool;

    async fn apply<S: Session>(&self, session: &S) -> Result<Applied<bool>, Failure> {
        let Self(of, consent, now) = self;
        if !close(session, of).await? {
            return Ok(Applied::Rollback(false));
        }
        let expired = code::Entity::delete_many().filter(code::Column::ExpiresAt.lte(now.get()));
        session.execute(&expired).await?;
        let insert = code::Entity::insert(to_row(consent).into_active_model());
        session.execute(&insert).await?;
        let kept = client::Entity::update_many()
            .col_expr(client::Column::Consented, Expr::value(1_i64))
            .filter(client::Column::Id.eq(consent.client.as_str()));
        session.execute(&kept).await?;
        Ok(Applied::Commit(true))
    }
}

pub(super) struct FindCode(pub(super) [u8; 32]);

impl Read for FindCode {
    type Answer = Option<ConsentCode>;

    async fn read<S: Session>(&self, session: &S) -> Result<Option<ConsentCode>, Failure> {
        let select = code::Entity::find_by_id(hexadecimal(&self.0));
        let row = session.first::<code::Model>(&select).await?;
        row.map(|row| to_code(&row)).transpose()
    }
}

fn to_row(code: &ConsentCode) -> code::Model {
    let texts = code.reach.binding().map(binding_text::write);
    let texts = texts.unwrap_or_default();
    code::Model {
        digest: hexadecimal(&code.digest),
        client_id: code.client.to_string(),
        client_name: code.name.to_string(),
        client_host: code.host.to_string(),
        redirect: code.redirect.to_string(),
        challenge: code.challenge.as_str().to_owned(),
        scopes: write_scopes(&code.scopes),
        link_ids: texts.link_ids,
        tags: texts.tags,
        resource: code.resource.to_string(),
        until: code.until.map(UnixSeconds::get),
        expires_at: code.expires_at.get(),
        author: code.author.caller.to_string(),
        author_client: code.author.client.map(|client| client.to_string()),
        domains: texts.domains,
    }
}

fn to_code(row: &code::Model) -> Result<ConsentCode, Failure> {
    Ok(ConsentCode {
        digest: from_hexadecimal(&row.digest).ok_or(Failure::BadAssistant)?,
        client: ClientId::parse(&row.client_id).map_err(|_| Failure::BadAssistant)?,
        name: ClientName::parse(&row.client_name).map_err(|_| Failure::BadAssistant)?,
        host: row.client_host.as_str().into(),
        redirect: RedirectAddress::parse(&row.redirect).map_err(|_| Failure::BadAssistant)?,
        challenge: CodeChallenge::parse(&row.challenge).ok_or(Failure::BadAssistant)?,
        scopes: read_scopes(&row.scopes)?,
        reach: to_reach(row)?,
        resource: row.resource.as_str().into(),
        until: row.until.map(moment).transpose()?,
        expires_at: moment(row.expires_at)?,
        author: Author {
            caller: CallerName::parse(&row.author)?,
            client: row
                .author_client
                .as_deref()
                .and_then(|tag| ClientTag::parse(tag).ok()),
        },
    })
}

fn to_reach(row: &code::Model) -> Result<Reach, Failure> {
    if [&row.link_ids, &row.tags, &row.domains]
        .iter()
        .all(|text| text.is_empty())
    {
        return Ok(Reach::Everything);
    }
    let binding = binding_text::read(&row.link_ids, &row.tags, &row.domains);
    Ok(Reach::bound(binding.ok_or(Failure::BadAssistant)?))
}

fn moment(seconds: i64) -> Result<UnixSeconds, Failure> {
    UnixSeconds::new(seconds).map_err(|_| Failure::BadAssistant)
}
