//! Tells programs where a person can undo what they did.

use slugline_application::{EditedLink, SeenLink};
use slugline_domain::Keeping;

use super::history::version_number;

/// What is kept of links, and where people find it.
#[derive(Clone, Copy, Debug)]
pub struct Undo<'o> {
    /// The address of the dashboard's host, such as `https://sl.example`.
    pub dashboard: &'o str,
    /// What is kept.
    pub keeping: Keeping,
}

impl Undo<'_> {
    /// The sentence about a link that was changed; `None` if it was so already, or no
    /// version before is kept.
    pub(super) fn of_change(self, edited: &EditedLink) -> Option<String> {
        let before = edited.before.revision();
        let is_kept = self.keeping.versions > 0 && before != edited.link.revision();
        is_kept.then(|| {
            format!(
                "Version {} is kept; a person can bring it back at \
                 {}/_dashboard/links?history={}",
                version_number(before),
                self.dashboard,
                edited.link.key()
            )
        })
    }

    /// The sentence about a link that was deleted; `None` if nothing of it is
    /// kept.
    pub(super) fn of_deletion(self, link: &SeenLink) -> Option<String> {
        let days = self.keeping.deleted_for.as_secs() / 86_400;
        let host = link.key().domain.host();
        let of_domain = host.map_or_else(String::new, |host| format!("?domain={host}"));
        self.keeping.has_trash().then(|| {
            format!(
                "Version {} is in the trash for {days} days; a person can bring it back at \
                 {}/_dashboard/trash{of_domain}",
                version_number(link.revision()),
                self.dashboard
            )
        })
    }
}

#[cfg(test)]
mod tests {
    use slugline_domain::{LinkKey, Revision};
    use slugline_testkit::with;

    use super::*;

    /// A link that the caller may not read.
    fn seen(key: &str, revision: i64) -> SeenLink {
        SeenLink::Key(LinkKey::parse(key).unwrap(), Revision::new(revision))
    }

    #[test]
    fn what_is_kept_can_be_undone_in_the_domain_of_the_link() {
        let undo = Undo {
            dashboard: "https://admin.example",
            keeping: Keeping::default(),
        };
        for (key, of_domain) in [("docs", ""), ("go.example/docs", "?domain=go.example")] {
            let (before, link) = (seen(key, 0), seen(key, 1));
            let edited = EditedLink { before, link };
            assert_eq!(
                undo.of_change(&edited).unwrap(),
                format!(
                    "Version 1 is kept; a person can bring it back at \
                     https://admin.example/_dashboard/links?history={key}"
                )
            );
            assert_eq!(
                undo.of_deletion(&edited.link).unwrap(),
                format!(
                    "Version 2 is in the trash for 30 days; a person can bring it back at \
                     https://admin.example/_dashboard/trash{of_domain}"
                )
            );
            let nothing = with(undo, |it| it.keeping = Keeping::NOTHING);
            assert_eq!(nothing.of_change(&edited), None);
            assert_eq!(nothing.of_deletion(&edited.link), None);
            let same = with(edited.clone(), |it| it.before.clone_from(&edited.link));
            assert_eq!(undo.of_change(&same), None);
        }
    }
}
