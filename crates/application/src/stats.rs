//! Queries to the access log.

use std::{collections::BTreeSet, future::Future, mem, pin::Pin, sync::Arc, time::Duration};

use slugline_domain::{
    AccessRows, Binding, Choice, CounterRow, CountersQuery, Derivation, Destinations, Dimension,
    DomainName, Event, EventsQuery, HeatmapQuery, LinkId, LinkKey, LocationRow, LocationsQuery,
    LogTrouble, MetricRow, MetricsQuery, MetricsReport, Report, Scope, Tag, TimeUnit, UnixMillis,
    UnixSeconds, ViewRow, ViewsQuery, VisitFilter, VisitRows, WeekSeconds, ZoneOffsets,
    ports::{Clock, VisitLog, VisitLogError},
};

use crate::{
    access::Access,
    budgets::{HeldRows, LogBudget},
    caller::Caller,
    error::Error,
    heatmap::{WeekQuery, WeekRow, seconds_of},
    links::{LinkReader, LinkService},
    named_domains::NamedDomains,
};

/// The answer of the log, while it is being made.
type Answering<'a, T> = Pin<Box<dyn Future<Output = Result<T, VisitLogError>> + Send + 'a>>;

/// Answers queries about visits. [`StatsService::seen_by`] gives them to a caller.
#[derive(Clone, Debug)]
pub struct StatsService {
    log: Arc<dyn VisitLog>,
    links: LinkService,
    clock: Arc<dyn Clock>,
    budget: Arc<LogBudget>,
}

/// Answers one caller's queries about visits of the links that the caller reaches, with the
/// destinations that the caller sees. Each fails if the access log cannot be read, or if the
/// answer would take too long. A query that names tags also fails if links cannot be
/// read, if they still have to be moved here, or if the tags have more links than a query
/// can name.
#[derive(Clone, Debug)]
pub struct StatsReader {
    log: Arc<dyn VisitLog>,
    links: LinkReader,
    clock: Arc<dyn Clock>,
    budget: Arc<LogBudget>,
    caller: Caller,
    /// The destinations that the caller sees.
    destinations: Destinations,
}

/// A query as clients send it. Tags belong to links, which the access log does not know,
/// so they are not part of the query to it.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct TaggedQuery<Q> {
    /// The query to the access log.
    pub query: Q,
    /// Only visits of links that have these tags today. Visits of deleted links have no
    /// tag.
    pub tags: Choice<Tag>,
}

impl<Q> TaggedQuery<Q> {
    /// Keeps the tags and replaces the query by one made from it.
    pub fn map<R>(self, change: impl FnOnce(Q) -> R) -> TaggedQuery<R> {
        TaggedQuery {
            query: change(self.query),
            tags: self.tags,
        }
    }
}

/// A query to the access log, which covers the visits of a filter.
trait Filtered {
    fn filter(&mut self) -> &mut VisitFilter;
}

impl Filtered for VisitFilter {
    fn filter(&mut self) -> &mut VisitFilter {
        self
    }
}

macro_rules! filtered {
    ($($Query:ty),+) => {$(
        impl Filtered for $Query {
            fn filter(&mut self) -> &mut VisitFilter {
                &mut self.filter
            }
        }
    )+};
}

filtered!(
    CountersQuery,
    ViewsQuery,
    HeatmapQuery,
    MetricsQuery,
    LocationsQuery,
    EventsQuery
);

/// The answer to a query, and what explains why it counts nothing.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Counted<R> {
    /// The answer.
    pub report: Report<R>,
    /// Slugs that the query includes and no link has, if nothing was counted. They may be
    /// mistyped.
    pub absent: Vec<String>,
    /// Values that the query includes and no visit can have, if nothing was counted.
    pub impossible: Vec<(Dimension, String)>,
}

/// Counters of every slug and destination, read in parts.
#[derive(Debug)]
pub struct AccessExport {
    /// The time at which the export began.
    pub exported_at: UnixMillis,
    /// The rows, most visits first.
    pub rows: Box<dyn AccessRows>,
}

/// Stored visits, read in parts.
#[derive(Debug)]
pub struct VisitExport {
    /// The time at which the export began.
    pub exported_at: UnixMillis,
    /// The visits, in the order of storage.
    pub rows: Box<dyn VisitRows>,
}

impl StatsService {
    /// The access rule of every query. Only adapters check it.
    pub const NEEDS: Access = Access::always(Scope::AnalyticsRead);

