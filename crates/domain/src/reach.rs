//! The links that a caller may see and change.

use std::{collections::BTreeSet, sync::Arc};

use thiserror::Error;

use crate::{DomainName, Link, LinkId, Tag, Tags};

/// The links that a caller may see and change.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub enum Reach {
    /// Every link.
    #[default]
    Everything,
    /// The links of a binding.
    Bound(Arc<Binding>),
}

impl Reach {
    /// The links of a binding.
    pub fn bound(binding: Binding) -> Self {
        Self::Bound(Arc::new(binding))
    }

    /// The binding; `None` for every link.
    pub fn binding(&self) -> Option<&Binding> {
        match self {
            Self::Everything => None,
            Self::Bound(binding) => Some(binding),
        }
    }

    /// Returns whether the link is one of them.
    pub fn holds(&self, link: &Link) -> bool {
        self.binding().is_none_or(|binding| binding.holds(link))
    }

    /// Returns whether any link of a domain may be one of them.
    pub fn reaches(&self, domain: &DomainName) -> bool {
        self.binding().is_none_or(|binding| binding.reaches(domain))
    }

    /// Checks that a caller may make a link with these tags in a domain, and with this identity if
    /// the caller chooses it. The identity of a deleted link leads to its visits and its versions,
    /// so a bound caller chooses none but those of the binding.
    ///
    /// # Errors
    /// The link would be none of the caller's, or its identity may be that of another link.
    pub fn permit_new(
        &self,
        domain: &DomainName,
        tags: &Tags,
        id: Option<&LinkId>,
    ) -> Result<(), OutOfReach> {
        let Some(binding) = self.binding() else {
            return Ok(());
        };
        if !binding.reaches(domain) {
            return Err(OutOfReach::Domain(binding.domains.clone()));
        }
        if !binding.is_of_whole_domains() && !tags.iter().any(|tag| binding.tags.contains(tag)) {
            return Err(OutOfReach::New(binding.tags.clone()));
        }
        match id.filter(|id| !binding.links.contains(*id)) {
            Some(id) => Err(OutOfReach::Id(id.clone())),
            None => Ok(()),
        }
    }

    /// Checks that a caller may give these tags to a link of theirs. A tag of the binding stays
    /// as it is: without it the link would leave the reach of every caller bound to the tag, and
    /// with it the link would enter it.
    ///
    /// # Errors
    /// A tag of the binding would be added or removed.
    pub fn permit_change(&self, before: &Tags, after: &Tags) -> Result<(), OutOfReach> {
        let Some(binding) = self.binding() else {
            return Ok(());
        };
        for tag in &binding.tags {
            match (before.contains(tag), after.contains(tag)) {
                (true, false) => return Err(OutOfReach::Removed(tag.clone())),
                (false, true) => return Err(OutOfReach::Added(tag.clone())),
                (true, true) | (false, false) => {}
            }
        }
        Ok(())
    }
}

/// Some links: those with an identity, and those that have a tag now. The identity of a deleted
/// link stands for no other link, even if that has the same key. Where domains are named, too,
/// only their links are meant, and all of these if there is neither an identity nor a tag.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Binding {
    links: BTreeSet<LinkId>,
    tags: BTreeSet<Tag>,
    domains: BTreeSet<DomainName>,
}

impl Binding {
    /// The most identities, the most tags and the most domains of a binding: a person can still
    /// check them.
    pub const MAX: usize = 100;

    /// Takes identities, tags and domains.
    ///
    /// # Errors
    /// There is none of them, or there are too many.
    pub fn new(
        links: impl IntoIterator<Item = LinkId>,
        tags: impl IntoIterator<Item = Tag>,
        domains: impl IntoIterator<Item = DomainName>,
    ) -> Result<Self, BindingError> {
        let binding = Self {
            links: links.into_iter().collect(),
            tags: tags.into_iter().collect(),
            domains: domains.into_iter().collect(),
        };
        let links_or_tags = binding.links.len().max(binding.tags.len());
        let most = links_or_tags.max(binding.domains.len());
        if most == 0 {
            return Err(BindingError::Empty);
        }
        if most > Self::MAX {
            return Err(BindingError::TooMany { count: most });
        }
        Ok(binding)
    }

