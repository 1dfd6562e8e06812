//! Questions: the engine among others, and what only this one can get wrong.

use std::{sync::Arc, time::Duration};

use slugline_domain::{
    CountersQuery, Dimension, LinkId, MetricRow, MetricsQuery, RowLimit, SamplingInterval,
    UnixMillis, VisitFilter, ports::VisitLog,
};

use super::server::Server;
use crate::{
    clickhouse::{self, ClickHouseLog, row_binary, schema},
    oracle::{Party, agrees_with_sql},
    row::{Client, Place, Row, Target},
    sampling::Sampled,
    tally::Tally,
    visitor::VisitorHash,
};

const PATIENCE: Duration = Duration::from_mins(1);

/// The engine with a server of its own.
struct ClickHouse {
    client: clickhouse::client::Client,
    log: ClickHouseLog,
    batches: u32,
    _server: Server,
}

impl ClickHouse {
    async fn new() -> Self {
        let server = Server::start();
        let client = server.client("visits");
        schema::prepare(&client, None).await.unwrap();
        let log = ClickHouseLog::new(client.clone(), PATIENCE, Arc::new(Tally::default()));
        Self {
            client,
            log,
            batches: 0,
            _server: server,
        }
    }
}

impl Party for ClickHouse {
    async fn store(&mut self, rows: &[Row<'_>]) {
        self.batches += 1;
        let token = format!("batch {}", self.batches);
        let bytes = rows.iter().flat_map(row_binary::encode).collect();
        let into = format!("access_log ({})", row_binary::COLUMNS);
        let inserted = self.client.insert(&into, &token, bytes, PATIENCE).await;
        inserted.unwrap();
    }

    fn log(&self) -> &dyn VisitLog {
        &self.log
    }
}

#[tokio::test]
async fn every_answer_is_that_of_plain_sql_over_the_same_rows() {
    let mut engine = ClickHouse::new().await;
    agrees_with_sql(&mut engine, 1).await;
}

/// A row with texts that would end a literal, or a statement.
fn hostile(text: &str) -> Row<'_> {
    Row {
        at: UnixMillis::new(0),
        target: Target {
            link_id: "docs-1",
            slug: text,
            url: text,
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
        visitor: VisitorHash(u64::MAX),
        sampled: Sampled {
            interval: SamplingInterval::EVERY,
            coherent: true,
        },
    }
}

#[tokio::test]
async fn texts_of_strangers_are_found_as_they_are_and_run_nothing() {
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

    let mut engine = ClickHouse::new().await;
    let rows: Vec<Row<'_>> = TEXTS.into_iter().map(hostile).collect();
    engine.store(&rows).await;
    for text in TEXTS {
        for dimension in [
            Dimension::Slug,
            Dimension::Url,
            Dimension::UserAgent,
            Dimension::Referer,
            Dimension::City,
            Dimension::Language,
        ] {
            let filter = VisitFilter {
                values: vec![(dimension, vec![text.to_owned()])],
                ..VisitFilter::default()
            };
            let query = MetricsQuery {
                filter,
                dimension,
                limit: RowLimit::DEFAULT,
            };
            let found = engine.log.metrics(&query).await.unwrap();
            let expected = MetricRow {
                name: text.to_owned(),
                count: 1,
            };
            assert_eq!(found.rows, [expected], "{dimension:?}");
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

#[tokio::test]
async fn a_filter_may_name_very_many_links() {
    let mut engine = ClickHouse::new().await;
    engine.store(&[hostile("x")]).await;
    let id = |number| LinkId::parse(&format!("{number:036}"));
    let mut links: Vec<LinkId> = (0..60_000).map(|number| id(number).unwrap()).collect();
    links.push(LinkId::parse("docs-1").unwrap());
    let query = CountersQuery {
        filter: VisitFilter {
            links,
            ..VisitFilter::default()
        },
        per_link: true,
    };
    let found = engine.log.counters(&query).await.unwrap();
    assert_eq!(found.rows.len(), 1);
}