    /// The time limit of a question of a named token, with its wait for others of the token. The
    /// access log's own limit is the same.
    pub const LIMIT: Duration = Duration::from_secs(30);

    /// Creates the use cases on this log of visits, with these links for tags.
    pub fn new(log: Arc<dyn VisitLog>, links: LinkService, clock: Arc<dyn Clock>) -> Self {
        Self {
            log,
            links,
            clock,
            budget: Arc::new(LogBudget::new(Self::LIMIT)),
        }
    }

    /// Returns the queries about visits of this caller's links.
    pub fn seen_by(&self, caller: &Caller) -> StatsReader {
        StatsReader {
            log: Arc::clone(&self.log),
            links: self.links.seen_by(caller),
            clock: Arc::clone(&self.clock),
            budget: Arc::clone(&self.budget),
            caller: caller.clone(),
            destinations: match caller.may(Scope::LinksRead) {
                Ok(()) => Destinations::All,
                Err(_) => Destinations::Unprotected,
            },
        }
    }

    /// Returns the current problems of the access log.
    pub fn log_troubles(&self) -> Vec<LogTrouble> {
        self.log.troubles()
    }
}

impl StatsReader {
    /// Returns counters: one row for all visits, or one row per link if the filter names
    /// links to include.
    ///
    /// # Errors
    /// There is no answer.
    pub async fn counters(
        &self,
        asked: TaggedQuery<VisitFilter>,
    ) -> Result<Counted<CounterRow>, Error> {
        let per_link = matches!(asked.query.links, Choice::AnyOf(_));
        let asked = asked.map(|filter| CountersQuery { filter, per_link });
        let answer = self.answer("count visits", asked, |log, query| log.counters(query));
        let (query, report) = answer.await?;
        let nothing = report.rows.iter().all(|row| row.counters.visits == 0);
        Ok(self.counted(report, &query.filter, nothing).await)
    }

    /// Returns visits over time.
    ///
    /// # Errors
    /// There is no answer.
    pub async fn views(&self, asked: TaggedQuery<ViewsQuery>) -> Result<Counted<ViewRow>, Error> {
        let answer = self.answer("count visits over time", asked, |log, query| {
            log.views(query)
        });
        let (query, report) = answer.await?;
        Ok(self.listed(report, &query.filter).await)
    }

    /// Returns visits by hour of the week.
    ///
    /// # Errors
    /// There is no answer.
    pub async fn heatmap(&self, asked: TaggedQuery<WeekQuery>) -> Result<Counted<WeekRow>, Error> {
        let average = asked.query.average;
        let asked = asked.map(|query| query.heatmap);
        let action = "count visits by hour of the week";
        let answer = self.answer(action, asked, |log, query| log.heatmap(query));
        let (query, report) = answer.await?;
        let counted = if average && !report.rows.is_empty() {
            Some(self.week_seconds(&query).await?)
        } else {
            None
        };
        let report = report.map(|row| WeekRow {
            row,
            seconds: counted.as_ref().map(|counted| counted.of(row.hour)),
        });
        Ok(self.listed(report, &query.filter).await)
    }

    /// Returns the most frequent values of a dimension.
    ///
    /// # Errors
    /// There is no answer.
    pub async fn metrics(
        &self,
        asked: TaggedQuery<MetricsQuery>,
    ) -> Result<Counted<MetricRow>, Error> {
        let (query, report) = self.ranking(asked).await?;
        Ok(self.listed(report, &query.filter).await)
    }

    /// Returns the most frequent values of a dimension, for a query that a person did not type.
    ///
    /// # Errors
    /// There is no answer.
    pub(crate) async fn ranking(
        &self,
        asked: TaggedQuery<MetricsQuery>,
    ) -> Result<(MetricsQuery, MetricsReport), Error> {
        let action = "find the most frequent values";
        let answer = self.answer(action, asked, |log, query| log.metrics(query));
        answer.await
    }

    /// Returns the most frequent places.
    ///
    /// # Errors
    /// There is no answer.
    pub async fn locations(
        &self,
        asked: TaggedQuery<LocationsQuery>,
    ) -> Result<Counted<LocationRow>, Error> {
        let action = "find the most frequent places";
        let answer = self.answer(action, asked, |log, query| log.locations(query));
        let (query, report) = answer.await?;
        Ok(self.listed(report, &query.filter).await)
    }

