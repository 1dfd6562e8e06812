//! Applications: the one behind an identifier, registration by themselves (RFC 7591), and names.
//!
//! A document is fetched only for a person who signed in, so strangers cannot make the service send
//! requests.

use std::{net::IpAddr, time::Duration};

use slugline_domain::{
    ClientNetwork, TokenName, UnixMillis,
    assistants::{
        Client, ClientDocument, ClientId, ClientName, ClientNameError, ConsentCode, RedirectAddress,
    },
};
use url::Url;

use super::{
    service::{AssistantError, Assistants},
    texts,
};
use crate::attempts::TooManyAttempts;

impl Assistants {
    /// The application with this identifier.
    pub(super) async fn client(&self, id: &ClientId) -> Result<Client, AssistantError> {
        match id.document() {
            None => {
                let client = self.parts.store.client(id).await?;
                client.ok_or(AssistantError::UnknownClient)
            }
            Some(address) => self.described(id, &address).await,
        }
    }

    async fn described(&self, id: &ClientId, address: &Url) -> Result<Client, AssistantError> {
        let now = self.parts.clock.now();
        if let Some(client) = self.documents.fresh(id, now) {
            return Ok(client);
        }
        if !self.documents.may_fetch(now) {
            let text = "too many documents were fetched in the last hour; try again later";
            return Err(AssistantError::Document(text.into()));
        }
        let fetched = self.parts.documents.fetch(address).await;
        let document = fetched.map_err(|reason| AssistantError::Document(reason.to_string()))?;
        let client = to_client(id, address, &document, now)?;
        self.documents.keep(&client, document.fresh_for, now);
        Ok(client)
    }
}

/// Addresses of kinds that we do not use are left out, because a document is for every server.
fn to_client(
    id: &ClientId,
    address: &Url,
    document: &ClientDocument,
    now: UnixMillis,
) -> Result<Client, AssistantError> {
    if document.client_id != id.as_str() {
        let text = "the document names another client_id than its own address";
        return Err(AssistantError::Document(text.into()));
    }
    let most = RedirectAddress::MAX_COUNT;
    let usable = document.redirect_uris.iter().take(most);
    let redirects: Vec<RedirectAddress> = usable
        .filter_map(|text| RedirectAddress::parse(text).ok())
        .collect();
    if redirects.is_empty() {
        return Err(AssistantError::RedirectCount { most });
    }
    let host = address.host_str().unwrap_or_default();
    Ok(Client {
        id: id.clone(),
        name: name_or_host(document.client_name.as_deref(), host)?,
        redirects,
        created_at: now.second(),
    })
}

/// A new application as it describes itself.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct NewClient {
    /// Its name; if there is none, it is called by its host.
    pub name: Option<String>,
    /// The addresses to which its answers may go.
    pub redirects: Vec<String>,
}

impl Assistants {
    /// Registers an application.
    ///
    /// # Errors
    /// Its name or one of its addresses cannot be used, its network or all together registered too
    /// often, the table is full of applications whose persons are connecting, or the store failed.
    pub async fn register(&self, new: NewClient, from: IpAddr) -> Result<Client, AssistantError> {
        let network = ClientNetwork::of(from);
        let now = self.parts.clock.now();
        self.all_registrations.check(&(), now)?;
        self.registrations.count(&(), network, now)?;
        self.all_registrations.count(&(), now)?;
        let redirects = addresses(&new.redirects)?;
        let id = texts::mint_client_id(&*self.parts.random);
        let client = Client {
            id: ClientId::parse(&id)?,
            name: name_or_host(new.name.as_deref(), redirects[0].host_name())?,
            redirects,
            created_at: now.second(),
        };
        let (store, most) = (&self.parts.store, Self::MOST_WITHOUT_CONSENT);
        let young_since = self.after(-Self::SPARED_SECONDS);
        if store.add_client(&client, most, young_since).await? {
            return Ok(client);
        }
        // Then the table may have room again.
        let retry_after = Duration::from_mins(1);
        Err(TooManyAttempts { retry_after }.into())
    }
}

fn addresses(texts: &[String]) -> Result<Vec<RedirectAddress>, AssistantError> {
    let most = RedirectAddress::MAX_COUNT;
    if texts.is_empty() || texts.len() > most {
        return Err(AssistantError::RedirectCount { most });
    }
    let parse = |text: &String| {
        RedirectAddress::parse(text).map_err(|reason| AssistantError::Redirect {
            address: text.chars().filter(|c| !c.is_control()).take(200).collect(),
            reason,
        })
    };
    texts.iter().map(parse).collect()
}

/// The name of an application, or its host if it has none.
pub(super) fn name_or_host(name: Option<&str>, host: &str) -> Result<ClientName, ClientNameError> {
    let given = name.filter(|name| !name.trim().is_empty());
    let shown = match given {
        Some(given) => given.to_owned(),
        None => host.chars().take(ClientName::MAX_CHARS).collect(),
    };
    ClientName::parse(&shown)
}

/// A name that looks like none of the others: that of the application with its host, and a number
/// if need be.
pub(super) fn name_for(code: &ConsentCode, others: &[TokenName]) -> TokenName {
    let taken = |name: &TokenName| others.iter().any(|other| other.looks_like(name));
    let mut number: u32 = 1;
    loop {
        let name = numbered(code, number);
        if !taken(&name) {
            return name;
        }
        number += 1;
    }
}

fn numbered(code: &ConsentCode, number: u32) -> TokenName {
    let tail = match number {
        1 => format!(" ({})", code.host),
        _ => format!(" ({}) {number}", code.host),
    };
    let room = TokenName::MAX_CHARS.saturating_sub(tail.chars().count());
    let head: String = code.name.as_str().chars().take(room).collect();
    let whole = format!("{}{tail}", head.trim_end());
    let plain = || format!("Assistant {number}");
    // A host may be too long, or have a character that no name has.
    let name = TokenName::parse(&whole).or_else(|_| TokenName::parse(&plain()));
    name.expect("a word and a number are a name")
}