    /// The identities.
    pub fn links(&self) -> &BTreeSet<LinkId> {
        &self.links
    }

    /// The tags.
    pub fn tags(&self) -> &BTreeSet<Tag> {
        &self.tags
    }

    /// The domains; none if links of all domains are meant.
    pub fn domains(&self) -> &BTreeSet<DomainName> {
        &self.domains
    }

    /// Returns whether every link of the domains is meant.
    pub fn is_of_whole_domains(&self) -> bool {
        self.links.is_empty() && self.tags.is_empty()
    }

    fn reaches(&self, domain: &DomainName) -> bool {
        self.domains.is_empty() || self.domains.contains(domain)
    }

    fn holds(&self, link: &Link) -> bool {
        let is_named = || {
            self.links.contains(&link.id)
                || link.content.tags.iter().any(|tag| self.tags.contains(tag))
        };
        self.reaches(&link.key.domain) && (self.is_of_whole_domains() || is_named())
    }
}

/// The reason why there is no such binding.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Error)]
pub enum BindingError {
    /// It has neither a link nor a tag nor a domain.
    #[error("a binding needs a link, a tag or a domain")]
    Empty,
    /// It has more than [`Binding::MAX`] links, tags or domains.
    #[error(
        "a binding has at most {} links, as many tags and as many domains, not {count}",
        Binding::MAX
    )]
    TooMany {
        /// The largest of these numbers.
        count: usize,
    },
}