    /// Returns the latest visits.
    ///
    /// # Errors
    /// There is no answer.
    pub async fn events(&self, asked: TaggedQuery<EventsQuery>) -> Result<Vec<Event>, Error> {
        let answer = self.answer("find the latest visits", asked, |log, query| {
            log.events(query)
        });
        let (_, events) = answer.await?;
        Ok(events)
    }

    /// Returns counters of every slug and destination, to be read in parts.
    ///
    /// # Errors
    /// There is no answer.
    pub async fn access(&self, asked: TaggedQuery<VisitFilter>) -> Result<AccessExport, Error> {
        let held = self.budget.export(&self.caller)?;
        let exported_at = self.clock.now();
        let answer = self.answer("export visits by link", asked, |log, query| {
            log.access(query)
        });
        let (_, rows) = answer.await?;
        Ok(AccessExport {
            exported_at,
            rows: Box::new(HeldRows::new(rows, held)),
        })
    }

    /// Returns the visits themselves, to be read in parts.
    ///
    /// # Errors
    /// There is no answer.
    pub async fn visits(&self, asked: TaggedQuery<VisitFilter>) -> Result<VisitExport, Error> {
        let held = self.budget.export(&self.caller)?;
        let exported_at = self.clock.now();
        let answer = self.answer("export visits", asked, |log, query| log.visits(query));
        let (_, rows) = answer.await?;
        Ok(VisitExport {
            exported_at,
            rows: Box::new(HeldRows::new(rows, held)),
        })
    }

    /// Returns the filter for visits that are still to come, with tags and the caller's reach
    /// replaced by the links that they mean now.
    ///
    /// # Errors
    /// Links cannot be read, still have to be moved here, or are too many.
    pub async fn filter(&self, asked: TaggedQuery<VisitFilter>) -> Result<VisitFilter, Error> {
        let TaggedQuery { mut query, tags } = asked;
        self.narrow(&mut query, tags).await?;
        Ok(query)
    }

    /// Narrows the filter of a query to what the caller reaches, and asks the log. Returns the query
    /// as it was asked, and the answer.
    async fn answer<Q: Filtered, T>(
        &self,
        action: &'static str,
        asked: TaggedQuery<Q>,
        question: impl for<'a> FnOnce(&'a dyn VisitLog, &'a Q) -> Answering<'a, T>,
    ) -> Result<(Q, T), Error> {
        let TaggedQuery { mut query, tags } = asked;
        self.narrow(query.filter(), tags).await?;
        let question = question(&*self.log, &query);
        let answer = self.budget.ask(&self.caller, action, question).await?;
        Ok((query, answer))
    }

    /// Counts how much of the time of a query is in each hour of the week.
    async fn week_seconds(&self, query: &HeatmapQuery) -> Result<WeekSeconds, Error> {
        let now = self.clock.now().second();
        let first_visit = match query.filter.from {
            Some(from) => from,
            None => self.first_visit(&query.filter).await?.unwrap_or(now),
        };
        Ok(seconds_of(query, first_visit, now))
    }

    /// The beginning of the hour of the first visit.
    async fn first_visit(&self, filter: &VisitFilter) -> Result<Option<UnixSeconds>, Error> {
        let query = ViewsQuery {
            filter: filter.clone(),
            unit: TimeUnit::Hour,
            zone: ZoneOffsets::default(),
        };
        let (action, views) = ("find the first visit", self.log.views(&query));
        let report = self.budget.ask(&self.caller, action, views).await?;
        let first = report.rows.first();
        Ok(first.and_then(|row| UnixSeconds::new(row.start.get()).ok()))
    }

    /// A list, which counts nothing if it has no row.
    async fn listed<R>(&self, report: Report<R>, filter: &VisitFilter) -> Counted<R> {
        let nothing = report.rows.is_empty();
        self.counted(report, filter, nothing).await
    }

    async fn counted<R>(
        &self,
        report: Report<R>,
        filter: &VisitFilter,
        nothing: bool,
    ) -> Counted<R> {
        let (absent, impossible) = if nothing {
            (self.absent(filter).await, impossible(filter))
        } else {
            (Vec::new(), Vec::new())
        };
        Counted {
            report,
            absent,
            impossible,
        }
    }

