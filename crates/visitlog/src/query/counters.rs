//! The question for counters.

use std::hash::{BuildHasher, RandomState};

use slugline_analytics::columns::text_of;
use slugline_domain::{CounterRow, CountersQuery, Dimension, LinkId};

use super::{
    answer::Answer,
    bounded_groups::{HashRange, SharedGroups, Shown},
    filter::RowFilter,
    plan::Plan,
    totals::Totals,
};
use crate::{
    file::{day::known::KnownDay, error::EngineError, links, snapshot::Snapshot},
    format::block::Column,
};

/// Computes the counters.
pub(crate) fn answer(
    snapshot: &Snapshot<'_>,
    query: &CountersQuery,
) -> Result<Answer<CounterRow>, EngineError> {
    let filter = RowFilter::resolve(snapshot.db(), &query.filter)?;
    if query.per_link {
        per_link(snapshot, &filter)
    } else {
        over_all(snapshot, &filter)
    }
}

fn over_all(
    snapshot: &Snapshot<'_>,
    filter: &RowFilter,
) -> Result<Answer<CounterRow>, EngineError> {
    let mut totals = Totals::within(snapshot.memory());
    let of_day =
        |day: &KnownDay<'_>| Ok(day.moments()?.zip(day.texts(text_of(Dimension::Referer))?));
    let plan = Plan::with_days(snapshot, filter, None, of_day, |(moments, referers)| {
        totals.add_all_known(moments.whole(), &referers);
    })?;
    snapshot.scan(&plan, &Totals::columns_of_all(), |block| {
        totals.add_all(block);
        Ok(())
    })?;
    let (counters, variance) = totals.counters(0);
    let row = CounterRow {
        link: None,
        counters,
        variance,
    };
    Ok(Answer::complete(vec![row], totals.are_sketched()))
}

fn per_link(
    snapshot: &Snapshot<'_>,
    filter: &RowFilter,
) -> Result<Answer<CounterRow>, EngineError> {
    let columns = [&Totals::columns()[..], &[Column::Link]].concat();
    let hash = RandomState::new();
    let mut rows = Vec::new();
    let mut sketched = false;
    let mut next = Some(HashRange::ALL);
    while let Some(share) = next {
        let mut links = SharedGroups::within(snapshot.memory(), share);
        snapshot.scan(&Plan::of_rows(filter), &columns, |block| {
            // The rows of a link follow one another.
            let mut latest = None;
            links.add(block, |links, row| {
                let link = block.link.at(row);
                match latest {
                    Some((known, group)) if known == link => group,
                    Some(_) | None => {
                        let group = links.of(hash.hash_one(link), || LinkNumber(link));
                        latest = Some((link, group));
                        group
                    }
                }
            });
            Ok(())
        })?;
        next = links.next();
        let (groups, mut totals) = links.into_groups();
        for (group, LinkNumber(link)) in groups {
            let Some(name) = links::name(snapshot.db(), link)? else {
                return Err(EngineError::Dangling { link });
            };
            // A link whose name was lost with a part of the file has none any more.
            if let Ok(link) = LinkId::parse(&name) {
                let (counters, variance) = totals.take(group);
                rows.push(CounterRow {
                    link: Some(link),
                    counters,
                    variance,
                });
            }
        }
        sketched |= totals.are_sketched();
    }
    rows.sort_unstable_by(|one, other| one.link.cmp(&other.link));
    Ok(Answer::complete(rows, sketched))
}

/// The number of a link in this file.
#[derive(Debug)]
struct LinkNumber(i64);

impl Shown for LinkNumber {
    fn bytes(&self) -> usize {
        0
    }
}

#[cfg(test)]
mod tests {
    use std::{borrow::Cow, time::Duration};

    use rusqlite::{Connection, params};
    use slugline_analytics::{
        Sampled,
        row::{Client, Place, Row, VisitedLink},
        visitor::VisitorHash,
    };
    use slugline_domain::{
        Choice, Counters, Degrees, SamplingInterval, UnixMillis, UnixSeconds, VisitFilter,
    };

    use super::*;
    use crate::file::{limits::Deadline, links::Links, schema, seal, tail};

    struct Log {
        _folder: tempfile::TempDir,
        db: Connection,
        links: Links,
    }

    impl Log {
        fn new() -> Self {
            let folder = tempfile::tempdir().unwrap();
            Self {
                db: schema::open_writer(&folder.path().join("a.db")).unwrap(),
                _folder: folder,
                links: Links::default(),
            }
        }

        fn add(&mut self, row: &Row<'_>) {
            let link = self.links.number(&self.db, row.target.link_id).unwrap();
            tail::insert(&self.db, row, link).unwrap();
        }

        fn ask(&mut self, query: &CountersQuery) -> Answer<CounterRow> {
            let deadline = Deadline::after(Duration::from_mins(1));
            let snapshot = Snapshot::take(&self.db, deadline).unwrap();
            answer(&snapshot, query).unwrap()
        }

