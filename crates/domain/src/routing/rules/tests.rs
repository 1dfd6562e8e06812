use std::net::IpAddr;

use proptest::prelude::*;
use rstest::rstest;

use super::*;
use crate::{
    Country, LocalSeconds, Place, PlaceName, UnixSeconds, first_language,
    fixture::with,
    referring_host,
    routing::{AgentFacts, ConditionForm, VisitorFacts},
};

/// A visitor of whom a test knows everything.
#[derive(Clone, Debug, Default)]
struct Facts {
    agent: Option<AgentFacts>,
    place: Option<Place>,
    accept_language: String,
    referring_host: Option<String>,
    address: Option<IpAddr>,
    offset: i64,
    now: i64,
}

impl VisitorFacts for Facts {
    fn agent(&self) -> Option<&AgentFacts> {
        self.agent.as_ref()
    }

    fn place(&self) -> Option<&Place> {
        self.place.as_ref()
    }

    fn language(&self) -> Option<&str> {
        first_language(&self.accept_language)
    }

    fn referrer(&self) -> Option<&str> {
        self.referring_host.as_deref()
    }

    fn address(&self) -> Option<IpAddr> {
        self.address
    }

    fn local_time(&self, zone: &TimeZoneName) -> Option<LocalSeconds> {
        let known = zone.as_str() == "Europe/Berlin";
        known.then(|| LocalSeconds::new(self.now + self.offset))
    }
}

/// 2027-01-15, a Friday, at 08:00 UTC.
const NOW: i64 = 1_800_000_000;

fn german() -> Facts {
    let place = Place {
        country: Country::parse("DE").ok(),
        region: PlaceName::new("Bavaria"),
        city: PlaceName::new("Munich"),
        ..Place::default()
    };
    Facts {
        agent: Some(AgentFacts {
            os: "iOS".into(),
            browser: "Mobile Safari".into(),
            device_type: "mobile".into(),
            is_bot: false,
        }),
        place: Some(place),
        accept_language: "de-DE,en;q=0.9".into(),
        referring_host: referring_host("https://m.news.example/a"),
        address: "192.0.2.7".parse().ok(),
        offset: 3_600,
        now: NOW,
    }
}

fn visitor<'f>(facts: &'f Facts, query: Option<&'f str>) -> Visitor<'f> {
    let now = UnixSeconds::new(facts.now).unwrap();
    Visitor {
        now,
        user_agent: "",
        country: None,
        query,
        rest: None,
        facts,
    }
}

fn condition(name: &str, negated: bool, values: &[&str]) -> Condition {
    let kind = ConditionKind::named(name).unwrap();
    Condition::parse(kind, negated, values).unwrap()
}

fn rule(conditions: Vec<Condition>, zone: Option<&str>, to: &str) -> Result<Rule, RuleError> {
    let zone = zone.map(|zone| zone.parse().unwrap());
    let to = format!("https://{to}.example/").parse().unwrap();
    Rule::new(conditions, zone, to)
}

fn rules(all: Vec<Vec<Condition>>) -> Rules {
    let all = all
        .into_iter()
        .map(|conditions| rule(conditions, None, "a").unwrap());
    Rules::new(all.collect()).unwrap()
}

#[rstest]
#[case("device", &["ios"], true)]
#[case("device", &["android", "mobile"], true)]
#[case("device", &["desktop"], false)]
#[case("browser", &["Safari"], true)]
#[case("browser", &["Chrome"], false)]
#[case("country", &["AT", "DE"], true)]
#[case("country", &["AT"], false)]
#[case("region", &["bavaria"], true)]
#[case("city", &["MUNICH"], true)]
#[case("city", &["Berlin"], false)]
#[case("continent", &["eu"], true)]
#[case("language", &["de"], true)]
#[case("language", &["en"], false)]
#[case("query", &["ref=poster", "a"], true)]
#[case("query", &["ref=poster", "b"], false)]
#[case("referrer", &["news.example"], true)]
#[case("referrer", &["ws.example"], false)]
#[case("from", &["1800000000"], true)]
#[case("from", &["1800000001"], false)]
#[case("until", &["1800000000"], false)]
#[case("until", &["1800000001"], true)]
#[case("from", &["2027-01-15"], true)]
#[case("until", &["2027-01-15"], true)]
#[case("until", &["2027-01-14"], false)]
#[case("weekday", &["fri"], true)]
#[case("weekday", &["sat", "sun"], false)]
#[case("hours", &["08:00-08:01"], true)]
#[case("hours", &["09:00-18:00"], false)]
#[case("bot", &["false"], true)]
#[case("bot", &["true"], false)]
#[case("network", &["192.0.2.0/24"], true)]
#[case("network", &["198.51.100.0/24"], false)]
fn a_condition_holds_for_the_visitors_it_names(
    #[case] name: &str,
    #[case] values: &[&str],
    #[case] holds: bool,
) {
    let facts = german();
    let visitor = visitor(&facts, Some("ref=poster&a=1"));
    let found = rules(vec![vec![condition(name, false, values)]]);
    assert_eq!(found.first_holding(&visitor, |_| {}), holds.then_some(0));
    if ConditionKind::named(name).unwrap().form() == ConditionForm::List {
        let turned = rules(vec![vec![condition(name, true, values)]]);
        let first = turned.first_holding(&visitor, |_| {});
        assert_eq!(first, (!holds).then_some(0));
    }
}

