//! A route of your own, documented in `/_docs/openapi.json` and behind tokens, and one of plain
//! actix.

#![expect(clippy::print_stdout, reason = "examples show what they do")]

use actix_web::{HttpResponse, http::Method, web};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use slugline::operation::{Changes, Json, Query};
use slugline::{Access, Code, Failure, Operation, OperationSpec, Problem, Scope};
use slugline::{Service, Settings, application::Precondition, domain::LinkKey};

#[derive(Deserialize, JsonSchema)]
struct Asked {
    /// The slug of the link to retire.
    slug: String,
}

#[derive(Serialize, JsonSchema)]
struct Retired {
    /// True if there was such a link.
    retired: bool,
}

/// The change leaves a line in the audit trail, in the name of the caller's token.
async fn retire(
    Changes(links): Changes,
    Query(asked): Query<Asked>,
) -> Result<Json<200, Retired>, Failure> {
    let unfit = |_| Problem::new(Code::LinkNotFound, "slug: no link can have this one");
    let key = LinkKey::parse(&asked.slug).map_err(unfit)?;
    let deleted = links.delete(&key, &Precondition::None).await?;
    Ok(Json(Retired {
        retired: deleted.is_some(),
    }))
}

#[actix_web::main]
async fn main() -> Result<(), Box<dyn std::error::Error>> {
    let folder = tempfile::tempdir()?;
    let settings = Settings::from_pairs([
        ("SLUGLINE_LISTEN", "127.0.0.1:0"),
        ("SLUGLINE_DATA_DIR", &folder.path().to_string_lossy()),
    ])?;
    let spec = OperationSpec {
        method: Method::POST,
        path: "/api/acme/retire",
        id: "acme_retire",
        tag: "Acme",
        summary: "Retire a link",
        description: "Deletes the link for good.",
        needs: Access::with_links(Scope::LinksWrite),
        fails: &[Code::LinkNotFound],
    };
    let service = Service::builder(&settings)
        .operation(Operation::new(spec, retire))
        .routes("/_acme", |config| {
            config.route(
                "/hello",
                web::get().to(async || HttpResponse::Ok().body("Hello")),
            );
        })
        .start()
        .await?;
    println!(
        "http://{}/_docs/scalar documents acme_retire",
        service.address()
    );
    Ok(service.stop().await?)
}

#[test]
fn it_runs() {
    main().unwrap();
}
