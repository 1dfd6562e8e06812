//! Links that may be handed out in place of a new one.

use crate::{Link, LinkContent, LinkStatus, UnixSeconds};

impl Link {
    /// Returns whether a caller who asks for the link `new` may get this one in its place: it is
    /// active and equal in every member, the slug, the identity and its moments apart.
    ///
    /// A link with a password is never handed out, because two hashes do not tell whether the
    /// passwords are the same. Neither is one that counts visits: two callers would share what is
    /// left.
    pub fn may_stand_for(&self, new: &Self, now: UnixSeconds) -> bool {
        // It names every member, so that a new one cannot be forgotten.
        let Self {
            id: _,
            key,
            created_at: _,
            updated_at: _,
            revision: _,
            ends_at,
            password,
            visits_used,
            request: _,
            content,
        } = self;
        new.may_be_stood_for()
            && password.is_none()
            && self.status_at(now) == LinkStatus::Active
            && key.domain == new.key.domain
            && *ends_at == new.ends_at
            && *visits_used == new.visits_used
            && sorted(content) == sorted(&new.content)
    }

    /// Returns whether another link may be handed out in place of this new one, if there is an
    /// equal one.
    pub fn may_be_stood_for(&self) -> bool {
        self.password.is_none() && self.content.life.max_visits.is_none()
    }
}

/// The order of tags means nothing, and neither do the visits before.
fn sorted(content: &LinkContent) -> LinkContent {
    LinkContent {
        tags: content.tags.clone().sorted(),
        visits_before: None,
        ..content.clone()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Change, Comment, LinkPatch, MaxVisits, PasswordHash, Tag, Tags};

    type Difference = fn(&mut Link);

    fn second(number: i64) -> UnixSeconds {
        UnixSeconds::new(number).unwrap()
    }

    fn link(key: &str) -> Link {
        let to = "https://example.com/?a=1".parse().unwrap();
        let mut link = Link::new(key.parse().unwrap(), key.parse().unwrap(), to, second(1));
        let tags = ["b", "a"].map(|text| Tag::parse(text).unwrap());
        link.content.tags = Tags::new(tags).unwrap();
        link
    }

    #[test]
    fn only_slug_identity_moments_and_the_order_of_tags_may_differ() {
        let mut stored = link("stored");
        stored.content.tags = stored.content.tags.sorted();
        stored.updated_at = second(9);
        stored.revision = stored.revision.next();
        assert!(stored.may_stand_for(&link("new"), second(9)));
    }

    #[test]
    fn any_other_difference_makes_another_link() {
        let differences: [(&str, Difference); 8] = [
            ("domain", |link| {
                link.key = "go.example/new".parse().unwrap();
            }),
            ("end", |link| link.ends_at = Some(second(99))),
            ("password", |link| {
                link.password = Some(PasswordHash::new("hash"));
            }),
            ("visits", |link| {
                link.content.life.max_visits = MaxVisits::new(5).ok();
            }),
            ("query", |link| {
                link.content.destination = "https://example.com/?a=2".parse().unwrap();
            }),
            ("tags", |link| link.content.tags = Tags::default()),
            ("flag", |link| link.content.delivery.cloaking = Some(false)),
            ("comment", |link| {
                let patch = LinkPatch {
                    comment: Change::Set(Comment::parse("c").unwrap()),
                    ..LinkPatch::default()
                };
                patch.apply(&mut link.content);
            }),
        ];
        for (name, differ) in differences {
            let mut changed = link("new");
            differ(&mut changed);
            assert!(!link("old").may_stand_for(&changed, second(9)), "{name}");
            assert!(!changed.may_stand_for(&link("old"), second(9)), "{name}");
            if ["password", "visits"].contains(&name) {
                assert!(!changed.may_stand_for(&changed, second(9)), "{name}");
            }
        }
    }

    #[test]
    fn a_link_that_leads_nowhere_now_is_not_handed_out() {
        let endings: [Difference; 3] = [
            |link| link.content.life.disabled = true,
            |link| link.content.expires_at = Some(second(9)),
            |link| link.content.life.starts_at = Some(second(10)),
        ];
        for end in endings {
            let mut changed = link("new");
            end(&mut changed);
            assert!(!changed.may_stand_for(&changed, second(9)));
        }
    }
}
