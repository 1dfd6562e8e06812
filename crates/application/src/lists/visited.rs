//! Lists links by visits, page by page.

use std::{
    cmp::{Ordering, Reverse},
    collections::{HashMap, HashSet},
};

use slugline_domain::{
    Choice, Dimension, Link, LinkFilter, LinkKey, LinkOrder, MetricRow, MetricsQuery,
    MetricsReport, PageSize, Position, RowLimit, SamplingNote, UnixSeconds, VisitFilter,
};

use crate::{
    error::Error,
    links::{LinkPage, LinkReader, LinkService, ListLinks},
    stats::{StatsReader, TaggedQuery},
};

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
pub(super) const FIRST: i64 = 2_000;

pub(super) const THIRTY_DAYS: i64 = 30 * 24 * 60 * 60;

/// The links and the statistics that one caller sees.
pub(super) struct CallersLists {
    pub(super) links: LinkReader,
    pub(super) stats: StatsReader,
}

impl CallersLists {
    /// Returns one page of links, most visits first. Visits recorded between two pages
    /// fall after the range and move no link.
    pub(super) async fn page(&self, request: ListVisited) -> Result<VisitedPage, Error> {
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
            let filter = LinkFilter {
                keys: Some(keys.collect::<Vec<_>>()),
                ..request.filter.clone()
            };
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
        self.links.now().second()
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
        let query = MetricsQuery {
            filter: VisitFilter {
                from: range.from,
                until: Some(range.until),
                values: slugs.into_iter().collect(),
                ..VisitFilter::default()
            },
            dimension: Dimension::Slug,
            limit,
            visitors: false,
        };
        let tags = Choice::default();
        let (_, report) = self.stats.ranking(TaggedQuery { query, tags }).await?;
        Ok(report)
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
        let (a, b) = (&self.link, &other.link);
        other
            .visits
            .cmp(&self.visits)
            .then_with(|| match self.visits {
                0 => LinkOrder::Newest.compare(a, b),
                // As the log orders its rows.
                _ => a.key.to_string().cmp(&b.key.to_string()),
            })
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
        let next = size.cut(&mut links, |link| link.position(range));
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
