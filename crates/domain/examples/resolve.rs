//! Decides the answer to a visitor of a link without HTTP and without a store.

use slugline_domain::{
    Arrival, Country, FollowedLink, InstanceDefaults, Link, Resolution, UnixSeconds, Uri, Visitor,
    routing::NoFacts,
};

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let now = UnixSeconds::new(1_800_000_000)?;
    let to = "https://example.com/sale".parse()?;
    let mut link = Link::new("1".parse()?, "spring-sale".parse()?, to, now);
    let german = "https://example.de/sale".parse()?;
    link.content.routing.geo.insert("DE".parse()?, german);

    let visitor = Visitor {
        now,
        user_agent: "ExampleBrowser/1.0",
        country: Some("DE".parse::<Country>()?),
        query: None,
        rest: None,
        facts: &NoFacts,
    };
    let link = FollowedLink::from(&link);
    let answer = link.resolve(&visitor, InstanceDefaults::default());
    let sent_on = Arrival::Redirect(Uri::of("https://example.de/sale"));
    assert_eq!(answer, Resolution::Open(sent_on));
    Ok(())
}

#[test]
fn it_runs() {
    main().unwrap();
}
