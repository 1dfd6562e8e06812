//! Whether visitors are warned of a destination when its author does not say.

use slugline_domain::Destination;

use super::LinkService;

impl LinkService {
    /// Whether this destination is known to be dangerous, as far as somebody
    /// is there to be asked.
    pub(super) async fn is_flagged(&self, destination: &Destination) -> bool {
        match &self.parts.screen {
            Some(screen) => screen.flags(destination).await,
            None => false,
        }
    }
}

#[cfg(test)]
mod tests {
    use slugline_domain::{LinkContent, ports::LinkStore};
    use slugline_testkit::{NOON, destination, link, slug};

    use crate::{
        Change, EditLink, LinkPatch, NewLink, Upserted,
        links::fixture::{House, house},
    };

    const BAD: &str = "https://bad.example/";
    const GOOD: &str = "https://good.example/";

    /// A house whose screen flags one destination, with a link to `url`.
    async fn house_with(url: &str, flagged: Option<bool>) -> House {
        let house = house();
        house.screen.flag(BAD);
        let mut link = link("docs").to(url).build();
        link.content.flagged_unsafe = flagged;
        house.store.insert(&link, NOON).await.unwrap();
        house
    }

    fn content(url: &str, flagged: Option<bool>) -> LinkContent {
        LinkContent {
            flagged_unsafe: flagged,
            ..LinkContent::leading_to(destination(url))
        }
    }

    #[tokio::test]
    async fn a_new_link_is_screened_unless_its_author_decides() {
        let house = house_with(GOOD, None).await;
        for (url, said, kept, lookups) in [
            (BAD, None, Some(true), 1),
            (GOOD, None, None, 2),
            (BAD, Some(false), Some(false), 2),
            (GOOD, Some(true), Some(true), 2),
        ] {
            let mut new = NewLink::leading_to(destination(url));
            new.content = content(url, said);
            let made = house.links.create(new).await.unwrap();
            assert_eq!(made.content.flagged_unsafe, kept, "{url} {said:?}");
            assert_eq!(house.screen.asked().len(), lookups);
        }
        let upserted = house
            .links
            .upsert(NewLink::leading_to(destination(BAD)))
            .await;
        let Ok(Upserted::Created(made)) = upserted else {
            panic!("{upserted:?}")
        };
        assert_eq!(made.content.flagged_unsafe, Some(true));
    }

    #[tokio::test]
    async fn an_edit_screens_a_new_destination_and_clears_the_flag_of_the_old() {
        for (from, to, said, kept, lookups) in [
            (GOOD, BAD, None, Some(true), 1),
            (BAD, GOOD, None, None, 1),
            (BAD, BAD, None, None, 0),
            (GOOD, BAD, Some(false), Some(false), 0),
        ] {
            let house = house_with(from, Some(true)).await;
            let edit = EditLink {
                slug: slug("docs"),
                password: Change::Keep,
                content: content(to, said),
            };
            let edited = house.links.edit(edit).await.unwrap();
            assert_eq!(edited.content.flagged_unsafe, kept, "{from} {to} {said:?}");
            assert_eq!(house.screen.asked().len(), lookups, "{from} {to} {said:?}");
        }
    }

    #[tokio::test]
    async fn a_patch_screens_a_new_destination_and_keeps_a_flag() {
        for (flagged, to, change, kept, lookups) in [
            (None, Some(BAD), Change::Keep, Some(true), 1),
            (Some(false), Some(BAD), Change::Keep, Some(true), 1),
            (
                Some(true),
                Some("https://e.example/"),
                Change::Keep,
                Some(true),
                1,
            ),
            (None, Some(BAD), Change::Clear, None, 0),
            (None, Some(BAD), Change::Set(false), Some(false), 0),
            (None, Some(GOOD), Change::Keep, None, 0),
            (None, None, Change::Keep, None, 0),
        ] {
            let house = house_with(GOOD, flagged).await;
            let patch = LinkPatch {
                destination: to.map(destination),
                flagged_unsafe: change.clone(),
                ..LinkPatch::default()
            };
            let patched = house.links.patch(&slug("docs"), patch).await.unwrap();
            assert_eq!(patched.content.flagged_unsafe, kept, "{to:?} {change:?}");
            assert_eq!(house.screen.asked().len(), lookups, "{to:?} {change:?}");
        }
    }
}
