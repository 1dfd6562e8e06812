use rusqlite::{Connection, params, params_from_iter, types::Value};
use slugline_analytics::RecorderOptions;
use slugline_domain::{
    Choice, CounterRow, Counters, CountersQuery, Country, Dimension, LinkId, Place, UnixMillis,
    UnixSeconds, Variance, Visit, VisitFilter, VisitHeaders,
    ports::{VisitLog, VisitSink},
};

use crate::support::{DAY_MS, Fixture, NEW_YEAR_MS, Seeded, link, visit};

const LINKS: usize = 12;
const DAYS: usize = 4;
/// The longest gap between visits: some 3,000 of them take up those days.
const LONGEST_GAP_MS: usize = 230_000;
const REFERERS: [&str; 5] = [
    "",
    "news.example",
    "a.example",
    "b.example:8080",
    "c.example",
];
const LANGUAGES: [&str; 4] = ["", "en-US", "de", "zh-Hant-TW"];
const COUNTRIES: [&str; 4] = ["", "DE", "AT", "US"];
const AGENTS: [&str; 3] = ["", "Example/1.0", "Example/2.0 (X11)"];

/// One row for each visit, with every value written out.
const TABLE: &str = "CREATE TABLE visit (
    at INTEGER, link TEXT, slug TEXT, url TEXT, ua TEXT, referer TEXT, language TEXT,
    country TEXT, visitor TEXT)";

/// Every link changes its slug and destination halfway through.
fn slug_of(link: usize, edited: bool) -> String {
    format!("slug-{}", if edited { link + 1 } else { link })
}

fn url_of(link: usize, edited: bool) -> String {
    format!("https://example.com/{}?edited={edited}", link / 2)
}

/// Records a random visit and tells the oracle about it.
fn add(at: i64, random: &Seeded, fixture: &Fixture, oracle: &Connection) {
    // The default salt lasts for a day, so a visitor counts once per day.
    let day = at.div_euclid(DAY_MS);
    let number = random.below(LINKS);
    let edited = random.below(2) == 1;
    let id = format!("id-{number}");
    let (slug, url) = (slug_of(number, edited), url_of(number, edited));
    let client = u32::try_from(random.below(60)).expect("few visitors");
    let (referer, language) = (*random.pick(&REFERERS), *random.pick(&LANGUAGES));
    let (country, agent) = (*random.pick(&COUNTRIES), *random.pick(&AGENTS));

    let referring_page = match referer {
        "" => String::new(),
        host => format!("https://{}/page?{number}", host.to_uppercase()),
    };
    fixture.recorder.record(Visit {
        at: UnixMillis::new(at),
        link: link(&id, &slug, &url),
        headers: VisitHeaders::new(
            agent,
            &referring_page,
            format!("{language},fr;q=0.3").trim_start_matches(",fr;q=0.3"),
        ),
        place: Some(Box::new(Place {
            country: Country::parse(country).ok(),
            ..Place::default()
        })),
        ..visit(at, client)
    });
    oracle
        .prepare_cached("INSERT INTO visit VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9)")
        .expect("the statement is valid")
        .execute(params![
            at,
            id,
            slug,
            url,
            agent,
            referer,
            language,
            country,
            format!("{day} {client}")
        ])
        .expect("the oracle takes visits");
}

fn random_filter(random: &Seeded) -> VisitFilter {
    let moment = || {
        let offset = i64::try_from(random.below(DAYS * 86_400)).expect("few seconds");
        UnixSeconds::new(NEW_YEAR_MS / 1000 + offset).expect("the present fits")
    };
    let sometimes = |one_in| random.below(one_in) == 0;
    let mut filter = VisitFilter::default();
    if sometimes(2) {
        filter.from = Some(moment());
    }
    if sometimes(2) {
        filter.until = Some(moment());
    }
    if sometimes(3) {
        // One more id than there are links, so that some are unknown.
        let ids = (0..=random.below(3))
            .map(|_| format!("id-{}", random.below(LINKS + 1)))
            .map(|id| LinkId::parse(&id).expect("test ids are valid"));
        filter.links = choice(random, ids.collect());
    }
    for _ in 0..random.below(3) {
        let (number, edited) = (random.below(LINKS), random.below(2) == 1);
        let (dimension, values): (_, Vec<String>) = match random.below(6) {
            0 => (
                Dimension::Slug,
                vec![slug_of(number, edited), "none".into()],
            ),
            1 => (Dimension::Url, vec![url_of(number, edited)]),
            2 => (Dimension::UserAgent, vec![random.pick(&AGENTS).to_string()]),
            3 => (
                Dimension::Referer,
                vec![
                    random.pick(&REFERERS).to_string(),
                    random.pick(&REFERERS).to_string(),
                ],
            ),
            4 => (
                Dimension::Language,
                vec![random.pick(&LANGUAGES).to_string()],
            ),
            _ => (
                Dimension::Country,
                vec![random.pick(&COUNTRIES).to_string()],
            ),
        };
        let values = choice(random, values);
        filter.values.push((dimension, values));
    }
    filter
}

