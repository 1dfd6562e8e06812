//! Rules and splits as texts of columns.
//!
//! A rule begins with a line of its destination, after `-> `. Its zone and its conditions follow, a
//! line each: the name, a blank and the values, with tabs between them; `not ` goes before a name
//! that is turned. None of them holds a tab or a line break.

use std::error::Error as StdError;

use slugline_domain::{
    Destination, Rules, Split,
    routing::{Condition, ConditionKind, Rule, Share},
};

type Fault = Box<dyn StdError + Send + Sync>;

const TO: &str = "-> ";
const ZONE: &str = "zone ";
const NOT: &str = "not ";

/// `None` if there are no rules.
pub(super) fn write_rules(rules: &Rules) -> Option<String> {
    let mut lines = Vec::new();
    for rule in rules {
        lines.push(format!("{TO}{}", rule.destination()));
        lines.extend(rule.zone().map(|zone| format!("{ZONE}{zone}")));
        for condition in rule.conditions() {
            let not = if condition.is_negated() { NOT } else { "" };
            let name = condition.kind().as_str();
            lines.push(format!("{not}{name} {}", condition.values().join("\t")));
        }
    }
    (!lines.is_empty()).then(|| lines.join("\n"))
}

pub(super) fn read_rules(text: &str) -> Result<Rules, Fault> {
    let mut rules = Vec::new();
    let mut lines = text.lines().peekable();
    while let Some(line) = lines.next() {
        let to = line
            .strip_prefix(TO)
            .ok_or("a rule without a destination")?;
        let zone = lines.next_if(|line| line.starts_with(ZONE));
        let zone = zone.and_then(|line| line.strip_prefix(ZONE));
        let zone = zone.map(str::parse).transpose()?;
        let mut conditions = Vec::new();
        while let Some(line) = lines.next_if(|line| !line.starts_with(TO)) {
            conditions.push(read_condition(line)?);
        }
        rules.push(Rule::new(conditions, zone, Destination::restore(to)?)?);
    }
    Ok(Rules::new(rules)?)
}

fn read_condition(line: &str) -> Result<Condition, Fault> {
    let (negated, line) = match line.strip_prefix(NOT) {
        Some(rest) => (true, rest),
        None => (false, line),
    };
    let (name, values) = line.split_once(' ').ok_or("a condition without values")?;
    let kind = ConditionKind::named(name).ok_or("an unknown condition")?;
    let values: Vec<&str> = values.split('\t').collect();
    Ok(Condition::parse(kind, negated, &values)?)
}

pub(super) fn write_split(split: &Split) -> String {
    let shares = split.shares().iter();
    let lines: Vec<String> = shares
        .map(|share| format!("{} {}", share.weight, share.destination))
        .collect();
    lines.join("\n")
}

pub(super) fn read_split(text: &str) -> Result<Split, Fault> {
    let share = |line: &str| -> Result<Share, Fault> {
        let (weight, to) = line
            .split_once(' ')
            .ok_or("a share without a destination")?;
        Ok(Share {
            weight: weight.parse()?,
            destination: Destination::restore(to)?,
        })
    };
    let shares: Result<Vec<Share>, Fault> = text.lines().map(share).collect();
    Ok(Split::new(shares?)?)
}

#[cfg(test)]
mod tests {
    use slugline_testkit::full_link;

    use super::*;

    #[test]
    fn rules_can_be_read_by_people_and_are_read_back() {
        let routing = full_link("docs").content.routing;
        let text = write_rules(&routing.rules).unwrap();
        assert!(text.contains("not country DE\tAT"), "{text}");
        assert!(text.contains("city São Paulo\tit's"), "{text}");
        assert!(text.contains("zone Europe/Berlin\n"), "{text}");
        assert_eq!(read_rules(&text).unwrap(), routing.rules);
        let split = routing.split.unwrap();
        let text = write_split(&split);
        assert_eq!(
            text,
            "30 https://split.example/a\n20 https://split.example/b"
        );
        assert_eq!(read_split(&text).unwrap(), split);
        assert_eq!(write_rules(&Rules::NONE), None);
    }

    #[test]
    fn what_is_no_rule_is_refused() {
        for text in [
            "country DE",
            "-> https://e.example/",
            "-> https://e.example/\nplanet Mars",
            "-> https://e.example/\ncountry",
            "-> javascript:alert(1)\ncountry DE",
        ] {
            assert!(read_rules(text).is_err(), "{text}");
        }
        for text in ["", "30", "x https://e.example/", "300 https://e.example/"] {
            assert!(read_split(text).is_err(), "{text}");
        }
    }
}
