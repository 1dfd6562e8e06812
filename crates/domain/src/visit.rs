//! One followed link.

use std::{net::IpAddr, sync::Arc};

use crate::{Link, LinkId, Place, SamplingInterval, Slug, UnixMillis, VisitHeaders};

/// What is known of a visit at the moment of the redirect. Small, because it
/// waits in a queue; everything that can be worked out later is.
#[derive(Clone, Debug)]
pub struct Visit {
    /// When.
    pub at: UnixMillis,
    /// The link as it was at that moment.
    pub link: Arc<Link>,
    /// The visitor's address. It never reaches a disk: the access log keeps a
    /// keyed hash of it.
    pub client: IpAddr,
    /// What the visitor's program said of itself.
    pub headers: VisitHeaders,
    /// Where the visitor is, if somebody in front of the service said so.
    pub place: Option<Box<Place>>,
}

/// A visit as the access log keeps it, with everything that is derived from
/// it. Texts are within the log's bounds, and empty when unknown.
///
/// It borrows: an observer copies what it needs.
#[derive(Clone, Copy, Debug)]
pub struct VisitRecord<'v> {
    /// When.
    pub at: UnixMillis,
    /// The link's identity.
    pub link_id: &'v LinkId,
    /// The link's slug at that moment.
    pub slug: &'v Slug,
    /// The link's main destination at that moment.
    pub url: &'v str,
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
    /// Where the visitor was.
    pub place: &'v Place,
    /// How many real visits this one stands for.
    pub interval: SamplingInterval,
}
