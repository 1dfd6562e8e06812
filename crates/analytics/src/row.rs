//! A visit in the form that engines keep.

use std::borrow::Cow;

use slugline_domain::{UnixMillis, Visit};

use crate::{sampling::Sampled, visitor::VisitorHash};

/// A visit that is stored as a row.
#[derive(Debug)]
pub(crate) struct Kept {
    pub(crate) visit: Visit,
    pub(crate) visitor: VisitorHash,
    pub(crate) sampled: Sampled,
}

/// One stored visit. Texts are within the bounds of
/// [`enrich::bounds`](crate::enrich::bounds); an empty text means unknown.
#[derive(Clone, Debug)]
pub(crate) struct Row<'v> {
    pub(crate) at: UnixMillis,
    pub(crate) target: Target<'v>,
    pub(crate) client: Client<'v>,
    pub(crate) place: Place<'v>,
    /// Host, and port if any, of the referring page.
    pub(crate) referer: Cow<'v, str>,
    pub(crate) language: &'v str,
    pub(crate) visitor: VisitorHash,
    pub(crate) sampled: Sampled,
}

/// The link as it was at the visit.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(crate) struct Target<'v> {
    pub(crate) link_id: &'v str,
    pub(crate) slug: &'v str,
    pub(crate) url: &'v str,
}

/// The facts about the visitor's program.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub(crate) struct Client<'v> {
    pub(crate) user_agent: &'v str,
    pub(crate) os: &'v str,
    pub(crate) browser: &'v str,
    pub(crate) browser_type: &'v str,
    pub(crate) device: &'v str,
    pub(crate) device_type: &'v str,
}

/// The visitor's place.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub(crate) struct Place<'v> {
    pub(crate) country: &'v str,
    pub(crate) region: &'v str,
    pub(crate) city: &'v str,
    pub(crate) timezone: &'v str,
    pub(crate) colo: &'v str,
    /// Degrees, never NaN; 0 when unknown. The same holds for the longitude.
    pub(crate) latitude: f64,
    pub(crate) longitude: f64,
}
