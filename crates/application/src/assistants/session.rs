//! People sign in to decide about requests.
//!
//! The dashboard keeps its token where no page from the server sees it, so the page that asks for
//! consent signs in by itself. What it gets is worth less than the token: it decides once, within
//! ten minutes.

use std::net::IpAddr;

use slugline_domain::{
    Reach, Scope, TokenRecord,
    assistants::{ConsentSession, Holder},
    ports::StoreError,
};
use subtle::ConstantTimeEq;
use thiserror::Error;

use super::{service::Assistants, texts};
use crate::{auth::Denied, caller::Caller};

/// A person who may decide.
#[derive(Debug)]
pub struct SignedIn {
    cookie: String,
    pub(super) session: ConsentSession,
    /// The person, by their token.
    pub caller: Caller,
}

/// The reason why the browser is not signed in.
#[derive(Debug, Error)]
pub enum SignInRefused {
    /// The token is wrong, or cannot be checked.
    #[error(transparent)]
    Denied(#[from] Denied),
    /// The token is right, and may not make other tokens.
    #[error("the token is not the site token, nor an unbound one with the scope admin")]
    MayNotConsent,
    /// The store failed.
    #[error("the database cannot be reached")]
    Store(#[from] StoreError),
}

impl Assistants {
    /// Signs a person in by the site token, or by an unbound named one with the scope `admin`.
    /// Returns the text of the cookie.
    ///
    /// # Errors
    /// The token is wrong or may not make tokens, too many wrong ones came from the network, or the
    /// store failed.
    pub async fn sign_in(&self, token: &str, from: IpAddr) -> Result<String, SignInRefused> {
        let caller = self.parts.authenticator.authenticate(Some(token), from);
        let holder = match caller.await? {
            Caller::Site => Holder::Site,
            Caller::Token(record) if may_consent(&record) => Holder::Token(record.digest),
            Caller::Token(_) | Caller::Operator => return Err(SignInRefused::MayNotConsent),
        };
        let cookie = texts::mint_secret(&*self.parts.random);
        let session = ConsentSession {
            digest: texts::digest_of(&cookie),
            holder,
            ends_at: self.after(Self::SESSION_SECONDS),
        };
        self.parts.store.open_session(&session, self.now()).await?;
        Ok(cookie)
    }

    /// Returns who signed in; `None` if no person did, or if the session or the token is over.
    ///
    /// # Errors
    /// The store failed.
    pub async fn signed_in(&self, cookie: &str) -> Result<Option<SignedIn>, StoreError> {
        if !texts::is_secret(cookie) {
            return Ok(None);
        }
        let digest = texts::digest_of(cookie);
        let session = self.parts.store.session(&digest).await?;
        let Some(session) = session.filter(|session| self.now() < session.ends_at) else {
            return Ok(None);
        };
        let caller = match &session.holder {
            Holder::Site => Caller::Site,
            Holder::Token(digest) => {
                let record = self.parts.token_store.find(digest).await?;
                let valid =
                    |record: &TokenRecord| !record.is_expired(self.now()) && may_consent(record);
                match record.filter(valid) {
                    Some(record) => Caller::Token(record.into()),
                    None => return Ok(None),
                }
            }
        };
        Ok(Some(SignedIn {
            cookie: cookie.to_owned(),
            session,
            caller,
        }))
    }
}

fn may_consent(record: &TokenRecord) -> bool {
    record.scopes.permit(Scope::Admin)
        && record.reach == Reach::Everything
        && record.assistant.is_none()
}

impl SignedIn {
    /// The value that the form for this request brings back. Other sites cannot know it. It works
    /// once, because the session ends with the decision.
    pub fn form_value(&self, request: &str) -> String {
        texts::form_value(&self.cookie, request)
    }

    /// Returns whether a form brought the right value back.
    pub fn is_form_value(&self, request: &str, value: &str) -> bool {
        let expected = self.form_value(request);
        expected.as_bytes().ct_eq(value.as_bytes()).into()
    }
}
