//! Flags dangerous destinations when the author does not decide.

use std::{collections::HashSet, time::Duration};

use slugline_domain::{Destination, LinkContent, ScreenVerdict, ports::DestinationScreen};
use tokio::time::{Instant, timeout_at};

use super::{ImportLink, LinkService};

/// Timeout for the destinations of one import. Destinations that the screen has not
/// judged by then stay unknown, so that a slow screen does not stop the import.
const IMPORT_TIMEOUT: Duration = Duration::from_secs(20);
/// Destinations of an import that the screen checks in one call, so that the verdicts
/// before a timeout count.
const IMPORT_STEP: usize = 64;

impl LinkService {
    /// Flags a new link if its destination is dangerous. The author may override this,
    /// except in preview mode, where any stranger can be the author.
    pub(super) async fn screen_new(&self, content: &mut LinkContent) {
        let decided = content.flagged_unsafe.is_some() && !self.parts.preview.distrusts_authors();
        if !decided && self.judge(content).await == ScreenVerdict::Dangerous {
            content.flagged_unsafe = Some(true);
        }
    }

    /// Returns the flag of a link that may lead elsewhere than before and whose author does not
    /// say whether it is safe. A warning stays, unless the flag is judged anew and the screen finds
    /// all destinations harmless. `judged` keeps the verdict for the next attempt.
    pub(super) async fn flag_after(
        &self,
        old: &LinkContent,
        new: &LinkContent,
        anew: bool,
        judged: &mut Option<(LinkContent, ScreenVerdict)>,
    ) -> Option<bool> {
        if !leads_elsewhere(old, new) {
            return old.flagged_unsafe;
        }
        let verdict = match judged {
            Some((seen, verdict)) if !leads_elsewhere(seen, new) => *verdict,
            Some(_) | None => self.judge(new).await,
        };
        *judged = Some((new.clone(), verdict));
        match verdict {
            ScreenVerdict::Dangerous => Some(true),
            ScreenVerdict::Harmless if anew => None,
            ScreenVerdict::Harmless | ScreenVerdict::Unknown => old.flagged_unsafe,
        }
    }

    /// Checks every destination of the link with the screen.
    async fn judge(&self, content: &LinkContent) -> ScreenVerdict {
        let Some(screen) = &self.parts.screen else {
            return ScreenVerdict::Unknown;
        };
        let destinations = distinct([content]);
        let verdicts = screen.judge(&destinations).await;
        verdicts.into_iter().max().unwrap_or(ScreenVerdict::Unknown)
    }

    /// Flags the imported links that have dangerous destinations and whose export does
    /// not say whether they are safe.
    pub(super) async fn screen_import(&self, links: &mut [ImportLink]) {
        let Some(screen) = &self.parts.screen else {
            return;
        };
        let undecided = |link: &&ImportLink| link.content.flagged_unsafe.is_none();
        let contents = links.iter().filter(undecided).map(|link| &link.content);
        let dangerous = dangerous(screen.as_ref(), &distinct(contents)).await;
        for link in links {
            let content = &mut link.content;
            if content.flagged_unsafe.is_none()
                && content.destinations().any(|to| dangerous.contains(to))
            {
                content.flagged_unsafe = Some(true);
            }
        }
    }
}

/// Compares the destinations of two versions of a link, in any order.
fn leads_elsewhere(old: &LinkContent, new: &LinkContent) -> bool {
    let destinations = |content: &'_ LinkContent| -> HashSet<Destination> {
        content.destinations().cloned().collect()
    };
    destinations(old) != destinations(new)
}

fn distinct<'l>(contents: impl IntoIterator<Item = &'l LinkContent>) -> Vec<Destination> {
    let mut seen = HashSet::new();
    let all = contents.into_iter().flat_map(LinkContent::destinations);
    all.filter(|to| seen.insert(*to)).cloned().collect()
}

async fn dangerous(
    screen: &dyn DestinationScreen,
    destinations: &[Destination],
) -> HashSet<Destination> {
    let deadline = Instant::now() + IMPORT_TIMEOUT;
    let mut dangerous = HashSet::new();
    for step in destinations.chunks(IMPORT_STEP) {
        let Ok(verdicts) = timeout_at(deadline, screen.judge(step)).await else {
            break;
        };
        let judged = step.iter().zip(verdicts);
        let warned = judged.filter(|(_, verdict)| *verdict == ScreenVerdict::Dangerous);
        dangerous.extend(warned.map(|(destination, _)| destination.clone()));
    }
    dangerous
}

