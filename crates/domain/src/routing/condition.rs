//! One condition of a rule.

use super::{
    AgentFacts, ConditionError, ConditionForm, ConditionKind, Continent, Device,
    calendar::{Bound, Day, Hours, Weekday},
    condition_error::MAX_PARAMETERS,
    network::Network,
    parameter::{AskedQuery, Parameter},
    value::{self, Value, list, one, shown},
    words::{Phrase, Site, is_variety_of},
};
use crate::{Country, LanguageTag, LocalSeconds, TimeZoneName, Visitor};

/// A condition: a kind, and the values of which one must hold. It is made from texts and shown as
/// texts, by which protocols and stores carry it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Condition {
    kind: ConditionKind,
    negated: bool,
    values: Values,
}

#[derive(Clone, Debug, PartialEq, Eq)]
enum Values {
    From(Bound),
    Until(Bound),
    Weekdays(Box<[Weekday]>),
    Hours(Box<[Hours]>),
    Parameters(Box<[Parameter]>),
    Sites(Box<[Site]>),
    Languages(Box<[LanguageTag]>),
    Networks(Box<[Network]>),
    Devices(Box<[Device]>),
    Browsers(Box<[Phrase]>),
    Bot(bool),
    Countries(Box<[Country]>),
    Continents(Box<[Continent]>),
    Regions(Box<[Phrase]>),
    Cities(Box<[Phrase]>),
}

/// The visitor whom a condition asks, and the zone whose clocks it reads.
#[derive(Clone, Copy, Debug)]
pub(super) struct ConditionInput<'v> {
    pub(super) visitor: &'v Visitor<'v>,
    pub(super) zone: Option<&'v TimeZoneName>,
    pub(super) query: &'v AskedQuery<'v>,
}

impl ConditionInput<'_> {
    /// The time on the clocks of the zone, of UTC if there is none.
    fn local(self) -> Option<LocalSeconds> {
        match self.zone {
            Some(zone) => self.visitor.facts.local_time(zone),
            None => Some(LocalSeconds::new(self.visitor.now.get())),
        }
    }
}

impl Condition {
    /// The most parameters that a condition on the query names.
    pub const MAX_PARAMETERS: usize = MAX_PARAMETERS;

    /// Parses a condition. With `negated` it holds if none of the values does; only kinds that
    /// take a list can be turned so.
    ///
    /// A parameter of the query is written as in a query: `ref=poster`, or `ref` for any value.
    /// All parameters must be there; of other values, one.
    ///
    /// # Errors
    /// There is no value, there are too many, one has another form, or no visitor could meet them.
    pub fn parse(
        kind: ConditionKind,
        negated: bool,
        texts: &[&str],
    ) -> Result<Self, ConditionError> {
        if negated && kind.form() != ConditionForm::List {
            return Err(ConditionError::NoList);
        }
        let values = match kind {
            ConditionKind::From => Values::From(single(texts)?),
            ConditionKind::Until => Values::Until(single(texts)?),
            ConditionKind::Weekday => Values::Weekdays(list(texts)?),
            ConditionKind::Hours => Values::Hours(list(texts)?),
            ConditionKind::Query => Values::Parameters(parameters(texts)?),
            ConditionKind::Referrer => Values::Sites(list(texts)?),
            ConditionKind::Language => Values::Languages(list(texts)?),
            ConditionKind::Network => Values::Networks(list(texts)?),
            ConditionKind::Device => Values::Devices(list(texts)?),
            ConditionKind::Browser => Values::Browsers(list(texts)?),
            ConditionKind::Bot => Values::Bot(single(texts)?),
            ConditionKind::Country => Values::Countries(list(texts)?),
            ConditionKind::Continent => Values::Continents(list(texts)?),
            ConditionKind::Region => Values::Regions(list(texts)?),
            ConditionKind::City => Values::Cities(list(texts)?),
        };
        if negated && values.are_everything() {
            return Err(ConditionError::Never);
        }
        Ok(Self {
            kind,
            negated,
            values,
        })
    }

    /// The kind.
    pub fn kind(&self) -> ConditionKind {
        self.kind
    }

    /// True if it holds for visitors whom none of the values fits.
    pub fn is_negated(&self) -> bool {
        self.negated
    }

    /// The values as [`Condition::parse`] takes them.
    pub fn values(&self) -> Vec<String> {
        match &self.values {
            Values::From(bound) | Values::Until(bound) => vec![bound.show()],
            Values::Weekdays(values) => shown(values),
            Values::Hours(values) => shown(values),
            Values::Parameters(values) => shown(values),
            Values::Sites(values) => shown(values),
            Values::Languages(values) => shown(values),
            Values::Networks(values) => shown(values),
            Values::Devices(values) => shown(values),
            Values::Browsers(values) | Values::Regions(values) | Values::Cities(values) => {
                shown(values)
            }
            Values::Bot(bot) => vec![bot.show()],
            Values::Countries(values) => shown(values),
            Values::Continents(values) => shown(values),
        }
    }

