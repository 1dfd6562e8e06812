//! Decides the answer to a visitor of a link without HTTP and without a store.

use slugline_domain::{
    Arrival, Country, FollowedLink, InstanceDefaults, Link, Means, Resolution, UnixSeconds, Uri,
    Visitor, routing::NoFacts,
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
    let Resolution::Open(Arrival::Led(lead)) = answer else {
        panic!("nothing stops the visitor");
    };
    assert_eq!(lead.target, Uri::of("https://example.de/sale"));
    assert_eq!(lead.by, Means::Redirect);
    Ok(())
}

#[test]
fn it_runs() {
    main().unwrap();
}
