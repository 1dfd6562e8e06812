//! Day totals of domains.

use slugline_analytics::row::{Row, Target};
use slugline_domain::{Bots, Choice, Dimension, VisitFilter};

use super::counted::{Counted, all, two_days_in, visit};

fn of_key(key: &'static str, row: Row<'static>) -> Row<'static> {
    let target = Target {
        slug: key,
        // A link that is not busy itself.
        link_id: if key.starts_with("go") {
            "go-1"
        } else {
            "docs-1"
        },
        ..row.target
    };
    Row { target, ..row }
}

fn of_domain(domain: &str) -> VisitFilter {
    let only = Choice::any_of([domain.to_owned()]);
    VisitFilter {
        values: vec![(Dimension::Domain, only)],
        ..all()
    }
}

/// Two days of the default domain, and a third one on which the domain `go.example` has as many visits
/// as it has. Three visits of it are of two visitors.
async fn three_days() -> Counted {
    let mut log = two_days_in(Counted::new().await).await;
    log.asked
        .insert(&[
            of_key("docs", visit(20_002, 11, "a.example")),
            of_key("sale", visit(20_002, 12, "")),
            of_key("docs", visit(20_002, 12, "")),
            of_key("go.example/docs", visit(20_002, 11, "g.example")),
            of_key("go.example/docs", visit(20_002, 13, "")),
            of_key("go.example/sale", visit(20_002, 13, "a.example")),
            of_key("b.example/docs", visit(20_002, 14, "b.example")),
        ])
        .await;
    log.count_days().await;
    assert_eq!(log.counted().await, 3);
    log
}

#[tokio::test]
async fn visits_of_domains_are_taken_from_totals_and_small_ones_are_scanned() {
    let log = three_days().await;
    let expected = [
        ("", (7, 5, 2)),
        ("go.example", (3, 2, 2)),
        ("b.example", (1, 1, 1)),
        ("none.example", (0, 0, 0)),
    ];
    for (domain, counters) in expected {
        assert_eq!(log.counters(of_domain(domain)).await, counters, "{domain}");
    }
    let domains = log.values(Dimension::Domain).await;
    let row = |domain: &str, visits, visitors| (domain.to_owned(), visits, Some(visitors));
    let by_domain = [
        row("", 7, 5),
        row("go.example", 3, 2),
        row("b.example", 1, 1),
    ];
    assert_eq!(domains, by_domain);
    log.spoil_totals().await;
    assert_eq!(log.counters(of_domain("")).await, (70, 5, 2));
    assert_eq!(log.counters(of_domain("go.example")).await, (30, 2, 2));
    // Less than a count stores: the visits of its day are scanned.
    assert_eq!(log.counters(of_domain("b.example")).await, (1, 1, 1));
    assert_eq!(log.counters(of_domain("none.example")).await, (0, 0, 0));
    let [default, named, _] = by_domain;
    let tenfold = |(domain, visits, visitors)| (domain, visits * 10, visitors);
    let found = log.values(Dimension::Domain).await;
    assert_eq!(found[..2], [tenfold(default), tenfold(named)]);
    let mut people = of_domain("go.example");
    people.values.extend(Bots::Exclude.condition());
    assert_eq!(log.counters(people).await, (30, 2, 2));
}

#[tokio::test]
async fn a_day_of_the_default_domain_stores_nothing_more() {
    let log = two_days_in(Counted::new().await).await;
    for nothing in [
        "SELECT count() FROM slugline_day WHERE link_id LIKE '/%' OR has(lists, 'domain')",
        "SELECT count() FROM slugline_day WHERE has(lists, 'domains')",
        "SELECT count() FROM slugline_day_value WHERE link_id LIKE '/%' OR name = 'domain'",
    ] {
        assert_eq!(log.number(nothing).await, 0, "{nothing}");
    }
    log.spoil_totals().await;
    assert_eq!(log.counters(of_domain("")).await, (40, 3, 2));
    assert_eq!(log.counters(of_domain("go.example")).await, (0, 0, 0));
}

#[tokio::test]
async fn erased_and_late_visits_change_the_answers_about_their_domain_at_once() {
    let mut log = three_days().await;
    log.run("ALTER TABLE access_log DELETE WHERE slug = 'go.example/sale'")
        .await;
    assert_eq!(log.counters(of_domain("go.example")).await, (2, 2, 1));
    let late = of_key("go.example/late", visit(20_001, 21, "late.example"));
    log.asked.insert(&[late]).await;
    assert_eq!(log.counters(of_domain("go.example")).await, (3, 3, 2));
    assert_eq!(log.counters(of_domain("")).await, (7, 5, 2));
    log.count_days().await;
    log.count_days().await;
    assert_eq!(log.counters(of_domain("go.example")).await, (3, 3, 2));
    assert_eq!(log.counters(of_domain("")).await, (7, 5, 2));
}
