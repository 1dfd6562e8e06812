//! The contract suite of exact answers: an answer that says that it is exact equals the plain count
//! of the visits that came, also of those that were sampled away.
//!
//! Traffic is random: busy links and quiet ones, busy minutes and calm ones, and values that few
//! visits have. Filters are random, too.

use std::{
    collections::{BTreeMap, BTreeSet},
    net::Ipv4Addr,
    sync::Arc,
};

use slugline_domain::{
    Choice, Dimension, FollowedLink, HeatmapQuery, LinkId, TimeUnit, UnixMillis, UnixSeconds,
    Visit, VisitFilter, VisitHeaders, Way,
    ports::{Random, VisitLog, VisitSink},
};

use crate::{NOON, SeededRandom, ambient::random_cases, link, questions};

/// A recorder and its log.
#[expect(async_fn_in_trait, reason = "tests run it on one thread")]
pub trait Recorded {
    /// Takes visits. It has to sample above some ten a minute of one link, and above some 40 of all.
    fn sink(&self) -> &dyn VisitSink;

    /// Waits until answers have all visits.
    async fn settle(&self);

    /// The log to ask.
    fn log(&self) -> &dyn VisitLog;
}

/// The numbers of exact and of estimated answers.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Answers {
    /// Exact answers.
    pub exact: u32,
    /// Those of them that counted any visit.
    pub not_empty: u32,
    /// Estimates.
    pub estimated: u32,
}

const MINUTES: i64 = 12;
const LINKS: [&str; 5] = ["busy", "burst", "quiet", "rare", "other"];
const REFERERS: [&str; 6] = [
    "",
    "news.example",
    "",
    "news.example",
    "a.example",
    "b.example",
];

/// Records random visits, and asks random questions about them.
#[expect(clippy::future_not_send, reason = "tests run it on one thread")]
pub async fn exact_means_exact(recorded: &impl Recorded, seed: u64) -> Answers {
    let dice = Dice(SeededRandom::new(seed));
    let links = LINKS.map(|slug| link(slug).id(&format!("{slug}-1")).followed());
    let mut came = Vec::new();
    for minute in 0..MINUTES {
        for visit in minute_of(&dice, minute, &links) {
            came.push(visit.clone());
            recorded.sink().record(visit.into_visit());
        }
        if dice.one_in(3) {
            recorded.settle().await;
        }
    }
    recorded.settle().await;
    let mut answers = Answers::default();
    for _ in 0..random_cases() {
        let filter = filter(&dice);
        let meant: Vec<&Came> = came.iter().filter(|visit| visit.meets(&filter)).collect();
        let exact = ask(recorded.log(), &dice, &filter, &meant).await;
        answers.exact += u32::from(exact);
        answers.not_empty += u32::from(exact && !meant.is_empty());
        answers.estimated += u32::from(!exact);
    }
    answers
}

/// A visit that came.
#[derive(Clone, Debug)]
struct Came {
    at: i64,
    link: Arc<FollowedLink>,
    client: u32,
    referer: String,
}

impl Came {
    fn into_visit(self) -> Visit {
        let page = match self.referer.as_str() {
            "" => String::new(),
            host => format!("https://{host}/page"),
        };
        Visit {
            at: UnixMillis::new(self.at),
            link: self.link,
            client: Ipv4Addr::from_bits(self.client).into(),
            headers: VisitHeaders::new("Example/1.0", &page, "de"),
            place: None,
            way: Way::Main,
        }
    }

    fn meets(&self, filter: &VisitFilter) -> bool {
        let second = self.at.div_euclid(1_000);
        let values = filter.values.iter().all(|(dimension, choice)| {
            let value = if *dimension == Dimension::Slug {
                self.link.slug()
            } else {
                self.referer.as_str()
            };
            choice.admits(value)
        });
        filter.from.is_none_or(|from| second >= from.get())
            && filter.until.is_none_or(|until| second <= until.get())
            && filter.links.admits(self.link.id())
            && values
    }
}

/// The visits of a minute. Every third one is busy, and a burst comes now and then.
fn minute_of(dice: &Dice, minute: i64, links: &[Arc<FollowedLink>; 5]) -> Vec<Came> {
    let start = NOON.start().get() + minute * 60_000;
    let [busy, burst, quiet, rare, other] = links;
    let mut of_minute: Vec<(&Arc<FollowedLink>, u32)> =
        vec![(quiet, dice.below(4)), (other, dice.below(6))];
    if dice.one_in(3) {
        of_minute.push((busy, 60 + dice.below(200)));
    }
    if dice.one_in(6) {
        of_minute.push((burst, 400));
    }
    if dice.one_in(2) {
        of_minute.push((rare, 1));
    }
    let mut all = Vec::new();
    for (link, visits) in of_minute {
        for _ in 0..visits {
            let referer = match dice.below(25) {
                0 => format!("rare{}.example", dice.below(9)),
                _ => dice.pick(&REFERERS).to_owned(),
            };
            all.push(Came {
                at: start + i64::from(dice.below(60_000)),
                link: Arc::clone(link),
                client: dice.below(90),
                referer,
            });
        }
    }
    all.sort_by_key(|visit| visit.at);
    all
}

