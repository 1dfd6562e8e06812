//! The spans in the database: an access log or a spool.

use rusqlite::{Connection, Row};
use slugline_domain::{LinkId, SamplingInterval, VisitFilter};

use super::span::{QuestionScope, SampledLink, Span};

/// The most spans. Beyond them the older half is combined by day, for all links.
const MOST: u32 = 10_000;

/// The largest interval decided about the visits that a question asks about; 1 if nothing was
/// sampled.
pub fn concerning(
    db: &Connection,
    filter: &VisitFilter,
) -> Result<SamplingInterval, rusqlite::Error> {
    let asked = QuestionScope::by(filter);
    let Some(minutes) = asked.minutes() else {
        return Ok(SamplingInterval::EVERY);
    };
    let mut statement = db.prepare_cached(
        "SELECT interval, link_id, slug FROM sampled WHERE until_minute >= ?1 AND from_minute <= ?2",
    )?;
    let mut rows = statement.query(minutes)?;
    let mut largest = SamplingInterval::EVERY;
    while let Some(row) = rows.next()? {
        let (id, slug) = (row.get_ref(1)?.as_str()?, row.get_ref(2)?.as_str()?);
        if id.is_empty() || asked.admits(id, slug) {
            largest = largest.max(interval(row.get(0)?));
        }
    }
    Ok(largest)
}

/// All spans.
pub fn all(db: &Connection) -> Result<Vec<Span>, rusqlite::Error> {
    db.prepare(
        "SELECT from_minute, until_minute, link_id, slug, interval FROM sampled ORDER BY id",
    )?
    .query_map([], read)?
    .collect()
}

/// Adds spans. A span that follows another one of the same link extends it, if they have the same
/// interval or belong to the same day. Storing a span twice changes nothing.
pub fn save<'s>(
    db: &Connection,
    spans: impl Iterator<Item = &'s Span>,
) -> Result<(), rusqlite::Error> {
    let mut extend = db.prepare_cached(
        "UPDATE sampled SET from_minute = min(from_minute, ?1), until_minute = max(until_minute, ?2), \
                            interval = max(interval, ?5) \
         WHERE id = (SELECT max(id) FROM sampled \
                     WHERE link_id = ?3 AND slug = ?4 \
                       AND from_minute - 1 <= ?2 AND until_minute + 1 >= ?1 \
                       AND (interval = ?5 \
                            OR from_minute / 1440 = ?1 / 1440 AND until_minute / 1440 = ?2 / 1440))",
    )?;
    let mut insert = db.prepare_cached(
        "INSERT INTO sampled (from_minute, until_minute, link_id, slug, interval) \
         VALUES (?1, ?2, ?3, ?4, ?5)",
    )?;
    let mut inserted = false;
    for span in spans {
        if extend.execute(span.values())? == 0 {
            insert.execute(span.values())?;
            inserted = true;
        }
    }
    if inserted {
        combine(db, MOST)?;
    }
    Ok(())
}

/// Deletes these spans, but for those that have changed.
pub fn remove(db: &Connection, spans: &[Span]) -> Result<(), rusqlite::Error> {
    let mut delete = db.prepare_cached(
        "DELETE FROM sampled WHERE from_minute = ?1 AND until_minute = ?2 \
                               AND link_id = ?3 AND slug = ?4 AND interval = ?5",
    )?;
    for span in spans {
        delete.execute(span.values())?;
    }
    Ok(())
}

/// Deletes all spans.
pub fn clear(db: &Connection) -> Result<(), rusqlite::Error> {
    db.execute("DELETE FROM sampled", [])?;
    Ok(())
}

/// Deletes the spans of a link whose visits are erased.
pub fn erase(db: &Connection, link: &LinkId) -> Result<(), rusqlite::Error> {
    db.prepare_cached("DELETE FROM sampled WHERE link_id = ?1")?
        .execute([link.as_str()])?;
    Ok(())
}

/// Deletes spans from before a moment. Visits from before it are deleted, too.
pub fn delete_before(db: &Connection, cutoff_ms: i64) -> Result<(), rusqlite::Error> {
    db.prepare_cached("DELETE FROM sampled WHERE until_minute < ?1")?
        .execute([cutoff_ms.div_euclid(60_000)])?;
    Ok(())
}

fn combine(db: &Connection, most: u32) -> Result<(), rusqlite::Error> {
    let count: u32 = db
        .prepare_cached("SELECT count(*) FROM sampled")?
        .query_row([], |row| row.get(0))?;
    if count <= most {
        return Ok(());
    }
    // The order of insertion is roughly that of time.
    let middle: i64 = db
        .prepare_cached("SELECT id FROM sampled ORDER BY id LIMIT 1 OFFSET ?1")?
        .query_row([count / 2], |row| row.get(0))?;
    let combined: Vec<Span> = db
        .prepare_cached(
            "SELECT min(from_minute), max(until_minute), '', '', max(interval) FROM sampled \
             WHERE id < ?1 GROUP BY until_minute / 1440",
        )?
        .query_map([middle], read)?
        .collect::<Result<_, _>>()?;
    db.prepare_cached("DELETE FROM sampled WHERE id < ?1")?
        .execute([middle])?;
    save(db, combined.iter())
}