#[cfg(test)]
mod tests {
    use slugline_domain::{Change, Country, LinkPatch};
    use slugline_testkit::{destination, link, seconds, slug, with};

    use super::*;
    use crate::{
        CreateTerms, NewLink,
        links::fixture::{Fixture, demonstration, fixture},
    };

    const BAD: &str = "https://bad.example/";
    const GOOD: &str = "https://good.example/";
    const ELSEWHERE: &str = "https://elsewhere.example/";

    /// A fixture whose screen flags one destination, with a link to `url`.
    async fn fixture_with(url: &str, flagged: Option<bool>) -> Fixture {
        let mut link = link("docs").to(url).build();
        link.content.flagged_unsafe = flagged;
        let fixture = fixture().holding(&link).await;
        fixture.screen.flag(BAD);
        fixture
    }

    fn content(url: &str, flagged: Option<bool>) -> LinkContent {
        let content = LinkContent::leading_to(destination(url));
        with(content, |it| it.flagged_unsafe = flagged)
    }

    /// Contents with a good destination, and one case each with a bad one.
    fn bad_for_some() -> [LinkContent; 5] {
        let bad = || Some(destination(BAD));
        let mut by_device = [content(GOOD, None), content(GOOD, None)];
        by_device[0].routing.apple = bad();
        by_device[1].routing.google = bad();
        let [apple, google] = by_device;
        let mut abroad = content(GOOD, None);
        let countries = ["DE", "FR"].map(|code| Country::parse(code).unwrap());
        let destinations = [GOOD, BAD].map(destination);
        abroad.routing.geo = countries.into_iter().zip(destinations).collect();
        let mut early = content(GOOD, None);
        early.life.starts_at = Some(seconds(5));
        early.life.start_url = bad();
        let mut late = content(GOOD, None);
        late.life.expired_url = bad();
        [apple, google, abroad, early, late]
    }

    fn new(content: LinkContent) -> NewLink {
        let new = NewLink::leading_to(destination(GOOD));
        with(new, |it| it.content = content)
    }

    /// A patch that sets the destinations of a content, its start and its flag.
    fn leading(content: &LinkContent) -> LinkPatch {
        fn set<T>(member: Option<T>) -> Change<T> {
            member.map_or(Change::Keep, Change::Set)
        }
        let LinkContent { routing, life, .. } = content.clone();
        LinkPatch {
            destination: Some(content.destination.clone()),
            apple: set(routing.apple),
            google: set(routing.google),
            geo: Change::Set(routing.geo),
            flagged_unsafe: set(content.flagged_unsafe),
            starts_at: set(life.starts_at),
            start_url: set(life.start_url),
            expired_url: set(life.expired_url),
            ..LinkPatch::default()
        }
    }

    /// Replaces the content of the link; returns the content that it has then.
    async fn replaced(fixture: &Fixture, content: LinkContent) -> LinkContent {
        let replace = |it: &mut LinkPatch| *it = leading(&content).replacing();
        fixture.patch(replace).await.unwrap().content
    }

    #[tokio::test]
    async fn a_new_link_is_screened_unless_its_author_decides() {
        let fixture = fixture_with(GOOD, None).await;
        for (url, said, kept, lookups) in [
            (BAD, None, Some(true), 1),
            (GOOD, None, None, 2),
            (BAD, Some(false), Some(false), 2),
            (GOOD, Some(true), Some(true), 2),
        ] {
            let made = fixture.create(new(content(url, said))).await.unwrap();
            assert_eq!(made.content.flagged_unsafe, kept, "{url} {said:?}");
            assert_eq!(fixture.screen.asked().len(), lookups);
        }
        let new = new(content(BAD, None));
        let upserted = fixture.links.upsert(new, CreateTerms::default()).await;
        let upserted = upserted.unwrap();
        let made = upserted.link().whole().unwrap();
        assert_eq!(made.content.flagged_unsafe, Some(true));
    }

