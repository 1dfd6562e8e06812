//! The facts of a visitor that conditions ask for.

use std::{fmt, net::IpAddr};

use crate::{Country, LocalSeconds, Place, TimeZoneName};

/// Facts about a visitor that cost something to work out. A rule asks for those that it names
/// and for no other, possibly several times, so an implementation remembers its answers.
///
/// An unknown fact makes a condition false.
pub trait VisitorFacts: fmt::Debug {
    /// The facts in the `User-Agent` header.
    fn agent(&self) -> Option<&AgentFacts> {
        None
    }

    /// The visitor's country.
    fn country(&self) -> Option<Country> {
        self.place()?.country
    }

    /// The visitor's place.
    fn place(&self) -> Option<&Place> {
        None
    }

    /// The language that the visitor prefers, by [`first_language`](crate::first_language).
    fn language(&self) -> Option<&str> {
        None
    }

    /// The host of the page that the visitor came from, by
    /// [`referring_host`](crate::referring_host).
    fn referrer(&self) -> Option<&str> {
        None
    }

    /// The visitor's address.
    fn address(&self) -> Option<IpAddr> {
        None
    }

    /// The time that clocks in a zone show at the moment of the visit; `None` if no zone has the
    /// name.
    fn local_time(&self, zone: &TimeZoneName) -> Option<LocalSeconds> {
        let _ = zone;
        None
    }

    /// A number that a visitor keeps at this link and that is spread evenly over all numbers, such
    /// as a keyed hash of address and link. It chooses the visitor's side of a split.
    fn lot(&self) -> Option<u64> {
        None
    }
}

/// A visitor of whom nothing is known.
#[derive(Clone, Copy, Debug)]
pub struct NoFacts;

impl VisitorFacts for NoFacts {}

/// The facts in a `User-Agent` header. Texts are empty if unknown.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct AgentFacts {
    /// The operating system, such as `macOS`, `iOS` or `Ubuntu`.
    pub os: Box<str>,
    /// The browser or other program, such as `Mobile Safari`.
    pub browser: Box<str>,
    /// The kind of device, such as `mobile` or `tablet`; empty on desktops.
    pub device_type: Box<str>,
    /// True if the program acts without a person, such as a crawler.
    pub is_bot: bool,
}
