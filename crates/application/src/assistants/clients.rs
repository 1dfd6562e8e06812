//! The application behind an identifier.
//!
//! A document is fetched only for somebody who signed in, so strangers cannot make the service send
//! requests.

use slugline_domain::{
    UnixMillis,
    assistants::{Client, ClientDocument, ClientId, RedirectAddress},
};
use url::Url;

use super::{error::AssistantError, names::name_or_host, service::Assistants};

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
