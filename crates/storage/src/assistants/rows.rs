//! The rows of applications, consents and connections.

use slugline_domain::{
    Author, CallerName, ClientTag, Reach, TokenName, UnixSeconds,
    assistants::{
        Assistant, Client, ClientId, ClientName, CodeChallenge, Connection, ConsentCode,
        ConsentSession, RedirectAddress,
    },
};

use crate::{
    entity::{
        assistant::{client, code, connection, session},
        binding_text,
    },
    failure::Failure,
    hexadecimal::{from_hexadecimal, hexadecimal},
    row::{Columns, Row},
    tokens::{read_scopes, write_scopes},
};

pub(super) fn of_client(client: &Client) -> client::Model {
    let redirects = client.redirects.iter().map(RedirectAddress::as_str);
    let redirects: Vec<&str> = redirects.collect();
    client::Model {
        id: client.id.to_string(),
        name: client.name.to_string(),
        redirects: redirects.join("\n"),
        created_at: client.created_at.get(),
        consented: 0,
    }
}

impl Row for Client {
    fn read(columns: &mut impl Columns) -> Result<Self, Failure> {
        let row = client::Model::read(columns)?;
        let redirects = row.redirects.lines().map(RedirectAddress::parse);
        Ok(Self {
            id: ClientId::parse(&row.id).map_err(|_| Failure::BadAssistant)?,
            name: ClientName::parse(&row.name).map_err(|_| Failure::BadAssistant)?,
            redirects: redirects
                .collect::<Result<_, _>>()
                .map_err(|_| Failure::BadAssistant)?,
            created_at: moment(row.created_at)?,
        })
    }
}

pub(super) fn of_session(opened: &ConsentSession) -> session::Model {
    session::Model {
        digest: hexadecimal(&opened.digest),
        holder: hexadecimal(&opened.holder),
        ends_at: opened.ends_at.get(),
    }
}

impl Row for ConsentSession {
    fn read(columns: &mut impl Columns) -> Result<Self, Failure> {
        let row = session::Model::read(columns)?;
        Ok(Self {
            digest: digest(&row.digest)?,
            holder: digest(&row.holder)?,
            ends_at: moment(row.ends_at)?,
        })
    }
}

pub(super) fn of_code(code: &ConsentCode) -> code::Model {
    let texts = code.reach.binding().map(binding_text::write);
    let texts = texts.unwrap_or_default();
    code::Model {
        digest: hexadecimal(&code.digest),
        holder: hexadecimal(&code.holder),
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

impl Row for ConsentCode {
    fn read(columns: &mut impl Columns) -> Result<Self, Failure> {
        let row = code::Model::read(columns)?;
        Ok(Self {
            digest: digest(&row.digest)?,
            holder: digest(&row.holder)?,
            client: ClientId::parse(&row.client_id).map_err(|_| Failure::BadAssistant)?,
            name: ClientName::parse(&row.client_name).map_err(|_| Failure::BadAssistant)?,
            host: row.client_host.as_str().into(),
            redirect: RedirectAddress::parse(&row.redirect).map_err(|_| Failure::BadAssistant)?,
            challenge: CodeChallenge::parse(&row.challenge).ok_or(Failure::BadAssistant)?,
            scopes: read_scopes(&row.scopes)?,
            reach: to_reach(&row)?,
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

fn digest(text: &str) -> Result<[u8; 32], Failure> {
    from_hexadecimal(text).ok_or(Failure::BadAssistant)
}

/// The row of a token's connection.
pub(super) fn of_connection(
    token: &[u8; 32],
    connection: &Connection,
    assistant: &Assistant,
) -> connection::Model {
    connection::Model {
        digest: hexadecimal(token),
        former: None,
        family: hexadecimal(&connection.family),
        refresh: hexadecimal(&connection.refresh),
        code: hexadecimal(&connection.code),
        client_id: connection.client.to_string(),
        client_name: assistant.name.to_string(),
        client_host: assistant.host.to_string(),
        scopes: write_scopes(&connection.scopes),
        resource: assistant.resource.to_string(),
        until: connection.until.map(UnixSeconds::get),
        ends_at: assistant.ends_at.get(),
    }
}

impl Row for Connection {
    /// Reads a connection with the name of its token.
    fn read(columns: &mut impl Columns) -> Result<Self, Failure> {
        let (row, name) = <(connection::Model, String)>::read(columns)?;
        Ok(Self {
            family: digest(&row.family)?,
            refresh: digest(&row.refresh)?,
            access: digest(&row.digest)?,
            code: digest(&row.code)?,
            client: ClientId::parse(&row.client_id).map_err(|_| Failure::BadAssistant)?,
            until: row.until.map(moment).transpose()?,
            token: TokenName::restore(&name).map_err(|_| Failure::BadToken)?,
            scopes: read_scopes(&row.scopes)?,
            resource: row.resource.as_str().into(),
            ends_at: moment(row.ends_at)?,
        })
    }
}