fn read(row: &Row<'_>) -> Result<Span, rusqlite::Error> {
    let id: String = row.get(2)?;
    let slug = row.get(3)?;
    Ok(Span {
        from: row.get(0)?,
        until: row.get(1)?,
        link: (!id.is_empty()).then_some(SampledLink { id, slug }),
        interval: interval(row.get(4)?),
    })
}

fn interval(stored: u32) -> SamplingInterval {
    SamplingInterval::new(stored).unwrap_or(SamplingInterval::EVERY)
}

#[cfg(test)]
mod tests {
    use slugline_domain::{Choice, Dimension};
    use slugline_testkit::questions;

    use super::*;
    use crate::journal::blank;

    fn span(minute: i64, slug: &str, interval: u32) -> Span {
        Span {
            from: minute,
            until: minute,
            link: (!slug.is_empty()).then(|| SampledLink {
                id: format!("id-{slug}"),
                slug: slug.to_owned(),
            }),
            interval: SamplingInterval::new(interval).unwrap(),
        }
    }

    fn open() -> (tempfile::TempDir, Connection) {
        let folder = tempfile::tempdir().unwrap();
        let db = blank::open(&folder.path().join("a.db"));
        (folder, db)
    }

    #[test]
    fn a_question_meets_the_decisions_about_its_time_and_its_links() {
        let (_folder, db) = open();
        save(
            &db,
            [span(10, "a", 64), span(20, "b", 8), span(30, "", 2)].iter(),
        )
        .unwrap();
        let of = |filter: VisitFilter| concerning(&db, &filter).unwrap().get();
        let between = |from: i64, until: i64| questions::between(from * 60, until * 60);
        assert_eq!(of(VisitFilter::default()), 64);
        for (from, until, expected) in [(0, 9, 1), (0, 10, 64), (11, 20, 8), (21, 99, 2)] {
            assert_eq!(of(between(from, until)), expected, "{from} to {until}");
        }
        let of_link = |id: &str| questions::of_links(Choice::any_of([LinkId::parse(id).unwrap()]));
        // All links were sampled in the minute 30.
        for (id, expected) in [("id-a", 64), ("id-b", 8), ("id-c", 2)] {
            assert_eq!(of(of_link(id)), expected, "{id}");
        }
        let values = |dimension, choice| VisitFilter {
            values: vec![(dimension, choice)],
            ..between(0, 29)
        };
        let slug = |choice| values(Dimension::Slug, choice);
        assert_eq!(of(slug(Choice::any_of(["b".to_owned()]))), 8);
        assert_eq!(
            of(slug(Choice::none_of(["a".to_owned(), "b".to_owned()]))),
            1
        );
        // A visit that was sampled away may have had any referer.
        let referer = Choice::any_of(["rare.example".to_owned()]);
        assert_eq!(of(values(Dimension::Referer, referer)), 64);
    }

    #[test]
    fn minutes_that_follow_one_another_are_one_span() {
        let (_folder, db) = open();
        for (minute, interval) in [(5, 2), (6, 8), (6, 4), (9, 2)] {
            save(&db, [span(minute, "a", interval)].iter()).unwrap();
        }
        save(&db, [span(7, "b", 2)].iter()).unwrap();
        let first = Span {
            until: 6,
            ..span(5, "a", 8)
        };
        assert_eq!(all(&db).unwrap(), [first, span(9, "a", 2), span(7, "b", 2)]);
        erase(&db, &LinkId::parse("id-a").unwrap()).unwrap();
        assert_eq!(all(&db).unwrap(), [span(7, "b", 2)]);
        delete_before(&db, 8 * 60_000).unwrap();
        assert_eq!(all(&db).unwrap(), []);
    }

    #[test]
    fn very_many_spans_become_fewer_that_cover_no_less() {
        let (_folder, db) = open();
        let spans: Vec<Span> = (0..2_000)
            .map(|number| span(number * 3, &format!("s{number}"), 4))
            .collect();
        save(&db, spans.iter()).unwrap();
        combine(&db, 1_000).unwrap();
        let kept = all(&db).unwrap();
        assert!(kept.len() <= 1_010, "{}", kept.len());
        for span in spans {
            let covered = kept.iter().any(|kept| {
                kept.from <= span.from
                    && kept.until >= span.until
                    && (kept.link.is_none() || kept.link == span.link)
                    && kept.interval >= span.interval
            });
            assert!(covered, "{span:?}");
        }
    }
}