    #[tokio::test]
    async fn a_demonstration_screens_links_that_claim_to_be_safe() {
        let fixture = demonstration();
        fixture.screen.flag(BAD);
        for (url, said, kept) in [
            (BAD, Some(false), Some(true)),
            (GOOD, Some(false), Some(false)),
            (GOOD, Some(true), Some(true)),
        ] {
            let made = fixture.create(new(content(url, said))).await.unwrap();
            assert_eq!(made.content.flagged_unsafe, kept, "{url} {said:?}");
        }
    }

    #[tokio::test]
    async fn every_destination_counts_however_the_link_comes() {
        for content in bad_for_some() {
            let fixture = fixture_with(GOOD, None).await;
            let made = fixture.create(new(content.clone())).await.unwrap();
            assert_eq!(made.content.flagged_unsafe, Some(true), "{content:?}");
            let edited = replaced(&fixture, content.clone()).await;
            assert_eq!(edited.flagged_unsafe, Some(true), "{content:?}");

            let fixture = fixture_with(GOOD, None).await;
            let patched = fixture.patch(|it| *it = leading(&content)).await;
            let patched = patched.unwrap().content;
            assert_eq!(patched.flagged_unsafe, Some(true), "{content:?}");
        }
    }

    #[tokio::test]
    async fn an_import_is_screened_at_once_unless_it_says_what_is_safe() {
        let fixture = fixture_with(GOOD, None).await;
        let [apple, google, abroad, ..] = bad_for_some();
        let mut decided = apple.clone();
        decided.flagged_unsafe = Some(false);
        let all = [apple, google, abroad, decided, content(GOOD, None)];
        let batch = (0..).zip(all).map(|(number, content)| ImportLink {
            slug: Some(slug(&format!("l{number}"))),
            content,
            ..ImportLink::leading_to(destination(GOOD))
        });
        let imported = fixture.links.import(batch.collect()).await.unwrap();
        let flags = imported.iter().map(|one| one.link.content.flagged_unsafe);
        let flags: Vec<_> = flags.collect();
        let warned = Some(true);
        assert_eq!(flags, [warned, warned, warned, Some(false), None]);
        assert_eq!(fixture.screen.asked().len(), 2, "each destination once");
    }

    #[tokio::test]
    async fn a_replaced_link_keeps_its_warning_until_the_screen_clears_where_it_leads() {
        for (from, to, said, kept, lookups) in [
            (BAD, GOOD, None, None, 1),
            (BAD, BAD, None, Some(true), 0),
            (GOOD, BAD, Some(false), Some(false), 0),
            (BAD, BAD, Some(false), Some(false), 0),
        ] {
            let fixture = fixture_with(from, Some(true)).await;
            let edited = replaced(&fixture, content(to, said)).await;
            assert_eq!(edited.flagged_unsafe, kept, "{from} {to} {said:?}");
            let asked = fixture.screen.asked().len();
            assert_eq!(asked, lookups, "{from} {to} {said:?}");
        }
        let fixture = fixture_with(GOOD, None).await;
        let edited = replaced(&fixture, content(BAD, None)).await;
        assert_eq!(edited.flagged_unsafe, Some(true));
        fixture.screen.break_down();
        // A screen that says nothing clears nothing.
        let edited = replaced(&fixture, content(GOOD, None)).await;
        assert_eq!(edited.flagged_unsafe, Some(true));
    }

    #[tokio::test]
    async fn a_patch_screens_new_destinations_and_keeps_a_flag() {
        for (flagged, to, change, kept, lookups) in [
            (None, Some(BAD), Change::Keep, Some(true), 1),
            (Some(false), Some(BAD), Change::Keep, Some(true), 1),
            (Some(true), Some(ELSEWHERE), Change::Keep, Some(true), 1),
            (None, Some(BAD), Change::Clear, None, 0),
            (None, Some(BAD), Change::Set(false), Some(false), 0),
            (None, Some(GOOD), Change::Keep, None, 0),
            (None, None, Change::Keep, None, 0),
        ] {
            let fixture = fixture_with(GOOD, flagged).await;
            let patch = LinkPatch {
                destination: to.map(destination),
                flagged_unsafe: change.clone(),
                ..LinkPatch::default()
            };
            let patched = fixture.patch(|it| *it = patch).await.unwrap().content;
            assert_eq!(patched.flagged_unsafe, kept, "{to:?} {change:?}");
            assert_eq!(fixture.screen.asked().len(), lookups, "{to:?} {change:?}");
        }
    }
}
