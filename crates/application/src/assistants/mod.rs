//! Connecting assistants: applications of others that get named tokens by the consent of a person
//! (OAuth 2.1 with RFC 7591, 7636, 8252, 8707 and 9700).
//!
//! Adapters bring requests and show pages. The order of events is here: an application is known, a
//! person signs in and decides, a code turns into tokens, tokens are renewed and revoked.

mod clients;
mod consent;
mod exchange;
mod service;
mod session;
mod texts;

pub use self::{
    clients::NewClient,
    consent::{AskedParameters, ConsentRequest, Decision, NotAsked, NotDecided},
    exchange::{Exchange, Granted, Refresh},
    service::{AssistantError, Assistants, AssistantsParts},
    session::{SignInRefused, SignedIn},
};

#[cfg(test)]
mod tests;
