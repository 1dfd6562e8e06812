//! Explains the answer that a visitor of a link gets.

use crate::{
    Arrival, FollowedLink, Gate, InstanceDefaults, Resolution, Visitor, Way, routing::ConditionKind,
};

/// The answer to a visitor who passes every gate, and the reasons for it.
#[derive(Debug, PartialEq, Eq)]
pub struct Explanation<'l> {
    /// The gates, in the order in which the visitor passes them.
    pub gates: Vec<Gate<'l>>,
    /// The answer behind them.
    pub answer: Answer<'l>,
    /// The way to the destination; `None` if the visitor is not led there.
    pub way: Option<Way>,
    /// The rules that did not hold, up to the one that did, in their order.
    pub missed: Vec<MissedRule>,
    /// True if the side of the split is unknown, because the visitor's address is. The way is the
    /// one to the link's own destination then.
    pub needs_lot: bool,
}

/// The answer behind the gates.
#[derive(Debug, PartialEq, Eq)]
pub enum Answer<'l> {
    /// Visitors are told that no link has the slug.
    Absent,
    /// The link is expired or used up, and leads nowhere then.
    Over,
    /// The visitor gets this.
    Arrival(Arrival<'l>),
}

/// A rule that did not hold.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct MissedRule {
    /// The index of the rule.
    pub rule: usize,
    /// The first of its conditions that did not hold.
    pub condition: ConditionKind,
    /// The fact that the condition compared; `None` if it is unknown.
    pub fact: Option<String>,
}

/// The head of an HTTP answer. Members are `None` if the destination decides them.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct AnswerHead {
    /// The status.
    pub status: Option<u16>,
    /// The `Location` header.
    pub location: Option<String>,
    /// The `Cache-Control` header.
    pub cache_control: Option<String>,
}

impl FollowedLink {
    /// Explains the answer to a visitor. `used_up` tells if no visit is left, which only the store
    /// knows.
    pub fn explain<'l>(
        &'l self,
        visitor: &Visitor<'_>,
        rules: InstanceDefaults,
        used_up: bool,
    ) -> Explanation<'l> {
        let mut gates = Vec::new();
        // Any other link has no path behind its slug.
        let has_path = visitor.rest.is_none() || self.terms().routing.forwards_path();
        let answer = match self.resolve(visitor, rules) {
            Resolution::Absent => Answer::Absent,
            _ if !has_path => Answer::Absent,
            Resolution::Expired => Answer::Over,
            Resolution::Open(arrival) => self.unless_used_up(arrival, used_up),
            Resolution::Gate(first) => {
                let is_followed = matches!(first, Gate::Password(_)) && self.terms().flagged_unsafe;
                gates.push(first);
                gates.extend(is_followed.then_some(Gate::Warning));
                self.unless_used_up(self.deliver(visitor, rules), used_up)
            }
        };
        let mut missed = Vec::new();
        let is_led = matches!(answer, Answer::Arrival(Arrival::Led(_)));
        let way = is_led.then(|| {
            self.way(visitor, |miss| {
                missed.push(MissedRule {
                    rule: miss.rule,
                    condition: miss.condition.kind(),
                    fact: miss.fact(),
                });
            })
        });
        let is_split = self.terms().routing.split_at(visitor.now).is_some();
        Explanation {
            gates,
            answer,
            way,
            missed,
            needs_lot: way == Some(Way::Main) && is_split && visitor.facts.lot().is_none(),
        }
    }

    /// The answer to a visitor for whom a visit has to be counted, if the link counts them.
    fn unless_used_up<'l>(&'l self, arrival: Arrival<'l>, used_up: bool) -> Answer<'l> {
        let costs_a_visit = self.counts_visits() && matches!(arrival, Arrival::Led(_));
        if !(used_up && costs_a_visit) {
            return Answer::Arrival(arrival);
        }
        match &self.terms().life.expired_url {
            Some(detour) => Answer::Arrival(Arrival::Detour(detour.uri())),
            None => Answer::Over,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{
        Link, MaxVisits, PasswordHash, Rules, Split,
        fixture::{link, to, visitor},
        routing::{Condition, Rule, Share},
    };

    const LED: &str =
        r#"Arrival(Led(Lead { way: Main, target: Uri("https://e.example/"), by: Redirect }))"#;

    fn asking(query: Option<&str>) -> Visitor<'_> {
        Visitor { query, ..visitor() }
    }

    fn explained(link: &Link, query: &str, used_up: bool) -> String {
        let link = FollowedLink::from(link);
        let why = link.explain(&asking(Some(query)), InstanceDefaults::default(), used_up);
        format!("{:?} {:?} {:?}", why.gates, why.answer, why.way)
    }

    #[test]
    fn gates_come_in_order_and_the_answer_behind_them_is_told() {
        let mut link = link("https://e.example/");
        link.content.flagged_unsafe = Some(true);
        link.password = Some(PasswordHash::new("hash"));
        let shown = explained(&link, "", false);
        assert!(shown.starts_with("[Password("), "{shown}");
        let end = format!(", Warning] {LED} Some(Main)");
        assert!(shown.ends_with(&end), "{shown}");
        link.content.life.disabled = true;
        assert_eq!(explained(&link, "", false), "[] Absent None");
    }

    #[test]
    fn a_link_that_is_used_up_leads_on_no_more() {
        let mut link = link("https://e.example/");
        link.content.life.max_visits = MaxVisits::new(1).ok();
        let main = format!("[] {LED} Some(Main)");
        assert_eq!(explained(&link, "", false), main);
        assert_eq!(explained(&link, "", true), "[] Over None");
        link.content.life.expired_url = Some(to("https://over.example/"));
        let over = r#"[] Arrival(Detour(Uri("https://over.example/"))) None"#;
        assert_eq!(explained(&link, "", true), over);
    }

    #[test]
    fn each_rule_before_the_one_that_holds_tells_what_it_missed() {
        let mut link = link("https://e.example/");
        let rule = |kind, text: &str| {
            let condition = Condition::parse(kind, false, &[text]).unwrap();
            Rule::new(vec![condition], None, to("https://r.example/")).unwrap()
        };
        link.content.routing.rules = Rules::new(vec![
            rule(ConditionKind::Country, "DE"),
            rule(ConditionKind::Query, "a=1"),
            rule(ConditionKind::Query, "b=2"),
        ])
        .unwrap();
        link.content.routing.split = Split::new(vec![Share {
            weight: 50,
            destination: to("https://s.example/"),
        }])
        .ok();
        let link = FollowedLink::from(&link);
        let missed = |rule, condition, fact: Option<&str>| MissedRule {
            rule,
            condition,
            fact: fact.map(str::to_owned),
        };
        let country = missed(0, ConditionKind::Country, None);
        let first = missed(1, ConditionKind::Query, Some("b=2"));
        let why = link.explain(&asking(Some("b=2")), InstanceDefaults::default(), false);
        assert_eq!((why.way, why.needs_lot), (Some(Way::Rule(2)), false));
        assert_eq!(why.missed, [country, first]);
        let why = link.explain(&asking(None), InstanceDefaults::default(), false);
        assert_eq!((why.way, why.needs_lot), (Some(Way::Main), true));
        assert_eq!(why.missed.len(), 3);
    }
}