fn choice<T: Ord>(random: &Seeded, values: Vec<T>) -> Choice<T> {
    if random.below(3) == 0 {
        Choice::none_of(values)
    } else {
        Choice::any_of(values)
    }
}

/// The conditions of a filter in SQL, with their values.
fn conditions(filter: &VisitFilter) -> (String, Vec<Value>) {
    let mut sql = vec!["1".to_owned()];
    let mut values: Vec<Value> = Vec::new();
    if let Some(from) = filter.from {
        sql.push("at >= ?".into());
        values.push((from.get() * 1000).into());
    }
    if let Some(until) = filter.until {
        sql.push("at < ?".into());
        values.push(((until.get() + 1) * 1000).into());
    }
    let links = match &filter.links {
        Choice::AnyOf(ids) => Choice::any_of(ids.iter().map(ToString::to_string)),
        Choice::NoneOf(ids) => Choice::none_of(ids.iter().map(ToString::to_string)),
    };
    let mut choices = vec![("link", links)];
    for (dimension, choice) in &filter.values {
        let column = match format!("{dimension:?}").as_str() {
            "UserAgent" => "ua",
            "Slug" => "slug",
            "Url" => "url",
            "Referer" => "referer",
            "Language" => "language",
            _ => "country",
        };
        choices.push((column, choice.clone()));
    }
    for (column, choice) in choices {
        let (word, wanted) = match choice {
            Choice::AnyOf(wanted) => ("IN", wanted),
            Choice::NoneOf(wanted) => ("NOT IN", wanted),
        };
        let marks = vec!["?"; wanted.len()].join(", ");
        sql.push(format!("{column} {word} ({marks})"));
        values.extend(wanted.into_iter().map(Value::from));
    }
    (sql.join(" AND "), values)
}

fn expected(oracle: &Connection, query: &CountersQuery) -> Vec<CounterRow> {
    let (conditions, values) = conditions(&query.filter);
    let (key, group) = if query.per_link {
        ("link", "GROUP BY link ORDER BY link")
    } else {
        ("NULL", "")
    };
    let count = |number: u32| u64::from(number);
    oracle
        .prepare(&format!(
            "SELECT {key}, count(*), count(DISTINCT visitor), \
                    count(DISTINCT CASE WHEN referer <> '' THEN referer END) \
             FROM visit WHERE {conditions} {group}"
        ))
        .expect("the statement is valid")
        .query_map(params_from_iter(values), |row| {
            Ok(CounterRow {
                link: row
                    .get::<_, Option<String>>(0)?
                    .map(|id| LinkId::parse(&id).expect("test ids are valid")),
                counters: Counters {
                    visits: count(row.get(1)?),
                    visitors: count(row.get(2)?),
                    referers: count(row.get(3)?),
                },
                variance: Variance::default(),
            })
        })
        .expect("the oracle answers")
        .collect::<Result<_, _>>()
        .expect("the oracle answers")
}

#[tokio::test]
async fn answers_agree_with_plain_sql_over_the_same_visits() {
    let random = Seeded::new(2026);
    let fixture = Fixture::new(RecorderOptions {
        rows_per_chunk: 64,
        // Full batches become chunks; the rest of each round joins the tail.
        batch_rows: 20,
        ..RecorderOptions::default()
    });
    let oracle = Connection::open_in_memory().unwrap();
    oracle.execute_batch(TABLE).unwrap();
    let mut at = NEW_YEAR_MS;
    let mut non_empty = 0;
    for round in 0..12 {
        for _ in 0..=random.below(500) {
            at += i64::try_from(random.below(LONGEST_GAP_MS)).unwrap();
            add(at, &random, &fixture, &oracle);
        }
        fixture.recorder.flush().await.unwrap();
        for _ in 0..40 {
            let query = CountersQuery {
                filter: random_filter(&random),
                per_link: random.below(2) == 1,
            };
            let report = fixture.log.counters(&query).await.unwrap();
            assert_eq!(report.rows, expected(&oracle, &query), "{round} {query:?}");
            assert!(report.sampling.exact());
            non_empty += usize::from(report.rows.iter().any(|row| row.counters.visits > 0));
        }
    }
    // Filters that match nothing prove nothing.
    assert!(non_empty > 200, "{non_empty}");
    let (chunks, tail): (u32, u32) = Connection::open(fixture.file())
        .unwrap()
        .query_row(
            "SELECT (SELECT count(*) FROM chunk), (SELECT count(*) FROM tail)",
            [],
            |row| Ok((row.get(0)?, row.get(1)?)),
        )
        .unwrap();
    assert!(chunks > 10 && tail > 0, "{chunks} {tail}");
}
