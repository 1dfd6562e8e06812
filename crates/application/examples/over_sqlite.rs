//! The use cases of links over an SQLite file: create one with a password, and look it up for a visitor.

use std::{error::Error, sync::Arc};

use slugline_application::{Caller, CreateTerms, LinkService, LinkServiceParts, NewLink};
use slugline_domain::{Author, Password};
use slugline_storage::{DatabaseUrl, SqlLinkStore};
use slugline_system::{OsRandom, SystemClock};

#[tokio::main(flavor = "current_thread")]
async fn main() -> Result<(), Box<dyn Error>> {
    let folder = tempfile::tempdir()?;
    let url = DatabaseUrl::File(folder.path().join("links.db"));
    let store = Arc::new(SqlLinkStore::open(&url).await?);
    let parts = LinkServiceParts::new(store, Arc::new(SystemClock), Arc::new(OsRandom));
    let resolver = parts.resolver.clone();
    let links = LinkService::new(parts);

    let writer = links.by(Caller::Operator, Author::operator());
    let mut new = NewLink::leading_to("https://example.com/sale".parse()?);
    new.password = Some(Password::parse("open sesame")?);
    let made = writer.create(new, CreateTerms::default()).await?;

    let followed = resolver.find(made.link().key()).await?.ok_or("no link")?;
    assert_eq!(followed.destination(), "https://example.com/sale");
    assert!(followed.terms().password.is_some());
    Ok(())
}

#[test]
fn it_runs() {
    main().unwrap();
}
