//! Compares answers from day totals of people and of bots with those of scans.

use proptest::{collection::vec, prelude::*, sample::select, test_runner::TestRunner};
use slugline_analytics::{
    Sampled,
    row::{Client, Place, Row},
    utc::MILLIS_PER_DAY,
};
use slugline_domain::{
    Bots, Choice, Degrees, Dimension, HeatmapQuery, LocationsQuery, MetricsQuery, RowLimit,
    SamplingInterval, TimeUnit, UtcOffset, ViewsQuery, ZoneOffsets, ports::VisitLog,
};
use slugline_testkit::questions;

use super::{days::Counted, rows::row};
use crate::log::EmbeddedLog;

const SEGMENTS: [Bots; 3] = [Bots::Include, Bots::Exclude, Bots::Only];
const KINDS: [&str; 4] = ["", "crawler", "fetcher", "cli"];
const HOSTS: [&str; 4] = ["", "a.example", "b.example", "c.example"];
const PLACES: [(&str, &str, f64); 3] = [
    ("", "", 0.0),
    ("DE", "Kassel", 51.31),
    ("NP", "Patan", 27.7),
];

/// A visit: its moment, visitor, kind of browser, host, place, and the power of two by which it was
/// sampled, by luck or by chance.
pub(super) type Visit = (
    i64,
    u64,
    &'static str,
    &'static str,
    (&'static str, &'static str, f64),
    u32,
    bool,
);

fn visits() -> impl Strategy<Value = Vec<Visit>> {
    vec(visit(), 1..120)
}

pub(super) fn visit() -> impl Strategy<Value = Visit> {
    (
        0..3 * MILLIS_PER_DAY,
        0..9_u64,
        select(&KINDS[..]),
        select(&HOSTS[..]),
        select(&PLACES[..]),
        prop_oneof![2 => Just(0_u32), 1 => 0..4_u32],
        any::<bool>(),
    )
}

pub(super) fn row_of(
    &(at, visitor, browser_type, host, (country, city, degrees), power, by_luck): &Visit,
) -> Row<'static> {
    // No address visits on two days.
    let day = (at / MILLIS_PER_DAY).cast_unsigned();
    Row {
        client: Client {
            browser_type,
            ..Client::default()
        },
        place: Place {
            country,
            city,
            latitude: Degrees::nearest(degrees),
            longitude: Degrees::nearest(degrees),
            ..Place::default()
        },
        referer: host.into(),
        sampled: Sampled {
            interval: SamplingInterval::new(1 << power).unwrap(),
            coherent: by_luck || power == 0,
        },
        ..row(at, day * 1_000 + visitor)
    }
}

/// The answers to every question that takes day totals, about a segment.
async fn answers(log: &EmbeddedLog, bots: Bots) -> Vec<String> {
    answers_about(log, bots.condition().into_iter().collect()).await
}

/// The answers to every question that takes day totals, with these conditions.
pub(super) async fn answers_about(
    log: &EmbeddedLog,
    conditions: Vec<(Dimension, Choice<String>)>,
) -> Vec<String> {
    let filter = || questions::meeting(conditions.clone());
    let limit = RowLimit::MAX;
    let mut all = Vec::new();
    let query = questions::total(filter());
    all.push(format!("{:?}", log.counters(&query).await.unwrap()));
    for minutes in [0, 345, -570] {
        let zone = || ZoneOffsets::fixed(UtcOffset::from_seconds(minutes * 60).unwrap());
        for unit in [TimeUnit::Hour, TimeUnit::Day] {
            let query = ViewsQuery {
                filter: filter(),
                unit,
                zone: zone(),
            };
            all.push(format!("{:?}", log.views(&query).await.unwrap()));
        }
        let query = HeatmapQuery {
            filter: filter(),
            zone: zone(),
        };
        all.push(format!("{:?}", log.heatmap(&query).await.unwrap()));
    }
    let query = LocationsQuery {
        filter: filter(),
        limit,
    };
    all.push(format!("{:?}", log.locations(&query).await.unwrap()));
    for &dimension in Dimension::ALL {
        if dimension == Dimension::Ip {
            continue;
        }
        let on_top = [
            None,
            Some(Choice::none_of([String::new()])),
            Some(Choice::any_of(
                ["DE", "a.example", "cli"].map(str::to_owned),
            )),
        ];
        for on_top in on_top {
            let mut filter = filter();
            filter
                .values
                .extend(on_top.map(|choice| (dimension, choice)));
            for visitors in [false, true] {
                let query = MetricsQuery {
                    filter: filter.clone(),
                    dimension,
                    limit,
                    visitors,
                };
                all.push(format!("{:?}", log.metrics(&query).await.unwrap()));
            }
        }
    }
    all
}

