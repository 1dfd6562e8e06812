//! Lists links in an order of the link store, or by their visits, which the access log
//! counts.

use std::{
    cmp::{Ordering, Reverse},
    collections::{HashMap, HashSet},
};

use slugline_domain::{
    Choice, Dimension, Link, LinkFilter, LinkKey, LinkOrder, MetricRow, MetricsQuery,
    MetricsReport, PageSize, Position, RowLimit, SamplingNote, Scope, UnixSeconds, VisitFilter,
};

use super::{LinkPage, LinkReader, LinkService, ListLinks};
use crate::{Caller, Error, StatsReader, StatsService, TaggedQuery};

/// Lists links in any order.
#[derive(Clone, Debug)]
pub struct LinkLists {
    links: LinkService,
    stats: StatsService,
}

/// A request for a page, by order.
#[derive(Clone, Debug)]
pub enum ListRequest {
    /// In an order of the link store.
    Stored(ListLinks),
    /// Most visits first.
    Visited(ListVisited),
}

/// A page of either listing.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum ListedPage {
    /// In an order of the link store.
    Stored(LinkPage),
    /// Most visits first.
    Visited(VisitedPage),
}

impl ListedPage {
    /// The links of the page, in order.
    pub fn links(&self) -> impl Iterator<Item = &Link> {
        let (stored, visited): (&[Link], &[VisitedLink]) = match self {
            Self::Stored(page) => (&page.links, &[]),
            Self::Visited(page) => (&[], &page.links),
        };
        stored
            .iter()
            .chain(visited.iter().map(|visited| &visited.link))
    }
}

/// A request for a page of links by visits.
#[derive(Clone, Debug, Default)]
pub struct ListVisited {
    /// Links on the page, at most.
    pub size: PageSize,
    /// Only links that meet this.
    pub filter: LinkFilter,
    /// The start of the range in which visits are counted.
    pub start: RangeStart,
    /// The last second of the range, inclusive; the present if it is later or absent.
    pub until: Option<UnixSeconds>,
    /// Only links after this position. Its range replaces the one above.
    pub after: Option<VisitedPosition>,
}

/// The start of a time range.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum RangeStart {
    /// Thirty days before its end.
    #[default]
    ThirtyDays,
    /// No start: everything until the end.
    Ever,
    /// The start of this second.
    At(UnixSeconds),
}

/// The seconds in which visits count, inclusive.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct VisitRange {
    /// The first second; `None` if there is no start.
    pub from: Option<UnixSeconds>,
    /// The last second.
    pub until: UnixSeconds,
}

/// The position after a link in a listing by visits. Links are ordered by visits, most
/// first; links with the same number are ordered by the text of their key. Links without visits come last,
/// the newest first.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct VisitedPosition {
    /// The visits of the last link on the page.
    pub visits: u64,
    /// The last link on the page.
    pub link: Position,
    /// The range, which all pages share.
    pub range: VisitRange,
}

/// Some links by visits, and where the next page starts.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct VisitedPage {
    /// The links in order.
    pub links: Vec<VisitedLink>,
    /// The position to continue from; `None` on the last page.
    pub next: Option<VisitedPosition>,
    /// The range in which visits were counted.
    pub range: VisitRange,
    /// `true` if the visits of every link are known. Otherwise too many slugs were
    /// visited, and links after the first 100,000 are ordered as if they had no visits.
    pub complete: bool,
    /// The accuracy of the visits, and of the order with them.
    pub sampling: SamplingNote,
}

/// A link and its visits.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct VisitedLink {
    /// The link.
    pub link: Link,
    /// Visits of its key in the range; `None` if they are not known.
    pub visits: Option<u64>,
}

/// The most links that are sorted as a whole. With more, each page is built from the
/// links that the log returns first.
const FEW: i64 = 500;

/// The most bytes that the slugs of these links may take in a query to the log.
const FEW_BYTES: usize = 64 << 10;

/// The number of slugs in the first query to the log, enough for nearly every page.
const FIRST: i64 = 2_000;

const THIRTY_DAYS: i64 = 30 * 24 * 60 * 60;

impl LinkLists {
    /// Lists these links.
    pub fn new(links: LinkService, stats: StatsService) -> Self {
        Self { links, stats }
    }