    /// Returns slugs that a filter includes and no link has. The answer does not depend on
    /// links, so there are none if links cannot be read.
    async fn absent(&self, filter: &VisitFilter) -> Vec<String> {
        let mut absent = Vec::new();
        for text in included_slugs(filter, self.links.domains()) {
            let found = match LinkKey::parse(text) {
                Ok(key) => self.links.get(&key).await.map(drop),
                Err(_) => Err(Error::LinkNotFound(text.clone())),
            };
            match found {
                Ok(()) => {}
                Err(Error::LinkNotFound(_)) => absent.push(text.clone()),
                Err(_) => return Vec::new(),
            }
        }
        absent
    }

    /// Adds the conditions that links have these tags and that the caller reaches them, and says
    /// which destinations the caller sees.
    async fn narrow(&self, filter: &mut VisitFilter, tags: Choice<Tag>) -> Result<(), Error> {
        filter.destinations = self.destinations;
        name_keys(&mut filter.values, self.links.domains());
        let binding = self.links.reach().binding();
        let names = binding.map(Binding::domains);
        if let Some(names) = names.filter(|names| !names.is_empty()) {
            let names = Choice::any_of(names.iter().map(DomainName::to_string));
            filter.values.push((Dimension::Domain, names));
        }
        if let Some(links) = self.reached().await? {
            filter.links = mem::take(&mut filter.links).and(Choice::AnyOf(links));
        }
        if tags.is_everything() {
            return Ok(());
        }
        let links = match tags {
            Choice::AnyOf(tags) => Choice::AnyOf(self.links.tagged(&tags).await?),
            Choice::NoneOf(tags) => Choice::NoneOf(self.links.tagged(&tags).await?),
        };
        filter.links = mem::take(&mut filter.links).and(links);
        Ok(())
    }

    /// Returns whether [`StatsReader::filter`] may change by itself: the caller is bound to tags,
    /// and links get and lose tags.
    pub fn follows_tags(&self) -> bool {
        let binding = self.links.reach().binding();
        binding.is_some_and(|binding| !binding.tags().is_empty())
    }

    /// The links that the caller reaches now; `None` for every link of the domains that the caller
    /// reaches.
    async fn reached(&self) -> Result<Option<BTreeSet<LinkId>>, Error> {
        let Some(binding) = self.links.reach().binding() else {
            return Ok(None);
        };
        if binding.is_of_whole_domains() {
            return Ok(None);
        }
        let mut links = if binding.tags().is_empty() {
            BTreeSet::new()
        } else {
            self.links.tagged(binding.tags()).await?
        };
        // Deleted links have no tags, but they keep their identity and their visits.
        links.extend(binding.links().iter().cloned());
        Ok(Some(links))
    }
}

/// Writes the domains and slugs of a filter as visits have them. The default domain is the empty text,
/// also if the filter names its public host. A slug belongs to the default domain, unless its text has
/// a domain, or the filter names domains, too; it means every spelling of it by the domain's rule for
/// case. A text that names no host or no slug stays, such as a list, which is a candidate as a whole.
fn name_keys(values: &mut [(Dimension, Choice<String>)], domains: &NamedDomains) {
    rewrite(values, Dimension::Domain, |text| {
        let name = DomainName::parse(&text).map(|name| domains.recorded(name));
        vec![name.map_or(text, |name| name.to_string())]
    });
    let named = values.iter().find_map(|value| match value {
        (Dimension::Domain, Choice::AnyOf(hosts)) => Some(hosts.iter()),
        _ => None,
    });
    let named = named.map(|hosts| hosts.flat_map(|host| DomainName::parse(host)));
    let named: Option<Vec<DomainName>> = named.map(Iterator::collect);
    rewrite(values, Dimension::Slug, |text| {
        let Ok(LinkKey { domain, slug }) = LinkKey::parse(&text) else {
            return vec![text];
        };
        let of = match &named {
            Some(named) if domain.is_default() => named.clone(),
            Some(_) | None => vec![domain],
        };
        let keys = of
            .into_iter()
            .map(|domain| LinkKey::new(domain, slug.clone()));
        let spelled = keys.flat_map(|key| domains.spellings(key));
        spelled.map(|key| key.to_string()).collect()
    });
}

/// Replaces each text of a dimension by those that it means.
fn rewrite(
    values: &mut [(Dimension, Choice<String>)],
    of: Dimension,
    meant: impl Fn(String) -> Vec<String>,
) {
    for (_, choice) in values.iter_mut().filter(|value| value.0 == of) {
        let (Choice::AnyOf(texts) | Choice::NoneOf(texts)) = choice;
        *texts = mem::take(texts).into_iter().flat_map(&meant).collect();
    }
}