        fn total(&mut self, filter: VisitFilter) -> Counters {
            let answer = self.ask(&CountersQuery {
                filter,
                per_link: false,
            });
            assert_eq!(answer.rows.len(), 1);
            answer.rows[0].counters
        }
    }

    fn row(visitor: u64, interval: u32, coherent: bool) -> Row<'static> {
        Row {
            sampled: Sampled {
                interval: SamplingInterval::new(interval).unwrap(),
                coherent,
            },
            ..crate::tests::rows::row(1_000, visitor)
        }
    }

    #[test]
    fn nothing_is_counted_as_zero_and_per_link_as_no_row() {
        let mut log = Log::new();
        assert_eq!(log.total(VisitFilter::default()), Counters::default());
        let answer = log.ask(&CountersQuery {
            filter: VisitFilter::default(),
            per_link: true,
        });
        assert_eq!(answer.rows, []);
    }

    #[test]
    fn intervals_are_added_and_visitors_weigh_their_smallest_coherent_one() {
        let mut log = Log::new();
        for (visitor, interval, coherent) in [
            (1, 8, true),
            (1, 4, true),
            (1, 2, false),
            (2, 16, true),
            (3, 64, false),
        ] {
            log.add(&row(visitor, interval, coherent));
        }
        for rows_per_chunk in [100, 3, 1] {
            seal::seal(&mut log.db, rows_per_chunk).unwrap();
            let answer = log.ask(&CountersQuery::default());
            let counters = answer.rows[0].counters;
            assert_eq!((counters.visits, counters.visitors), (94, 20));
            // 64·63 by chance, and (8 + 4)(12 - 2) + 16(16 - 1) + 2·1 by luck and by chance.
            assert_eq!(answer.rows[0].variance.visits, 4_032 + 120 + 240 + 2);
            assert_eq!(answer.rows[0].variance.visitors, 4 * 3 + 16 * 15);
        }
    }

    #[test]
    fn random_intervals_agree_with_sql_over_rows() {
        let mut log = Log::new();
        log.db
            .execute_batch("CREATE TEMP TABLE visit (visitor, si, coh, referer)")
            .unwrap();
        let mut state = 7_u64;
        let mut random = |below: u64| {
            state = state
                .wrapping_mul(6_364_136_223_846_793_005)
                .wrapping_add(1);
            (state >> 33) % below
        };
        for _ in 0..2_000 {
            let interval = 1 << random(7);
            let mut row = row(random(300) << 40, interval, random(3) > 0);
            row.referer =
                ["", "a.example", "b.example"][usize::try_from(random(3)).unwrap()].into();
            log.add(&row);
            let Sampled { interval, coherent } = row.sampled;
            let visitor = row.visitor.0.cast_signed();
            log.db
                .prepare_cached("INSERT INTO visit VALUES (?1, ?2, ?3, ?4)")
                .unwrap()
                .execute(params![visitor, interval.get(), coherent, row.referer])
                .unwrap();
        }
        let expected: (u32, u32, u32) = log
            .db
            .query_row(
                "SELECT (SELECT sum(si) FROM visit), \
                        (SELECT sum(u) FROM (SELECT min(CASE WHEN coh = 1 THEN si END) AS u \
                                             FROM visit GROUP BY visitor)), \
                        (SELECT count(DISTINCT referer) FROM visit WHERE referer <> '')",
                [],
                |row| Ok((row.get(0)?, row.get(1)?, row.get(2)?)),
            )
            .unwrap();
        for rows_per_chunk in [10_000, 700, 64] {
            seal::seal(&mut log.db, rows_per_chunk).unwrap();
            let counters = log.total(VisitFilter::default());
            let found = (counters.visits, counters.visitors, counters.referers);
            assert_eq!(
                found,
                (expected.0.into(), expected.1.into(), expected.2.into())
            );
        }
    }

    #[test]
    fn links_come_in_order_and_keep_their_visits_through_edits() {
        let mut log = Log::new();
        for (link_id, slug) in [("b", "two"), ("a", "one"), ("b", "deux"), ("(other)", "x")] {
            let mut row = row(1, 1, true);
            row.target.link_id = link_id;
            row.target.slug = slug;
            log.add(&row);
        }
        let answer = log.ask(&CountersQuery {
            filter: VisitFilter::default(),
            per_link: true,
        });
        let rows: Vec<(String, u64, u64)> = answer
            .rows
            .into_iter()
            .map(|row| {
                let link = row.link.unwrap().to_string();
                (link, row.counters.visits, row.counters.visitors)
            })
            .collect();
        assert_eq!(rows, [("a".into(), 1, 1), ("b".into(), 2, 1)]);
        assert_eq!(log.total(VisitFilter::default()).visits, 4);
    }

    #[test]
    fn both_ends_of_a_time_range_are_inclusive() {
        let mut log = Log::new();
        for at in [-1, 0, 999, 1_000, 1_999, 2_000] {
            log.add(&Row {
                at: UnixMillis::new(at),
                ..row(1, 1, true)
            });
        }
        for rows_per_chunk in [100, 3, 1] {
            seal::seal(&mut log.db, rows_per_chunk).unwrap();
            let mut visits = |from, until| {
                log.total(VisitFilter {
                    from,
                    until,
                    ..VisitFilter::default()
                })
                .visits
            };
            let second = |number| UnixSeconds::new(number).ok();
            assert_eq!(visits(second(0), second(1)), 4);
            assert_eq!(visits(second(1), second(1)), 2);
            assert_eq!(visits(None, second(0)), 3);
            assert_eq!(visits(second(2), None), 1);
            assert_eq!(
                visits(second(UnixSeconds::MIN), second(UnixSeconds::MAX)),
                6
            );
        }
    }

    #[test]
    fn each_dimension_can_be_filtered() {
        let mut log = Log::new();
        log.add(&row(1, 1, true));
        log.add(&Row {
            target: VisitedLink {
                link_id: "sale-1",
                slug: "sale",
                url: "https://example.com/sale",
                protection: "none",
            },
            client: Client {
                user_agent: "Example/1.0",
                os: "Linux",
                browser: "Example",
                browser_type: "cli",
                device: "Box",
                device_type: "console",
            },
            place: Place {
                country: "DE",
                region: "Hesse",
                city: "Kassel",
                timezone: "Europe/Berlin",
                colo: "FRA",
                latitude: Degrees::nearest(51.312_7),
                longitude: Degrees::nearest(9.479_7),
            },
            referer: Cow::Borrowed("news.example"),
            language: "de",
            visitor: VisitorHash(0xbeef),
            ..row(2, 1, true)
        });
        let values = [
            (Dimension::Slug, "sale"),
            (Dimension::Url, "https://example.com/sale"),
            (Dimension::UserAgent, "Example/1.0"),
            (Dimension::Ip, "000000000000beef"),
            (Dimension::Referer, "news.example"),
            (Dimension::Country, "DE"),
            (Dimension::Region, "Hesse"),
            (Dimension::City, "Kassel"),
            (Dimension::Timezone, "Europe/Berlin"),
            (Dimension::Language, "de"),
            (Dimension::Os, "Linux"),
            (Dimension::Browser, "Example"),
            (Dimension::BrowserType, "cli"),
            (Dimension::Device, "Box"),
            (Dimension::DeviceType, "console"),
            (Dimension::Colo, "FRA"),
            (Dimension::Latitude, "51.31"),
            (Dimension::Longitude, "9.48"),
        ];
        for rows_per_chunk in [100, 2] {
            seal::seal(&mut log.db, rows_per_chunk).unwrap();
            let mut visits = |values: Vec<(Dimension, Choice<String>)>| {
                log.total(VisitFilter {
                    values,
                    ..VisitFilter::default()
                })
                .visits
            };
            for (dimension, value) in values {
                let (value, other) = (value.to_owned(), "nothing like it".to_owned());
                let both = [other.clone(), value.clone()];
                for (choice, count) in [
                    (Choice::any_of(both.clone()), 1),
                    (Choice::none_of(both), 1),
                    (Choice::any_of([other.clone()]), 0),
                    (Choice::none_of([other.clone()]), 2),
                    (Choice::any_of([]), 0),
                    (Choice::none_of([]), 2),
                ] {
                    assert_eq!(
                        visits(vec![(dimension, choice.clone())]),
                        count,
                        "{choice:?}"
                    );
                }
                // Two conditions on the same dimension are ANDed.
                for other in [Choice::any_of([other]), Choice::none_of([value.clone()])] {
                    let conditions = vec![
                        (dimension, Choice::any_of([value.clone()])),
                        (dimension, other),
                    ];
                    assert_eq!(visits(conditions), 0);
                }
            }
            let choices = values.map(|(dimension, value)| {
                let value = [value.to_owned()];
                (dimension, Choice::any_of(value))
            });
            assert_eq!(visits(choices.to_vec()), 1);
        }
    }

    #[test]
    fn a_row_without_its_link_is_an_error_rather_than_a_wrong_answer() {
        let log = Log::new();
        tail::insert(&log.db, &row(1, 1, true), 99).unwrap();
        let deadline = Deadline::after(Duration::from_mins(1));
        let snapshot = Snapshot::take(&log.db, deadline).unwrap();
        let query = CountersQuery {
            filter: VisitFilter::default(),
            per_link: true,
        };
        assert_eq!(
            answer(&snapshot, &query).unwrap_err().to_string(),
            "a row refers to link 99, which does not exist"
        );
    }
}
