//! One followed link.

use std::{net::IpAddr, sync::Arc};

use crate::{
    Campaign, Link, LinkId, Place, Protection, SamplingInterval, Slug, UnixMillis, VisitHeaders,
};

/// The facts about a visit at the moment of the redirect. It waits in a queue,
/// so it is small: the writer works out everything else later.
#[derive(Clone, Debug)]
pub struct Visit {
    /// The time.
    pub at: UnixMillis,
    /// The link as it was at that moment.
    pub link: Arc<Link>,
    /// The visitor's address. It is never written to disk: the access log keeps
    /// a keyed hash of it.
    pub client: IpAddr,
    /// The request's headers, and the campaign in its query.
    pub headers: VisitHeaders,
    /// The visitor's place, if a CDN or proxy in front of the service named it.
    pub place: Option<Box<Place>>,
}

/// A visit as the access log stores it, with everything that is derived from
/// it. Texts are no longer than the log's bounds, and empty if unknown.
///
/// It borrows its texts: an observer copies those it needs.
#[derive(Clone, Copy, Debug)]
pub struct VisitRecord<'v> {
    /// The time.
    pub at: UnixMillis,
    /// The link's identity.
    pub link_id: &'v LinkId,
    /// The link's slug at that moment.
    pub slug: &'v Slug,
    /// The link's main destination at that moment.
    pub url: &'v str,
    /// The destination's protection at that moment.
    pub protection: Protection,
    /// The `User-Agent` header.
    pub user_agent: &'v str,
    /// Host, and port if any, of the referring page.
    pub referer: &'v str,
    /// The most preferred language, such as `en-US`.
    pub language: &'v str,
    /// Operating system, such as `macOS`.
    pub os: &'v str,
    /// Browser or other program, such as `Chrome` or `Googlebot`.
    pub browser: &'v str,
    /// Kind of program, such as `crawler` or `inapp`; empty for browsers.
    pub browser_type: &'v str,
    /// Model of the device, such as `iPhone`; empty on desktops.
    pub device: &'v str,
    /// Kind of device, such as `mobile`; empty on desktops.
    pub device_type: &'v str,
    /// The place of the visitor.
    pub place: &'v Place,
    /// The campaign that brought the visitor.
    pub campaign: Campaign<'v>,
    /// The number of real visits that this one stands for.
    pub interval: SamplingInterval,
}