/// A change that would leave the links of a caller.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
pub enum OutOfReach {
    /// A new link belongs to none of these domains.
    #[error("a new link needs one of the domains of the binding")]
    Domain(BTreeSet<DomainName>),
    /// A new link has none of these tags.
    #[error("a new link needs one of the tags of the binding")]
    New(BTreeSet<Tag>),
    /// A new link has an identity that its author chose, and that the binding does not name.
    #[error("a new link cannot have the identity {0}")]
    Id(LinkId),
    /// A tag of the binding would be added to a link.
    #[error("the tag {0} cannot be added")]
    Added(Tag),
    /// A tag of the binding would be removed from a link.
    #[error("the tag {0} cannot be removed")]
    Removed(Tag),
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Destination, LinkContent, LinkKey, UnixSeconds};

    fn tag(text: &str) -> Tag {
        Tag::parse(text).unwrap()
    }

    fn key(text: &str) -> LinkKey {
        LinkKey::parse(text).unwrap()
    }

    fn link(id: &str, texts: &[&str]) -> Link {
        let to = Destination::restore("https://example.com/").unwrap();
        let mut content = LinkContent::leading_to(to.clone());
        content.tags = tags(texts);
        let moment = UnixSeconds::new(0).unwrap();
        Link {
            content,
            ..Link::new(LinkId::parse(id).unwrap(), key("docs"), to, moment)
        }
    }

    fn tags(texts: &[&str]) -> Tags {
        Tags::new(texts.iter().map(|text| tag(text))).unwrap()
    }

    fn bound(ids: &[&str], texts: &[&str]) -> Reach {
        let ids = ids.iter().map(|id| LinkId::parse(id).unwrap());
        Reach::bound(Binding::new(ids, texts.iter().map(|text| tag(text)), []).unwrap())
    }

    #[test]
    fn a_binding_holds_links_by_identity_and_by_tag() {
        let reach = bound(&["one"], &["a", "b"]);
        for (id, texts, expected) in [
            ("one", &["x"][..], true),
            ("two", &["x", "b"], true),
            ("two", &["x"], false),
            ("two", &[], false),
        ] {
            let link = link(id, texts);
            assert_eq!(reach.holds(&link), expected, "{id} {texts:?}");
            assert!(Reach::Everything.holds(&link));
        }
    }

    #[test]
    fn a_new_link_needs_a_tag_of_the_binding() {
        let reach = bound(&["one"], &["a", "b"]);
        let here = DomainName::DEFAULT;
        assert_eq!(reach.permit_new(&here, &tags(&["x", "b"]), None), Ok(()));
        let refused = reach.permit_new(&here, &tags(&["x"]), None);
        assert_eq!(refused, Err(OutOfReach::New([tag("a"), tag("b")].into())));
        let by_identity = bound(&["one"], &[]).permit_new(&here, &tags(&["a"]), None);
        assert_eq!(by_identity, Err(OutOfReach::New(BTreeSet::new())));
        let anybody = Reach::Everything.permit_new(&here, &tags(&[]), None);
        assert_eq!(anybody, Ok(()));
    }

    #[test]
    fn a_bound_caller_chooses_no_identity_but_those_of_the_binding() {
        let here = DomainName::DEFAULT;
        let id = |text| LinkId::parse(text).unwrap();
        let tagged = bound(&["one"], &["a"]);
        let whole = Reach::bound(Binding::new([], [], [here.clone()]).unwrap());
        let refused = Err(OutOfReach::Id(id("two")));
        for reach in [&tagged, &whole] {
            let made = reach.permit_new(&here, &tags(&["a"]), Some(&id("two")));
            assert_eq!(made, refused);
        }
        let own = tagged.permit_new(&here, &tags(&["a"]), Some(&id("one")));
        assert_eq!(own, Ok(()));
        let unbound = Reach::Everything.permit_new(&here, &tags(&[]), Some(&id("two")));
        assert_eq!(unbound, Ok(()));
    }

    #[test]
    fn domains_of_a_binding_narrow_it() {
        let go = DomainName::parse("go.example").unwrap();
        let link_of = |text: &str, texts: &[&str]| Link {
            key: key(text),
            ..link("one", texts)
        };
        let whole = Reach::bound(Binding::new([], [], [go.clone()]).unwrap());
        let tagged = Reach::bound(Binding::new([], [tag("a")], [go.clone()]).unwrap());
        for (text, texts, by_domain, by_both) in [
            ("go.example/docs", &["a"][..], true, true),
            ("go.example/docs", &[], true, false),
            ("docs", &["a"], false, false),
            ("other.example/docs", &["a"], false, false),
        ] {
            let link = link_of(text, texts);
            let tags = tags(texts);
            for (reach, holds) in [(&whole, by_domain), (&tagged, by_both)] {
                let made = reach.permit_new(&link.key.domain, &tags, None);
                assert_eq!(made.is_ok(), holds);
                assert_eq!(reach.holds(&link), holds, "{text}");
            }
        }
        let elsewhere = whole.permit_new(&DomainName::DEFAULT, &tags(&[]), None);
        assert_eq!(elsewhere, Err(OutOfReach::Domain([go].into())));
    }

    #[test]
    fn tags_of_the_binding_stay_as_they_are() {
        let reach = bound(&["one"], &["a", "b"]);
        let change =
            |before: &[&str], after: &[&str]| reach.permit_change(&tags(before), &tags(after));
        let added = Err(OutOfReach::Added(tag("b")));
        let removed = Err(OutOfReach::Removed(tag("a")));
        assert_eq!(change(&["a", "x"], &["y", "a"]), Ok(()));
        assert_eq!(change(&["a"], &["a", "b"]), added);
        assert_eq!(change(&["a"], &["x"]), removed);
        assert_eq!(change(&["a"], &["b"]), removed);
        assert_eq!(change(&["x"], &[]), Ok(()));
        let anybody = Reach::Everything.permit_change(&tags(&["a"]), &tags(&[]));
        assert_eq!(anybody, Ok(()));
    }

    #[test]
    fn a_binding_is_neither_empty_nor_endless() {
        assert_eq!(Binding::new([], [], []), Err(BindingError::Empty));
        let many = |count: usize| (0..count).map(|n| LinkId::parse(&format!("l{n}")).unwrap());
        assert!(Binding::new(many(Binding::MAX), [], []).is_ok());
        let refused = Binding::new(many(Binding::MAX + 1), [], []);
        assert_eq!(refused, Err(BindingError::TooMany { count: 101 }));
    }
}