    /// Returns one page of links.
    ///
    /// # Errors
    /// The link store failed, or the access log, if the order needs it.
    pub async fn list(&self, caller: &Caller, request: ListRequest) -> Result<ListedPage, Error> {
        let lists = CallersLists {
            links: self.links.seen_by(caller),
            stats: self.stats.seen_by(caller),
        };
        Ok(match request {
            ListRequest::Stored(mut request) => {
                lists.spell(&mut request.filter);
                ListedPage::Stored(lists.links.list(request).await?)
            }
            ListRequest::Visited(mut request) => {
                caller.may(Scope::AnalyticsRead)?;
                lists.spell(&mut request.filter);
                ListedPage::Visited(lists.by_visits(request).await?)
            }
        })
    }
}

/// The links and the statistics that one caller sees.
struct CallersLists {
    links: LinkReader,
    stats: StatsReader,
}

impl CallersLists {
    /// Links are also listed under the spelling that visitors meet.
    fn spell(&self, filter: &mut LinkFilter) {
        let domains = self.links.domains();
        if let Some(keys) = &mut filter.keys {
            let canonical = keys.iter().map(|key| domains.canonical(key).into_owned());
            let both: HashSet<LinkKey> = canonical.chain(keys.iter().cloned()).collect();
            *keys = both.into_iter().collect();
        }
    }

    /// Returns one page of links, most visits first. Visits recorded between two pages
    /// fall after the range and move no link.
    async fn by_visits(&self, request: ListVisited) -> Result<VisitedPage, Error> {
        self.links.permit(LinkService::LIST)?;
        let range = match &request.after {
            Some(position) => position.range,
            None => VisitRange::new(request.start, request.until, self.now()),
        };
        let few = self.stored(&request.filter, None).await?;
        let texts = few.links.iter().map(|link| link.key.to_string().len());
        let bytes: usize = texts.sum();
        if few.next.is_none() && bytes <= FEW_BYTES {
            self.page_of_few(few.links, &request, range).await
        } else {
            self.page_of_many(&request, range).await
        }
    }

    /// Returns a page when all links fit in memory, so the log is asked for only these
    /// links.
    async fn page_of_few(
        &self,
        links: Vec<Link>,
        request: &ListVisited,
        range: VisitRange,
    ) -> Result<VisitedPage, Error> {
        let (visits, sampling) = if links.is_empty() {
            (HashMap::new(), NOTHING_COUNTED)
        } else {
            let slugs = links.iter().map(|link| link.key.to_string()).collect();
            let report = self.ranking(range, Some(slugs), RowLimit::MAX).await?;
            let counted = report.rows.into_iter().map(|row| (row.name, row.count));
            (counted.collect(), report.sampling)
        };
        let visits_of = |link: &Link| visits.get(&link.key.to_string()).copied().unwrap_or(0);
        let mut links: Vec<VisitedLink> = links
            .into_iter()
            .map(|link| VisitedLink {
                visits: Some(visits_of(&link)),
                link,
            })
            .collect();
        links.sort_by(|a, b| a.position(range).order(&b.position(range)));
        if let Some(after) = &request.after {
            links.retain(|link| link.position(range).order(after).is_gt());
        }
        Ok(VisitedPage::of(links, request.size, range, true, sampling))
    }

    /// Returns a page for any number of links: first the links that the log returns, by
    /// visits, then the others in the order of the link store.
    async fn page_of_many(
        &self,
        request: &ListVisited,
        range: VisitRange,
    ) -> Result<VisitedPage, Error> {
        let wanted = usize::from(request.size.get()) + 1;
        let limit = match &request.after {
            // The page must know every link that it must not show.
            Some(position) if position.visits == 0 => RowLimit::MAX,
            Some(_) | None => RowLimit::new(FIRST, RowLimit::MAX).expect("fewer than there can be"),
        };
        let mut report = self.ranking(range, None, limit).await?;
        let mut links = self.ranked(request, &report, wanted).await?;
        if links.len() < wanted && report.rows_before_limit > number(report.rows.len()) {
            report = self.ranking(range, None, RowLimit::MAX).await?;
            links = self.ranked(request, &report, wanted).await?;
        }
        let complete = report.rows_before_limit <= u64::from(RowLimit::MAX.get());
        if links.len() < wanted {
            let visits = complete.then_some(0);
            let rest = self.unranked(request, &report, wanted - links.len());
            let rest = rest.await?.into_iter();
            links.extend(rest.map(|link| VisitedLink { link, visits }));
        }
        let (size, sampling) = (request.size, report.sampling);
        Ok(VisitedPage::of(links, size, range, complete, sampling))
    }

