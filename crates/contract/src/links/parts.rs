//! The parts of a link as answers show them, and as columns of tables.

use std::sync::LazyLock;

use serde_json::Value;
use slugline_domain::{
    Comment, Countries, Description, Destination, Holds, ImageRef, Link, MaxVisits, Rules, Split,
    Tags, Title, UnixSeconds, link_members,
};

use super::{
    member::{Kind, Member},
    short_link::shown_domain,
};

/// A part of a link: a member that the author sets, or what the service knows of it.
pub(super) struct Part {
    pub(super) name: &'static str,
    /// What schemas say of it.
    pub(super) says: &'static str,
    pub(super) kind: Kind,
    /// True if every link has it.
    pub(super) is_everywhere: bool,
    pub(super) show: fn(&Link) -> Option<Value>,
}

static ID: Part = Part {
    name: "id",
    says: "Identity; stays through edits.",
    kind: Kind::Text,
    is_everywhere: true,
    show: |link| Some(link.id.as_str().into()),
};

static URL: Part = Part {
    name: "url",
    says: "Where the link leads.",
    kind: Kind::Text,
    is_everywhere: true,
    show: |link| Some(link.content.destination.show()),
};

static SLUG: Part = Part {
    name: "slug",
    says: "The path of the short link.",
    kind: Kind::Text,
    is_everywhere: true,
    show: |link| Some(link.key.slug.as_str().into()),
};

static DOMAIN: Part = Part {
    name: "domain",
    says: "The host of its domain; left out for the default one.",
    kind: Kind::Text,
    is_everywhere: false,
    show: |link| shown_domain(&link.key.domain).map(Value::from),
};

static CREATED_AT: Part = Part {
    name: "createdAt",
    says: "When the link was made, in Unix seconds.",
    kind: Kind::Moment,
    is_everywhere: true,
    show: |link| Some(link.created_at.show()),
};

static UPDATED_AT: Part = Part {
    name: "updatedAt",
    says: "When the link last changed, in Unix seconds.",
    kind: Kind::Moment,
    is_everywhere: true,
    show: |link| Some(link.updated_at.show()),
};

/// The stored hash, which only exports show.
pub(super) static PASSWORD: Part = Part {
    name: "password",
    says: "Present when visitors must give a password: a mask, never to be sent back, or in \
           exports the stored hash.",
    kind: Kind::Text,
    is_everywhere: false,
    show: |link| link.password.as_ref().map(|hash| hash.as_str().into()),
};

static VISITS_LEFT: Part = Part {
    name: "visitsLeft",
    says: "The number of visits that are left, beside maxVisits.",
    kind: Kind::Count,
    is_everywhere: false,
    show: |link| link.visits_left().map(Value::from),
};

/// Makes a static of each member's name.
macro_rules! members {
    ($(
        $(#[$says:meta])+
        $name:ident: $Type:ty, $wire:literal, $whose:ident, $($place:ident).+, $shown:literal;
    )+) => {
        $(
            static $name: Part = Part {
                name: $wire,
                says: $shown,
                kind: <$Type>::KIND,
                is_everywhere: matches!(<$Type>::KIND, Kind::Tags),
                show: |link| Holds::<$Type>::held(&link.content.$($place).+).map(Member::show),
            };
        )+

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
