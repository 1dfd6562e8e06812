//! A redirect that a browser or an edge worker decides, in WebAssembly.
//!
//! JavaScript writes five lines into [`buffer`]: the slug, the time in Unix seconds, the
//! `User-Agent`, the country and the query. It calls [`follow`] with their length, and reads as
//! many bytes of answer as that returns: a status, and the address if there is one.

use std::{
    collections::HashMap,
    sync::{LazyLock, Mutex},
};

use slugline_domain::{
    Arrival, Country, Destination, DestinationRules, FollowedLink, InstanceDefaults, LinkId,
    Resolution, Revision, Slug, Terms, UnixSeconds, Visitor,
    routing::NoFacts,
};

static BUFFER: Mutex<[u8; 65_536]> = Mutex::new([0; 65_536]);

/// A real worker would fill this from its own storage.
static LINKS: LazyLock<HashMap<Slug, FollowedLink>> = LazyLock::new(|| {
    let mut app = Terms::default();
    app.routing.google = Some(to("https://store.example/app"));
    let sale = Terms {
        expiry: UnixSeconds::new(1_800_000_000).ok(),
        ..Terms::default()
    };
    let inside = Terms {
        flagged_unsafe: true,
        ..Terms::default()
    };
    HashMap::from([
        link("app", "https://example.com/app", app),
        link("sale", "https://example.com/sale?from=edge", sale),
        link("odd", "https://example.net/", inside),
    ])
});

/// Where JavaScript writes a question and reads the answer.
#[unsafe(no_mangle)]
pub extern "C" fn buffer() -> *mut u8 {
    BUFFER.lock().unwrap().as_mut_ptr()
}

/// Answers the question of so many bytes in the buffer. Returns the length of the answer.
#[unsafe(no_mangle)]
pub extern "C" fn follow(bytes: usize) -> usize {
    let mut buffer = BUFFER.lock().unwrap();
    let answer = answer(&String::from_utf8_lossy(&buffer[..bytes]));
    buffer[..answer.len()].copy_from_slice(answer.as_bytes());
    answer.len()
}

fn answer(question: &str) -> String {
    let [slug, now, user_agent, country, query] = question.split('\n').collect::<Vec<_>>()[..]
    else {
        return "400".to_owned();
    };
    let Some(now) = now.parse().ok().and_then(|now| UnixSeconds::new(now).ok()) else {
        return "400".to_owned();
    };
    let Some(link) = slug.parse().ok().and_then(|slug: Slug| LINKS.get(&slug)) else {
        return "404".to_owned();
    };
    let country = Country::parse(country).ok();
    let visitor = Visitor {
        now,
        user_agent,
        country,
        query: Some(query),
        rest: None,
        facts: &NoFacts,
    };
    let rules = InstanceDefaults {
        with_query: true,
        ..InstanceDefaults::default()
    };
    match link.resolve(&visitor, rules) {
        Resolution::Absent => "404".to_owned(),
        Resolution::Expired => "410".to_owned(),
        Resolution::Open(Arrival::Detour(to)) => format!("302 {to}"),
        // Only the service can count a visit, which comes before its answer.
        Resolution::Open(_) if link.counts_visits() => "503".to_owned(),
        Resolution::Gate(_) => "403".to_owned(), // the service shows its pages for these
        Resolution::Open(Arrival::Led(lead)) => format!("301 {}", lead.target),
        Resolution::Open(Arrival::Sealed) => "200".to_owned(),
    }
}

fn link(slug: &str, url: &str, terms: Terms) -> (Slug, FollowedLink) {
    let slug = Slug::parse(slug).unwrap();
    let id = LinkId::parse(slug.as_str()).unwrap();
    let link = FollowedLink::new(&id, &slug.clone().into(), Revision::FIRST, &to(url), terms);
    (slug, link)
}

fn to(url: &str) -> Destination {
    Destination::parse(url, &DestinationRules::default()).unwrap()
}
