//! The answer that a visitor of a link would get, and the reasons for it.

use schemars::JsonSchema;
use serde::Serialize;
use slugline_domain::{
    Answer, AnswerHead, Arrival, Explanation, FollowedLink, Gate, LinkKey, LinkStatus, Means,
    MissedRule, PlaceName, UnixSeconds, Way, routing::VisitorFacts,
};

use super::{Note, key::shown_domain, status::StatusName};
use crate::sent::same_variants;

/// The answer that a visitor would get, and the reasons for it.
#[derive(Clone, Debug, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct LinkExplanation {
    /// The slug of the link.
    pub slug: String,
    /// The host of its domain; left out for the default one.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub domain: Option<String>,
    /// The moment, in Unix seconds.
    pub at: i64,
    /// The status of the link at that moment.
    pub link_status: StatusName,
    /// The kind of the first answer.
    pub answer: AnswerName,
    /// The HTTP status of the first answer to a browser's GET; absent if the destination decides it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub status: Option<u16>,
    /// Its `Location` header.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub location: Option<String>,
    /// Its `Cache-Control` header.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub cache_control: Option<String>,
    /// The pages that the visitor must pass first, in order.
    pub gates: Vec<GateName>,
    /// The address to which the visitor comes in the end, gates passed.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub destination: Option<String>,
    /// The member of the link that chose the destination.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub chosen_by: Option<ChoiceName>,
    /// The index of the rule or of the split's entry that chose it, from 0.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub index: Option<usize>,
    /// The rules that did not hold, up to the one that did.
    pub missed: Vec<MissedRuleView>,
    /// What the rules could know of the visitor.
    pub visitor: VisitorView,
    /// What the answer depends on and the request did not tell.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub note: Note,
    /// Present if the link asks where visitors are, which nothing says of real ones.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub places_note: Note,
}

/// The kind of an answer.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum AnswerName {
    /// A redirect to the destination.
    Redirect,
    /// A redirect to `startUrl` or `expiredUrl`.
    Detour,
    /// The preview for bots of social networks.
    Preview,
    /// A preview that tells no destination, because visits are counted.
    Sealed,
    /// The destination in a frame.
    Frame,
    /// The content of the destination.
    Proxy,
    /// The page that asks for the password.
    Password,
    /// The page that warns.
    Warning,
    /// No link is shown.
    NotFound,
    /// The link is expired or used up.
    Gone,
}

/// A page before the answer.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub enum GateName {
    /// It asks for the password.
    Password,
    /// It warns.
    Warning,
}

/// The member that chose a destination.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub enum ChoiceName {
    /// A rule.
    Rules,
    /// The destination for Apple's devices.
    Apple,
    /// The destination for Android.
    Google,
    /// The destination for a country.
    Geo,
    /// A share of the split.
    Split,
    /// The link's own destination.
    Url,
}

/// A rule that did not hold.
#[derive(Clone, Debug, Serialize, JsonSchema)]
pub struct MissedRuleView {
    /// The index of the rule, from 0.
    pub rule: usize,
    /// The first condition that did not hold.
    pub condition: &'static str,
    /// The fact about the visitor; absent if it is unknown, which no condition meets.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub fact: Option<String>,
}

/// What rules could know of the visitor.
#[derive(Clone, Debug, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct VisitorView {
    /// The operating system.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub os: Option<String>,
    /// The browser or other program.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub browser: Option<String>,
    /// The kind of device; absent for computers.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub device_type: Option<String>,
    /// True for a program without a person.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub bot: Option<bool>,
    /// The country.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub country: Option<String>,
    /// The region.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub region: Option<String>,
    /// The city.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub city: Option<String>,
    /// The language that counts.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub language: Option<String>,
    /// The host of the page that the visitor came from.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub referrer: Option<String>,
}

impl LinkExplanation {
    /// Shows the explanation for a visitor at a moment.
    pub fn new(
        link: &FollowedLink,
        (at, status): (UnixSeconds, LinkStatus),
        facts: &dyn VisitorFacts,
        why: Explanation<'_>,
        head: AnswerHead,
    ) -> Self {
        let LinkKey { domain, slug } = link.to_key();
        let (chosen_by, index) = why.way.map(choice).unzip();
        let index = index.flatten();
        let (answer, destination) = shown(&why.answer);
        let gates = why.gates.iter().map(GateName::from).collect::<Vec<_>>();
        Self {
            slug: slug.to_string(),
            domain: shown_domain(&domain),
            at: at.get(),
            link_status: status.into(),
            answer: gates.first().map_or(answer, |gate| AnswerName::from(*gate)),
            status: head.status,
            location: head.location,
            cache_control: head.cache_control,
            gates,
            destination,
            chosen_by,
            index,
            missed: why.missed.into_iter().map(MissedRuleView::from).collect(),
            visitor: VisitorView::from(facts),
            note: why
                .needs_lot
                .then_some("the split chooses by the visitor's address: give ip to learn the side"),
            places_note: None,
        }
    }
}

fn shown(answer: &Answer<'_>) -> (AnswerName, Option<String>) {
    let (name, address) = match answer {
        Answer::Absent => return (AnswerName::NotFound, None),
        Answer::Over => return (AnswerName::Gone, None),
        Answer::Arrival(Arrival::Sealed) => return (AnswerName::Sealed, None),
        Answer::Arrival(Arrival::Detour(address)) => (AnswerName::Detour, address),
        Answer::Arrival(Arrival::Led(lead)) => (AnswerName::from(lead.by), &lead.target),
    };
    (name, Some(address.to_string()))
}

fn choice(way: Way) -> (ChoiceName, Option<usize>) {
    match way {
        Way::Main => (ChoiceName::Url, None),
        Way::Rule(index) => (ChoiceName::Rules, Some(index)),
        Way::Apple => (ChoiceName::Apple, None),
        Way::Google => (ChoiceName::Google, None),
        Way::Geo(_) => (ChoiceName::Geo, None),
        Way::Share(index) => (ChoiceName::Split, Some(index)),
    }
}

impl From<&Gate<'_>> for GateName {
    fn from(gate: &Gate<'_>) -> Self {
        match gate {
            Gate::Password(_) => Self::Password,
            Gate::Warning => Self::Warning,
        }
    }
}

same_variants!(Means => AnswerName: Redirect, Preview, Proxy, Frame);
same_variants!(GateName => AnswerName: Password, Warning);

impl From<MissedRule> for MissedRuleView {
    fn from(missed: MissedRule) -> Self {
        Self {
            rule: missed.rule,
            condition: missed.condition.as_str(),
            fact: missed.fact,
        }
    }
}

impl From<&dyn VisitorFacts> for VisitorView {
    fn from(facts: &dyn VisitorFacts) -> Self {
        let known = |text: &str| (!text.is_empty()).then(|| text.to_owned());
        let agent = facts.agent();
        let place = facts.place();
        let name = |name: &Option<PlaceName>| name.as_ref().map(|name| name.as_str().to_owned());
        Self {
            os: agent.and_then(|agent| known(&agent.os)),
            browser: agent.and_then(|agent| known(&agent.browser)),
            device_type: agent.and_then(|agent| known(&agent.device_type)),
            bot: agent.map(|agent| agent.is_bot),
            country: facts.country().map(|country| country.as_str().to_owned()),
            region: place.and_then(|place| name(&place.region)),
            city: place.and_then(|place| name(&place.city)),
            language: facts.language().map(str::to_owned),
            referrer: facts.referrer().map(str::to_owned),
        }
    }
}