/// Returns some slugs that a filter includes, each as it was asked for.
fn included_slugs<'f>(filter: &'f VisitFilter, domains: &NamedDomains) -> Vec<&'f String> {
    /// The most slugs that a person may have typed.
    const MOST: usize = 20;
    let included = filter.values.iter().filter_map(|value| match value {
        (Dimension::Slug, Choice::AnyOf(slugs)) => Some(slugs),
        _ => None,
    });
    let included: Vec<&String> = included.flatten().collect();
    // [`name_keys`] added these.
    let added = included.iter().filter_map(|slug| {
        let key = LinkKey::parse(slug).ok()?;
        let canonical = domains.canonical(&key);
        (canonical.as_ref() != &key).then(|| canonical.to_string())
    });
    let added: BTreeSet<String> = added.collect();
    // A list is a candidate as a whole, too. The empty text means unknown.
    let slugs = included
        .into_iter()
        .filter(|slug| !slug.is_empty() && !slug.contains(',') && !added.contains(*slug));
    slugs.take(MOST).collect()
}

/// Returns values that a filter includes and no visit can have, because rules derive all values of
/// their dimension.
fn impossible(filter: &VisitFilter) -> Vec<(Dimension, String)> {
    let mut impossible = Vec::new();
    for (dimension, choice) in &filter.values {
        let possible = dimension.derivation().and_then(Derivation::values);
        let (Choice::AnyOf(values), Some(possible)) = (choice, possible) else {
            continue;
        };
        let others = values
            .iter()
            .filter(|value| !possible.contains(&value.as_str()));
        impossible.extend(others.map(|value| (*dimension, value.clone())));
    }
    impossible
}

#[cfg(test)]
mod tests {
    use slugline_domain::{Domain, DomainSet, Host, SlugCase};

    use super::*;

    fn texts(values: &[&str]) -> Choice<String> {
        Choice::any_of(values.iter().map(|&value| value.to_owned()))
    }

    #[test]
    fn slugs_belong_to_the_domains_that_are_named_with_them() {
        let keys = |hosts: &[&str], slugs: &[&str]| {
            let mut values = vec![(Dimension::Slug, texts(slugs))];
            if !hosts.is_empty() {
                values.push((Dimension::Domain, texts(hosts)));
            }
            name_keys(&mut values, &domains());
            values
                .into_iter()
                .map(|(_, choice)| choice)
                .collect::<Vec<_>>()
        };
        let of = |hosts: &[&str], slugs: &[&str]| vec![texts(slugs), texts(hosts)];
        let go: &[&str] = &["go.example"];
        assert_eq!(keys(&[], &["a", "s.example/b"]), [texts(&["a", "b"])]);
        assert_eq!(keys(go, &["a"]), of(go, &["go.example/a"]));
        let both = ["", "go.example", "go.example,(none)"];
        assert_eq!(keys(&both, &["a"]), of(&both, &["a", "go.example/a"]));
        assert_eq!(keys(&["s.example"], &["a"]), of(&[""], &["a"]));
        for named in ["other.example/a", "", "a,b", "a b"] {
            assert_eq!(keys(go, &[named]), of(go, &[named]));
        }
        // Without regard to case in the default domain, and with it in the other one.
        assert_eq!(
            keys(&[], &["A", "S.Example:443/B"]),
            [texts(&["a", "A", "b", "B"])]
        );
        assert_eq!(keys(&["GO.Example."], &["A"]), of(go, &["go.example/A"]));
        assert_eq!(keys(&[], &["Go.example/A"]), [texts(&["go.example/A"])]);
        let foreign: &[&str] = &["xn--bcher-kva.example"];
        let old = ["xn--bcher-kva.example/a", "xn--bcher-kva.example/A"];
        assert_eq!(keys(&["bücher.example"], &["A"]), of(foreign, &old));
    }

    /// `s.example` is the public host, and `go.example` tells cases apart.
    fn domains() -> NamedDomains {
        let host = |text| Host::parse(text).unwrap();
        let mut go = Domain::new(host("go.example"));
        go.case = Some(SlugCase::Sensitive);
        let domains = NamedDomains::default();
        domains.replace(DomainSet::new([go], Some(host("s.example"))));
        domains
    }
}
