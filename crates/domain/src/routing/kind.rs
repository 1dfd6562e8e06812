//! The names of conditions.

named_values! {
    /// What a condition asks about. Conditions are asked in this order: first those that cost
    /// nothing, last those that look an address up.
    pub enum ConditionKind {
        /// The moment, or the day in the rule's time zone, from which it holds.
        From = "from",
        /// The moment until which it holds, or the last day in the rule's time zone.
        Until = "until",
        /// Days of the week in the rule's time zone.
        Weekday = "weekday",
        /// Times of the day in the rule's time zone.
        Hours = "hours",
        /// Parameters of the query.
        Query = "query",
        /// Sites that the visitor came from.
        Referrer = "referrer",
        /// The visitor's first language.
        Language = "language",
        /// Networks of the visitor's address.
        Network = "network",
        /// Kinds of devices and systems.
        Device = "device",
        /// Browsers and other programs.
        Browser = "browser",
        /// Whether the visitor is a program without a person.
        Bot = "bot",
        /// Countries.
        Country = "country",
        /// Continents.
        Continent = "continent",
        /// States, provinces and the like.
        Region = "region",
        /// Cities.
        City = "city",
    }
}

impl ConditionKind {
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

/// The places of visitors that an instance can tell.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum KnownPlaces {
    /// Nothing.
    #[default]
    Nothing,
    /// Countries, and so continents.
    Countries,
    /// Regions and cities, too.
    Everything,
}

impl KnownPlaces {
    /// True if a condition of this kind can be met. Those on places are the last ones.
    pub fn tell(self, kind: ConditionKind) -> bool {
        match self {
            Self::Nothing => kind < ConditionKind::Country,
            Self::Countries => kind < ConditionKind::Region,
            Self::Everything => true,
        }
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
