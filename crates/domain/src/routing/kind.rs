//! The names of conditions.

/// What a condition asks about. Conditions are asked in this order: first those that cost
/// nothing, last those that look an address up.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum ConditionKind {
    /// The moment, or the day in the rule's time zone, from which it holds.
    From,
    /// The moment until which it holds, or the last day in the rule's time zone.
    Until,
    /// Days of the week in the rule's time zone.
    Weekday,
    /// Times of the day in the rule's time zone.
    Hours,
    /// Parameters of the query.
    Query,
    /// Sites that the visitor came from.
    Referrer,
    /// The visitor's first language.
    Language,
    /// Networks of the visitor's address.
    Network,
    /// Kinds of devices and systems.
    Device,
    /// Browsers and other programs.
    Browser,
    /// Whether the visitor is a program without a person.
    Bot,
    /// Countries.
    Country,
    /// Continents.
    Continent,
    /// States, provinces and the like.
    Region,
    /// Cities.
    City,
}

impl ConditionKind {
    /// All of them, in the order in which they are asked.
    pub const ALL: [Self; 15] = [
        Self::From,
        Self::Until,
        Self::Weekday,
        Self::Hours,
        Self::Query,
        Self::Referrer,
        Self::Language,
        Self::Network,
        Self::Device,
        Self::Browser,
        Self::Bot,
        Self::Country,
        Self::Continent,
        Self::Region,
        Self::City,
    ];

    /// The name, as clients write it.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::From => "from",
            Self::Until => "until",
            Self::Weekday => "weekday",
            Self::Hours => "hours",
            Self::Query => "query",
            Self::Referrer => "referrer",
            Self::Language => "language",
            Self::Network => "network",
            Self::Device => "device",
            Self::Browser => "browser",
            Self::Bot => "bot",
            Self::Country => "country",
            Self::Continent => "continent",
            Self::Region => "region",
            Self::City => "city",
        }
    }

    /// The kind with this name.
    pub fn named(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|kind| kind.as_str() == name)
    }

    /// The form of its values.
    pub fn form(self) -> ConditionForm {
        match self {
            Self::From | Self::Until => ConditionForm::Bound,
            Self::Bot => ConditionForm::Flag,
            Self::Query => ConditionForm::Parameters,
            Self::Weekday
            | Self::Hours
            | Self::Referrer
            | Self::Language
            | Self::Network
            | Self::Device
            | Self::Browser
            | Self::Country
            | Self::Continent
            | Self::Region
            | Self::City => ConditionForm::List,
        }
    }

    /// True if it reads a clock of the rule's time zone, whatever its value.
    pub(super) fn is_local(self) -> bool {
        matches!(self, Self::Weekday | Self::Hours)
    }
}

/// The form of the values of a condition.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ConditionForm {
    /// Texts of which one must fit. `not` can turn it.
    List,
    /// One moment or day.
    Bound,
    /// True or false.
    Flag,
    /// Parameters of a query, which must all be there.
    Parameters,
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn all_are_listed_once_in_their_order() {
        assert!(ConditionKind::ALL.is_sorted());
        for kind in ConditionKind::ALL {
            assert_eq!(ConditionKind::named(kind.as_str()), Some(kind));
        }
        assert_eq!(ConditionKind::named("Device"), None);
    }
}
