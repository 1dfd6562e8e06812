//! Rules and splits as answers show them, in the form in which they are sent.

use serde_json::{Map, Value, json};
use slugline_domain::{
    Rules, Split,
    routing::{Condition, ConditionForm, Rule, Share},
};
use url::form_urlencoded;

/// The name before a list that is turned.
pub(super) const NOT: &str = "not";

/// The name of the zone whose clocks a rule reads.
pub(super) const TIME_ZONE: &str = "timeZone";

/// Shows rules in the form in which they are sent.
pub(super) fn show_rules(rules: &Rules) -> Vec<Value> {
    let shown = |rule: &Rule| {
        let conditions = rule.conditions().iter();
        let conditions = conditions.map(|one| (one.kind().as_str().to_owned(), show(one)));
        let zone = rule
            .zone()
            .map(|zone| (TIME_ZONE.to_owned(), zone.as_str().into()));
        let when: Map<String, Value> = conditions.chain(zone).collect();
        json!({"when": when, "url": rule.destination().as_str()})
    };
    rules.iter().map(shown).collect()
}

fn show(condition: &Condition) -> Value {
    let values = condition.values();
    let first = || values.first().map(String::as_str).unwrap_or_default();
    match condition.kind().form() {
        ConditionForm::Flag => (first() == "true").into(),
        ConditionForm::Bound => first()
            .parse::<i64>()
            .map_or_else(|_| first().into(), Value::from),
        ConditionForm::Parameters => values.iter().map(|text| show_parameter(text)).collect(),
        ConditionForm::List if condition.is_negated() => json!({NOT: values}),
        ConditionForm::List => json!(values),
    }
}

fn show_parameter(text: &str) -> (String, Value) {
    let mut pairs = form_urlencoded::parse(text.as_bytes());
    let (name, value) = pairs.next().unwrap_or_default();
    let value = if text.contains('=') {
        value.into_owned().into()
    } else {
        Value::Bool(true)
    };
    (name.into_owned(), value)
}

/// Shows a split in the form in which it is sent.
pub(super) fn show_split(split: &Split) -> Vec<Value> {
    let shown = |share: &Share| json!({"url": share.destination.as_str(), "weight": share.weight});
    split.shares().iter().map(shown).collect()
}