    /// The bytes that it has allocated.
    pub(super) fn bytes(&self) -> usize {
        match &self.values {
            Values::From(_) | Values::Until(_) | Values::Bot(_) => 0,
            Values::Weekdays(values) => value::bytes(values),
            Values::Hours(values) => value::bytes(values),
            Values::Parameters(values) => value::bytes(values),
            Values::Sites(values) => value::bytes(values),
            Values::Languages(values) => value::bytes(values),
            Values::Networks(values) => value::bytes(values),
            Values::Devices(values) => value::bytes(values),
            Values::Browsers(values) | Values::Regions(values) | Values::Cities(values) => {
                value::bytes(values)
            }
            Values::Countries(values) => value::bytes(values),
            Values::Continents(values) => value::bytes(values),
        }
    }

    /// True if it reads the clocks of the rule's time zone.
    pub(super) fn is_local(&self) -> bool {
        self.kind.is_local()
            || matches!(
                self.values,
                Values::From(Bound::Day(_)) | Values::Until(Bound::Day(_))
            )
    }

    /// True if no moment is both from this one on and until the other.
    pub(super) fn excludes(&self, until: &Self) -> bool {
        match (&self.values, &until.values) {
            (Values::From(Bound::Moment(from)), Values::Until(Bound::Moment(until))) => {
                from >= until
            }
            // The last day counts, too.
            (Values::From(Bound::Day(from)), Values::Until(Bound::Day(until))) => from > until,
            _ => false,
        }
    }

    /// True if the condition holds. An unknown fact makes it false, also if it is negated.
    pub(super) fn holds(&self, asked: ConditionInput<'_>) -> bool {
        self.fits(asked).is_some_and(|fits| fits != self.negated)
    }

    /// Returns whether a value fits; `None` if the fact is unknown.
    fn fits(&self, asked: ConditionInput<'_>) -> Option<bool> {
        let visitor = asked.visitor;
        let facts = visitor.facts;
        Some(match &self.values {
            Values::From(Bound::Moment(from)) => *from <= visitor.now,
            Values::From(Bound::Day(from)) => *from <= Day::of(asked.local()?),
            Values::Until(Bound::Moment(until)) => visitor.now < *until,
            Values::Until(Bound::Day(last)) => Day::of(asked.local()?) <= *last,
            Values::Weekdays(days) => days.contains(&Weekday::of(asked.local()?)),
            Values::Hours(hours) => {
                let local = asked.local()?;
                hours.iter().any(|hours| hours.has(local))
            }
            Values::Parameters(parameters) => {
                let mut parameters = parameters.iter();
                parameters.all(|parameter| parameter.is_in(asked.query))
            }
            Values::Sites(sites) => {
                let host = facts.referrer()?;
                sites.iter().any(|site| site.has(host))
            }
            Values::Languages(languages) => {
                let first = facts.language()?;
                languages.iter().any(|one| is_variety_of(first, one))
            }
            Values::Networks(networks) => {
                let address = facts.address()?;
                networks.iter().any(|network| network.has(address))
            }
            Values::Devices(devices) => {
                let agent = facts.agent()?;
                let is_known = !agent.os.is_empty() || !agent.device_type.is_empty();
                is_known.then(|| devices.iter().any(|device| device.is(agent)))?
            }
            Values::Browsers(browsers) => {
                let name = known(&facts.agent()?.browser)?;
                browsers.iter().any(|browser| browser.is_word_of(name))
            }
            Values::Bot(bot) => facts.agent()?.is_bot == *bot,
            Values::Countries(countries) => countries.contains(&visitor.country()?),
            Values::Continents(continents) => {
                continents.contains(&Continent::of(visitor.country()?)?)
            }
            Values::Regions(regions) => {
                let name = facts.place()?.region.as_ref()?.as_str();
                regions.iter().any(|region| region.is(name))
            }
            Values::Cities(cities) => {
                let name = facts.place()?.city.as_ref()?.as_str();
                cities.iter().any(|city| city.is(name))
            }
        })
    }

    /// The fact about a visitor that the condition compares, in the form of its values; `None` if
    /// it is unknown. A condition on the query shows the whole query.
    pub(super) fn fact(&self, asked: ConditionInput<'_>) -> Option<String> {
        let visitor = asked.visitor;
        let facts = visitor.facts;
        Some(match &self.values {
            Values::From(Bound::Moment(_)) | Values::Until(Bound::Moment(_)) => {
                visitor.now.to_string()
            }
            Values::From(Bound::Day(_)) | Values::Until(Bound::Day(_)) => {
                Bound::Day(Day::of(asked.local()?)).show()
            }
            Values::Weekdays(_) => Weekday::of(asked.local()?).show(),
            Values::Hours(_) => Hours::clock(asked.local()?),
            Values::Parameters(_) => visitor.query.unwrap_or_default().to_owned(),
            Values::Sites(_) => facts.referrer()?.to_owned(),
            Values::Languages(_) => facts.language()?.to_owned(),
            Values::Networks(_) => facts.address()?.to_canonical().to_string(),
            Values::Devices(_) => devices_of(facts.agent()?)?,
            Values::Browsers(_) => known(&facts.agent()?.browser)?.to_owned(),
            Values::Bot(_) => facts.agent()?.is_bot.to_string(),
            Values::Countries(_) => visitor.country()?.as_str().to_owned(),
            Values::Continents(_) => Continent::of(visitor.country()?)?.as_str().to_owned(),
            Values::Regions(_) => facts.place()?.region.as_ref()?.to_string(),
            Values::Cities(_) => facts.place()?.city.as_ref()?.to_string(),
        })
    }
}

