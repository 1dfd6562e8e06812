//! Applications register themselves (RFC 7591).

use std::net::IpAddr;

use slugline_domain::{
    ClientNetwork,
    assistants::{Client, ClientId, RedirectAddress},
};

use super::{error::AssistantError, names::name_or_host, service::Assistants, texts};

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
    /// Its name or one of its addresses cannot be used, its network registered too often, or the
    /// store failed.
    pub async fn register(&self, new: NewClient, from: IpAddr) -> Result<Client, AssistantError> {
        let network = ClientNetwork::of(from);
        let now = self.parts.clock.now();
        self.registrations.count(&(), network, now)?;
        let redirects = addresses(&new.redirects)?;
        let id = texts::mint_client_id(&*self.parts.random);
        let client = Client {
            id: ClientId::parse(&id)?,
            name: name_or_host(new.name.as_deref(), redirects[0].host_name())?,
            redirects,
            created_at: now.second(),
        };
        let most = Self::MOST_WITHOUT_CONSENT;
        self.parts.store.add_client(&client, most).await?;
        Ok(client)
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
