//! What it costs to decide where a link leads a visitor: `cargo bench -p slugline-domain`.
//!
//! Prints nanoseconds for each decision. The goals are two microseconds for twenty rules, and no
//! difference for links without rules.

#![expect(clippy::print_stdout, reason = "the figures are the output")]

use std::{hint::black_box, time::Instant};

use slugline_domain::{
    Country, Destination, FollowedLink, InstanceDefaults, Link, Place, PlaceName, Rules,
    UnixSeconds, Visitor,
    routing::{AgentFacts, Condition, ConditionKind, PathRest, Rule, Share, Split, VisitorFacts},
};

/// A visitor whose facts are at hand, as they are after the first condition that asked for them.
#[derive(Debug)]
struct AtHand {
    agent: AgentFacts,
    place: Place,
}

impl VisitorFacts for AtHand {
    fn agent(&self) -> Option<&AgentFacts> {
        Some(&self.agent)
    }

    fn place(&self) -> Option<&Place> {
        Some(&self.place)
    }

    fn language(&self) -> Option<&str> {
        Some("de-DE")
    }

    fn referrer(&self) -> Option<&str> {
        Some("m.news.example")
    }

    fn address(&self) -> Option<std::net::IpAddr> {
        Some(std::net::Ipv4Addr::new(192, 0, 2, 7).into())
    }

    fn lot(&self) -> Option<u64> {
        Some(u64::MAX)
    }
}

fn main() {
    let facts = AtHand {
        agent: AgentFacts {
            os: "iOS".into(),
            browser: "Mobile Safari".into(),
            device_type: "mobile".into(),
            is_bot: false,
        },
        place: Place {
            country: Country::parse("DE").ok(),
            city: PlaceName::new("Munich"),
            ..Place::default()
        },
    };
    let now = UnixSeconds::new(1_800_000_000).expect("in range");
    let visitor = Visitor {
        now,
        user_agent: "Mozilla/5.0 (iPhone; CPU iPhone OS 17_4 like Mac OS X)",
        country: None,
        query: Some("ref=web&utm_source=mail"),
        rest: None,
        facts: &facts,
    };
    let one = vec![condition(ConditionKind::Country, &["AT"])];
    let eight = vec![
        condition(ConditionKind::From, &["2026-01-01"]),
        condition(ConditionKind::Weekday, &["fri"]),
        condition(ConditionKind::Hours, &["08:00-18:00"]),
        condition(ConditionKind::Network, &["192.0.2.0/24"]),
        condition(ConditionKind::Device, &["ios"]),
        condition(ConditionKind::Browser, &["Safari"]),
        condition(ConditionKind::Country, &["DE"]),
        condition(ConditionKind::City, &["Berlin"]),
    ];
    let headers = vec![
        condition(ConditionKind::Language, &["de"]),
        condition(ConditionKind::Country, &["AT"]),
    ];
    let query = vec![condition(ConditionKind::Query, &["ref=poster"])];
    measure("no rules", &link(|_| {}), &visitor);
    for (name, conditions) in [
        ("20 rules of 1 condition", one),
        ("20 rules of 8 conditions, of which 7 hold", eight),
        ("20 rules on language and country", headers),
        ("20 rules on the query", query),
    ] {
        let ruled = link(|link| link.content.routing.rules = rules(&conditions));
        measure(name, &ruled, &visitor);
    }
    let split = link(|link| {
        let share = |weight| Share {
            weight,
            destination: to("https://e.example/b"),
        };
        link.content.routing.split = Split::new(vec![share(10); 8]).ok();
    });
    measure("a split of 8", &split, &visitor);
    let pattern = link(|link| {
        link.content.destination = to("https://e.example/{path}");
        link.content.routing.forward_path = Some(true);
    });
    let visitor = Visitor {
        rest: PathRest::new("rust-lang/rust/issues/1"),
        ..visitor
    };
    measure("a pattern", &pattern, &visitor);
}

fn condition(kind: ConditionKind, values: &[&str]) -> Condition {
    Condition::parse(kind, false, values).expect("a condition")
}

fn rules(conditions: &[Condition]) -> Rules {
    let rule = Rule::new(conditions.to_vec(), None, to("https://e.example/a")).expect("a rule");
    Rules::new(vec![rule; Rules::MAX]).expect("rules")
}

fn to(url: &str) -> Destination {
    url.parse().expect("a destination")
}

fn link(change: impl FnOnce(&mut Link)) -> FollowedLink {
    let [id, slug] = ["id", "docs"];
    let now = UnixSeconds::new(1_700_000_000).expect("in range");
    let mut link = Link::new(
        id.parse().expect("an id"),
        slug.parse().expect("a slug"),
        to("https://e.example/"),
        now,
    );
    change(&mut link);
    link.into()
}

/// The best of several runs, which others disturbed least.
fn measure(name: &str, link: &FollowedLink, visitor: &Visitor<'_>) {
    const TIMES: u32 = 100_000;
    let run = || {
        let begun = Instant::now();
        for _ in 0..TIMES {
            let resolution =
                black_box(link).resolve(black_box(visitor), InstanceDefaults::default());
            black_box(&resolution);
        }
        begun.elapsed() / TIMES
    };
    let best = (0..20).map(|_| run()).min().unwrap_or_default();
    println!("{:>7} ns  {name}", best.as_nanos());
}