    /// The first `wanted` links after the request's position that the log returns.
    async fn ranked(
        &self,
        request: &ListVisited,
        report: &MetricsReport,
        wanted: usize,
    ) -> Result<Vec<VisitedLink>, Error> {
        let last = request.after.as_ref();
        let last = last.map(|after| (Reverse(after.visits), after.link.key.to_string()));
        let start = report.rows.partition_point(|row| {
            last.as_ref().is_some_and(|(visits, key)| {
                (Reverse(row.count), row.name.as_str()) <= (*visits, key.as_str())
            })
        });
        let asked_for: Option<HashSet<&LinkKey>> = request
            .filter
            .keys
            .as_ref()
            .map(|keys| keys.iter().collect());
        let mut links = Vec::new();
        let rows = report.rows.get(start..).unwrap_or_default();
        for rows in rows.chunks(usize::try_from(FEW).unwrap_or(usize::MAX)) {
            let parsed = rows.iter().filter_map(|row| LinkKey::parse(&row.name).ok());
            let keys = parsed.filter(|key| {
                let asked_for = asked_for.as_ref();
                asked_for.is_none_or(|asked_for| asked_for.contains(key))
            });
            let filter = request.filter.clone().with_keys(keys.collect::<Vec<_>>());
            let found = self.stored(&filter, None).await?.links.into_iter();
            let mut found: HashMap<String, Link> =
                found.map(|link| (link.key.to_string(), link)).collect();
            for MetricRow { name, count, .. } in rows {
                if let Some(link) = found.remove(name) {
                    links.push(VisitedLink {
                        link,
                        visits: Some(*count),
                    });
                }
            }
            if links.len() >= wanted {
                break;
            }
        }
        links.truncate(wanted);
        Ok(links)
    }

    /// The first `wanted` links after the request's position that the log does not
    /// return.
    async fn unranked(
        &self,
        request: &ListVisited,
        report: &MetricsReport,
        wanted: usize,
    ) -> Result<Vec<Link>, Error> {
        let ranked: HashSet<&str> = report.rows.iter().map(|row| row.name.as_str()).collect();
        let after = request
            .after
            .as_ref()
            .filter(|position| position.visits == 0);
        let mut after = after.map(|position| position.link.clone());
        let mut links = Vec::new();
        loop {
            let page = self.stored(&request.filter, after).await?;
            let others = page.links.into_iter();
            links.extend(others.filter(|link| !ranked.contains(link.key.to_string().as_str())));
            after = page.next;
            if links.len() >= wanted || after.is_none() {
                links.truncate(wanted);
                return Ok(links);
            }
        }
    }

    fn now(&self) -> UnixSeconds {
        self.links.parts.clock.now().second()
    }

    /// Links by age, the newest first.
    async fn stored(
        &self,
        filter: &LinkFilter,
        after: Option<Position>,
    ) -> Result<LinkPage, Error> {
        let request = ListLinks {
            size: PageSize::new(FEW).expect("fewer links than on the largest page"),
            order: LinkOrder::Newest,
            filter: filter.clone(),
            after,
        };
        self.links.list(request).await
    }

    /// The most visited slugs, of these or of all.
    async fn ranking(
        &self,
        range: VisitRange,
        slugs: Option<Vec<String>>,
        limit: RowLimit,
    ) -> Result<MetricsReport, Error> {
        let slugs = slugs.map(|slugs| (Dimension::Slug, Choice::any_of(slugs)));
        let query = MetricsQuery::new(
            VisitFilter::default()
                .with_from(range.from)
                .with_until(range.until)
                .with_values(slugs.into_iter().collect()),
            Dimension::Slug,
            limit,
        );
        let tags = Choice::default();
        self.stats.ranking(TaggedQuery { query, tags }).await
    }
}