fn filter(dice: &Dice) -> VisitFilter {
    let second = || {
        let offset = i64::from(dice.below(60 * (u32::try_from(MINUTES).unwrap_or(0) + 1)));
        UnixSeconds::new(NOON.get() + offset - 30).ok()
    };
    let mut filter = VisitFilter::default();
    if dice.one_in(2) {
        filter.from = second();
    }
    if dice.one_in(2) {
        filter.until = second();
    }
    if dice.one_in(3) {
        let id = LinkId::parse(&format!("{}-1", dice.pick(&LINKS)));
        filter.links = dice.choice(id.into_iter().collect());
    }
    if dice.one_in(3) {
        let slugs = vec![dice.pick(&LINKS).to_owned(), "none".to_owned()];
        filter.values.push((Dimension::Slug, dice.choice(slugs)));
    }
    if dice.one_in(2) {
        let host = match dice.below(3) {
            0 => dice.pick(&REFERERS).to_owned(),
            _ => format!("rare{}.example", dice.below(9)),
        };
        filter
            .values
            .push((Dimension::Referer, dice.choice(vec![host])));
    }
    filter
}

/// Asks a question of random kind. Returns whether the answer says that it is exact, in which case
/// it equals the plain count.
async fn ask(log: &dyn VisitLog, dice: &Dice, filter: &VisitFilter, meant: &[&Came]) -> bool {
    let visitors =
        |of: &[&Came]| count(of.iter().map(|visit| visit.client).collect::<BTreeSet<_>>());
    let by = |key: fn(&Came) -> String| {
        let mut groups: BTreeMap<String, Vec<&Came>> = BTreeMap::new();
        for &visit in meant {
            groups.entry(key(visit)).or_default().push(visit);
        }
        groups
    };
    let filter = filter.clone();
    match dice.below(4) {
        0 => {
            let query = questions::total(filter.clone());
            let report = log.counters(&query).await.expect("the log answers");
            let exact = report.sampling.exact();
            if exact {
                let hosts = meant.iter().map(|visit| visit.referer.as_str());
                let hosts: BTreeSet<&str> = hosts.filter(|host| !host.is_empty()).collect();
                let found = report.rows[0].counters;
                let found = (found.visits, found.visitors, found.referers);
                let expected = (count(meant), visitors(meant), count(hosts));
                assert_eq!(found, expected, "counters of {filter:?}");
            }
            exact
        }
        1 => {
            let query = questions::by_time(filter.clone(), TimeUnit::Minute);
            let report = log.views(&query).await.expect("the log answers");
            let exact = report.sampling.exact();
            if exact {
                let rows = report.rows.iter();
                let found: Vec<(i64, u64, u64)> = rows
                    .map(|row| (row.start.get(), row.visits, row.visitors))
                    .collect();
                let minutes = by(|visit| format!("{:020}", visit.at.div_euclid(60_000) * 60));
                let expected: Vec<(i64, u64, u64)> = minutes
                    .iter()
                    .map(|(start, of)| (start.parse().expect("a number"), count(of), visitors(of)))
                    .collect();
                assert_eq!(found, expected, "views of {filter:?}");
            }
            exact
        }
        2 => {
            let query = HeatmapQuery {
                filter: filter.clone(),
                ..HeatmapQuery::default()
            };
            let report = log.heatmap(&query).await.expect("the log answers");
            let exact = report.sampling.exact();
            if exact {
                let found: u64 = report.rows.iter().map(|row| row.visits).sum();
                assert_eq!(found, count(meant), "heatmap of {filter:?}");
            }
            exact
        }
        _ => {
            let query = questions::by_value(filter.clone(), Dimension::Referer);
            let report = log.metrics(&query).await.expect("the log answers");
            let exact = report.sampling.exact();
            if exact {
                let rows = report.rows.into_iter();
                let mut found: Vec<(String, u64, Option<u64>)> = rows
                    .map(|row| (row.name, row.count, row.visitors))
                    .collect();
                found.sort();
                let hosts = by(|visit| visit.referer.clone()).into_iter();
                let expected: Vec<(String, u64, Option<u64>)> = hosts
                    .map(|(host, of)| (host, count(&of), Some(visitors(&of))))
                    .collect();
                assert_eq!(found, expected, "metrics of {filter:?}");
            }
            exact
        }
    }
}

fn count<T>(items: impl IntoIterator<Item = T>) -> u64 {
    items.into_iter().map(|_| 1).sum()
}

struct Dice(SeededRandom);

impl Dice {
    fn below(&self, end: u32) -> u32 {
        let mut bytes = [0; 4];
        self.0.fill(&mut bytes);
        u32::from_le_bytes(bytes) % end.max(1)
    }

    fn one_in(&self, chances: u32) -> bool {
        self.below(chances) == 0
    }

    fn pick(&self, texts: &[&'static str]) -> &'static str {
        let count = u32::try_from(texts.len()).unwrap_or(1);
        let index = usize::try_from(self.below(count)).unwrap_or(0);
        texts[index]
    }

    fn choice<T: Ord>(&self, values: Vec<T>) -> Choice<T> {
        if self.one_in(3) {
            Choice::none_of(values)
        } else {
            Choice::any_of(values)
        }
    }
}