impl Values {
    /// True if every visitor with a known fact fits one of them.
    fn are_everything(&self) -> bool {
        match self {
            Self::Weekdays(days) => Weekday::are_all(days),
            Self::Hours(hours) => hours.iter().any(|hours| hours.is_whole_day()),
            Self::Continents(continents) => Continent::are_all(continents),
            Self::From(_)
            | Self::Until(_)
            | Self::Parameters(_)
            | Self::Sites(_)
            | Self::Languages(_)
            | Self::Networks(_)
            | Self::Devices(_)
            | Self::Browsers(_)
            | Self::Bot(_)
            | Self::Countries(_)
            | Self::Regions(_)
            | Self::Cities(_) => false,
        }
    }
}

fn known(text: &str) -> Option<&str> {
    (!text.is_empty()).then_some(text)
}

/// Everything that the visitor's device is, such as `ios, mobile`.
fn devices_of(agent: &AgentFacts) -> Option<String> {
    let names: Vec<String> = Device::all_of(agent).map(|device| device.show()).collect();
    (!names.is_empty()).then(|| names.join(", "))
}

fn single<T: Value>(texts: &[&str]) -> Result<T, ConditionError> {
    match texts {
        [text] => one(text),
        [] => Err(ConditionError::Empty),
        [..] => Err(ConditionError::OneOnly),
    }
}

fn parameters(texts: &[&str]) -> Result<Box<[Parameter]>, ConditionError> {
    if texts.len() > Condition::MAX_PARAMETERS {
        return Err(ConditionError::TooManyParameters(texts.len()));
    }
    list(texts)
}

impl Value for bool {
    const EXPECTED: &'static str = "true or false";

    fn parse(text: &str) -> Option<Self> {
        text.parse().ok()
    }

    fn show(&self) -> String {
        self.to_string()
    }
}

#[cfg(test)]
mod tests {
    use rstest::rstest;

    use super::*;

    fn parse(name: &str, negated: bool, texts: &[&str]) -> Result<Condition, ConditionError> {
        Condition::parse(ConditionKind::named(name).unwrap(), negated, texts)
    }

    #[rstest]
    #[case("from", &["2026-12-01"])]
    #[case("until", &["1800000000"])]
    #[case("weekday", &["mon", "sun"])]
    #[case("hours", &["08:00-18:00", "22:00-02:00"])]
    #[case("query", &["ref=poster", "utm"])]
    #[case("referrer", &["news.example"])]
    #[case("language", &["de", "pt-BR"])]
    #[case("network", &["192.0.2.0/24", "2001:db8::1"])]
    #[case("device", &["ios", "tablet"])]
    #[case("browser", &["Safari"])]
    #[case("bot", &["false"])]
    #[case("country", &["DE", "AT"])]
    #[case("continent", &["EU"])]
    #[case("region", &["Bavaria"])]
    #[case("city", &["São Paulo"])]
    fn a_condition_is_read_back_from_its_texts(#[case] name: &str, #[case] texts: &[&str]) {
        let condition = parse(name, false, texts).unwrap();
        assert_eq!(condition.values(), texts);
        assert_eq!(condition.kind().as_str(), name);
        assert_eq!(
            parse(name, true, texts).is_ok(),
            condition.kind().form() == ConditionForm::List
        );
    }

    #[rstest]
    #[case("country", false, &[], "a condition needs a value")]
    #[case("country", false, &["DEU"], "\"DEU\" is not a two-letter country code, such as DE")]
    #[case("bot", false, &["yes"], "\"yes\" is not true or false")]
    #[case("bot", true, &["true"], "\"not\" goes before a list only")]
    #[case("from", false, &["1", "2"], "this condition takes one value")]
    #[case("weekday", true, &["mon", "tue", "wed", "thu", "fri", "sat", "sun"], "no visitor meets this condition")]
    #[case("hours", true, &["00:00-24:00"], "no visitor meets this condition")]
    #[case("query", false, &["a", "b", "c", "d", "e", "f", "g", "h", "i"], "9 parameters, at most 8 are allowed")]
    fn what_cannot_hold_is_refused(
        #[case] name: &str,
        #[case] negated: bool,
        #[case] texts: &[&str],
        #[case] message: &str,
    ) {
        let error = parse(name, negated, texts).unwrap_err();
        assert_eq!(error.to_string(), message);
    }
}
