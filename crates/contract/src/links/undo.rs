//! Tells programs where a person can undo what they did.

use slugline_domain::{Keeping, Link};

use super::history::version_number;

/// What is kept of links, and where people find it.
#[derive(Clone, Copy, Debug)]
pub struct Undo<'o> {
    /// The public address of the dashboard's host, such as `https://sl.example`.
    pub origin: &'o str,
    /// What is kept.
    pub keeping: Keeping,
}

impl Undo<'_> {
    /// The sentence about a link that was changed to what it is; `None` if no version before is
    /// kept.
    pub(super) fn of_change(self, link: &Link) -> Option<String> {
        let before = version_number(link.revision) - 1;
        let is_kept = self.keeping.versions > 0 && before > 0;
        is_kept.then(|| {
            let slug = &link.key.slug;
            format!(
                "Version {before} is kept; a person can bring it back at \
                 {}/_dashboard/links?q={slug}",
                self.origin
            )
        })
    }

    /// The sentence about a link that was deleted; `None` if nothing of it is
    /// kept.
    pub(super) fn of_deletion(self, link: &Link) -> Option<String> {
        let days = self.keeping.deleted_for.as_secs() / 86_400;
        self.keeping.has_trash().then(|| {
            format!(
                "Version {} is in the trash for {days} days; a person can bring it back at \
                 {}/_dashboard/trash",
                version_number(link.revision),
                self.origin
            )
        })
    }
}

#[cfg(test)]
mod tests {
    use slugline_testkit::link;

    use super::*;

    #[test]
    fn what_is_kept_can_be_undone() {
        let mut link = link("docs").build();
        let undo = Undo {
            origin: "https://sl.example",
            keeping: Keeping::default(),
        };
        assert_eq!(undo.of_change(&link), None, "nothing was before");
        let deleted = undo.of_deletion(&link).unwrap();
        assert_eq!(
            deleted,
            "Version 1 is in the trash for 30 days; a person can bring it back at \
             https://sl.example/_dashboard/trash"
        );
        link.revision = link.revision.next();
        let changed = undo.of_change(&link).unwrap();
        assert!(changed.starts_with("Version 1 is kept"), "{changed}");
        let nothing = Undo {
            keeping: Keeping::NOTHING,
            ..undo
        };
        assert_eq!(
            nothing.of_change(&link).or(nothing.of_deletion(&link)),
            None
        );
    }
}
