//! The links that a caller may see and change.

use std::{collections::BTreeSet, sync::Arc};

use thiserror::Error;

use crate::{Link, LinkId, Tag, Tags};

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

    /// Checks that a caller may make a link with these tags.
    ///
    /// # Errors
    /// The link would be none of the caller's.
    pub fn permit_new(&self, tags: &Tags) -> Result<(), OutOfReach> {
        match self.binding() {
            Some(binding) if !tags.iter().any(|tag| binding.tags.contains(tag)) => {
                Err(OutOfReach::New(binding.tags.clone()))
            }
            Some(_) | None => Ok(()),
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
/// link stands for no other link, even if that has the same slug.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Binding {
    links: BTreeSet<LinkId>,
    tags: BTreeSet<Tag>,
}

impl Binding {
    /// The most identities and the most tags of a binding: a person can still check them.
    pub const MAX: usize = 100;

    /// Takes identities and tags.
    ///
    /// # Errors
    /// There is neither an identity nor a tag, or there are too many.
    pub fn new(
        links: impl IntoIterator<Item = LinkId>,
        tags: impl IntoIterator<Item = Tag>,
    ) -> Result<Self, BindingError> {
        let binding = Self {
            links: links.into_iter().collect(),
            tags: tags.into_iter().collect(),
        };
        let most = binding.links.len().max(binding.tags.len());
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

    fn holds(&self, link: &Link) -> bool {
        self.links.contains(&link.id) || link.content.tags.iter().any(|tag| self.tags.contains(tag))
    }
}

/// The reason why there is no such binding.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Error)]
#[non_exhaustive]
pub enum BindingError {
    /// It has neither a link nor a tag.
    #[error("a binding needs a link or a tag")]
    Empty,
    /// It has more than [`Binding::MAX`] links or tags.
    #[error(
        "a binding has at most {} links and as many tags, not {count}",
        Binding::MAX
    )]
    TooMany {
        /// The larger number of both.
        count: usize,
    },
}

/// A change that would leave the links of a caller.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
pub enum OutOfReach {
    /// A new link has none of these tags.
    #[error("a new link needs one of the tags of the binding")]
    New(BTreeSet<Tag>),
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
    use crate::{Destination, LinkContent, Slug, UnixSeconds};

    fn tag(text: &str) -> Tag {
        Tag::parse(text).unwrap()
    }

    fn link(id: &str, texts: &[&str]) -> Link {
        let to = Destination::restore("https://example.com/").unwrap();
        let mut content = LinkContent::leading_to(to.clone());
        content.tags = tags(texts);
        let slug = Slug::parse("docs").unwrap();
        let moment = UnixSeconds::new(0).unwrap();
        Link {
            content,
            ..Link::new(LinkId::parse(id).unwrap(), slug, to, moment)
        }
    }

    fn tags(texts: &[&str]) -> Tags {
        Tags::new(texts.iter().map(|text| tag(text))).unwrap()
    }

    fn bound(ids: &[&str], texts: &[&str]) -> Reach {
        let ids = ids.iter().map(|id| LinkId::parse(id).unwrap());
        Reach::bound(Binding::new(ids, texts.iter().map(|text| tag(text))).unwrap())
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
        assert_eq!(reach.permit_new(&tags(&["x", "b"])), Ok(()));
        let refused = reach.permit_new(&tags(&["x"]));
        assert_eq!(refused, Err(OutOfReach::New([tag("a"), tag("b")].into())));
        let by_identity = bound(&["one"], &[]).permit_new(&tags(&["a"]));
        assert_eq!(by_identity, Err(OutOfReach::New(BTreeSet::new())));
        assert_eq!(Reach::Everything.permit_new(&tags(&[])), Ok(()));
    }

    #[test]
    fn tags_of_the_binding_stay_as_they_are() {
        let reach = bound(&["one"], &["a", "b"]);
        let change =
            |before: &[&str], after: &[&str]| reach.permit_change(&tags(before), &tags(after));
        assert_eq!(change(&["a", "x"], &["y", "a"]), Ok(()));
        assert_eq!(
            change(&["a"], &["a", "b"]),
            Err(OutOfReach::Added(tag("b")))
        );
        assert_eq!(change(&["a"], &["x"]), Err(OutOfReach::Removed(tag("a"))));
        assert_eq!(change(&["a"], &["b"]), Err(OutOfReach::Removed(tag("a"))));
        assert_eq!(change(&["x"], &[]), Ok(()));
        let anybody = Reach::Everything.permit_change(&tags(&["a"]), &tags(&[]));
        assert_eq!(anybody, Ok(()));
    }

    #[test]
    fn a_binding_is_neither_empty_nor_endless() {
        assert_eq!(Binding::new([], []), Err(BindingError::Empty));
        let many = |count: usize| (0..count).map(|n| LinkId::parse(&format!("l{n}")).unwrap());
        assert!(Binding::new(many(Binding::MAX), []).is_ok());
        let refused = Binding::new(many(Binding::MAX + 1), []);
        assert_eq!(refused, Err(BindingError::TooMany { count: 101 }));
    }
}
