//! Requests that a client may send again under a key: the link that the first one made carries
//! digests of it, and a repetition is answered from the link.

use std::collections::{BTreeSet, HashMap};

use hmac::{Hmac, KeyInit, Mac};
use sha2::Sha256;
use slugline_domain::{IdempotencyKey, Link, MadeLink, RequestDigests};

use super::LinkWriter;
use crate::error::Error;

/// A client's request for a new link under a key.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Asked {
    /// The key, which the client takes for one request alone.
    pub key: IdempotencyKey,
    /// The position of the link in a list of links.
    pub position: Option<u64>,
    /// A digest of what the link is to be, the password left out.
    pub digest: [u8; 32],
}

/// The links that earlier requests made, by the digests of their keys.
pub(super) type Made = HashMap<[u8; 32], MadeLink>;

impl LinkWriter {
    /// The digests of a request of this caller.
    pub(super) fn digests(&self, asked: &Asked) -> RequestDigests {
        let mac = Hmac::<Sha256>::new_from_slice(&self.parts.request_secret);
        let mut mac = mac.expect("HMAC takes keys of any length");
        // No part but the last holds a zero byte.
        mac.update(self.caller.identity().as_bytes());
        mac.update(&[0]);
        mac.update(asked.key.as_str().as_bytes());
        mac.update(&[0]);
        if let Some(position) = asked.position {
            mac.update(&position.to_be_bytes());
        }
        RequestDigests {
            key: mac.finalize().into_bytes().into(),
            asked: asked.digest,
        }
    }

    /// Returns the links that these requests made when they came before.
    pub(super) async fn made_by(
        &self,
        requests: impl IntoIterator<Item = RequestDigests>,
    ) -> Result<Made, Error> {
        let keys: BTreeSet<[u8; 32]> = requests.into_iter().map(|request| request.key).collect();
        if keys.is_empty() {
            return Ok(Made::new());
        }
        let made = self.parts.history.made_by(&keys).await?.into_iter();
        Ok(made
            .filter_map(|made| Some((made.link.request?.key, made)))
            .collect())
    }

    /// Returns the link that this request made when it came before, as it is now.
    pub(super) fn made_again(
        &self,
        request: &RequestDigests,
        made: &mut Made,
    ) -> Result<Option<Link>, Error> {
        let Some(MadeLink { link, is_deleted }) = made.remove(&request.key) else {
            return Ok(None);
        };
        if link.request != Some(*request) {
            return Err(Error::KeyReused);
        }
        // The link is none of the caller's if a change has moved it out of reach.
        if is_deleted || !self.reach.holds(&link) {
            return Err(Error::LinkDeleted);
        }
        Ok(Some(link))
    }
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use slugline_domain::{
        Author, Binding, Change, LinkFilter, Reach, Scope, Scopes, Tags, TokenName, TokenRecord,
    };
    use slugline_testkit::{NOON, assert_matches, destination, seconds, slug, tag, with};

    use super::*;
    use crate::{
        Caller, CreateTerms, Created, ImportLink, ImportOutcome, LinkDraft, NewLink,
        links::fixture::{Fixture, fixture},
    };

    fn asked(key: &str, position: Option<u64>, digest: u8) -> Asked {
        Asked {
            key: key.parse().unwrap(),
            position,
            digest: [digest; 32],
        }
    }

    fn keyed<P>(position: Option<u64>, digest: u8) -> LinkDraft<P> {
        let draft = LinkDraft::leading_to(destination("https://example.com/"));
        with(draft, |it| {
            it.slug = Some(slug("docs"));
            it.asked = Some(asked("k", position, digest));
        })
    }

    /// A writer of links with the tag `a`, who may not read them.
    fn bound_writer(fixture: &Fixture) -> LinkWriter {
        let binding = Binding::new([], [tag("a")], []).unwrap();
        let token = TokenRecord {
            name: TokenName::parse("writer").unwrap(),
            digest: [0; 32],
            scopes: Scopes::new([Scope::LinksWrite]).unwrap(),
            reach: Reach::bound(binding),
            expires_at: None,
            created_at: NOON,
            last_used_at: None,
            assistant: None,
        };
        let caller = Caller::Token(Arc::new(token));
        fixture.links.by(caller, Author::operator())
    }

    fn tagged<P>(mut draft: LinkDraft<P>, text: &str) -> LinkDraft<P> {
        draft.content.tags = Tags::new([tag(text)]).unwrap();
        draft
    }

    #[test]
    fn a_digest_tells_callers_keys_and_positions_apart() {
        let fixture = fixture();
        let by = |writer: &LinkWriter, key, position| writer.digests(&asked(key, position, 1)).key;
        let first = by(&fixture.links, "k", None);
        assert_eq!(first, by(&fixture.links, "k", None));
        let others = [
            by(&bound_writer(&fixture), "k", None),
            by(&fixture.links, "l", None),
            by(&fixture.links, "k", Some(0)),
            by(&fixture.links, "k", Some(1)),
        ];
        let all: BTreeSet<[u8; 32]> = others.into_iter().chain([first]).collect();
        assert_eq!(all.len(), 5);
    }

    #[tokio::test]
    async fn a_repetition_is_checked_no_more_against_the_clock() {
        let fixture = fixture();
        let brief: NewLink = keyed(None, 1);
        let brief = with(brief, |it| it.content.expires_at = Some(seconds(5)));
        let first = fixture.create(brief.clone()).await.unwrap();
        fixture.clock.advance_seconds(10);
        assert_eq!(fixture.create(brief).await.unwrap(), first);
        let reused = fixture.create(keyed(None, 2)).await;
        assert_matches!(reused, Err(Error::KeyReused));
    }

    #[tokio::test]
    async fn a_link_that_was_moved_out_of_reach_is_shown_no_more() {
        let fixture = fixture();
        let writer = bound_writer(&fixture);
        let create = async || {
            let new: NewLink = tagged(keyed(None, 1), "a");
            writer.create(new, CreateTerms::default()).await
        };
        let Created::Stored(first) = create().await.unwrap() else {
            panic!("it is new")
        };
        let again = create().await.unwrap();
        assert_eq!(
            (again.link().key(), again.link().whole()),
            (first.key(), None)
        );
        let elsewhere = fixture.patch(|it| it.tags = Change::Clear);
        elsewhere.await.unwrap();
        assert_matches!(create().await, Err(Error::LinkDeleted));
    }

    #[tokio::test]
    async fn a_repeated_import_tells_those_who_may_not_read_what_they_sent() {
        let fixture = fixture();
        let writer = bound_writer(&fixture);
        let import = async |digest| {
            let link: ImportLink = tagged(keyed(Some(0), digest), "a");
            writer.import(vec![link]).await.unwrap().remove(0)
        };
        let first = import(1).await;
        let secret = Some(destination("https://secret.example/"));
        let patched = fixture.patch(|it| it.destination = secret).await;
        patched.unwrap();
        let again = import(1).await;
        assert_eq!(again.outcome, ImportOutcome::Stored);
        assert_eq!(again.link.key, first.link.key);
        assert_eq!(again.link.content, first.link.content);
        assert_eq!(import(2).await.outcome, ImportOutcome::KeyReused);
        let count = fixture.links.count(LinkFilter::default()).await;
        assert_eq!(count.unwrap(), 1);
    }
}
