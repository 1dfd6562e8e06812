//! Only redirects, in an actix app of your own: below `/s`, beside your other services.

#![expect(clippy::print_stdout, reason = "examples show what they do")]

use std::sync::Arc;

use actix_web::{App, HttpServer, web};
use slugline_application::{
    Gatekeeper, GatekeeperParts, NamedDomains, Passwords, Resolver, ResolverOptions,
};
use slugline_domain::{
    AuditNote, AuditedOperation, Author, Link, Reach, Visit,
    ports::{Clock, LinkStore, VisitSink},
};
use slugline_httpkit::Edge;
use slugline_redirect::{Outcomes, RedirectOptions, Redirects, below};
use slugline_storage::{DatabaseUrl, SqlLinkStore};
use slugline_system::{OsRandom, SystemClock};

#[derive(Debug)]
struct Printed;

impl VisitSink for Printed {
    fn record(&self, visit: Visit) {
        println!("a visit to {}", visit.link.slug());
    }
}

#[actix_web::main]
async fn main() -> Result<(), Box<dyn std::error::Error>> {
    let clock = Arc::new(SystemClock);
    let folder = tempfile::tempdir()?;
    let url = DatabaseUrl::File(folder.path().join("links.db"));
    let store = Arc::new(SqlLinkStore::open(&url).await?);
    let note = AuditNote {
        at: clock.now(),
        author: Author::operator(),
        operation: AuditedOperation::LinkCreate,
    };
    let to = "https://example.com/docs".parse()?;
    let docs = Link::new("1".parse()?, "docs".parse()?, to, note.at.second());
    store.insert(&Reach::Everything, &docs, &note).await?;
    let options = ResolverOptions::default();
    let resolver = Resolver::new(
        store.clone(),
        clock.clone(),
        NamedDomains::default(),
        options,
    );
    let resolver = Arc::new(resolver);
    let passwords = Arc::new(Passwords::new(Arc::new(OsRandom)));
    let parts = GatekeeperParts {
        passwords,
        store,
        resolver: resolver.clone(),
    };
    let gatekeeper = Arc::new(Gatekeeper::new(parts));
    let edge = Arc::new(Edge::default());
    let redirects = Arc::new(Redirects {
        edge,
        resolver,
        gatekeeper,
        visits: Arc::new(Printed),
        clock,
        proxying: None,
        moved: None,
        options: RedirectOptions::default(),
        outcomes: Outcomes::default(),
    });
    let server = HttpServer::new(move || {
        App::new()
            .service(below("/s", &redirects))
            .default_service(web::to(async || "everything else is yours"))
    });
    let server = server.workers(1).disable_signals().bind("127.0.0.1:0")?;
    println!("http://{}/s/docs leads on", server.addrs()[0]);
    let server = server.run();
    let handle = server.handle();
    let serving = actix_web::rt::spawn(server);
    handle.stop(true).await;
    Ok(serving.await??)
}

#[test]
fn it_runs() {
    main().unwrap();
}