/// The sampling note of a page without links.
const NOTHING_COUNTED: SamplingNote = SamplingNote::EXACT;

impl VisitRange {
    /// The start, as a request would give it.
    pub fn start(self) -> RangeStart {
        self.from.map_or(RangeStart::Ever, RangeStart::At)
    }

    fn new(start: RangeStart, until: Option<UnixSeconds>, now: UnixSeconds) -> Self {
        let until = until.map_or(now, |until| until.min(now));
        let from = match start {
            RangeStart::ThirtyDays => UnixSeconds::new(until.get() - THIRTY_DAYS).ok(),
            RangeStart::Ever => None,
            RangeStart::At(second) => Some(second),
        };
        Self { from, until }
    }
}

impl VisitedLink {
    fn position(&self, range: VisitRange) -> VisitedPosition {
        VisitedPosition {
            visits: self.visits.unwrap_or(0),
            link: Position::after(&self.link),
            range,
        }
    }
}

impl VisitedPosition {
    fn order(&self, other: &Self) -> Ordering {
        let age =
            |position: &Self| (position.visits == 0).then_some(Reverse(position.link.created_at));
        let key = |position: &'_ Self| (Reverse(position.visits), age(position));
        // As the log orders its rows.
        let by_text = || self.link.key.to_string().cmp(&other.link.key.to_string());
        key(self).cmp(&key(other)).then_with(by_text)
    }
}

impl VisitedPage {
    /// Returns a page of the first of these links.
    fn of(
        mut links: Vec<VisitedLink>,
        size: PageSize,
        range: VisitRange,
        complete: bool,
        sampling: SamplingNote,
    ) -> Self {
        let size = usize::from(size.get());
        let more = links.len() > size;
        links.truncate(size);
        let next = links
            .last()
            .filter(|_| more)
            .map(|link| link.position(range));
        Self {
            links,
            next,
            range,
            complete,
            sampling,
        }
    }
}