async fn all_answers(log: &EmbeddedLog) -> Vec<Vec<String>> {
    let mut all = Vec::new();
    for bots in SEGMENTS {
        all.push(answers(log, bots).await);
    }
    all
}

/// Destroys all rows in chunks, so that only totals can answer.
pub(super) fn destroy_rows(log: &Counted) {
    log.db
        .execute_batch(
            "DELETE FROM part; DROP TRIGGER chunk_changes; UPDATE chunk SET directory = x'00'",
        )
        .unwrap();
}

/// Tells whether totals alone give the answers of a scan.
async fn totals_equal_scans(visits: &[Visit]) -> Result<(), TestCaseError> {
    let mut log = Counted::new(true);
    let rows: Vec<Row<'_>> = visits.iter().map(row_of).collect();
    log.insert(&rows);
    log.seal_all();
    let scanned = all_answers(&log.log).await;
    log.count_days(usize::MAX);
    destroy_rows(&log);
    for (found, expected) in all_answers(&log.log).await.iter().zip(&scanned) {
        for (found, expected) in found.iter().zip(expected) {
            prop_assert_eq!(found, expected);
        }
    }
    prop_assert_eq!(log.log.troubles(), []);
    Ok(())
}

#[test]
fn totals_of_people_and_of_bots_give_the_answers_of_scans() {
    let runtime = tokio::runtime::Builder::new_current_thread()
        .enable_all()
        .build()
        .unwrap();
    // A case takes half a second, so this property has a fifth of the others' cases.
    // `proptest!` would set `PROPTEST_CASES` again.
    let default = ProptestConfig::default();
    let config = ProptestConfig {
        cases: default.cases / 5,
        ..default
    };
    TestRunner::new(config)
        .run(&visits(), |visits| {
            runtime.block_on(totals_equal_scans(&visits))
        })
        .unwrap();
}

#[tokio::test]
async fn a_question_with_part_of_the_kinds_of_bots_is_scanned() {
    let mut log = Counted::new(true);
    let kinds = (0..).zip(KINDS);
    let rows: Vec<Row<'_>> = kinds
        .map(|(n, kind)| row_of(&(n, n.cast_unsigned(), kind, "a.example", PLACES[0], 0, true)))
        .collect();
    log.insert(&rows);
    log.seal_all();
    log.count_days(usize::MAX);
    let visits = async |log: &Counted, choices: Vec<Choice<String>>| {
        let values = choices.into_iter().map(|it| (Dimension::BrowserType, it));
        let query = questions::total(questions::meeting(values));
        let report = log.log.counters(&query).await.unwrap();
        (report.rows[0].counters.visits, report.sampling.damaged)
    };
    let kinds = || Bots::KINDS.map(str::to_owned);
    let one = || ["crawler".to_owned()];
    let cases = [
        (vec![Choice::none_of(kinds())], 2, true),
        (vec![Choice::any_of(kinds())], 2, true),
        (
            vec![Choice::none_of(kinds()), Choice::none_of(kinds())],
            2,
            true,
        ),
        (vec![Choice::none_of(one())], 3, false),
        (vec![Choice::any_of(one())], 1, false),
        (
            vec![Choice::none_of(kinds()), Choice::any_of(kinds())],
            0,
            false,
        ),
        (
            vec![Choice::any_of(kinds()), Choice::none_of(one())],
            1,
            false,
        ),
    ];
    for (choices, expected, _) in &cases {
        assert_eq!(
            visits(&log, choices.clone()).await,
            (*expected, 0),
            "{choices:?}"
        );
    }
    destroy_rows(&log);
    for (choices, expected, from_totals) in cases {
        let (found, damaged) = visits(&log, choices.clone()).await;
        assert_eq!(damaged == 0, from_totals, "{choices:?}");
        assert_eq!(found, if from_totals { expected } else { 0 }, "{choices:?}");
    }
}
