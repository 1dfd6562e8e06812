//! People sign in to decide about requests.
//!
//! The dashboard keeps its token where no page from the server sees it, so the page that asks for
//! consent signs in by itself. What it gets is worth less than the token: it decides once, within
//! ten minutes.

use std::net::IpAddr;

use slugline_domain::{Reach, Scope, TokenRecord, assistants::ConsentSession, ports::StoreError};
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
        let authenticator = &self.parts.authenticator;
        let caller = authenticator.authenticate(Some(token), from).await?;
        let cookie = texts::mint_secret(&*self.parts.random);
        let holder = self.mark_of(&caller, &cookie);
        let holder = holder.ok_or(SignInRefused::MayNotConsent)?;
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
        let caller = self.holder(&session.holder, cookie).await?;
        Ok(caller.map(|caller| SignedIn {
            cookie: cookie.to_owned(),
            session,
            caller,
        }))
    }

    /// The mark of a caller's token, to be stored beside a secret; `None` if the caller may not
    /// consent.
    pub(super) fn mark_of(&self, caller: &Caller, secret: &str) -> Option<[u8; 32]> {
        match caller {
            Caller::Site => Some(self.parts.authenticator.site_mark(secret)),
            Caller::Token(record) => may_consent(record).then_some(record.digest),
            Caller::Operator => None,
        }
    }

    /// The caller whose mark stands beside this secret; `None` once the token is over: what
    /// precedes a connection ends with it.
    pub(super) async fn holder(
        &self,
        mark: &[u8; 32],
        secret: &str,
    ) -> Result<Option<Caller>, StoreError> {
        if *mark == self.parts.authenticator.site_mark(secret) {
            return Ok(Some(Caller::Site));
        }
        let record = self.parts.token_store.find(mark).await?;
        let valid = |record: &TokenRecord| !record.is_expired(self.now()) && may_consent(record);
        Ok(record
            .filter(valid)
            .map(|record| Caller::Token(record.into())))
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
