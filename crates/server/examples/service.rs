//! The whole service, started from your program.

#![expect(clippy::print_stdout, reason = "examples show what they do")]

use slugline::{Service, Settings};

#[actix_web::main]
async fn main() -> Result<(), Box<dyn std::error::Error>> {
    let folder = tempfile::tempdir()?;
    let settings = Settings::from_pairs([
        ("SLUGLINE_LISTEN", "127.0.0.1:0"),
        ("SLUGLINE_DATA_DIR", &folder.path().to_string_lossy()),
    ])?;
    let service = Service::builder(&settings).start().await?;
    println!("http://{}/_dashboard/", service.address());
    Ok(service.stop().await?)
}

#[test]
fn it_runs() {
    main().unwrap();
}
