//! Rules in their order.

use thiserror::Error;

use super::{Condition, ConditionKind, condition::ConditionInput, parameter::AskedQuery};
use crate::{Destination, TimeZoneName, Visitor};

/// A destination for the visitors who meet all of some conditions.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Rule {
    /// At most one of each kind, in the order in which they are asked.
    conditions: Box<[Condition]>,
    zone: Option<TimeZoneName>,
    destination: Destination,
}

impl Rule {
    /// The most conditions of a rule.
    pub const MAX_CONDITIONS: usize = 8;

    /// Makes a rule of its conditions, in any order. Days, days of the week and times of the day
    /// are those of the zone; without one, of UTC.
    ///
    /// # Errors
    /// There is no condition, there are too many or two of one kind, no moment meets them, or no
    /// condition reads the clocks of the zone.
    pub fn new(
        mut conditions: Vec<Condition>,
        zone: Option<TimeZoneName>,
        destination: Destination,
    ) -> Result<Self, RuleError> {
        if conditions.is_empty() {
            return Err(RuleError::Empty);
        }
        if conditions.len() > Self::MAX_CONDITIONS {
            return Err(RuleError::TooMany(conditions.len()));
        }
        conditions.sort_by_key(Condition::kind);
        for (one, next) in conditions.iter().zip(conditions.iter().skip(1)) {
            if one.kind() == next.kind() {
                return Err(RuleError::Twice(one.kind()));
            }
            // `until` comes right after `from`.
            if one.excludes(next) {
                return Err(RuleError::Never);
            }
        }
        if zone.is_some() && !conditions.iter().any(Condition::is_local) {
            return Err(RuleError::IdleZone);
        }
        Ok(Self {
            conditions: conditions.into(),
            zone,
            destination,
        })
    }

    /// The conditions, in the order in which they are asked.
    pub fn conditions(&self) -> &[Condition] {
        &self.conditions
    }

    /// The zone whose clocks count.
    pub fn zone(&self) -> Option<&TimeZoneName> {
        self.zone.as_ref()
    }

    /// The destination.
    pub fn destination(&self) -> &Destination {
        &self.destination
    }

    /// The first condition that does not hold; `None` if the rule holds.
    fn first_missed(&self, asked: ConditionInput<'_>) -> Option<&Condition> {
        self.conditions
            .iter()
            .find(|condition| !condition.holds(asked))
    }
}

/// The rules of a link, in order. The first one that holds for a visitor wins.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Rules(Vec<Rule>);

impl Rules {
    /// The most rules of a link.
    pub const MAX: usize = 20;

    /// No rules.
    pub const NONE: Self = Self(Vec::new());

    /// Takes rules in their order.
    ///
    /// # Errors
    /// There are too many.
    pub fn new(rules: Vec<Rule>) -> Result<Self, RulesError> {
        if rules.len() > Self::MAX {
            return Err(RulesError(rules.len()));
        }
        Ok(Self(rules))
    }

    /// True if there is none.
    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// The rules in order.
    pub fn iter(&self) -> std::slice::Iter<'_, Rule> {
        self.0.iter()
    }

    /// The rule at this index.
    pub fn get(&self, index: usize) -> Option<&Rule> {
        self.0.get(index)
    }

    /// The index of the first rule that holds for a visitor. `missed` hears of each rule before it
    /// and of its first condition that does not hold.
    pub fn first_holding(
        &self,
        visitor: &Visitor<'_>,
        mut missed: impl FnMut(Miss<'_>),
    ) -> Option<usize> {
        let query = AskedQuery::new(visitor.query.unwrap_or_default());
        self.0.iter().enumerate().find_map(|(rule, held)| {
            let asked = ConditionInput {
                visitor,
                zone: held.zone.as_ref(),
                query: &query,
            };
            let Some(condition) = held.first_missed(asked) else {
                return Some(rule);
            };
            missed(Miss {
                rule,
                condition,
                asked,
            });
            None
        })
    }

    /// The bytes that they have allocated, without the texts of their destinations.
    pub fn bytes(&self) -> usize {
        let of = |rule: &Rule| {
            let zone = rule.zone.as_ref().map_or(0, |zone| zone.as_str().len());
            let values = rule.conditions.iter().map(Condition::bytes);
            size_of_val(&*rule.conditions) + zone + values.sum::<usize>()
        };
        self.0.capacity() * size_of::<Rule>() + self.0.iter().map(of).sum::<usize>()
    }
}

impl<'r> IntoIterator for &'r Rules {
    type Item = &'r Rule;
    type IntoIter = std::slice::Iter<'r, Rule>;

    fn into_iter(self) -> Self::IntoIter {
        self.iter()
    }
}

/// The first condition of a rule that did not hold for a visitor.
#[derive(Clone, Copy, Debug)]
pub struct Miss<'r> {
    /// The index of the rule.
    pub rule: usize,
    /// The condition.
    pub condition: &'r Condition,
    asked: ConditionInput<'r>,
}

impl Miss<'_> {
    /// The fact about the visitor that the condition compared, in the form of its values; `None`
    /// if it is unknown. A condition on the query shows the whole query.
    pub fn fact(&self) -> Option<String> {
        self.condition.fact(self.asked)
    }
}

/// The reason why conditions are no rule.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Error)]
pub enum RuleError {
    /// There is none.
    #[error("a rule needs a condition, because it would hold for everybody")]
    Empty,
    /// There are too many.
    #[error("{0} conditions, at most {max} are allowed", max = Rule::MAX_CONDITIONS)]
    TooMany(usize),
    /// Two are of one kind.
    #[error("two conditions on {}", .0.as_str())]
    Twice(ConditionKind),
    /// The time ends before it begins.
    #[error("no visitor meets this rule: until is not after from")]
    Never,
    /// The zone is not needed.
    #[error("timeZone needs a condition on days, weekday or hours")]
    IdleZone,
}

/// There are too many rules.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Error)]
#[error("{0} rules, at most {max} are allowed", max = Rules::MAX)]
pub struct RulesError(pub usize);

#[cfg(test)]
mod tests;