#[test]
fn an_unknown_fact_makes_a_condition_and_its_opposite_false() {
    let nobody = with(Facts::default(), |it| it.now = NOW);
    for (name, value) in [
        ("device", "ios"),
        ("browser", "Safari"),
        ("country", "DE"),
        ("region", "Bavaria"),
        ("city", "Munich"),
        ("continent", "EU"),
        ("language", "de"),
        ("referrer", "news.example"),
        ("network", "192.0.2.0/24"),
    ] {
        for negated in [false, true] {
            let found = rules(vec![vec![condition(name, negated, &[value])]]);
            let mut facts = Vec::new();
            let holding = found.first_holding(&visitor(&nobody, None), |miss| {
                facts.push(miss.fact());
            });
            assert_eq!((holding, facts), (None, vec![None]), "{name}");
        }
    }
    let bot = rules(vec![vec![condition("bot", false, &["false"])]]);
    assert_eq!(bot.first_holding(&visitor(&nobody, None), |_| {}), None);
}

#[test]
fn a_zone_moves_days_and_hours_and_an_unknown_one_holds_for_nobody() {
    let facts = with(german(), |it| it.now = NOW + 15 * 3_600 + 1_800);
    let visitor = visitor(&facts, None);
    let holds = |zone, name, value| {
        let rule = rule(vec![condition(name, false, &[value])], zone, "a").unwrap();
        let rules = Rules::new(vec![rule]).unwrap();
        rules.first_holding(&visitor, |_| {}).is_some()
    };
    // 23:30 in London is 00:30 in Berlin.
    for (name, london, berlin) in [
        ("weekday", "fri", "sat"),
        ("hours", "23:00-24:00", "00:00-01:00"),
        ("until", "2027-01-15", "2027-01-16"),
    ] {
        assert!(holds(None, name, london), "{name}");
        assert!(!holds(Some("Europe/Berlin"), name, london), "{name}");
        assert!(holds(Some("Europe/Berlin"), name, berlin), "{name}");
        assert!(!holds(Some("Mars/Olympus"), name, berlin), "{name}");
    }
}

#[test]
fn each_rule_that_missed_says_why() {
    let facts = german();
    let visitor = visitor(&facts, Some("ref=web"));
    let all = rules(vec![
        vec![
            condition("country", false, &["AT"]),
            condition("device", false, &["ios"]),
        ],
        vec![
            condition("query", false, &["ref=poster"]),
            condition("country", false, &["DE"]),
        ],
        vec![condition("country", false, &["DE"])],
        vec![condition("country", false, &["CH"])],
    ]);
    let mut missed = Vec::new();
    let holding = all.first_holding(&visitor, |miss| {
        let kind = miss.condition.kind().as_str();
        missed.push((miss.rule, kind, miss.fact().unwrap_or_default()));
    });
    assert_eq!(holding, Some(2));
    let expected = [
        (0, "country", "DE".to_owned()),
        (1, "query", "ref=web".to_owned()),
    ];
    assert_eq!(missed, expected);
}

#[test]
fn what_is_no_rule_is_refused() {
    let refused = |conditions, zone| rule(conditions, zone, "a").unwrap_err().to_string();
    let from = |text| condition("from", false, &[text]);
    let until = |text| condition("until", false, &[text]);
    let never = "no visitor meets this rule: until is not after from";
    for (conditions, zone, message) in [
        (
            vec![],
            None,
            "a rule needs a condition, because it would hold for everybody",
        ),
        (vec![until("5"), from("5")], None, never),
        (vec![from("2027-01-02"), until("2027-01-01")], None, never),
        (vec![from("5"), from("6")], None, "two conditions on from"),
        (
            vec![from("5")],
            Some("Europe/Berlin"),
            "timeZone needs a condition on days, weekday or hours",
        ),
        (
            vec![from("5"); 9],
            None,
            "9 conditions, at most 8 are allowed",
        ),
    ] {
        assert_eq!(refused(conditions, zone), message);
    }
    assert!(rule(vec![from("2027-01-01"), until("2027-01-01")], None, "a").is_ok());
    let one = rule(vec![from("5")], None, "a").unwrap();
    assert_eq!(Rules::new(vec![one; 21]), Err(RulesError(21)));
}

