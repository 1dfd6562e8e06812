//! Links that would send visitors in circles, placeholders that nothing fills in, and slugs that
//! cannot pass on what stands behind them.

use thiserror::Error;

use crate::{
    Destination, Link, LinkContent, LinkKey, LinkPatch, OwnAddresses, Slug,
    routing::{may_forward, misplaced_placeholder, placeholder_in},
};

impl Link {
    /// Checks that the link leads no visitor in circles. What was wrong `before` a change is no
    /// fault of the change.
    ///
    /// # Errors
    /// Names the first member at fault.
    pub fn check_circles(
        &self,
        before: Option<&Self>,
        own: &OwnAddresses,
    ) -> Result<(), ForwardingFault> {
        let faults = |link: &Self| link.content.circles(Some(&link.key), own);
        let known = before.map(faults).unwrap_or_default();
        let mut all = faults(self).into_iter();
        let new = all.find(|fault| !known.contains(fault));
        new.map_or(Ok(()), Err)
    }
}

impl LinkContent {
    /// Lists every member that sends visitors of a link with this key in circles, or that keeps the
    /// link from passing on what stands behind its slug. `None` stands for a key that is not chosen
    /// yet.
    pub fn circles(&self, key: Option<&LinkKey>, own: &OwnAddresses) -> Vec<ForwardingFault> {
        let forwards = self.routing.forwards_path();
        let mut faults = Vec::new();
        if let Some(key) = key.filter(|key| forwards && !may_forward(&key.slug)) {
            faults.push(ForwardingReason::Kept(key.slug.clone()).of("forwardPath"));
        }
        for (path, is_filled, destination) in self.named_destinations() {
            let text = destination.as_str();
            if !is_filled && let Some(found) = placeholder_in(text).filter(|_| forwards) {
                faults.push(ForwardingReason::Unfilled(found, path.clone()).of(&path));
                continue;
            }
            if let Some(found) = misplaced_placeholder(text).filter(|_| forwards) {
                faults.push(ForwardingReason::Misplaced(found).of(&path));
            }
            if key.is_some_and(|key| own.lead_back(key, destination, forwards)) {
                faults.push(ForwardingReason::Itself(destination.clone()).of(&path));
            }
        }
        faults
    }
}

impl LinkPatch {
    /// As [`LinkContent::circles`], for the members that the patch sets.
    pub fn circles(&self, key: Option<&LinkKey>, own: &OwnAddresses) -> Vec<ForwardingFault> {
        let nowhere = Destination::restore("about:blank").expect("no page of ours");
        let mut content = LinkContent::leading_to(nowhere);
        self.clone().apply(&mut content);
        content.circles(key, own)
    }
}

/// A member that keeps a link from its key, or from passing on what stands behind its slug.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
#[error("{reason}")]
pub struct ForwardingFault {
    /// The member on the wire, and the place in it: `url`, `geo.DE`, `rules.1.url`.
    pub path: String,
    /// The reason.
    pub reason: ForwardingReason,
}

impl ForwardingFault {
    /// The same fault of a link that is part of something else.
    #[must_use]
    pub fn within(self, part: &str) -> Self {
        let path = format!("{part}.{}", self.path);
        Self { path, ..self }
    }
}

/// The fault of a member.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
pub enum ForwardingReason {
    /// The destination is the link's own address, or below it.
    #[error("{0} is the address of this link, which would send visitors in circles")]
    Itself(Destination),
    /// The service has paths of its own below the slug.
    #[error(
        "a link with the slug {:?} cannot pass on what stands behind it, because the service has \
         paths of its own there", .0.as_str()
    )]
    Kept(Slug),
    /// Nothing is filled in for this placeholder of a member: the member is for devices, or for
    /// visitors before the start or after the end.
    #[error("nothing is filled in for {0} of {1}")]
    Unfilled(&'static str, String),
    /// Nothing is filled in before the end of the host, where this placeholder stands.
    #[error("{0} stands before the end of the host")]
    Misplaced(&'static str),
    /// One of these, of a link that the caller may not see.
    #[error(
        "a destination of the link leads back to the link, or has a placeholder that is not \
         filled in"
    )]
    Hidden,
}

impl ForwardingReason {
    /// The fault of the member with this path.
    pub fn of(self, path: &str) -> ForwardingFault {
        ForwardingFault {
            path: path.to_owned(),
            reason: self,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_placeholder_is_refused_where_nothing_is_filled_in() {
        let to = |url: &str| url.parse::<Destination>().unwrap();
        let key = LinkKey::parse("docs").unwrap();
        let own = OwnAddresses::default();
        let mut content = LinkContent::leading_to(to("https://e.example/{1}"));
        content.routing.apple = Some(to("https://apps.example/{1}"));
        content.life.expired_url = Some(to("https://over.example/?{path}"));
        assert_eq!(content.circles(Some(&key), &own), []);
        content.routing.forward_path = Some(true);
        let said = content.circles(Some(&key), &own);
        let said: Vec<String> = said.iter().map(ToString::to_string).collect();
        let expected = [
            "nothing is filled in for {1} of apple",
            "nothing is filled in for {path} of expiredUrl",
        ];
        assert_eq!(said, expected);
        let patch = LinkPatch {
            apple: crate::Change::Set(to("https://apps.example/{1}")),
            ..LinkPatch::default()
        };
        assert_eq!(patch.circles(Some(&key), &own), [], "it does not forward");
    }
}