fn number(count: usize) -> u64 {
    u64::try_from(count).unwrap_or(u64::MAX)
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use slugline_domain::{StatusFilter, ports::LinkStore};
    use slugline_testkit::{CountedVisits, NOON, NOTE, key, link, noted, seconds, tag};

    use super::*;
    use crate::links::fixture::{Fixture, fixture};

    struct Lists {
        fixture: Fixture,
        log: Arc<CountedVisits>,
        service: LinkLists,
    }

    impl Lists {
        async fn of(links: &[Link]) -> Self {
            let fixture = fixture();
            fixture.store.insert_many(links, &NOTE).await.unwrap();
            let log = Arc::<CountedVisits>::default();
            let stats = StatsService::new(
                log.clone(),
                LinkService::clone(&fixture.links),
                fixture.clock.clone(),
            );
            let service = LinkLists::new(LinkService::clone(&fixture.links), stats);
            Self {
                fixture,
                log,
                service,
            }
        }

        async fn page(&self, request: &ListVisited) -> Result<VisitedPage, Error> {
            match self
                .service
                .list(&Caller::Site, ListRequest::Visited(request.clone()))
                .await?
            {
                ListedPage::Visited(page) => Ok(page),
                ListedPage::Stored(page) => panic!("{page:?}"),
            }
        }

        /// Returns all pages of so many links: slugs and visits.
        async fn pages(&self, size: i64, request: &ListVisited) -> Vec<(String, Option<u64>)> {
            let mut request = ListVisited {
                size: PageSize::new(size).unwrap(),
                ..request.clone()
            };
            let mut all = Vec::new();
            loop {
                let page = self.page(&request).await.unwrap();
                assert!(page.complete);
                let full = page.links.len() == usize::from(request.size.get());
                assert!(full || page.next.is_none());
                let rows = page.links.into_iter();
                all.extend(rows.map(|row| (row.link.key.slug.to_string(), row.visits)));
                request.after = page.next;
                if request.after.is_none() {
                    return all;
                }
            }
        }
    }

    fn shown(rows: &[(&str, u64)]) -> Vec<(String, Option<u64>)> {
        let rows = rows.iter();
        rows.map(|(slug, visits)| ((*slug).to_owned(), Some(*visits)))
            .collect()
    }

    fn all() -> ListVisited {
        ListVisited {
            filter: LinkFilter::default().with_status(StatusFilter::All),
            ..ListVisited::default()
        }
    }

    #[tokio::test]
    async fn most_visited_come_first_and_links_without_visits_last_newest_first() {
        let lists = Lists::of(&[
            link("old").created(-9).build(),
            link("b").tags(&["t"]).build(),
            link("a").build(),
            link("new").created(-1).tags(&["t"]).build(),
            link("top").expires(-1).build(),
            link("newer").created(-1).build(),
        ])
        .await;
        for (slug, rows) in [("b", 2), ("a", 2), ("top", 3), ("deleted", 9)] {
            lists.log.record(seconds(-5), slug, rows, 1);
        }
        lists.log.record(seconds(-THIRTY_DAYS - 1), "old", 50, 1);
        lists.log.record(seconds(1), "new", 50, 1);
        for size in 1..=7 {
            let rows = lists.pages(size, &all()).await;
            let expected = [
                ("top", 3),
                ("a", 2),
                ("b", 2),
                ("new", 0),
                ("newer", 0),
                ("old", 0),
            ];
            assert_eq!(rows, shown(&expected), "by {size}");
        }
        let tagged = ListVisited {
            filter: LinkFilter::default().with_tag(tag("t")),
            ..ListVisited::default()
        };
        assert_eq!(
            lists.pages(1, &tagged).await,
            shown(&[("b", 2), ("new", 0)])
        );
        let named = ListVisited {
            filter: LinkFilter::default().with_keys(vec![key("OLD"), key("a"), key("unknown")]),
            start: RangeStart::Ever,
            ..ListVisited::default()
        };
        assert_eq!(
            lists.pages(5, &named).await,
            shown(&[("old", 50), ("a", 2)])
        );
    }

    /// Makes enough links that the log is asked for the most visited of all links.
    async fn many(visited: usize, unvisited: usize) -> (Lists, Vec<(String, Option<u64>)>) {
        let visited = (0..visited).map(|number| format!("v{number:05}"));
        let unvisited = (0..unvisited).map(|number| format!("u{number:05}"));
        let slugs: Vec<String> = visited.clone().chain(unvisited).collect();
        let odd = |slug: &String| slug.ends_with(['1', '3', '5', '7', '9']);
        let links: Vec<Link> = slugs
            .iter()
            .map(|slug| {
                let made = link(slug).created(-5);
                (if odd(slug) { made.tags(&["odd"]) } else { made }).build()
            })
            .collect();
        let lists = Lists::of(&links).await;
        let mut expected = Vec::new();
        for (number, slug) in visited.enumerate() {
            let visits = u64::from(number % 7 == 0) + 1;
            lists
                .log
                .record(NOON, &slug, 1, u32::try_from(visits).unwrap());
            // Deleted links still take part among the visited slugs.
            lists.log.record(NOON, &format!("w{number}"), 1, 1);
            expected.push((slug, Some(visits)));
        }
        expected.sort_by_key(|(slug, visits)| (Reverse(*visits), slug.clone()));
        let rest = slugs.into_iter().filter(|slug| slug.starts_with('u'));
        expected.extend(rest.map(|slug| (slug, Some(0))));
        (lists, expected)
    }

    #[tokio::test]
    async fn pages_of_many_links_have_no_gaps_and_cost_few_questions() {
        let (lists, expected) = many(1_300, 700).await;
        assert_eq!(lists.pages(30, &all()).await, expected);
        lists.log.take_questions();
        let first = lists.page(&all()).await.unwrap();
        let questions = lists.log.take_questions();
        assert_eq!(questions.len(), 1);
        assert_eq!(i64::from(questions[0].limit.get()), FIRST);
        assert!(!first.sampling.exact(), "rows stand for two visits");

        let request = ListVisited {
            filter: all().filter.with_tag(tag("odd")),
            ..all()
        };
        let odd = |slug: &str| slug.ends_with(['1', '3', '5', '7', '9']);
        let rows = lists.pages(999, &request).await;
        let expected: Vec<_> = expected.into_iter().filter(|(slug, _)| odd(slug)).collect();
        assert_eq!(rows, expected);
        assert!(lists.log.take_questions().len() <= 4);
    }

    #[tokio::test]
    async fn visits_and_clocks_that_go_on_do_not_shift_a_later_page() {
        let (lists, expected) = many(600, 10).await;
        let mut request = all();
        let first = lists.page(&request).await.unwrap();
        lists.fixture.clock.advance_seconds(100);
        lists.log.record(seconds(50), "u00000", 1_000, 1);
        lists
            .fixture
            .store
            .delete(&key("v00007"), &NOTE)
            .await
            .unwrap();
        let new = link("new").created(60).build();
        lists
            .fixture
            .store
            .insert(&new, &noted(seconds(60)))
            .await
            .unwrap();
        request.after = first.next;
        let second = lists.page(&request).await.unwrap();
        assert_eq!(second.range, first.range);
        let slugs = second.links.iter().map(|row| row.link.key.slug.to_string());
        let expected = expected[20..40].iter().map(|(slug, _)| slug.clone());
        assert_eq!(slugs.collect::<Vec<_>>(), expected.collect::<Vec<_>>());
    }

    #[tokio::test]
    async fn when_more_slugs_were_visited_than_are_ranked_the_answer_says_so() {
        let made = |number: i64| link(&format!("z{number}")).created(number).build();
        let mut links: Vec<Link> = (0..600).map(made).collect();
        links.push(link("top").created(-9).build());
        let lists = Lists::of(&links).await;
        lists.log.record(NOON, "top", 2, 1);
        lists.log.record(NOON, "z0", 1, 1);
        for number in 0..RowLimit::MAX.get() {
            lists.log.record(NOON, &format!("x{number}"), 1, 1);
        }
        let mut request = ListVisited {
            size: PageSize::new(600).unwrap(),
            ..all()
        };
        let first = lists.page(&request).await.unwrap();
        assert!(!first.complete);
        let slugs_and_visits = |page: &VisitedPage| -> Vec<(String, Option<u64>)> {
            let rows = page.links.iter();
            rows.map(|row| (row.link.key.slug.to_string(), row.visits))
                .collect()
        };
        let rows = slugs_and_visits(&first);
        assert_eq!(rows[0], ("top".to_owned(), Some(2)));
        assert_eq!(rows[1], ("z599".to_owned(), None));
        request.after = first.next;
        let last = lists.page(&request).await.unwrap();
        assert_eq!(slugs_and_visits(&last), [("z0".to_owned(), None)]);

        // Few enough links that they are looked up by name.
        let filter = all().filter.with_keys(vec![key("z0"), key("z1")]);
        let few = ListVisited { filter, ..all() };
        let page = lists.page(&few).await.unwrap();
        let expected = [("z0".to_owned(), Some(1)), ("z1".to_owned(), Some(0))];
        assert_eq!(slugs_and_visits(&page), expected);
        assert!(page.complete);
    }

    #[tokio::test]
    async fn an_end_in_the_future_is_now_and_a_start_is_kept() {
        let lists = Lists::of(&[]).await;
        let range = async |start, until| {
            let request = ListVisited {
                start,
                until,
                ..all()
            };
            lists.page(&request).await.unwrap().range
        };
        let thirty_days_before = |until| VisitRange {
            from: Some(seconds(until - THIRTY_DAYS)),
            until: seconds(until),
        };
        let usual = RangeStart::ThirtyDays;
        assert_eq!(range(usual, None).await, thirty_days_before(0));
        assert_eq!(range(usual, Some(seconds(9))).await, thirty_days_before(0));
        assert_eq!(
            range(usual, Some(seconds(-9))).await,
            thirty_days_before(-9)
        );
        assert_eq!(range(RangeStart::Ever, None).await.from, None);
        let at = seconds(-1);
        assert_eq!(range(RangeStart::At(at), None).await.from, Some(at));
    }

    #[tokio::test]
    async fn a_log_that_fails_gives_no_other_order() {
        let lists = Lists::of(&[link("a").build()]).await;
        lists.log.break_down();
        assert!(matches!(lists.page(&all()).await, Err(Error::VisitLog(_))));
    }
}
