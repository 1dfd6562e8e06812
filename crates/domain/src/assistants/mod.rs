//! Assistants: applications of others that a person connects by consent, as OAuth 2.1 describes.
//!
//! An assistant gets named tokens like everybody else. This module has what happens before: who
//! asks, where the answer goes, what the person agreed to, and how tokens are renewed.

mod assistant;
mod client_id;
mod client_name;
mod code_challenge;
mod document;
mod offer;
mod records;
mod redirect_address;
mod store;

pub use self::{
    assistant::Assistant,
    client_id::{ClientId, ClientIdError},
    client_name::{ClientName, ClientNameError},
    code_challenge::{CodeChallenge, CodeVerifier},
    document::{ClientDocument, ClientDocuments, DocumentFailure},
    offer::{OFFERED, asked_scopes, narrowed_scopes},
    records::{Client, Connected, Connection, ConnectionKey, ConsentCode, ConsentSession, Renewal},
    redirect_address::{RedirectAddress, RedirectAddressError},
    store::AssistantStore,
};
