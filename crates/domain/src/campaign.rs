//! The marketing campaign that brought a visitor.

/// The parts of a campaign's name, as its link has them in its query. Empty texts are
/// unknown.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub struct Campaign<'v> {
    /// The value of `utm_source`: who sent the visitor, such as `newsletter`.
    pub source: &'v str,
    /// The value of `utm_medium`: by what kind of channel, such as `email`.
    pub medium: &'v str,
    /// The value of `utm_campaign`: the name of the campaign.
    pub name: &'v str,
}

impl Campaign<'_> {
    /// The parameters of a query that name the source, the medium and the campaign.
    pub const PARAMETERS: [&'static str; 3] = ["utm_source", "utm_medium", "utm_campaign"];
}
