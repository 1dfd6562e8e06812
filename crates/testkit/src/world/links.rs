//! Links.

use std::sync::Arc;

use slugline_domain::FollowedLink;

use super::dice::{Dice, index};
use crate::link;

const LINKS: u32 = 20_000;

/// One link in so many asks for a password.
const WITH_PASSWORD: u32 = 40;

/// `link-0`, which gets half of all visits, and the others by Zipf's law.
#[derive(Debug)]
pub(super) struct Links(Vec<Arc<FollowedLink>>);

impl Links {
    /// The links in so many domains, the default one among them: the busiest is in that one.
    pub(super) fn over(domains: u32) -> Self {
        Self((0..LINKS).map(|n| some_link(n, n % domains)).collect())
    }

    pub(super) fn busiest(&self) -> &Arc<FollowedLink> {
        &self.0[0]
    }

    /// One of the others. Crawlers come to all of them, people to few.
    pub(super) fn other(&self, exponent: f64, dice: &mut Dice) -> &Arc<FollowedLink> {
        dice.pick(&self.0[1..], exponent)
    }

    /// One of the others that few know so far.
    pub(super) fn unknown(&self, n: u32) -> &Arc<FollowedLink> {
        &self.0[index(500 + n * 37 % (LINKS - 500))]
    }
}

fn some_link(n: u32, domain: u32) -> Arc<FollowedLink> {
    let id = format!("0199f3a2-7c1e-7000-8000-{n:012x}");
    let url = format!("https://shop.example/products/{n}?campaign=autumn");
    let host = match domain {
        0 => String::new(),
        named => format!("d{named}.example/"),
    };
    let link = link(&format!("{host}link-{n}")).id(&id).to(&url);
    match n % WITH_PASSWORD {
        7 => link.password("$argon2id$v=19$stored").followed(),
        _ => link.followed(),
    }
}
