//! An observer of your own: it hears of each stored visit and of each change of a link.

#![expect(clippy::print_stdout, reason = "examples show what they do")]

use slugline::domain::{Author, Dimension};
use slugline::observers::{ObservedChange, ObservedVisit, Observer};
use slugline::{Service, Settings};

struct Printer;

impl Observer for Printer {
    fn visit(&mut self, visit: &ObservedVisit) {
        println!(
            "{} from {}",
            visit.value(Dimension::Slug),
            visit.value(Dimension::Country)
        );
    }

    fn change(&mut self, change: &ObservedChange) {
        let Author { caller, .. } = &change.author;
        println!(
            "{} of {} by {caller}",
            change.operation.as_str(),
            change.key
        );
    }
}

#[actix_web::main]
async fn main() -> Result<(), Box<dyn std::error::Error>> {
    let folder = tempfile::tempdir()?;
    let settings = Settings::from_pairs([
        ("SLUGLINE_LISTEN", "127.0.0.1:0"),
        ("SLUGLINE_DATA_DIR", &folder.path().to_string_lossy()),
    ])?;
    let service = Service::builder(&settings)
        .observer(Printer)
        .start()
        .await?;
    println!(
        "visits and changes at http://{} are printed",
        service.address()
    );
    println!("{} were missed", service.unobserved());
    Ok(service.stop().await?)
}

#[test]
fn it_runs() {
    main().unwrap();
}
