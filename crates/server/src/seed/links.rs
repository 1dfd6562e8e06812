//! Links such as a small company might have.

use anyhow::Context;
use clap::{Args, builder::TypedValueParser, value_parser};
use slugline_application::{CreateTerms, LinkWriter, NewLink};
use slugline_domain::{
    Comment, Destination, DestinationRules, DomainName, Host, Link, LinkId, Password, Slug, Tag,
    Tags, Title, UnixMillis, UnixSeconds,
};

use super::chance::Chance;

const SITES: [&str; 8] = [
    "https://shop.example.com/collections",
    "https://www.example.com/blog/2026",
    "https://docs.example.org/guide",
    "https://events.example.net/sessions",
    "https://careers.example.com/openings",
    "https://status.example.org/history",
    "https://www.example.net/press",
    "https://support.example.com/articles",
];

const WORDS: [&str; 40] = [
    "spring",
    "launch",
    "pricing",
    "keynote",
    "roadmap",
    "webinar",
    "handbook",
    "invite",
    "survey",
    "release",
    "demo",
    "podcast",
    "newsletter",
    "welcome",
    "checklist",
    "report",
    "summit",
    "beta",
    "changelog",
    "offer",
    "guide",
    "workshop",
    "careers",
    "press",
    "team",
    "signup",
    "trial",
    "api",
    "security",
    "partners",
    "story",
    "video",
    "slides",
    "menu",
    "map",
    "tickets",
    "faq",
    "merch",
    "autumn",
    "winter",
];

const TAGS: [&str; 9] = [
    "promo", "mail", "docs", "social", "print", "events", "hiring", "product", "press",
];

const NOTES: [&str; 5] = [
    "Printed on the poster in the lobby",
    "Replaces the old newsletter footer",
    "Shared with partners, do not delete",
    "For the September campaign",
    "Short for the keynote's last slide",
];

const DAY: i64 = 86_400;

/// Makes the links, the oldest first. Each third one belongs to one of the named hosts, in turn.
pub(super) async fn make(
    service: &LinkWriter,
    hosts: &[Host],
    amount: Amount,
    now: UnixMillis,
    chance: &mut Chance,
) -> anyhow::Result<Vec<Link>> {
    let mut links = Vec::new();
    for number in 0..amount.links {
        let mut new = one(number, amount, now.second().get(), chance)?;
        if let Some(host) = host_of(number, hosts) {
            new.domain = DomainName::named(host.clone());
        }
        let made = service.create(new, CreateTerms::default()).await;
        let made = made.with_context(|| format!("making link {number}"))?;
        links.extend(made.link().whole().cloned());
    }
    Ok(links)
}

/// The host of a link's domain; `None` for the default one.
fn host_of(number: u32, hosts: &[Host]) -> Option<&Host> {
    let third = usize::try_from(number / 3).expect("there are few links");
    let turn = third.checked_rem(hosts.len())?;
    hosts.get(turn).filter(|_| number % 3 == 2)
}

fn one(number: u32, amount: Amount, now: i64, chance: &mut Chance) -> anyhow::Result<NewLink> {
    let slug = slug(number, chance);
    let url = format!("{}/{slug}{}", chance.one_of(&SITES), query(chance));
    let destination = Destination::parse(&url, &DestinationRules::default())?;
    let mut new = NewLink::leading_to(destination);
    // Most links are older than the first stored visit.
    let oldest = i64::from(amount.days) * 2 + 30;
    let left = i64::from(amount.links - number);
    let age = oldest * left / i64::from(amount.links.max(1)) * DAY / 2;
    let made = UnixSeconds::new(now - age - i64::from(chance.below(40_000)) - 3_600)?;
    new.id = Some(LinkId::parse(&format!("seed-{number:04}"))?);
    new.slug = Some(Slug::parse(&slug)?);
    new.created_at = Some(made);
    new.updated_at = Some(made);
    new.content.tags = tags(chance)?;
    if chance.percent(30) {
        new.content.comment = Some(Comment::parse(chance.one_of(&NOTES))?);
    }
    if chance.percent(6) {
        let soon = now + i64::from(2 + chance.below(40)) * DAY;
        new.content.expires_at = Some(UnixSeconds::new(soon)?);
    }
    if chance.percent(2) {
        new.password = Some(Password::parse("open-sesame")?);
    }
    if chance.percent(10) {
        let title = format!("{}: all you need to know", slug.replace('-', " "));
        new.content.preview.title = Some(Title::parse(&title)?);
    }
    Ok(new)
}

/// A slug of two words; of three once all pairs could have been drawn.
fn slug(number: u32, chance: &mut Chance) -> String {
    let first = chance.one_of(&WORDS);
    let second = chance.one_of(&WORDS);
    match number {
        0 => "spring-24".to_owned(),
        1 => "docs".to_owned(),
        2 => "newsletter".to_owned(),
        number if number % 3 == 0 => format!("{first}-{second}-{number}"),
        number => format!("{first}-{number}"),
    }
}

fn query(chance: &mut Chance) -> &'static str {
    chance.one_of(&[
        "",
        "",
        "",
        "?utm_source=newsletter&utm_medium=email",
        "?ref=poster",
    ])
}

fn tags(chance: &mut Chance) -> anyhow::Result<Tags> {
    let count = chance.one_of(&[0, 1, 1, 1, 2, 2, 3]);
    let mut tags: Vec<Tag> = Vec::new();
    for _ in 0..count {
        let tag = Tag::parse(chance.one_of(&TAGS))?;
        if !tags.contains(&tag) {
            tags.push(tag);
        }
    }
    Ok(Tags::new(tags)?)
}

/// The amount of data to create.
#[derive(Clone, Copy, Debug, Args)]
pub(crate) struct Amount {
    /// Links to make
    #[arg(long, value_name = "NUMBER", value_parser = number(), default_value = "200")]
    links: u32,
    /// Visits to make
    #[arg(long, value_name = "NUMBER", value_parser = number(), default_value = "50000")]
    pub(super) visits: u32,
    /// Days that the visits are spread over
    #[arg(
        long,
        value_name = "NUMBER",
        value_parser = value_parser!(u16).range(1..=3_650),
        default_value = "90"
    )]
    pub(super) days: u16,
}

fn number() -> impl TypedValueParser<Value = u32> {
    value_parser!(u32).range(1..=10_000_000)
}