/// Conditions by which rules of tests differ, each with its name.
fn any_condition() -> impl Strategy<Value = Condition> {
    let listed = prop::sample::select(vec![
        ("device", vec!["ios", "desktop"]),
        ("browser", vec!["Safari"]),
        ("country", vec!["DE", "AT"]),
        ("continent", vec!["NA"]),
        ("city", vec!["Munich"]),
        ("region", vec!["Hesse"]),
        ("language", vec!["de", "fr"]),
        ("referrer", vec!["news.example"]),
        ("weekday", vec!["fri"]),
        ("hours", vec!["07:00-09:00"]),
        ("network", vec!["192.0.2.0/24", "2001:db8::/32"]),
    ]);
    let listed = (listed, any::<bool>())
        .prop_map(|((name, values), negated)| condition(name, negated, &values));
    let single = prop::sample::select(vec![
        ("query", "ref=poster"),
        ("bot", "true"),
        ("bot", "false"),
        ("from", "1800000000"),
        ("until", "2027-01-15"),
    ]);
    let single = single.prop_map(|(name, value)| condition(name, false, &[value]));
    prop_oneof![3 => listed, 1 => single]
}

fn any_rules() -> impl Strategy<Value = Rules> {
    let conditions = prop::collection::vec(any_condition(), 1..4).prop_map(|mut conditions| {
        conditions.sort_by_key(Condition::kind);
        conditions.dedup_by_key(|condition| condition.kind());
        conditions
    });
    prop::collection::vec(conditions, 0..=Rules::MAX).prop_map(rules)
}

fn any_header() -> impl Strategy<Value = String> {
    let part = prop::sample::select(vec![
        "de",
        "en-GB",
        ";q=",
        "0.5",
        ",",
        "https://",
        "news.example",
        "[",
        "::1",
        "%",
        "&",
        "=",
        "ref",
        "poster",
        "\u{0}",
        "ü",
        " ",
        "*",
        "//",
        "@",
        ":99999",
    ]);
    prop::collection::vec(part, 0..12).prop_map(|parts| parts.concat())
}

prop_compose! {
    fn any_facts()(
        known in any::<[bool; 3]>(),
        accept_language in any_header(),
        referrer in any_header(),
        address in any::<Option<[u8; 4]>>(),
        now in UnixSeconds::MIN..=UnixSeconds::MAX,
    ) -> Facts {
        let known_facts = german();
        let [agent, place, at_noon] = known;
        Facts {
            agent: known_facts.agent.filter(|_| agent),
            place: known_facts.place.filter(|_| place),
            accept_language,
            referring_host: referring_host(&referrer),
            address: address.map(IpAddr::from),
            now: if at_noon { NOW } else { now },
            ..german()
        }
    }
}

proptest! {
    #[test]
    fn the_first_rule_that_holds_alone_wins_whatever_visitors_send(
        rules in any_rules(),
        facts in any_facts(),
        query in prop::option::of(any_header()),
    ) {
        let visitor = visitor(&facts, query.as_deref());
        let mut missed = Vec::new();
        let holding = rules.first_holding(&visitor, |miss| missed.push((miss.rule, miss.fact())));
        let alone = |rule: &Rule| {
            let one = Rules::new(vec![rule.clone()]).unwrap();
            one.first_holding(&visitor, |_| {}).is_some()
        };
        prop_assert_eq!(holding, rules.iter().position(alone));
        prop_assert_eq!(holding, rules.first_holding(&visitor, |_| {}));
        let before = holding.unwrap_or(rules.iter().count());
        let heard: Vec<usize> = missed.into_iter().map(|(rule, _)| rule).collect();
        prop_assert_eq!(heard, (0..before).collect::<Vec<_>>());
    }

    #[test]
    fn the_order_in_which_conditions_are_written_is_all_one(
        conditions in prop::collection::vec(any_condition(), 1..4),
        facts in any_facts(),
    ) {
        let mut conditions = conditions;
        conditions.sort_by_key(Condition::kind);
        conditions.dedup_by_key(|condition| condition.kind());
        let mut turned = conditions.clone();
        turned.reverse();
        let visitor = visitor(&facts, None);
        let (one, other) = (rules(vec![conditions]), rules(vec![turned]));
        prop_assert_eq!(&one, &other);
        prop_assert_eq!(
            one.first_holding(&visitor, |_| {}),
            other.first_holding(&visitor, |_| {})
        );
    }
}
