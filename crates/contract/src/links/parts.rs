//! The parts of a link as answers show them, and as columns of tables.

use std::sync::LazyLock;

use serde_json::Value;
use slugline_domain::{
    Comment, Countries, Description, Destination, Holds, ImageRef, Link, MaxVisits, Rules, Split,
    Tags, Title, UnixSeconds, VisitsBefore, link_members,
};

use super::{
    key::shown_domain,
    member::{Kind, Member},
};

/// A part of a link: a member that the author sets, or what the service knows of it.
pub(super) struct Part {
    pub(super) name: &'static str,
    /// Its description in schemas.
    pub(super) says: &'static str,
    pub(super) kind: Kind,
    /// True if every link has it.
    pub(super) is_everywhere: bool,
    pub(super) show: fn(&Link) -> Option<Value>,
}

/// Makes a static of each part: its name, its form, whether every link has it, how it is shown, and
/// what schemas say of it.
macro_rules! parts {
    ($(
        $(#[$doc:meta])*
        $name:ident: $wire:literal, $kind:expr, $everywhere:expr, $show:expr, $says:literal;
    )+) => {
        $(
            $(#[$doc])*
            pub(super) static $name: Part = Part {
                name: $wire,
                says: $says,
                kind: $kind,
                is_everywhere: $everywhere,
                show: $show,
            };
        )+
    };
}

parts! {
    ID: "id", Kind::Text, true, |link| Some(link.id.as_str().into()),
        "Identity; stays through edits.";
    URL: "url", Kind::Text, true, |link| Some(link.content.destination.show()),
        "Where the link leads.";
    SLUG: "slug", Kind::Text, true, |link| Some(link.key.slug.as_str().into()),
        "The path of the short link.";
    DOMAIN: "domain", Kind::Text, false, |link| shown_domain(&link.key.domain).map(Value::from),
        "The host of its domain; left out for the default one.";
    CREATED_AT: "createdAt", Kind::Moment, true, |link| Some(link.created_at.show()),
        "When the link was made, in Unix seconds.";
    UPDATED_AT: "updatedAt", Kind::Moment, true, |link| Some(link.updated_at.show()),
        "When the link last changed, in Unix seconds.";
    /// The stored hash, which only exports show.
    PASSWORD: "password", Kind::Text, false,
        |link| link.password.as_ref().map(|hash| hash.as_str().into()),
        "Present when visitors must give a password: a mask, never to be sent back, or in exports the stored hash.";
    VISITS_LEFT: "visitsLeft", Kind::Count, false, |link| link.visits_left().map(Value::from),
        "The number of visits that are left, beside maxVisits.";
}

macro_rules! members {
    ($(
        $(#[$says:meta])+
        $name:ident: $Type:ty, $wire:literal, $whose:ident, $($place:ident).+, $shown:literal;
    )+) => {
        parts! {$(
            $name: $wire, <$Type>::KIND, matches!(<$Type>::KIND, Kind::Tags),
                |link| Holds::<$Type>::held(&link.content.$($place).+).map(Member::show), $shown;
        )+}

        /// The members that the author sets.
        static MEMBERS: &[&Part] = &[$(&$name),+];
    };
}

link_members!(members);

/// These parts, and then the members that are not among them.
macro_rules! in_order {
    ($($part:ident)+) => {
        LazyLock::new(|| {
            let mut all = vec![$(&$part),+];
            let named: Vec<&str> = all.iter().map(|part| part.name).collect();
            all.extend(MEMBERS.iter().filter(|part| !named.contains(&part.name)));
            all
        })
    };
}

/// The parts in the order of answers.
pub(super) static IN_ANSWERS: LazyLock<Vec<&Part>> = in_order! {
    ID URL SLUG DOMAIN comment CREATED_AT UPDATED_AT expires_at title description image apple
    google cloaking with_query proxy PASSWORD flagged_unsafe geo rules split split_until
    forward_path tags starts_at start_url expired_url max_visits VISITS_LEFT disabled
};

/// The parts in the order of the columns of tables.
pub(super) static IN_TABLES: LazyLock<Vec<&Part>> = in_order! {
    ID SLUG URL comment tags CREATED_AT UPDATED_AT expires_at title description image apple google
    geo with_query cloaking proxy flagged_unsafe rules split split_until forward_path PASSWORD
    DOMAIN starts_at start_url expired_url max_visits VISITS_LEFT disabled
};
