//! An application asks, and a person decides.

use slugline_domain::{
    Author, Scope, Scopes, UnixSeconds,
    assistants::{
        Client, ClientId, ClientName, CodeChallenge, ConsentCode, RedirectAddress, asked_scopes,
    },
    ports::StoreError,
};
use thiserror::Error;

use super::{
    service::{AssistantError, Assistants},
    session::SignedIn,
    texts,
};
use crate::{error::Error, tokens::BoundTo};

/// The parameters of a request for consent, as the application sent them.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
#[expect(
    missing_docs,
    reason = "RFC 6749, 7636 and 8707 define each by its name"
)]
pub struct AskedParameters {
    pub client_id: Option<String>,
    pub redirect_uri: Option<String>,
    pub response_type: Option<String>,
    pub scope: Option<String>,
    pub code_challenge: Option<String>,
    pub code_challenge_method: Option<String>,
    pub resource: Option<String>,
}

/// A request that a person can decide about.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ConsentRequest {
    /// The application.
    pub client: ClientId,
    /// Its name, which the service has not verified.
    pub name: ClientName,
    /// The host of its document, or of the address to which the answer goes.
    pub host: String,
    /// The address to which the answer goes.
    pub redirect: RedirectAddress,
    /// The scopes that it asks for.
    pub scopes: Scopes,
    challenge: CodeChallenge,
}

/// The reason why there is nothing to decide.
#[derive(Debug)]
pub enum NotAsked {
    /// The error is shown here: nothing is sent to an address that is not the application's.
    Shown(AssistantError),
    /// The application is told.
    Sent {
        /// The address to which the error goes.
        redirect: RedirectAddress,
        /// The error.
        error: AssistantError,
    },
}

/// The access that a person agrees to.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Decision {
    /// The scopes; those that the application did not ask for are left out.
    pub scopes: Vec<Scope>,
    /// The links; all of them if there are neither slugs nor tags.
    pub bound_to: BoundTo,
    /// The moment at which the connection ends.
    pub until: Option<UnixSeconds>,
}

/// The reason why a decision was not stored.
#[derive(Debug, Error)]
pub enum NotDecided {
    /// No scope is left.
    #[error("no scope is left")]
    NoScope,
    /// The end is not in the future.
    #[error("the end is not in the future")]
    EndNotInFuture,
    /// The session is over, or another decision ended it.
    #[error("the session is over")]
    Over,
    /// A link is not there, or there are too many.
    #[error(transparent)]
    Links(Error),
    /// The store failed.
    #[error("the database cannot be reached")]
    Store(#[from] StoreError),
}

impl Assistants {
    /// Checks a request. The address for the answer is checked first: an error is sent only to an
    /// address that the application registered.
    ///
    /// # Errors
    /// There is nothing to decide.
    pub async fn examine(&self, sent: &AskedParameters) -> Result<ConsentRequest, NotAsked> {
        let (client, redirect) = self.recipient(sent).await.map_err(NotAsked::Shown)?;
        self.asked(sent, client, &redirect)
            .map_err(|error| NotAsked::Sent { redirect, error })
    }

    async fn recipient(
        &self,
        sent: &AskedParameters,
    ) -> Result<(Client, RedirectAddress), AssistantError> {
        let missing = |parameter| AssistantError::Parameter {
            parameter,
            expected: "is missing",
        };
        let id = sent.client_id.as_deref().ok_or(missing("client_id"))?;
        let redirect = sent.redirect_uri.as_deref();
        let redirect = redirect.ok_or(missing("redirect_uri"))?;
        let redirect =
            RedirectAddress::parse(redirect).map_err(|_| AssistantError::ForeignRedirect)?;
        let client = self.client(&ClientId::parse(id)?).await?;
        let known = |registered| redirect.is_covered_by(registered);
        if !client.redirects.iter().any(known) {
            return Err(AssistantError::ForeignRedirect);
        }
        Ok((client, redirect))
    }

    fn asked(
        &self,
        sent: &AskedParameters,
        client: Client,
        redirect: &RedirectAddress,
    ) -> Result<ConsentRequest, AssistantError> {
        if sent.response_type.as_deref() != Some("code") {
            return Err(AssistantError::ResponseType);
        }
        if sent.code_challenge_method.as_deref() != Some("S256") {
            return Err(AssistantError::Parameter {
                parameter: "code_challenge_method",
                expected: "must be S256",
            });
        }
        let challenge = sent
            .code_challenge
            .as_deref()
            .and_then(CodeChallenge::parse);
        let challenge = challenge.ok_or(AssistantError::Parameter {
            parameter: "code_challenge",
            expected: "must be the SHA-256 digest of a verifier in base64url, 43 characters",
        })?;
        Self::check_resource(sent.resource.as_deref(), &self.parts.resource)?;
        let scopes = asked_scopes(sent.scope.as_deref()).ok_or(AssistantError::Scope)?;
        let host = match client.id.document() {
            Some(address) => address.host_str().unwrap_or_default().to_owned(),
            None => redirect.host_name().to_owned(),
        };
        Ok(ConsentRequest {
            client: client.id,
            name: client.name,
            host,
            redirect: redirect.clone(),
            scopes,
            challenge,
        })
    }

    /// The hosts of the domains that access can be bound to, the default domain's first; none where
    /// there is only one domain.
    pub fn hosts(&self) -> Vec<String> {
        let (public, named) = self.parts.tokens.hosts();
        if named.is_empty() {
            return Vec::new();
        }
        let all = public.into_iter().chain(named);
        all.map(|host| host.to_string()).collect()
    }

    /// Stores that the person agreed, and ends their session. Returns the code for the
    /// application.
    ///
    /// # Errors
    /// Nothing is left to agree to, a link is not there, the session is over, or the store failed.
    pub async fn allow(
        &self,
        signed_in: &SignedIn,
        asked: &ConsentRequest,
        decision: Decision,
        author: Author,
    ) -> Result<String, NotDecided> {
        let agreed = asked
            .scopes
            .iter()
            .filter(|scope| decision.scopes.contains(scope));
        let scopes = Scopes::new(agreed).map_err(|_| NotDecided::NoScope)?;
        if decision.until.is_some_and(|until| until <= self.now()) {
            return Err(NotDecided::EndNotInFuture);
        }
        let reach = self.parts.tokens.reach(&decision.bound_to).await;
        let text = texts::mint_secret(&*self.parts.random);
        let holder = self.mark_of(&signed_in.caller, &text);
        let code = ConsentCode {
            digest: texts::digest_of(&text),
            holder: holder.ok_or(NotDecided::Over)?,
            client: asked.client.clone(),
            name: asked.name.clone(),
            host: asked.host.as_str().into(),
            redirect: asked.redirect.clone(),
            challenge: asked.challenge.clone(),
            scopes,
            reach: reach.map_err(NotDecided::Links)?,
            resource: self.parts.resource.as_str().into(),
            until: decision.until,
            expires_at: self.after(Self::CODE_SECONDS),
            author,
        };
        let session = &signed_in.session.digest;
        let stored = self.parts.store.consent(session, &code, self.now()).await?;
        if stored {
            Ok(text)
        } else {
            Err(NotDecided::Over)
        }
    }

    /// Ends the session of a person who did not agree.
    ///
    /// # Errors
    /// The store failed.
    pub async fn deny(&self, signed_in: &SignedIn) -> Result<(), StoreError> {
        let session = &signed_in.session.digest;
        self.parts.store.close_session(session).await?;
        Ok(())
    }
}
