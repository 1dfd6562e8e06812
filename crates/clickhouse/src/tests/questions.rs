//! Queries: the comparison with SQL, and faults that only this engine can have.

use std::{collections::BTreeSet, sync::Arc, time::Duration};

use rstest::rstest;
use slugline_analytics::{
    Sampled,
    journal::open::open_file,
    row::{Client, Place, Row, VisitedLink},
    sampled::{self, Span},
    tally::Tally,
    visitor::VisitorHash,
};
use slugline_domain::{
    Campaign, Choice, CountersQuery, Dimension, LinkId, SamplingInterval, UnixMillis,
    ports::VisitLog,
};
use slugline_testkit::visit_log_contract::{Party, Question, RandomVisit, agrees_with_sql};
use slugline_testkit::{
    ClickHouseEngine::{self, Library, Server},
    SeededRandom, questions,
};

use super::rows::stored;
use super::{
    address::Address,
    lacks::{self, Feature},
};
use crate::{gaps, log::ClickHouseLog, row_binary, schema, spool};

const TIMEOUT: Duration = Duration::from_mins(1);

/// The engine with a database of its own.
pub(crate) struct AskedLog {
    client: crate::client::Client,
    log: ClickHouseLog,
    batches: u32,
    engine: ClickHouseEngine,
    folder: tempfile::TempDir,
}

impl AskedLog {
    pub(crate) async fn new(engine: ClickHouseEngine) -> Self {
        let client = Address::shared(engine).client();
        schema::prepare(&client, None).await.unwrap();
        let log = ClickHouseLog::new(client.clone(), TIMEOUT, Arc::new(Tally::default()));
        Self {
            client,
            log,
            batches: 0,
            engine,
            folder: tempfile::tempdir().unwrap(),
        }
    }

    pub(crate) fn client(&self) -> &crate::client::Client {
        &self.client
    }

    pub(crate) async fn insert(&mut self, rows: &[Row<'_>]) {
        self.batches += 1;
        let token = format!("batch {}", self.batches);
        self.insert_as(&token, rows).await;
    }

    pub(crate) async fn insert_as(&mut self, token: &str, rows: &[Row<'_>]) {
        let bytes = rows.iter().flat_map(row_binary::encode).collect();
        let into = format!("access_log ({})", row_binary::columns());
        let inserted = self.client.insert(&into, token, bytes, TIMEOUT).await;
        inserted.unwrap();
    }
}

impl Party for AskedLog {
    async fn store(&mut self, visits: &[RandomVisit]) {
        let visits = stored(visits);
        let sampled = visits
            .iter()
            .filter(|visit| visit.interval > SamplingInterval::EVERY);
        let days: BTreeSet<Span> = sampled
            .map(|visit| Span::day_of(visit.at, visit.interval))
            .collect();
        let mut spool = open_file(&spool::FILE, &self.folder.path().join("spool.db")).unwrap();
        sampled::table::save(&spool, days.iter()).unwrap();
        let random = SeededRandom::new(self.batches.into());
        gaps::ship(&self.client, &mut spool, &random).await.unwrap();
        assert_eq!(sampled::table::all(&spool).unwrap(), []);
        let rows: Vec<Row<'_>> = visits.iter().map(Row::of).collect();
        self.insert(&rows).await;
    }

    fn log(&self) -> &dyn VisitLog {
        &self.log
    }

    fn can_answer(&self, question: &Question) -> bool {
        let needs_windows = matches!(question, Question::Metrics(_) | Question::Locations(_));
        !needs_windows || lacks::has(self.engine, Feature::Windows)
    }
}

#[rstest]
#[tokio::test]
async fn every_answer_is_that_of_plain_sql_over_the_same_rows(
    #[values(Library, Server)] engine: ClickHouseEngine,
    #[values(1, 11)] seed: u64,
) {
    let mut engine = AskedLog::new(engine).await;
    agrees_with_sql(&mut engine, seed).await;
}

/// A row with texts that would end a literal, or a statement.
fn hostile(text: &str) -> Row<'_> {
    Row {
        at: UnixMillis::new(0),
        target: VisitedLink {
            link_id: "docs-1",
            slug: text,
            url: text,
            protection: "none",
        },
        client: Client {
            user_agent: text,
            os: text,
            ..Client::default()
        },
        place: Place {
            city: text,
            ..Place::default()
        },
        referer: text.into(),
        language: text,
        campaign: Campaign {
            source: text,
            medium: text,
            name: text,
        },
        visitor: VisitorHash(u64::MAX),
        sampled: Sampled {
            interval: SamplingInterval::EVERY,
            coherent: true,
        },
    }
}

#[rstest]
#[tokio::test]
async fn texts_of_strangers_are_found_as_they_are_and_run_nothing(
    #[values(Library, Server)] engine: ClickHouseEngine,
) {
    const TEXTS: [&str; 11] = [
        "'",
        "\\",
        "\\'",
        "') OR 1=1 --",
        "\\') OR 1=1 --",
        "'; DROP TABLE access_log; --",
        "a\0b",
        "line\nbreak\ttab",
        "/* */ -- #",
        "{x:String} $1 ? %s",
        "ü 🦀 \u{202e}",
    ];

    let mut engine = AskedLog::new(engine).await;
    let rows: Vec<Row<'_>> = TEXTS.into_iter().map(hostile).collect();
    engine.insert(&rows).await;
    for text in TEXTS {
        for dimension in [
            Dimension::Slug,
            Dimension::Url,
            Dimension::UserAgent,
            Dimension::Referer,
            Dimension::City,
            Dimension::Language,
        ] {
            let query = questions::latest(questions::having(dimension, text));
            let found = engine.log.events(&query).await.unwrap();
            let [found] = &found[..] else {
                panic!("{dimension:?}: {found:?}");
            };
            for member in [
                Dimension::Slug,
                Dimension::Url,
                Dimension::UserAgent,
                Dimension::Referer,
                Dimension::City,
                Dimension::Language,
            ] {
                assert_eq!(found.value(member), text, "{dimension:?}");
            }
        }
    }
    let all = engine
        .log
        .counters(&CountersQuery::default())
        .await
        .unwrap();
    assert_eq!(all.rows[0].counters.visits, 11);
    assert_eq!(all.rows[0].counters.visitors, 1);
}

#[rstest]
#[tokio::test]
async fn a_filter_may_name_very_many_links(#[values(Library, Server)] engine: ClickHouseEngine) {
    let mut engine = AskedLog::new(engine).await;
    engine.insert(&[hostile("x")]).await;
    let id = |number| LinkId::parse(&format!("{number:036}"));
    let others = (0..20_000).map(|number| id(number).unwrap());
    let found = LinkId::parse("docs-1").unwrap();
    for (links, rows) in [
        (Choice::any_of(others.clone().chain([found])), 1),
        (Choice::none_of(others), 1),
    ] {
        let filter = questions::of_links(links);
        let counters = questions::by_link(filter.clone());
        let counted = engine.log.counters(&counters).await.unwrap();
        assert_eq!(counted.rows.len(), rows);
        // This statement names the links twice.
        let latest = questions::latest(filter);
        assert_eq!(engine.log.events(&latest).await.unwrap().len(), rows);
    }
}
